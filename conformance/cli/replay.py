"""`fencepost replay`: play a kept scenario again."""

from __future__ import annotations

import secrets
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from conformance.cli.common import (
    DEFAULT_SYSTEM,
    NAMING,
    draft_options,
    drafted_by,
    given_facts,
    make_codec,
    make_system,
    system_options,
    told,
    wrong,
)
from conformance.engine.start import facts_of, reached, restarts_of
from conformance.exit_codes import FOUND, OK, UNREACHABLE

if TYPE_CHECKING:
    from conformance.cluster import Cluster
    from conformance.systems.base import BrokerSystem
    from spec.draft import Draft
    from spec.semantics import Semantics


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("system", default=DEFAULT_SYSTEM, metavar="[SYSTEM]")
@system_options
@draft_options
@click.option("--facts", type=click.Path(path_type=Path), metavar="FILE", help="Release and limits of the broker, where it does not tell.")
@click.option("--strict", is_flag=True, help="A deviation from Apache Kafka's own behaviour counts as FAILED too.")
@told
def replay(file: Path, **options: Any) -> None:
    """Play the scenario in FILE on SYSTEM (`embedded` or `model`) and say FIXED, FAILED or ERROR.

    FIXED (exit code 0): no clause is broken any more. FAILED (1): some clause is. ERROR (3): the scenario could not be judged, or no
    clause had a word on it.
    Run folders keep a scenario file for each kind of break, under `scenarios/`.
    """
    from conformance.engine.played import broken, undecided, unsupported  # noqa: PLC0415
    from conformance.facts import semantics_of  # noqa: PLC0415 - keeps --help quick
    from conformance.subjects.registry import runner_of  # noqa: PLC0415
    from conformance.wire.sizing import NoSuchBatchError  # noqa: PLC0415
    from results.picture_text import sketch  # noqa: PLC0415
    from spec.canonical import read_scenario  # noqa: PLC0415
    from spec.drafts import draft_of  # noqa: PLC0415

    try:
        scenario = read_scenario(file.read_bytes())
    except OSError as failed:
        raise wrong(f"expected a scenario file at {file}, found: {failed.strerror}") from failed
    runner = runner_of(scenario.subject)
    given = given_facts(options["facts"])
    drafted = drafted_by(options["draft"], options["profile"])
    system = make_system(**{name: options[name] for name in NAMING}, config=dict(scenario.config), drafted=drafted)
    try:
        codec = make_codec()
        restarts = restarts_of(system, codec)
        if scenario.layout.crafted and not (restarts and restarts.places_files):
            raise wrong(
                "this scenario's layout has holes or old formats, which no Produce request can write; it can be explained, and replayed "
                "on a broker that Fencepost starts as a child process (--kafka)"
            )
        system.start()
        cluster = reached(system, codec)
        facts = facts_of(cluster, given, system)
        for name, value in () if runner.sets_config else scenario.config:
            if str(facts.limits.get(name)) != value:
                click.echo(f"ERROR: the scenario needs {name}={value}, this broker has {facts.limits.get(name)}")
                sys.exit(UNREACHABLE)
        semantics = semantics_of(facts)
        if (draft := draft_of(scenario.subject)) is not None:
            cluster, semantics = _as_it_takes(draft, system, semantics)
        bench = runner.bench(cluster, semantics, f"replay-{secrets.token_hex(4)}", restarts, scenario.config)
        try:
            played = bench.confirmed(bench.play_one(scenario))
        finally:
            bench.close()
    except NoSuchBatchError as bad:
        raise wrong(f"{file}: a batch can't be made: {bad}") from bad
    finally:
        system.stop()
    click.echo(sketch(scenario, played.observation))
    for verdict in played.judgement.breaks:
        click.echo(f"{verdict.clause} {verdict.outcome}: {verdict.why}")
    counts = {"violates", "deviates"} if options["strict"] else {"violates"}
    still = [verdict for verdict in played.judgement.breaks if verdict.outcome in counts]
    if why := broken(played) or unsupported(played) or (None if still else undecided(played)):
        click.echo(f"ERROR: {why}")
        sys.exit(UNREACHABLE)
    click.echo("FAILED" if still else "FIXED")
    sys.exit(FOUND if still else OK)


def _as_it_takes(draft: Draft, system: BrokerSystem, semantics: Semantics) -> tuple[Cluster, Semantics]:
    """The broker, asked as it takes the draft's fields; the end where it does not know them."""
    from conformance.identify.asking import Unknown, carrier_of  # noqa: PLC0415
    from conformance.identify.inquiry import inquiry_of  # noqa: PLC0415 - keeps --help quick
    from spec.draft import Drafted  # noqa: PLC0415

    inquiry = inquiry_of(draft)
    if inquiry is None:
        raise wrong(f"expected a draft that says how its fields are found on a broker, found {draft.name}, which has no module `inquiry`")
    carrier = carrier_of(inquiry, system, semantics, make_codec)
    if isinstance(carrier, Unknown):
        click.echo(f"ERROR: {carrier.why}")
        sys.exit(UNREACHABLE)
    carried = Drafted(draft, carrier)
    return reached(system, make_codec(carried)), carried.change(semantics)
