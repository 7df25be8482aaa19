"""Ways to keep the files of segments and the entries of their indexes wrongly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.subjects.segments.faults.fault import (
    CONFORMS,
    DEVIATES,
    VIOLATES,
    SegmentFault,
)
from spec.frozen import replace
from spec.segments.model import (
    Segment,
    SegmentLog,
    SegmentRules,
    close_segment,
    files_of,
    with_batch,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from spec.segments.outcomes import FilesSeen, SegmentBatch, SegmentFiles
    from spec.segments.settings import SegmentSettings


def _each(change: Callable[[SegmentFiles], SegmentFiles]) -> SegmentRules:
    """Something else is seen of the files of each segment."""

    def looking(log: SegmentLog, settings: SegmentSettings) -> FilesSeen:
        seen = files_of(log, settings)
        return replace(seen, segments=tuple([change(one) for one in seen.segments]))

    return SegmentRules(looking=looking)


def _change_appends(
    change: Callable[[Segment, Segment], Segment],
) -> SegmentRules:
    """A segment gets something else of a batch than the reference has it get."""

    def appending(segment: Segment, batch: SegmentBatch, settings: SegmentSettings) -> Segment:
        return change(segment, with_batch(segment, batch, settings))

    return SegmentRules(appending=appending)


def _at_the_interval(segment: Segment, batch: SegmentBatch, settings: SegmentSettings) -> Segment:
    """An entry comes at index.interval.bytes itself."""
    sooner = replace(settings, index_interval=settings.index_interval - 1)
    return with_batch(segment, batch, sooner if segment.unindexed else settings)


def _interval_as_altered(
    segment: Segment, batch: SegmentBatch, settings: SegmentSettings
) -> Segment:
    """An interval that is altered counts at once."""
    after = with_batch(replace(segment, begun_under=None), batch, settings)
    return replace(after, begun_under=segment.begun_under)


def _first_too(before: Segment, after: Segment) -> Segment:
    """The first batch of a segment gets an entry."""
    if before.batches:
        return after
    first = after.batches[0].last - after.base
    return replace(after, offsets=((first, 0),))


def _of_base(before: Segment, after: Segment) -> Segment:
    """An entry has the base offset of its batch, not the last."""
    if len(after.offsets) == len(before.offsets):
        return after
    batch = after.batches[-1]
    entry = batch.base - after.base, after.offsets[-1][1]
    return replace(after, offsets=(*before.offsets, entry))


def _time_of_batch(before: Segment, after: Segment) -> Segment:
    """A time entry has the timestamp of its batch, not the largest so far."""
    batch = after.batches[-1]
    if len(after.times) == len(before.times) or batch.time is None:
        return after
    entry = batch.time, batch.last - after.base
    return replace(after, times=(*before.times, entry))


def _time_each(before: Segment, after: Segment) -> Segment:
    """Each entry of the offset index has one in the time index."""
    if len(after.offsets) == len(before.offsets) or after.largest is None:
        return after
    return replace(after, times=(*before.times, after.largest))


def _other_name(files: SegmentFiles) -> SegmentFiles:
    return replace(files, base=files.base - 1) if files.base else files


def _cut_at_log_start(log: SegmentLog, settings: SegmentSettings) -> FilesSeen:
    """The files of a log without the batches of which all records are deleted."""
    segments = []
    for segment in log.segments:
        kept = [batch for batch in segment.batches if batch.last >= log.start]
        made = Segment(kept[0].base if kept else segment.base)
        for batch in kept:
            made = with_batch(made, batch, settings)
        closed = made if segment is log.active else close_segment(made)
        segments.append(closed if len(kept) < len(segment.batches) else segment)
    held = [one for one in segments[:-1] if one.batches]
    return files_of(replace(log, segments=(*held, segments[-1])), settings)


def _gone_below_log_start(log: SegmentLog, settings: SegmentSettings) -> FilesSeen:
    """The files of a log without the segments of which all records are deleted."""
    kept = [one for one in log.segments[:-1] if one.batches and one.batches[-1].last >= log.start]
    return files_of(replace(log, segments=(*kept, log.active)), settings)


def _change_log_size(
    active: bool, size: Callable[[SegmentFiles, SegmentSettings], int]
) -> SegmentRules:
    """The .log of the active segment, or of each other one, has other bytes where it is
    preallocated.
    """

    def looking(log: SegmentLog, settings: SegmentSettings) -> FilesSeen:
        seen = files_of(log, settings)
        if not settings.preallocate:
            return seen
        segments = tuple(
            [
                replace(one, log_size=size(one, settings))
                if (one.base == log.active.base) is active
                else one
                for one in seen.segments
            ]
        )
        return replace(seen, segments=segments)

    return SegmentRules(looking=looking)


def _lose_last(files: SegmentFiles) -> SegmentFiles:
    return replace(files, batches=files.batches[:-1])


def _uncut(segment: Segment) -> Segment:
    """The time index is not closed."""
    return segment


FAULTS = (
    SegmentFault(
        "altered-interval-at-once",
        "SEG-029",
        DEVIATES,
        "An index.interval.bytes that is altered counts for the active segment too.",
        SegmentRules(appending=_interval_as_altered),
    ),
    SegmentFault(
        "segment-named-by-another-offset",
        "SEG-002",
        VIOLATES,
        "The files of a segment are named by the last offset before it.",
        _each(_other_name),
    ),
    SegmentFault(
        "log-file-over-full",
        "SEG-021",
        VIOLATES,
        "A .log has some bytes more than segment.bytes.",
        _each(lambda files: replace(files, size=files.size + 1)),
    ),
    SegmentFault(
        "index-file-over-full",
        "SEG-022",
        VIOLATES,
        "An .index takes an entry more than segment.index.bytes.",
        _each(lambda files: replace(files, index_size=files.index_size + 8)),
    ),
    SegmentFault(
        "batch-not-in-the-files",
        "SEG-023",
        DEVIATES,
        "The last batch of each segment is kept elsewhere than in its .log.",
        _each(_lose_last),
    ),
    SegmentFault(
        "segment-cut-at-the-log-start",
        "SEG-012",
        DEVIATES,
        "A segment is written again without the records that are deleted.",
        SegmentRules(looking=_cut_at_log_start),
    ),
    SegmentFault(
        "preallocated-log-not-cut",
        "SEG-009",
        DEVIATES,
        "A preallocated .log keeps its bytes once another segment begins behind it.",
        _change_log_size(active=False, size=lambda _, settings: settings.segment_bytes),
    ),
    SegmentFault(
        "preallocate-ignored",
        "SEG-009",
        DEVIATES,
        "A .log grows with its batches under preallocate=true.",
        _change_log_size(active=True, size=lambda one, _: one.size),
    ),
    SegmentFault(
        "entry-at-the-interval",
        "SEG-006",
        DEVIATES,
        "A batch gets an entry once as many bytes as index.interval.bytes came before it.",
        SegmentRules(appending=_at_the_interval),
    ),
    SegmentFault(
        "entry-of-the-first-batch",
        "SEG-006",
        DEVIATES,
        "The first batch of a segment gets an entry.",
        _change_appends(_first_too),
    ),
    SegmentFault(
        "entry-of-the-base-offset",
        "SEG-006",
        DEVIATES,
        "An entry has the first offset of its batch.",
        _change_appends(_of_base),
    ),
    SegmentFault(
        "time-of-the-batch",
        "SEG-007",
        DEVIATES,
        "An entry of the time index has the timestamp of its batch, not the largest so far.",
        _change_appends(_time_of_batch),
    ),
    SegmentFault(
        "time-entry-each-time",
        "SEG-007",
        DEVIATES,
        "The time index gets an entry with each one of the offset index, for no later time too.",
        _change_appends(_time_each),
    ),
    SegmentFault(
        "time-index-not-closed",
        "SEG-008",
        DEVIATES,
        "A segment behind which another one begins gets no last entry in its time index.",
        SegmentRules(closing=_uncut),
    ),
    SegmentFault(
        "indexes-not-cut",
        "SEG-008",
        DEVIATES,
        "The indexes of a segment behind which another one begins keep their zeros.",
        SegmentRules(
            looking=lambda log, settings: replace(
                files_of(log, settings),
                segments=tuple(
                    [
                        replace(one, index_size=settings.index_bytes // 8 * 8)
                        for one in files_of(log, settings).segments
                    ]
                ),
            ),
            closing=close_segment,
        ),
    ),
)

VARIANTS = (
    SegmentFault(
        "files-of-deleted-segments-go-at-once",
        "",
        CONFORMS,
        "The files of a segment of which all records are deleted are gone at once.",
        SegmentRules(looking=_gone_below_log_start),
    ),
)
