"""Reads a broker's log for the reason of a failed start."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

LOGGING = (
    "-Dorg.slf4j.simpleLogger.defaultLogLevel=info",
    "-Dorg.slf4j.simpleLogger.showDateTime=true",
    "-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS",
    "-Dorg.slf4j.simpleLogger.levelInBrackets=true",
)
"""Options for Java that make the log binding of our locks write each line with time and level to
standard error.
"""

_TAIL_BYTES = 256 << 10
_CAUSE = re.compile(r"^Caused by: (?P<what>.+)")
_THROWN = re.compile(
    r"^(?:Exception in thread \"[^\"]*\" )?(?P<what>(?:[\w$]+\.)+[\w$]*(?:Exception|Error)\b.*)"
)
_ERROR = re.compile(r"\[(?:ERROR|FATAL)\] \S+ - (?P<what>.+)|^(?:Error|ERROR|error):? (?P<java>.+)")
_ADDRESS_IN_USE = re.compile(r"Address already in use|failed to bind to", re.IGNORECASE)


def tail(log: Path, lines: int) -> tuple[str, ...]:
    """The last lines of a log, at most `lines`; none if there is no log."""
    return since(log, 0)[-lines:] if lines > 0 else ()


def since(log: Path, position: int) -> tuple[str, ...]:
    """The lines written after a byte position, as far as they lie in the last 256 KiB; none if
    there is no log.
    """
    try:
        with log.open("rb") as content:
            size = content.seek(0, 2)
            content.seek(max(position, size - _TAIL_BYTES))
            return tuple(content.read().decode(errors="replace").splitlines())
    except OSError:
        return ()


def reason(lines: Sequence[str]) -> str | None:
    """Why a broker ended, in its own words: the innermost cause of the first exception logged,
    otherwise the first error.

    None if the lines say nothing.
    """
    thrown: str | None = None
    error: str | None = None
    for line in lines:
        if cause := _CAUSE.match(line):
            thrown = cause["what"]
        elif thrown is not None and not line.startswith(("\t", " ")):
            break
        elif thrown is None and (found := _THROWN.match(line)):
            thrown = found["what"]
        elif error is None and (logged := _ERROR.search(line)):
            error = logged["what"] or logged["java"]
    return thrown or error


def address_in_use(lines: Sequence[str]) -> bool:
    """Whether the broker ended because another process has its port."""
    return any(_ADDRESS_IN_USE.search(line) for line in lines)
