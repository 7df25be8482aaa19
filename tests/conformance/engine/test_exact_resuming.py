"""A run that is cut off anywhere and resumed judges what the uninterrupted run of its seed does,
each scenario once.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from conformance.engine.corpus import Reading
from conformance.engine.plan import Plan
from conformance.engine.resume_point import resume_point
from conformance.subjects.registry import RUNNERS, runner_of
from spec.events import Cursor, Judged, Shrunk
from spec.fetch.steps import Fetch, FetchPartition
from spec.frozen import replace
from spec.layout import Batch, Layout, Partition
from spec.releases import semantics_for
from spec.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Iterable

    from conformance.engine.runner import Runner
    from spec.events import Event

AMPLE_S = 600.0
"""Seconds in which shrinking comes to its end on any machine."""
SEED = 11
SCENARIOS = {"fetch": 260, "share": 130}
"""How many are asked; of the other subjects 100."""
CUTS = 3
AIM = frozenset({"FET-005"})
KEPT = Scenario(Layout((Partition(((Batch(100),),)),)), (Fetch((FetchPartition(0, 0),)),))


def plan_of(runner: Runner[Any], done: Iterable[Event] = (), **changes: Any) -> Plan:
    """What is asked of a run of a subject, or what is left of it after these events."""
    before = resume_point(done)
    return Plan(SEED, SCENARIOS.get(runner.subject, 100), before=before, shrink=False, **changes)


def events_of(runner: Runner[Any], plan: Plan, fault: Any = None) -> list[Event]:
    """All events of a run on the model, or on one with a fault."""
    return list(runner.dry_run_loop(semantics_for("4.3"), plan, fault).events())


@cache
def uninterrupted(subject: str) -> tuple[Event, ...]:
    """A run that nothing cuts off."""
    runner = runner_of(subject)
    return tuple(events_of(runner, plan_of(runner)))


def judged(events: Iterable[Event]) -> Counter[str]:
    """How often each scenario was judged."""
    return Counter([event.scenario for event in events if isinstance(event, Judged)])


@pytest.mark.parametrize(
    "cut",
    [
        pytest.param(1, marks=pytest.mark.campaign),
        2,
        pytest.param(3, marks=pytest.mark.campaign),
    ],
)
@pytest.mark.parametrize("runner", RUNNERS, ids=lambda runner: runner.subject)
def test_a_run_that_was_cut_off_judges_the_rest_and_nothing_else(
    runner: Runner[Any], cut: int
) -> None:
    whole = uninterrupted(runner.subject)
    done = whole[: len(whole) * cut // (CUTS + 1)]
    rest = events_of(runner, plan_of(runner, done))
    assert judged(done) + judged(rest) == judged(whole)
    assert [event for event in rest if isinstance(event, Cursor)][-1].scenarios == judged(
        whole
    ).total()


@pytest.mark.campaign
@pytest.mark.parametrize("runner", RUNNERS, ids=lambda runner: runner.subject)
def test_a_run_that_was_cut_off_again_and_again_judges_each_scenario_once(
    runner: Runner[Any],
) -> None:
    whole = uninterrupted(runner.subject)
    done: list[Event] = []
    for _ in range(4):
        done += events_of(runner, plan_of(runner, done))[: len(whole) // 5]
    done += events_of(runner, plan_of(runner, done))
    assert judged(done) == judged(whole)


@pytest.mark.parametrize("runner", RUNNERS, ids=lambda runner: runner.subject)
def test_a_run_that_had_ended_asks_nothing_more(runner: Runner[Any]) -> None:
    assert not judged(events_of(runner, plan_of(runner, uninterrupted(runner.subject))))


@cache
def aimed() -> tuple[Event, ...]:
    """A run that aims at a clause and that nothing cuts off."""
    runner = runner_of("fetch")
    return tuple(events_of(runner, plan_of(runner, clauses=AIM)))


@pytest.mark.parametrize("cut", [0.2, pytest.param(0.7, marks=pytest.mark.campaign)])
def test_a_run_that_aims_at_a_clause_is_resumed_exactly(cut: float) -> None:
    runner, clauses, whole = runner_of("fetch"), AIM, aimed()
    done = whole[: int(len(whole) * cut)]
    assert judged(done) + judged(
        events_of(runner, plan_of(runner, done, clauses=clauses))
    ) == judged(whole)


def test_what_was_kept_meanwhile_is_not_tried_by_a_run_that_is_resumed() -> None:
    runner = runner_of("fetch")
    whole = uninterrupted("fetch")
    done = whole[: len(whole) // 3]
    later = Reading((KEPT,))
    assert judged(done) + judged(events_of(runner, plan_of(runner, done, corpus=later))) == judged(
        whole
    )
    begun_with_it = events_of(runner, plan_of(runner, corpus=later))
    assert judged(begun_with_it).total() > judged(whole).total()
    gone = events_of(runner, plan_of(runner, begun_with_it[:3]))
    assert any("kept no more" in getattr(event, "text", "") for event in gone)


@pytest.mark.slow
def test_what_broke_before_a_run_was_cut_off_is_still_made_small() -> None:
    runner = runner_of("fetch")
    fault = next(fault for fault in runner.faults if fault.name == "no-progress")
    plan = Plan(SEED, 100, shrink_seconds=AMPLE_S, examples=False)
    whole = events_of(runner, plan, fault)
    first = next(
        number
        for number, event in enumerate(whole)
        if isinstance(event, Judged)
        and any(v.clause == fault.clause and v.outcome == "violates" for v in event.verdicts)
    )
    done = whole[: first + 1]
    rest = events_of(runner, replace(plan, before=resume_point(done)), fault)
    kinds = [
        {(event.clause, event.signature) for event in events if isinstance(event, Shrunk)}
        for events in (whole, rest)
    ]
    assert kinds[0] == kinds[1] != set()
