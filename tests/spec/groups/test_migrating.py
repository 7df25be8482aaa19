"""Groups that change their protocol: what was in flight together, and what a broker may do that no
answer shows at once.
"""

from dataclasses import replace

import pytest

from spec.groups.examples import (
    alone,
    first,
    history,
    mixed_history,
    pair,
    second,
    upgraded_history,
)
from spec.groups.outcomes import (
    GroupAnswer,
    GroupDescribed,
    GroupOutcome,
    JoinGroupAnswer,
    MemberHeartbeatAnswer,
    MemberId,
)
from spec.groups.releases import GroupSemantics
from spec.groups.steps import (
    ConsumerGroupHeartbeat,
    DescribeGroup,
    GroupStep,
    Heartbeat,
    JoinGroup,
    SyncGroup,
)
from spec.judge import judge
from spec.kafka import Error
from spec.model import answer_all
from spec.observation import Exchange, Observation
from spec.releases import semantics_for
from spec.scenario import Scenario
from spec.semantics import Semantics

KAFKA = semantics_for("4.3")
NO_DOWNGRADE = KAFKA.with_decisions(GroupSemantics, downgrades=False)
"""`group.consumer.migration.policy` is `disabled`, `upgrade`, or not known."""
CONSUMER = ConsumerGroupHeartbeat(7)
LEAVES = ConsumerGroupHeartbeat(7, epoch=-1)
LOOK = DescribeGroup(9)
DEAD = GroupDescribed(0, "Dead", 0)
AGAIN = JoinGroupAnswer(int(Error.REBALANCE_IN_PROGRESS), member=MemberId.SENT, protocol=None)


def broken(
    scenario: Scenario, *exchanges: Exchange, semantics: Semantics = KAFKA
) -> set[tuple[str, str]]:
    return {
        (verdict.clause, verdict.signature)
        for verdict in judge(scenario, Observation(exchanges), semantics).breaks
    }


def broken_after(
    scenario: Scenario, *last: GroupOutcome, semantics: Semantics = KAFKA
) -> set[tuple[str, str]]:
    """What is broken where the last steps are not answered as the model answers."""
    exchanges = list(answer_all(scenario, KAFKA).exchanges)
    seen = [
        replace(one, outcome=outcome)
        for one, outcome in zip(exchanges[-len(last) :], last, strict=True)
    ]
    return broken(scenario, *exchanges[: -len(last)], *seen, semantics=semantics)


def mixed(*classic: int) -> tuple[GroupStep, ...]:
    return (
        CONSUMER,
        *[step for actor in classic for step in (first(actor), second(actor, parked=False))],
    )


def test_a_group_that_fills_a_consumer_group_is_not_upgraded() -> None:
    assert broken_after(upgraded_history(*pair(), CONSUMER), MemberHeartbeatAnswer(0, 3)) >= {
        ("GRP-043", "upgraded")
    }


def test_a_smaller_one_is_not_full() -> None:
    full = MemberHeartbeatAnswer(int(Error.GROUP_MAX_SIZE_REACHED))
    assert broken_after(upgraded_history(*alone(), CONSUMER), full) >= {("GRP-043", "refused")}


def test_but_it_need_not_be_upgraded() -> None:
    """group.consumer.migration.policy may forbid it."""
    kept = MemberHeartbeatAnswer(int(Error.GROUP_ID_NOT_FOUND))
    assert (
        broken_after(
            upgraded_history(*alone(), CONSUMER, Heartbeat(0), LOOK),
            kept,
            GroupAnswer(),
            GroupDescribed(0, "Stable", 1),
        )
        == set()
    )


def test_a_member_of_an_upgraded_group_is_to_join_again() -> None:
    assert broken_after(upgraded_history(*alone(), CONSUMER, Heartbeat(0)), GroupAnswer()) == {
        ("GRP-150", "Heartbeat")
    }


def test_an_upgrade_ends_the_wait_of_a_newcomer_who_is_carried_over() -> None:
    """Seen on all five releases (KAFKA-17733)."""
    waits = JoinGroup(1, parked=True, patience_ms=500)
    scenario = history(
        *alone(),
        first(1),
        waits,
        DescribeGroup(9, "PreparingRebalance", 2),
        CONSUMER,
        ConsumerGroupHeartbeat(8),
        limit=3,
    )
    observation = answer_all(scenario, KAFKA)
    assert observation.exchanges[-4].outcome == AGAIN
    last = [
        MemberHeartbeatAnswer(0, 2, assigns=True),
        MemberHeartbeatAnswer(int(Error.GROUP_MAX_SIZE_REACHED), assigns=False),
    ]
    assert [exchange.outcome for exchange in observation.exchanges[-2:]] == last


def test_nothing_is_said_of_a_consumer_that_comes_to_a_group_which_never_had_a_generation() -> None:
    unknown = MemberHeartbeatAnswer(-1)
    scenario = history(first(0), second(0), CONSUMER, LOOK, delay_ms=500, limit=3)
    exchanges = list(answer_all(scenario, KAFKA).exchanges)
    exchanges[-2:] = [
        replace(exchanges[-2], outcome=unknown),
        replace(exchanges[-1], outcome=GroupDescribed(0, "PreparingRebalance", 1)),
    ]
    assert broken(scenario, *exchanges) == set()


def test_who_waits_is_answered_to_join_again_by_a_consumer_that_is_refused_or_it_waits_on() -> None:
    waits = JoinGroup(0, parked=True, patience_ms=500)
    scenario = upgraded_history(
        *pair(), waits, DescribeGroup(9, "PreparingRebalance", 2), CONSUMER, LOOK, second(1)
    )
    exchanges = list(answer_all(scenario, KAFKA).exchanges)
    assert exchanges[-5].outcome == AGAIN
    assert broken(scenario, *exchanges) == set()
    generation = [
        JoinGroupAnswer(0, 3, MemberId.SENT, leads, 2 if leads else 0, "range")
        for leads in (True, False)
    ]
    ends = exchanges[-1].sent_ms + 1
    exchanges[-5] = replace(exchanges[-5], outcome=generation[0], answered_ms=ends)
    exchanges[-1] = replace(exchanges[-1], outcome=generation[1], answered_ms=ends)
    assert broken(scenario, *exchanges) == set()


def test_a_consumer_may_come_before_the_assignment_of_a_leader_is_written_down() -> None:
    scenario = upgraded_history(
        first(0), second(0, parked=False), SyncGroup(0, parked=True), CONSUMER
    )
    made = answer_all(scenario, KAFKA).exchanges[:2]
    sync = Exchange(2, GroupAnswer(int(Error.REBALANCE_IN_PROGRESS)), 20.0, 30.0)
    assert (
        broken(scenario, *made, sync, Exchange(3, MemberHeartbeatAnswer(0, 2), 21.0, 31.0)) == set()
    )
    assert (
        broken(scenario, *made, sync, Exchange(3, MemberHeartbeatAnswer(0, 2), 40.0, 41.0)) != set()
    )


@pytest.mark.parametrize("generation", [1, 9])
def test_a_downgraded_group_continues_from_whatever_generation_its_members_are_answered(
    generation: int,
) -> None:
    scenario = mixed_history(
        *mixed(0), LEAVES, LOOK, second(0, parked=False), SyncGroup(0), Heartbeat(0)
    )
    joined = JoinGroupAnswer(0, generation, MemberId.SENT, leader=True, members=1, protocol="range")
    assert broken_after(scenario, joined, GroupAnswer(), GroupAnswer()) == set()
    assert (
        broken_after(scenario, joined, GroupAnswer(), GroupAnswer(int(Error.ILLEGAL_GENERATION)))
        != set()
    )


def test_all_its_members_are_answered_the_same_generation() -> None:
    scenario = upgraded_history(
        *mixed(0), LEAVES, first(1), second(1), DescribeGroup(9, "", 2), second(0, parked=False)
    )
    exchanges = list(answer_all(scenario, KAFKA).exchanges)
    assert broken(scenario, *exchanges) == set()
    joined = exchanges[-3].outcome
    assert isinstance(joined, JoinGroupAnswer)
    exchanges[-3] = replace(
        exchanges[-3], outcome=replace(joined, generation=joined.generation + 1)
    )
    assert broken(scenario, *exchanges) != set()


def test_a_group_of_too_many_classic_members_is_not_downgraded() -> None:
    scenario = mixed_history(*mixed(0, 1), LEAVES, LOOK)
    assert broken_after(scenario, DEAD) == set()
    assert broken_after(scenario, GroupDescribed(0, "PreparingRebalance", 2)) == {
        ("GRP-045", "downgraded")
    }


def test_one_that_fits_is_where_the_policy_is_known_to_allow_it() -> None:
    scenario = mixed_history(*mixed(0), LEAVES, LOOK)
    twice = mixed_history(*mixed(0), LEAVES, LOOK, LOOK)
    assert broken_after(twice, DEAD, DEAD) == {("GRP-164", "not downgraded")}
    assert broken_after(twice, DEAD, DEAD, semantics=NO_DOWNGRADE) == set()
    for semantics in (KAFKA, NO_DOWNGRADE):
        rebalances = GroupDescribed(0, "PreparingRebalance", 1)
        assert broken_after(scenario, rebalances, semantics=semantics) == set()
        stable = GroupDescribed(0, "Stable", 1)
        assert broken_after(scenario, stable, semantics=semantics) != set()


def test_a_join_in_flight_with_the_last_consumer_that_leaves_meets_either_group() -> None:
    scenario = mixed_history(*mixed(0), second(0), LEAVES, LOOK)
    made = answer_all(scenario, KAFKA).exchanges[:3]
    last = [
        Exchange(4, MemberHeartbeatAnswer(0, -1), 21.0, 30.0),
        Exchange(5, GroupDescribed(0, "PreparingRebalance", 1), 31.0, 32.0),
    ]
    at_once = Exchange(
        3, JoinGroupAnswer(0, 1, MemberId.SENT, members=0, protocol="range"), 20.0, 29.0
    )
    assert broken(scenario, *made, at_once, *last) == set()
    later = JoinGroupAnswer(0, 4, MemberId.SENT, leader=True, members=1, protocol="range")
    ended = Exchange(5, GroupDescribed(0, "CompletingRebalance", 1), 31.0, 32.0)
    assert broken(scenario, *made, Exchange(3, later, 20.0, 30.5), last[0], ended) == set()


def test_a_group_that_shows_no_join_phase_after_its_consumers_left_may_count_its_members() -> None:
    """A broker that takes a classic member into a consumer group, and does not rebalance once the
    last consumer has left.
    """
    scenario = mixed_history(
        ConsumerGroupHeartbeat(7),
        first(0),
        JoinGroup(0),
        ConsumerGroupHeartbeat(7, epoch=-1),
        DescribeGroup(9),
        first(1),
    )
    joined = JoinGroupAnswer(0, 1, MemberId.SENT, leader=True, members=1, protocol="range")
    given = JoinGroupAnswer(int(Error.MEMBER_ID_REQUIRED), member=MemberId.GIVEN, protocol=None)
    came: list[GroupOutcome] = [
        MemberHeartbeatAnswer(0, 1),
        given,
        joined,
        MemberHeartbeatAnswer(0, -1),
        GroupDescribed(0, "Empty", 1),
        JoinGroupAnswer(int(Error.GROUP_MAX_SIZE_REACHED), protocol=None),
    ]
    exchanges = [Exchange(step, outcome, step, step + 0.5) for step, outcome in enumerate(came)]
    assert "GRP-014" not in {clause for clause, _ in broken(scenario, *exchanges)}
