"""`fencepost changes`: what a release of Kafka does otherwise than an earlier one."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance.cli.console import make_console
from conformance.cli.done import joint_exit_code
from conformance.cli.errors import report_errors, wrong
from conformance.cli.many_runs import (
    do_run,
    must_be_locked,
    scenarios_option,
    seed_of_all_option,
)
from conformance.cli.run_folder import make_folder, new_run_id
from conformance.cli.subject_options import many_subjects_option
from conformance.exit_codes import FOUND, INTERRUPTED, OK
from conformance.subjects.registry import RUNNERS
from conformance.systems.resolving import line_of
from results.changes import Changes, changes_of
from results.changes_text import changes_page
from results.clauses import catalogue
from results.files import write_whole
from spec.requirements import requirement_set

if TYPE_CHECKING:
    from results.summary import Summary

FACTS = 'release = "{release}"\nimplementation = "apache-kafka"\n'
"""The facts by which the newer release is judged as if it were the older one."""
PAGE_NAME = "changes.md"
_ON_ONE_BROKER = tuple(one.subject for one in RUNNERS if one.brokers == 1)


@click.command()
@click.argument("older")
@click.argument("newer")
@many_subjects_option
@scenarios_option("subject")
@seed_of_all_option
@click.option(
    "--shrink",
    default="3m",
    show_default=True,
    metavar="5m",
    help="Spend at most this long on making cases small, for each subject.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("fencepost-runs"),
    show_default=True,
    help="Where the folder of the runs and of the page goes.",
)
@report_errors
def changes(
    older: str,
    newer: str,
    subjects: tuple[str, ...],
    scenarios: int,
    seed: int,
    shrink: str,
    out: Path,
) -> None:
    """Write what Kafka NEWER does otherwise than Kafka OLDER, each with its smallest case.

    NEWER is started here and judged as OLDER, strictly: each break is a change, made as small as it
    goes. The page, in Markdown, also lists the clauses that one of the two alone has. The run
    folders beside it keep every scenario as a file for `fencepost explain` and `fencepost replay`.

    \b
    Exit codes: 0 the page is written, whatever changed. 2 wrong use. 3 something could not be
    judged or reached. 4 a failure of Fencepost itself. 130 interrupted.
    """  # noqa: D301 - click wants the character itself
    must_be_locked((older, newer))
    releases = line_of(older), line_of(newer)
    if releases[0] == releases[1]:
        raise wrong(
            f"expected releases of two lines, such as 4.2.2 and 4.3.1, found two of {releases[0]}"
        )
    console = make_console()
    place = out / f"changes-{new_run_id()}"
    make_folder(place)
    facts = write_whole(place / "facts.toml", FACTS.format(release=releases[0]))
    words = ["--kafka", newer, "--facts", str(facts), "--strict"]
    words += ["--scenarios", str(scenarios), "--seed", str(seed), "--shrink", shrink]
    found: list[Changes] = []
    codes: list[int] = []
    for subject in subjects or _ON_ONE_BROKER:
        name = f"Kafka {newer} as {older}, {subject}"
        done = do_run(name, [*words, "--subject", subject], place, console)
        codes.append(OK if done.code == FOUND else done.code)
        if done.summary is not None:
            found.append(_changes_of(done.summary, subject, *releases))
        if done.code == INTERRUPTED:
            break
    again = ["fencepost", "changes", older, newer, "--seed", str(seed)]
    again += ["--scenarios", str(scenarios)]
    again += [word for subject in subjects for word in ("--subject", subject)]
    page = write_whole(place / PAGE_NAME, changes_page(older, newer, found, shlex.join(again)))
    console.print(f"page    {page}", soft_wrap=True)
    sys.exit(joint_exit_code(codes))


def _changes_of(summary: Summary, subject: str, older: str, newer: str) -> Changes:
    """The changes of a subject from one release to another, as its run showed them."""
    clauses = [requirement_set(subject, release).clauses for release in (older, newer)]
    return changes_of(summary, catalogue(subject), *clauses)
