"""The reference: when a new segment begins, and what its indexes get.

Sources: LogSegment.java:167-173 (shouldRoll), 236-285 (append), 692-716 (the time of the first
batch); AbstractIndex.java:159-161 and TimeIndex.java:122-124 (full indexes), of Kafka 4.3.1.
"""

from collections.abc import Callable, Sequence
from dataclasses import field

from spec.frozen import frozen, replace
from spec.kafka import INT32_MAX, Error
from spec.outcomes import AppendAnswer
from spec.segments.kinds import applicable_rules
from spec.segments.outcomes import FilesSeen, SegmentBatch, SegmentFiles
from spec.segments.settings import SegmentSettings
from spec.segments.steps import UseSegments

OFFSET_ENTRY, TIME_ENTRY = 8, 12
"""Bytes of an entry of either index."""

OffsetEntry = tuple[int, int]
"""An offset relative to the segment's base, and a position."""
TimeEntry = tuple[int, int]
"""A time, and an offset relative to the segment's base."""


@frozen
class Segment:
    """One segment of a log.

    Attributes:
        base: the offset that names it.
        batches: what it holds.
        size: bytes of its .log.
        unindexed: bytes since the last entry of its offset index.
        offsets, times: the entries of its indexes.
        largest: the largest timestamp so far with the last offset of the batch that had it first,
            relative to the base.
        begun_under: the topic's configs when it was begun, where they were altered since.
    """

    base: int
    batches: tuple[SegmentBatch, ...] = ()
    size: int = 0
    unindexed: int = 0
    offsets: tuple[OffsetEntry, ...] = ()
    times: tuple[TimeEntry, ...] = ()
    largest: TimeEntry | None = None
    begun_under: SegmentSettings | None = None

    def settings(self, now: SegmentSettings) -> SegmentSettings:
        """What goes for it, given the topic's configs now."""
        return now if self.begun_under is None else now.with_indexes_of(self.begun_under)


@frozen
class SegmentLog:
    """A partition's log.

    Attributes:
        start: its log start offset.
        segments: its segments, the active one last.
        torn: bytes behind the last batch that are none.
    """

    start: int = 0
    segments: tuple[Segment, ...] = (Segment(0),)
    torn: int = 0

    @property
    def active(self) -> Segment:
        """The segment that is appended to."""
        return self.segments[-1]

    @property
    def end(self) -> int:
        """The offset of the next record."""
        for segment in reversed(self.segments):
            if segment.batches:
                return segment.batches[-1].last + 1
        return self.active.base


def is_full(segment: Segment, settings: SegmentSettings) -> bool:
    """Whether an index of a segment takes no entry more; the last place of a time index is kept for
    the entry that closes it.
    """
    index_bytes = segment.settings(settings).index_bytes
    return (
        len(segment.offsets) >= index_bytes // OFFSET_ENTRY
        or len(segment.times) >= index_bytes // TIME_ENTRY - 1
    )


def begins_segment(segment: Segment, batch: SegmentBatch, settings: SegmentSettings) -> bool:
    """Whether the reference begins a new segment for a batch."""
    first = segment.batches[0].time if segment.batches else None
    waited = batch.time is not None and first is not None
    return (
        segment.size > settings.segment_bytes - batch.size
        or (waited and (batch.time or 0) - (first or 0) > settings.segment_ms)
        or is_full(segment, settings)
        or batch.last - segment.base > INT32_MAX
    )


def with_batch(segment: Segment, batch: SegmentBatch, settings: SegmentSettings) -> Segment:
    """A segment with a batch behind what it holds, and the entries that its indexes get."""
    largest = segment.largest
    if batch.time is not None and (largest is None or batch.time > largest[0]):
        largest = batch.time, batch.last - segment.base
    offsets, times, unindexed = segment.offsets, segment.times, segment.unindexed
    if unindexed > segment.settings(settings).index_interval:
        offsets = (*offsets, (batch.last - segment.base, segment.size))
        times = with_time(times, largest)
        unindexed = 0
    return replace(
        segment,
        batches=(*segment.batches, batch),
        size=segment.size + batch.size,
        unindexed=unindexed + batch.size,
        offsets=offsets,
        times=times,
        largest=largest,
    )


def with_time(times: tuple[TimeEntry, ...], largest: TimeEntry | None) -> tuple[TimeEntry, ...]:
    """Entries of a time index with one more, unless no timestamp is above the last entry's."""
    if largest is None or (times and largest[0] <= times[-1][0]):
        return times
    return (*times, largest)


def close_segment(segment: Segment) -> Segment:
    """A segment behind which another one begins."""
    return replace(segment, times=with_time(segment.times, segment.largest))


def size_of(log: SegmentLog) -> int:
    """Bytes of a log's segments, those included of which all records are deleted."""
    return sum(segment.size for segment in log.segments)


def check_size(size: int, settings: SegmentSettings) -> Error:
    """What is answered on a batch of that size."""
    return Error.RECORD_LIST_TOO_LARGE if size > settings.segment_bytes else Error.NONE


def read(log: SegmentLog) -> tuple[tuple[SegmentBatch, ...], ...]:
    """What can be read of each segment, without those that have nothing to read."""
    runs = [
        tuple([batch for batch in segment.batches if batch.last >= log.start])
        for segment in log.segments
    ]
    return tuple([run for run in runs if run])


def earliest(log: SegmentLog) -> int:
    """The earliest offset of a log."""
    return log.start


def first_since(log: SegmentLog, time: int) -> int | None:
    """The offset to which a lookup by time leads: the first record from the log start on that is
    not earlier, in the first segment that ever had one, or has no timestamp; None where there is
    none (UnifiedLog.java, searchOffsetInLocalLog).
    """
    searched = next(
        (one for one in log.segments if one.largest is None or one.largest[0] >= time),
        Segment(0),
    )
    return first_of(searched.batches, time, log.start)


def first_of(batches: Sequence[SegmentBatch], time: int, start: int) -> int | None:
    """The first offset, at or after `start`, of some batches whose records are not earlier."""
    found = (one for one in batches if one.last >= start and (one.time or 0) >= time)
    return next(
        (max(one.base, start) for one in found if one.time is not None),
        None,
    )


def first_of_largest(log: SegmentLog) -> int | None:
    """The offset of the first record that ever had the largest timestamp; None where there is none
    with a timestamp (UnifiedLog.java, fetchOffsetByTimestamp).
    """
    times = [segment.largest[0] for segment in log.segments if segment.largest is not None]
    return (
        next(
            one.base
            for segment in log.segments
            for one in segment.batches
            if one.time == max(times)
        )
        if times
        else None
    )


def files_of(log: SegmentLog, settings: SegmentSettings) -> FilesSeen:
    """The files of a log: the indexes of the active segment take all their bytes at once, and so
    does its .log where it is preallocated.
    """
    segments = []
    for segment in log.segments:
        active = segment is log.active
        index_bytes = segment.settings(settings).index_bytes
        preallocated = active and settings.preallocate
        index_size, time_index_size = [
            entry * (index_bytes // entry if active else len(entries))
            for entry, entries in (
                (OFFSET_ENTRY, segment.offsets),
                (TIME_ENTRY, segment.times),
            )
        ]
        segments.append(
            SegmentFiles(
                segment.base,
                segment.size,
                segment.batches,
                segment.offsets,
                segment.times,
                index_size,
                time_index_size,
                settings.segment_bytes if preallocated else segment.size + log.torn * active,
            )
        )
    snapshots = len(log.segments) > 1
    looked = applicable_rules(segments, epochs=True, snapshots=snapshots, metadata=True)
    return FilesSeen(tuple(segments), looked)


def note_alteration(log: SegmentLog, before: SegmentSettings) -> SegmentLog:
    """A log whose topic has other configs from now on: its active segment was begun under those
    before.

    Source: LogSegment.java, open: a segment keeps the index sizes and the interval that it is
    opened with, of Kafka 4.3.1.
    """
    active = replace(log.active, begun_under=log.active.begun_under or before)
    return replace(log, segments=(*log.segments[:-1], active))


def apply_retention(log: SegmentLog, settings: SegmentSettings) -> SegmentLog:
    """A log from which the oldest segments were discarded; the partition's time is now."""
    segments = list(log.segments)
    spare = sum(segment.size for segment in segments) - settings.retention_bytes
    while settings.retention_bytes >= 0 and len(segments) > 1 and spare >= segments[0].size:
        spare -= segments.pop(0).size
    while settings.retention_ms >= 0 and segments and _is_old(segments[0], settings):
        segments.pop(0)
    kept = tuple(segments) or (Segment(log.end),)
    return SegmentLog(max(log.start, kept[0].base), kept)


def _is_old(segment: Segment, settings: SegmentSettings) -> bool:
    """Whether the largest timestamp of a segment lies too far back."""
    return segment.largest is not None and -segment.largest[0] > settings.retention_ms


def answer_resent(base: int, skipped: int) -> AppendAnswer:
    """What is answered on the last batch of a producer, stored at an offset, that is repeated, or
    out of order.
    """
    if skipped:
        return AppendAnswer(Error.OUT_OF_ORDER_SEQUENCE_NUMBER)
    return AppendAnswer(offset=base)


def cut_torn(log: SegmentLog, use: UseSegments) -> SegmentLog:
    """A log once its broker has started, where bytes that are no sound batch lay behind it: its
    last segment is read.
    """
    del use
    return log


def same_segment(segment: Segment) -> Segment:
    """A new segment as it is begun."""
    return segment


@frozen
class SegmentRules:
    """How a broker keeps its segments: the reference's way, or one that is wrong.

    Attributes:
        checking: what is answered on a batch of a size.
        rolling: whether a new segment begins for a batch.
        rolling_unstored: whether one begins for a batch that is not stored then, since it is a
            repetition or out of order; None: as for any other one.
        resending: what is answered on such a batch.
        beginning: a new segment as it is begun.
        appending: a segment with one more batch.
        sizing: the bytes of a log.
        starting, starting_locally, ending: its earliest, its earliest local and its latest offset.
        finding: the first record that is not earlier than a time.
        finding_largest: the record with the largest timestamp.
        reading: what can be read of it, answer by answer.
        closing: a segment behind which another one begins.
        looking: its files.
        recovering: the log once its broker has started, from what lay there; the first step says
            what lay behind it.
        retaining: the log without the segments that are discarded.
    """

    checking: Callable[[int, SegmentSettings], Error] = check_size
    rolling: Callable[[Segment, SegmentBatch, SegmentSettings], bool] = begins_segment
    rolling_unstored: Callable[[Segment, SegmentBatch, SegmentSettings], bool] | None = None
    resending: Callable[[int, int], AppendAnswer] = answer_resent
    beginning: Callable[[Segment], Segment] = same_segment
    appending: Callable[[Segment, SegmentBatch, SegmentSettings], Segment] = with_batch
    sizing: Callable[[SegmentLog], int] = size_of
    starting: Callable[[SegmentLog], int] = earliest
    starting_locally: Callable[[SegmentLog], int] = earliest
    ending: Callable[[SegmentLog], int] = field(default=lambda log: log.end)
    finding: Callable[[SegmentLog, int], int | None] = first_since
    finding_largest: Callable[[SegmentLog], int | None] = first_of_largest
    reading: Callable[[SegmentLog], tuple[tuple[SegmentBatch, ...], ...]] = read
    closing: Callable[[Segment], Segment] = close_segment
    looking: Callable[[SegmentLog, SegmentSettings], FilesSeen] = files_of
    recovering: Callable[[SegmentLog, UseSegments], SegmentLog] = cut_torn
    retaining: Callable[[SegmentLog, SegmentSettings], SegmentLog] = apply_retention


REFERENCE = SegmentRules()


def append(
    log: SegmentLog,
    batch: SegmentBatch,
    settings: SegmentSettings,
    rules: SegmentRules = REFERENCE,
) -> SegmentLog:
    """A log with one more batch, in a new segment where one begins."""
    if rules.rolling(log.active, batch, settings):
        log = _begin_segment(log, batch.base, rules)
    active = rules.appending(log.active, batch, settings)
    return replace(log, segments=(*log.segments[:-1], active))


def leave_unstored(
    log: SegmentLog,
    batch: SegmentBatch,
    settings: SegmentSettings,
    rules: SegmentRules = REFERENCE,
) -> SegmentLog:
    """A log after a batch that is a repetition, or out of order: whether a new segment begins is
    decided before that is seen.
    """
    rolling = rules.rolling_unstored or rules.rolling
    if not rolling(log.active, batch, settings):
        return log
    return _begin_segment(log, batch.base, rules)


def repeated_at(batch: SegmentBatch, end: int) -> SegmentBatch:
    """A batch that is repeated, with the offsets that it would get at the end of the log."""
    return replace(batch, base=end, last=batch.last + end - batch.base)


def _begin_segment(log: SegmentLog, base: int, rules: SegmentRules) -> SegmentLog:
    """A log with a new active segment; an empty one is begun again."""
    new = rules.beginning(Segment(base))
    kept = log.segments if log.active.batches else log.segments[:-1]
    segments = (*kept[:-1], rules.closing(kept[-1]), new) if kept else (new,)
    return replace(log, segments=segments)
