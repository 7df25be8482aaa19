"""Ways to look up times wrongly in a log of many segments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.subjects.segments.faults.fault import (
    CONFORMS,
    DEVIATES,
    VIOLATES,
    SegmentFault,
)
from spec.segments.model import SegmentRules, first_of, first_of_largest, first_since

if TYPE_CHECKING:
    from spec.segments.model import SegmentLog


def _in_halves(log: SegmentLog, time: int) -> int | None:
    """The segment is searched for as if their largest timestamps rose."""
    low, high = 0, len(log.segments) - 1
    while low < high:
        middle = (low + high) // 2
        largest = log.segments[middle].largest
        if largest is not None and largest[0] < time:
            low = middle + 1
        else:
            high = middle
    return first_of(log.segments[low].batches, time, log.start)


def _behind_equal(log: SegmentLog, time: int) -> int | None:
    """A record of exactly that time in the first segment is passed over."""
    found = first_since(log, time)
    if len(log.segments) < 2 or found is None or found >= log.segments[1].base:
        return found
    return first_since(log, time + 1)


def _last_of_largest(log: SegmentLog) -> int | None:
    """Of segments with an equally large timestamp the last one is searched."""
    timed = [segment for segment in log.segments if segment.largest is not None]
    if not timed:
        return None
    most = max([one.largest[0] for one in timed if one.largest is not None])
    last = [one for one in timed if one.largest is not None and one.largest[0] == most][-1]
    return first_of(last.batches, most, 0)


def _of_the_active(log: SegmentLog) -> int | None:
    """The active segment alone is searched, where it has something."""
    active = log.active
    if active.largest is None:
        return first_of_largest(log)
    return first_of(active.batches, active.largest[0], 0)


def _look_on(log: SegmentLog, time: int) -> int | None:
    """Deleted records are passed over, whichever segment they lie in."""
    every = [one for segment in log.segments for one in segment.batches]
    return first_of(every, time, log.start)


FAULTS = (
    SegmentFault(
        "segments-searched-in-halves",
        "SEG-024",
        VIOLATES,
        "A lookup by time takes it that timestamps rise from segment to segment.",
        SegmentRules(finding=_in_halves),
    ),
    SegmentFault(
        "equal-time-passed-over",
        "SEG-024",
        VIOLATES,
        "A lookup in a segment that is not the active one finds what is later only.",
        SegmentRules(finding=_behind_equal),
    ),
    SegmentFault(
        "largest-of-the-active-segment",
        "SEG-025",
        VIOLATES,
        "The largest timestamp is looked for in the active segment alone.",
        SegmentRules(finding_largest=_of_the_active),
    ),
    SegmentFault(
        "last-segment-of-the-largest",
        "SEG-026",
        DEVIATES,
        "Of segments with equally large timestamps the last one is searched.",
        SegmentRules(finding_largest=_last_of_largest),
    ),
)

VARIANTS = (
    SegmentFault(
        "deleted-records-passed-over",
        "",
        CONFORMS,
        "A deleted record does not decide which segment is searched.",
        SegmentRules(finding=_look_on),
    ),
)
