"""Histories that real brokers once answered in a way that the search for an order misunderstood."""

from dataclasses import replace

import pytest

from spec import observer
from spec.groups.examples import alone, first, history, second, static
from spec.groups.outcomes import (
    GroupAnswer,
    GroupDescribed,
    JoinGroupAnswer,
    MemberHeartbeatAnswer,
    MemberId,
)
from spec.groups.steps import (
    NEW,
    ConsumerGroupHeartbeat,
    DescribeGroup,
    JoinGroup,
    LeaveGroup,
    SyncGroup,
)
from spec.groups.waiting import waited_ms
from spec.judge import judge
from spec.kafka import Error
from spec.model import answer_all
from spec.observation import Exchange, Observation
from spec.outcomes import Silent
from spec.releases import RELEASES, semantics_for
from spec.scenario import Scenario
from spec.verdict import Outcome

KAFKA = semantics_for("4.3")


def broken(scenario: Scenario, *exchanges: Exchange) -> set[tuple[str, str]]:
    return {
        (verdict.clause, verdict.signature)
        for verdict in judge(scenario, Observation(exchanges), KAFKA).breaks
    }


def joined(generation: int, *, member: MemberId = MemberId.SENT) -> JoinGroupAnswer:
    return JoinGroupAnswer(0, generation, member, leader=True, members=1, protocol="range")


def twice() -> tuple[Scenario, list[Exchange]]:
    """A member sends the second step of its join over two connections, while the group waits for
    another one.
    """
    again = [
        JoinGroup(1, parked=True, rebalance_ms=500),
        JoinGroup(11, 1, metadata=1, parked=True, rebalance_ms=500),
    ]
    scenario = history(*alone(), first(1), *again, DescribeGroup(5, "", 2))
    return scenario, list(answer_all(scenario, KAFKA).exchanges)


def test_of_two_connections_the_one_sent_second_may_come_first_and_stay_without_an_answer() -> None:
    scenario, exchanges = twice()
    answered, silent = joined(2), Silent(1500, control_answered=True)
    sent = exchanges[4].sent_ms
    exchanges[4], exchanges[5] = (
        Exchange(4, answered, sent, sent + 10_010),
        Exchange(5, silent, sent, sent + 12_000),
    )
    exchanges[6] = replace(exchanges[6], sent_ms=sent + 10, answered_ms=sent + 20)
    assert broken(scenario, *exchanges) == set()


def test_an_answer_that_was_not_waited_for_until_it_was_due_is_not_missed() -> None:
    """The group's first join phase lasts for two initial delays."""
    scenario = history(first(0), second(0), first(1), second(1), delay_ms=3000)
    exchanges = list(answer_all(scenario, KAFKA).exchanges)
    sent = exchanges[1].sent_ms
    assert sent + 6000 < exchanges[1].answered_ms < sent + 6100
    for given_ms, missed in ((900, False), (6200, False), (7000, True)):
        silent = Silent(given_ms, control_answered=True)
        given_up = Exchange(1, silent, sent, sent + given_ms)
        found = broken(scenario, exchanges[0], given_up, *exchanges[2:])
        assert bool(found) == missed, given_ms


def test_both_of_them_are_never_answered_by_the_end_of_one_join_phase() -> None:
    scenario, exchanges = twice()
    sent = exchanges[4].sent_ms
    exchanges[4:6] = [Exchange(number, joined(2), sent, sent + 10_010) for number in (4, 5)]
    exchanges[6] = replace(exchanges[6], sent_ms=sent + 10, answered_ms=sent + 20)
    assert broken(scenario, *exchanges) != set()


def restarted_twice(
    first_outcome: JoinGroupAnswer, second_sent: float = 41.0
) -> set[tuple[str, str]]:
    """An instance of a Stable group joins again twice: the first is answered from 40 to 50, the
    second until 52.
    """
    scenario = history(
        static(0, "i", parked=False),
        SyncGroup(0, instance="i"),
        *[static(actor, "i") for actor in (1, 2)],
    )
    made = answer_all(scenario, KAFKA).exchanges[:2]
    last = Exchange(3, joined(1, member=MemberId.GIVEN), second_sent, second_sent + 11)
    return broken(scenario, *made, Exchange(2, first_outcome, 40.0, 50.0), last)


def test_an_instance_that_joins_again_is_fenced_by_the_next_while_its_answer_is_written_down() -> (
    None
):
    fenced = JoinGroupAnswer(int(Error.FENCED_INSTANCE_ID), member=MemberId.GIVEN, protocol=None)
    assert restarted_twice(fenced) == set()
    assert restarted_twice(joined(1, member=MemberId.GIVEN)) == set()


def test_it_is_not_fenced_before_the_next_has_come() -> None:
    fenced = JoinGroupAnswer(int(Error.FENCED_INSTANCE_ID), member=MemberId.GIVEN, protocol=None)
    assert restarted_twice(fenced, second_sent=60.0) != set()


def test_a_sync_group_that_waits_is_fenced_when_its_instance_joins_again() -> None:
    again = JoinGroup(1, NEW, "j", parked=True, rebalance_ms=400)
    scenario = history(
        static(0, "i", parked=False, rebalance_ms=400),
        SyncGroup(0, instance="i"),
        again,
        DescribeGroup(5, "PreparingRebalance", 2),
        JoinGroup(0, instance="i", rebalance_ms=400),
        SyncGroup(1, instance="j", parked=True),
        replace(again, actor=11),
        DescribeGroup(5, "", 2),
        limit=3,
    )
    observation = answer_all(scenario, KAFKA)
    assert observation.exchanges[5].outcome == GroupAnswer(int(Error.FENCED_INSTANCE_ID))
    assert judge(scenario, observation, KAFKA).breaks == ()


def test_what_a_history_waits_is_each_moment_once() -> None:
    scenario = history(second(0), second(1), DescribeGroup(5))
    spans = [(0.0, 100.0), (50.0, 180.0), (200.0, 300.0)]
    observation = Observation(
        tuple([Exchange(number, joined(1), *span) for number, span in enumerate(spans)])
    )
    assert waited_ms(scenario, observation) == 180.0


def test_an_instance_whose_answer_is_written_down_counts_in_a_join_phase_that_begins() -> None:
    """Seen on 4.0.2: its old id was unknown already, and it was answered with the generation that a
    newcomer had set off.
    """
    scenario = history(
        static(0, "i", parked=False),
        SyncGroup(0, instance="i"),
        static(1, "i"),
        JoinGroup(0, parked=True),
        first(2),
        second(2),
    )
    made = answer_all(scenario, KAFKA).exchanges[:2]
    later = JoinGroupAnswer(0, 2, MemberId.GIVEN, leader=True, members=2, protocol="range")
    unknown = JoinGroupAnswer(int(Error.UNKNOWN_MEMBER_ID), member=MemberId.SENT, protocol=None)
    given = JoinGroupAnswer(int(Error.MEMBER_ID_REQUIRED), member=MemberId.GIVEN, protocol=None)
    follower = JoinGroupAnswer(0, 2, MemberId.SENT, members=0, protocol="range")
    seen = [
        Exchange(2, later, 72.0, 81.0),
        Exchange(3, unknown, 72.0, 74.0),
        Exchange(4, given, 76.0, 77.0),
    ]
    assert broken(scenario, *made, *seen, Exchange(5, follower, 77.0, 81.0)) == set()


def test_a_static_member_that_joins_by_its_id_alone_keeps_its_instance() -> None:
    """Seen on 4.0.2: the next one of the instance fenced it."""
    scenario = history(
        static(0, "i", parked=False),
        SyncGroup(0, instance="i"),
        first(2),
        JoinGroup(0, parked=True),
        static(1, "i"),
        DescribeGroup(5, "", 1),
    )
    observation = answer_all(scenario, KAFKA)
    fenced = observation.exchanges[3].outcome
    assert isinstance(fenced, JoinGroupAnswer)
    assert fenced.error == Error.FENCED_INSTANCE_ID
    assert judge(scenario, observation, KAFKA).breaks == ()


def test_an_instance_is_removed_by_an_administrator_while_its_answer_is_written_down() -> None:
    """Seen on 4.4.0."""
    scenario = history(
        static(0, "i", parked=False),
        SyncGroup(0, instance="i"),
        static(0, "i"),
        LeaveGroup(9, NEW, "i"),
        first(1),
    )
    made = answer_all(scenario, KAFKA).exchanges[:2]
    unknown = JoinGroupAnswer(int(Error.UNKNOWN_MEMBER_ID), protocol=None)
    given = JoinGroupAnswer(int(Error.MEMBER_ID_REQUIRED), member=MemberId.GIVEN, protocol=None)

    def left(sent: float) -> set[tuple[str, str]]:
        return broken(
            scenario,
            *made,
            Exchange(2, unknown, 40.0, 60.0),
            Exchange(3, GroupAnswer(), sent, sent + 20),
            Exchange(4, given, 99.0, 100.0),
        )

    assert left(41.0) == set()
    assert left(61.0) != set()


def test_the_leader_may_be_answered_to_rejoin_before_its_assignment_is_written_down() -> None:
    """Seen on 4.3.1: the other member sent no SyncGroup in time, so that the group rebalanced."""
    joins = [JoinGroup(actor, parked=True, rebalance_ms=500) for actor in (1, 0)]
    scenario = history(
        *alone(rebalance_ms=500),
        first(1),
        *joins,
        SyncGroup(0, parked=True),
        DescribeGroup(5, "", 1),
    )
    exchanges = list(answer_all(scenario, KAFKA).exchanges)
    exchanges[6] = Exchange(6, GroupAnswer(int(Error.REBALANCE_IN_PROGRESS)), 20.0, 620.0)
    exchanges[7] = Exchange(7, GroupDescribed(0, "CompletingRebalance", 2), 21.0, 30.0)
    assert broken(scenario, *exchanges) == set()
    exchanges[6] = replace(exchanges[6], answered_ms=120.0)
    assert broken(scenario, *exchanges) != set()


def test_a_consumer_member_that_sends_epoch_zero_a_second_time_may_be_fenced_before_4_2() -> None:
    heartbeat = ConsumerGroupHeartbeat
    scenario = history(heartbeat(0), heartbeat(1, instance="i1"), heartbeat(0), heartbeat(0))
    exchanges = list(answer_all(scenario, KAFKA).exchanges)
    exchanges[-1] = replace(exchanges[-1], outcome=MemberHeartbeatAnswer(Error.FENCED_MEMBER_EPOCH))
    observation = Observation(tuple(exchanges))
    found = {
        release: [v.clause for v in judge(scenario, observation, semantics_for(release)).breaks]
        for release in RELEASES
    }
    assert found == {
        "4.0": [],
        "4.1": [],
        "4.2": ["GRP-157"],
        "4.3": ["GRP-157"],
        "4.4": ["GRP-157"],
    }


def test_more_orders_than_are_followed_are_inconclusive_and_no_failure_of_the_infrastructure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A run continues after it: only a broken infrastructure ends one."""
    scenario = history(*alone())
    monkeypatch.setattr(observer, "MOST_STATES", 1)
    (verdict,) = judge(scenario, answer_all(scenario, KAFKA), KAFKA).verdicts
    assert (verdict.outcome, verdict.signature) == (Outcome.INCONCLUSIVE, "too many states")


@pytest.mark.parametrize(
    "error", [0, int(Error.REBALANCE_IN_PROGRESS), int(Error.ILLEGAL_GENERATION)]
)
def test_a_sync_group_that_is_answered_before_the_leaders_is_one_oddity(error: int) -> None:
    """Whatever it is answered: nothing else has to be understood otherwise."""
    joins = [JoinGroup(actor, parked=True, rebalance_ms=500) for actor in (1, 0)]
    waits = (SyncGroup(1, parked=True), DescribeGroup(5), SyncGroup(0))
    scenario = history(*alone(rebalance_ms=500), first(1), *joins, *waits)
    exchanges = list(answer_all(scenario, KAFKA).exchanges)
    exchanges[6] = replace(
        exchanges[6], outcome=GroupAnswer(error), answered_ms=exchanges[6].sent_ms + 0.5
    )
    assert broken(scenario, *exchanges) == {("GRP-103", "answered early")}
