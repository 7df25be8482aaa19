"""The rules of a `.snapshot` file: what a partition knew of its idempotent and transactional
producers at one offset, which names the file. A broker reads the newest one when it starts, and
then only the batches from that offset on.
"""

from collections.abc import Callable, Iterator
from struct import Struct

from spec.disk.breaks import Remark

HEAD = Struct(">hIi")
"""Version, CRC-32C of all that follows it, number of entries."""
ENTRY = Struct(">qhiqiqiq")
"""Producer id, epoch, last sequence, last offset, offset delta, timestamp, coordinator epoch, first
offset of the open transaction.
"""
VERSION = 1
CRC_FROM = 6


def snapshot_remarks(
    data: bytes, name: int, crc32c: Callable[[bytes], int]
) -> Iterator[tuple[int, Remark]]:
    """Each break of a rule in a snapshot, with the position of the byte in the file.

    Args:
        data: all of the file.
        name: the offset in its name; only batches below it are in the snapshot.
        crc32c: computes the CRC-32C of bytes.
    """
    if len(data) < HEAD.size:
        yield 0, ("SEG-160", f"expected at least {HEAD.size} bytes, found {len(data)}")
        return
    version, crc, count = HEAD.unpack_from(data)
    if version != VERSION:
        yield 0, ("SEG-160", f"expected version {VERSION}, found {version}")
        return
    if crc32c(data[CRC_FROM:]) != crc:
        yield 2, ("SEG-160", "expected the CRC of what follows, found another one")
        return
    if len(data) != HEAD.size + count * ENTRY.size:
        found = f"{len(data) - HEAD.size} bytes"
        yield (
            CRC_FROM,
            ("SEG-160", f"expected {count} entries of {ENTRY.size} bytes, found {found}"),
        )
        return
    yield from _entry_remarks(data, name)


def _entry_remarks(data: bytes, name: int) -> Iterator[tuple[int, Remark]]:
    known: set[int] = set()
    for position in range(HEAD.size, len(data), ENTRY.size):
        producer, _, _, last, *_ = ENTRY.unpack_from(data, position)
        if producer in known:
            yield position, ("SEG-161", f"expected each producer once, found {producer} again")
        known.add(producer)
        if last >= name:
            yield (
                position,
                ("SEG-161", f"expected offsets below {name}, found {last} of producer {producer}"),
            )
