"""The field's bug reports on group sizes, as histories on a real broker, in an order that takes few
restarts.
"""

from collections.abc import Iterator

import pytest

from conformance.cli.common import make_codec
from conformance.cluster import reach
from conformance.engine.play_result import Played
from conformance.engine.start import restarts_of
from conformance.facts import read_facts, semantics_of
from conformance.subjects.groups.broker_player import SHORT_TIMES, GroupBrokerPlayer
from conformance.subjects.groups.coordinator import await_coordinator
from conformance.systems.embedded import Embedded
from spec.catalogue import examples
from spec.groups.examples import alone, first, history, second, size_limits, with_one_more_actor
from spec.groups.outcomes import GroupDescribed, JoinGroupAnswer, MemberHeartbeatAnswer
from spec.groups.releases import GroupSemantics
from spec.groups.steps import (
    ConsumerGroupHeartbeat,
    DescribeGroup,
    GroupStep,
    JoinGroup,
    RestartWith,
    ShareGroupHeartbeat,
    SyncGroup,
)
from spec.kafka import Error
from spec.outcomes import Outcome
from tests.cases.case import broken
from tests.cases.conftest import VERSION
from tests.cases.group_histories import comes_back

pytestmark = pytest.mark.broker

STATIC_PLACE = ("GRP-008", "instance refused")
CONSUMER_PLACE = ("GRP-034", "instance refused")


@pytest.fixture(scope="module")
def player() -> Iterator[GroupBrokerPlayer]:
    """A player on a broker that is started with a limit of 4."""
    with Embedded(VERSION, config={**SHORT_TIMES, **dict(size_limits(4))}) as broker:
        codec = make_codec()
        cluster = reach(*broker.address, codec)
        await_coordinator(cluster)
        yield GroupBrokerPlayer(
            cluster,
            semantics_of(read_facts(cluster)),
            "cases",
            restarts_of(broker, codec),
            size_limits(4),
        )


def outcomes(played: Played) -> list[Outcome]:
    return [exchange.outcome for exchange in played.observation.exchanges]


def codes(played: Played, *numbers: int) -> list[int]:
    coded = JoinGroupAnswer | MemberHeartbeatAnswer
    return [
        outcome.error
        for outcome in [outcomes(played)[number] for number in numbers]
        if isinstance(outcome, coded)
    ]


def test_n04_a_group_over_a_lowered_limit_settles_at_the_limit(player: GroupBrokerPlayer) -> None:
    made: list[GroupStep] = [*alone()]
    for newcomer in (1, 2, 3):
        made += with_one_more_actor(newcomer, tuple(range(newcomer)), rebalance_ms=900)
    again = [second(actor, rebalance_ms=900) for actor in range(4)]
    settles: list[GroupStep] = [
        *[SyncGroup(actor, parked=True) for actor in range(4)],
        DescribeGroup(9, "Stable", 2),
    ]
    played = player.play_one(
        history(*made, RestartWith(size_limits(2), 8), *again, *settles, limit=4)
    )
    joined = len(made) + 1
    assert sorted(codes(played, *range(joined, joined + 4))) == [0, 0, 81, 81]
    assert outcomes(played)[-1] == GroupDescribed(0, "Stable", 2)
    assert broken(played) == set()


def test_n01_second_phase_joins_are_counted(player: GroupBrokerPlayer) -> None:
    joins = [JoinGroup(actor, parked=True, rebalance_ms=900) for actor in range(4)]
    played = player.play_one(history(*[first(actor) for actor in range(4)], *joins))
    assert codes(played, 0, 1, 2, 3) == [Error.MEMBER_ID_REQUIRED] * 4
    assert Error.GROUP_MAX_SIZE_REACHED in codes(played, 4, 5, 6, 7)
    assert max(one.members for one in outcomes(played) if isinstance(one, JoinGroupAnswer)) <= 2
    assert broken(played) == set()


def test_n02_a_static_consumer_comes_back_to_a_full_group_from_4_4_on(
    player: GroupBrokerPlayer,
) -> None:
    played = player.play_one(examples()["GRP-034"][0].scenario)
    mended = player.semantics.of(GroupSemantics).seats_known_instance
    assert codes(played, 3, 4) == [
        0 if mended else Error.GROUP_MAX_SIZE_REACHED,
        Error.GROUP_MAX_SIZE_REACHED,
    ]
    assert broken(played) == (set() if mended else {CONSUMER_PLACE})


def test_a_static_member_that_restarts_is_refused_by_its_own_full_group(
    player: GroupBrokerPlayer,
) -> None:
    played = player.play_one(examples()["GRP-008"][1].scenario)
    assert codes(played, -2, -1) == [Error.GROUP_MAX_SIZE_REACHED, 0]
    assert broken(played) == {STATIC_PLACE}


def test_n08_the_second_member_of_a_group_of_one_is_refused(player: GroupBrokerPlayer) -> None:
    played = player.play_one(history(*alone(), first(1), limit=1))
    assert codes(played, 1, 3) == [0, Error.GROUP_MAX_SIZE_REACHED]
    assert broken(played) == set()


@pytest.mark.parametrize("heartbeat", [ConsumerGroupHeartbeat, ShareGroupHeartbeat])
def test_t07_a_member_comes_back_with_epoch_zero(
    player: GroupBrokerPlayer, heartbeat: type[ConsumerGroupHeartbeat | ShareGroupHeartbeat]
) -> None:
    played = player.play_one(comes_back(heartbeat))
    fenced = player.semantics.of(GroupSemantics).fences_epoch_zero
    assert codes(played, 0, 1, 2, 3) == [0, 0, 0, 0]
    assert codes(played, 4) == [Error.FENCED_MEMBER_EPOCH if fenced else 0]
    assert broken(played) == set()
