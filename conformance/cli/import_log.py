"""`fencepost import`: a scenario with the layout of a real segment."""

from __future__ import annotations

from pathlib import Path

import click

from conformance.audit.shapes import nearest_writable_shape, shapes_of
from conformance.cli.errors import report_errors, wrong
from spec.canonical import write_scenario
from spec.disk.shapes import imported_layout
from spec.fetch.steps import Fetch, FetchPartition
from spec.layout import Layout, LayoutError, validate
from spec.scenario import Scenario


@click.command("import")
@click.argument("log", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--batches",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    metavar="N",
    help="Take at most so many batches, from the start of the segment.",
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the scenario there instead of to the terminal.",
)
@report_errors
def import_log(log: Path, *, batches: int, out: Path | None) -> None:
    """Write a scenario that fetches from the layout of a real segment, LOG: sizes, counts, codecs,
    transactions and gaps of its batches, nothing of what their records hold.

    The file can be kept, mailed, drawn by `explain` and played by `replay`.
    """
    stored = list(shapes_of(log, batches))
    shapes = [nearest_writable_shape(shape) for shape in stored]
    found = imported_layout(shapes)
    layout = Layout((found.partition,))
    try:
        validate(layout)
    except LayoutError as bad:
        raise wrong(f"{log} has no layout that can be played: {bad}; take fewer --batches") from bad
    scenario = Scenario(layout, (Fetch((FetchPartition(0, 0),)),))
    text = write_scenario(scenario)
    if out is None:
        click.echo(text)
    else:
        out.write_text(f"{text}\n", encoding="utf-8")
    changed = sum(one != other for one, other in zip(stored, shapes, strict=True))
    if changed:
        click.echo(
            f"note: {changed} batches are smaller than any that can be made here with their codec; "
            "they are uncompressed, or larger",
            err=True,
        )
    for note in found.notes:
        click.echo(f"note: {note}", err=True)
