"""Whether the suite finds a planted fault, how soon, and how small it makes the case.

It takes no broker: a run's loop plays on the faulty model, by plain drawing alone, without the worked examples.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conformance.engine.plan import Plan
from conformance.engine.rehearsal import Rehearsal
from conformance.findings import SHIPPED, known, load_findings
from conformance.subjects.fetch.faults.fault import Fault
from conformance.subjects.fetch.loop import FetchLoop
from conformance.subjects.groups.faults import GroupFault
from conformance.subjects.groups.loop import GroupLoop
from conformance.subjects.groups.rehearsal import GroupRehearsal
from conformance.subjects.share.fault import ShareFault
from conformance.subjects.share.loop import ShareLoop
from conformance.subjects.share.rehearsal import ShareRehearsal
from spec.events import Judged, Shrunk
from spec.semantics import semantics_for
from spec.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import date

    from conformance.engine.loop import Loop
    from spec.scenario import Scenario

AnyFault = Fault | GroupFault | ShareFault

RELEASE = "4.3"
SHARE_RELEASE = "4.2"
"""Faults of share groups are planted in a release whose share groups have the fewest defects of their own."""
FETCH_BUDGET, GROUP_BUDGET, SHARE_BUDGET = 1500, 1000, 320
"""Scenarios within which a fault must be caught."""

_AGAINST = frozenset({Outcome.VIOLATES, Outcome.INCONCLUSIVE, Outcome.DEVIATES})


@dataclass(frozen=True, slots=True)
class Detection:
    """What a run on a faulty model found.

    Attributes:
        fault: the fault.
        breaks: the clauses that had a word against it which no finding lists, each with the severest one it had.
        layouts, scenarios, seconds: until the fault's own clause said what is expected of it, or to the end of the run.
        shrunk: the smallest case of the fault's own clause, or the first that was made small where another clause explains its breaks
            (see `Verdict.primary`); None where none was.
    """

    fault: AnyFault
    breaks: Mapping[str, Outcome]
    layouts: int
    scenarios: int
    seconds: float
    shrunk: Scenario | None

    @property
    def as_expected(self) -> bool:
        """Whether the suite said what the fault expects of it.

        Nothing may be said against a legal variant. Of a fault its own clause must say what is expected, and no clause anything worse.
        """
        expected = Outcome(self.fault.expected)
        own = self.breaks.get(self.fault.clause, Outcome.CONFORMS)
        return own is expected and severest(self.breaks.values()) is expected


def severest(outcomes: Iterable[Outcome]) -> Outcome:
    """The severest of some outcomes; `conforms` where there are none."""
    return min(outcomes, key=list(Outcome).index, default=Outcome.CONFORMS)


def detect(fault: AnyFault, loop: Loop) -> Detection:
    """Run a loop on the fault's model until its clause says what is expected, and is made small where the plan shrinks; or to the end."""
    began = time.monotonic()
    breaks: dict[str, Outcome] = {}
    caught: tuple[int, int, float] | None = None
    small: dict[str, Scenario] = {}
    for event in loop.events():
        if isinstance(event, Judged):
            for verdict in event.verdicts:
                if verdict.outcome in _AGAINST and (verdict.clause, verdict.signature) not in loop.known:
                    breaks[verdict.clause] = severest([verdict.outcome, breaks.get(verdict.clause, Outcome.CONFORMS)])
            if caught is None and breaks.get(fault.clause) is Outcome(fault.expected):
                caught = loop.layouts, loop.scenarios, time.monotonic() - began
        if isinstance(event, Shrunk):
            small.setdefault(event.clause, event.scenario)
        if caught is not None and (fault.clause in small or not loop.plan.shrink):
            break
    layouts, scenarios, seconds = caught or (loop.layouts, loop.scenarios, time.monotonic() - began)
    shrunk = small.get(fault.clause, next(iter(small.values()), None))
    return Detection(fault, breaks, layouts, scenarios, seconds, shrunk)


def detect_fetch(fault: Fault, seed: int, today: date, scenarios: int = FETCH_BUDGET) -> Detection:
    """A fault of fetches; its case is made small. `today` is the day that findings are known on."""
    bench = Rehearsal(semantics_for(RELEASE), fault.answering)
    return detect(fault, FetchLoop(bench, Plan(seed, scenarios, examples=False), _listed(RELEASE, today)))


def detect_group(fault: GroupFault, seed: int, today: date, scenarios: int = GROUP_BUDGET, *, shrink: bool = False) -> Detection:
    """A fault on group sizes; its case is made small on demand, which takes long."""
    bench = GroupRehearsal(semantics_for(RELEASE), fault.coordinator)
    return detect(fault, GroupLoop(bench, Plan(seed, scenarios, shrink=shrink, examples=False), _listed(RELEASE, today)))


def detect_share(fault: ShareFault, seed: int, today: date, scenarios: int = SHARE_BUDGET) -> Detection:
    """A fault of share groups, by histories without restarts; its case is not made small."""
    bench = ShareRehearsal(semantics_for(SHARE_RELEASE), fault.sharing)
    plan = Plan(seed, scenarios, restart=False, shrink=False, examples=False)
    return detect(fault, ShareLoop(bench, plan, _listed(SHARE_RELEASE, today)))


def _listed(release: str, today: date) -> frozenset[tuple[str, str]]:
    return frozenset(known(load_findings((SHIPPED,), release), today))
