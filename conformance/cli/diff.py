"""`fencepost diff`: what changed from one run to another."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from conformance.cli.asked_files import AskedFiles
from conformance.cli.console import make_console
from conformance.cli.errors import report_errors
from conformance.cli.existing_run import require_run_folder
from conformance.exit_codes import FOUND, OK, UNREACHABLE
from results.diff import Kind, compare, view
from results.diff_export import write_diff
from results.diff_text import show_diff
from results.log import LOG_NAME, read_header, scan


@click.command()
@click.argument("before", type=click.Path(path_type=Path), metavar="RUN_A")
@click.argument("after", type=click.Path(path_type=Path), metavar="RUN_B")
@click.option(
    "--json",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the whole comparison there too.",
)
@click.option(
    "--verbose",
    is_flag=True,
    help="List every break, those that stayed and those of one run alone included.",
)
@report_errors
def diff(before: Path, after: Path, *, file: Path | None, verbose: bool) -> None:
    """Compare two run folders by clause and scenario: what is new, changed, fixed, and what stayed.

    A scenario is compared with itself, so run both with the same --seed and --scenarios. Nothing
    cancels out: one new break and one that is gone are shown as both. A break is fixed where RUN_B
    judged the same clause on the same scenario and it held. No Spark is needed; `fencepost report
    RUN...` makes tables over many runs.

    \b
    Exit codes: 0 nothing new. 1 a break that no finding lists is new, or changed for the worse. 2
    wrong use, or a log that can't be read. 3 no scenario in common, or a break of RUN_A on which
    RUN_B has no record. 4 FILE can't be written.
    """  # noqa: D301 - click wants the character itself
    for folder in (before, after):
        require_run_folder(folder)
        read_header(folder / LOG_NAME)
    found = compare(view(scan(before / LOG_NAME)), view(scan(after / LOG_NAME)))
    console = make_console()
    show_diff(found, console, paths=(before, after), verbose=verbose)
    asked = AskedFiles()
    if file is not None:
        with asked.writing():
            click.echo(f"json: {write_diff(found, file, paths=(before, after))}")
    undecided = not found.both or found.count(Kind.UNDECIDED)
    sys.exit(asked.code(FOUND if found.worse else UNREACHABLE if undecided else OK))
