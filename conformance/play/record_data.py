"""Record data of an answer, of whatever subject, in the terms of an observation."""

from __future__ import annotations

from struct import Struct as Packing
from typing import TYPE_CHECKING

import google_crc32c

from conformance.wire.batch_format import (
    AFTER_CRC,
    CURRENT_MAGIC,
    HEADER_SIZE,
    MAGIC_AT,
    PREFIX_SIZE,
    parse_unusual,
)
from conformance.wire.decoding import Malformed
from spec.kafka import MARKER_SIZE
from spec.seen_batch import SeenBatch

if TYPE_CHECKING:
    from conformance.placement.placed_partition import PlacedPartition
    from conformance.wire.batch_format import BatchHeader

COMPARED = Packing(">qi5xI2xi30xi")
"""The fields of a batch's header that are compared: base offset, length, checksum, last offset
delta, number of records.
"""
TAIL_FROM = 16
"""The byte of a batch from which on it comes back as it was sent: base offset and leader epoch,
before, are the broker's.
"""


def read_batches(
    data: bytes, placed_partition: PlacedPartition | None
) -> tuple[tuple[SeenBatch, ...], int, bool, str | None]:
    """The complete batches in some records, the bytes after them, whether those are right, and what
    could not be read.
    """
    base = placed_partition.base if placed_partition is not None else 0
    known = placed_partition.known if placed_partition is not None else {}
    batches: list[SeenBatch] = []
    position, end = 0, len(data)
    while position < end:
        if end - position < HEADER_SIZE or data[position + MAGIC_AT] != CURRENT_MAGIC:
            try:
                message = parse_unusual(data, position)
            except Malformed as wrong:
                return tuple(batches), end - position, False, f"{wrong} of the records"
            if message is None:
                break
            batches.append(_old(message, placed_partition))
            position += message.size
            continue
        offset, length, crc, delta, count = COMPARED.unpack_from(data, position)
        size = length + PREFIX_SIZE
        if size < HEADER_SIZE:
            return (
                tuple(batches),
                end - position,
                False,
                f"batch length {length} at byte {position}",
            )
        after = position + size
        if after > end:
            break
        batch = None
        if offset in known and google_crc32c.value(data[position + AFTER_CRC : after]) == crc:
            _, placed_crc, placed, magic = known[offset]
            if (
                placed.size == size
                and (placed_crc == crc or placed_crc < 0)
                and placed.records == count
                and magic == CURRENT_MAGIC
            ):
                batch = placed
        batches.append(
            batch or SeenBatch(offset - base, offset - base + delta, size, count, intact=False)
        )
        position = after
    tail = end - position
    return (
        tuple(batches),
        tail,
        not tail or _right_tail(data, position, batches, placed_partition),
        None,
    )


def _old(message: BatchHeader, placed_partition: PlacedPartition | None) -> SeenBatch:
    """A message of format 0 or 1: one record, whole in what its checksum covers."""
    placed = (
        placed_partition.known.get(message.base_offset) if placed_partition is not None else None
    )
    if (
        placed is not None
        and message.crc_ok
        and (placed.magic, placed.crc) == (message.magic, message.crc)
    ):
        return placed.seen
    offset = message.base_offset - (placed_partition.base if placed_partition is not None else 0)
    return SeenBatch(offset, offset, message.size, 1, intact=False)


def _right_tail(
    data: bytes, position: int, batches: list[SeenBatch], placed_partition: PlacedPartition | None
) -> bool:
    """Whether the bytes after the last whole batch are the head of the next batch that was
    placed.
    """
    if placed_partition is None or not batches:
        return False
    following = placed_partition.base + batches[-1].last + 1
    if following not in placed_partition.known:  # compaction left a gap, or it ends here
        later = [offset for offset in placed_partition.known if offset > following]
        if not later:
            return False
        following = min(later)
    sent = placed_partition.known[following].sent
    size = placed_partition.known[following].seen.size if sent else MARKER_SIZE
    head = following.to_bytes(8, "big") + (size - PREFIX_SIZE).to_bytes(4, "big")
    tail = data[position:]
    if tail[:12] != head[: len(tail)]:
        return False
    return not sent or tail[TAIL_FROM:] == sent[TAIL_FROM : len(tail)]
