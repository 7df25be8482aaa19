"""The record of a run as it goes: each event is written to the log first, then counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cli.common import FOUND, INTERRUPTED, OK, UNREACHABLE
from conformance.engine.loop import Lost
from conformance.findings import Sightings
from results.clauses import catalogue
from results.summary import Tally
from spec.events import Judged, Note

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from conformance.cli.run_header import Judging
    from conformance.engine.corpus import Keeper
    from results.log import EventWriter
    from results.summary import Summary
    from spec.events import Event


class Record:
    """What a run has told so far.

    Args:
        writer: the event log.
        judging: what the run judges by.
        keeper: keeps scenarios that broke a clause for later runs.
        subject: what is tested: its clauses are counted.
    """

    def __init__(self, writer: EventWriter, judging: Judging, keeper: Keeper, subject: str) -> None:

        self._writer = writer
        self._judging = judging
        self._keeper = keeper
        self._tally = Tally(catalogue(subject), judging.known)
        self._sightings = Sightings()

    def tell(self, event: Event) -> None:
        """Write an event and count it. Raises `LogWriteError` where it can't be written; it then doesn't count."""
        self._writer.write(event)
        self._count(event)
        if note := self._keeper.see(event):
            self.tell(Note(note))

    def follow(self, events: Iterable[Event], next_step: Callable[[], str]) -> tuple[str, int]:
        """Tell all events, whatever ends them: the reason, as the footer has it, and the exit code so far.

        `next_step` says what to do about a broker that was lost.
        """
        try:
            for event in events:
                self.tell(event)
        except KeyboardInterrupt:
            return "interrupted", INTERRUPTED
        except Lost as lost:
            self.tell(Note(f"the run ended early: {lost}; {next_step()}"))
            return "broken", UNREACHABLE
        return "done", OK

    def take_over(self, events: Iterable[Event]) -> None:
        """Count what an earlier, cut-off part of the run has written."""
        for event in events:
            self._count(event)
            self._keeper.take_over(event)
        if self._writer.resumed is not None:
            self._count(self._writer.resumed)

    def _count(self, event: Event) -> None:

        self._tally.add(event)
        if isinstance(event, Judged):
            self._sightings.see(event.verdicts)

    @property
    def summary(self) -> Summary:
        """All that was told, added up."""
        return self._tally.summary()

    @property
    def finding_problems(self) -> tuple[str, ...]:
        """A message for each finding that has expired or went stale, by what was told."""
        return self._sightings.problems(self._judging.findings, self._judging.today)


def exit_code(summary: Summary, *, strict: bool, problems: bool, so_far: int) -> int:
    """The exit code of a run that got so far: an unlisted break counts before what was unreachable."""
    if so_far == INTERRUPTED:
        return INTERRUPTED
    unlisted = [c for c in summary.clusters if not c.known]
    if problems or any(c.outcome == "violates" or (strict and c.outcome == "deviates") for c in unlisted):
        return FOUND
    if so_far or summary.total("inconclusive") or not summary.exercised:
        return UNREACHABLE
    return OK
