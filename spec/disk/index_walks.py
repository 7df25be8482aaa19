"""What holds of index entries, seen beside the batches of their segment in order.

A walk is given the entries one by one and the batches one by one, and keeps only the entry that
the next batches decide, so that its memory does not grow.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from spec.disk.breaks import Remark
from spec.disk.stored import CURRENT_MAGIC, StoredBatch

NO_POSITION = 2**63


class OffsetEntry(NamedTuple):
    """An entry of an offset index: where it stands, its offset, its position."""

    at: int
    offset: int
    position: int


class TimeEntry(NamedTuple):
    """An entry of a time index: where it stands, its timestamp, its offset."""

    at: int
    timestamp: int
    offset: int


class AbortedEntry(NamedTuple):
    """An entry of a transaction index: where it stands and what it names."""

    at: int
    version: int
    producer_id: int
    first: int
    last: int


Found = tuple[int, Remark]
"""Where an entry stands, and what is wrong with it."""


def offset_order(before: OffsetEntry | None, entry: OffsetEntry, segment: int) -> Remark | None:
    """What is wrong with an entry behind the one before it; None where nothing is."""
    offset, position = (segment - 1, 0) if before is None else (before.offset, before.position)
    if entry.offset > offset and entry.position > position:
        return None
    return (
        "SEG-121",
        (
            f"expected an offset above {offset} and a position above {position}, found offset "
            f"{entry.offset} at position {entry.position}"
        ),
    )


def time_order(before: TimeEntry | None, entry: TimeEntry, segment: int) -> Remark | None:
    """What is wrong with an entry behind the one before it; None where nothing is."""
    timestamp, offset = (-1, segment) if before is None else (before.timestamp, before.offset)
    if entry.timestamp > timestamp and entry.offset >= offset:
        return None
    return (
        "SEG-130",
        (
            f"expected a timestamp above {timestamp} and an offset from {offset} on, found "
            f"{entry.timestamp} with {entry.offset}"
        ),
    )


def aborted_order(before: AbortedEntry | None, entry: AbortedEntry, segment: int) -> Remark | None:
    """What is wrong with an entry behind the one before it; None where nothing is."""
    last = segment - 1 if before is None else before.last
    if entry.version == 0 and 0 <= entry.first <= entry.last and entry.last > last:
        return None
    return (
        "SEG-140",
        (
            f"expected version 0 and a last offset above {last}, found version {entry.version}, "
            f"offsets {entry.first} to {entry.last}"
        ),
    )


@dataclass(slots=True)
class OffsetWalk:
    """The entries of an offset index beside the batches.

    Attributes:
        entries: the entries, those that are in order alone.
        due: the position from which on batches must be shown: that of the next entry, or -1 while
            an entry waits for the batch that has its offset.
    """

    entries: Iterator[OffsetEntry]
    due: int = field(init=False, default=0)
    _next: OffsetEntry | None = field(init=False, default=None)
    _open: OffsetEntry | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self._advance()

    def _advance(self) -> None:
        self._next = next(self.entries, None)
        self.due = NO_POSITION if self._next is None else self._next.position

    def see(self, batch: StoredBatch) -> Iterator[Found]:
        """What is wrong with the entries that this batch decides."""
        upcoming = NO_POSITION if self._next is None else self._next.position
        if self._open is not None and batch.position < upcoming:
            yield from self._resolve(batch)
        while self._next is not None and self._next.position <= batch.position:
            entry = self._next
            if self._open is not None:
                yield self._open.at, _no_last_offset(self._open)
                self._open = None
            if entry.position < batch.position:
                yield entry.at, _no_batch(entry, batch)
            else:
                self._open = entry
                yield from self._resolve(batch)
            self._advance()
        if self._open is not None:
            self.due = -1

    def _resolve(self, batch: StoredBatch) -> Iterator[Found]:
        """Close the open entry where this batch decides it."""
        entry = self._open
        if entry is None or batch.last < entry.offset:
            return
        self._open = None
        self.due = NO_POSITION if self._next is None else self._next.position
        if batch.last > entry.offset:
            yield entry.at, _no_last_offset(entry)

    def end(self) -> Iterator[Found]:
        """What is wrong with the entries that no batch has decided, behind the last batch."""
        if self._open is not None:
            yield self._open.at, _no_last_offset(self._open)
        while self._next is not None:
            yield self._next.at, _behind_the_log(self._next.position)
            self._advance()


def _no_last_offset(entry: OffsetEntry) -> Remark:
    return (
        "SEG-122",
        (
            f"expected the last offset of a batch from position {entry.position} on, found "
            f"{entry.offset}"
        ),
    )


def _no_batch(entry: OffsetEntry, batch: StoredBatch) -> Remark:
    return (
        "SEG-122",
        (
            f"expected the start of a batch at position {entry.position}, found the next one at "
            f"{batch.position}"
        ),
    )


def _behind_the_log(position: int) -> Remark:
    return "SEG-122", f"expected a batch at position {position}, found the end of the .log"


@dataclass(slots=True)
class TimeWalk:
    """The entries of a time index beside the batches.

    Attributes:
        entries: the entries, those that are in order alone.
        due: the offset at which the next entry is decided; no batch that ends before it needs to
            be shown.
        largest: the largest timestamp of the batches that were passed, which the caller keeps.
    """

    entries: Iterator[TimeEntry]
    due: int = field(init=False, default=0)
    largest: int = field(init=False, default=-1)
    _next: TimeEntry | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self._advance()

    def _advance(self) -> None:
        self._next = next(self.entries, None)
        self.due = NO_POSITION if self._next is None else self._next.offset

    def see(self, batch: StoredBatch) -> Iterator[Found]:
        """What is wrong with the entries that this batch decides; `largest` is that of the batches
        before it. Nothing is said of a compressed message of an old format, whose first offset is
        not stated.
        """
        while self._next is not None and self._next.offset <= batch.last:
            entry = self._next
            remark = self._remark(entry, batch)
            if remark is not None:
                yield entry.at, remark
            self._advance()

    def _remark(self, entry: TimeEntry, batch: StoredBatch) -> Remark | None:
        if batch.magic < CURRENT_MAGIC:
            return None
        if entry.offset < batch.base:
            return (
                "SEG-131",
                f"expected offset {entry.offset} in a batch, found the next one at {batch.base}",
            )
        if batch.max_timestamp != entry.timestamp or self.largest > entry.timestamp:
            largest = max(self.largest, batch.max_timestamp)
            return (
                "SEG-131",
                (
                    f"expected the largest timestamp up to offset {entry.offset}, {largest}, found "
                    f"{entry.timestamp}"
                ),
            )
        return None

    def end(self) -> Iterator[Found]:
        """What is wrong with the entries that no batch has decided, behind the last batch."""
        while self._next is not None:
            offset = self._next.offset
            yield (
                self._next.at,
                ("SEG-131", f"expected offset {offset} in a batch, found the end of the .log"),
            )
            self._advance()


@dataclass(slots=True)
class AbortedWalk:
    """The entries of a transaction index beside the batches.

    Attributes:
        entries: the entries, those that are in order alone.
        due: the offset at which the next entry is decided; no batch that ends before it needs to
            be shown.
    """

    entries: Iterator[AbortedEntry]
    due: int = field(init=False, default=0)
    _next: AbortedEntry | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self._advance()

    def _advance(self) -> None:
        self._next = next(self.entries, None)
        self.due = NO_POSITION if self._next is None else self._next.last

    def see(self, batch: StoredBatch) -> Iterator[Found]:
        """What is wrong with the entries that this batch decides; a hole where a marker was is
        what compaction leaves.
        """
        while self._next is not None and self._next.last <= batch.last:
            entry = self._next
            marker = batch.control and batch.producer_id == entry.producer_id
            if batch.base <= entry.last and not marker:
                kind = "control batch" if batch.control else "batch of data"
                yield (
                    entry.at,
                    (
                        "SEG-141",
                        (
                            f"expected a marker of producer {entry.producer_id} at offset "
                            f"{entry.last}, found a {kind} of producer {batch.producer_id}"
                        ),
                    ),
                )
            self._advance()

    def end(self) -> Iterator[Found]:
        """Nothing: a marker behind the last batch may have been taken out by compaction."""
        return iter(())
