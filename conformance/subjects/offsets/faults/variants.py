"""Legal variants: each passes both ways."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.faults.planted import Expected
from conformance.subjects.offsets.faults.fault import OffsetFault
from spec.frozen import replace
from spec.offsets.model import Broker, look_up
from spec.offsets.releases import DeletedRecords

if TYPE_CHECKING:
    from spec.offsets.model import Timelines
    from spec.offsets.outcomes import Found
    from spec.offsets.releases import OffsetSemantics
    from spec.offsets.steps import ListOffsets, Lookup


MARKER_MS = 12
"""A marker's timestamp where it counts: between those that records often have."""


def _look_up_deleted(
    timelines: Timelines, lookup: Lookup, request: ListOffsets, semantics: OffsetSemantics
) -> Found:
    return look_up(timelines, lookup, request, replace(semantics, deleted=DeletedRecords.IGNORED))


def _with_markers(
    timelines: Timelines, lookup: Lookup, request: ListOffsets, semantics: OffsetSemantics
) -> Found:
    timed = tuple(
        [
            replace(
                timeline,
                stamps=tuple(
                    [
                        replace(one, time=MARKER_MS) if one.time is None else one
                        for one in timeline.stamps
                    ]
                ),
            )
            for timeline in timelines
        ]
    )
    return look_up(timed, lookup, request, semantics)


VARIANTS: tuple[OffsetFault, ...] = (
    OffsetFault(
        "deleted-records-ignored",
        "",
        Expected.CONFORMS,
        "Records that were deleted decide nothing: what KIP-79 and KIP-734 say, other than Kafka.",
        Broker(looking_up=_look_up_deleted),
    ),
    OffsetFault(
        "markers-have-times",
        "",
        Expected.CONFORMS,
        "A marker is a record with a timestamp as all others, by the broker's clock.",
        Broker(looking_up=_with_markers),
    ),
)
