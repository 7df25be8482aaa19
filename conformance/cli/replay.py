"""`fencepost replay`: play a kept scenario again."""

from __future__ import annotations

import secrets
import sys
from pathlib import Path
from typing import Any

import click

from conformance.cli.common import (
    DEFAULT_SYSTEM,
    FOUND,
    NAMING,
    OK,
    UNREACHABLE,
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


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("system", default=DEFAULT_SYSTEM, metavar="[SYSTEM]")
@system_options
@click.option("--facts", type=click.Path(path_type=Path), metavar="FILE", help="Release and limits of the broker, where it does not tell.")
@click.option("--strict", is_flag=True, help="A deviation from Apache Kafka's own behaviour counts as FAILED too.")
@told
def replay(file: Path, **options: Any) -> None:
    """Play the scenario in FILE on SYSTEM (`embedded` or `model`) and say FIXED, FAILED or ERROR.

    FIXED (exit code 0): no clause is broken any more. FAILED (1): some clause is. ERROR (3): the scenario could not be judged.
    Run folders keep a scenario file for each kind of break, under `scenarios/`.
    """
    from conformance.facts import semantics_of  # noqa: PLC0415 - keeps --help quick
    from conformance.run.session import Bench, broken  # noqa: PLC0415
    from results.picture_text import sketch  # noqa: PLC0415
    from spec.canonical import read_scenario  # noqa: PLC0415

    try:
        scenario = read_scenario(file.read_bytes())
    except OSError as failed:
        raise wrong(f"expected a scenario file at {file}, found: {failed.strerror}") from failed
    given = given_facts(options["facts"])
    system = make_system(**{name: options[name] for name in NAMING}, config=dict(scenario.config))
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
        for name, value in scenario.config:
            if str(facts.limits.get(name)) != value:
                click.echo(f"ERROR: the scenario needs {name}={value}, this broker has {facts.limits.get(name)}")
                sys.exit(UNREACHABLE)
        bench = Bench(cluster, semantics_of(facts), f"replay-{secrets.token_hex(4)}", scenario.config, restarts=restarts)
        try:
            played = bench.confirmed(bench.play_one(scenario))
        finally:
            bench.close()
    finally:
        system.stop()
    click.echo(sketch(scenario, played.observation))
    for verdict in played.judgement.breaks:
        click.echo(f"{verdict.clause} {verdict.outcome}: {verdict.why}")
    if why := broken(played):
        click.echo(f"ERROR: {why}")
        sys.exit(UNREACHABLE)
    counts = {"violates", "deviates"} if options["strict"] else {"violates"}
    still = [verdict for verdict in played.judgement.breaks if verdict.outcome in counts]
    click.echo("FAILED" if still else "FIXED")
    sys.exit(FOUND if still else OK)
