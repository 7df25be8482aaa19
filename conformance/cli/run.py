"""`fencepost run`: from one command to a verdict on a broker."""

from __future__ import annotations

import re
import secrets
import sys
import time
from contextlib import contextmanager, nullcontext, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from conformance.cli.common import (
    DEFAULT_SYSTEM,
    NAMING,
    SubjectName,
    default_subject,
    end_in_order,
    facts_of,
    given_facts,
    make_codec,
    make_system,
    reached,
    restarts_of,
    system_options,
    told,
    wrong,
)
from conformance.cli.output import make_console
from conformance.cli.planted import must_show
from conformance.cli.progress import shown
from conformance.cli.record import Record, exit_code
from conformance.cli.resuming import carried_over, must_be_resumable, must_be_the_same, must_be_the_same_broker, taken_up
from conformance.cli.run_folder import locked, make_folder, make_place, new_run_id, write_outcome, write_report
from conformance.cli.run_header import Judging, header, to_do_it_again

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from conformance.engine.corpus import Corpus
    from conformance.engine.plan import Plan
    from conformance.engine.player import Player
    from conformance.systems.base import BrokerSystem
    from results.log import LogReading
    from results.summary import Summary

CORPUS = "Where scenarios that broke a clause are kept and tried first from then on; by default in the cache folder."


@click.command()
@click.argument("system", default=DEFAULT_SYSTEM, metavar="[SYSTEM]")
@system_options
@click.option("--seed", type=click.IntRange(0), help="What the drawing starts from; by default a new one, which is shown.")
@click.option("--scenarios", type=click.IntRange(1), default=1500, show_default=True, help="How many scenarios to judge.")
@click.option("--time", "duration", metavar="5m", help="Go on for this long instead (90s, 5m, 1h).")
@click.option("--subject", type=SubjectName(), default=default_subject, help="What to test, by default the first.")
@click.option("--clause", "clauses", multiple=True, metavar="ID", help="Count only this, ask only fetches that exercise it; repeatable.")
@click.option("--strict", is_flag=True, help="Fail on deviations from Apache Kafka's own behaviour too.")
@click.option("--findings", type=click.Path(path_type=Path), multiple=True, metavar="FILE", help="Your own known findings, in TOML.")
@click.option("--facts", type=click.Path(path_type=Path), metavar="FILE", help="Release and limits of the broker, where it does not tell.")
@click.option("--resume", type=click.Path(path_type=Path), metavar="RUN", help="Go on with a run folder that was cut off, as it began.")
@click.option("--out", type=click.Path(path_type=Path), default=Path("fencepost-runs"), show_default=True, help="Where run folders go.")
@click.option("--corpus", type=click.Path(file_okay=False, path_type=Path), metavar="DIR", help=CORPUS)
@click.option("--no-corpus", is_flag=True, help="Try no scenarios of the corpus first, and keep none.")
@click.option("--restart/--no-restart", default=True, help="Restart a broker started here with small limits for the last part.")
@click.option("--report/--no-report", default=True, help="Make the HTML report at the end.")
@told
def run(system: str, **options: Any) -> None:
    """Draw layouts, ask the broker around their fences, judge every answer.

    SYSTEM is `embedded` (the default: Apache Kafka as a child process) or `model` (the specification itself, served on the wire,
    which --fault makes wrong in one way). With --bootstrap-server or --image another broker is tested. Everything is written to a run
    folder as it happens; Ctrl-C loses nothing.
    """
    end_in_order()
    if options["resume"] is None:
        sys.exit(_Run({**options, "system": system}, None).go())
    with read_resumed(options["resume"]) as resumed:
        sys.exit(_Run(taken_up(click.get_current_context(), resumed.header), resumed).go())


@contextmanager
def read_resumed(folder: Path) -> Iterator[LogReading]:
    """The log of the run to go on with; its folder is this run's own meanwhile."""
    from results.log import read_header, read_log  # noqa: PLC0415 - keeps --help quick

    log = folder / "events.jsonl"
    must_be_resumable(read_header(log))
    with locked(folder):
        yield read_log(log)


def seconds_of(text: str | None) -> float | None:
    """The seconds that `90s`, `5m` or `1h` stand for."""
    if text is None:
        return None
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", text)
    if not found or not float(found[1]):
        raise wrong(f"--time: expected a duration like 90s, 5m or 1h, found {text!r}")
    return float(found[1]) * {"": 1, "s": 1, "m": 60, "h": 3600}[found[2]]


class _Run:
    """One run, from options to exit code."""

    def __init__(self, options: dict[str, Any], resumed: LogReading | None) -> None:
        from conformance.subjects.registry import runner_of  # noqa: PLC0415

        self.options = options
        self.resumed = resumed
        self.console: Console = make_console()
        self.strict: bool = options["strict"]
        self.runner = runner_of(options["subject"])
        self.corpus = self._corpus()

    def go(self) -> int:
        """Do it; the exit code."""
        from conformance.facts import semantics_of  # noqa: PLC0415
        from conformance.findings import SHIPPED, load_findings, read_findings  # noqa: PLC0415
        from results.text import plain  # noqa: PLC0415

        o = self.options
        clauses = self._clauses()
        given = given_facts(o["facts"])
        for file in o["findings"]:
            read_findings(file)  # a mistake in it is told before a broker is started
        plan = self._plan(clauses)
        if self.resumed is not None:
            must_be_the_same(self.resumed.header, o, plan)
        else:
            make_place(o["out"])  # a place that can't be written to is told before a broker is started
        system = make_system(**{name: o[name] for name in NAMING})
        must_show(o["fault"], o["subject"])
        if missing := self.runner.missing(system):
            raise wrong(f"--subject {self.runner.subject}: {missing}; found the system {getattr(system, 'name', 'external')}")
        began = time.monotonic()
        codec = make_codec()
        try:
            with self.console.status("starting the broker"):
                system.start()
            cluster = reached(system, codec)
            facts = facts_of(cluster, given, system)
            if self.resumed is not None:
                must_be_the_same_broker(self.resumed.header, facts)
            findings = load_findings((SHIPPED, *o["findings"]), facts.release, facts.implementation)
            run_id = new_run_id()
            folder = o["resume"] or o["out"] / run_id
            for note in (f"judged as Kafka {facts.release}", *facts.notes):
                self.console.print(plain(note), style="dim")
            up = f"broker up after {time.monotonic() - began:.1f} s; seed {plan.seed}; writing to {folder}"
            self.console.print(up, style="dim")
            judging = Judging(run_id, facts, findings, datetime.now(UTC).date())
            bench = self.runner.bench(cluster, semantics_of(facts), run_id, restarts_of(system, codec))
            try:
                code, summary = self._judge(system, bench, judging, plan, folder)
            finally:
                with suppress(Exception):
                    bench.close()
        finally:
            with suppress(KeyboardInterrupt):
                system.stop()
        if o["report"] and summary.scenarios:
            write_report(folder, self.console, None if self.resumed is not None else summary)
        return code

    def _corpus(self) -> Corpus | None:
        from conformance.engine.corpus import Corpus, default_folder  # noqa: PLC0415

        if not self.options["no_corpus"]:
            return Corpus(self.options["corpus"] or default_folder())
        if self.options["corpus"]:
            raise wrong("expected --corpus or --no-corpus, found both; leave one out")
        return None

    def _clauses(self) -> frozenset[str]:
        from spec.catalogue import clause, clauses_of  # noqa: PLC0415

        subject = self.options["subject"]
        found = frozenset(clause(name).id for name in self.options["clauses"])
        if strange := sorted(found - clauses_of(subject).keys()):
            raise wrong(f"--clause: expected clauses of the subject {subject}, found {', '.join(strange)}; see `fencepost spec`")
        return found

    def _plan(self, clauses: frozenset[str]) -> Plan:
        from conformance.engine.corpus import Reading  # noqa: PLC0415
        from conformance.engine.plan import Plan  # noqa: PLC0415
        from conformance.engine.standing import BEGINNING, standing  # noqa: PLC0415

        o = self.options
        seed = o["seed"] if o["seed"] is not None else secrets.randbelow(2**31)
        return Plan(
            seed,
            o["scenarios"],
            seconds_of(o["duration"]),
            clauses,
            restart=o["restart"],
            corpus=self.corpus.read(o["subject"]) if self.corpus else Reading(),
            before=standing(self.resumed.events) if self.resumed else BEGINNING,
        )

    def _judge(self, system: BrokerSystem, bench: Player, judging: Judging, plan: Plan, folder: Path) -> tuple[int, Summary]:
        from conformance.engine.corpus import Keeper  # noqa: PLC0415
        from results.log import EventWriter  # noqa: PLC0415
        from spec.events import Note, RunFinished  # noqa: PLC0415

        make_folder(folder)
        own = locked(folder) if self.resumed is None else nullcontext()
        with own, EventWriter(folder / "events.jsonl", resume=self.resumed is not None) as writer:
            record = Record(writer, judging, Keeper(self.corpus, frozenset(judging.known)), self.options["subject"])
            if self.resumed is None:
                record.tell(header(system, judging, self.options["subject"], plan.seed, to_do_it_again(self.options, plan)))
            else:
                record.take_over(carried_over(self.resumed))
            loop = self.runner.loop(bench, plan, frozenset(judging.known))
            reason, code = record.follow(shown(loop.events(), loop, plan, self.console), lambda: _next_step(system, folder))
            seconds = round(time.monotonic() - loop.started, 3)
            whole = reason == "done" and not plan.clauses
            problems = record.finding_problems if whole else ()
            for problem in problems:
                record.tell(Note(problem))
            code = exit_code(record.summary, strict=self.strict, problems=bool(problems), so_far=code)
            record.tell(RunFinished(reason, code, loop.layouts, loop.scenarios + loop.from_corpus, seconds))
        summary = record.summary
        write_outcome(folder, summary, self.console, strict=self.strict)
        return code, summary


def _next_step(system: BrokerSystem, folder: Path) -> str:
    """What to do about a broker that was lost."""
    from conformance.systems.base import CanRestart, TellsItsEnd  # noqa: PLC0415 - keeps --help quick

    end = system.ended() if isinstance(system, TellsItsEnd) else None
    if isinstance(system, CanRestart):
        return f"{end + '; ' if end else ''}`fencepost run --resume {folder}` starts another one and goes on"
    return f"{end or 'see whether the broker runs'}; once it does, `fencepost run --resume {folder}` goes on"
