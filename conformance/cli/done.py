"""Runs that a command did one after the other, and their one exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.exit_codes import FOUND, INTERRUPTED, MISUSE, OK, OURS, UNREACHABLE
from spec.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from results.summary import Summary

_WORST = (MISUSE, INTERRUPTED, FOUND, OURS, UNREACHABLE, OK)


@frozen
class Done:
    """A run that was done.

    Attributes:
        code: its exit code.
        folder, summary: where its log is, and what that says; None where it did not begin.
    """

    code: int
    folder: Path | None
    summary: Summary | None


def joint_exit_code(codes: Iterable[int]) -> int:
    """The exit code of several runs: the first of 2, 130, 1, 4, 3 and 0."""
    return min(codes, key=_WORST.index, default=OK)
