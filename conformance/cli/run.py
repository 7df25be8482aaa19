"""`fencepost run`: from one command to a verdict on a broker."""

from __future__ import annotations

import os
import re
import secrets
import signal
import sys
import time
from collections import Counter
from contextlib import suppress
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from conformance.cli.common import (
    FOUND,
    INTERRUPTED,
    OK,
    UNREACHABLE,
    facts_of,
    given_facts,
    known_relations,
    make_codec,
    make_system,
    reached,
    system_options,
    told,
    wrong,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.console import Console

    from conformance.facts import Facts
    from conformance.findings import Finding
    from conformance.run.loop import Loop
    from conformance.run.plan import Plan
    from conformance.run.session import Bench
    from conformance.systems.base import BrokerSystem
    from results.summary import Summary
    from spec.events import Event
    from spec.verdict import Verdict


@click.command()
@click.argument("system", default="embedded", metavar="[SYSTEM]")
@system_options
@click.option("--seed", type=click.IntRange(0), help="What the drawing starts from; by default a new one, which is shown.")
@click.option("--scenarios", type=click.IntRange(1), default=3000, show_default=True, help="How many scenarios to judge.")
@click.option("--time", "duration", metavar="5m", help="Go on for this long instead (90s, 5m, 1h).")
@click.option("--subject", type=click.Choice(["fetch"]), default="fetch", show_default=True, help="What to test.")
@click.option("--clause", "clauses", multiple=True, metavar="ID", help="Count only this clause; may be given more than once.")
@click.option("--strict", is_flag=True, help="Fail on deviations from Apache Kafka's own behaviour too.")
@click.option("--findings", type=click.Path(path_type=Path), multiple=True, metavar="FILE", help="Your own known findings, in TOML.")
@click.option("--facts", type=click.Path(path_type=Path), metavar="FILE", help="Release and limits of the broker, where it does not tell.")
@click.option("--resume", type=click.Path(path_type=Path), metavar="RUN", help="Go on with a run folder that was cut off.")
@click.option("--out", type=click.Path(path_type=Path), default=Path("fencepost-runs"), show_default=True, help="Where run folders go.")
@click.option("--restart/--no-restart", default=True, help="Restart a broker started here with small limits for the last part.")
@click.option("--report/--no-report", default=True, help="Make tables and the HTML report at the end, by Spark.")
@told
def run(system: str, **options: Any) -> None:
    """Draw layouts, ask the broker around their fences, judge every answer.

    SYSTEM is `embedded` (the default: Apache Kafka as a child process). With --bootstrap-server or --image another broker is
    tested. Everything is written to a run folder as it happens; Ctrl-C loses nothing.
    """
    if system != "embedded":
        raise wrong(f"expected the system 'embedded' (or --bootstrap-server, --image), found {system!r}; `fencepost systems` lists them")
    signal.signal(signal.SIGTERM, _interrupt)
    signal.signal(signal.SIGINT, _interrupt)
    sys.exit(_Run(options).go())


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def seconds_of(text: str | None) -> float | None:
    """The seconds that `90s`, `5m` or `1h` stand for."""
    if text is None:
        return None
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", text)
    if not found or not float(found[1]):
        raise wrong(f"--time: expected a duration like 90s, 5m or 1h, found {text!r}")
    return float(found[1]) * {"": 1, "s": 1, "m": 60, "h": 3600}[found[2]]


class _Sightings:
    """What a run has seen of each clause, to tell stale findings by."""

    def __init__(self) -> None:
        self.happened: set[tuple[str, str]] = set()
        self.exercised: Counter[str] = Counter()
        self.sided: Counter[tuple[str, str]] = Counter()

    def see(self, verdicts: tuple[Verdict, ...]) -> None:
        for verdict in verdicts:
            if verdict.outcome in {"violates", "deviates"}:
                self.happened.add((verdict.clause, verdict.signature))
            self.exercised[verdict.clause] += 1
            for side in verdict.sides.names:
                self.sided[verdict.clause, side] += 1


class _Run:
    """One run, from options to exit code."""

    def __init__(self, options: dict[str, Any]) -> None:
        from rich.console import Console  # noqa: PLC0415 - keeps --help quick

        self.options = options
        self.console: Console = Console(stderr=False)
        self.strict: bool = options["strict"]

    def go(self) -> int:
        """Do it; the exit code."""
        from conformance.facts import semantics_of  # noqa: PLC0415
        from conformance.findings import SHIPPED, load_findings  # noqa: PLC0415
        from conformance.run.session import Bench  # noqa: PLC0415

        o = self.options
        clauses = self._clauses()
        given = given_facts(o["facts"])
        resumed = self._resumed()
        plan = self._plan(clauses, resumed)
        system = make_system(o["kafka"], o["bootstrap_server"], o["command_config"], o["image"])
        began = time.monotonic()
        codec = make_codec()
        try:
            with self.console.status("starting the broker"):
                system.start()
            cluster = reached(system, codec)
            facts = facts_of(cluster, given, system)
            findings = load_findings((SHIPPED, *o["findings"]), facts.release, facts.implementation)
            run_id = f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"
            folder = o["resume"] or o["out"] / run_id
            for note in (f"judged as Kafka {facts.release}", *facts.notes):
                self.console.print(f"[dim]{note}[/dim]")
            self.console.print(f"[dim]broker up after {time.monotonic() - began:.1f} s; seed {plan.seed}; writing to {folder}[/dim]")
            bench = Bench(cluster, semantics_of(facts), run_id)
            code, summary = self._judge(system, bench, facts, findings, plan, folder, run_id, resumed)
        finally:
            self._stop(system)
        self._report(folder, summary)
        return code

    def _clauses(self) -> frozenset[str]:
        from spec.catalogue import clause  # noqa: PLC0415

        return frozenset(clause(name).id for name in self.options["clauses"])

    def _resumed(self) -> Any:
        from results.log import read_log  # noqa: PLC0415

        folder = self.options["resume"]
        return read_log(folder / "events.jsonl") if folder else None

    def _plan(self, clauses: frozenset[str], resumed: Any) -> Plan:
        from conformance.run.plan import CHUNK, Plan  # noqa: PLC0415
        from spec.events import Judged  # noqa: PLC0415

        o = self.options
        seed = o["seed"] if o["seed"] is not None else secrets.randbelow(2**31)
        chunks = scenarios = 0
        if resumed is not None:
            seed = resumed.header.seed
            scenarios = sum(isinstance(event, Judged) for event in resumed.events)
            questioned = {e.layout for e in resumed.events if isinstance(e, Judged) and e.family == "question"}
            chunks = len(questioned) // CHUNK
        return Plan(
            seed,
            o["scenarios"],
            seconds_of(o["duration"]),
            clauses,
            skip_chunks=chunks,
            skip_scenarios=scenarios,
            restart=o["restart"],
        )

    def _judge(
        self,
        system: BrokerSystem,
        bench: Bench,
        facts: Facts,
        findings: tuple[Finding, ...],
        plan: Plan,
        folder: Path,
        run_id: str,
        resumed: Any,
    ) -> tuple[int, Summary]:
        from conformance.findings import known as known_on  # noqa: PLC0415
        from conformance.run.loop import Loop, Lost  # noqa: PLC0415
        from results.clauses import catalogue  # noqa: PLC0415
        from results.log import EventWriter  # noqa: PLC0415
        from results.summary import Tally  # noqa: PLC0415
        from spec.events import Judged, Note, RunFinished  # noqa: PLC0415

        today = datetime.now(UTC).date()
        known = dict(known_on(findings, today))
        sightings = _Sightings()
        tally = Tally(catalogue(), known)
        make_folder(folder)
        with EventWriter(folder / "events.jsonl", resume=resumed is not None) as writer:

            def tell(event: Event) -> None:
                writer.write(event)
                tally.add(event)
                if isinstance(event, Judged):
                    sightings.see(event.verdicts)

            if resumed is None:
                tell(self._header(system, facts, plan, run_id, known))
            else:
                for event in resumed.events:
                    if not isinstance(event, RunFinished):
                        tally.add(event)
            loop = Loop(bench, plan, frozenset(known), self._restarter(system, bench, facts))
            reason, code = "done", OK
            try:
                for event in self._shown(loop.events(), loop, plan):
                    tell(event)
            except KeyboardInterrupt:
                reason, code = "interrupted", INTERRUPTED
            except Lost as lost:
                reason, code = "broken", UNREACHABLE
                tell(Note(f"the run ended early: {lost}"))
            seconds = round(time.monotonic() - loop.started, 3)
            problems = self._finding_problems(sightings, findings, today) if reason == "done" else ()
            for problem in problems:
                tell(Note(problem))
            code = exit_code(tally.summary(), strict=self.strict, problems=bool(problems), so_far=code)
            tell(RunFinished(reason, code, loop.layouts, loop.scenarios, seconds))
        with suppress(Exception):
            bench.close()
        summary = tally.summary()
        self._write(folder, summary)
        return code, summary

    def _header(self, system: BrokerSystem, facts: Facts, plan: Plan, run_id: str, known: dict[tuple[str, str], str]) -> Event:
        from importlib.metadata import version  # noqa: PLC0415

        from results.clauses import known_to_facts  # noqa: PLC0415
        from spec.events import RunStarted  # noqa: PLC0415
        from spec.requirements import requirement_set  # noqa: PLC0415

        o = self.options
        options = {"scenarios": str(plan.scenarios)} if plan.seconds is None else {"time": str(o["duration"])}
        for name in ("kafka", "image"):
            if o[name] and not o["bootstrap_server"]:
                options[name] = str(o[name])
        if o["bootstrap_server"]:
            options["bootstrap-server"] = o["bootstrap_server"]
        if o["strict"]:
            options["strict"] = "true"
        shown = {**system.facts(), **facts.shown, **known_to_facts(known)}
        return RunStarted(
            run=run_id,
            started=f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
            fencepost=version("fencepost"),
            seed=plan.seed,
            subject=o["subject"],
            system=getattr(system, "name", "external"),
            release=facts.release,
            requirement_set=requirement_set(o["subject"], facts.release).name,
            facts={k: str(v) for k, v in shown.items()},
            options=options,
        )

    def _restarter(self, system: BrokerSystem, bench: Bench, facts: Facts) -> Callable[[dict[str, str]], Bench] | None:
        from dataclasses import replace  # noqa: PLC0415

        from conformance.facts import semantics_of  # noqa: PLC0415
        from conformance.systems.base import CanRestart  # noqa: PLC0415

        if not isinstance(system, CanRestart):
            return None

        def restart(config: dict[str, str]) -> Bench:
            system.restart(config)
            semantics = replace(semantics_of(facts), fetch_max_bytes=int(config["fetch.max.bytes"]))
            bench.restarted(reached(system, bench.cluster.codec), semantics, tuple(config.items()))
            return bench

        return restart

    def _shown(self, events: Iterator[Event], loop: Loop, plan: Plan) -> Iterator[Event]:
        """Pass events on while a progress line says how far it is."""
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn  # noqa: PLC0415

        from spec.events import Judged, Shrunk  # noqa: PLC0415

        if not self.console.is_terminal:
            yield from events
            return
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.completed:.0f}/{task.total:.0f}"),
            TimeElapsedColumn(),
        )
        with Progress(*columns, console=self.console, transient=True) as progress:
            total = plan.scenarios if plan.seconds is None else plan.seconds
            task = progress.add_task("judging", total=total)
            found = 0
            for event in events:
                if isinstance(event, Judged):
                    found += any(
                        v.outcome in {"violates", "deviates"} and (v.clause, v.signature) not in loop.known for v in event.verdicts
                    )
                    done = loop.scenarios if plan.seconds is None else time.monotonic() - loop.started
                    progress.update(task, completed=done, description=f"judging, {loop.layouts} layouts, {found} unlisted")
                elif isinstance(event, Shrunk):
                    progress.console.print(f"{event.clause} {event.signature}: shrunk with {event.calls} replays")
                yield event

    def _finding_problems(self, sightings: _Sightings, findings: tuple[Finding, ...], today: date) -> tuple[str, ...]:
        from conformance.findings import expired, stale  # noqa: PLC0415

        if self.options["clauses"]:
            return ()
        names = {finding.key: f"finding {finding.clause} '{finding.signature}' ({finding.file})" for finding in findings}
        old = [f"{names[one.key]} expired on {one.expires}; mend it or set another day" for one in expired(findings, today)]
        old_news = stale(findings, sightings.happened, sightings.exercised, sided=sightings.sided)
        gone = [f"{names[one.key]} is stale: it did not happen any more; take it out" for one in old_news]
        return (*old, *gone)

    def _write(self, folder: Path, summary: Summary) -> None:
        from results.clauses import catalogue  # noqa: PLC0415
        from results.export import write_summary  # noqa: PLC0415
        from results.junit import write_junit  # noqa: PLC0415
        from results.step_summary import append_step_summary  # noqa: PLC0415
        from results.terminal import show  # noqa: PLC0415
        from spec.canonical import write_scenario  # noqa: PLC0415

        paths = {"events": folder / "events.jsonl"}
        paths["junit"] = write_junit(summary, folder / "junit.xml", strict=self.strict)
        paths["json"] = write_summary(summary, catalogue(), folder / "summary.json")
        for cluster in summary.clusters:
            if cluster.example is not None:
                name = re.sub(r"[^A-Za-z0-9]+", "-", f"{cluster.clause}-{cluster.signature}").strip("-")
                kept = folder / "scenarios" / f"{name}.json"
                kept.parent.mkdir(exist_ok=True)
                kept.write_text(write_scenario(cluster.example), encoding="utf-8")
        append_step_summary(summary)
        show(summary, self.console, paths=paths)

    @staticmethod
    def _stop(system: BrokerSystem) -> None:
        with suppress(KeyboardInterrupt):
            system.stop()

    def _report(self, folder: Path, summary: Summary) -> None:
        if not self.options["report"] or not summary.scenarios:
            return
        from results.files import ReportError  # noqa: PLC0415

        began = time.monotonic()
        try:
            from results.report import report as make_report  # noqa: PLC0415

            made = make_report([folder], relations=known_relations())
        except (ReportError, KeyboardInterrupt) as failed:
            self.console.print(f"no report was made: {str(failed) or 'interrupted'}; `fencepost report {folder}` makes it from the log")
            return
        for name, path in dict(made.paths).items():
            self.console.print(f"{name}: {path}")
        self.console.print(f"report made in {time.monotonic() - began:.1f} s, apart from the run")


def make_folder(folder: Path) -> None:
    """Make the run folder, and tell a wrapper where it is, which names a file for that in FENCEPOST_RUN_FOLDER_FILE."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if told_to := os.environ.get("FENCEPOST_RUN_FOLDER_FILE"):
            Path(told_to).write_text(str(folder.resolve()), encoding="utf-8")
    except OSError as failed:
        raise wrong(f"expected to make the run folder {folder}, found: {failed.strerror}; name another place by --out") from failed


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
