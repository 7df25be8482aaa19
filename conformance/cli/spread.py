"""`fencepost run --spark-master`: the portions of a run are played by the executors of a Spark
cluster, and become one event log here.
"""

from __future__ import annotations

import shutil
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from conformance.cli.done import Done
from conformance.cli.errors import wrong
from conformance.cli.handlers import Count, Log, Screen
from conformance.cli.lazy import import_object
from conformance.cli.resuming import WHAT_IS_JUDGED
from conformance.cli.run_folder import new_run_id, write_outcome, write_report
from conformance.cli.run_header import to_do_it_again
from conformance.cli.run_output import output_of
from conformance.engine.corpus import Keeper
from conformance.engine.event_stream import counted_clauses, shortcomings
from conformance.engine.handlers import follow, keeping
from conformance.engine.outcome import RunOutcome
from conformance.exit_codes import INTERRUPTED, OK, UNREACHABLE
from conformance.facts import UNKNOWN_IMPLEMENTATION
from conformance.findings import SHIPPED, SHIPPED_OF_CLIENTS, Sightings, load_findings
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

    from conformance.cli.portion import Portion
    from conformance.engine.corpus import Corpus
    from conformance.engine.plan import Plan
    from spec.events import Event

PORTIONS_NAME = "portions"
"""The folder of a run folder that executors write to."""
PLAY = "conformance.cli.portion:play_portion"
DIVIDE = "conformance.cli.portion:portions_of"
_LOOK_EVERY_S = 0.25
ONCE = (LeftOut, Note, ReadingRuledOut)
"""Events that portions repeat and a run says once."""


def must_be_spreadable(o: Mapping[str, Any]) -> None:
    """Refuse what a run that is spread over a cluster can't do.

    Raises:
        ClickException: the options ask for it.
    """
    for name, option in (("duration", "--time"), ("resume", "--resume")):
        if o[name]:
            raise wrong(
                f"{option}: expected a run in this process, found --spark-master too; leave one of "
                "them out"
            )


def run_spread(
    o: dict[str, Any], plan: Plan, clauses: frozenset[str], corpus: Corpus | None
) -> Done:
    """Do a run on a Spark cluster.

    Raises:
        ReportError: Spark can't be started.
        Unreachable: no portion was played.
        ClickException: the executors tested different brokers.
    """
    must_be_spreadable(o)
    run_id = new_run_id()
    folder: Path = (o["out"] / run_id).resolve()
    options = {**o, "out": folder.parent}
    portions = import_object(DIVIDE)(
        plan, o["portion"], clauses, options, run_id, folder / PORTIONS_NAME
    )
    output, count, keeper = output_of(o), Count(o["subject"]), Keeper(corpus)
    console = output.console
    whole = _Whole(o, plan, clauses, run_id)
    with (
        Log(folder, resume=False) as log,
        Screen(console, folder, plan.seed, plan.scenarios, timed=False) as screen,
    ):
        follow(_events(whole, portions), (log, count, screen, keeping(keeper)))
    summary = count.summary
    assert summary.footer is not None
    if summary.footer.reason == "done":
        shutil.rmtree(folder / PORTIONS_NAME, ignore_errors=True)
    write_outcome(folder, summary, console, strict=o["strict"], verbose=o["verbose"])
    if o["report"] and summary.scenarios:
        write_report(folder, console, summary)
    output.end(summary)
    return Done(summary.footer.exit_code, folder, summary)


@dataclass(slots=True)
class _Whole:
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
            options=to_do_it_again(self.options, self.plan),
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
        listed = load_findings(
            (SHIPPED, SHIPPED_OF_CLIENTS, *self.options["findings"]),
            self.header.release,
            self.header.facts.get("implementation", UNKNOWN_IMPLEMENTATION),
            self.header.facts.get("kafka.version", ""),
        )
        return self.sightings.problems(listed, today)


def _events(whole: _Whole, portions: Sequence[Portion]) -> Generator[Event, None, None]:
    """The events of the whole run: those of each portion once it is whole, in their order.

    Raises:
        Unreachable: no portion was played.
    """
    reason, code, began = "done", OK, time.monotonic()
    options = whole.options
    missing: list[Portion] = []
    problem = ""
    try:
        with (
            spread_session(options["spark_master"], options["workers"], own_environment()) as spark,
            Spreading(spark, PLAY, portions) as job,
        ):
            began = time.monotonic()
            for portion in portions:
                while not portion.is_whole and not job.ended(_LOOK_EVERY_S):
                    pass
                if portion.is_whole:
                    yield from whole.events(portion)
                else:
                    missing.append(portion)
            problem = job.problem
    except KeyboardInterrupt:
        reason, code = "interrupted", INTERRUPTED
    if missing:
        reason, code = "broken", UNREACHABLE
    if whole.header is None:
        if reason == "interrupted":
            raise KeyboardInterrupt
        raise Unreachable(
            f"expected portions to be played by {options['spark_master']}, found: {problem}; see "
            "the logs of its executors"
        )
    if missing:
        lost = ", ".join(str(one.number) for one in missing)
        yield Note(
            f"the run ended early: portions {lost} of {len(portions)} are missing: {problem}"
        )
    yield from _left_behind(portions[0].place, options)
    yield from whole.end(reason, code, time.monotonic() - began)


def _left_behind(place: Path, options: Mapping[str, Any]) -> Iterator[Note]:
    """A note for each attempt that was cut off and left something on an external cluster."""
    if not options["bootstrap_server"]:
        return
    for ledger in sorted(place.glob(f".*/{LEDGER_NAME}")):
        if standing := read_ledger(ledger):
            kept = ledger.parent.rename(place.parent / ledger.parent.name.strip("."))
            yield Note(
                f"{len(standing)} things of an executor that was lost are left on the cluster; "
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
