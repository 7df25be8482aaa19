"""Writes a report whole or not at all."""

import os
from pathlib import Path


class ReportError(Exception):
    """A report could not be made. The message says what was expected, what was found and what to do
    next.
    """


MADE_AGAIN = "make room or choose another folder; `fencepost report` makes the report again"
"""What to do where an HTML report can't be written."""


def write_whole(
    path: Path, content: str | bytes, advice: str = "make room or name another file"
) -> Path:
    """Put a file in place in one step, so that a reader sees the old one or the new one, never a
    part; makes its folder.

    Args:
        path: the file.
        content: what it holds.
        advice: what to do where it can't be written.

    Raises:
        ReportError: it can't be written.
    """
    data = content.encode(errors="backslashreplace") if isinstance(content, str) else content
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            temporary.write_bytes(data)
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise ReportError(
            f"expected to write {path}, found: {error.strerror or error}; {advice}"
        ) from error
    return path
