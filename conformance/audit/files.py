"""Files of a data folder, read and never written: hostile, sparse, or gone a moment later."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import contextmanager
from typing import TYPE_CHECKING

from spec.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LARGEST_TEXT = 16 * 2**20
"""Bytes of a text file or snapshot that are read at once; a larger one is a finding."""
_ZEROS = bytes(2**16)


class UnreadableError(Exception):
    """A file that can't be read as the plain file that it should be; with the reason."""


class VanishedError(Exception):
    """A file that was listed and is not there any more, as a running broker removes them."""


@frozen
class Opened:
    """A file that is read.

    Attributes:
        fd: its descriptor.
        size: bytes when it was opened; what is appended later is not looked at.
    """

    fd: int
    size: int

    def read(self, position: int, count: int) -> bytes:
        """At most so many bytes from a position on, fewer at the end.

        Raises:
            UnreadableError: the disk refuses.
        """
        wanted = max(0, min(count, self.size - position))
        parts: list[bytes] = []
        try:
            while wanted:
                part = os.pread(self.fd, wanted, position)
                if not part:
                    break
                parts.append(part)
                position += len(part)
                wanted -= len(part)
        except OSError as failed:
            raise UnreadableError(str(failed)) from failed
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def first_not_zero(self, position: int) -> int | None:
        """The position of the first byte from there on that is not zero; None where all are. Holes
        of a sparse file are not read.

        Raises:
            UnreadableError: the disk refuses.
        """
        while position < self.size:
            try:
                position = os.lseek(self.fd, position, os.SEEK_DATA)
            except OSError as failed:
                if failed.errno == errno.ENXIO:
                    return None
                raise UnreadableError(str(failed)) from failed
            part = self.read(position, len(_ZEROS))
            if part != _ZEROS[: len(part)]:
                return position + len(part) - len(part.lstrip(b"\0"))
            if not part:
                return None
            position += len(part)
        return None


@contextmanager
def open_regular_file(path: Path) -> Iterator[Opened]:
    """A plain file, open for reading.

    Raises:
        VanishedError: there is none.
        UnreadableError: it is something else, or may not be read.
    """
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        fd = os.open(path, flags)
    except FileNotFoundError as gone:
        raise VanishedError(path.name) from gone
    except OSError as failed:
        reason = failed.strerror or str(failed)
        raise UnreadableError(f"expected a plain file, found: {reason}") from failed
    try:
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode):
            raise UnreadableError("expected a plain file, found something else")
        yield Opened(fd, found.st_size)
    finally:
        os.close(fd)


def read_small(path: Path) -> bytes:
    """All of a file that should be small.

    Raises:
        VanishedError: there is none.
        UnreadableError: it may not be read, is no plain file, or too large.
    """
    with open_regular_file(path) as file:
        if file.size > LARGEST_TEXT:
            raise UnreadableError(f"expected at most {LARGEST_TEXT} bytes, found {file.size}")
        return file.read(0, file.size)
