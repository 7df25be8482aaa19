"""The model of one partition's log: where each batch lies, and what can be read from an offset.

A log is a list of segments, a segment a list of batches that follow each other without a break in
one file. All offsets are relative to the layout's base.
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from functools import lru_cache
from itertools import accumulate
from types import MappingProxyType

from spec.fact import fact
from spec.frozen import frozen, replace
from spec.kafka import CURRENT_MAGIC, INDEX_INTERVAL, MARKER_SIZE, READ_COMMITTED
from spec.layout import Batch, Codec, Layout, Marker, Partition


@frozen
class Stored:
    """One batch in the log.

    Attributes:
        base, last: its first and last offset.
        size: its bytes.
        records: its record count.
        segment: number of the segment it lies in.
        position: bytes in front of it in its segment's file.
        txn: the transaction it belongs to or ends; None for a plain batch.
        control: it is a marker.
        codec: how its records are compressed.
        magic: its format.
        indexed: the segment's offset index has an entry for it.
    """

    base: int
    last: int
    size: int
    records: int
    segment: int
    position: int
    txn: int | None = None
    control: bool = False
    codec: Codec = Codec.NONE
    magic: int = CURRENT_MAGIC
    indexed: bool = False


@frozen
class Run:
    """The batches that one read could return with ample limits.

    Attributes:
        batches: in order.
        fences: the partial sums of their sizes: the fences of a byte limit.
        size: bytes of them all.
        ends_early: the segment ends with them, and more that may be read lies in the next one.
    """

    batches: tuple[Stored, ...] = ()
    fences: tuple[int, ...] = ()
    size: int = 0
    ends_early: bool = False


NOTHING = Run()
"""What a read gives where nothing is to be read."""


@frozen
class Aborted:
    """An aborted transaction: its number, its first offset, and the offset of its marker."""

    txn: int
    first: int
    last: int


@frozen(slots=False)
class Log:
    """One partition's log at one moment, on one replica (the high watermark is the end offset).

    Attributes:
        batches: all batches in order.
        start: log start offset.
        end: log end offset, one past the last; also the high watermark.
        stable: last stable offset: the first offset of the oldest open transaction, otherwise the
            end (KIP-98).
        aborted: the aborted transactions by marker.
        lasts: the last offset of each batch, for searching.
        undecided: the first offset of the oldest open transaction, which DeleteRecords may have
            passed; otherwise the end.
    """

    batches: tuple[Stored, ...] = field(hash=False)
    start: int
    end: int
    stable: int
    aborted: tuple[Aborted, ...] = ()
    lasts: tuple[int, ...] = ()
    undecided: int = 0

    @fact
    def has_holes(self) -> bool:
        """Whether offsets are missing, batches were emptied, or messages have older formats."""
        following = [0, *[last + 1 for last in self.lasts]]
        return any(
            batch.base != expected or not batch.records or batch.magic < CURRENT_MAGIC
            for batch, expected in zip(self.batches, following, strict=False)
        )

    @fact
    def reported(self) -> tuple[int, int, int]:
        """High watermark, last stable offset and log start offset."""
        return self.end, self.stable, self.start

    def in_range(self, offset: int) -> bool:
        """Whether a fetch at the offset is not OFFSET_OUT_OF_RANGE (FET-021): from log start to the
        end, both included.
        """
        return self.start <= offset <= self.end

    def bound(self, isolation: int) -> int:
        """The offset that a read may not reach: last stable offset for read_committed, otherwise
        high watermark.
        """
        return self.stable if isolation == READ_COMMITTED else self.end

    def batch_number(self, offset: int) -> int:
        """Number of the first batch that ends at or after the offset (FET-011, FET-022); the count
        of batches if none does.
        """
        return bisect_left(self.lasts, offset)

    def segment_of(self, offset: int) -> int:
        """Number of the segment that holds the offset; the last one at and past the end."""
        return self.batches[min(self.batch_number(offset), len(self.batches) - 1)].segment

    def hole(self, number: int) -> range:
        """The offsets that are missing in front of a batch, by its number; empty where none are,
        and past the last batch.
        """
        if number == len(self.batches):
            return range(0)
        return range(self.lasts[number - 1] + 1 if number else 0, self.batches[number].base)

    def readable(self, offset: int, isolation: int) -> tuple[Stored, ...]:
        """The batches one read from the offset could return with ample limits, see `run`."""
        return self.run(offset, isolation).batches

    def run(self, offset: int, isolation: int) -> Run:
        """What one read from the offset could return with ample limits: the batches to the end of
        the segment or the bound.

        Empty where there is nothing to read there, or the offset is out of range. Source: FET-011,
        FET-013, FET-022, FET-054.
        """
        bound = self.bound(isolation)
        if not self.start <= offset < bound:
            return NOTHING
        first = self.batch_number(offset)
        run = self._runs.get((first, bound))
        if run is None:
            run = self._runs[first, bound] = self._run_from(first, bound)
        return run

    @fact
    def _runs(self) -> dict[tuple[int, int], Run]:
        """The runs that were asked for, by the number of their first batch and their bound."""
        return {}

    def _run_from(self, first: int, bound: int) -> Run:
        stop = first
        while stop < len(self.batches) and self.batches[stop].base < bound:
            if self.batches[stop].segment != self.batches[first].segment:
                break
            stop += 1
        batches = self.batches[first:stop]
        fences = tuple(accumulate([batch.size for batch in batches]))
        ends_early = stop < len(self.batches) and self.batches[stop].base < bound
        return Run(batches, fences, fences[-1] if fences else 0, ends_early)

    def with_batch(self, batch: Batch) -> "Log":
        """The log after a plain batch was appended to its last segment."""
        tail = self.batches[-1] if self.batches else None
        stored = Stored(
            base=self.end,
            last=self.end + batch.records - 1,
            size=batch.size,
            records=batch.records,
            segment=tail.segment if tail else 0,
            position=tail.position + tail.size if tail else 0,
            codec=batch.codec,
            indexed=unindexed_bytes(self.batches) > INDEX_INTERVAL,
        )
        return Log(
            batches=(*self.batches, stored),
            start=self.start,
            end=stored.last + 1,
            stable=stored.last + 1 if self.undecided == self.end else self.stable,
            aborted=self.aborted,
            lasts=(*self.lasts, stored.last),
            undecided=stored.last + 1 if self.undecided == self.end else self.undecided,
        )

    def truncated_before(self, number: int) -> "Log":
        """The log without a batch, by its number, and all that follow it; a log whose transactions
        are ended before.
        """
        if number >= len(self.batches):
            return self
        end = self.batches[number].base
        return Log(
            batches=self.batches[:number],
            start=min(self.start, end),
            end=end,
            stable=end,
            aborted=tuple([one for one in self.aborted if one.last < end]),
            lasts=self.lasts[:number],
            undecided=end,
        )

    def deleted_to(self, offset: int) -> "Log":
        """The log after DeleteRecords: the start never moves back, and takes the last stable offset
        along.
        """
        start = max(self.start, offset)
        return replace(self, start=start, stable=max(self.stable, start))


@lru_cache(maxsize=4096)
def log_of(partition: Partition) -> Log:
    """The log that a layout's partition describes."""
    stored: list[Stored] = []
    aborted: list[Aborted] = []
    opened: dict[int, int] = {}
    offset = 0
    for number, segment in enumerate(partition.segments):
        position = since = 0
        for entry in segment:
            if isinstance(entry, Marker):
                first = opened.pop(entry.txn)
                if not entry.commit:
                    aborted.append(Aborted(entry.txn, first, offset))
                batch = Stored(
                    offset, offset, MARKER_SIZE, 1, number, position, entry.txn, control=True
                )
            else:
                offset += entry.gap
                if entry.txn is not None:
                    opened.setdefault(entry.txn, offset)
                last = offset + entry.offsets - 1
                batch = Stored(
                    offset,
                    last,
                    entry.size,
                    entry.records,
                    number,
                    position,
                    entry.txn,
                    codec=entry.codec,
                    magic=entry.magic,
                )
            batch = replace(batch, indexed=since > INDEX_INTERVAL)
            since = (0 if batch.indexed else since) + batch.size
            stored.append(batch)
            position += batch.size
            offset = batch.last + 1
    stable = min(opened.values(), default=offset)
    return Log(
        batches=tuple(stored),
        start=partition.log_start,
        end=offset,
        stable=max(stable, partition.log_start),
        aborted=tuple(aborted),
        lasts=tuple([batch.last for batch in stored]),
        undecided=stable,
    )


LAYOUTS_KEPT = 256
_kept: dict[int, tuple[Layout, Mapping[int, Log]]] = {}


def logs_of(layout: Layout) -> Mapping[int, Log]:
    """The logs of a layout's partitions, by number.

    They are kept by the layout's identity: many fetches are judged beside one layout, and to hash a
    layout takes longer than most clauses.
    """
    kept = _kept.get(id(layout))
    if kept is None or kept[0] is not layout:
        if len(_kept) == LAYOUTS_KEPT:
            _kept.clear()
        logs = {number: log_of(partition) for number, partition in enumerate(layout.partitions)}
        kept = _kept[id(layout)] = layout, MappingProxyType(logs)
    return kept[1]


def bytes_of(batches: Iterable[Stored]) -> int:
    """Bytes of the batches together."""
    return sum([batch.size for batch in batches])


def unindexed_bytes(batches: Sequence[Stored]) -> int:
    """Bytes in the last segment since its last index entry, the batch of that entry included."""
    size = 0
    for batch in reversed(batches):
        if batch.segment != batches[-1].segment:
            break
        size += batch.size
        if batch.indexed:
            break
    return size


def listed_up_to(log: Log, number: int, size: int) -> int:
    """The offset up to which Apache Kafka lists aborted transactions for a read of so many bytes
    from a batch on: of the next entry of the offset index, otherwise the next segment's first
    offset, otherwise the log's end.

    Source: LocalLog.java, addAbortedTransactions; OffsetIndex.java, fetchUpperBoundOffset, of Kafka
    4.3.1.
    """
    first = log.batches[number]
    for batch in log.batches[number:]:
        if batch.segment != first.segment:
            return batch.base
        if batch.indexed and batch.position >= first.position + size:
            return batch.last
    return log.end
