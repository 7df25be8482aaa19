"""`fencepost spec`: the catalogue."""

from __future__ import annotations

import textwrap

import click

from conformance.cli.common import told
from spec.catalogue import catalogue, examples
from spec.catalogue import clause as find
from spec.errata import ERRATA


@click.command()
@click.argument("clause", required=False)
@told
def spec(clause: str | None) -> None:
    """List the clauses, or show one with its sources, readings and examples; then the errata of the
    sources.
    """
    if clause is None:
        _list()
        return
    found = find(clause)
    click.echo(f"{found.id}  {found.strength}, {found.limit_class}, since Kafka {found.since}")
    for text in (found.statement, found.explanation):
        if text:
            click.echo(textwrap.fill(text, 100))
    if found.excluded:
        click.echo(f"excluded: {found.excluded}")
    if found.fence:
        click.echo(textwrap.fill(f"fence: {found.fence}", 100))
    if found.never.sides:
        click.echo(
            textwrap.fill(
                f"never {' or '.join(found.never.sides.names)} the fence: {found.never.reason}", 100
            )
        )
    for source in found.sources:
        click.echo(f"source: {source}")
    for reading in found.readings:
        click.echo(textwrap.fill(f"reading '{reading.name}': {reading.statement}", 100))
    for example in examples().get(found.id, ()):
        click.echo(f"example: {example.title} (`fencepost explain {found.id}` draws it)")


def _list() -> None:
    for found in sorted(catalogue().values(), key=lambda one: one.id):
        mark = "excluded" if found.excluded else found.strength.value
        click.echo(
            f"{found.id}  {mark:<11} {textwrap.shorten(found.statement, 100, placeholder=' …')}"
        )
    click.echo("\nErrata of the sources:")
    for one in ERRATA:
        text = f'{one.source}: "{one.says}". Found: {one.found} ({one.evidence})'
        click.echo(textwrap.fill(text, 100, initial_indent="  ", subsequent_indent="    "))
