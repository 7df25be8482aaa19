"""Handlers that follow the events of a run for its user: the event log, the counts, what is shown
meanwhile.
"""

from __future__ import annotations

import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Self

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from conformance.cli.run_folder import lock_folder, make_run_folder
from results.clauses import catalogue
from results.log import LOG_NAME, EventWriter
from results.summary import EventCounter
from results.text import count_of, plain
from spec.events import Flaky, Judged, LayoutPlaced, Note, RunStarted, Shrunk
from spec.known import known_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from rich.console import Console

    from results.summary import Summary
    from spec.events import Event
    from spec.known import Known
    from spec.verdict import Verdict


class Log:
    """Writes the event log; the run folder is made with the header, so that a broker that can't be
    reached leaves none.

    Args:
        folder: the run's.
        resume: continue the log that is there, without a second header; its folder is locked
            already.
        renew: with `resume`, write all of it again, in place of the one that is there.
    """

    def __init__(self, folder: Path, *, resume: bool, renew: bool = False) -> None:
        self._folder = folder
        self._resume = resume
        self._renew = renew
        self._open = ExitStack()
        self._writer: EventWriter | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def __call__(self, event: Event) -> Iterable[Event]:
        """Write it; a note that the run was resumed is written already.

        Raises:
            LogError: it can't be written.
        """
        if self._writer is None:
            make_run_folder(self._folder)
            if not self._resume:
                self._open.enter_context(lock_folder(self._folder))
            self._writer = self._open.enter_context(
                EventWriter(
                    self._folder / LOG_NAME,
                    resume=self._resume and not self._renew,
                    renew=self._renew,
                )
            )
            if self._writer.resumed is not None:
                return (self._writer.resumed,)
        if event is not self._writer.resumed:
            self._writer.write(event)
        return ()


class Count:
    """Counts what is judged.

    Args:
        subject: whose clauses are counted.
        earlier: the events of the run that is resumed.
    """

    def __init__(self, subject: str, earlier: Sequence[Event] = ()) -> None:
        self._tally = EventCounter(catalogue(subject))
        for event in earlier:
            self._tally.add(event)

    def __call__(self, event: Event) -> Iterable[Event]:
        """Count it."""
        self._tally.add(event)
        return ()

    @property
    def summary(self) -> Summary:
        """All that was counted."""
        return self._tally.summary()


MOST_KINDS = 40
"""Kinds of difference that are said as they come."""
_WEIGHTS = {"deviates": 1, "violates": 2}
"""How heavy the outcomes are that can fail a run."""
_FIRST_S = 3.0
"""Seconds from which on a pace says something."""


def pace_of(judged: int, seconds: float, done: float, total: float, *, timed: bool) -> str:
    """The rate of a run and the time that it still takes, in words; empty at its beginning.

    Args:
        judged: scenarios in these seconds.
        seconds: since the broker was up.
        done: how far the run is: scenarios, or seconds where it is timed.
        total: how far it goes.
        timed: it runs for a time.
    """
    if seconds < _FIRST_S or not judged:
        return ""
    rate = judged / seconds
    left = max(total - done, 0) / (1 if timed else rate)
    minutes, rest = divmod(round(left), 60)
    return f"{rate:.1f}/s, {minutes}:{rest:02} left"


class Screen:
    """Shows on a terminal how far a run is and each kind of break as it comes; elsewhere only what
    broker it is judged as, and the first break that is heavier than all before it.

    Args:
        console: where.
        folder: where the run is written.
        seed: what it is drawn from.
        total: scenarios to judge, or the seconds that the run is given.
        timed: whether it is seconds.
        earlier: the events of the run that is resumed.
    """

    def __init__(
        self,
        console: Console,
        folder: Path,
        seed: int,
        total: float,
        *,
        timed: bool,
        earlier: Sequence[Event] = (),
    ) -> None:
        self._console = console
        self._where = f"seed {seed}; writing to {folder}"
        self._timed = timed
        self._total = total
        self._began = time.monotonic()
        self._known: Known = {}
        self._layouts = sum(isinstance(event, LayoutPlaced) for event in earlier)
        self._judged = sum(isinstance(event, Judged) for event in earlier)
        self._before = self._judged
        self._unlisted = 0
        self._kinds = set[tuple[str, str]]()
        self._suspected: dict[tuple[str, str], bool] = {}
        self._has_suspected = False
        self._heaviest = 0
        self._up = False
        self._status = console.status("starting the broker")
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.completed:.0f}/{task.total:.0f}"),
            TimeElapsedColumn(),
            TextColumn("{task.fields[pace]}"),
            console=console,
            transient=True,
            disable=not console.is_terminal or console.quiet,
        )
        self._task = self._progress.add_task("judging", total=total, pace="")

    def __enter__(self) -> Self:
        self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._status.stop()
        self._progress.stop()

    def __call__(self, event: Event) -> Iterable[Event]:
        """Show what it changes."""
        match event:
            case RunStarted():
                self._begin(event)
            case Note() if not self._up:
                self._console.print(plain(event.text), style="dim")
            case LayoutPlaced():
                self._layouts += 1
                self._show()
            case Judged():
                self._judged += 1
                unlisted = [
                    verdict
                    for verdict in event.verdicts
                    if verdict.outcome in _WEIGHTS and verdict.kind not in self._known
                ]
                self._unlisted += bool(unlisted)
                self._show()
                self._say_verdict(unlisted)
                self._say_kinds(unlisted)
            case Shrunk():
                self._say(f"{event.clause} {event.signature}: shrunk with {event.calls} replays")
            case Flaky() if event.kind in self._suspected:
                everywhere = self._suspected.pop(event.kind)
                self._say(f"not reproduced: {_name_of(event.verdict)}", everywhere=everywhere)
            case _:
                pass
        return ()

    def suspect(self, verdict: Verdict) -> None:
        """Say of a kind of break that came first now that it is played again before it counts.

        Those that would be violations are said everywhere until one is sure; of others the first
        that is suspected at all, since a slow broker may be suspected of many.
        """
        kind = verdict.kind
        if kind not in self._kinds | self._suspected.keys():
            everywhere = self._outweighs(verdict) and (
                verdict.outcome == "violates" or not self._has_suspected
            )
            self._has_suspected = True
            self._suspected[kind] = everywhere
            where = f"in scenario {self._judged + 1}, playing it again"
            self._say(f"suspected {_name_of(verdict)} {where}", everywhere=everywhere)

    def _begin(self, header: RunStarted) -> None:
        self._known = known_of(header.facts)
        self._status.stop()
        self._console.print(f"judged as Kafka {header.release}", style="dim")
        up = f"broker up after {time.monotonic() - self._began:.1f} s; {self._where}"
        self._console.print(up, style="dim", soft_wrap=True)
        self._began = time.monotonic()

    def _show(self) -> None:
        if not self._up:
            self._up = True
            self._progress.start()
        done = time.monotonic() - self._began if self._timed else self._judged
        words = f"judging, {count_of(self._layouts, 'layout')}, {self._unlisted} unlisted"
        since = time.monotonic() - self._began
        pace = pace_of(self._judged - self._before, since, done, self._total, timed=self._timed)
        done = min(done, self._total)
        self._progress.update(self._task, completed=done, description=words, pace=pace)

    def _say_verdict(self, unlisted: Sequence[Verdict]) -> None:
        """Say the heaviest break where it is heavier than all before it, as soon as it is sure and
        before it is made small.
        """
        heaviest = max(unlisted, key=lambda one: _WEIGHTS[one.outcome], default=None)
        if heaviest is not None and self._outweighs(heaviest):
            self._heaviest = _WEIGHTS[heaviest.outcome]
            self._kinds.add(heaviest.kind)
            word = "VIOLATES" if heaviest.outcome == "violates" else "deviates"
            self._console.print(
                plain(
                    f"{word}  {_name_of(heaviest)}, first seen in scenario {self._judged}, after "
                    f"{time.monotonic() - self._began:.1f} s: {heaviest.why}"
                ),
                soft_wrap=True,
            )

    def _outweighs(self, verdict: Verdict) -> bool:
        """Whether a verdict is heavier than every break that was sure before it."""
        return _WEIGHTS.get(verdict.outcome, 0) > self._heaviest

    def _say_kinds(self, unlisted: Sequence[Verdict]) -> None:
        """Say each kind of difference when it comes first, to who watches."""
        for one in unlisted:
            kind = one.kind
            if kind not in self._kinds:
                self._kinds.add(kind)
                if len(self._kinds) <= MOST_KINDS:
                    self._say(f"{one.outcome.value} {one.clause} {one.signature}: {one.why}")

    def _say(self, text: str, *, everywhere: bool = False) -> None:
        """Say it to who watches, or everywhere."""
        if everywhere:
            self._console.print(plain(text), style="dim", soft_wrap=True)
        elif self._console.is_terminal:
            self._progress.console.print(plain(text))


def _name_of(verdict: Verdict) -> str:
    """A kind of break in words: the clause, and the signature where it has one."""
    return f"{verdict.clause} '{verdict.signature}'" if verdict.signature else verdict.clause
