"""Histories of one partition on three brokers: one step after the other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from conformance.play.history import History, Retry
from conformance.play.silence import SILENCE_S
from conformance.subjects.replication.answers import (
    epoch_end_answer,
    latest_answer,
    read_answer,
    write_answer,
)
from conformance.subjects.replication.moving import Mover
from conformance.subjects.replication.requests import (
    epoch_end_request,
    latest_request,
    read_request,
    write_request,
)
from conformance.wire.decoding import Malformed
from conformance.wire.schema import ZERO_UUID
from conformance.wire.throttled import comes_throttled
from spec.kafka import LEADER_MOVES, TOPIC_IDS_SINCE, Error
from spec.outcomes import Garbled, NotReady, NotSent, Outcome
from spec.replication.model import (
    State,
    after,
    after_look,
    impossible,
    is_left_open,
    selected_replica,
)
from spec.replication.outcomes import (
    NO_BROKER,
    Brokers,
    EpochEnd,
    LatestAnswer,
    Moved,
    ReadResult,
    Replicas,
    WriteAnswer,
)
from spec.replication.steps import (
    RACK_SINCE,
    REPLICAS,
    Asked,
    AskEpochEnd,
    AskLatest,
    ElectLeader,
    LookAtBrokers,
    Outage,
    Read,
    StartBroker,
    StopBroker,
    Write,
)

if TYPE_CHECKING:
    from conformance.cluster import Cluster
    from conformance.play.request import Request
    from conformance.play.restarts import Config
    from conformance.subjects.replication.spread import SpreadPartition
    from conformance.wire.outcomes import Answer
    from spec.steps import Step

PASSES_S = 3.0
"""How long a state that passes after a leader has moved is asked again, seconds."""
PAUSE_S = 0.1
UNSETTLED = LEADER_MOVES | {Error.FENCED_LEADER_EPOCH, Error.UNKNOWN_LEADER_EPOCH}
"""Errors of a replica that does not know yet who leads."""
_APIS = {Write: "Produce", Read: "Fetch", AskLatest: "ListOffsets"}


def outage(step: StopBroker | StartBroker) -> Config:
    """What a shared restart is asked for: the step, and the role that it is about."""
    return ((step.name, str(step.actor)),)


@dataclass
class ReplicationHistory(History):
    """A scenario on several brokers while it is played.

    Attributes:
        where: its partition.
        brokers: what the brokers say of themselves.
        state: the partition, as far as it was observed.
    """

    where: SpreadPartition = field(kw_only=True)
    brokers: Brokers = field(kw_only=True)
    state: State = field(init=False, default_factory=State)
    _refused_in_sync: bool = field(init=False, default=False)
    _out_of_sync: str = field(init=False, default="")
    _throttled_s: float = field(init=False, default=0.0)

    @property
    def _mover(self) -> Mover:
        return Mover(self.cluster, self.where, self.connection)

    def cluster_of(self, actor: int) -> Cluster:
        """The broker of a role."""
        return self.cluster.at(self.where.nodes[actor])

    def sends(self, step: Step) -> bool:
        """Whether a step is a request to a broker that runs."""
        if isinstance(step, ElectLeader | LookAtBrokers | Outage):
            return False
        assert isinstance(step, Asked)
        return not impossible(self.state, step)

    async def prepare(self, step: Step) -> None:
        """See whether the replicas are still in sync where a write was refused as if not."""
        await super().prepare(step)
        if self._refused_in_sync and not self._out_of_sync:
            found = await self._mover.in_sync(self.state.leader)
            if not {*self.state.in_sync} <= {*found}:
                self._out_of_sync = (
                    f"expected the replicas in sync {self.state.in_sync}, found {found}: one has "
                    "fallen behind by itself"
                )

    def request(self, step: Step) -> Request | NotSent | None:
        """Make a step's request."""
        if isinstance(step, ElectLeader | LookAtBrokers | Outage):
            return None
        assert isinstance(step, Asked)
        if why := impossible(self.state, step):
            return NotSent(why)
        assert isinstance(step, Write | Read | AskLatest | AskEpochEnd)
        api = _APIS.get(type(step), "OffsetForLeaderEpoch")
        if step.version not in self.cluster.versions.usable(self.cluster.codec, api):
            return NotSent(f"the broker does not advertise {api} v{step.version}")
        match step:
            case Write():
                return write_request(step, self.state.writes, self.where)
            case Read():
                if step.version >= TOPIC_IDS_SINCE and self.where.topic_id == ZERO_UUID:
                    return NotSent(f"the broker's Metadata gives no topic id for v{step.version}")
                return read_request(step, self.where, self.state)
            case AskLatest():
                return latest_request(step, self.where)
            case AskEpochEnd():
                return epoch_end_request(step, self.where, self.state)

    def outcome(self, step: Step, request: Request, answer: Answer) -> Outcome:
        """Read an answer; a read that a quota puts off is none."""
        self._throttled_s = 0.0
        refused = answer.value.get("error_code")
        if isinstance(step, Read) and not refused and comes_throttled(answer):
            self._throttled_s = answer.value["throttle_time_ms"] / 1000
            return NotSent(f"the read came throttled for {SILENCE_S:.0f} s")
        try:
            match step:
                case Write():
                    if self._out_of_sync:
                        return NotReady(self._out_of_sync)
                    return write_answer(request, answer, self.where)
                case Read():
                    return read_answer(request, answer, self.where)
                case AskLatest():
                    return latest_answer(request, answer)
                case _:
                    return epoch_end_answer(request, answer, self.where)
        except Malformed as wrong:
            return Garbled(f"the records can't be read: {wrong}")

    def retry(
        self, step: Step, request: Request, outcome: Outcome, waited_s: float
    ) -> Retry | None:
        """Ask again what a replica may answer otherwise in a moment, or a quota has put off."""
        del request
        if self._throttled_s and isinstance(outcome, NotSent):
            left_s = SILENCE_S - waited_s
            return Retry(step, min(self._throttled_s, left_s), kept=False) if left_s > 0 else None
        assert isinstance(step, Asked)
        if waited_s < PASSES_S and self._passes(step, outcome):
            return Retry(step, PAUSE_S, kept=False)
        self.state = after(self.state, step, outcome)
        return None

    def _passes(self, step: Asked, outcome: Outcome) -> bool:
        """Whether the answer is one that a replica gives while a leader moves: an error for what it
        serves otherwise, no follower for a rack while the leader has not heard of it, or nothing
        at once from an offset that its high watermark has not come to.
        """
        leads = step.actor == self.state.leader
        self._refused_in_sync = leads and self._is_refused_in_sync(outcome)
        if self._refused_in_sync:
            return True
        if is_left_open(outcome):
            return False
        if isinstance(outcome, ReadResult):
            assert isinstance(step, Read)
            if not outcome.error:
                wanted = selected_replica(self.state, step)
                is_unheard = wanted not in {NO_BROKER, outcome.preferred}
                return is_unheard or (not outcome.records and self._expects_records(step, outcome))
            serves = leads or (step.actor in REPLICAS and step.version >= RACK_SINCE)
            return serves and outcome.error in (LEADER_MOVES if step.epoch else UNSETTLED)
        error = getattr(outcome, "error", Error.NONE)
        return leads and error in UNSETTLED

    def _expects_records(self, step: Read, outcome: ReadResult) -> bool:
        """Whether a replica that serves a read will have records for it in a moment."""
        state = self.state
        return (
            outcome.preferred == NO_BROKER
            and step.actor in state.in_sync
            and step.offset < state.ceiling
            and not state.lags
        )

    def _is_refused_in_sync(self, outcome: Outcome) -> bool:
        """Whether a write is refused for want of replicas in sync though enough are."""
        return (
            isinstance(outcome, WriteAnswer)
            and outcome.error == Error.NOT_ENOUGH_REPLICAS
            and not self.state.is_short
        )

    def continues(self, step: Step, outcome: Outcome) -> bool:
        """Continue after each answer that leaves the partition known."""
        del step
        answers = Brokers | WriteAnswer | ReadResult | LatestAnswer | EpochEnd | Moved | Replicas
        return isinstance(outcome, answers) and not is_left_open(outcome)

    async def act(self, number: int, step: Step) -> Outcome:
        """Look at the brokers, move the leader, or stop or start one with other histories."""
        if isinstance(step, LookAtBrokers):
            self.state = after_look(self.state, step, self.brokers)
            return self.brokers
        assert isinstance(step, ElectLeader | Outage)
        if why := impossible(self.state, step):
            return NotSent(why)
        if isinstance(step, ElectLeader):
            found: Outcome = await self._mover.move(self.state.follower)
        else:
            await self.restart_broker(number, outage(step))
            stops = isinstance(step, StopBroker)
            found = await self._mover.settle(step.actor if stops else NO_BROKER)
        self.state = after(self.state, step, found)
        return found
