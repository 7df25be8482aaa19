"""The state of a share group at one moment: logs, share partitions, sessions, the group's configs,
and the fetches that wait.
"""

import math
from collections.abc import Iterable, Mapping

from spec.frozen import frozen, replace
from spec.kafka import Error
from spec.log import Log, log_of
from spec.scenario import Scenario
from spec.semantics import Semantics
from spec.share.model.partition import (
    ShareState,
    close_session,
    empty_state,
    expire,
    mark_departed,
    reload,
)
from spec.share.model.records import Lock, RecordState, departed_member
from spec.share.model.session import ShareSession
from spec.share.model.settings import Settings, settings_of
from spec.share.releases import ClosedCount, ShareSemantics
from spec.share.steps import AlterGroupConfig, AlterShareGroupOffsets, ShareFetch
from spec.steps import Append, DeleteRecords


@frozen
class PartitionState:
    """One share partition on the broker.

    Attributes:
        records: its offsets and records in flight; None where its start is not fixed before it is
            loaded.
        loaded: it is known to have been loaded, so that it answers.
        tried_ms: when it was first fetched from; None where it was not.
        lost: what it holds can't be followed any more.
        closed: a session that held records in it was closed.
        dropped: one of those with its connection.
        reloaded: it was loaded again, from writes whose cuts are not followed: batches may lie in
            it in more pieces than the state has.
        located: the offset of a next read whose place in the log the broker has looked up; None
            where it has looked up none.
    """

    records: ShareState | None = None
    loaded: bool = False
    tried_ms: float | None = None
    lost: bool = False
    closed: bool = False
    dropped: bool = False
    reloaded: bool = False
    located: int | None = None


@frozen
class Closing:
    """One partition of a session that is being closed: what its member holds there is given back,
    at some moment up to `to_ms`.

    Each partition has its own moment: the broker writes the change of one after the other.

    Attributes:
        member: whose session; `departed_member` once its records are being given back.
        partition: which share partition.
        to_ms: when it surely is done.
        gives_back: the partition was of the session, so that the member's records are given back.
        unloads: the group has no session left, so that the share partition is loaded again
            (SHR-010).
        lost: its connection was lost; what follows then waits for the broker to notice, and depends
            on the sessions that are left by then.
    """

    member: int
    partition: int
    to_ms: float
    gives_back: bool = True
    unloads: bool = False
    lost: bool = False


@frozen
class Parked:
    """A fetch that waits.

    Attributes:
        number: the request's, which identifies its answer.
        step: as it was sent.
        fetch: as it was read, with the epoch that it carried.
        session: the member's session since it arrived.
        acknowledge_errors: (partition, error code) of what was acknowledged along with it.
        until_ms: when its MaxWaitMs is over.
    """

    number: int
    step: ShareFetch
    fetch: ShareFetch
    session: ShareSession
    acknowledge_errors: tuple[tuple[int, int], ...]
    until_ms: float


@frozen
class State:
    """A share group and its logs.

    Attributes:
        logs: the partitions' logs.
        partitions: the share partitions, as many.
        sessions: (member, session) of those who have one.
        opened: members whose connection has opened a session, closed by now or not; the loss of no
            other means anything to the broker.
        configs: the group's own configs.
        closing: share partitions in which a closed session's records may not have been given back
            yet.
        named: what the group's name begins with, where the history says so.
        parked: fetches that wait for something to acquire, in the order of their arrival.
        written: (partition, first offset, when it was sent, ms) of each append, where times are
            observed.
    """

    logs: tuple[Log, ...]
    partitions: tuple[PartitionState, ...]
    sessions: tuple[tuple[int, ShareSession], ...] = ()
    opened: frozenset[int] = frozenset()
    configs: tuple[tuple[str, str], ...] = ()
    closing: tuple[Closing, ...] = ()
    named: str = ""
    parked: tuple[Parked, ...] = ()
    written: tuple[tuple[int, int, float], ...] = ()

    def session(self, member: int) -> ShareSession | None:
        """The member's session."""
        return dict(self.sessions).get(member)

    def with_session(self, member: int, session: ShareSession | None) -> "State":
        """The state after the member's session became this one."""
        others = tuple([(actor, kept) for actor, kept in self.sessions if actor != member])
        if session is None:
            return replace(self, sessions=others)
        sessions = tuple(sorted([*others, (member, session)], key=lambda pair: pair[0]))
        return replace(self, sessions=sessions, opened=self.opened | {member})

    def with_partition(self, number: int, partition: PartitionState) -> "State":
        """The state after one share partition became this."""
        return replace(
            self, partitions=(*self.partitions[:number], partition, *self.partitions[number + 1 :])
        )

    def with_log(self, number: int, log: Log) -> "State":
        """The state after one log became this."""
        return replace(self, logs=(*self.logs[:number], log, *self.logs[number + 1 :]))

    def settings(self, semantics: Semantics, broker: Mapping[str, str]) -> Settings:
        """The group's settings."""
        return settings_of(semantics.of(ShareSemantics), broker, dict(self.configs))

    def locks(self) -> frozenset[tuple[int, Lock]]:
        """Each lock that is held, with its partition."""
        return frozenset(
            (number, record.lock)
            for number, partition in enumerate(self.partitions)
            if partition.records is not None
            for batch in partition.records.cached
            for record in batch.records
            if record.state is RecordState.ACQUIRED and record.lock is not None
        )


def initial_state(scenario: Scenario) -> State:
    """The state in front of a scenario's first step: no session, nothing loaded."""
    logs = tuple([log_of(partition) for partition in scenario.layout.partitions])
    return State(logs, (PartitionState(),) * len(logs))


def unknown_error(number: int, partitions: int) -> int:
    """The error of a partition by its number: 0 where it is one of so many.

    The count itself and every number below 0 stand for unknown partitions of known topics, what
    lies above for unknown topic ids.
    """
    if 0 <= number < partitions:
        return 0
    return Error.UNKNOWN_TOPIC_ID if number > partitions else Error.UNKNOWN_TOPIC_OR_PARTITION


def records_of(partition: PartitionState, log: Log, settings: Settings) -> ShareState | None:
    """The state of a share partition; one whose start is not fixed begins where
    `share.auto.offset.reset` says. None: it can't be said.
    """
    if partition.lost:
        return None
    if partition.records is not None:
        return partition.records
    return {"latest": empty_state(log.end), "earliest": empty_state(log.start)}.get(settings.reset)


def load(state: State, numbers: Iterable[int], settings: Settings) -> State:
    """The state after share partitions were loaded, by which their starts are fixed; numbers of
    unknown ones are passed over.
    """
    for number in numbers:
        if 0 <= number < len(state.partitions):
            partition = state.partitions[number]
            state = state.with_partition(
                number,
                replace(
                    partition,
                    records=records_of(partition, state.logs[number], settings),
                    loaded=True,
                ),
            )
    return state


def known_of(session: ShareSession, state: State) -> tuple[int, ...]:
    """The partitions of a session that there are."""
    return tuple([number for number in session.partitions if 0 <= number < len(state.partitions)])


def change_log(state: State, step: Append | DeleteRecords) -> State:
    """The state after a step that writes to a log or deletes from it."""
    log = state.logs[step.partition]
    return state.with_log(
        step.partition,
        log.with_batch(step.batch) if isinstance(step, Append) else log.deleted_to(step.offset),
    )


def set_offsets(state: State, step: AlterShareGroupOffsets) -> State:
    """The state after start offsets were set. A share partition that is loaded already can't be
    followed from then on.
    """
    for number, start in step.starts:
        if 0 <= number < len(state.partitions):
            partition = state.partitions[number]
            begun = partition.loaded or partition.tried_ms is not None
            state = state.with_partition(
                number,
                replace(partition, lost=True) if begun else PartitionState(empty_state(start)),
            )
    return state


def delete_offsets(state: State) -> State:
    """The state after the group's offsets were deleted. What was loaded can't be followed from then
    on.
    """
    partitions = [
        replace(partition, lost=True)
        if partition.loaded or partition.tried_ms is not None
        else PartitionState()
        for partition in state.partitions
    ]
    return replace(state, partitions=tuple(partitions))


def change_configs(state: State, step: AlterGroupConfig) -> State:
    """The state after group configs were set or taken away."""
    configs = dict(state.configs)
    for key, value in step.settings:
        configs.pop(key, None)
        if value is not None:
            configs[key] = value
    return replace(state, configs=tuple(sorted(configs.items())))


def expire_lock(state: State, number: int, lock: Lock, settings: Settings) -> State:
    """The state after a lock in one partition ran out (SHR-402)."""
    partition = state.partitions[number]
    assert partition.records is not None
    return state.with_partition(
        number,
        replace(partition, records=expire(partition.records, lock, settings.delivery_count_limit)),
    )


def give_back(state: State, closing: Closing, settings: Settings, semantics: Semantics) -> State:
    """The state after what a closed session held in a partition was given back (SHR-007), and that
    loaded again where it follows.
    """
    taken_back = semantics.of(ShareSemantics).closed_count is ClosedCount.TAKEN_BACK
    return _given_back(state, closing, settings.delivery_count_limit, taken_back=taken_back)


def give_back_by_other_reading(
    state: State, closing: Closing, settings: Settings, semantics: Semantics
) -> State | None:
    """The same by the other reading of SHR-009, where it decides whether a record is available: the
    session held one that was delivered as often as it may be. None where it held none.
    """
    records, limit = state.partitions[closing.partition].records, settings.delivery_count_limit
    if records is None or not any(
        record.held_by(closing.member) and record.count >= limit
        for batch in records.cached
        for record in batch.records
    ):
        return None
    taken_back = semantics.of(ShareSemantics).closed_count is ClosedCount.TAKEN_BACK
    return _given_back(state, closing, limit if taken_back else math.inf, taken_back=False)


def _given_back(state: State, closing: Closing, limit: float, *, taken_back: bool) -> State:
    partition = state.partitions[closing.partition]
    if partition.records is not None and closing.gives_back:
        records = close_session(partition.records, closing.member, limit, taken_back=taken_back)
        changed = records != partition.records
        state = state.with_partition(
            closing.partition,
            replace(
                partition,
                records=records,
                closed=partition.closed or changed,
                dropped=partition.dropped or (changed and closing.lost),
            ),
        )
    return unload(state, closing.partition) if closing.unloads else state


def begin_giving_back(state: State, closing: Closing) -> State:
    """The state in which what a closed session held in a partition is being given back: no one's
    any more, nor yet to be had (SHR-008).
    """
    partition = state.partitions[closing.partition]
    under_way = replace(closing, member=departed_member(closing.member))
    if partition.records is not None:
        state = state.with_partition(
            closing.partition,
            replace(partition, records=mark_departed(partition.records, closing.member)),
        )
    return replace(state, closing=(under_way, *state.closing))


def unload(state: State, number: int) -> State:
    """The state after the broker lost a share partition from its memory: it is loaded again from
    what was written (SHR-400).
    """
    partition = state.partitions[number]
    return (
        state
        if partition.records is None
        else state.with_partition(
            number,
            replace(
                partition,
                records=reload(partition.records),
                loaded=False,
                tried_ms=None,
                closed=False,
                dropped=False,
                reloaded=True,
                located=None,
            ),
        )
    )
