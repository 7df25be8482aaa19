"""The reasons for which a new segment begins, as relations over the batches that were seen."""

from collections.abc import Sequence
from enum import StrEnum

from spec.kafka import INT32_MAX
from spec.segments.outcomes import SegmentBatch
from spec.segments.settings import UNLIMITED, WEEK_MS, SegmentSettings
from spec.segments.turn import BatchPlace


class Reason(StrEnum):
    """A reason for which a new segment begins for a batch."""

    SIZE = "size"
    TIME = "time"
    INDEX = "index"
    OFFSET = "offset"


FEW_BYTES = 1024
"""Bytes of an index that is meant to be full soon."""


def age(place: BatchPlace) -> int | None:
    """Milliseconds from the timestamp of the segment's first batch to that of a batch; None where
    the first has none, so that the clock decides. A batch without a timestamp is never later.
    """
    first = place.before[0].time
    if first is None:
        return None
    return (-1 if place.batch.time is None else place.batch.time) - (
        0 if place.batch.time is None else first
    )


def entries(batches: Sequence[SegmentBatch], settings: SegmentSettings) -> tuple[int, int]:
    """The number of entries of the offset index and of the time index of a segment."""
    offsets = times = unindexed = 0
    largest = indexed = None
    for batch in batches:
        if batch.time is not None and (largest is None or batch.time > largest):
            largest = batch.time
        if unindexed > settings.index_interval:
            offsets, unindexed = offsets + 1, 0
            if largest is not None and (indexed is None or largest > indexed):
                times, indexed = times + 1, largest
        unindexed += batch.size
    return offsets, times


def places_left(place: BatchPlace, settings: SegmentSettings) -> int:
    """The entries that the fuller index of the active segment still takes."""
    offsets, times = entries(place.before, settings)
    return min(settings.index_bytes // 8 - offsets, settings.index_bytes // 12 - 1 - times)


def reasons(place: BatchPlace, settings: SegmentSettings) -> frozenset[Reason] | None:
    """The reasons for which a batch begins a new segment; None where the clock may be one."""
    waited = age(place)
    if waited is None and settings.segment_ms < WEEK_MS:
        return None
    found = {
        Reason.SIZE: place.size + place.batch.size > settings.segment_bytes,
        Reason.TIME: waited is not None and waited > settings.segment_ms,
        Reason.INDEX: places_left(place, settings) <= 0,
        Reason.OFFSET: place.batch.last - place.base > INT32_MAX,
    }
    return frozenset([reason for reason, given in found.items() if given])


def suspected_reason(place: BatchPlace, settings: SegmentSettings) -> Reason:
    """The reason that a broker may have seen where it begins a segment without one."""
    waited = age(place)
    if settings.segment_ms < WEEK_MS and waited:
        return Reason.TIME
    if settings.index_bytes < FEW_BYTES:
        return Reason.INDEX
    return Reason.OFFSET if place.batch.last - place.base > INT32_MAX // 2 else Reason.SIZE


Cut = tuple[tuple[SegmentBatch, ...], ...]
"""The batches of each segment."""


def cut_log(batches: Sequence[SegmentBatch], settings: SegmentSettings) -> Cut:
    """A log as it is cut into segments for these reasons."""
    segments: list[list[SegmentBatch]] = []
    for batch in batches:
        if segments and not reasons(BatchPlace(batch, tuple(segments[-1]), begins=False), settings):
            segments[-1].append(batch)
        else:
            segments.append([batch])
    return tuple([tuple(segment) for segment in segments])


def discardable(segments: Cut, settings: SegmentSettings) -> int:
    """Where a log starts once no segment is left that may be discarded, from the oldest on."""
    left = list(segments)
    by_size, by_time = settings.retention_bytes, settings.retention_ms
    while len(left) > 1 and by_size != UNLIMITED:
        rest = sum([batch.size for segment in left[1:] for batch in segment])
        if rest < by_size:
            break
        left.pop(0)
    end = segments[-1][-1].last + 1 if segments else 0
    while left and by_time != UNLIMITED:
        times = [batch.time for batch in left[0]]
        if not all(time is not None and -time > by_time for time in times):
            break
        left.pop(0)
    return left[0][0].base if left else end
