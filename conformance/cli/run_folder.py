"""The run folder: the event log's place, and the files that are made from it when the run is
over.
"""

from __future__ import annotations

import fcntl
import os
import secrets
from contextlib import contextmanager
from dataclasses import field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.cli.asked_files import AskedFiles, note
from conformance.cli.common import known_relations
from conformance.cli.errors import wrong
from results.annotations import annotation_lines
from results.badge import write_badge
from results.cases import case_file, reading_file
from results.clauses import catalogue
from results.export import write_summary
from results.files import ReportError, write_whole
from results.junit import write_junit
from results.report import report, report_of
from results.sarif import write_sarif
from results.step_summary import append_step_summary
from results.terminal import show
from results.text import plain
from spec.canonical import write_scenario
from spec.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.console import Console

    from results.summary import Summary


def new_run_id() -> str:
    """The id of a run that starts now, which is its folder's name too."""
    return f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"


def make_run_folder(folder: Path) -> None:
    """Make a run's folder, and write where it is to the file that FENCEPOST_RUN_FOLDER_FILE names:
    a program that started this one finds it there.
    """
    make_folder(folder)
    try:
        if path_file := os.environ.get("FENCEPOST_RUN_FOLDER_FILE"):
            Path(path_file).write_text(str(folder.resolve()), encoding="utf-8")
    except OSError as failed:
        raise wrong(
            f"expected to write {path_file}, found: {failed.strerror}; name another file in "
            "FENCEPOST_RUN_FOLDER_FILE"
        ) from failed


def make_folder(folder: Path) -> None:
    """Make a folder, for one run or to hold those of several."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as failed:
        raise wrong(
            f"expected to make the run folder {folder}, found: {failed.strerror}; name another "
            "place by --out"
        ) from failed


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Keep all other runs out of a run folder that is there.

    Raises:
        ClickException: another run writes to it.
    """
    folder_itself = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(folder_itself, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as taken:
            raise wrong(
                f"expected a run folder that no run writes to, found one that uses {folder}; wait "
                "until it ends, or stop it"
            ) from taken
        yield
    finally:
        os.close(folder_itself)


@frozen
class OptionalFiles:
    """Files that a run writes only where they are asked for.

    Attributes:
        sarif: where the breaks go as SARIF.
        badge: where the verdict goes as a badge.
        asked: notes where one of them can't be written, for the command's exit code.
    """

    sarif: Path | None = None
    badge: Path | None = None
    asked: AskedFiles = field(default_factory=AskedFiles)


_OPTIONAL = frozenset({"sarif", "badge"})
_NAMED_IN_SUMMARY = frozenset({"junit", "json"}) | _OPTIONAL


def write_outcome(
    folder: Path,
    summary: Summary,
    console: Console,
    *,
    strict: bool,
    verbose: bool = False,
    more: OptionalFiles | None = None,
) -> None:
    """Write the files of a run beside its event log, and show the summary: JUnit, JSON, and a
    scenario file for each kind of break and for each reading (one way to understand a text) that
    was ruled out.

    A file that can't be written takes nothing from the verdict: a note after the summary says why,
    on standard error where it is one of `more` or the console is silent.
    With `verbose` the summary leaves nothing out.
    """
    more = more or OptionalFiles()
    writers = _writers(folder, summary, more, strict=strict)
    paths, problems = {"events": folder / "events.jsonl"}, []
    for name, write in writers.items():
        try:
            written = write()
        except ReportError as failed:
            problems.append((name, failed))
        else:
            if name in _NAMED_IN_SUMMARY and written is not None:
                paths[name] = written
    for line in annotation_lines(summary, strict=strict):
        console.print(line, soft_wrap=True)
    show(summary, console, paths=paths, verbose=verbose)
    for name, problem in problems:
        if name in _OPTIONAL:
            more.asked.note_failure(problem)
        elif console.quiet:
            note(str(problem))
        else:
            console.print(f"note: {plain(str(problem))}", soft_wrap=True)


def _writers(
    folder: Path, summary: Summary, more: OptionalFiles, *, strict: bool
) -> dict[str, Callable[[], Path | None]]:
    """What writes each file, by a name for it."""
    subjects = (summary.header.subject,) if summary.header is not None else ()
    writers: dict[str, Callable[[], Path | None]] = {
        "junit": lambda: write_junit(summary, folder / "junit.xml", strict=strict),
        "json": lambda: write_summary(summary, catalogue(*subjects), folder / "summary.json"),
        "step summary": lambda: append_step_summary(summary),
    }
    if more.sarif is not None:
        as_sarif = partial(write_sarif, summary, catalogue(*subjects), more.sarif, strict=strict)
        writers["sarif"] = as_sarif
    if more.badge is not None:
        writers["badge"] = partial(write_badge, summary, more.badge)
    for cluster in summary.clusters:
        if cluster.example is not None:
            scenario = write_scenario(cluster.example)
            writers[case_file(cluster)] = partial(
                write_whole, folder / case_file(cluster), scenario
            )
    for ruled_out in summary.readings:
        file = reading_file(ruled_out)
        scenario = write_scenario(ruled_out.scenario)
        writers[file] = partial(write_whole, folder / file, scenario)
    return writers


def write_report(folder: Path, console: Console, summary: Summary | None = None) -> None:
    """Make the HTML report; where it can't be made, a line says why and the run's exit code stands.

    Args:
        folder: the run's.
        console: where to say so.
        summary: of the whole log, where it was counted as it was written; None reads the log.
    """
    try:
        relations = known_relations([folder])
        made = (
            report([folder], relations=relations)
            if summary is None
            else report_of(summary, folder, relations=relations)
        )
    except (Exception, KeyboardInterrupt) as failed:  # noqa: BLE001 - whatever a report dies of, the verdict stands
        why = plain(str(failed)) or (
            "interrupted" if isinstance(failed, KeyboardInterrupt) else type(failed).__name__
        )
        problem = f"no report was made: {why}; `fencepost report {folder}` makes it from the log"
        if console.quiet:
            note(problem)
        else:
            console.print(problem, soft_wrap=True)
        return
    for name, path in dict(made.paths).items():
        console.print(f"{name}: {path}", soft_wrap=True)
    console.print(f"report made in {made.seconds:.1f} s, apart from the run")
