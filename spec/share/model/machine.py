"""The machine of a share group: what Apache Kafka answers to each step, when, and the state after
it.

`decide` says what is made of a member's request, `take` does it. Nothing here looks at what a
broker answered: the dry run, the served model and the observer all use this machine, each in its
own time.
"""

from collections.abc import Mapping
from math import inf

from spec.frozen import frozen, replace
from spec.kafka import Error
from spec.machine import StepResult
from spec.outcomes import AppendAnswer, Closed, Outcome
from spec.semantics import Semantics
from spec.share.model.acknowledge import Acknowledged, ShapeFault, acknowledge, shape_fault
from spec.share.model.answers import (
    acknowledge_answer,
    fetch_answer,
    listed_partitions,
    refusal,
    session_after_answer,
)
from spec.share.model.closing import connection_lost, sessions_over
from spec.share.model.fetching import (
    Rules,
    fetch_partitions,
    has_enough_to_read,
    note_places,
    partitions_read,
    place_unknown,
    serving_order,
)
from spec.share.model.partition import ShareState, settle
from spec.share.model.records import Lock
from spec.share.model.seams import REFERENCE, Sharing
from spec.share.model.session import (
    Admission,
    Mode,
    ShareRequest,
    ShareSession,
    admit,
    carried_epoch,
)
from spec.share.model.settings import is_accepted
from spec.share.model.state import (
    Closing,
    Parked,
    State,
    change_configs,
    change_log,
    delete_offsets,
    expire_lock,
    give_back,
    known_of,
    load,
    set_offsets,
    unknown_error,
    unload,
)
from spec.share.outcomes import Done, GroupChanged
from spec.share.releases import ShareSemantics
from spec.share.steps import (
    AlterGroupConfig,
    AlterShareGroupOffsets,
    DeleteShareGroupOffsets,
    DropConnection,
    FindShareCoordinator,
    NameGroup,
    RestartBroker,
    ShareAcknowledge,
    ShareFetch,
)
from spec.steps import Append, DeleteRecords, Step


@frozen
class AcknowledgedPartition:
    """The result of the acknowledgements in one partition.

    Attributes:
        partition: its number.
        records: the share partition that they meet; None where there is none, or it can't be
            followed.
        fault: what is wrong with their shape.
        result: what they come to; None where that can't be said.
    """

    partition: int
    records: ShareState | None
    fault: ShapeFault | None
    result: Acknowledged | None

    def error(self, partitions: int) -> int:
        """Their error code, where there are so many partitions."""
        if unknown := unknown_error(self.partition, partitions):
            return unknown
        if self.fault is not None:
            return Error.INVALID_REQUEST
        return self.result.error if self.result is not None else Error.UNKNOWN_TOPIC_OR_PARTITION


@frozen
class Decision:
    """The result of a member's request, before anything is acquired.

    Attributes:
        request: with the epoch that it carried.
        admission: how the session handler takes it.
        rules: what it is served by.
        acknowledged: the partitions that something is acknowledged in.
        error: its top-level error.
    """

    request: ShareRequest
    admission: Admission
    rules: Rules
    acknowledged: tuple[AcknowledgedPartition, ...] = ()
    error: int = 0

    @property
    def fetches(self) -> bool:
        """Whether it continues and acquires records."""
        taken = self.admission.mode in {Mode.OPENING, Mode.CONTINUING} and not self.error
        return taken and isinstance(self.request, ShareFetch)


ShareStepResult = StepResult[State, Outcome]
"""A state, and the outcomes of the steps that are answered on the way to it."""


def acknowledge_partitions(
    state: State, request: ShareRequest, admission: Admission, rules: Rules
) -> tuple[AcknowledgedPartition, ...]:
    """The results of the acknowledgements of a request in each partition; nothing where it is
    refused as a whole.
    """
    if admission.mode in {Mode.REFUSED, Mode.FAILED}:
        return ()
    found = []
    for part in request.partitions:
        if not part.acknowledgements:
            continue
        fault = shape_fault(part.acknowledgements, request.version, renew=request.renew)
        known = 0 <= part.partition < len(state.partitions)
        partition = state.partitions[part.partition] if known else None
        records = partition.records if partition is not None and not partition.lost else None
        followed = records is not None and fault is None
        result = (
            acknowledge(records, rules.lock, part.acknowledgements, rules.settings)
            if records is not None and followed
            else None
        )
        found.append(AcknowledgedPartition(part.partition, records, fault, result))
    return tuple(found)


def decide(
    state: State, request: ShareRequest, lock: Lock, semantics: Semantics, broker: Mapping[str, str]
) -> Decision:
    """Decide what is made of a member's request, all but what it acquires.

    Args:
        state: before.
        request: as it was sent, with the epoch that it carried.
        lock: what is acquired or renewed by it gets this lock.
        semantics: the decisions in force.
        broker: the broker's configs that differ from its release's defaults.
    """
    session = state.session(request.actor)
    epoch = carried_epoch(request, session)
    request = replace(request, epoch=epoch, skew=0)
    admission = admit(request, epoch, session, len(state.logs), semantics.of(ShareSemantics))
    rules = Rules(semantics, state.settings(semantics, broker), lock)
    acknowledged = acknowledge_partitions(state, request, admission, rules)
    return Decision(
        request, admission, rules, acknowledged, _error(request, admission, acknowledged, semantics)
    )


def _error(
    request: ShareRequest,
    admission: Admission,
    acknowledged: tuple[AcknowledgedPartition, ...],
    semantics: Semantics,
) -> int:
    closes = isinstance(request, ShareFetch) and admission.mode is Mode.FINAL
    if closes and acknowledged and not semantics.of(ShareSemantics).final_fetch_acknowledges:
        return Error.INVALID_REQUEST
    if admission.mode in {Mode.REFUSED, Mode.FAILED}:
        return admission.error
    failed = any(one.result is not None and one.result.whole_request for one in acknowledged)
    return Error.UNKNOWN_SERVER_ERROR if failed else Error.NONE


def _session_after(decision: Decision) -> ShareSession | None:
    """The member's session after the request: a request that fails late has been counted
    (SHR-006).
    """
    admission, error = decision.admission, decision.error
    counted = admission.mode is Mode.FAILED or error in {Error.NONE, Error.UNKNOWN_SERVER_ERROR}
    return admission.after if counted and admission.mode is not Mode.REFUSED else admission.before


def apply_acknowledgements(state: State, acknowledged: tuple[AcknowledgedPartition, ...]) -> State:
    """The state after acknowledgements; what they change is still being written."""
    for one in acknowledged:
        if one.result is not None and not one.result.whole_request:
            partition = state.partitions[one.partition]
            state = state.with_partition(
                one.partition, replace(partition, records=one.result.state)
            )
    return state


def settle_writes(state: State) -> State:
    """The state once what is being written has been, in each share partition."""
    for number, partition in enumerate(state.partitions):
        if partition.records is not None and partition.records.busy:
            state = state.with_partition(
                number, replace(partition, records=settle(partition.records))
            )
    return state


@frozen
class ShareMachine:
    """Share groups as a broker of one release handles them.

    Attributes:
        semantics: the decisions in force.
        broker: the broker's configs that differ from its release's defaults.
        sharing: the seams of planted faults.
    """

    semantics: Semantics
    broker: Mapping[str, str]
    sharing: Sharing

    def due(self, state: State) -> float:
        """When something happens next by itself: a lock runs out, or a fetch has waited for long
        enough.
        """
        locks = min([lock.to_ms for _, lock in state.locks()], default=inf)
        return min([locks, *[one.until_ms for one in state.parked]])

    def fire(self, state: State, now: float) -> ShareStepResult:
        """Let everything happen that is due by now: locks run out, and fetches that have waited for
        long enough are answered.
        """
        before, settings = state, state.settings(self.semantics, self.broker)
        over = [(number, lock) for number, lock in state.locks() if lock.to_ms <= now]
        for number, lock in sorted(over, key=lambda pair: (pair[1].to_ms, pair[0], pair[1].member)):
            state = expire_lock(state, number, lock, settings)
        woken = self._wake(state, before, now, frozenset(number for number, _ in over))
        return replace(woken, state=self.sharing.timed(before, woken.state, now))

    def take(self, state: State, number: int, step: Step, now: float) -> ShareStepResult:
        """Do one step, after all that was due by then.

        A fetch that waits is not answered here, but when its time is over or a later step lets it
        be.

        Args:
            state: before.
            number: the step's, which identifies its answer.
            step: a member's request, or what an administrator or a connection does; a pause does
                nothing.
            now: when, ms.
        """
        read, state = self.sharing.misread(step), self.sharing.timed(state, state, now)
        if isinstance(step, ShareFetch | ShareAcknowledge) and isinstance(
            read, ShareFetch | ShareAcknowledge
        ):
            done = self._request(state, number, step, read, now)
        else:
            after, outcome = self._event(state, read)
            done = StepResult(after, ((number, self.sharing.altered(step, outcome)),))
        finished = self._close(self.sharing.remembered(done.state))
        woken = self._wake(finished, state, now)
        kept = self.sharing.timed(state, woken.state, now)
        return StepResult(kept, (*done.replies, *woken.replies))

    def notice_logs(self, state: State, before: State, now: float) -> ShareStepResult:
        """Let fetches that wait look again where logs have changed since a state before."""
        return self._wake(state, before, now)

    def _event(self, state: State, step: Step) -> tuple[State, Outcome]:
        """The state after a step that is no member's request, and its outcome."""
        match step:
            case Append():
                return change_log(state, step), AppendAnswer(0, state.logs[step.partition].end)
            case DeleteRecords():
                return change_log(state, step), AppendAnswer(
                    0, max(state.logs[step.partition].start, step.offset)
                )
            case AlterShareGroupOffsets():
                return set_offsets(state, step), GroupChanged()
            case DeleteShareGroupOffsets():
                return delete_offsets(state), GroupChanged()
            case AlterGroupConfig():
                return self._configure(state, step)
            case FindShareCoordinator():
                return state, GroupChanged()
            case DropConnection():
                waiting = tuple([one for one in state.parked if one.step.actor != step.actor])
                after = replace(state, parked=waiting)
                return connection_lost(after, step.actor, 0.0) if self.semantics.of(
                    ShareSemantics
                ).disconnect_closes else after, Done()
            case NameGroup():
                return replace(state, named=step.text), Done()
            case RestartBroker():
                return self._restart(state), Done()
            case _:
                return state, Done()

    def _configure(self, state: State, step: AlterGroupConfig) -> tuple[State, Outcome]:
        values = [(key, value) for key, value in step.settings if value is not None]
        if any(
            is_accepted(key, value, self.semantics.of(ShareSemantics), self.broker) is False
            for key, value in values
        ):
            return state, GroupChanged(Error.INVALID_CONFIG)
        return change_configs(state, step), GroupChanged()

    def _restart(self, state: State) -> State:
        """The state after a restart: what was written. Connections, sessions and waiting requests
        are lost.
        """
        state = replace(state, sessions=(), opened=frozenset(), closing=(), parked=())
        for number in range(len(state.partitions)):
            state = unload(state, number)
        return state

    def _close(self, state: State) -> State:
        """The state after closed sessions have given back what their members held (SHR-007)."""
        closing, settings = state.closing, state.settings(self.semantics, self.broker)
        if not closing:
            return state
        for one in closing:
            state = give_back(state, one, settings, self.semantics)
        return replace(state, closing=())

    def _request(
        self, state: State, number: int, step: ShareRequest, read: ShareRequest, now: float
    ) -> ShareStepResult:
        """Do a member's request; a fetch that waits is parked."""
        share = self.semantics.of(ShareSemantics)
        if not share.oldest_fetch <= read.version <= share.newest_fetch:
            return StepResult(
                state, ((number, self.sharing.altered(step, Closed("unsupported version"))),)
            )
        lock_until = now + state.settings(self.semantics, self.broker).lock_duration_ms
        decision = decide(
            state, read, Lock(read.actor, lock_until, lock_until), self.semantics, self.broker
        )
        admission, request = decision.admission, decision.request
        state = state.with_session(request.actor, _session_after(decision))
        if decision.error:
            return StepResult(
                state,
                (
                    (
                        number,
                        self.sharing.altered(
                            step, refusal(request, admission.epoch, decision.error)
                        ),
                    ),
                ),
            )
        state = apply_acknowledgements(state, decision.acknowledged)
        errors = tuple(
            [(one.partition, one.error(len(state.logs))) for one in decision.acknowledged]
        )
        session = admission.after
        if (
            isinstance(step, ShareFetch)
            and isinstance(request, ShareFetch)
            and decision.fetches
            and session is not None
        ):
            state = load(state, session.partitions, decision.rules.settings)
            parked = Parked(number, step, request, session, errors, now + request.max_wait_ms)
            return self._fetch(replace(state, parked=(*state.parked, parked)), parked, now)
        state = settle_writes(state)
        if admission.mode is Mode.FINAL and admission.before is not None:
            closing = tuple(
                [Closing(request.actor, one, now) for one in known_of(admission.before, state)]
            )
            state = sessions_over(replace(state, closing=(*state.closing, *closing)))
        answer: Outcome
        if isinstance(request, ShareFetch):
            answer = fetch_answer(request.version, admission.epoch, (), errors, decision.rules)
        else:
            answer = acknowledge_answer(request.version, admission.epoch, errors, decision.rules)
        return StepResult(state, ((number, self.sharing.altered(step, answer)),))

    def _fetch(self, state: State, parked: Parked, now: float) -> ShareStepResult:
        """Answer a parked fetch if it has enough to read or its time is over; what it gave back
        itself is written afterwards.
        """
        fetch, settings = parked.fetch, state.settings(self.semantics, self.broker)
        until = now + settings.lock_duration_ms
        rules = Rules(self.semantics, settings, Lock(fetch.actor, until, until))
        epoch = fetch.epoch if isinstance(fetch.epoch, int) else 0
        order = serving_order(parked.session.partitions, epoch, len(state.logs))
        places = place_unknown(state, partitions_read(state, fetch, order, rules), settings)
        fetched = fetch_partitions(state, fetch, order, rules)
        enough = has_enough_to_read(state, fetch, order, rules)
        state = note_places(state, places)
        if parked.until_ms > now and not enough:
            return StepResult(settle_writes(state))
        for one in fetched:
            if one.acquisition is not None:
                partition = state.partitions[one.partition]
                state = state.with_partition(
                    one.partition, replace(partition, records=one.acquisition.state)
                )
        state = replace(state, parked=tuple([one for one in state.parked if one is not parked]))
        shown = listed_partitions(parked.session, epoch, fetched)
        if state.session(fetch.actor) == parked.session:
            session = session_after_answer(parked.session, epoch, shown)
            state = state.with_session(fetch.actor, session)
        answer = fetch_answer(fetch.version, epoch, shown, parked.acknowledge_errors, rules)
        return StepResult(
            settle_writes(state), ((parked.number, self.sharing.altered(parked.step, answer)),)
        )

    def _wake(
        self, state: State, before: State, now: float, expired: frozenset[int] = frozenset()
    ) -> ShareStepResult:
        """Answer the parked fetches that have enough to read by now, or whose time is over.

        They look again where records came or went, a lock ran out, or the start offset moved; not
        where records were merely given back (SHR-144).
        """
        moved = [number for number in range(len(state.logs)) if _wakes(state, before, number)]
        changed = self.sharing.noticed(frozenset(moved), expired)
        replies: list[tuple[int, Outcome]] = []
        for parked in state.parked:
            looks = parked.until_ms <= now or changed & set(parked.session.partitions)
            if looks and parked in state.parked:
                done = self._fetch(state, parked, now)
                state, replies = (
                    self.sharing.remembered(done.state) if done.replies else done.state,
                    [*replies, *done.replies],
                )
        return StepResult(state, tuple(replies))


def _wakes(state: State, before: State, number: int) -> bool:
    """Whether what happened to a partition lets fetches that wait for it look again."""
    if number >= len(before.logs) or state.logs[number] != before.logs[number]:
        return True
    now, then = state.partitions[number].records, before.partitions[number].records
    return now is not None and then is not None and now.start != then.start


def share_machine(
    semantics: Semantics, broker: Mapping[str, str], sharing: Sharing = REFERENCE
) -> ShareMachine:
    """The machine of a broker.

    Args:
        semantics: the decisions of its release.
        broker: its configs that differ from its release's defaults.
        sharing: the seams of planted faults, which may decide otherwise.
    """
    decided = sharing.decided(semantics.of(ShareSemantics))
    return ShareMachine(semantics.with_part(decided), broker, sharing)
