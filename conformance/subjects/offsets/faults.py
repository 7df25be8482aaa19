"""Planted faults on offsets, each a change of what decides, and legal variants that must pass."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from conformance.faults.planted import Expected
from spec.kafka import READ_COMMITTED, READ_UNCOMMITTED, Error
from spec.offsets.model import (
    Broker,
    as_it_is,
    commit_errors,
    committed,
    deleted_to,
    epoch_end,
    look_up,
)
from spec.offsets.outcomes import Committed, EpochEndAnswer, Found, ListOffsetsAnswer
from spec.offsets.releases import Deleted, MetadataUnit
from spec.offsets.steps import (
    EARLIEST,
    EARLIEST_LOCAL,
    EARLIEST_PENDING,
    LARGEST,
    LATEST,
    LATEST_TIERED,
    ListOffsets,
    Lookup,
    OffsetForLeaderEpoch,
    Text,
)
from spec.offsets.timeline import Stamp, Timeline, first_since, largest_of, target_of
from spec.outcomes import Closed

if TYPE_CHECKING:
    from collections.abc import Callable

    from spec.offsets.model import Timelines
    from spec.offsets.releases import OffsetSemantics
    from spec.offsets.steps import Commit, OffsetCommit
    from spec.outcomes import Outcome


@dataclass(frozen=True, slots=True)
class OffsetFault:
    """A way to be wrong about offsets, or different; see `PlantedFault`."""

    name: str
    clause: str
    expected: Expected
    summary: str
    broker: Broker


@dataclass(frozen=True, slots=True)
class Asked:
    """A lookup and the partition that it meets; `expected` is the reference's answer."""

    lookup: Lookup
    request: ListOffsets
    timeline: Timeline
    expected: Found

    @property
    def special(self) -> int | None:
        """The special timestamp that is asked for; None for a time."""
        return self.lookup.timestamp if self.lookup.is_special else None

    @property
    def target(self) -> float:
        """The time that is asked for."""
        return target_of(self.lookup.timestamp, relative=self.lookup.relative)

    @property
    def has_record(self) -> bool:
        """Whether a record was found by its time."""
        located = self.special is None or self.special == LARGEST
        return located and self.expected.offset is not None

    def found(self, offset: int | None) -> Found:
        """The expected answer with another offset, and the timestamp of its record."""
        time = None if offset is None else self.timeline.time_of(offset)
        epoch = None if offset is None else self.expected.leader_epoch
        return Found(self.lookup.partition, 0, offset, time, epoch)


def _changed(change: Callable[[Asked], Found]) -> Broker:
    """Answer otherwise where the reference has no error."""

    def looking_up(
        timelines: Timelines, lookup: Lookup, request: ListOffsets, semantics: OffsetSemantics
    ) -> Found:
        expected = look_up(timelines, lookup, request, semantics)
        if expected.error or lookup.partition >= len(timelines):
            return expected
        return change(Asked(lookup, request, timelines[lookup.partition], expected))

    return Broker(looking_up=looking_up)


def _asked_otherwise(change: Callable[[Lookup, ListOffsets], tuple[Lookup, ListOffsets]]) -> Broker:
    """Answer another lookup than the one that is asked."""

    def looking_up(
        timelines: Timelines, lookup: Lookup, request: ListOffsets, semantics: OffsetSemantics
    ) -> Found:
        return look_up(timelines, *change(lookup, request), semantics)

    return Broker(looking_up=looking_up)


def _refused(codes: dict[Error, Found]) -> Broker:
    """Answer otherwise where the reference has one of these errors."""

    def looking_up(
        timelines: Timelines, lookup: Lookup, request: ListOffsets, semantics: OffsetSemantics
    ) -> Found:
        expected = look_up(timelines, lookup, request, semantics)
        other = codes.get(Error(expected.error))
        return expected if other is None else replace(other, partition=lookup.partition)

    return Broker(looking_up=looking_up)


def _at(special: int, offset: Callable[[Asked], int | None]) -> Broker:
    """Give another offset for a special timestamp."""
    return _changed(
        lambda asked: (
            replace(asked.expected, offset=offset(asked))
            if asked.special == special
            else asked.expected
        )
    )


def _by_time(offset: Callable[[Asked], int | None]) -> Broker:
    """Give another offset for a time."""
    return _changed(
        lambda asked: asked.found(offset(asked)) if asked.special is None else asked.expected
    )


def _records(change: Callable[[Asked], Found]) -> Broker:
    """Answer otherwise where a record was found by its time."""
    return _changed(lambda asked: change(asked) if asked.has_record else asked.expected)


def _strictly_later(asked: Asked) -> int | None:
    bound = asked.timeline.bound(asked.request.isolation)
    return next(
        (
            stamp.offset
            for stamp in asked.timeline.kept()
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
    times = {stamp.offset: stamp.time for stamp in asked.timeline.kept()}
    while (before := times.get(offset - 1)) is not None and before <= (times[offset] or 0):
        offset -= 1
    return offset


def _latest_of_all(asked: Asked) -> int | None:
    """The last record that is late enough."""
    bound = asked.timeline.bound(asked.request.isolation)
    late = [
        stamp.offset
        for stamp in asked.timeline.kept()
        if stamp.time is not None and stamp.time >= asked.target and stamp.offset < bound
    ]
    return max(late, default=None)


def _unbounded(asked: Asked) -> Found:
    if asked.request.isolation != READ_COMMITTED or asked.special is not None:
        return asked.expected
    found = first_since(asked.timeline, asked.target, asked.timeline.end)
    return asked.found(None if found is None else found.offset)


def _last_of_the_largest(asked: Asked) -> int | None:
    largest = largest_of(asked.timeline.kept())
    if asked.expected.offset is None or largest is None:
        return asked.expected.offset
    bound = asked.timeline.bound(asked.request.isolation)
    return (
        max(
            stamp.offset
            for stamp in asked.timeline.kept()
            if stamp.time == largest.time and stamp.offset < bound
        )
        if largest.offset < bound
        else asked.expected.offset
    )


def _second_largest(asked: Asked) -> int | None:
    """The last record of the log, whatever its timestamp."""
    if asked.expected.offset is None:
        return None
    timed = [stamp.offset for stamp in asked.timeline.kept() if stamp.time is not None]
    return max(timed, default=asked.expected.offset)


def _alternating(asked: Asked) -> int | None:
    """Nothing for every third millisecond."""
    hidden = asked.lookup.relative and asked.lookup.timestamp % 3 == 0
    return None if hidden else asked.expected.offset


def _first_kept(asked: Asked) -> Found:
    """The first record, as the one with the largest timestamp."""
    if asked.special != LARGEST or asked.expected.offset is None:
        return asked.expected
    return asked.found(next(asked.timeline.kept(), Stamp(0, None, 0, 0)).offset)


def _crowded(request: ListOffsets, found: tuple[Found, ...]) -> Outcome:
    """Several partitions at once get no answer."""
    if len(request.lookups) > 1:
        return Closed("it was closed")
    return as_it_is(request, found)


def _right_about_deleted(
    timelines: Timelines, lookup: Lookup, request: ListOffsets, semantics: OffsetSemantics
) -> Found:
    return look_up(timelines, lookup, request, replace(semantics, deleted=Deleted.IGNORED))


MARKER_MS = 12
"""A marker's timestamp where it counts: between those that records often have."""


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


def _largest_below_the_bound(asked: Asked) -> Found:
    if asked.special != LARGEST or asked.request.isolation == READ_UNCOMMITTED:
        return asked.expected
    below = [
        stamp
        for stamp in asked.timeline.kept()
        if stamp.offset < asked.timeline.bound(asked.request.isolation)
    ]
    largest = largest_of(iter(below))
    if largest is None:
        return asked.found(None)
    return replace(asked.found(largest.offset), leader_epoch=0)


def _deleting(change: Callable[[Timeline, int], tuple[Timeline, Error]]) -> Broker:
    return Broker(deleting=change)


def _rounded_down(timeline: Timeline, offset: int) -> tuple[Timeline, Error]:
    """Move the log start to the first offset of a batch."""
    moved, error = deleted_to(timeline, offset)
    base = next((stamp.base for stamp in moved.kept()), moved.start)
    return (timeline.deleted_to(base) if not error else moved), error


def _moved_back(timeline: Timeline, offset: int) -> tuple[Timeline, Error]:
    moved, error = deleted_to(timeline, offset)
    return (moved if error or offset < 0 else replace(moved, start=offset)), error


def _clamped(timeline: Timeline, offset: int) -> tuple[Timeline, Error]:
    return deleted_to(timeline, min(offset, timeline.end))


def _at_most_stable(timeline: Timeline, offset: int) -> tuple[Timeline, Error]:
    is_open = timeline.undecided < timeline.end
    if is_open and timeline.stable < offset <= timeline.end:
        return timeline, Error.INVALID_REQUEST
    return deleted_to(timeline, offset)


def _ending(
    change: Callable[[Timeline, OffsetForLeaderEpoch, EpochEndAnswer], EpochEndAnswer],
) -> Broker:
    return Broker(
        ending_epoch=lambda timeline, step: change(timeline, step, epoch_end(timeline, step))
    )


DELETING = (
    OffsetFault(
        "deletes-whole-batches",
        "OFF-010",
        Expected.VIOLATES,
        "The log start moves to the start of a batch only.",
        _deleting(_rounded_down),
    ),
    OffsetFault(
        "log-start-moves-back",
        "OFF-010",
        Expected.VIOLATES,
        "DeleteRecords below the log start moves it back.",
        _deleting(_moved_back),
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
        _deleting(_clamped),
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
ENDINGS = (
    OffsetFault(
        "epoch-end-one-short",
        "OFF-040",
        Expected.VIOLATES,
        "The current leader epoch ends at the last record, not past it.",
        _ending(
            lambda timeline, _, found: (
                replace(found, offset=timeline.end - 1)
                if found.epoch == 0 and timeline.end
                else found
            )
        ),
    ),
    OffsetFault(
        "newer-epoch-has-an-end",
        "OFF-040",
        Expected.VIOLATES,
        "A leader epoch that is newer than the current one ends at the log end.",
        _ending(
            lambda timeline, step, found: (
                EpochEndAnswer(0, 0, timeline.end) if step.epoch > 0 and not found.error else found
            )
        ),
    ),
    OffsetFault(
        "current-epoch-ignored",
        "OFF-043",
        Expected.VIOLATES,
        "The current leader epoch that a client sends is not checked.",
        Broker(
            ending_epoch=lambda timeline, step: epoch_end(timeline, replace(step, current=None))
        ),
    ),
    OffsetFault(
        "older-epoch-unknown",
        "OFF-042",
        Expected.DEVIATES,
        "An older leader epoch has no end.",
        _ending(
            lambda _, step, found: EpochEndAnswer() if step.epoch < 0 and not found.error else found
        ),
    ),
    OffsetFault(
        "epoch-error-with-offset",
        "OFF-144",
        Expected.DEVIATES,
        "An error comes with the log end.",
        _ending(
            lambda timeline, _, found: replace(found, offset=timeline.end) if found.error else found
        ),
    ),
)


def _committing(change: Callable[[Commit, OffsetSemantics, Error], Error]) -> Broker:
    """Decide each commit otherwise."""

    def committing(
        step: OffsetCommit, partitions: int, semantics: OffsetSemantics
    ) -> tuple[Error, ...]:
        errors = commit_errors(step, partitions, semantics)
        return tuple(
            [change(one, semantics, error) for one, error in zip(step.commits, errors, strict=True)]
        )

    return Broker(committing=committing)


def _all_or_none(
    step: OffsetCommit, partitions: int, semantics: OffsetSemantics
) -> tuple[Error, ...]:
    errors = commit_errors(step, partitions, semantics)
    return (max(errors),) * len(errors)


def _by_bytes(step: OffsetCommit, partitions: int, semantics: OffsetSemantics) -> tuple[Error, ...]:
    counted = replace(semantics, metadata_unit=MetadataUnit.BYTES)
    return commit_errors(step, partitions, counted)


COMMITTING = (
    OffsetFault(
        "metadata-one-too-many",
        "OFF-050",
        Expected.VIOLATES,
        "Metadata may be one unit longer than the limit.",
        _committing(
            lambda one, semantics, error: (
                Error.NONE if one.units == semantics.metadata_max + 1 else error
            )
        ),
    ),
    OffsetFault(
        "metadata-below-the-limit-only",
        "OFF-050",
        Expected.VIOLATES,
        "Metadata of exactly the limit is refused.",
        _committing(
            lambda one, semantics, error: (
                Error.OFFSET_METADATA_TOO_LARGE if one.size == semantics.metadata_max else error
            )
        ),
    ),
    OffsetFault(
        "metadata-unlimited",
        "OFF-050",
        Expected.VIOLATES,
        "There is no limit of metadata.",
        _committing(
            lambda _, __, error: Error.NONE if error == Error.OFFSET_METADATA_TOO_LARGE else error
        ),
    ),
    OffsetFault(
        "commit-all-or-none",
        "OFF-050",
        Expected.VIOLATES,
        "A request with one commit that is refused has all refused.",
        Broker(committing=_all_or_none),
    ),
    OffsetFault(
        "metadata-in-bytes",
        "OFF-051",
        Expected.DEVIATES,
        "The limit of metadata counts bytes of UTF-8.",
        Broker(committing=_by_bytes),
    ),
    OffsetFault(
        "metadata-forgotten",
        "OFF-052",
        Expected.VIOLATES,
        "OffsetFetch gives no metadata.",
        Broker(
            recalling=lambda commits, partition: replace(
                committed(commits, partition), length=0, text=Text.ASCII
            )
        ),
    ),
    OffsetFault(
        "nothing-committed-is-zero",
        "OFF-052",
        Expected.VIOLATES,
        "OffsetFetch gives offset 0 where nothing was committed.",
        Broker(
            recalling=lambda commits, partition: (
                committed(commits, partition)
                if partition in commits
                else Committed(partition, 0, 0)
            )
        ),
    ),
    OffsetFault(
        "commit-entry-missing",
        "OFF-054",
        Expected.VIOLATES,
        "A commit that is refused has no entry in the answer.",
        Broker(lists_refused=False),
    ),
)

VIOLATIONS = (
    OffsetFault(
        "several-partitions-unanswered",
        "OFF-001",
        Expected.VIOLATES,
        "A request with several partitions ends the connection.",
        Broker(altering=_crowded),
    ),
    OffsetFault(
        "entry-missing",
        "OFF-007",
        Expected.VIOLATES,
        "A partition with an error is left out of the answer.",
        Broker(
            altering=lambda request, found: as_it_is(
                request, tuple([one for one in found if not one.error])
            )
        ),
    ),
    OffsetFault(
        "entry-twice",
        "OFF-007",
        Expected.VIOLATES,
        "The last partition comes twice.",
        Broker(altering=lambda _, found: ListOffsetsAnswer((*found, found[-1]))),
    ),
    OffsetFault(
        "empty-partition-has-no-offsets",
        "OFF-008",
        Expected.VIOLATES,
        "A lookup in a partition without records is refused.",
        _changed(
            lambda asked: (
                asked.expected
                if asked.timeline.stamps
                else Found(asked.lookup.partition, Error.OFFSET_OUT_OF_RANGE)
            )
        ),
    ),
    OffsetFault(
        "nothing-found-is-an-error",
        "OFF-008",
        Expected.VIOLATES,
        "A lookup that finds no record is answered with OFFSET_OUT_OF_RANGE.",
        _changed(
            lambda asked: (
                Found(asked.lookup.partition, Error.OFFSET_OUT_OF_RANGE)
                if asked.special is None and asked.expected.offset is None
                else asked.expected
            )
        ),
    ),
    OffsetFault(
        "unknown-partition-has-an-offset",
        "OFF-006",
        Expected.VIOLATES,
        "A partition that does not exist begins and ends at 0.",
        _refused({Error.UNKNOWN_TOPIC_OR_PARTITION: Found(0, 0, 0)}),
    ),
    OffsetFault(
        "newer-leader-epoch-accepted",
        "OFF-023",
        Expected.VIOLATES,
        "The leader epoch of a lookup is not checked.",
        _asked_otherwise(lambda lookup, request: (replace(lookup, leader_epoch=None), request)),
    ),
    OffsetFault(
        "leader-epochs-swapped",
        "OFF-023",
        Expected.VIOLATES,
        "A newer leader epoch is answered with FENCED_LEADER_EPOCH.",
        _refused({Error.UNKNOWN_LEADER_EPOCH: Found(0, Error.FENCED_LEADER_EPOCH)}),
    ),
    OffsetFault(
        "leader-epoch-one-ahead",
        "OFF-025",
        Expected.VIOLATES,
        "The leader epoch in an answer is one past the current one.",
        _changed(
            lambda asked: (
                asked.expected
                if asked.expected.leader_epoch is None
                else replace(asked.expected, leader_epoch=1)
            )
        ),
    ),
    OffsetFault(
        "log-start-ignored-by-earliest",
        "OFF-002",
        Expected.VIOLATES,
        "The earliest offset is 0 though records were deleted.",
        _at(EARLIEST, lambda _: 0),
    ),
    OffsetFault(
        "isolation-ignored-by-latest",
        "OFF-003",
        Expected.VIOLATES,
        "The latest offset is the high watermark for read_committed too.",
        _at(LATEST, lambda asked: asked.timeline.end),
    ),
    OffsetFault(
        "latest-is-the-last-record",
        "OFF-003",
        Expected.VIOLATES,
        "The latest offset is that of the last record, not one past it.",
        _at(LATEST, lambda asked: max(0, asked.timeline.bound(asked.request.isolation) - 1)),
    ),
    OffsetFault(
        "time-strictly-later",
        "OFF-004",
        Expected.VIOLATES,
        "A lookup gives the first record that is later than its timestamp, not one that is equal.",
        _by_time(_strictly_later),
    ),
    OffsetFault(
        "time-leads-to-batch",
        "OFF-004",
        Expected.VIOLATES,
        "A lookup gives the start of a run of records, not the record inside it.",
        _by_time(_start_of_run),
    ),
    OffsetFault(
        "time-leads-to-the-last",
        "OFF-004",
        Expected.VIOLATES,
        "A lookup gives the last record that is late enough.",
        _by_time(_latest_of_all),
    ),
    OffsetFault(
        "time-past-all-leads-to-the-end",
        "OFF-004",
        Expected.VIOLATES,
        "A lookup past all timestamps gives the end of the log.",
        _by_time(
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
        _by_time(
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
        "largest-is-the-last",
        "OFF-005",
        Expected.VIOLATES,
        "The largest timestamp is that of the last record.",
        _changed(
            lambda asked: (
                asked.found(_second_largest(asked)) if asked.special == LARGEST else asked.expected
            )
        ),
    ),
    OffsetFault(
        "asked-timestamp-echoed",
        "OFF-015",
        Expected.VIOLATES,
        "The timestamp in an answer is the one that was asked for.",
        _records(
            lambda asked: (
                replace(asked.expected, timestamp=asked.lookup.timestamp)
                if asked.special is None and asked.lookup.relative
                else asked.expected
            )
        ),
    ),
)

RELATED = (
    OffsetFault(
        "largest-at-the-end",
        "OFF-030",
        Expected.VIOLATES,
        "The largest timestamp is said to lie at the end of the log, where no record is.",
        _changed(
            lambda asked: (
                replace(asked.expected, offset=asked.timeline.end)
                if asked.special == LARGEST and asked.has_record
                else asked.expected
            )
        ),
    ),
    OffsetFault(
        "some-times-find-nothing",
        "OFF-031",
        Expected.VIOLATES,
        "Some timestamps find nothing though a later one does.",
        _by_time(_alternating),
    ),
    OffsetFault(
        "stable-past-the-end",
        "OFF-032",
        Expected.VIOLATES,
        "The latest offset under read_committed is one past the high watermark.",
        _at(
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
        _changed(_first_kept),
    ),
)
"""Faults that break a relation between answers; what each answer should be says so too."""

DEVIATIONS = (
    OffsetFault(
        "named-twice-answered-twice",
        "OFF-108",
        Expected.DEVIATES,
        "A partition that is named twice has an entry for each lookup.",
        _asked_otherwise(lambda lookup, request: (lookup, replace(request, lookups=(lookup,)))),
    ),
    OffsetFault(
        "named-twice-answered-once",
        "OFF-108",
        Expected.DEVIATES,
        "Of a partition that is named twice the last lookup is answered.",
        Broker(
            looking_up=lambda timelines, lookup, request, semantics: look_up(
                timelines, lookup, replace(request, lookups=(lookup,)), semantics
            ),
            altering=lambda request, found: as_it_is(
                request, tuple({one.partition: one for one in found}.values())
            ),
        ),
    ),
    OffsetFault(
        "unknown-partition-otherwise",
        "OFF-106",
        Expected.DEVIATES,
        "A partition that does not exist is answered with NOT_LEADER_OR_FOLLOWER.",
        _refused({Error.UNKNOWN_TOPIC_OR_PARTITION: Found(0, Error.NOT_LEADER_OR_FOLLOWER)}),
    ),
    OffsetFault(
        "special-in-any-version",
        "OFF-109",
        Expected.DEVIATES,
        "A special timestamp is answered in versions before the one that it came with.",
        _asked_otherwise(
            lambda lookup, request: (
                (lookup, replace(request, version=11))
                if lookup.timestamp >= EARLIEST_PENDING and lookup.leader_epoch is None
                else (lookup, request)
            )
        ),
    ),
    OffsetFault(
        "any-negative-timestamp",
        "OFF-119",
        Expected.DEVIATES,
        "A negative timestamp that is not special leads to the log start.",
        _asked_otherwise(
            lambda lookup, request: (
                (replace(lookup, timestamp=EARLIEST), request)
                if lookup.is_special and lookup.timestamp < EARLIEST_PENDING
                else (lookup, request)
            )
        ),
    ),
    OffsetFault(
        "error-with-offset",
        "OFF-107",
        Expected.DEVIATES,
        "An error comes with offset 0.",
        _refused(
            {
                code: Found(0, code, 0)
                for code in (
                    Error.UNSUPPORTED_VERSION,
                    Error.UNKNOWN_LEADER_EPOCH,
                    Error.FENCED_LEADER_EPOCH,
                )
            }
        ),
    ),
    OffsetFault(
        "no-leader-epoch",
        "OFF-024",
        Expected.DEVIATES,
        "The leader epoch in an answer is -1.",
        _changed(lambda asked: replace(asked.expected, leader_epoch=None)),
    ),
    OffsetFault(
        "earliest-local-at-the-end",
        "OFF-016",
        Expected.DEVIATES,
        "The earliest local offset is the end of the log, as though all else were tiered.",
        _at(EARLIEST_LOCAL, lambda asked: asked.timeline.end),
    ),
    OffsetFault(
        "tiered-at-the-start",
        "OFF-017",
        Expected.DEVIATES,
        "The latest tiered offset is the log start.",
        _at(LATEST_TIERED, lambda asked: asked.timeline.start),
    ),
    OffsetFault(
        "pending-at-the-start",
        "OFF-018",
        Expected.DEVIATES,
        "The earliest pending offset is the log start.",
        _at(EARLIEST_PENDING, lambda asked: asked.timeline.start),
    ),
    OffsetFault(
        "end-with-timestamp",
        "OFF-102",
        Expected.DEVIATES,
        "The timestamp of an end is 0.",
        _changed(
            lambda asked: (
                replace(asked.expected, timestamp=0)
                if asked.special in {EARLIEST, LATEST}
                else asked.expected
            )
        ),
    ),
    OffsetFault(
        "bound-ignored-by-time",
        "OFF-122",
        Expected.DEVIATES,
        "A lookup by time under read_committed finds records past the last stable offset.",
        _changed(_unbounded),
    ),
    OffsetFault(
        "last-of-the-largest",
        "OFF-105",
        Expected.DEVIATES,
        "Of several records with the largest timestamp the last one is given.",
        _changed(
            lambda asked: (
                asked.found(_last_of_the_largest(asked))
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
        _changed(_largest_below_the_bound),
    ),
    OffsetFault(
        "nothing-found-with-timestamp",
        "OFF-104",
        Expected.DEVIATES,
        "Where nothing is found, the timestamp is the one that was asked for.",
        _changed(
            lambda asked: (
                replace(asked.expected, timestamp=asked.lookup.timestamp)
                if asked.special is None and asked.lookup.relative and asked.expected.offset is None
                else asked.expected
            )
        ),
    ),
)


VARIANTS = (
    OffsetFault(
        "deleted-records-ignored",
        "",
        Expected.CONFORMS,
        "Records that were deleted decide nothing: what KIP-79 and KIP-734 say, other than Kafka.",
        Broker(looking_up=_right_about_deleted),
    ),
    OffsetFault(
        "markers-have-times",
        "",
        Expected.CONFORMS,
        "A marker is a record with a timestamp as all others, by the broker's clock.",
        Broker(looking_up=_with_markers),
    ),
)
"""Each passes both ways."""
FAULTS: tuple[OffsetFault, ...] = (
    *DELETING,
    *ENDINGS,
    *COMMITTING,
    *VIOLATIONS,
    *RELATED,
    *DEVIATIONS,
    *VARIANTS,
)
