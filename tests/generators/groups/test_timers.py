"""Each timer of a classic group is asked about on both sides of its end: a coordinator whose timer
ends early, or is not prolonged, is caught within a stated number of drawn histories.
"""

from dataclasses import replace
from functools import cache

import pytest

from conformance.subjects.groups.faults.classic import check_sessions_every
from conformance.subjects.groups.faults.fault import GroupFault
from conformance.subjects.groups.faults.timers import FAULTS
from generators.drawing import collect
from generators.groups.classic import classic_histories
from generators.groups.constants import SESSIONS_MS, TIMED_GROUP
from generators.groups.restarting import heartbeats_in_phases, histories_past_each_session
from spec.groups.dry_run import answer_all
from spec.groups.examples import NO_RECORDS, size_limits
from spec.groups.outcomes import GroupDescribed
from spec.groups.seams import REFERENCE, Coordinator
from spec.groups.steps import NEW, DescribeGroup, JoinGroup, WaitFor
from spec.judge import judge
from spec.releases import semantics_for
from spec.scenario import Scenario

SEMANTICS = semantics_for("4.3")
HISTORIES = 300
FOUND_IN_KAFKA = {"GRP-008", "GRP-034"}
OUTLASTED = "GRP-154"
"""The clause of a session that never ends."""
IN_PHASES = [
    fault
    for fault in FAULTS
    if fault.name
    in {
        "heartbeat-in-a-join-phase-prolongs-nothing",
        "heartbeat-before-the-syncs-prolongs-nothing",
    }
]
"""Faults that show only where a phase lasts longer than a session."""


SEEDS = (1, *[pytest.param(seed, marks=pytest.mark.campaign) for seed in (2, 3)])


@cache
def drawn(seed: int) -> tuple[Scenario, ...]:
    """The histories in which timers are looked at."""
    every = collect(classic_histories(2), seed, HISTORIES)
    return tuple(
        [
            scenario
            for scenario in every
            if any(getattr(step, "group", 0) == TIMED_GROUP for step in scenario.steps)
        ]
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_timers_are_looked_at_in_a_tenth_of_the_histories(seed: int) -> None:
    assert len(drawn(seed)) >= HISTORIES // 10


@pytest.mark.parametrize("seed", SEEDS)
def test_the_reference_conforms(seed: int) -> None:
    for scenario in drawn(seed):
        found = judge(scenario, answer_all(scenario, SEMANTICS), SEMANTICS)
        assert {one.clause for one in found.breaks} <= FOUND_IN_KAFKA


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    "fault",
    [fault for fault in FAULTS if fault.clause != OUTLASTED and fault not in IN_PHASES],
    ids=lambda fault: fault.name,
)
def test_a_wrong_timer_is_caught(fault: GroupFault, seed: int) -> None:
    assert any(
        one.clause not in FOUND_IN_KAFKA
        for scenario in drawn(seed)
        for one in judge(
            scenario, answer_all(scenario, SEMANTICS, fault.coordinator), SEMANTICS
        ).breaks
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_a_session_that_never_ends_is_caught_where_it_is_outlasted(seed: int) -> None:
    [fault] = [fault for fault in FAULTS if fault.name == "session-never-ends"]
    outlasting = collect(histories_past_each_session(), seed, HISTORIES)
    for coordinator, broken in ((REFERENCE, set()), (fault.coordinator, {OUTLASTED})):
        found = [
            one.clause
            for scenario in outlasting
            for one in judge(
                scenario, answer_all(scenario, SEMANTICS, coordinator), SEMANTICS
            ).breaks
        ]
        assert set(found) == broken


@cache
def kept_up(sessions_ms: tuple[int, ...]) -> tuple[Scenario, ...]:
    """The histories of heartbeats in a phase that lasts longer than a session."""
    return tuple(collect(heartbeats_in_phases(sessions_ms), 1, 12))


def broken_in_phases(sessions_ms: tuple[int, ...], coordinator: Coordinator) -> set[str]:
    """The clauses that a coordinator breaks in them."""
    return {
        one.clause
        for scenario in kept_up(sessions_ms)
        for one in judge(scenario, answer_all(scenario, SEMANTICS, coordinator), SEMANTICS).breaks
    }


@pytest.mark.parametrize("sessions_ms", [SESSIONS_MS, (6_000,)], ids=str)
def test_a_heartbeat_in_a_phase_that_prolongs_nothing_is_caught(
    sessions_ms: tuple[int, ...],
) -> None:
    assert len(IN_PHASES) == 2
    for fault in IN_PHASES:
        assert fault.clause in broken_in_phases(sessions_ms, fault.coordinator)


@pytest.mark.parametrize("sessions_ms", [SESSIONS_MS, (6_000,)], ids=str)
def test_sessions_that_are_looked_at_now_and_then_conform_in_phases(
    sessions_ms: tuple[int, ...],
) -> None:
    for coordinator in (REFERENCE, check_sessions_every(4_000)):
        assert not broken_in_phases(sessions_ms, coordinator)


def test_a_join_that_is_answered_at_once_prolongs_no_session() -> None:
    """As Kafka 4.3.1 has it: the member was gone when its first session was over."""
    joins = JoinGroup(0, session_ms=600, rebalance_ms=60_000)
    waits = WaitFor(400, 20)
    steps = (replace(joins, member=NEW), joins, waits, joins, waits, DescribeGroup(20))
    scenario = Scenario(NO_RECORDS, steps, size_limits(2))
    played = answer_all(scenario, SEMANTICS)
    assert played.exchanges[-1].outcome == GroupDescribed(0, "Empty", 0)
    later = answer_all(scenario, SEMANTICS, check_sessions_every(60_000))
    for observation in (played, later):
        assert judge(scenario, observation, SEMANTICS).breaks == ()
