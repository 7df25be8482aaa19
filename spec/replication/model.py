"""A partition with two replicas on three brokers, and what each of them answers about it."""

from spec.frozen import frozen, replace
from spec.kafka import Error
from spec.outcomes import Outcome
from spec.replication.outcomes import (
    NO_BROKER,
    Brokers,
    EpochEnd,
    LatestAnswer,
    Moved,
    NamedLeader,
    ReadResult,
    Replicas,
    WriteAnswer,
)
from spec.replication.steps import (
    ALL,
    EPOCH_SINCE,
    FETCH_LEADER_SINCE,
    FOLLOWER,
    LEADER,
    NO_RACK,
    PRODUCE_LEADER_SINCE,
    RACK_SINCE,
    REPLICAS,
    Asked,
    AskEpochEnd,
    AskLatest,
    ElectLeader,
    LookAtBrokers,
    Read,
    StartBroker,
    StopBroker,
    Write,
)

RACK_AWARE = "org.apache.kafka.common.replica.RackAwareReplicaSelector"
RACKS = ("a", "b", "c")
"""The racks of the model's brokers, by role."""
NAMES_THE_LEADER = frozenset((Error.NOT_LEADER_OR_FOLLOWER, Error.FENCED_LEADER_EPOCH))
"""The errors whose answers name the current leader (KIP-951)."""
PASSING = frozenset(
    (
        Error.LEADER_NOT_AVAILABLE,
        Error.REQUEST_TIMED_OUT,
        Error.KAFKA_STORAGE_ERROR,
        Error.OFFSET_NOT_AVAILABLE,
    )
)
"""Errors by which a leader may put a request off (KIP-207 of the last one); how long is not said.
"""
WRITE_PUT_OFF = PASSING | {Error.NOT_ENOUGH_REPLICAS, Error.NOT_ENOUGH_REPLICAS_AFTER_APPEND}
"""Errors by which a leader may refuse a write with acks=all for a while."""
PERHAPS_STORED = frozenset(
    (
        Error.REQUEST_TIMED_OUT,
        Error.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
        Error.KAFKA_STORAGE_ERROR,
    )
)
"""Errors of a write that leave open whether its record is in the log."""


NO_SUCH_EPOCH = "the partition has had no such leader epoch"
MODEL_BROKERS = Brokers(RACKS, RACK_AWARE)
UNSEEN = Brokers()
"""Brokers that were not looked at."""


@frozen
class ReplicationSemantics:
    """What releases decide otherwise: nothing so far."""


@frozen
class State:
    """A partition at a moment.

    Attributes:
        brokers: what is known of the brokers.
        leader: the role of the broker that leads it.
        epoch: its leader epoch, relative to the first.
        starts: the first offset of each leader epoch that has records, by epoch.
        values: the value of the record at each offset.
        writes: how many records were sent, be they taken or not: the value of the next one.
        minimum: the topic's `min.insync.replicas`; 0 where it is not known.
        stopped: the role of the broker that is stopped; `NO_BROKER` where all run.
        outages: how often a broker was stopped.
        committed: the records below this offset can't be lost: they were acknowledged with
            acks=all, or the leader has shown a high watermark behind them.
        ceiling: the most that the high watermark may be: the end of the log, and while fewer
            replicas are in sync than `min.insync.replicas` the end that it had before.
        lags: the leader was elected while fewer were in sync, so that its high watermark may stay
            where it was when it followed.
        refused: the values of the records that were refused with NOT_ENOUGH_REPLICAS.
    """

    brokers: Brokers = UNSEEN
    leader: int = LEADER
    epoch: int = 0
    starts: tuple[tuple[int, int], ...] = ()
    values: tuple[int, ...] = ()
    writes: int = 0
    minimum: int = 0
    stopped: int = NO_BROKER
    outages: int = 0
    committed: int = 0
    ceiling: int = 0
    lags: bool = False
    refused: tuple[int, ...] = ()

    @property
    def end(self) -> int:
        """The log end offset of the leader."""
        return len(self.values)

    @property
    def in_sync(self) -> tuple[int, ...]:
        """The roles of the replicas in sync: those that run."""
        return tuple([role for role in REPLICAS if role != self.stopped])

    @property
    def is_short(self) -> bool:
        """Whether fewer replicas are in sync than `min.insync.replicas`, or than there are where it
        is more.
        """
        return len(self.in_sync) < min(self.minimum, len(REPLICAS))

    @property
    def shown(self) -> int:
        """The offset up to which the leader serves records, at least."""
        return 0 if self.lags else self.committed

    @property
    def follower(self) -> int:
        """The role of the replica that does not lead."""
        return FOLLOWER if self.leader == LEADER else LEADER

    def rack_of(self, asked: int) -> str:
        """The rack that a read names by a role; empty where it names none."""
        if asked == NO_RACK:
            return ""
        return self.brokers.racks[asked] if asked < len(self.brokers.racks) else "no broker's"

    def written(self, acks: int) -> "State":
        """The state after the record that was sent is taken."""
        starts = {self.epoch: self.end, **dict(self.starts)}
        values = (*self.values, self.writes)
        found = replace(self, starts=tuple(starts.items()), values=values)
        return found.acknowledged() if acks == ALL else found.raised()

    def acknowledged(self) -> "State":
        """The state once all in the log is acknowledged by all replicas in sync."""
        return replace(self, committed=self.end, ceiling=self.end, lags=False)

    def raised(self) -> "State":
        """The state whose high watermark may be the log's end, if enough are in sync."""
        return self if self.is_short else replace(self, ceiling=self.end)

    def watched(self, high_watermark: int | None) -> "State":
        """The state after the leader has shown a high watermark."""
        shown = min(high_watermark or 0, self.ceiling)
        return replace(self, committed=max(self.committed, shown))

    def moved(self, leader: int, epoch: int) -> "State":
        """The state after a change of leader."""
        return replace(self, leader=leader, epoch=epoch)

    def changed(self, step: StopBroker | StartBroker, found: Replicas) -> "State":
        """The state after a broker was stopped or started."""
        stops = isinstance(step, StopBroker)
        state = replace(
            self.moved(found.leader, found.epoch),
            stopped=step.actor if stops else NO_BROKER,
            outages=self.outages + stops,
        )
        alone = len(state.in_sync) < len(REPLICAS) and self.minimum != 1
        lags = alone and (self.lags or found.leader != self.leader)
        return replace(state.raised(), lags=lags)

    def epoch_end(self, epoch: int) -> tuple[int, int]:
        """The epoch and the end offset that answer for an epoch up to the current one: the newest
        epoch up to it that has records, itself where none has; and where the next one begins.
        """
        if epoch == self.epoch:
            return epoch, self.end
        older = [one for one, _ in self.starts if one <= epoch]
        later = [start for one, start in self.starts if one > epoch]
        return max(older, default=epoch), min(later, default=self.end)


def selected_replica(state: State, step: Read) -> int:
    """The preferred read replica that a rack-aware leader names: its follower, where that alone
    stands in the rack of the consumer.
    """
    rack = state.rack_of(step.rack)
    racks = state.brokers.racks
    if not rack or step.actor != state.leader or state.brokers.selector != RACK_AWARE:
        return NO_BROKER
    if state.follower == state.stopped:
        return NO_BROKER
    return (
        state.follower
        if racks[state.follower] == rack and racks[state.leader] != rack
        else NO_BROKER
    )


def epoch_error(epoch: int | None, version: int) -> Error:
    """The error of a current leader epoch that is not the partition's, relative to that."""
    if epoch is None or version < EPOCH_SINCE or epoch == 0:
        return Error.NONE
    return Error.FENCED_LEADER_EPOCH if epoch < 0 else Error.UNKNOWN_LEADER_EPOCH


def read_error(state: State, step: Read) -> Error:
    """The error of a read; none where it is served."""
    if step.actor not in REPLICAS:
        return Error.NOT_LEADER_OR_FOLLOWER
    if error := epoch_error(step.epoch, step.version):
        return error
    if step.actor != state.leader and step.version < RACK_SINCE:
        return Error.NOT_LEADER_OR_FOLLOWER
    return Error.NONE if 0 <= step.offset <= state.end else Error.OFFSET_OUT_OF_RANGE


def _leader(state: State, error: int, version: int, since: int) -> NamedLeader | None:
    if error not in NAMES_THE_LEADER or version < since:
        return None
    return NamedLeader(state.leader, state.epoch)


def _write(state: State, step: Write) -> WriteAnswer:
    if step.actor != state.leader:
        error = Error.NOT_LEADER_OR_FOLLOWER
        return WriteAnswer(error, None, _leader(state, error, step.version, PRODUCE_LEADER_SINCE))
    if step.acks == ALL and state.is_short:
        return WriteAnswer(Error.NOT_ENOUGH_REPLICAS)
    return WriteAnswer(0, state.end)


def _read(state: State, step: Read) -> ReadResult:
    if error := read_error(state, step):
        leader = _leader(state, error, step.version, FETCH_LEADER_SINCE)
        return ReadResult(error, None, leader=leader)
    preferred = selected_replica(state, step)
    if preferred != NO_BROKER:
        return ReadResult(0, state.ceiling, (), preferred)
    records = tuple(enumerate(state.values))[step.offset : state.ceiling]
    return ReadResult(0, state.ceiling, records)


def _latest(state: State, step: AskLatest) -> LatestAnswer:
    if step.actor != state.leader:
        return LatestAnswer(Error.NOT_LEADER_OR_FOLLOWER)
    return LatestAnswer(0, state.ceiling)


def _epoch_end(state: State, step: AskEpochEnd) -> EpochEnd:
    if step.actor != state.leader:
        return EpochEnd(Error.NOT_LEADER_OR_FOLLOWER)
    if step.epoch > 0:
        return EpochEnd()
    epoch, offset = state.epoch_end(state.epoch + step.epoch)
    return EpochEnd(0, epoch, offset)


def _stop(state: State, step: StopBroker) -> Replicas:
    in_sync = tuple([role for role in REPLICAS if role != step.actor])
    if step.actor == state.leader:
        return Replicas(state.follower, state.epoch + 1, in_sync)
    return Replicas(state.leader, state.epoch, in_sync)


def answer(state: State, step: Asked) -> Outcome:
    """What the reference answers."""
    match step:
        case Write():
            return _write(state, step)
        case Read():
            return _read(state, step)
        case AskLatest():
            return _latest(state, step)
        case AskEpochEnd():
            return _epoch_end(state, step)
        case ElectLeader():
            return Moved(state.follower, state.epoch + 1)
        case StopBroker():
            return _stop(state, step)
        case StartBroker():
            return Replicas(state.leader, state.epoch, REPLICAS)


def impossible(state: State, step: Asked) -> str:
    """Why a step can't be done in a state; empty where it can."""
    named = step.epoch if isinstance(step, Read | AskEpochEnd) else None
    if named is not None and state.epoch + named < 0:
        return NO_SUCH_EPOCH
    match step:
        case StopBroker() if state.outages:
            return "a broker was stopped before: a scenario stops one"
        case StartBroker() if step.actor != state.stopped:
            return "the broker that is to be started is not stopped"
        case ElectLeader() if state.stopped in REPLICAS:
            return "the other replica is stopped"
        case Write() | Read() | AskLatest() | AskEpochEnd() if step.actor == state.stopped:
            return "the broker that is to be asked is stopped"
    return ""


def after_look(state: State, step: LookAtBrokers, brokers: Brokers) -> State:
    """The state once the brokers were looked at."""
    return replace(state, brokers=brokers, minimum=step.min_insync_replicas)


def loses(state: State, outcome: Outcome) -> bool:
    """Whether a change of leader leaves open which records are there: the former one had some that
    were acknowledged by it alone.
    """
    if not isinstance(outcome, Moved | Replicas):
        return False
    return outcome.leader != state.leader and state.committed < state.end


def is_left_open(outcome: Outcome) -> bool:
    """Whether a response to a write leaves open if its record is in the log."""
    return isinstance(outcome, WriteAnswer) and outcome.error in PERHAPS_STORED


def after(state: State, step: Asked, outcome: Outcome) -> State:
    """The state after an exchange, as it was observed."""
    if isinstance(step, Write):
        taken = isinstance(outcome, WriteAnswer) and not outcome.error
        found = state.written(step.acks) if taken else state
        if isinstance(outcome, WriteAnswer) and outcome.error == Error.NOT_ENOUGH_REPLICAS:
            found = replace(found, refused=(*found.refused, state.writes))
        return replace(found, writes=state.writes + 1)
    if isinstance(outcome, ReadResult) and step.actor == state.leader and not outcome.error:
        return state.watched(outcome.high_watermark)
    if isinstance(outcome, Moved):
        return state.moved(outcome.leader, outcome.epoch)
    if isinstance(step, StopBroker | StartBroker) and isinstance(outcome, Replicas):
        return state.changed(step, outcome)
    return state
