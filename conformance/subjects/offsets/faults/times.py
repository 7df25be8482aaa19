"""Faults of lookups by time."""

from __future__ import annotations

from conformance.faults.planted import Expected
from conformance.subjects.offsets.faults.fault import (
    Asked,
    OffsetFault,
    by_time,
    change_by_time,
    change_found,
)
from spec.frozen import replace
from spec.kafka import READ_COMMITTED, Error
from spec.offsets.outcomes import Found
from spec.offsets.timeline import first_since


def _strictly_later(asked: Asked) -> int | None:
    bound = asked.timeline.bound(asked.request.isolation)
    return next(
        (
            stamp.offset
            for stamp in asked.timeline.kept_stamps()
            if stamp.time is not None and stamp.time > asked.target and stamp.offset < bound
        ),
        None,
    )


def _start_of_run(asked: Asked) -> int | None:
    """The first record of those that were written with the record that is found: of its run of
    times that do not fall.
    """
    offset = asked.expected.offset
    if offset is None:
        return None
    times = {stamp.offset: stamp.time for stamp in asked.timeline.kept_stamps()}
    while (before := times.get(offset - 1)) is not None and before <= (times[offset] or 0):
        offset -= 1
    return offset


def _latest_of_all(asked: Asked) -> int | None:
    """The last record that is late enough."""
    bound = asked.timeline.bound(asked.request.isolation)
    late = [
        stamp.offset
        for stamp in asked.timeline.kept_stamps()
        if stamp.time is not None and stamp.time >= asked.target and stamp.offset < bound
    ]
    return max(late, default=None)


def _ignore_bound(asked: Asked) -> Found:
    if asked.request.isolation != READ_COMMITTED or asked.special is not None:
        return asked.expected
    found = first_since(asked.timeline, asked.target, asked.timeline.end)
    return asked.answer_with(None if found is None else found.offset)


def _alternating(asked: Asked) -> int | None:
    """Nothing for every third millisecond."""
    hidden = asked.lookup.relative and asked.lookup.timestamp % 3 == 0
    return None if hidden else asked.expected.offset


FAULTS: tuple[OffsetFault, ...] = (
    OffsetFault(
        "nothing-found-is-an-error",
        "OFF-008",
        Expected.VIOLATES,
        "A lookup that finds no record is answered with OFFSET_OUT_OF_RANGE.",
        change_found(
            lambda asked: (
                Found(asked.lookup.partition, Error.OFFSET_OUT_OF_RANGE)
                if asked.special is None and asked.expected.offset is None
                else asked.expected
            )
        ),
    ),
    OffsetFault(
        "time-strictly-later",
        "OFF-004",
        Expected.VIOLATES,
        "A lookup gives the first record that is later than its timestamp, not one that is equal.",
        by_time(_strictly_later),
    ),
    OffsetFault(
        "time-leads-to-batch",
        "OFF-004",
        Expected.VIOLATES,
        "A lookup gives the start of a run of records, not the record inside it.",
        by_time(_start_of_run),
    ),
    OffsetFault(
        "time-leads-to-the-last",
        "OFF-004",
        Expected.VIOLATES,
        "A lookup gives the last record that is late enough.",
        by_time(_latest_of_all),
    ),
    OffsetFault(
        "time-past-all-leads-to-the-end",
        "OFF-004",
        Expected.VIOLATES,
        "A lookup past all timestamps gives the end of the log.",
        by_time(
            lambda asked: (
                asked.timeline.end
                if asked.expected.offset is None
                and first_since(asked.timeline, asked.target, asked.timeline.end) is None
                else asked.expected.offset
            )
        ),
    ),
    OffsetFault(
        "log-start-ignored-by-time",
        "OFF-004",
        Expected.VIOLATES,
        "A lookup by time finds records that were deleted.",
        by_time(
            lambda asked: next(
                (
                    stamp.offset
                    for stamp in asked.timeline.stamps
                    if stamp.time is not None
                    and stamp.time >= asked.target
                    and stamp.offset < asked.timeline.bound(asked.request.isolation)
                ),
                None,
            )
        ),
    ),
    OffsetFault(
        "asked-timestamp-echoed",
        "OFF-015",
        Expected.VIOLATES,
        "The timestamp in an answer is the one that was asked for.",
        change_by_time(
            lambda asked: (
                replace(asked.expected, timestamp=asked.lookup.timestamp)
                if asked.special is None and asked.lookup.relative
                else asked.expected
            )
        ),
    ),
    OffsetFault(
        "some-times-find-nothing",
        "OFF-031",
        Expected.VIOLATES,
        "Some timestamps find nothing though a later one does.",
        by_time(_alternating),
    ),
    OffsetFault(
        "bound-ignored-by-time",
        "OFF-122",
        Expected.DEVIATES,
        "A lookup by time under read_committed finds records past the last stable offset.",
        change_found(_ignore_bound),
    ),
    OffsetFault(
        "nothing-found-with-timestamp",
        "OFF-104",
        Expected.DEVIATES,
        "Where nothing is found, the timestamp is the one that was asked for.",
        change_found(
            lambda asked: (
                replace(asked.expected, timestamp=asked.lookup.timestamp)
                if asked.special is None and asked.lookup.relative and asked.expected.offset is None
                else asked.expected
            )
        ),
    ),
)
