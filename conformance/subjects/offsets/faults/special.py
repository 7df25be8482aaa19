"""Faults of special timestamps: the ends of the log, and the largest timestamp."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.faults.planted import Expected
from conformance.subjects.offsets.faults.fault import Asked, OffsetFault, at_special, change_found
from spec.frozen import replace
from spec.kafka import READ_COMMITTED, READ_UNCOMMITTED
from spec.offsets.steps import (
    EARLIEST,
    EARLIEST_LOCAL,
    EARLIEST_PENDING,
    LARGEST,
    LATEST,
    LATEST_TIERED,
)
from spec.offsets.timeline import TimedRecord, largest_of

if TYPE_CHECKING:
    from spec.offsets.outcomes import Found


def _last_of_the_largest(asked: Asked) -> int | None:
    largest = largest_of(asked.timeline.kept_stamps())
    if asked.expected.offset is None or largest is None:
        return asked.expected.offset
    bound = asked.timeline.bound(asked.request.isolation)
    return (
        max(
            stamp.offset
            for stamp in asked.timeline.kept_stamps()
            if stamp.time == largest.time and stamp.offset < bound
        )
        if largest.offset < bound
        else asked.expected.offset
    )


def _second_largest(asked: Asked) -> int | None:
    """The last record of the log, whatever its timestamp."""
    if asked.expected.offset is None:
        return None
    timed = [stamp.offset for stamp in asked.timeline.kept_stamps() if stamp.time is not None]
    return max(timed, default=asked.expected.offset)


def _keep_first_largest(asked: Asked) -> Found:
    """The first record, as the one with the largest timestamp."""
    if asked.special != LARGEST or asked.expected.offset is None:
        return asked.expected
    return asked.answer_with(next(asked.timeline.kept_stamps(), TimedRecord(0, None, 0, 0)).offset)


def _largest_below_the_bound(asked: Asked) -> Found:
    if asked.special != LARGEST or asked.request.isolation == READ_UNCOMMITTED:
        return asked.expected
    below = [
        stamp
        for stamp in asked.timeline.kept_stamps()
        if stamp.offset < asked.timeline.bound(asked.request.isolation)
    ]
    largest = largest_of(iter(below))
    if largest is None:
        return asked.answer_with(None)
    return replace(asked.answer_with(largest.offset), leader_epoch=0)


FAULTS: tuple[OffsetFault, ...] = (
    OffsetFault(
        "log-start-ignored-by-earliest",
        "OFF-002",
        Expected.VIOLATES,
        "The earliest offset is 0 though records were deleted.",
        at_special(EARLIEST, lambda _: 0),
    ),
    OffsetFault(
        "isolation-ignored-by-latest",
        "OFF-003",
        Expected.VIOLATES,
        "The latest offset is the high watermark for read_committed too.",
        at_special(LATEST, lambda asked: asked.timeline.end),
    ),
    OffsetFault(
        "latest-is-the-last-record",
        "OFF-003",
        Expected.VIOLATES,
        "The latest offset is that of the last record, not one past it.",
        at_special(LATEST, lambda asked: max(0, asked.timeline.bound(asked.request.isolation) - 1)),
    ),
    OffsetFault(
        "largest-is-the-last",
        "OFF-005",
        Expected.VIOLATES,
        "The largest timestamp is that of the last record.",
        change_found(
            lambda asked: (
                asked.answer_with(_second_largest(asked))
                if asked.special == LARGEST
                else asked.expected
            )
        ),
    ),
    OffsetFault(
        "largest-at-the-end",
        "OFF-030",
        Expected.VIOLATES,
        "The largest timestamp is said to lie at the end of the log, where no record is.",
        change_found(
            lambda asked: (
                replace(asked.expected, offset=asked.timeline.end)
                if asked.special == LARGEST and asked.has_record
                else asked.expected
            )
        ),
    ),
    OffsetFault(
        "stable-past-the-end",
        "OFF-032",
        Expected.VIOLATES,
        "The latest offset under read_committed is one past the high watermark.",
        at_special(
            LATEST,
            lambda asked: (
                asked.timeline.end + 1
                if asked.request.isolation == READ_COMMITTED
                else asked.expected.offset
            ),
        ),
    ),
    OffsetFault(
        "largest-is-the-first",
        "OFF-033",
        Expected.VIOLATES,
        "The largest timestamp is that of the first record.",
        change_found(_keep_first_largest),
    ),
    OffsetFault(
        "earliest-local-at-the-end",
        "OFF-016",
        Expected.DEVIATES,
        "The earliest local offset is the end of the log, as though all else were tiered.",
        at_special(EARLIEST_LOCAL, lambda asked: asked.timeline.end),
    ),
    OffsetFault(
        "tiered-at-the-start",
        "OFF-017",
        Expected.DEVIATES,
        "The latest tiered offset is the log start.",
        at_special(LATEST_TIERED, lambda asked: asked.timeline.start),
    ),
    OffsetFault(
        "pending-at-the-start",
        "OFF-018",
        Expected.DEVIATES,
        "The earliest pending offset is the log start.",
        at_special(EARLIEST_PENDING, lambda asked: asked.timeline.start),
    ),
    OffsetFault(
        "end-with-timestamp",
        "OFF-102",
        Expected.DEVIATES,
        "The timestamp of an end is 0.",
        change_found(
            lambda asked: (
                replace(asked.expected, timestamp=0)
                if asked.special in {EARLIEST, LATEST}
                else asked.expected
            )
        ),
    ),
    OffsetFault(
        "last-of-the-largest",
        "OFF-105",
        Expected.DEVIATES,
        "Of several records with the largest timestamp the last one is given.",
        change_found(
            lambda asked: (
                asked.answer_with(_last_of_the_largest(asked))
                if asked.special == LARGEST
                else asked.expected
            )
        ),
    ),
    OffsetFault(
        "largest-below-the-bound",
        "OFF-105",
        Expected.DEVIATES,
        "Under read_committed the largest timestamp is that of a record before the bound.",
        change_found(_largest_below_the_bound),
    ),
)
