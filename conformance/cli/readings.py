"""`fencepost readings`: the ways in which a text can be understood, and the smallest case that tells two of them apart."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import click

from conformance.cli.common import told, wrong

if TYPE_CHECKING:
    from collections.abc import Iterable

    from generators.small_scope import Bounds
    from generators.telling_apart import Pair
    from spec.observation import Exchange
    from spec.scenario import Scenario


@click.command()
@click.argument("clause", required=False)
@click.option(
    "--between", nargs=2, metavar="RELEASE RELEASE", help="Tell two releases of Kafka apart instead, by what fetches are answered."
)
@click.option("--batches", type=click.IntRange(1, 4), default=3, show_default=True, help="Search layouts of at most so many batches.")
@told
def readings(clause: str | None, between: tuple[str, str] | None, batches: int) -> None:
    """List the readings of unclear texts; for one CLAUSE, draw the smallest layout and request on which each two differ.

    CLAUSE is a clause with readings, such as FET-102, or an open question of the draft MaxRecords by its id or name, such as MXR-A2 or
    stop. Layouts and requests are tried one by one, the smallest first; where nothing is found, the bounds of the search are told.
    """
    from generators.small_scope import Bounds  # noqa: PLC0415 - keeps --help quick
    from generators.telling_apart import pair_of_releases, pairs_of_axis, pairs_of_clause  # noqa: PLC0415
    from spec.catalogue import clause as find  # noqa: PLC0415
    from spec.max_records.axes import AXES, ELSEWHERE  # noqa: PLC0415
    from spec.releases import RELEASES  # noqa: PLC0415

    bounds = Bounds(batches)
    if between is not None:
        if clause is not None or not set(between) <= set(RELEASES):
            raise wrong(f"--between: expected two of {', '.join(RELEASES)} and no clause, found {' '.join(between)}")
        _draw([pair_of_releases(*between)], bounds)
        return
    if clause is None:
        _list()
        return
    axis = next((axis for axis in AXES if clause.upper() == axis.id or clause.lower() == axis.name), None)
    if axis is not None:
        click.echo(textwrap.fill(f"{axis.id} {axis.name}: {axis.asks} The draft: {axis.says}.", 100))
        if axis.when:
            click.echo(textwrap.fill(f"It arises where {axis.when}.", 100))
        _name(axis.readings)
        _draw(pairs_of_axis(axis), bounds)
    elif clause.upper() in ELSEWHERE:
        click.echo(textwrap.fill(f"{clause.upper()} is no question of its own here: {ELSEWHERE[clause.upper()]}", 100))
    else:
        found = find(clause)
        click.echo(textwrap.fill(f"{found.id}: {found.statement}", 100))
        _name(found.readings)
        pairs = list(pairs_of_clause(found))
        if not pairs:
            why = "has no readings" if not found.readings else "has readings that the model does not answer by; a run tells which one fits"
            click.echo(f"{found.id} {why}.")
        _draw(pairs, bounds)


def _name(found: Iterable[object]) -> None:
    from spec.clause import Reading  # noqa: PLC0415 - keeps --help quick

    for reading in found:
        assert isinstance(reading, Reading)
        click.echo(textwrap.fill(f"  {reading.name}: {reading.statement}", 100, subsequent_indent="    "))


def _draw(pairs: Iterable[Pair], bounds: Bounds) -> None:
    from generators.telling_apart import tell_apart  # noqa: PLC0415 - keeps --help quick
    from results.picture_text import sketch  # noqa: PLC0415
    from spec.model import answer_all  # noqa: PLC0415

    for pair in pairs:
        one, other = pair.names
        if pair.same:
            click.echo(f"\n{one} and {other}: {pair.same}.")
            continue
        told_apart = tell_apart(pair, bounds)
        if told_apart.scenario is None:
            text = f"{one} and {other}: no difference in {told_apart.tried} layouts and requests, which are all of these: {bounds}."
            click.echo("\n" + textwrap.fill(text, 100))
            continue
        click.echo(f"\n{one} and {other} differ here ({told_apart.tried} tried): {_words(told_apart.scenario)}")
        for name, way in zip(pair.names, pair.ways, strict=True):
            click.echo(f"as {name}:")
            observation = answer_all(told_apart.scenario, way)
            click.echo(textwrap.indent(sketch(told_apart.scenario, observation), "  "))
            for exchange in observation.exchanges:
                _rest(exchange)


def _words(scenario: Scenario) -> str:
    """The layout and the limits of a small scenario in a line: what the drawing has no room for."""
    from spec.fetch.steps import Fetch  # noqa: PLC0415
    from spec.layout import Batch  # noqa: PLC0415 - keeps --help quick

    logs = []
    for partition in scenario.layout.partitions:
        batches = [entry for entry in partition.entries() if isinstance(entry, Batch)]
        logs.append(" ".join(f"{batch.records}{'' if batch.codec == 'none' else ' ' + batch.codec}" for batch in batches))
    extra = [f", {name} {value}" for step in scenario.steps if isinstance(step, Fetch) for name, value in step.extra]
    return f"batches of {' | '.join(logs)} records" + "".join(extra)


def _rest(exchange: Exchange) -> None:
    """What of an answer is not drawn: how long it was held back, and the aborted transactions that it lists."""
    from spec.fetch.outcomes import FetchAnswer  # noqa: PLC0415 - keeps --help quick

    if exchange.elapsed_ms >= 1:
        click.echo(f"    held back for {exchange.elapsed_ms:.0f} ms")
    for got in exchange.outcome.partitions if isinstance(exchange.outcome, FetchAnswer) else ():
        if got.aborted:
            click.echo(f"    aborted transactions listed: {len(got.aborted)}")


def _list() -> None:
    from spec.catalogue import catalogue  # noqa: PLC0415 - keeps --help quick
    from spec.max_records.axes import AXES, ELSEWHERE  # noqa: PLC0415

    click.echo("Open questions of the draft MaxRecords (KAFKA-19554), the default first named; --profile answers them:")
    for axis in AXES:
        click.echo(f"  {axis.id:<8} {axis.name:<11} {' | '.join(reading.name for reading in axis.readings):<36} {axis.asks}")
    click.echo("\nAmbiguities of the draft that are no question of their own:")
    for name, why in ELSEWHERE.items():
        click.echo(textwrap.fill(f"{name:<8} {why}", 100, initial_indent="  ", subsequent_indent=" " * 11))
    click.echo("\nClauses with readings; a run ends by saying which of them fit:")
    for found in catalogue().values():
        if found.readings:
            click.echo(f"  {found.id}  {' | '.join(reading.name for reading in found.readings)}")
