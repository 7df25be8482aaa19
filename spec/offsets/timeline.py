"""The model of one partition's log as lookups by time see it: which offset has which timestamp."""

from collections.abc import Iterator
from functools import lru_cache
from math import inf

from spec.frozen import frozen, replace
from spec.kafka import INT64_MAX, READ_COMMITTED
from spec.layout import Partition
from spec.log import log_of

SEGMENT_MS = 86_400_000
"""`segment.ms` of the topics that layouts lie on: a batch opens a new segment if its largest
timestamp is more than this past the first batch's of the segment.
"""
CLOCK_MS = SEGMENT_MS
"""A marker's timestamp is the broker's clock, which is less than this past a partition's time."""
STEP_MS = SEGMENT_MS + 1
"""The timestamps of a layout's records rise by this from one of its segments to the next."""


@frozen
class TimedRecord:
    """One record in the log.

    Attributes:
        offset: its offset.
        time: its timestamp, relative to the partition's time; None for a marker, which the broker
            writes by its own clock.
        segment: number of the segment it lies in.
        base: the first offset of its batch.
    """

    offset: int
    time: int | None
    segment: int
    base: int


@frozen
class Timeline:
    """One partition at one moment (the high watermark is the end offset).

    Attributes:
        stamps: all records in offset order, deleted ones too.
        start, end: log start offset and log end offset.
        undecided: the first offset of the oldest open transaction; otherwise the end.
        segment: number of the active segment.
        began: the largest timestamp of its first batch; None while it is empty.
    """

    stamps: tuple[TimedRecord, ...] = ()
    start: int = 0
    end: int = 0
    undecided: int = 0
    segment: int = 0
    began: int | None = None

    @property
    def stable(self) -> int:
        """The last stable offset (KIP-98)."""
        return max(self.undecided, self.start)

    def bound(self, isolation: int) -> int:
        """The offset that a read may not reach."""
        return self.stable if isolation == READ_COMMITTED else self.end

    def batch_bound(self, isolation: int) -> int:
        """The same, but the base offset of the batch that the log start lies in where it has passed
        the first offset of an open transaction, as Apache Kafka has it.
        """
        if isolation != READ_COMMITTED or self.undecided >= self.start:
            return self.bound(isolation)
        return next((one.base for one in self.kept_stamps()), self.start)

    def kept_stamps(self) -> Iterator[TimedRecord]:
        """The records at or after the log start."""
        return (stamp for stamp in self.stamps if stamp.offset >= self.start)

    def time_of(self, offset: int) -> int | None:
        """The timestamp of the record at an offset; None where there is none, or it is unknown."""
        return next((stamp.time for stamp in self.stamps if stamp.offset == offset), None)

    def with_batch(self, times: tuple[int, ...]) -> "Timeline":
        """The same after one more batch with records of these timestamps."""
        latest = max(times)
        rolls = self.began is not None and latest - self.began > SEGMENT_MS
        segment = self.segment + rolls
        added = tuple(
            [
                TimedRecord(self.end + place, time, segment, self.end)
                for place, time in enumerate(times)
            ]
        )
        end = self.end + len(times)
        return replace(
            self,
            stamps=(*self.stamps, *added),
            end=end,
            undecided=end if self.undecided == self.end else self.undecided,
            segment=segment,
            began=latest if rolls or self.began is None else self.began,
        )

    def deleted_to(self, offset: int) -> "Timeline":
        """The same after DeleteRecords up to an offset; the start never moves back."""
        return replace(self, start=max(self.start, offset))


@lru_cache(maxsize=4096)
def timeline_of(partition: Partition) -> Timeline:
    """The records that a layout's partition describes: those of its last segment have time 0."""
    log = log_of(partition)
    last = len(partition.segments) - 1
    stamps = [
        TimedRecord(
            batch.base + place,
            None if batch.control else (batch.segment - last) * STEP_MS,
            batch.segment,
            batch.base,
        )
        for batch in log.batches
        for place in range(batch.records)
    ]
    began = 0 if log.batches and log.batches[-1].segment == last else None
    return Timeline(tuple(stamps), log.start, log.end, log.undecided, last, began)


def target_of(timestamp: int, *, relative: bool) -> float:
    """The time that is looked for, relative to the partition's; 0 and the largest int64, sent as
    they are, lie before and after all records.
    """
    if relative:
        return timestamp
    return inf if timestamp == INT64_MAX else -inf


def first_since(timeline: Timeline, target: float, bound: int) -> TimedRecord | None:
    """The first record at or after the log start, and before a bound, that is not earlier than the
    target; markers are left out.
    """
    return next(
        (
            stamp
            for stamp in timeline.kept_stamps()
            if stamp.time is not None and stamp.time >= target and stamp.offset < bound
        ),
        None,
    )


def largest_of(stamps: Iterator[TimedRecord]) -> TimedRecord | None:
    """The first of the records with the largest timestamp; markers are left out."""
    timed = [stamp for stamp in stamps if stamp.time is not None]
    return max(timed, key=lambda stamp: (stamp.time, -stamp.offset), default=None)


def may_be_hidden(timeline: Timeline, target: float) -> bool:
    """Whether a record that was deleted is late enough for a target, or may be, and the first one
    that was not lies in a later segment: then Apache Kafka finds none.
    """
    first = first_since(timeline, target, timeline.end)
    return first is not None and any(
        stamp.offset < timeline.start and stamp.segment < first.segment and is_late(stamp, target)
        for stamp in timeline.stamps
    )


def is_late(stamp: TimedRecord, target: float) -> bool:
    """Whether a record is not earlier than the target, or, as a marker, may not be."""
    return target <= (CLOCK_MS if stamp.time is None else stamp.time)
