"""Standard output that no reader can break."""

from __future__ import annotations

import io
import os
import sys
from typing import Any, TextIO


class _NeverFailing(io.FileIO):
    """A descriptor that takes everything, also when nobody reads it any more.

    Attributes:
        problem: why what was written first is lost, where a reader that went away is not why.
    """

    problem: str | None = None

    def write(self, data: Any, /) -> int:
        """Write, or throw away once the reader is gone or the disk is full; the number of bytes
        taken.
        """
        try:
            return super().write(data) or 0
        except OSError as failed:
            if not isinstance(failed, BrokenPipeError):
                self.problem = failed.strerror or str(failed)
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)
            return memoryview(data).nbytes


def unbroken(stream: TextIO) -> TextIO:
    """The stream of a process, so that output never ends what the process does.

    A closed pipe swallows what follows. A character that the stream's encoding lacks is replaced.
    A stream that is no descriptor, as in a test, is given back as it is.
    """
    try:
        descriptor = stream.fileno()
        stream.flush()
    except (OSError, ValueError):
        return stream
    return io.TextIOWrapper(
        io.BufferedWriter(_NeverFailing(descriptor, "w", closefd=False)),
        encoding=stream.encoding,
        errors="backslashreplace" if stream.errors == "backslashreplace" else "replace",
        line_buffering=True,
    )


def use_unbroken_output() -> None:
    """Make standard output and standard error unbroken, for the rest of the process.

    A run continues without its reader: its verdict stands in its folder and in its exit code.
    """
    if sys.stdout is sys.__stdout__ and sys.stdout is not None:
        sys.stdout = unbroken(sys.stdout)
    if sys.stderr is sys.__stderr__ and sys.stderr is not None:
        sys.stderr = unbroken(sys.stderr)


def output_problem() -> str | None:
    """Why standard output is not whole, as on a full disk; None where it is, or where its reader
    went away.
    """
    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    if not isinstance(raw, _NeverFailing):
        return None
    sys.stdout.flush()
    return raw.problem
