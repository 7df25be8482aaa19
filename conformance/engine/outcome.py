"""How a run ends: its exit code, by what was judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from conformance.exit_codes import FOUND, INTERRUPTED, OK, UNREACHABLE
from spec.events import Judged, Shrunk
from spec.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Container

    from spec.events import Event

_EXERCISED = frozenset({Outcome.CONFORMS, Outcome.DEVIATES, Outcome.VIOLATES})


@dataclass(slots=True)
class RunOutcome:
    """Follows the events of a run.

    Attributes:
        known: (clause, signature) of the findings.
        strict: whether a deviation fails the run.
        failed: whether some break fails it.
        inconclusive: whether something could not be judged.
        exercised: whether some clause could be judged.
    """

    known: Container[tuple[str, str]]
    strict: bool
    failed: bool = False
    inconclusive: bool = False
    exercised: bool = False

    def see(self, event: Event) -> None:
        """Take in one event."""
        if isinstance(event, Judged):
            for verdict in event.verdicts:
                self._add(verdict)
        elif isinstance(event, Shrunk):
            self._add(event.verdict)

    def _add(self, verdict: Verdict) -> None:
        outcome = verdict.outcome
        self.exercised |= outcome in _EXERCISED
        self.inconclusive |= outcome is Outcome.INCONCLUSIVE
        if (verdict.clause, verdict.signature) not in self.known:
            self.failed |= outcome is Outcome.VIOLATES or (
                self.strict and outcome is Outcome.DEVIATES
            )

    def exit_code(self, so_far: int, *, problems: bool) -> int:
        """The exit code of a run that got so far: an unlisted break counts before what was
        unreachable.

        Args:
            so_far: `OK` where the run came to its end.
            problems: whether a finding expired or is stale.
        """
        if so_far == INTERRUPTED:
            return INTERRUPTED
        if problems or self.failed:
            return FOUND
        return UNREACHABLE if so_far or self.inconclusive or not self.exercised else OK
