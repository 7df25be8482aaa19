"""`fencepost run`: from one command to a verdict on a broker."""

from __future__ import annotations

import re
import secrets
import shlex
import sys
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import click

from conformance.claims.features import ANYTHING, read_features
from conformance.cli.clients import (
    broker_config,
    left_out_clients,
    runner_and_system,
    with_client_options,
)
from conformance.cli.common import (
    end_in_order,
    freeze_start_up,
    given_facts,
    make_codec,
    make_system,
)
from conformance.cli.ending import end_run
from conformance.cli.errors import report_errors, wrong
from conformance.cli.findings_files import FindingsWriter, all_findings_files
from conformance.cli.handlers import Count, Log, Screen
from conformance.cli.lazy import import_object
from conformance.cli.options import DEFAULT_SYSTEM, NAMING
from conformance.cli.planted import must_show
from conformance.cli.resuming import (
    events_to_continue,
    must_be_resumable,
    must_be_the_same,
    must_be_the_same_broker,
    resumed_options,
    was_complete,
)
from conformance.cli.run_folder import (
    lock_folder,
    make_folder,
    new_run_id,
)
from conformance.cli.run_header import options_to_repeat
from conformance.cli.run_options import run_options
from conformance.cli.run_output import output_of
from conformance.cli.several_runs import run_each, several_named
from conformance.engine.corpus import Corpus, CorpusWriter, Reading, default_folder
from conformance.engine.event_stream import Run, plan_start
from conformance.engine.event_stream import run as engine_run
from conformance.engine.handlers import follow, keeping
from conformance.engine.plan import Plan
from conformance.engine.resume_point import resume_point
from conformance.findings import read_findings
from conformance.ledger import LEDGER_NAME, NO_LEDGER, FileLedger
from results.log import LOG_NAME, read_header, read_log
from spec.catalogue import clause, clauses_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from conformance.claims.features import Claims
    from conformance.cli.done import Done
    from conformance.cli.several_runs import Several
    from conformance.engine.resume_point import ResumePoint
    from conformance.engine.runner import Runner
    from conformance.systems.base import BrokerSystem
    from results.log import LogReading

SPREAD = "conformance.cli.spread:run_spread"
"""Imported only for a run on a cluster."""


@click.command()
@click.argument("system", default=DEFAULT_SYSTEM, metavar="[SYSTEM]")
@run_options
@report_errors
def run(system: str, **options: Any) -> None:
    """Draw layouts, ask the broker around their fences, judge every answer.

    SYSTEM is `embedded` (the default: Apache Kafka as a child process) or `model` (the
    specification itself, served on the wire, which --fault makes wrong in one way). With
    --bootstrap-server or --image another broker is tested, with --client a client. Everything is
    written to a run folder as it happens; Ctrl-C loses nothing. With several releases, clients or
    subjects each is run, and what they say is shown side by side.
    """
    end_in_order()
    context = click.get_current_context()
    if (several := several_named(context, options)) is not None:
        asked = with_client_options(context, {**options, "system": system})
        if asked["seed"] is None:
            asked["seed"] = secrets.randbelow(2**31)  # all are asked the same
        sys.exit(_run_several(context, asked, several))
    if options["resume"] is None:
        sys.exit(_go(with_client_options(context, {**options, "system": system}), None).code)
    with read_resumed(options["resume"]) as resumed:
        sys.exit(_go(resumed_options(context, resumed.header), resumed).code)


def _run_several(context: click.Context, o: dict[str, Any], several: Several) -> int:
    """Run one after the other; the exit code of all."""
    console = output_of(o).console
    for line in left_out_clients(context):
        console.print(line, soft_wrap=True)
    return run_each(several, lambda name: _go(several.options_of(name, o), None), console)


@contextmanager
def read_resumed(folder: Path) -> Iterator[LogReading]:
    """The log of the run to continue; its folder is this run's own meanwhile."""
    log = folder / LOG_NAME
    must_be_resumable(read_header(log))
    with lock_folder(folder):
        yield read_log(log)


def seconds_of(option: str, text: str | None, *, none: bool = False) -> float | None:
    """The seconds that `90s`, `5m` or `1h` stand for; `none` where it may be no time at all."""
    if text is None:
        return None
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", text)
    if not found or not (none or float(found[1])):
        raise wrong(f"{option}: expected a duration like 90s, 5m or 1h, found {text!r}")
    return float(found[1]) * {"": 1, "s": 1, "m": 60, "h": 3600}[found[2]]


def _go(o: dict[str, Any], resumed: LogReading | None) -> Done:
    """Do a run."""
    clauses = _clauses(o)
    findings_writer = FindingsWriter(
        o["update_findings"], o["prune_findings"], whole=not clauses, strict=o["strict"]
    )
    o = {**o, "findings": all_findings_files(o["findings"], findings_writer)}
    for file in o["findings"]:
        read_findings(file)  # a mistake in it is reported before a broker is started
    earlier = events_to_continue(resumed) if resumed is not None else []
    corpus = _corpus(o)
    claims = asked_claims(o)
    plan = _plan(o, clauses, corpus, resume_point(earlier), claims)
    runner, system = asked_runner_and_system(o)
    if resumed is not None:
        must_be_the_same(resumed.header, o, plan)
    else:
        make_folder(o["out"])  # before a broker is started
    if o["spark_master"]:
        spread = import_object(SPREAD)
        return cast(
            "Done", spread(o, plan, clauses, CorpusWriter(corpus), findings_writer, resumed)
        )
    run_id = new_run_id()
    folder: Path = o["resume"] or o["out"] / run_id
    ledger = FileLedger(folder / LEDGER_NAME) if o["bootstrap_server"] else None
    timed = plan.seconds is not None
    total = plan.scenarios if plan.seconds is None else plan.seconds
    output = output_of(o)
    console = output.console
    screen = Screen(console, folder, plan.seed, total, timed=timed, earlier=earlier)
    asked = Run(
        subject=runner.subject,
        system=system,
        codec=make_codec(),
        begin=plan_start(runner, plan, run_id, screen.suspect),
        seed=plan.seed,
        id=run_id,
        given=given_facts(o["facts"]),
        findings=tuple(o["findings"]),
        shipped=not o["no_shipped_findings"],
        strict=o["strict"],
        clauses=clauses,
        whole=not clauses,
        options=options_to_repeat(o, plan),
        earlier=earlier,
        agree=partial(must_be_the_same_broker, resumed.header)
        if resumed is not None
        else lambda _: None,
        after_loss=partial(_after_loss, folder, o),
        ledger=ledger or NO_LEDGER,
        claims=claims,
        clean=f"`{_clean_command(folder, o)}` removes it once that works",
    )
    count, corpus_writer = Count(runner.subject, earlier), CorpusWriter(corpus)
    for event in earlier:
        corpus_writer.take_over(event)
        findings_writer(event)
    with (
        ledger or nullcontext(),
        Log(folder, resume=resumed is not None) as log,
        screen,
        freeze_start_up(),
    ):
        follow(engine_run(asked), (log, count, screen, keeping(corpus_writer), findings_writer))
    summary = count.summary
    assert summary.footer is not None
    if resumed is not None and was_complete(resumed, summary):
        console.print("nothing was left to do: the run was complete", soft_wrap=True)
    return end_run(o, output, folder, summary, findings_writer, from_log=resumed is not None)


def asked_runner_and_system(o: Mapping[str, Any]) -> tuple[Runner[Any], BrokerSystem]:
    """How the subject is run, and the broker or client that the options name.

    Raises:
        ClickException: what they name can't be tested.
    """
    broker = make_system(**{name: o[name] for name in NAMING}, config=broker_config(o))
    runner, system = runner_and_system(o, o["subject"], broker)
    must_show(o["fault"], o["subject"])
    if missing := runner.missing(system):
        raise wrong(
            f"--subject {runner.subject}: {missing}; found the system "
            f"{getattr(system, 'name', 'external')}"
        )
    return runner, system


def _corpus(o: Mapping[str, Any]) -> Corpus | None:
    if not o["no_corpus"]:
        return Corpus(o["corpus"] or default_folder())
    if o["corpus"]:
        raise wrong("expected --corpus or --no-corpus, found both; leave one out")
    return None


def _clauses(o: Mapping[str, Any]) -> frozenset[str]:
    subject = o["subject"]
    found = frozenset(clause(name).id for name in o["clauses"])
    if strange := sorted(found - clauses_of(subject).keys()):
        raise wrong(
            f"--clause: expected clauses of the subject {subject}, found {', '.join(strange)}; see "
            "`fencepost spec`"
        )
    return found


def asked_claims(o: Mapping[str, Any]) -> Claims:
    """What the features file claims; it must claim something of what is tested."""
    if o["features"] is None:
        return ANYTHING
    claims = read_features(o["features"])
    if not claims.clauses & clauses_of(o["subject"]).keys():
        raise wrong(
            f"--features: expected {o['features']} to claim some clause of the subject "
            f"{o['subject']}, found none; test another subject (--subject), or claim it"
        )
    return claims


def _plan(
    o: Mapping[str, Any],
    clauses: frozenset[str],
    corpus: Corpus | None,
    before: ResumePoint,
    claims: Claims,
) -> Plan:
    return Plan(
        o["seed"] if o["seed"] is not None else secrets.randbelow(2**31),
        o["scenarios"],
        seconds_of("--time", o["duration"]),
        clauses,
        restart=o["restart"],
        shrink_seconds=seconds_of("--shrink", o["shrink"], none=True),
        corpus=Reading() if corpus is None else corpus.read(o["subject"]),
        before=before,
        claims=claims,
    )


def _clean_command(folder: Path, o: Mapping[str, Any]) -> str:
    """The command that removes what a run left on an external cluster."""
    return _command(["clean", str(folder), "--bootstrap-server", str(o["bootstrap_server"])], o)


def _command(said: list[str], o: Mapping[str, Any]) -> str:
    """A command about an external cluster that is reached as this run reaches it."""
    words = ["fencepost", *said]
    if o["command_config"]:
        words += ["--command-config", str(o["command_config"])]
    return shlex.join(words)


def _after_loss(folder: Path, o: Mapping[str, Any], end: str | None) -> str:
    """Advice about a broker that was lost, or answered what ended the run, given how it ended."""
    if not o["bootstrap_server"]:
        return (
            f"{end + '; ' if end else ''}`fencepost run --resume {folder}` starts another one and "
            "continues"
        )
    smoke = _command(["smoke", str(o["bootstrap_server"])], o)
    return (
        f"{end or 'see whether the broker runs'}; if it does, `{smoke}` says what it lacks; once "
        f"that is mended, `fencepost run --resume {folder}` continues"
    )
