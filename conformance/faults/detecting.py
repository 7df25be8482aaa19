"""Whether the suite finds a planted fault, how soon, and how small it makes the case: a run without a broker, on the faulty model."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conformance.faults.fault import Expected
from conformance.findings import SHIPPED, known, load_findings
from conformance.run.fetch_loop import FetchLoop
from conformance.run.plan import Plan
from conformance.run.rehearsal import Rehearsal
from spec.events import Judged, LayoutPlaced, Shrunk
from spec.semantics import semantics_for
from spec.verdict import Outcome

if TYPE_CHECKING:
    from datetime import date

    from conformance.faults.fault import Fault
    from spec.scenario import Scenario

BUDGET = 1500
"""Scenarios within which a fault must be caught."""
RELEASE = "4.3"


@dataclass(frozen=True, slots=True)
class Detection:
    """What a run on a faulty model found.

    Attributes:
        fault: the fault.
        seed: of the run.
        clauses: the clauses whose breaks were shrunk, the first found first; empty where nothing was caught.
        severest: the severest outcome seen that no finding lists.
        layouts, scenarios, seconds: until the first unlisted break of the expected severity, or to the end without one.
        shrunk: the smallest case of the first break; None where there was none.
        calls: replays that shrinking it took.
    """

    fault: Fault
    seed: int
    clauses: tuple[str, ...]
    severest: Outcome
    layouts: int
    scenarios: int
    seconds: float
    shrunk: Scenario | None
    calls: int

    @property
    def as_expected(self) -> bool:
        """Whether the suite said what the fault expects of it."""
        if self.fault.expected is Expected.CONFORMS:
            return self.severest is Outcome.CONFORMS
        return self.severest.value == self.fault.expected.value and self.fault.clause in self.clauses


def detect(fault: Fault, seed: int, today: date, scenarios: int = BUDGET) -> Detection:
    """Run the suite on the faulty model until it is caught and made small, or the budget is used up, by plain drawing alone.

    `today` is the day that findings are known on.
    """
    semantics = semantics_for(RELEASE)
    listed = frozenset(known(load_findings((SHIPPED,), RELEASE), today))
    bench = Rehearsal(semantics, fault.answering)

    loop = FetchLoop(bench, Plan(seed, scenarios, examples=False), listed)
    began = time.monotonic()
    layouts = asked = 0
    seconds = 0.0
    severest = Outcome.CONFORMS
    wanted = Outcome.VIOLATES if fault.expected is Expected.VIOLATES else Outcome.DEVIATES
    shrunk: list[Shrunk] = []
    seen: set[str] = set()
    for event in loop.events():
        if not seconds:
            layouts += isinstance(event, LayoutPlaced)
            asked += isinstance(event, Judged)
        if isinstance(event, Judged):
            found = [
                v for v in event.verdicts if v.outcome in {Outcome.VIOLATES, Outcome.DEVIATES} and (v.clause, v.signature) not in listed
            ]
            seen |= {verdict.clause for verdict in found}
            for verdict in found:
                if severest is not Outcome.VIOLATES:
                    severest = verdict.outcome
                if verdict.outcome is wanted and not seconds:
                    seconds = time.monotonic() - began
        if isinstance(event, Shrunk):
            shrunk.append(event)
            if event.clause == fault.clause:
                break
    first = next((event for event in shrunk if event.clause == fault.clause), shrunk[0] if shrunk else None)
    return Detection(
        fault,
        seed,
        tuple(dict.fromkeys([*(event.clause for event in shrunk), *sorted(seen)])),
        severest,
        layouts,
        asked,
        seconds or time.monotonic() - began,
        first.scenario if first is not None else None,
        first.calls if first is not None else 0,
    )
