"""The machine of share groups answers from its state alone, and says when something happens by
itself.
"""

from dataclasses import replace
from math import inf

import pytest

from spec.layout import Batch
from spec.outcomes import Outcome
from spec.releases import semantics_for
from spec.scenario import Scenario
from spec.share.dry_run import answer_all
from spec.share.examples import FIVES, confirm, fetch, history, release
from spec.share.model.machine import share_machine
from spec.share.model.state import State, initial_state
from spec.share.outcomes import Acquired, ShareFetchAnswer
from spec.share.steps import (
    DropConnection,
    Pause,
    RestartBroker,
    ShareAcknowledge,
    ShareFetch,
    SharePartition,
)
from spec.steps import Append, DeleteRecords, Step

SEMANTICS = semantics_for("4.3")
LOCK_MS, WAIT_MS = 30_000, 5_000
MACHINE = share_machine(SEMANTICS, {})


def parked(actor: int = 1, max_wait_ms: int = WAIT_MS, min_bytes: int = 1) -> ShareFetch:
    named = (SharePartition(0),)
    return ShareFetch(
        named, max_wait_ms=max_wait_ms, min_bytes=min_bytes, version=2, actor=actor, parked=True
    )


def after(scenario: Scenario) -> tuple[State, dict[int, Outcome]]:
    """The state after a scenario's steps, a millisecond each, and the outcomes so far."""
    state = initial_state(scenario)
    outcomes: dict[int, Outcome] = {}
    for number, step in enumerate(scenario.steps):
        stepped = MACHINE.take(state, number, step, float(number))
        state = stepped.state
        outcomes |= dict(stepped.replies)
    return state, outcomes


def acquired(outcome: Outcome) -> tuple[Acquired, ...]:
    assert isinstance(outcome, ShareFetchAnswer)
    return tuple([one for part in outcome.partitions for one in part.acquired])


def test_nothing_is_due_in_a_fresh_state() -> None:
    assert MACHINE.due(initial_state(history((FIVES,)))) == inf


def test_the_next_thing_due_is_the_end_of_a_wait_or_of_a_lock() -> None:
    state, outcomes = after(history((FIVES,), fetch(0), parked()))
    assert 2 not in outcomes
    assert MACHINE.due(state) == 2 + WAIT_MS
    fired = MACHINE.fire(state, 2.0 + WAIT_MS)
    assert [acquired(outcome) for _, outcome in fired.replies] == [()]
    assert MACHINE.due(fired.state) == 1 + LOCK_MS


def test_a_lock_that_runs_out_wakes_a_fetch() -> None:
    state, _ = after(history((FIVES,), fetch(0), parked(max_wait_ms=2 * LOCK_MS)))
    ((number, outcome),) = MACHINE.fire(state, 1.0 + LOCK_MS).replies
    assert (number, acquired(outcome)) == (2, (Acquired(0, 14, 2),))


@pytest.mark.parametrize(
    ("step", "woken"),
    [
        (Append(0, Batch(100, records=5)), (Acquired(15, 19),)),
        (release(0, 4), None),
        (confirm(0, 4), ()),
        (Pause(10), None),
    ],
    ids=["records", "a release", "a start offset that moves", "nothing"],
)
def test_what_wakes_a_fetch_that_waits(step: Step, woken: tuple[Acquired, ...] | None) -> None:
    """After the start offset has moved it looks again, and finds nothing to read."""
    _, outcomes = after(history((FIVES,), fetch(0), parked(), step))
    found = acquired(outcomes[2]) if 2 in outcomes else None
    assert found == (woken or None)


@pytest.mark.parametrize(("min_bytes", "waits"), [(300, False), (301, True)])
def test_a_fetch_waits_for_min_bytes(min_bytes: int, *, waits: bool) -> None:
    state, outcomes = after(history((FIVES,), parked(min_bytes=min_bytes)))
    assert (1 not in outcomes) is waits
    ended = outcomes | dict(MACHINE.fire(state, 1.0 + WAIT_MS).replies)
    assert acquired(ended[1]) == (Acquired(0, 14),)


@pytest.mark.parametrize(
    "step", [DropConnection(1), RestartBroker()], ids=["a lost connection", "a restart"]
)
def test_a_fetch_that_waits_is_never_answered_once_its_connection_is_lost(step: Step) -> None:
    state, outcomes = after(history((FIVES,), fetch(0), parked(), step))
    assert 2 not in outcomes
    assert state.parked == ()


def test_a_step_of_a_member_waits_for_its_parked_fetch_in_the_dry_run() -> None:
    scenario = history((FIVES,), fetch(0), parked(), ShareAcknowledge(version=2, actor=1))
    waited, then = answer_all(scenario, SEMANTICS).exchanges[2:]
    assert waited.answered_ms >= WAIT_MS
    assert then.sent_ms >= waited.answered_ms


def test_equal_states_answer_equally() -> None:
    scenario = history((FIVES,), fetch(0, max_records=6), release(0, 4))
    one, other = after(scenario)[0], after(scenario)[0]
    assert one == other
    ask = replace(fetch(max_records=1), patience_ms=0)
    assert MACHINE.take(one, 9, ask, 9.0) == MACHINE.take(other, 9, ask, 9.0)


@pytest.mark.parametrize(
    ("release_line", "start"), [("4.1", 5), ("4.2", 5), ("4.3", 0), ("4.4", 0)]
)
def test_up_to_4_2_a_fetch_of_no_records_finds_that_the_log_start_has_moved(
    release_line: str, start: int
) -> None:
    """Seen on 4.1.2 and 4.2.2, and not on 4.3.1: an acknowledgement of deleted records that is
    taken afterwards, or refused.
    """
    steps = (DeleteRecords(0, 5), ShareFetch((SharePartition(0),), max_records=0, version=1))
    scenario = history((FIVES,), *steps)
    machine, state = share_machine(semantics_for(release_line), {}), initial_state(scenario)
    for number, step in enumerate(scenario.steps):
        state = machine.take(state, number, step, float(number)).state
    records = state.partitions[0].records
    assert records is not None
    assert records.start == start
