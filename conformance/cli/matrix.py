"""`fencepost matrix`: every subject on every release, or the runs that are there already."""

from __future__ import annotations

import sys
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance.cli.console import make_console
from conformance.cli.done import Done, joint_exit_code
from conformance.cli.errors import report_errors, wrong
from conformance.cli.many_runs import (
    do_run,
    read_runs,
    scenarios_option,
    seed_of_all_option,
)
from conformance.cli.run_folder import make_folder, new_run_id
from conformance.cli.subject_options import many_subjects_option
from conformance.exit_codes import INTERRUPTED
from conformance.subjects.registry import RUNNERS
from conformance.systems.jars import available_versions
from conformance.systems.resolving import must_be_startable
from results.followed_readings import readings_followed
from results.matrix import matrix_of
from results.matrix_export import write_matrix
from results.matrix_text import show_followed, show_matrix

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console


@click.command()
@click.argument("runs", nargs=-1, type=click.Path(path_type=Path), metavar="[RUN]...")
@click.option(
    "--kafka",
    "releases",
    multiple=True,
    metavar="VERSION",
    help="Apache Kafka release to start here; repeatable. By default all that are locked.",
)
@many_subjects_option
@scenarios_option("subject on each release")
@seed_of_all_option
@click.option(
    "--strict", is_flag=True, help="Fail on deviations from Apache Kafka's own behaviour too."
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("fencepost-runs"),
    show_default=True,
    help="Where the folder of the runs goes.",
)
@click.option(
    "--json",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the matrix there too.",
)
@click.option("--verbose", is_flag=True, help="Show the clauses that hold everywhere too.")
@report_errors
def matrix(
    runs: tuple[Path, ...],
    releases: tuple[str, ...],
    subjects: tuple[str, ...],
    scenarios: int,
    seed: int,
    out: Path,
    file: Path | None,
    *,
    strict: bool,
    verbose: bool,
) -> None:
    """Show each clause by release: run every subject on every release, or read the RUN folders.

    One release after the other is started, its run folders are kept, and a release that can't be
    had, or a run that fails, does not end the others. Runs on any broker can be put side by side
    by their folders, those with --bootstrap-server included.

    \b
    Exit codes: that of the worst run, the first of 2, 130, 1, 4, 3 and 0.
    """  # noqa: D301 - click wants the character itself
    console = make_console()
    if runs:
        if releases or subjects:
            raise wrong("expected RUN folders, or releases and subjects to run, found both")
        done = read_runs(runs)
    else:
        for release in releases:
            must_be_startable(release)
        place = out / f"matrix-{new_run_id()}"
        make_folder(place)
        words = ["--scenarios", str(scenarios), "--seed", str(seed)]
        words += ["--strict"] if strict else []
        names = subjects or tuple(one.subject for one in RUNNERS if one.brokers == 1)
        done = play(releases or available_versions(), names, words, place, console)
    summaries = [one.summary for one in done if one.summary is not None]
    found = matrix_of(summaries)
    show_matrix(found, console, verbose=verbose)
    show_followed(readings_followed(summaries), console)
    for one in done:
        if one.folder is not None:
            console.print(f"run     {one.folder}", soft_wrap=True)
    if file is not None:
        click.echo(f"json    {write_matrix(found, file)}")
    sys.exit(joint_exit_code(one.code for one in done))


def play(
    releases: Sequence[str],
    subjects: Sequence[str],
    words: Sequence[str],
    place: Path,
    console: Console,
) -> list[Done]:
    """Run each subject on each release, until one is interrupted."""
    done: list[Done] = []
    for release, subject in product(releases, subjects):
        asked = ["--kafka", release, "--subject", subject, *words]
        done.append(do_run(f"Kafka {release}, {subject}", asked, place, console))
        if done[-1].code == INTERRUPTED:
            break
    return done
