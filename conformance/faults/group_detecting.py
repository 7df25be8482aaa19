"""Whether the suite finds a planted fault on group sizes: a run without a broker, on the faulty model, by plain drawing alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from conformance.faults.fault import Expected
from conformance.findings import SHIPPED, known, load_findings
from conformance.run.group_loop import GroupLoop
from conformance.run.group_rehearsal import GroupRehearsal
from conformance.run.plan import Plan
from spec.events import Judged, Shrunk
from spec.semantics import semantics_for
from spec.verdict import Outcome

if TYPE_CHECKING:
    from datetime import date

    from conformance.faults.groups import GroupFault
    from spec.scenario import Scenario

BUDGET = 1000
"""Histories within which a fault must be caught."""
RELEASE = "4.3"


@dataclass(frozen=True, slots=True)
class GroupDetection:
    """What a run on a faulty model found.

    Attributes:
        fault: the fault.
        clauses: the clauses that had an unlisted word against it, with the severest outcome of each.
        scenarios: how many histories were judged.
        shrunk: the smallest case of the fault's clause, where it was made small.
    """

    fault: GroupFault
    clauses: dict[str, Outcome]
    scenarios: int
    shrunk: Scenario | None

    @property
    def as_expected(self) -> bool:
        """Whether the suite said what the fault expects of it."""
        if self.fault.expected is Expected.CONFORMS:
            return not self.clauses
        return self.clauses.get(self.fault.clause, Outcome.CONFORMS).value == self.fault.expected.value


def detect(fault: GroupFault, seed: int, today: date, scenarios: int = BUDGET, *, shrink: bool = False) -> GroupDetection:
    """Run the suite on the faulty model until its clause speaks (and is made small), or the budget is used up."""
    listed = frozenset(known(load_findings((SHIPPED,), RELEASE), today))
    loop = GroupLoop(
        GroupRehearsal(semantics_for(RELEASE), fault.coordinator), Plan(seed, scenarios, examples=False, shrink=shrink), listed
    )
    clauses: dict[str, Outcome] = {}
    small: Scenario | None = None
    for event in loop.events():
        if isinstance(event, Judged):
            for verdict in event.verdicts:
                counts = verdict.outcome in {Outcome.VIOLATES, Outcome.DEVIATES, Outcome.INCONCLUSIVE}
                if counts and (verdict.clause, verdict.signature) not in listed:
                    clauses.setdefault(verdict.clause, verdict.outcome)
        if isinstance(event, Shrunk) and event.clause == fault.clause:
            small = event.scenario
        if fault.clause in clauses and (small is not None or not shrink):
            break
    return GroupDetection(fault, clauses, loop.scenarios, small)
