"""Faults of DeleteRecords."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.faults.planted import Expected
from conformance.subjects.offsets.faults.fault import OffsetFault
from spec.frozen import replace
from spec.kafka import Error
from spec.offsets.model import Broker, deleted_to

if TYPE_CHECKING:
    from collections.abc import Callable

    from spec.offsets.timeline import Timeline


def _deleting(change: Callable[[Timeline, int], tuple[Timeline, Error]]) -> Broker:
    return Broker(deleting=change)


def _round_down(timeline: Timeline, offset: int) -> tuple[Timeline, Error]:
    """Move the log start to the first offset of a batch."""
    moved, error = deleted_to(timeline, offset)
    base = next((stamp.base for stamp in moved.kept_stamps()), moved.start)
    return (timeline.deleted_to(base) if not error else moved), error


def _move_back(timeline: Timeline, offset: int) -> tuple[Timeline, Error]:
    moved, error = deleted_to(timeline, offset)
    return (moved if error or offset < 0 else replace(moved, start=offset)), error


def _clamp(timeline: Timeline, offset: int) -> tuple[Timeline, Error]:
    return deleted_to(timeline, min(offset, timeline.end))


def _at_most_stable(timeline: Timeline, offset: int) -> tuple[Timeline, Error]:
    is_open = timeline.undecided < timeline.end
    if is_open and timeline.stable < offset <= timeline.end:
        return timeline, Error.INVALID_REQUEST
    return deleted_to(timeline, offset)


FAULTS: tuple[OffsetFault, ...] = (
    OffsetFault(
        "deletes-whole-batches",
        "OFF-010",
        Expected.VIOLATES,
        "The log start moves to the start of a batch only.",
        _deleting(_round_down),
    ),
    OffsetFault(
        "log-start-moves-back",
        "OFF-010",
        Expected.VIOLATES,
        "DeleteRecords below the log start moves it back.",
        _deleting(_move_back),
    ),
    OffsetFault(
        "deletes-below-the-start-refused",
        "OFF-010",
        Expected.VIOLATES,
        "DeleteRecords below the log start is out of range.",
        _deleting(
            lambda timeline, offset: (
                (timeline, Error.OFFSET_OUT_OF_RANGE)
                if 0 <= offset < timeline.start
                else deleted_to(timeline, offset)
            )
        ),
    ),
    OffsetFault(
        "deletes-past-the-end",
        "OFF-012",
        Expected.VIOLATES,
        "DeleteRecords past the high watermark deletes up to it.",
        _deleting(_clamp),
    ),
    OffsetFault(
        "end-is-out-of-range",
        "OFF-012",
        Expected.VIOLATES,
        "DeleteRecords to the high watermark is out of range.",
        _deleting(
            lambda timeline, offset: (
                (timeline, Error.OFFSET_OUT_OF_RANGE)
                if offset == timeline.end
                else deleted_to(timeline, offset)
            )
        ),
    ),
    OffsetFault(
        "undecided-is-not-deleted",
        "OFF-014",
        Expected.DEVIATES,
        "DeleteRecords past the first offset of an open transaction is refused.",
        _deleting(_at_most_stable),
    ),
    OffsetFault(
        "refusal-with-low-watermark",
        "OFF-112",
        Expected.DEVIATES,
        "The low watermark of a refusal is the log start.",
        Broker(low_on_refusal=True),
    ),
    OffsetFault(
        "any-negative-offset-is-the-end",
        "OFF-111",
        Expected.DEVIATES,
        "Every negative offset stands for the high watermark.",
        _deleting(lambda timeline, offset: deleted_to(timeline, max(-1, offset))),
    ),
)
