"""What holds of each batch of a .log."""

from collections.abc import Iterator
from typing import NamedTuple

from spec.disk.breaks import Remark

MOST_RELATIVE = 2**31 - 1
SMALLEST_BATCH = 61
SMALLEST_MESSAGE = 26
"""Bytes of the smallest message of format 0."""
PREFIX = 12
CURRENT_MAGIC = 2


class StoredBatch(NamedTuple):
    """A batch as it lies in a .log; a message of format 0 or 1 is one of one record."""

    position: int
    size: int
    base: int
    last: int
    epoch: int
    magic: int
    crc_ok: bool
    max_timestamp: int
    records: int
    producer_id: int
    control: bool


class PrecedingBatch(NamedTuple):
    """What was before a batch: the last offset, the largest leader epoch, -1 for nothing, and the
    base offset of its segment.
    """

    last: int
    epoch: int
    segment: int


def batch_remarks(batch: StoredBatch, before: PrecedingBatch) -> tuple[Remark, ...]:
    """What is wrong with a batch, alone and behind what was before it."""
    sound = (
        batch.crc_ok
        and 0 <= batch.magic <= CURRENT_MAGIC
        and before.segment <= batch.base
        and before.last < batch.base <= batch.last <= before.segment + MOST_RELATIVE
        and 0 <= batch.records <= batch.last - batch.base + 1
        and (batch.epoch >= before.epoch or batch.epoch == -1)
    )
    return () if sound else tuple(_remarks(batch, before))


def _remarks(batch: StoredBatch, before: PrecedingBatch) -> Iterator[Remark]:
    span = f"offsets {batch.base} to {batch.last}"
    if not 0 <= batch.magic <= CURRENT_MAGIC:
        yield "SEG-102", f"expected magic 0, 1 or 2, found {batch.magic}"
        return
    if not batch.crc_ok:
        yield "SEG-103", f"the batch of {span} does not have the CRC that it states"
    if batch.base < before.segment:
        yield "SEG-104", f"expected offsets from {before.segment} on, found {span}"
    elif batch.base <= before.last:
        yield "SEG-104", f"expected offsets above {before.last}, found {span}"
    if batch.last - before.segment > MOST_RELATIVE:
        most = before.segment + MOST_RELATIVE
        yield "SEG-105", f"expected offsets up to {most} in segment {before.segment}, found {span}"
    if batch.last < batch.base:
        yield "SEG-107", f"expected a last offset from {batch.base} on, found {batch.last}"
    elif not 0 <= batch.records <= batch.last - batch.base + 1:
        yield "SEG-107", f"expected at most as many records as {span}, found {batch.records}"
    if -1 != batch.epoch < before.epoch:
        yield "SEG-108", f"expected leader epoch {before.epoch} or above, found {batch.epoch}"


def length_remark(magic: int, size: int, position: int) -> Remark | None:
    """Why the batch at a position can't be one that is so long; None where it can."""
    smallest = SMALLEST_BATCH if magic == CURRENT_MAGIC else SMALLEST_MESSAGE
    if size < smallest:
        return "SEG-101", f"expected a batch of at least {smallest} bytes, found one of {size}"
    if position > MOST_RELATIVE:
        return "SEG-106", f"expected positions up to {MOST_RELATIVE}, found a batch at {position}"
    return None
