"""Where a layout lies on a broker."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from spec.fact import fact
from spec.frozen import frozen
from spec.kafka import CURRENT_MAGIC, INT64_MAX, INT64_MIN
from spec.seen_batch import SeenBatch

if TYPE_CHECKING:
    from spec.layout import Layout


NO_PARTITION = 100_000
"""An index past those of every topic of ours: what a scenario asks of a partition that does not
exist is asked of one that is numbered from here.
"""
NO_TOPIC_ID = b"fencepost-nobody"
"""The id of no topic."""
MORE_ADDRESSES = 16
"""Partitions past the layout's that an answer is recognised by."""


class Known(NamedTuple):
    """A batch that was placed: what must come back for it.

    Attributes:
        sent: its bytes as sent (base offset 0, no leader epoch); empty for a marker, which the
            broker wrote. A message of an older format has its offset.
        crc: its checksum; -1 for a marker.
        seen: what is observed of it where it comes back as it was placed.
        magic: its format.
    """

    sent: bytes
    crc: int
    seen: SeenBatch
    magic: int = CURRENT_MAGIC


@dataclass(slots=True)
class PlacedPartition:
    """One partition of a layout on the broker.

    Attributes:
        topic, topic_id, partition: which.
        base: absolute offset of the layout's offset 0.
        leader_epoch: the partition's leader epoch.
        timestamp: of the current segment's first batch: a batch with it starts no new segment.
        known: the placed batches by absolute base offset.
        producers: the transaction's number by its producer id and absolute first offset.
    """

    topic: str
    topic_id: bytes
    partition: int
    base: int
    leader_epoch: int
    timestamp: int
    known: dict[int, Known] = field(default_factory=dict)
    producers: dict[tuple[int, int], int] = field(default_factory=dict)

    def absolute(self, offset: int) -> int:
        """Where an offset of the layout lies, clamped to int64."""
        return min(max(offset + self.base, INT64_MIN), INT64_MAX)

    def add(
        self,
        absolute: int,
        sent: bytes,
        last: int,
        records: int,
        *,
        size: int = 0,
        magic: int = CURRENT_MAGIC,
    ) -> None:
        """Remember a batch placed at an absolute offset."""
        place = 17 if magic == CURRENT_MAGIC else 12
        crc = int.from_bytes(sent[place : place + 4], "big") if sent else -1
        seen = SeenBatch(absolute - self.base, last - self.base, len(sent) or size, records)
        self.known[absolute] = Known(sent, crc, seen, magic)


@frozen(slots=False)
class Placed:
    """A layout and where each of its partitions lies."""

    layout: Layout
    placed_partitions: tuple[PlacedPartition, ...]

    def address(self, number: int) -> tuple[str, bytes, int]:
        """(topic, topic id, partition) of a layout's partition; past the layout's, by turns of a
        topic and of a partition that does not exist.
        """
        if number < len(self.placed_partitions):
            found = self.placed_partitions[number]
            return found.topic, found.topic_id, found.partition
        extra = number - len(self.placed_partitions)
        first = self.placed_partitions[0]
        if extra % 2:
            return first.topic, first.topic_id, NO_PARTITION + extra
        return f"{first.topic}-nobody-{extra}", NO_TOPIC_ID[:15] + bytes([extra & 0xFF]), 0

    @fact
    def numbers(self) -> dict[tuple[str | bytes, int], int]:
        """Each partition's number by (topic, partition) and (topic id, partition), some that do not
        exist included.
        """
        numbers: dict[tuple[str | bytes, int], int] = {}
        for number in range(len(self.placed_partitions) + MORE_ADDRESSES):
            topic, topic_id, partition = self.address(number)
            numbers[topic, partition] = number
            numbers[topic_id, partition] = number
        return numbers

    def on_the_wire(self, number: int) -> tuple[PlacedPartition, int]:
        """The topic, as one of its partitions, and the partition's index for a number in the
        layout; past the layout's, those of a partition that does not exist.
        """
        if number < len(self.placed_partitions):
            found = self.placed_partitions[number]
            return found, found.partition
        return self.placed_partitions[0], NO_PARTITION + number

    def number(self, topic: str, index: int) -> int:
        """The number in the layout of what has this topic and index on the wire; -1 for what is
        asked for by no number.
        """
        for number, one in enumerate(self.placed_partitions):
            if (one.topic, one.partition) == (topic, index):
                return number
        return max(-1, index - NO_PARTITION) if topic == self.placed_partitions[0].topic else -1
