"""Whether the suite finds a planted fault, how soon, and how small it makes the case.

It takes no broker: a run's loop plays on the faulty model, by plain drawing alone, without the
worked examples.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

from conformance.engine.plan import SHRINKING_SECONDS, Plan
from conformance.findings import SHIPPED, load_findings, unexpired_reasons
from spec.events import Judged, Shrunk
from spec.frozen import frozen
from spec.releases import semantics_for
from spec.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import date

    from conformance.engine.loop import Loop
    from conformance.engine.runner import Runner
    from conformance.faults.planted import PlantedFault
    from spec.scenario import Scenario

F = TypeVar("F", bound="PlantedFault")

_AGAINST = frozenset({Outcome.VIOLATES, Outcome.INCONCLUSIVE, Outcome.DEVIATES})


@frozen
class Detection:
    """The breaks that a run on a faulty model found.

    Attributes:
        fault: the fault.
        breaks: the clauses that it broke and that no finding lists, each with the
            severest one it had.
        layouts, scenarios, seconds: until the fault's own clause said what is expected of it, or to
            the end of the run.
        shrunk: the smallest case of the fault's own clause, or the first that was made small where
            another clause explains its breaks (see `Verdict.primary`); None where none was.
    """

    fault: PlantedFault
    breaks: Mapping[str, Outcome]
    layouts: int
    scenarios: int
    seconds: float
    shrunk: Scenario | None

    @property
    def as_expected(self) -> bool:
        """Whether the suite said what the fault expects of it.

        Nothing may be said against a legal variant. Of a fault its own clause must say what is
        expected, and no clause anything worse.
        """
        expected = Outcome(self.fault.expected)
        own = self.breaks.get(self.fault.clause, Outcome.CONFORMS)
        return own is expected and severest(self.breaks.values()) is expected


def severest(outcomes: Iterable[Outcome]) -> Outcome:
    """The severest of some outcomes; `conforms` where there are none."""
    return min(outcomes, key=list(Outcome).index, default=Outcome.CONFORMS)


def detect(fault: PlantedFault, loop: Loop) -> Detection:
    """Run a loop on the fault's model until its clause says what is expected, and is made small
    where the plan shrinks; or to the end.
    """
    began = time.monotonic()
    breaks: dict[str, Outcome] = {}
    caught: tuple[int, int, float] | None = None
    small: dict[str, Scenario] = {}
    for event in loop.events():
        if isinstance(event, Judged):
            for verdict in event.verdicts:
                if verdict.outcome in _AGAINST and verdict.kind not in loop.known:
                    breaks[verdict.clause] = severest(
                        [verdict.outcome, breaks.get(verdict.clause, Outcome.CONFORMS)]
                    )
            if caught is None and breaks.get(fault.clause) is Outcome(fault.expected):
                caught = loop.layouts, loop.scenarios, time.monotonic() - began
        if isinstance(event, Shrunk):
            small.setdefault(event.clause, event.scenario)
        if caught is not None and (fault.clause in small or not loop.plan.shrink):
            break
    layouts, scenarios, seconds = caught or (loop.layouts, loop.scenarios, time.monotonic() - began)
    shrunk = small.get(fault.clause, next(iter(small.values()), None))
    return Detection(fault, breaks, layouts, scenarios, seconds, shrunk)


def detect_planted(
    runner: Runner[F],
    fault: F,
    seed: int,
    today: date,
    scenarios: int | None = None,
    *,
    shrink: bool | None = None,
) -> Detection:
    """Whether drawing alone finds a planted fault of a subject.

    Args:
        runner: the subject's.
        fault: one of its faults or legal variants.
        seed: what the drawing starts from.
        today: the day that findings are known on.
        scenarios: within how many it must be caught; None for as many as the subject allows.
        shrink: whether its case is made small; None for what is usual for the subject.
    """
    trial = runner.trial
    plan = Plan(
        seed,
        trial.scenarios if scenarios is None else scenarios,
        restart=trial.restart,
        shrink=trial.shrink if shrink is None else shrink,
        shrink_seconds=SHRINKING_SECONDS,
        examples=False,
    )
    return detect(
        fault,
        runner.dry_run_loop(
            semantics_for(trial.release), plan, fault, _listed_findings(trial.release, today)
        ),
    )


def _listed_findings(release: str, today: date) -> frozenset[tuple[str, str]]:
    return frozenset(unexpired_reasons(load_findings((SHIPPED,), release), today))
