"""How a run ends: its exit code, by what was judged."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from conformance.engine.corpus import FAMILY
from conformance.exit_codes import FOUND, INTERRUPTED, OK, UNREACHABLE
from spec.canonical import identity
from spec.events import Flaky, Judged, LeftOut, NotLaid, Shrunk
from spec.flaky import is_too_flaky
from spec.judgement import EVERY_CLAUSE
from spec.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Container

    from spec.events import Event

CONFORMS = Outcome.CONFORMS
"""By a name of this module: on Python 3.11 each look-up in an enum costs more than a comparison."""
_BREAKS = frozenset({Outcome.DEVIATES, Outcome.VIOLATES})


@dataclass(slots=True)
class RunOutcome:
    """Follows the events of a run.

    Attributes:
        known: (clause, signature) of the findings.
        strict: whether a deviation fails the run, and breaks that come too often without being
            reproduced; whether a run that left out scenarios is incomplete.
        failed: whether some break fails it, or something that is claimed and lacking.
        inconclusive: whether something could not be judged.
        exercised: whether some clause could be judged.
        judged: how many scenarios were judged.
        not_laid: how many scenarios were left out since their layouts could not be laid, without
            those of the corpus, which may have been kept of another broker, and those that need
            what is not claimed.
        flaky: ids of the scenarios with an unlisted break that was not reproduced.
        undecided: ids of the scenarios that were inconclusive, and not when played again.
    """

    known: Container[tuple[str, str]]
    strict: bool
    failed: bool = False
    inconclusive: bool = False
    exercised: bool = False
    judged: int = 0
    not_laid: int = 0
    flaky: set[str] = field(default_factory=set)
    undecided: set[str] = field(default_factory=set)

    def see(self, event: Event) -> None:
        """Take in one event."""
        if isinstance(event, Judged):
            self.judged += 1
            for verdict in event.verdicts:
                self._add(verdict)
        elif isinstance(event, NotLaid):
            self.not_laid += event.family != FAMILY and not event.unclaimed
        elif isinstance(event, LeftOut):
            self.failed |= bool(event.claimed)
        elif isinstance(event, Shrunk):
            self._add(event.verdict)
        elif isinstance(event, Flaky) and event.clause == EVERY_CLAUSE:
            self.undecided.add(identity(event.scenario))
        elif isinstance(event, Flaky) and event.kind not in self.known:
            self.flaky.add(identity(event.scenario))

    @property
    def too_flaky(self) -> bool:
        """Whether breaks that are not reproduced come too often for a strict run."""
        return is_too_flaky(len(self.flaky), self.judged)

    @property
    def too_undecided(self) -> bool:
        """Whether too many scenarios are inconclusive at first for a run that can be trusted."""
        return is_too_flaky(len(self.undecided), self.judged)

    def _add(self, verdict: Verdict) -> None:
        outcome = verdict.outcome
        if outcome is CONFORMS:
            self.exercised = True
            return
        self.exercised |= outcome in _BREAKS
        self.inconclusive |= outcome is Outcome.INCONCLUSIVE
        self.failed |= self.fails(verdict)

    def fails(self, verdict: Verdict) -> bool:
        """Whether a verdict fails the run."""
        if verdict.kind in self.known:
            return False
        outcome = verdict.outcome
        return outcome is Outcome.VIOLATES or (self.strict and outcome is Outcome.DEVIATES)

    def exit_code(self, so_far: int, *, problems: bool) -> int:
        """The exit code of a run that got so far: an unlisted break counts before what was
        unreachable.

        Args:
            so_far: `OK` where the run came to its end.
            problems: whether a finding expired or is stale.
        """
        if so_far == INTERRUPTED:
            return INTERRUPTED
        if problems or self.failed or (self.strict and self.too_flaky):
            return FOUND
        left_out = self.strict and self.not_laid > 0
        undecided = self.inconclusive or self.too_undecided
        return UNREACHABLE if so_far or undecided or left_out or not self.exercised else OK
