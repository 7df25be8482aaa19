"""Planted faults of acquisition locks.

A lock that ends late by less than the patience of SHR-155 is a legal variant: no document says how
soon a broker notices.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, NamedTuple

from conformance.faults.planted import Expected
from conformance.subjects.share.faults.fault import ShareFault, Timed
from spec.frozen import replace
from spec.share.model.records import Lock, Record, RecordState

if TYPE_CHECKING:
    from collections.abc import Callable

    from spec.share.model.partition import ShareState
    from spec.share.model.records import Cached
    from spec.share.model.state import State

VIOLATES, DEVIATES, CONFORMS = Expected.VIOLATES, Expected.DEVIATES, Expected.CONFORMS


EARLY = 0.6
"""The part of its time after which a lock that ends early does."""

LONG = 5
"""Offsets of a cached batch that is a long one."""

LATE_MS = 500
"""How much later than it should a lock ends in a legal variant."""


class _RecordChange(NamedTuple):
    """One record before and after a step.

    Attributes:
        before: None where it was not cached.
        after: the record that is to be kept.
        size: offsets of its cached batch.
        was_whole: its batch was not followed offset by offset.
        is_whole: nor is it now.
        closed: the member that held it has no session any more.
        waited_ms: how long the fetch had waited that the member of the lock is answered now; 0
            where none had.
        now: the time, ms.
    """

    before: Record | None
    after: Record
    size: int
    was_whole: bool
    is_whole: bool
    closed: bool
    waited_ms: float
    now: float

    @property
    def lock(self) -> Lock | None:
        """The lock that holds it now."""
        return self.after.lock if self.after.state is RecordState.ACQUIRED else None

    @property
    def old_lock(self) -> Lock | None:
        """The lock that was kept of it before."""
        return self.before.lock if self.before is not None else None

    @property
    def was_held(self) -> bool:
        """Whether it was acquired before."""
        return self.before is not None and self.before.state is RecordState.ACQUIRED

    @property
    def is_new(self) -> bool:
        """Whether it was acquired in this step."""
        return self.lock is not None and (
            not self.was_held or self.before is None or self.before.count != self.after.count
        )

    @property
    def is_renewed(self) -> bool:
        """Whether its lock was renewed in this step."""
        return self.lock is not None and not self.is_new and self.lock != self.old_lock

    @property
    def ran_out(self) -> bool:
        """Whether its lock ran out in this step."""
        return self.was_held and self.old_lock is not None and self.old_lock.to_ms <= self.now


def _alter_locks(change: Callable[[_RecordChange], Record]) -> Timed:
    """The broker keeps another record, or another lock of it, after each step."""

    def batch(
        cached: Cached, old: ShareState | None, before: State, after: State, now: float
    ) -> Cached:
        records = []
        for place, record in enumerate(cached.records):
            floor = old.floor(cached.first + place) if old is not None else None
            known = old.record(cached.first + place) if old is not None else None
            owner = known.lock.member if known is not None and known.lock is not None else None
            moment = _RecordChange(
                *(known, record, cached.size),
                was_whole=floor is not None and len(floor.records) == 1,
                is_whole=len(cached.records) == 1,
                closed=owner is not None and after.session(owner) is None,
                waited_ms=_wait_of(before, record, now),
                now=now,
            )
            records.append(change(moment))
        return replace(cached, records=tuple(records))

    def alter(before: State, after: State, now: float) -> State:
        partitions = []
        for old, new in zip(before.partitions, after.partitions, strict=False):
            kept = new
            if new.records is not None:
                cached = [batch(one, old.records, before, after, now) for one in new.records.cached]
                kept = replace(new, records=replace(new.records, cached=tuple(cached)))
            partitions.append(kept)
        return replace(after, partitions=(*partitions, *after.partitions[len(partitions) :]))

    return alter


def _wait_of(before: State, record: Record, now: float) -> float:
    """How long the fetch that a lock's member had under way has waited, ms; 0 without one."""
    since = [
        one.until_ms - one.fetch.max_wait_ms
        for one in before.parked
        if record.lock is not None and one.fetch.actor == record.lock.member
    ]
    return now - min(since, default=now)


def _until(record: Record, to_ms: float) -> Record:
    """The record, with a lock that ends then."""
    return replace(record, lock=replace(record.lock or Lock(-1), from_ms=to_ms, to_ms=to_ms))


def _where(
    wanted: Callable[[_RecordChange], bool], end: Callable[[_RecordChange, Lock], float]
) -> Timed:
    """Some locks end at another time."""

    def change(moment: _RecordChange) -> Record:
        lock = moment.lock
        if lock is None or not wanted(moment):
            return moment.after
        return _until(moment.after, end(moment, lock))

    return _alter_locks(change)


def _early(moment: _RecordChange, lock: Lock) -> float:
    return moment.now + EARLY * (lock.to_ms - moment.now)


def _never(_: _RecordChange, __: Lock) -> float:
    return inf


def _as_before(moment: _RecordChange, lock: Lock) -> float:
    return moment.old_lock.to_ms if moment.old_lock is not None else lock.to_ms


def _since_it_was_asked_for(moment: _RecordChange, lock: Lock) -> float:
    return lock.to_ms - moment.waited_ms


def _is_new(moment: _RecordChange) -> bool:
    return moment.is_new


def _is_alone(moment: _RecordChange) -> bool:
    return moment.is_new and moment.size == 1


def _is_long(moment: _RecordChange) -> bool:
    return moment.is_new and moment.size >= LONG


def _is_again(moment: _RecordChange) -> bool:
    return moment.is_new and moment.after.count > 1


def _is_left_of_a_batch(moment: _RecordChange) -> bool:
    held = moment.was_held and moment.lock == moment.old_lock and moment.lock is not None
    return held and moment.was_whole and not moment.is_whole


def _is_renewed(moment: _RecordChange) -> bool:
    return moment.is_renewed


def _is_partly_renewed(moment: _RecordChange) -> bool:
    return moment.is_renewed and not moment.is_whole


def _keep_running(*, closed: bool) -> Timed:
    """The lock of a record that is given back keeps running, and ends the next one too."""

    def change(moment: _RecordChange) -> Record:
        record, old = moment.after, moment.old_lock
        given_back = moment.was_held and not moment.ran_out and moment.closed is closed
        if record.state is RecordState.AVAILABLE and record.lock is None and old is not None:
            kept = given_back or not moment.was_held
            return replace(record, lock=old) if kept else record
        runs = old is not None and not moment.was_held and moment.is_new
        if runs and old is not None and moment.lock is not None:
            return _until(record, min(old.to_ms, moment.lock.to_ms))
        return record

    return _alter_locks(change)


def _still_runs_after_acceptance(moment: _RecordChange) -> Record:
    record, old = moment.after, moment.old_lock
    if record.state is not RecordState.ACKNOWLEDGED or old is None:
        return record
    if old.to_ms <= moment.now:
        return Record(RecordState.AVAILABLE, record.count)
    return replace(record, lock=old)


def _archive_at_its_end(moment: _RecordChange) -> Record:
    lost = moment.ran_out and moment.after.state is RecordState.AVAILABLE
    return Record(RecordState.ARCHIVED, moment.after.count) if lost else moment.after


def _uncount_at_its_end(moment: _RecordChange) -> Record:
    free = moment.ran_out and moment.after.state is RecordState.AVAILABLE
    return replace(moment.after, count=moment.after.count - 1) if free else moment.after


def _ignore_limit_at_its_end(moment: _RecordChange) -> Record:
    archived = moment.ran_out and moment.after.state is RecordState.ARCHIVED
    return Record(RecordState.AVAILABLE, moment.after.count) if archived else moment.after


FAULTS: tuple[ShareFault, ...] = (
    ShareFault(
        "lock-ends-early", "SHR-100", VIOLATES, "A lock ends early.", timed=_where(_is_new, _early)
    ),
    ShareFault(
        "lock-of-one-record-ends-early",
        "SHR-100",
        VIOLATES,
        "The lock of a batch of one record ends early.",
        timed=_where(_is_alone, _early),
    ),
    ShareFault(
        "lock-of-a-long-batch-ends-early",
        "SHR-100",
        VIOLATES,
        "The lock of a batch of five records or more ends early.",
        timed=_where(_is_long, _early),
    ),
    ShareFault(
        "second-lock-ends-early",
        "SHR-100",
        VIOLATES,
        "The lock of a record that is delivered again ends early.",
        timed=_where(_is_again, _early),
    ),
    ShareFault(
        "lock-begins-with-the-wait",
        "SHR-100",
        VIOLATES,
        "The lock of what a fetch waited for is counted from the fetch's arrival.",
        timed=_where(_is_new, _since_it_was_asked_for),
    ),
    ShareFault(
        "lock-never-ends", "SHR-315", VIOLATES, "A lock never ends.", timed=_where(_is_new, _never)
    ),
    ShareFault(
        "lock-of-one-record-never-ends",
        "SHR-315",
        VIOLATES,
        "The lock of a batch of one record never ends.",
        timed=_where(_is_alone, _never),
    ),
    ShareFault(
        "lock-of-a-long-batch-never-ends",
        "SHR-315",
        VIOLATES,
        "The lock of a batch of five records or more never ends.",
        timed=_where(_is_long, _never),
    ),
    ShareFault(
        "second-lock-never-ends",
        "SHR-315",
        VIOLATES,
        "The lock of a record that is delivered again never ends.",
        timed=_where(_is_again, _never),
    ),
    ShareFault(
        "lock-of-the-rest-never-ends",
        "SHR-315",
        VIOLATES,
        "Of a batch of which a part was acknowledged, the lock of the rest never ends.",
        timed=_where(_is_left_of_a_batch, _never),
    ),
    ShareFault(
        "renewal-prolongs-nothing",
        "SHR-100",
        VIOLATES,
        "A renewed lock ends when it would have ended.",
        timed=_where(_is_renewed, _as_before),
    ),
    ShareFault(
        "renewal-of-a-part-prolongs-nothing",
        "SHR-100",
        VIOLATES,
        "Where a part of a batch is renewed, its lock ends when it would have ended.",
        timed=_where(_is_partly_renewed, _as_before),
    ),
    ShareFault(
        "renewed-lock-never-ends",
        "SHR-315",
        VIOLATES,
        "A lock that was renewed never ends.",
        timed=_where(_is_renewed, _never),
    ),
    ShareFault(
        "released-lock-ends-the-next",
        "SHR-100",
        VIOLATES,
        "The lock of a record that was released keeps running, and ends the next one.",
        timed=_keep_running(closed=False),
    ),
    ShareFault(
        "closed-lock-ends-the-next",
        "SHR-100",
        VIOLATES,
        "The lock of a record that a closed session gave back keeps running, and ends the next.",
        timed=_keep_running(closed=True),
    ),
    ShareFault(
        "lock-outlives-acceptance",
        "SHR-131",
        VIOLATES,
        "A record that was accepted is available again once its lock would have ended.",
        timed=_alter_locks(_still_runs_after_acceptance),
    ),
    ShareFault(
        "lock-that-ends-archives",
        "SHR-155",
        VIOLATES,
        "A record whose lock runs out is never delivered again.",
        timed=_alter_locks(_archive_at_its_end),
    ),
    ShareFault(
        "lock-that-ends-is-not-counted",
        "SHR-400",
        VIOLATES,
        "A delivery whose lock runs out is not counted.",
        timed=_alter_locks(_uncount_at_its_end),
    ),
    ShareFault(
        "lock-that-ends-knows-no-limit",
        "SHR-128",
        VIOLATES,
        "A record whose lock runs out after its last delivery is delivered again.",
        timed=_alter_locks(_ignore_limit_at_its_end),
    ),
)

VARIANTS: tuple[ShareFault, ...] = (
    ShareFault(
        "lock-ends-late",
        "",
        CONFORMS,
        "A lock ends half a second late: no document says how soon a broker notices.",
        timed=_where(_is_new, lambda _, lock: lock.to_ms + LATE_MS),
    ),
)
