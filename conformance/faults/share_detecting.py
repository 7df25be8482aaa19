"""Whether the suite finds a planted fault of share groups: a run without a broker, on the faulty model, by plain drawing alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from conformance.faults.fault import Expected
from conformance.findings import SHIPPED, known, load_findings
from conformance.run.plan import Plan
from conformance.run.share_loop import ShareLoop
from conformance.run.share_rehearsal import ShareRehearsal
from spec.events import Judged
from spec.semantics import semantics_for
from spec.verdict import Outcome

if TYPE_CHECKING:
    from datetime import date

    from conformance.faults.share_fault import ShareFault

RELEASE = "4.2"
"""The faults are planted in a release whose share groups have the fewest defects of their own."""
BUDGET = 320
"""Histories within which a fault must be caught."""


@dataclass(frozen=True, slots=True)
class Caught:
    """What a run on a faulty model found: (clause, outcome) of every break that no finding lists, and after how many histories."""

    breaks: frozenset[tuple[str, Outcome]]
    histories: int

    def as_expected(self, fault: ShareFault) -> bool:
        """Whether the suite said what the fault expects of it."""
        outcomes = {outcome for _, outcome in self.breaks}
        if fault.expected is Expected.CONFORMS:
            return not self.breaks
        wanted = Outcome.VIOLATES if fault.expected is Expected.VIOLATES else Outcome.DEVIATES
        allowed = {Outcome.VIOLATES, Outcome.DEVIATES} if wanted is Outcome.VIOLATES else {Outcome.DEVIATES}
        return (fault.clause, wanted) in self.breaks and outcomes <= allowed


def detect(fault: ShareFault, seed: int, today: date, histories: int = BUDGET) -> Caught:
    """Draw histories alone, without the worked examples, until the fault's clause speaks or the budget is used up."""
    semantics = semantics_for(RELEASE)
    listed = frozenset(known(load_findings((SHIPPED,), RELEASE), today))
    loop = ShareLoop(ShareRehearsal(semantics, fault.sharing), Plan(seed, histories, restart=False, shrink=False, examples=False), listed)
    breaks: set[tuple[str, Outcome]] = set()
    count = 0
    for event in loop.events():
        if isinstance(event, Judged):
            count += 1
            broken = [v for v in event.verdicts if v.outcome in {Outcome.VIOLATES, Outcome.DEVIATES}]
            breaks |= {(v.clause, v.outcome) for v in broken if (v.clause, v.signature) not in listed}
            if any(clause == fault.clause for clause, _ in breaks):
                break
    return Caught(frozenset(breaks), count)
