"""Files that a command writes because its user named them: one that can't be written takes nothing
from a verdict.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from conformance.cli.done import joint_exit_code
from conformance.exit_codes import OURS
from results.files import ReportError
from results.text import plain

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(slots=True)
class AskedFiles:
    """The named files of one command.

    Attributes:
        failed: one could not be written.
    """

    failed: bool = False

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Write one here: where that fails, a note on standard error names it."""
        try:
            yield
        except ReportError as problem:
            self.note_failure(problem)

    def note_failure(self, problem: ReportError) -> None:
        """Note on standard error that one could not be written, and keep it for the exit code."""
        self.failed = True
        note(str(problem))

    def code(self, verdict: int) -> int:
        """The exit code: the verdict's, or 4 where a file is missing and that comes first."""
        return joint_exit_code((verdict, OURS)) if self.failed else verdict


def note(problem: str) -> None:
    """Print a note on standard error, which no option silences."""
    click.echo(f"note: {plain(problem, 1000)}", err=True)
