"""A planted fault on offsets: a change of what decides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spec.frozen import frozen, replace
from spec.kafka import Error
from spec.offsets.model import Broker, look_up
from spec.offsets.outcomes import Found
from spec.offsets.steps import LARGEST, ListOffsets, Lookup
from spec.offsets.timeline import Timeline, target_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.faults.planted import Expected
    from spec.offsets.model import Timelines
    from spec.offsets.releases import OffsetSemantics


@frozen
class OffsetFault:
    """A way to be wrong about offsets, or different; see `PlantedFault`."""

    name: str
    clause: str
    expected: Expected
    summary: str
    broker: Broker


@frozen
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

    def answer_with(self, offset: int | None) -> Found:
        """The expected answer with another offset, and the timestamp of its record."""
        time = None if offset is None else self.timeline.time_of(offset)
        epoch = None if offset is None else self.expected.leader_epoch
        return Found(self.lookup.partition, 0, offset, time, epoch)


def change_found(change: Callable[[Asked], Found]) -> Broker:
    """Answer otherwise where the reference has no error."""

    def looking_up(
        timelines: Timelines, lookup: Lookup, request: ListOffsets, semantics: OffsetSemantics
    ) -> Found:
        expected = look_up(timelines, lookup, request, semantics)
        if expected.error or lookup.partition >= len(timelines):
            return expected
        return change(Asked(lookup, request, timelines[lookup.partition], expected))

    return Broker(looking_up=looking_up)


def replace_lookup(
    change: Callable[[Lookup, ListOffsets], tuple[Lookup, ListOffsets]],
) -> Broker:
    """Answer another lookup than the one that is asked."""

    def looking_up(
        timelines: Timelines, lookup: Lookup, request: ListOffsets, semantics: OffsetSemantics
    ) -> Found:
        return look_up(timelines, *change(lookup, request), semantics)

    return Broker(looking_up=looking_up)


def change_refused(codes: dict[Error, Found]) -> Broker:
    """Answer a lookup otherwise where the reference has one of these errors; the partition is the
    lookup's.
    """

    def looking_up(
        timelines: Timelines, lookup: Lookup, request: ListOffsets, semantics: OffsetSemantics
    ) -> Found:
        expected = look_up(timelines, lookup, request, semantics)
        other = codes.get(Error(expected.error))
        return expected if other is None else replace(other, partition=lookup.partition)

    return Broker(looking_up=looking_up)


def at_special(special: int, offset: Callable[[Asked], int | None]) -> Broker:
    """Give another offset for a special timestamp."""
    return change_found(
        lambda asked: (
            replace(asked.expected, offset=offset(asked))
            if asked.special == special
            else asked.expected
        )
    )


def by_time(offset: Callable[[Asked], int | None]) -> Broker:
    """Give another offset for a time."""
    return change_found(
        lambda asked: asked.answer_with(offset(asked)) if asked.special is None else asked.expected
    )


def change_by_time(change: Callable[[Asked], Found]) -> Broker:
    """Answer otherwise where a record was found by its time."""
    return change_found(lambda asked: change(asked) if asked.has_record else asked.expected)
