"""Planted faults of the timers of share groups, and of what is cached while they run: acquisition
locks, fetches that wait, and group configs that change meanwhile.

A lock that ends late by less than the patience of SHR-155 is a legal variant: no document says how
soon a broker notices.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import TYPE_CHECKING, NamedTuple

from conformance.faults.planted import Expected
from conformance.subjects.share.fault_kinds import ShareFault, misread_fetch
from spec.frozen import replace
from spec.share.model.records import Lock, Record, RecordState

if TYPE_CHECKING:
    from spec.share.model.partition import ShareState
    from spec.share.model.records import Cached
    from spec.share.model.session import ShareSession
    from spec.share.model.state import State

EARLY = 0.6
"""The part of its time after which a lock that ends early does."""
LONG = 5
"""Offsets of a cached batch that is a long one."""
LATE_MS = 500
"""How much later than it should a lock ends in a legal variant."""
UNREPORTED_MS = 60_000
"""By how much a wait that never ends passes its MaxWaitMs: longer than any history."""
Timed = Callable[["State", "State", float], "State"]


class _RecordChange(NamedTuple):
    """One record before and after a step.

    Attributes:
        before: None where it was not cached.
        after: the record that is to be kept.
        size: offsets of its cached batch.
        was_whole: its batch was not followed offset by offset.
        is_whole: nor is it now.
        closed: the member that held it has no session any more.
        now: the time, ms.
    """

    before: Record | None
    after: Record
    size: int
    was_whole: bool
    is_whole: bool
    closed: bool
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

    def batch(cached: Cached, old: ShareState | None, before: State, now: float) -> Cached:
        records = []
        for place, record in enumerate(cached.records):
            floor = old.floor(cached.first + place) if old is not None else None
            known = old.record(cached.first + place) if old is not None else None
            owner = known.lock.member if known is not None and known.lock is not None else None
            moment = _RecordChange(
                *(known, record, cached.size),
                was_whole=floor is not None and len(floor.records) == 1,
                is_whole=len(cached.records) == 1,
                closed=owner is not None and before.session(owner) is None,
                now=now,
            )
            records.append(change(moment))
        return replace(cached, records=tuple(records))

    def alter(before: State, after: State, now: float) -> State:
        partitions = []
        for old, new in zip(before.partitions, after.partitions, strict=False):
            kept = new
            if new.records is not None:
                cached = [batch(one, old.records, after, now) for one in new.records.cached]
                kept = replace(new, records=replace(new.records, cached=tuple(cached)))
            partitions.append(kept)
        return replace(after, partitions=(*partitions, *after.partitions[len(partitions) :]))

    return alter


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


def _keep_config(key: str, keeps: Callable[[str | None, str | None], bool]) -> Timed:
    """The broker keeps some old values of a group config once share partitions are loaded."""

    def alter(before: State, after: State, _: float) -> State:
        old, new = dict(before.configs).get(key), dict(after.configs).get(key)
        if old == new or not any(one.loaded for one in before.partitions) or not keeps(old, new):
            return after
        configs = {name: value for name, value in after.configs if name != key}
        if old is not None:
            configs[key] = old
        return replace(after, configs=tuple(sorted(configs.items())))

    return alter


def _waits_longer(_: State, after: State, now: float) -> State:
    parked = [
        replace(one, until_ms=one.until_ms + UNREPORTED_MS)
        if one.until_ms <= now + one.fetch.max_wait_ms
        else one
        for one in after.parked
    ]
    return replace(after, parked=tuple(parked))


def _waits_half(_: State, after: State, now: float) -> State:
    parked = [
        replace(one, until_ms=min(one.until_ms, now + one.fetch.max_wait_ms / 2))
        for one in after.parked
    ]
    return replace(after, parked=tuple(parked))


V, D, C = Expected.VIOLATES, Expected.DEVIATES, Expected.CONFORMS

LOCK_FAULTS: tuple[ShareFault, ...] = (
    ShareFault(
        "lock-ends-early", "SHR-100", V, "A lock ends early.", timed=_where(_is_new, _early)
    ),
    ShareFault(
        "lock-of-one-record-ends-early",
        "SHR-100",
        V,
        "The lock of a batch of one record ends early.",
        timed=_where(_is_alone, _early),
    ),
    ShareFault(
        "lock-of-a-long-batch-ends-early",
        "SHR-100",
        V,
        "The lock of a batch of five records or more ends early.",
        timed=_where(_is_long, _early),
    ),
    ShareFault(
        "second-lock-ends-early",
        "SHR-100",
        V,
        "The lock of a record that is delivered again ends early.",
        timed=_where(_is_again, _early),
    ),
    ShareFault(
        "lock-never-ends", "SHR-315", V, "A lock never ends.", timed=_where(_is_new, _never)
    ),
    ShareFault(
        "lock-of-one-record-never-ends",
        "SHR-315",
        V,
        "The lock of a batch of one record never ends.",
        timed=_where(_is_alone, _never),
    ),
    ShareFault(
        "lock-of-a-long-batch-never-ends",
        "SHR-315",
        V,
        "The lock of a batch of five records or more never ends.",
        timed=_where(_is_long, _never),
    ),
    ShareFault(
        "second-lock-never-ends",
        "SHR-315",
        V,
        "The lock of a record that is delivered again never ends.",
        timed=_where(_is_again, _never),
    ),
    ShareFault(
        "lock-of-the-rest-never-ends",
        "SHR-315",
        V,
        "Of a batch of which a part was acknowledged, the lock of the rest never ends.",
        timed=_where(_is_left_of_a_batch, _never),
    ),
    ShareFault(
        "renewal-prolongs-nothing",
        "SHR-100",
        V,
        "A renewed lock ends when it would have ended.",
        timed=_where(_is_renewed, _as_before),
    ),
    ShareFault(
        "renewal-of-a-part-prolongs-nothing",
        "SHR-100",
        V,
        "Where a part of a batch is renewed, its lock ends when it would have ended.",
        timed=_where(_is_partly_renewed, _as_before),
    ),
    ShareFault(
        "renewed-lock-never-ends",
        "SHR-315",
        V,
        "A lock that was renewed never ends.",
        timed=_where(_is_renewed, _never),
    ),
    ShareFault(
        "released-lock-ends-the-next",
        "SHR-100",
        V,
        "The lock of a record that was released keeps running, and ends the next one.",
        timed=_keep_running(closed=False),
    ),
    ShareFault(
        "closed-lock-ends-the-next",
        "SHR-100",
        V,
        "The lock of a record that a closed session gave back keeps running, and ends the next.",
        timed=_keep_running(closed=True),
    ),
    ShareFault(
        "lock-outlives-acceptance",
        "SHR-131",
        V,
        "A record that was accepted is available again once its lock would have ended.",
        timed=_alter_locks(_still_runs_after_acceptance),
    ),
    ShareFault(
        "lock-that-ends-archives",
        "SHR-155",
        V,
        "A record whose lock runs out is never delivered again.",
        timed=_alter_locks(_archive_at_its_end),
    ),
    ShareFault(
        "lock-that-ends-is-not-counted",
        "SHR-400",
        V,
        "A delivery whose lock runs out is not counted.",
        timed=_alter_locks(_uncount_at_its_end),
    ),
    ShareFault(
        "lock-that-ends-knows-no-limit",
        "SHR-128",
        V,
        "A record whose lock runs out after its last delivery is delivered again.",
        timed=_alter_locks(_ignore_limit_at_its_end),
    ),
)

WAIT_FAULTS: tuple[ShareFault, ...] = (
    ShareFault(
        "share-wait-never-ends",
        "SHR-143",
        V,
        "A share fetch that waits is not answered after its MaxWaitMs.",
        timed=_waits_longer,
    ),
)

LOCK_VARIANTS: tuple[ShareFault, ...] = (
    ShareFault(
        "lock-ends-late",
        "",
        C,
        "A lock ends half a second late: no document says how soon a broker notices.",
        timed=_where(_is_new, lambda _, lock: lock.to_ms + LATE_MS),
    ),
    ShareFault(
        "share-wait-ends-early",
        "",
        C,
        "A share fetch that waits is answered, empty, after half of its MaxWaitMs.",
        timed=_waits_half,
    ),
)

LIMIT, LOCKS, DURATION, RENEWING, ISOLATION = (
    "share.delivery.count.limit",
    "share.partition.max.record.locks",
    "share.record.lock.duration.ms",
    "share.renew.acknowledge.enable",
    "share.isolation.level",
)


def _is_raised(old: str | None, new: str | None) -> bool:
    return old is not None and new is not None and int(old) < int(new)


def _is_lowered(old: str | None, new: str | None) -> bool:
    return old is not None and new is not None and int(old) > int(new)


CONFIG_FAULTS: tuple[ShareFault, ...] = (
    ShareFault(
        "raised-delivery-limit-not-taken",
        "SHR-155",
        V,
        "A higher delivery count limit of a group whose partitions are loaded does not count.",
        timed=_keep_config(LIMIT, _is_raised),
    ),
    ShareFault(
        "lowered-delivery-limit-not-taken",
        "SHR-128",
        V,
        "A lower delivery count limit of a group whose partitions are loaded does not count.",
        timed=_keep_config(LIMIT, _is_lowered),
    ),
    ShareFault(
        "raised-lock-limit-not-taken",
        "SHR-155",
        V,
        "A higher limit of record locks of a group whose partitions are loaded does not count.",
        timed=_keep_config(LOCKS, _is_raised),
    ),
    ShareFault(
        "lowered-lock-limit-not-taken",
        "SHR-112",
        V,
        "A lower limit of record locks of a group whose partitions are loaded does not count.",
        timed=_keep_config(LOCKS, _is_lowered),
    ),
    ShareFault(
        "raised-lock-duration-not-taken",
        "SHR-402",
        V,
        "A longer lock of a group whose partitions are loaded does not count.",
        timed=_keep_config(DURATION, _is_raised),
    ),
    ShareFault(
        "lowered-lock-duration-not-taken",
        "SHR-402",
        V,
        "A shorter lock of a group whose partitions are loaded does not count.",
        timed=_keep_config(DURATION, _is_lowered),
    ),
    ShareFault(
        "renewing-stays-forbidden",
        "SHR-309",
        V,
        "Renewing that is allowed later stays forbidden.",
        timed=_keep_config(RENEWING, lambda old, _: old == "false"),
    ),
    ShareFault(
        "renewing-stays-allowed",
        "SHR-404",
        V,
        "Renewing that is forbidden later stays allowed.",
        timed=_keep_config(RENEWING, lambda old, _: old == "true"),
    ),
    ShareFault(
        "aborted-records-stay-filtered",
        "SHR-121",
        D,
        "A group that reads uncommitted records later does not get aborted ones.",
        timed=_keep_config(ISOLATION, lambda old, _: old == "read_committed"),
    ),
    ShareFault(
        "aborted-records-stay-unfiltered",
        "SHR-425",
        D,
        "A group that reads committed records later still gets aborted ones.",
        timed=_keep_config(ISOLATION, lambda old, _: old == "read_uncommitted"),
    ),
)


def _keep_no_added(before: State, after: State, _: float) -> State:
    """Sessions that were open keep no partition that a request has added."""
    sessions = [
        (member, _without_added(before.session(member), session))
        for member, session in after.sessions
    ]
    return replace(after, sessions=tuple(sessions))


def _without_added(before: ShareSession | None, after: ShareSession) -> ShareSession:
    if before is None or after.epoch != before.epoch + 1:
        return after
    kept = [number for number in after.partitions if number in before.partitions]
    return replace(after, partitions=tuple(kept))


def _counts_with_the_answer(before: State, after: State, _: float) -> State:
    """The epoch of a session moves when a fetch that waits is answered, not when it comes."""
    for parked in after.parked:
        if parked not in before.parked:
            after = after.with_session(parked.fetch.actor, before.session(parked.fetch.actor))
    for parked in before.parked:
        if parked not in after.parked:
            after = after.with_session(parked.fetch.actor, parked.session)
    return after


SESSION_FAULTS: tuple[ShareFault, ...] = (
    ShareFault(
        "share-session-forgets-nothing",
        "SHR-023",
        V,
        "A share session serves partitions that were taken out of it.",
        misread_fetch(lambda step: replace(step, forgotten=())),
    ),
    ShareFault(
        "share-session-keeps-no-added-partitions",
        "SHR-155",
        V,
        "A partition that is added to a share session is served by that fetch alone.",
        timed=_keep_no_added,
    ),
    ShareFault(
        "share-session-moves-with-the-answer",
        "SHR-004",
        V,
        "A share fetch that is repeated while the first one waits is taken, not refused.",
        timed=_counts_with_the_answer,
    ),
)

TIMER_FAULTS = (*LOCK_FAULTS, *WAIT_FAULTS, *CONFIG_FAULTS, *SESSION_FAULTS)
