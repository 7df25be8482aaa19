"""Ways to discard too much of a log, or too little."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.subjects.segments.faults.fault import (
    CONFORMS,
    DEVIATES,
    VIOLATES,
    SegmentFault,
)
from spec.frozen import replace
from spec.segments.model import Segment, SegmentLog, SegmentRules, apply_retention

if TYPE_CHECKING:
    from spec.segments.settings import SegmentSettings


def _from(log: SegmentLog, start: int) -> SegmentLog:
    """A log without the segments that end before an offset."""
    kept = [one for one in log.segments if one.batches and one.batches[-1].last >= start]
    return SegmentLog(max(log.start, start), tuple(kept) or (Segment(log.end),))


def _before_it_is_too_large(log: SegmentLog, settings: SegmentSettings) -> SegmentLog:
    """A log of as many bytes as retention.bytes loses its oldest segment."""
    sizes = [segment.size for segment in log.segments]
    full = 0 <= settings.retention_bytes == sum(sizes)
    if not full or len(sizes) < 2:
        return apply_retention(log, settings)
    return _from(log, log.segments[1].base)


def _down_to_the_limit(log: SegmentLog, settings: SegmentSettings) -> SegmentLog:
    """Segments go until at most retention.bytes are left."""
    segments = list(log.segments)
    while (
        settings.retention_bytes >= 0
        and len(segments) > 1
        and sum([one.size for one in segments]) > settings.retention_bytes
    ):
        segments.pop(0)
    return _from(apply_retention(log, replace(settings, retention_bytes=-1)), segments[0].base)


def _by_first_batch(log: SegmentLog, settings: SegmentSettings) -> SegmentLog:
    """A segment is as old as its first batch."""
    segments = [
        replace(one, largest=(one.batches[0].time or 0, 0)) if one.batches else one
        for one in log.segments
    ]
    start = apply_retention(replace(log, segments=tuple(segments)), settings).start
    return _from(log, start)


def _nothing(log: SegmentLog, settings: SegmentSettings) -> SegmentLog:
    """Nothing is discarded."""
    del settings
    return log


FAULTS = (
    SegmentFault(
        "discarded-at-the-limit",
        "SEG-030",
        VIOLATES,
        "A log of as many bytes as retention.bytes loses its oldest segment.",
        SegmentRules(retaining=_before_it_is_too_large),
    ),
    SegmentFault(
        "discarded-down-to-the-limit",
        "SEG-031",
        DEVIATES,
        "Segments are discarded until at most retention.bytes are left.",
        SegmentRules(retaining=_down_to_the_limit),
    ),
    SegmentFault(
        "as-old-as-its-first-batch",
        "SEG-032",
        VIOLATES,
        "A segment is discarded once its first batch is too old.",
        SegmentRules(retaining=_by_first_batch),
    ),
    SegmentFault(
        "nothing-discarded",
        "SEG-033",
        DEVIATES,
        "No segment is ever discarded.",
        SegmentRules(retaining=_nothing),
    ),
)

VARIANTS = (
    SegmentFault(
        "discarded-twice",
        "",
        CONFORMS,
        "Retention comes a second time.",
        SegmentRules(
            retaining=lambda log, settings: apply_retention(
                apply_retention(log, settings), settings
            )
        ),
    ),
)
