"""`fencepost run --spark-master`: the portions of a run are played by the executors of a Spark
cluster, and become one event log here.
"""

from __future__ import annotations

import itertools
import shutil
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from conformance.cli.ending import end_run
from conformance.cli.errors import wrong
from conformance.cli.handlers import Count, Log, Screen
from conformance.cli.lazy import import_object
from conformance.cli.resuming import WHAT_IS_JUDGED
from conformance.cli.run_folder import new_run_id
from conformance.cli.run_header import options_to_repeat
from conformance.cli.run_output import output_of
from conformance.engine.event_stream import counted_clauses, shortcomings
from conformance.engine.handlers import follow, keeping
from conformance.engine.outcome import RunOutcome
from conformance.exit_codes import INTERRUPTED, OK, UNREACHABLE
from conformance.facts import UNKNOWN_IMPLEMENTATION
from conformance.findings import SHIPPED_FINDINGS, Sightings, load_findings
from conformance.ledger import LEDGER_NAME, read_ledger
from conformance.own_process import own_environment
from conformance.systems.base import Unreachable
from results.log import LOG_NAME, BrokenLine, scan
from results.spark.spread import Spreading, spread_session
from spec.events import (
    Cursor,
    Judged,
    LayoutPlaced,
    LeftOut,
    Note,
    ReadingRuledOut,
    RunFinished,
    RunStarted,
)
from spec.frozen import replace
from spec.known import known_of
from spec.requirements import requirement_set

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping, Sequence
    from pathlib import Path

    from conformance.cli.done import Done
    from conformance.cli.findings_files import FindingsWriter
    from conformance.cli.portion import Division, Portion
    from conformance.engine.corpus import CorpusWriter
    from conformance.engine.plan import Plan
    from results.log import LogReading
    from spec.events import Event

PORTIONS_NAME = "portions"
"""The folder of a run folder that executors write to."""
PLAY = "conformance.cli.portion:play_portion"
DIVIDE = "conformance.cli.portion:Division"
_LOOK_EVERY_S = 0.25
ONCE = (LeftOut, Note, ReadingRuledOut)
"""Events that portions repeat and a run says once."""


def run_spread(
    o: dict[str, Any],
    plan: Plan,
    clauses: frozenset[str],
    corpus_writer: CorpusWriter,
    findings_writer: FindingsWriter,
    resumed: LogReading | None,
) -> Done:
    """Do a run on a Spark cluster, or continue one.

    The portions stay in the run folder until all of them are whole. One that is resumed plays those
    that are missing, and puts all of them together again.

    Raises:
        ReportError: Spark can't be started.
        Unreachable: no portion was played.
        ClickException: the executors tested different brokers.
    """
    output, count = output_of(o), Count(o["subject"])
    run_id = new_run_id() if resumed is None else resumed.header.run
    folder: Path = (o["resume"] or o["out"] / run_id).resolve()
    if resumed is not None and _is_done(resumed):
        for event in resumed.events:
            count(event)
            findings_writer(event)
        output.console.print("nothing was left to do: the run was complete", soft_wrap=True)
        return end_run(o, output, folder, count.summary, findings_writer, from_log=True)
    options = {**o, "out": folder.parent}
    place = folder / PORTIONS_NAME
    division = import_object(DIVIDE)(plan, o["portion"], clauses, options, run_id, place)
    whole = _MergedRun(o, plan, clauses, run_id)
    timed = plan.seconds is not None
    total = plan.scenarios if plan.seconds is None else plan.seconds
    with (
        Log(folder, resume=resumed is not None, renew=resumed is not None) as log,
        Screen(output.console, folder, plan.seed, total, timed=timed) as screen,
    ):
        handlers = (log, count, screen, keeping(corpus_writer), findings_writer)
        follow(_Portions(whole, division).events(), handlers)
    summary = count.summary
    if summary.footer is not None and summary.footer.reason == "done":
        shutil.rmtree(place, ignore_errors=True)
    return end_run(o, output, folder, summary, findings_writer, from_log=False)


def _is_done(resumed: LogReading) -> bool:
    """Whether a run came to its end: its portions are gone then."""
    last = resumed.events[-1]
    return isinstance(last, RunFinished) and last.reason == "done"


@dataclass(slots=True)
class _MergedRun:
    """The run that the portions make up, while they are put together.

    Attributes:
        options, plan, clauses, run: of the whole run.
        header: the first portion's, as that of the whole; None until there is one.
    """

    options: Mapping[str, Any]
    plan: Plan
    clauses: frozenset[str]
    run: str
    header: RunStarted | None = None
    layouts: set[str] = field(default_factory=set)
    said: set[object] = field(default_factory=set)
    sightings: Sightings = field(default_factory=Sightings)
    outcome: RunOutcome | None = None

    def events(self, portion: Portion) -> Iterator[Event]:
        """The events of a portion as events of the whole."""
        for event in scan(portion.folder / LOG_NAME):
            if isinstance(event, BrokenLine):
                yield Note(f"portion {portion.number}: line {event.number}: {event.reason}")
            elif isinstance(event, RunStarted):
                yield from self._begin(event)
            elif self._counts(event):
                self._see(event)
                yield event

    def _begin(self, event: RunStarted) -> Iterator[RunStarted]:
        if self.header is not None:
            _must_agree(self.header, event)
            return
        self.outcome = RunOutcome(known_of(event.facts), self.options["strict"])
        counted = counted_clauses(requirement_set(event.subject, event.release), self.clauses)
        self.header = replace(
            event,
            run=self.run,
            seed=self.plan.seed,
            options=options_to_repeat(self.options, self.plan),
            clauses=counted,
        )
        yield self.header

    def _counts(self, event: Event) -> bool:
        """Whether the whole has an event: a layout and what is said once are there once."""
        if isinstance(event, RunFinished | Cursor):
            return False
        if isinstance(event, LayoutPlaced):
            known: set[Any] = self.layouts
            key: object = event.id
        elif isinstance(event, ONCE):
            known = self.said
            key = (event.clause, event.reading) if isinstance(event, ReadingRuledOut) else event
        else:
            return True
        if key in known:
            return False
        known.add(key)
        return True

    def _see(self, event: Event) -> None:
        assert self.outcome is not None
        self.outcome.see(event)
        if isinstance(event, Judged):
            self.sightings.see(event.verdicts)

    def end(self, reason: str, code: int, seconds: float) -> Iterator[Event]:
        """What is said of the whole in the end, and its footer."""
        assert self.outcome is not None
        problems: Sequence[str] = ()
        if reason == "done" and not self.clauses:
            problems = self._problems()
        for problem in (*problems, *shortcomings(self.outcome)):
            yield Note(problem)
        code = self.outcome.exit_code(code, problems=bool(problems))
        yield RunFinished(reason, code, len(self.layouts), self.outcome.judged, round(seconds, 3))

    def _problems(self) -> tuple[str, ...]:
        assert self.header is not None
        today = datetime.now(UTC).date()
        shipped = () if self.options["no_shipped_findings"] else SHIPPED_FINDINGS
        listed = load_findings(
            (*shipped, *self.options["findings"]),
            self.header.release,
            self.header.facts.get("implementation", UNKNOWN_IMPLEMENTATION),
            self.header.facts.get("kafka.version", ""),
        )
        return self.sightings.problems(listed, today)


class _Portions:
    """The portions of a run, played by the executors and put together.

    Args:
        whole: the run.
        division: its portions.
    """

    def __init__(self, whole: _MergedRun, division: Division) -> None:
        self._whole = whole
        self._division = division
        self._options = whole.options
        self._begun = 0
        """How many portions there are so far: those that were asked for, or all."""

    def events(self) -> Generator[Event, None, None]:
        """The events of the whole run: those of each portion once it is whole, in their order.

        Raises:
            Unreachable: no portion was played.
        """
        reason, code, missing, problem = "done", OK, list[int](), ""
        whole, workers = self._whole, self._options["workers"]
        before = self._division.seconds_played() / workers
        began = time.monotonic()
        try:
            with spread_session(self._options["spark_master"], workers, own_environment()) as spark:
                began = time.monotonic()
                with Spreading(spark, PLAY, self._to_play(began - before), workers) as job:
                    number = 0
                    while portion := self._awaited(number, job):
                        if portion.is_whole:
                            yield from whole.events(portion)
                        else:
                            missing.append(number)
                        number += 1
                problem = job.problem
        except KeyboardInterrupt:
            reason, code = "interrupted", INTERRUPTED
        if missing:
            reason, code = "broken", UNREACHABLE
        if whole.header is None:
            if reason == "interrupted":
                raise KeyboardInterrupt
            raise Unreachable(
                "expected portions to be played by "
                f"{self._options['spark_master']}, found: {problem}; see the logs of its executors"
            )
        if missing:
            lost = ", ".join(map(str, missing))
            yield Note(f"the run ended early: portions {lost} are missing: {problem}")
        yield from _left_behind(self._division.place, self._options)
        yield from whole.end(reason, code, before + time.monotonic() - began)

    def _to_play(self, began: float) -> Iterator[Portion]:
        """The portions that are not whole yet, as long as there is time for them."""
        count, seconds = self._division.count, self._division.plan.seconds
        for number in itertools.count() if count is None else range(count):
            portion = self._division.portion(number)
            is_late = seconds is not None and time.monotonic() - began >= seconds
            if number and is_late and not portion.is_whole:
                return
            self._begun = number + 1
            if not portion.is_whole:
                yield portion

    def _awaited(self, number: int, job: Spreading) -> Portion | None:
        """A portion once it is whole or will not be; None after the last one."""
        portion: Portion = self._division.portion(number)
        while not portion.is_whole:
            if job.ended(_LOOK_EVERY_S):
                last = self._begun if self._division.count is None else self._division.count
                return portion if number < last else None
        return portion


def _left_behind(place: Path, options: Mapping[str, Any]) -> Iterator[Note]:
    """A note for each attempt that was cut off and left something on an external cluster."""
    if not options["bootstrap_server"]:
        return
    for ledger in sorted(place.glob(f".*/{LEDGER_NAME}")):
        if remaining := read_ledger(ledger):
            kept = ledger.parent.rename(place.parent / ledger.parent.name.strip("."))
            yield Note(
                f"{len(remaining)} things of an executor that was lost are left on the cluster; "
                f"`fencepost clean {kept} --bootstrap-server {options['bootstrap_server']}` "
                "removes them"
            )


def _must_agree(first: RunStarted, other: RunStarted) -> None:
    """Raise wrong use where two portions were played on different brokers."""
    for name in WHAT_IS_JUDGED:
        one, two = first.facts.get(name), other.facts.get(name)
        if one != two or first.release != other.release:
            raise wrong(
                f"expected the same broker on every executor, found {name} {one} and {two}; give "
                "all the same Fencepost, Java and facts"
            )
