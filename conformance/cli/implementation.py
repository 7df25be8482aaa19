"""`fencepost implementation`: what an implementation supports, violates and deviates in, as a
page.
"""

from __future__ import annotations

import shlex
import sys
from contextlib import redirect_stderr
from io import StringIO
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
from conformance.exit_codes import FOUND, INTERRUPTED, MISUSE, OK
from conformance.subjects.registry import RUNNERS
from conformance.systems.implementation_sources import MAKES
from conformance.systems.registry import find
from results.clauses import catalogue
from results.files import write_whole
from results.implementation_page import findings_of, implementation_page, scenario_files

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from results.summary import Summary


@click.command()
@click.argument("system", metavar="SYSTEM")
@click.argument("runs", nargs=-1, type=click.Path(path_type=Path), metavar="[RUN]...")
@many_subjects_option
@scenarios_option("subject")
@seed_of_all_option
@click.option(
    "--shrink",
    metavar="5m",
    default="2m",
    show_default=True,
    help="Spend at most this long on making the breaks of a subject small.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("docs/implementations"),
    show_default=True,
    help="Where the page and the folder of its scenario files go.",
)
@click.option(
    "--write-findings",
    "findings",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write each kind of break as a finding there too.",
)
@report_errors
def implementation(
    system: str,
    runs: tuple[Path, ...],
    subjects: tuple[str, ...],
    scenarios: int,
    seed: int,
    shrink: str,
    out: Path,
    findings: Path | None,
) -> None:
    """Write the page of the implementation SYSTEM: what it supports, violates and deviates in.

    Each subject is run on it, or the RUN folders are read; the page has each kind of break with its
    smallest case, drawn, and the command that plays it again. The cases are files in a folder
    beside the page.

    \b
    Exit codes: 0 the page is written, whatever broke. 2 wrong use. 3 something could not be judged
    or reached. 4 a failure of Fencepost itself. 130 interrupted.
    """  # noqa: D301 - click wants the character itself
    names = [make.name for make in MAKES]
    if system not in names:
        raise wrong(f"expected an implementation of {', '.join(names)}, found {system!r}")
    console = make_console()
    refused: dict[str, str] = {}
    if runs:
        done = read_runs(runs)
        refused = _unfit(system, done)
    else:
        place = Path("fencepost-runs") / f"{system}-{new_run_id()}"
        make_folder(place)
        done = []
        for runner in RUNNERS:
            if subjects and runner.subject not in subjects:
                continue
            if missing := runner.missing(find(system).create()):
                refused[runner.subject] = missing
                continue
            words = [system, "--subject", runner.subject, "--scenarios", str(scenarios)]
            words += ["--seed", str(seed), "--shrink", shrink, "--no-shipped-findings"]
            with redirect_stderr(StringIO()) as said:
                done.append(do_run(f"{system}, {runner.subject}", words, place, console))
            click.echo(said.getvalue(), err=True, nl=False)
            if "Error: " in said.getvalue():
                why = said.getvalue().rpartition("Error: ")[2].strip()
                refused[runner.subject] = why.removeprefix(f"--subject {runner.subject}: ")
            if done[-1].code == INTERRUPTED:
                break
    found = [one.summary for one in done if one.summary is not None and one.summary.scenarios]
    again = ["fencepost", "implementation", system, "--scenarios", str(scenarios)]
    again += ["--seed", str(seed)]
    again += [word for subject in subjects for word in ("--subject", subject)]
    again += ["--write-findings", str(findings)] if findings is not None else []
    for path in _write_page(system, found, refused, out, findings, shlex.join(again)):
        console.print(f"page    {path}", soft_wrap=True)
    sys.exit(page_exit_code(done, chosen=bool(subjects)))


def page_exit_code(done: Iterable[Done], *, chosen: bool) -> int:
    """The exit code once the page is written: breaks are what it is for, and so is that an
    implementation is not fit for a subject, unless the subjects were chosen.
    """
    expected = (FOUND,) if chosen else (FOUND, MISUSE)
    return joint_exit_code(OK if one.code in expected else one.code for one in done)


def _unfit(system: str, done: Sequence[Done]) -> dict[str, str]:
    """Why the system is not fit for the subjects that were not run, by their names."""
    summaries = [one.summary for one in done if one.summary is not None]
    there = {one.header.subject for one in summaries if one.header is not None}
    broker = find(system).create()
    reasons = {one.subject: one.missing(broker) for one in RUNNERS if one.subject not in there}
    return {subject: why for subject, why in reasons.items() if why}


def _write_page(
    system: str,
    found: Sequence[Summary],
    refused: dict[str, str],
    out: Path,
    findings: Path | None,
    again: str,
) -> list[Path]:
    """Write the page, its scenario files in place of earlier ones, and the findings; where."""
    folder = out / system
    for old in folder.glob("*.json"):
        old.unlink()
    for name, content in scenario_files(found).items():
        write_whole(folder / name, content)
    page = implementation_page(system, found, refused, catalogue(), again)
    paths = [write_whole(out / f"{system}.md", page)]
    if findings is not None:
        paths.append(write_whole(findings, findings_of(system, found)))
    return paths
