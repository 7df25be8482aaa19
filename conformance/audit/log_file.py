"""The batches of a .log, read in constant memory."""

from __future__ import annotations

import zlib
from struct import Struct
from typing import TYPE_CHECKING, NamedTuple

import google_crc32c

from spec.disk.stored import CURRENT_MAGIC, PREFIX, StoredBatch, length_remark

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.audit.files import Opened
    from spec.disk.breaks import Remark

CHUNK = 2**20
_HEADER = Struct(">qiibIhiqqqhii")
_LEGACY = Struct(">qiIbb")
_TIMESTAMP = Struct(">q")
_CRC_FROM = 21
_LEGACY_CRC_FROM = 16
_MAGIC_AT = 16
_CONTROL = 0x20
_HEAD = 61


class End(NamedTuple):
    """Where the batches of a .log end, and what is behind them.

    `remark` is why they end before the file does: None at its very end; `zeros` and `torn` say
    whether what is behind is zeros alone, or part of a batch that ends behind the file.
    """

    position: int
    remark: Remark | None = None
    zeros: bool = False
    torn: bool = False


def batches(file: Opened) -> Iterator[StoredBatch | End]:
    """The batches of a file, with their CRC looked at, then where they end.

    Raises:
        UnreadableError: the disk refuses.
    """
    start, at, buffer = 0, 0, b""
    while True:
        if len(buffer) - at < _HEAD and start + len(buffer) < file.size:
            start, at, buffer = _refill(file, start, at, buffer)
        size = _size_or_end(file, buffer, at, start + at)
        if isinstance(size, End):
            yield size
            return
        if len(buffer) - at < size <= CHUNK:
            start, at, buffer = _refill(file, start, at, buffer)
        decode = _current if buffer[at + _MAGIC_AT] == CURRENT_MAGIC else _legacy
        yield decode(file, buffer, at, start + at, size)
        at += size
        if at > len(buffer):
            start, at, buffer = start + at, 0, b""


def _size_or_end(file: Opened, buffer: bytes, at: int, position: int) -> int | End:
    """The bytes of the batch at a position, all of which are in the file; otherwise the end."""
    left = file.size - position
    if left == 0:
        return End(position)
    if len(buffer) - at < min(_HEAD, left) or left < _LEGACY.size:
        return _torn_end(file, position, f"{left} bytes")
    base, length, _, magic, _ = _LEGACY.unpack_from(buffer, at)
    size = int(length) + PREFIX
    if length == 0 and base == 0 and file.first_not_zero(position) is None:
        return End(position, ("SEG-101", f"expected a batch, found {left} zero bytes"), zeros=True)
    remark = length_remark(magic, size, position)
    if remark is not None:
        return End(position, remark)
    if size > left:
        return _torn_end(file, position, f"{left} bytes of one of {size}")
    return size


def _torn_end(file: Opened, position: int, found: str) -> End:
    """The end where a batch is not all there."""
    zeros = file.first_not_zero(position) is None
    return End(position, ("SEG-101", f"expected a whole batch, found {found}"), zeros, torn=True)


def _refill(file: Opened, start: int, at: int, buffer: bytes) -> tuple[int, int, bytes]:
    """The same place with at least a chunk of bytes from it on, where there are so many."""
    kept = buffer[at:]
    return start + at, 0, kept + file.read(start + len(buffer), 2 * CHUNK - len(kept))


def _current(file: Opened, buffer: bytes, at: int, position: int, size: int) -> StoredBatch:
    """A batch of format 2."""
    base, _, epoch, magic, crc, attributes, delta, _, largest, producer, _, _, count = (
        _HEADER.unpack_from(buffer, at)
    )
    if at + size <= len(buffer):
        found = google_crc32c.value(buffer[at + _CRC_FROM : at + size])
    else:
        found = 0
        for part in _parts(file, position + _CRC_FROM, position + size):
            found = google_crc32c.extend(found, part)
    return StoredBatch(
        position,
        size,
        base,
        base + delta,
        epoch,
        magic,
        found == crc,
        largest,
        count,
        producer,
        bool(attributes & _CONTROL),
    )


def _legacy(file: Opened, buffer: bytes, at: int, position: int, size: int) -> StoredBatch:
    """A message of format 0 or 1, or a batch of a format that is unknown; a compressed message
    has the offset of the last in it, and its own first one is not stated.
    """
    offset, _, crc, magic, _ = _LEGACY.unpack_from(buffer, at)
    found = 0
    for part in _parts(file, position + _LEGACY_CRC_FROM, position + size):
        found = zlib.crc32(part, found)
    timestamp = -1
    if magic == 1 and at + _LEGACY.size + _TIMESTAMP.size <= len(buffer):
        (timestamp,) = _TIMESTAMP.unpack_from(buffer, at + _LEGACY.size)
    return StoredBatch(
        position, size, offset, offset, -1, magic, found == crc, timestamp, 1, -1, control=False
    )


def _parts(file: Opened, position: int, end: int) -> Iterator[bytes]:
    """The bytes of a range, a chunk at a time."""
    while position < end:
        part = file.read(position, min(CHUNK, end - position))
        if not part:
            return
        yield part
        position += len(part)
