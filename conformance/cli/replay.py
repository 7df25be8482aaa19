"""`fencepost replay`: play a kept scenario again."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from conformance.cli.asked_files import AskedFiles
from conformance.cli.bug_report import TO_TERMINAL, write_bug_report
from conformance.cli.clients import (
    broker_config,
    client_option,
    client_options,
    runner_and_system,
    with_client_options,
)
from conformance.cli.common import drafted_by, given_facts, make_codec, make_system
from conformance.cli.errors import report_errors, wrong
from conformance.cli.options import DEFAULT_SYSTEM, NAMING, draft_options, system_options
from conformance.engine.play_result import broken, undecided_reason, unsupported_reason
from conformance.engine.replay import UnfitBroker, released_target
from conformance.engine.replay import replay as replay_on
from conformance.engine.start import reach_cluster
from conformance.exit_codes import FOUND, OK, UNREACHABLE
from conformance.facts import semantics_of
from conformance.identify.asking import Unknown, carrier_of
from conformance.identify.inquiry import inquiry_of
from conformance.wire.sizing import NoSuchBatchError
from conformance.wire.transcript import Transcript
from results.flaky import flaky_kinds
from results.picture_text import sketch
from spec.canonical import FormatError, read_scenario
from spec.draft import Drafted
from spec.draft_registry import draft_of

if TYPE_CHECKING:
    from conformance.cluster import Cluster
    from conformance.engine.start import Started
    from spec.draft import Draft
    from spec.semantics import Semantics


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("system", default=DEFAULT_SYSTEM, metavar="[SYSTEM]")
@system_options
@client_option
@client_options
@draft_options
@click.option(
    "--facts",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Release and limits of the broker, where it does not report them.",
)
@click.option(
    "--strict",
    is_flag=True,
    help="A deviation from Apache Kafka's own behaviour counts as FAILED too.",
)
@click.option(
    "--markdown",
    type=click.Path(dir_okay=False, path_type=Path),
    is_flag=False,
    flag_value=str(TO_TERMINAL),
    metavar="[OUT]",
    help="Write a bug report of what breaks, with a program that shows it, there (or print it).",
)
@report_errors
def replay(file: Path, **options: Any) -> None:
    """Play the scenario in FILE on SYSTEM (`embedded` or `model`) and say FIXED, FAILED or ERROR.

    FIXED (exit code 0): no clause is broken any more. FAILED (1): some clause is. ERROR (3): the
    scenario could not be judged, or no clause applied to it. Run folders keep a scenario file
    for each kind of break, under `scenarios/`. A history of a client is played with --client.
    """
    try:
        scenario = read_scenario(file.read_bytes())
    except OSError as failed:
        raise wrong(f"expected a scenario file at {file}, found: {failed.strerror}") from failed
    except FormatError as bad:
        raise wrong(f"{file}: {bad}") from bad
    drafted = drafted_by(options["draft"], options["profile"])
    options = with_client_options(click.get_current_context(), options)
    broker = make_system(
        **{name: options[name] for name in NAMING},
        config={**broker_config(options), **dict(scenario.config)},
        drafted=drafted,
    )
    runner, system = runner_and_system(options, scenario.subject, broker)
    given = given_facts(options["facts"])
    draft = draft_of(scenario.subject)
    asked = released_target if draft is None else partial(_as_it_takes, draft)
    try:
        codec = make_codec()
        transcript = None if options["markdown"] is None else Transcript()
        replayed = replay_on(runner, scenario, system, codec, given, asked, transcript)
    except NoSuchBatchError as bad:
        raise wrong(f"{file}: a batch can't be made: {bad}") from bad
    except UnfitBroker as unfit:
        click.echo(f"ERROR: {unfit}")
        sys.exit(UNREACHABLE)
    played = replayed.confirmation.counts
    prints_report = options["markdown"] == TO_TERMINAL
    say = partial(click.echo, err=prints_report)
    say(sketch(scenario, played.observation))
    for kind in flaky_kinds(replayed.confirmation.flaky):
        say(f"{kind.first.clause} {kind.rate}: {kind.first.verdict.why}")
    for verdict in played.judgement.breaks:
        say(f"{verdict.clause} {verdict.outcome}: {verdict.why}")
    counts = {"violates", "deviates"} if options["strict"] else {"violates"}
    still = [verdict for verdict in played.judgement.breaks if verdict.outcome in counts]
    if (
        why := broken(played)
        or unsupported_reason(played)
        or (None if still else undecided_reason(played))
    ):
        say(f"ERROR: {why}")
        sys.exit(UNREACHABLE)
    asked_files = AskedFiles()
    if options["markdown"] is not None and played.divergences:
        with asked_files.writing():
            write_bug_report(
                replayed, scenario, transcript, codec, options["markdown"], options["client_fault"]
            )
    elif options["markdown"] is not None:
        click.echo("no report is written: nothing breaks", err=True)
    say("FAILED" if still else "FIXED")
    sys.exit(asked_files.code(FOUND if still else OK))


def _as_it_takes(draft: Draft, broker: Started) -> tuple[Cluster, Semantics]:
    """The broker, asked as it takes the draft's fields; the end where it does not know them."""
    semantics = semantics_of(broker.facts)
    inquiry = inquiry_of(draft)
    if inquiry is None:
        raise wrong(
            f"expected a draft that says how its fields are found on a broker, found {draft.name}, "
            "which has no module `inquiry`"
        )
    carrier = carrier_of(inquiry, broker.system, semantics, make_codec)
    if isinstance(carrier, Unknown):
        click.echo(f"ERROR: {carrier.why}")
        sys.exit(UNREACHABLE)
    carried = Drafted(draft, carrier)
    return reach_cluster(broker.system, make_codec(carried)), carried.change(semantics)
