"""A run is a stream of events: header, what is played, footer; whatever ends it, the broker is
stopped and the footer says so.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from conformance.cli.common import make_codec
from conformance.engine.event_stream import Run, plan_start, run
from conformance.engine.handlers import follow
from conformance.engine.loop import Lost
from conformance.engine.outcome import RunOutcome
from conformance.engine.plan import Plan
from conformance.exit_codes import FOUND, INTERRUPTED, OK, UNREACHABLE
from conformance.facts import FactsError
from conformance.subjects.registry import runner_of
from conformance.systems.model import Model
from spec.events import Cursor, Judged, Note, RunFinished, RunStarted
from tests.results.synthetic import conforms, deviates, judged, layout, violates

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator

    from spec.events import Event
    from spec.verdict import Verdict

PLAN = Plan(3, 30, restart=False, examples=False, clauses=frozenset({"FET-004"}))


class Watched(Model):
    """A served model that says how often it was stopped."""

    stops = 0

    def stop(self) -> None:
        """Count it."""
        self.stops += 1
        super().stop()


def asked(plan: Plan = PLAN) -> tuple[Run, Watched]:
    """A short run on the served model."""
    system = Watched()
    begin = plan_start(runner_of("fetch"), plan, "r1")
    return Run(
        "fetch",
        system,
        make_codec(),
        begin,
        plan.seed,
        "r1",
        whole=False,
        options={"scenarios": "30"},
    ), system


@pytest.mark.system
def test_a_run_is_a_header_what_is_judged_and_a_footer() -> None:
    what, system = asked()
    events = list(run(what))
    assert isinstance(events[0], RunStarted)
    assert (events[0].run, events[0].seed, events[0].options) == ("r1", 3, {"scenarios": "30"})
    finished = events[-1]
    assert isinstance(finished, RunFinished)
    count = sum(isinstance(event, Judged) for event in events)
    assert (finished.reason, finished.exit_code, finished.scenarios) == ("done", OK, count)
    assert count >= 30
    assert isinstance(events[-2], Cursor)
    assert system.stops == 1


@pytest.mark.system
def test_an_interrupt_in_a_handler_ends_the_run_with_a_footer() -> None:
    what, system = asked()
    events: list[Event] = []

    def interrupted(event: Event) -> Iterable[Event]:
        events.append(event)
        if sum(isinstance(one, Judged) for one in events) == 3 and isinstance(event, Judged):
            raise KeyboardInterrupt
        return ()

    follow(run(what), [interrupted])
    finished = events[-1]
    assert isinstance(finished, RunFinished)
    assert (finished.reason, finished.exit_code, finished.scenarios) == (
        "interrupted",
        INTERRUPTED,
        3,
    )
    assert system.stops == 1


@pytest.mark.system
def test_what_a_handler_raises_ends_the_run_and_stops_the_broker() -> None:
    what, system = asked()

    def full(event: Event) -> Iterable[Event]:
        raise OSError(f"no space left for {type(event).__name__}")

    with pytest.raises(OSError, match="RunStarted"):
        follow(run(what), [full])
    assert system.stops == 1


@pytest.mark.system
def test_a_broker_that_may_not_be_judged_is_stopped_before_a_header() -> None:
    def refuse(_: object) -> None:
        raise FactsError("expected another broker")

    what, system = asked()
    with pytest.raises(FactsError):
        next(run(replace(what, agree=refuse)))
    assert system.stops == 1


@pytest.mark.system
def test_a_broker_that_is_lost_ends_the_run_with_what_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def lost(_: object) -> Iterator[Event]:
        yield Note("so far")
        raise Lost("nobody answers")

    monkeypatch.setattr("conformance.subjects.fetch.loop.FetchLoop.events", lost)
    what, _ = asked()
    *_, note, finished = run(
        replace(what, after_loss=lambda end: f"do it again, it ended by {end}")
    )
    assert note == Note("the run ended early: nobody answers; do it again, it ended by None")
    assert isinstance(finished, RunFinished)
    assert (finished.reason, finished.exit_code) == ("broken", UNREACHABLE)


def test_what_a_handler_adds_is_handed_to_all() -> None:
    def said() -> Generator[Event, None, None]:
        yield Note("one")
        yield Note("two")

    first: list[Event] = []
    second: list[Event] = []

    def adding(event: Event) -> Iterable[Event]:
        first.append(event)
        return (Note("added"),) if event == Note("one") else ()

    def listening(event: Event) -> Iterable[Event]:
        second.append(event)
        return ()

    follow(said(), [adding, listening])
    assert first == second == [Note("one"), Note("added"), Note("two")]


@pytest.mark.parametrize(
    ("verdicts", "strict", "problems", "so_far", "code"),
    [
        ([conforms()], True, False, OK, OK),
        ([violates()], False, False, OK, FOUND),
        ([deviates()], False, False, OK, OK),
        ([deviates()], True, False, OK, FOUND),
        ([violates(signature="listed")], True, False, OK, OK),
        ([violates()], True, False, UNREACHABLE, FOUND),
        ([violates()], True, False, INTERRUPTED, INTERRUPTED),
        ([conforms()], True, True, OK, FOUND),
        ([conforms()], True, False, UNREACHABLE, UNREACHABLE),
        ([], True, False, OK, UNREACHABLE),
    ],
)
def test_the_exit_code_is_that_of_the_worst(
    verdicts: list[Verdict], strict: bool, problems: bool, so_far: int, code: int
) -> None:
    outcome = RunOutcome({("FET-001", "listed")}, strict)
    outcome.see(judged(layout((100,)), *verdicts))
    assert outcome.exit_code(so_far, problems=problems) == code
