"""Ways to cut a log into segments wrongly, or to show another one than there is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.subjects.segments.faults.fault import (
    CONFORMS,
    DEVIATES,
    VIOLATES,
    SegmentFault,
)
from spec.frozen import replace
from spec.kafka import Error
from spec.outcomes import AppendAnswer
from spec.segments.model import (
    Segment,
    SegmentLog,
    SegmentRules,
    answer_resent,
    begins_segment,
    check_size,
    is_full,
    note_alteration,
    read,
    size_of,
)
from spec.segments.settings import WEEK_MS, SegmentSettings

if TYPE_CHECKING:
    from collections.abc import Callable

    from spec.segments.outcomes import SegmentBatch
    from spec.segments.steps import UseSegments

Runs = tuple[tuple["SegmentBatch", ...], ...]


def _rolling(change: Callable[[Segment, SegmentBatch, SegmentSettings], bool]) -> SegmentRules:
    return SegmentRules(rolling=change)


def _under(**fields: Any) -> SegmentRules:
    """Segments are begun as if some configs had other values."""

    def rolling(segment: Segment, batch: SegmentBatch, settings: SegmentSettings) -> bool:
        return begins_segment(segment, batch, replace(settings, **fields))

    return SegmentRules(rolling=rolling)


def _shift_limits(**fields: int) -> SegmentRules:
    """Segments are begun as if some configs were so much more."""

    def rolling(segment: Segment, batch: SegmentBatch, settings: SegmentSettings) -> bool:
        changed = {name: getattr(settings, name) + more for name, more in fields.items()}
        return begins_segment(segment, batch, replace(settings, **changed))

    return SegmentRules(rolling=rolling)


def _from_the_latest(segment: Segment, batch: SegmentBatch, settings: SegmentSettings) -> bool:
    """`segment.ms` counts from the latest timestamp of the segment."""
    if segment.largest is None or batch.time is None:
        return begins_segment(segment, batch, settings)
    waited = batch.time - segment.largest[0]
    timeless = replace(settings, segment_ms=WEEK_MS)
    return begins_segment(segment, batch, timeless) or waited > settings.segment_ms


def _both_ways(segment: Segment, batch: SegmentBatch, settings: SegmentSettings) -> bool:
    """An earlier timestamp is as good as a later one."""
    first = segment.batches[0].time if segment.batches else None
    earlier = first is not None and batch.time is not None and first - batch.time >= 500
    timed = settings.segment_ms < WEEK_MS
    return begins_segment(segment, batch, settings) or (timed and earlier)


def _as_begun(segment: Segment, batch: SegmentBatch, settings: SegmentSettings) -> bool:
    """A segment keeps all the configs that it was begun under."""
    return begins_segment(segment, batch, segment.begun_under or settings)


def _without_age(log: SegmentLog, use: UseSegments) -> SegmentLog:
    """The log at the broker's start, whose active segment is never too old."""
    return note_alteration(log, replace(use.settings, segment_ms=WEEK_MS))


def _as_old(segment: Segment, batch: SegmentBatch, settings: SegmentSettings) -> bool:
    """A segment keeps the `segment.ms` that it was begun under."""
    begun = segment.begun_under or settings
    return begins_segment(segment, batch, replace(settings, segment_ms=begun.segment_ms))


def _as_altered(segment: Segment, batch: SegmentBatch, settings: SegmentSettings) -> bool:
    """The size of an index counts as it was altered, for the active segment too."""
    return begins_segment(replace(segment, begun_under=None), batch, settings)


def _last_place_too(segment: Segment, batch: SegmentBatch, settings: SegmentSettings) -> bool:
    """The last place of a time index is not kept for the entry that closes it."""
    more = replace(settings, index_bytes=settings.index_bytes + 12)
    offsets = len(segment.offsets) >= settings.index_bytes // 8
    return begins_segment(segment, batch, more) or offsets


def _offset_index_alone(segment: Segment, batch: SegmentBatch, settings: SegmentSettings) -> bool:
    """A full time index begins no segment."""
    roomy = replace(settings, index_bytes=2**20)
    full = len(segment.offsets) >= settings.index_bytes // 8
    return begins_segment(segment, batch, roomy) or full


def _one_entry_early(segment: Segment, batch: SegmentBatch, settings: SegmentSettings) -> bool:
    fuller = replace(segment, offsets=(*segment.offsets, (0, 0)), times=(*segment.times, (0, 0)))
    return begins_segment(segment, batch, settings) or is_full(fuller, settings)


def _one_offset_more(segment: Segment, batch: SegmentBatch, settings: SegmentSettings) -> bool:
    return begins_segment(segment, replace(batch, last=batch.last - 1), settings)


def _one_offset_less(segment: Segment, batch: SegmentBatch, settings: SegmentSettings) -> bool:
    return begins_segment(segment, replace(batch, last=batch.last + 1), settings)


def _lose_last_of_first(log: SegmentLog) -> Runs:
    """The last batch of a segment behind which another begins is not read."""
    runs = read(log)
    return (runs[0][:-1], *runs[1:]) if len(runs) > 1 else runs


def _read_twice(log: SegmentLog) -> Runs:
    """The batch that begins the second segment is in the first one too."""
    runs = read(log)
    return ((*runs[0], runs[1][0]), *runs[1:]) if len(runs) > 1 else runs


def _swap(log: SegmentLog) -> Runs:
    runs = read(log)
    return (runs[1], runs[0], *runs[2:]) if len(runs) > 1 else runs


def _active_alone(log: SegmentLog) -> int:
    return log.active.size


def _file_heads(log: SegmentLog) -> int:
    """Each file is taken to be a little longer than its batches."""
    return size_of(log) + 8 * len(log.segments)


def _border(log: SegmentLog) -> int:
    """The base of the segment in which the log start lies."""
    return max([segment.base for segment in log.segments if segment.base <= log.start], default=0)


def _below_border(log: SegmentLog) -> int:
    """What is left when all segments that are deleted as a whole are gone."""
    return sum(
        [
            segment.size
            for segment, following in zip(log.segments, (*log.segments[1:], None), strict=True)
            if following is None or following.base > log.start
        ]
    )


def _offset_for_each(log: SegmentLog) -> int:
    return log.end + len(log.segments) - 1


def _as_repetition(base: int, skipped: int) -> AppendAnswer:
    if skipped:
        return answer_resent(base, skipped)
    return AppendAnswer(Error.DUPLICATE_SEQUENCE_NUMBER)


FAULTS = (
    SegmentFault(
        "no-age-after-a-start",
        "SEG-003",
        DEVIATES,
        "A segment that lies there when the broker starts is never too old.",
        SegmentRules(rolling=_as_begun, recovering=_without_age),
    ),
    SegmentFault(
        "altered-configs-wait-for-a-segment",
        "SEG-028",
        DEVIATES,
        "Configs that are altered count from the next segment on.",
        _rolling(_as_begun),
    ),
    SegmentFault(
        "altered-segment-ms-waits",
        "SEG-028",
        DEVIATES,
        "segment.ms counts from the next segment on where it is altered.",
        _rolling(_as_old),
    ),
    SegmentFault(
        "altered-index-size-at-once",
        "SEG-028",
        DEVIATES,
        "The active segment's index is full by a segment.index.bytes that was altered since.",
        _rolling(_as_altered),
    ),
    SegmentFault(
        "larger-than-a-segment-accepted",
        "SEG-014",
        VIOLATES,
        "A batch of more bytes than segment.bytes is stored.",
        SegmentRules(checking=lambda size, settings: check_size(size - 1, settings)),
    ),
    SegmentFault(
        "as-large-as-a-segment-refused",
        "SEG-014",
        VIOLATES,
        "A batch of segment.bytes bytes is refused.",
        SegmentRules(checking=lambda size, settings: check_size(size + 1, settings)),
    ),
    SegmentFault(
        "segment-size-as-message-size",
        "SEG-015",
        DEVIATES,
        "A batch that is larger than a segment is answered with MESSAGE_TOO_LARGE.",
        SegmentRules(
            checking=lambda size, settings: (
                Error.MESSAGE_TOO_LARGE if check_size(size, settings) else Error.NONE
            )
        ),
    ),
    SegmentFault(
        "last-batch-of-a-segment-lost",
        "SEG-016",
        VIOLATES,
        "The batch before a new segment can't be read.",
        SegmentRules(reading=_lose_last_of_first),
    ),
    SegmentFault(
        "batch-in-two-segments",
        "SEG-016",
        VIOLATES,
        "The batch that begins a segment is in the one before it too.",
        SegmentRules(reading=_read_twice),
    ),
    SegmentFault(
        "segments-read-in-another-order",
        "SEG-016",
        VIOLATES,
        "The second segment is read before the first.",
        SegmentRules(reading=_swap),
    ),
    SegmentFault(
        "active-segment-alone-is-counted",
        "SEG-017",
        VIOLATES,
        "The size of a partition is that of its active segment.",
        SegmentRules(sizing=_active_alone),
    ),
    SegmentFault(
        "size-with-file-heads",
        "SEG-018",
        DEVIATES,
        "The size of a partition has some bytes for each segment that are no batch.",
        SegmentRules(sizing=_file_heads),
    ),
    SegmentFault(
        "earliest-is-a-segment",
        "SEG-019",
        VIOLATES,
        "The earliest offset is the base offset of a segment.",
        SegmentRules(starting=_border),
    ),
    SegmentFault(
        "earliest-local-is-a-segment",
        "SEG-034",
        DEVIATES,
        "The earliest local offset is the base offset of a segment.",
        SegmentRules(starting_locally=_border),
    ),
    SegmentFault(
        "segment-takes-an-offset",
        "SEG-020",
        DEVIATES,
        "Each new segment takes an offset.",
        SegmentRules(ending=_offset_for_each),
    ),
    SegmentFault(
        "segment-never-full",
        "SEG-001",
        DEVIATES,
        "A batch that would fill the segment to the byte begins a new one.",
        _shift_limits(segment_bytes=-1),
    ),
    SegmentFault(
        "segment-over-full",
        "SEG-021",
        VIOLATES,
        "A segment takes one byte more than segment.bytes.",
        _shift_limits(segment_bytes=1),
    ),
    SegmentFault(
        "segment-checked-before-the-batch",
        "SEG-021",
        VIOLATES,
        "A segment ends once it has segment.bytes, however large the next batch is.",
        _rolling(lambda segment, _, settings: segment.size >= settings.segment_bytes),
    ),
    SegmentFault(
        "segment-time-ignored",
        "SEG-003",
        DEVIATES,
        "No segment begins by segment.ms.",
        _under(segment_ms=WEEK_MS),
    ),
    SegmentFault(
        "segment-time-itself-is-too-late",
        "SEG-003",
        DEVIATES,
        "A batch begins a new segment at segment.ms itself.",
        _shift_limits(segment_ms=-1),
    ),
    SegmentFault(
        "segment-time-from-the-latest",
        "SEG-003",
        DEVIATES,
        "segment.ms counts from the latest timestamp of the segment, not from its first batch.",
        _rolling(_from_the_latest),
    ),
    SegmentFault(
        "earlier-begins-a-segment",
        "SEG-003",
        DEVIATES,
        "A batch that is much earlier than the first one begins a new segment.",
        _rolling(_both_ways),
    ),
    SegmentFault(
        "full-index-ignored",
        "SEG-005",
        DEVIATES,
        "No segment begins because an index is full.",
        _under(index_bytes=2**20),
    ),
    SegmentFault(
        "no-place-kept-in-a-time-index",
        "SEG-005",
        DEVIATES,
        "A time index is filled to its last place before a new segment begins.",
        _rolling(_last_place_too),
    ),
    SegmentFault(
        "full-time-index-ignored",
        "SEG-005",
        DEVIATES,
        "A full time index begins no new segment.",
        _rolling(_offset_index_alone),
    ),
    SegmentFault(
        "index-full-one-entry-early",
        "SEG-005",
        DEVIATES,
        "A new segment begins while an index still takes an entry.",
        _rolling(_one_entry_early),
    ),
    SegmentFault(
        "relative-offset-overflows",
        "SEG-011",
        DEVIATES,
        "A segment takes a batch whose last offset is 2147483648 above its base.",
        _rolling(_one_offset_more),
    ),
    SegmentFault(
        "sequences-looked-at-first",
        "SEG-010",
        DEVIATES,
        "What is a repetition, or out of order, begins no segment.",
        SegmentRules(rolling_unstored=lambda *_: False),
    ),
    SegmentFault(
        "unstored-always-begins-a-segment",
        "SEG-010",
        DEVIATES,
        "What is a repetition, or out of order, begins a segment where it would fit into the last.",
        SegmentRules(rolling_unstored=lambda *_: True),
    ),
    SegmentFault(
        "torn-end-kept",
        "SEG-013",
        DEVIATES,
        "What is no sound batch at the end of a log stays there when the broker starts.",
        SegmentRules(recovering=lambda log, use: replace(log, torn=0 if use.indexed else use.torn)),
    ),
    SegmentFault(
        "torn-end-with-index-kept",
        "SEG-027",
        VIOLATES,
        "Part of a batch at the end of a log whose segment has its .index stays there.",
        SegmentRules(recovering=lambda log, use: replace(log, torn=use.torn if use.indexed else 0)),
    ),
    SegmentFault(
        "relative-offset-one-early",
        "SEG-011",
        DEVIATES,
        "A segment takes no batch whose last offset is 2147483647 above its base.",
        _rolling(_one_offset_less),
    ),
)

VARIANTS = (
    SegmentFault(
        "room-behind-a-recovered-log",
        "",
        CONFORMS,
        "A log that had part of a batch behind it has 4096 bytes for what comes when it was read.",
        SegmentRules(recovering=lambda log, use: replace(log, torn=4096 if use.torn else 0)),
    ),
    SegmentFault(
        "repetition-named-as-one",
        "",
        CONFORMS,
        "A repetition is answered with DUPLICATE_SEQUENCE_NUMBER and no offset.",
        SegmentRules(resending=_as_repetition),
    ),
    SegmentFault(
        "deleted-segments-go-at-once",
        "",
        CONFORMS,
        "A segment of which all records are deleted is gone at once.",
        SegmentRules(sizing=_below_border),
    ),
)
