"""Runs that a command does one after the other, with a line for each, and reads afterwards; and the
options of such commands.
"""

from __future__ import annotations

from contextlib import redirect_stdout
from io import StringIO
from typing import TYPE_CHECKING, Any, TypeVar

import click

from conformance.cli.done import Done
from conformance.cli.errors import wrong
from conformance.cli.existing_run import require_run_folder
from conformance.cli.run import run
from conformance.exit_codes import OK
from conformance.systems.jars import available_versions
from results.clauses import catalogue
from results.headline import headline
from results.log import LOG_NAME, read_header, scan
from results.summary import summarise

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from rich.console import Console

    from results.summary import Summary

F = TypeVar("F", bound="Callable[..., Any]")


def scenarios_option(each: str) -> Callable[[F], F]:
    """How many scenarios; `each` says of what."""
    return click.option(
        "--scenarios",
        type=click.IntRange(1),
        default=300,
        show_default=True,
        help=f"How many scenarios to judge, for each {each}.",
    )


seed_of_all_option = click.option(
    "--seed",
    type=click.IntRange(0),
    default=1,
    show_default=True,
    help="What the drawing starts from, the same for all.",
)


def must_be_locked(releases: Sequence[str]) -> None:
    """Refuse releases that can't be started here.

    Raises:
        ClickException: one has no lock.
    """
    known = available_versions()
    if strange := [release for release in releases if release not in known]:
        raise wrong(f"expected a release of {', '.join(known)}, found {', '.join(strange)}")


def summary_of(folder: Path) -> Summary:
    """A run, counted."""
    return summarise(scan(folder / LOG_NAME), catalogue())


def read_runs(folders: Sequence[Path]) -> list[Done]:
    """The runs that are in these folders, each taken as one that came to its end.

    Raises:
        ClickException: one holds no run.
        LogError: the event log of one does not begin as such a log does.
    """
    for folder in folders:
        require_run_folder(folder)
        read_header(folder / LOG_NAME)
    return [Done(OK, folder, summary_of(folder)) for folder in folders]


def do_run(name: str, words: Sequence[str], place: Path, console: Console) -> Done:
    """Do `fencepost run` and print its verdict behind a name, nothing else; what it refuses is said
    on standard error.

    Args:
        name: what is run, for the reader.
        words: its options, all but where its folder goes and that no report is made.
        place: the folder of the run folders.
        console: where the line goes.
    """
    before = set(place.glob(f"*/{LOG_NAME}"))
    with console.status(name), redirect_stdout(StringIO()):
        code = _code_of([*words, "--out", str(place), "--no-report", "--no-corpus"])
    for log in set(place.glob(f"*/{LOG_NAME}")) - before:
        summary = summary_of(log.parent)
        console.print(f"{name}: {'  '.join(headline(summary))}", soft_wrap=True)
        return Done(code, log.parent, summary)
    return Done(code, None, None)


def _code_of(words: list[str]) -> int:
    try:
        run.main(words, "fencepost run", standalone_mode=False)
    except click.ClickException as failed:
        failed.show()
        return failed.exit_code
    except SystemExit as ended:
        return int(ended.code or OK)
    return OK
