"""The dry run of a client's history: what Kafka's consumer does, in virtual time, reading from one
broker as the fetch model answers.

Requests are sent when a poll finds nothing to deliver; only waiting takes time.
"""

from collections.abc import Callable, Mapping
from math import inf

from spec.fairness.client_kind import client_kind_of
from spec.fairness.model.chunks import Chunk, chunk_of
from spec.fairness.model.options import Options, options_of
from spec.fairness.model.reader import CollectedRecords, Reader, collect
from spec.fairness.model.requests import ClientSession, FetchRequest, next_request
from spec.fairness.model.server import LEADER_ERRORS, Leader, ScriptedServer, serve
from spec.fairness.outcomes import (
    ClientError,
    CommitReturned,
    FetchedPart,
    PollReturned,
    PositionReturned,
    ServedFetch,
    StepDone,
)
from spec.fairness.produce_dry_run import (
    PRODUCER,
    ProducerClient,
    answer_produces,
)
from spec.fairness.releases import FairnessSemantics, FullGroup, NextFetch
from spec.fairness.share_dry_run import SHARE_CONSUMER, ShareClient, answer_shares
from spec.fairness.steps import (
    FOR_GOOD,
    AcknowledgeRecords,
    AskPosition,
    AssignPartitions,
    ClientKind,
    CloseClient,
    CommitPositions,
    Idle,
    PausePartitions,
    Poll,
    RefuseMembers,
    ResumePartitions,
    SeekTo,
    SendRecords,
    StageStep,
    StartClient,
    SubscribeTopics,
    TruncateLog,
)
from spec.fairness.virtual_play import ROUND_TRIP_MS, play_through
from spec.frozen import frozen, replace
from spec.kafka import Error
from spec.log import Log, logs_of
from spec.observation import Observation
from spec.outcomes import AppendAnswer, NotSent, Outcome
from spec.scenario import Scenario
from spec.semantics import Semantics
from spec.steps import Append, DeleteRecords, Step

NOT_OF_A_CONSUMER = NotSent("a consumer acknowledges nothing, and writes nothing")

_NO_PARTITION = (ClientError("IllegalStateException"),)
NOT_ASSIGNED: Mapping[type, Outcome] = {
    AskPosition: PositionReturned(None, _NO_PARTITION),
    SeekTo: StepDone(_NO_PARTITION),
}
"""What a consumer returns of a partition that it does not have."""

Chunking = Callable[[FetchedPart, int, Log, Options], Chunk]
Collecting = Callable[[Reader, int, FairnessSemantics], CollectedRecords]
Asking = Callable[[Reader, ClientSession, Options, FairnessSemantics], "FetchRequest | None"]
Returning = Callable[[PollReturned, Mapping[int, Log]], Outcome]
"""What a poll returns in place of what it should."""
Queueing = Callable[[tuple[Chunk, ...]], tuple[Chunk, ...]]
Offsetting = Callable[[Reader, int], int]
"""The offset that a client reports, or commits, of a partition."""


def position_of(reader: Reader, partition: int) -> int:
    """The client's position in a partition."""
    return reader.positions[partition]


def follow_leader(reader: Reader, partition: int) -> Reader:
    """A consumer whose partition is led by another node: it continues from its position there."""
    del partition
    return reader


def rewind_to_end(reader: Reader, partition: int, end: int) -> Reader:
    """A consumer that learns where the leader epoch of what it has read ended: what it has fetched
    is discarded, and it continues there where it was past it.

    Source: SubscriptionState.java of Kafka 4.3.1, maybeCompleteValidation.
    """
    position = min(reader.positions[partition], end)
    return reader.without_fetched(partition).seek(partition, position)


@frozen
class Client:
    """What decides what a client does; each part can be another's, or have a planted fault.

    Attributes:
        optioned: what it goes by, given its options.
        chunking: what it makes of a partition's part of a response.
        collecting: what a poll takes of what was fetched.
        asking: what it asks for next.
        returning: what a poll returns of that.
        queueing: the order in which it queues the partitions of a response.
        positioned: the position that it reports.
        committed: the position that it commits.
        moving: what it makes of a leader that moved; None where it stays with the old one.
        validating: what it makes of the offset at which a log was truncated, once it has learnt who
            leads the partition; None where it does not ask.
        joining: how many requests to join a full group it sends in a row before it reports the
            error.
        backoff_ms: what it waits after an error that it does not report, `retry.backoff.ms`.
        sharing: what decides where it is a share consumer.
        producing: what decides where it is a producer.
    """

    optioned: Callable[[StartClient], Options] = options_of
    chunking: Chunking = chunk_of
    collecting: Collecting = collect
    asking: Asking = next_request
    returning: Returning = lambda returned, _: returned
    queueing: Queueing = lambda chunks: chunks
    positioned: Offsetting = position_of
    committed: Offsetting = position_of
    moving: Callable[[Reader, int], Reader] | None = follow_leader
    validating: Callable[[Reader, int, int], Reader] | None = rewind_to_end
    joining: int = 1
    backoff_ms: float = 100.0
    sharing: ShareClient = SHARE_CONSUMER
    producing: ProducerClient = PRODUCER


KAFKA = Client()
"""Kafka's own consumer, as the model has it."""


def answer_all(scenario: Scenario, semantics: Semantics, client: Client = KAFKA) -> Observation:
    """What a client returns to each step, in order."""
    kind = client_kind_of(scenario)
    if kind is ClientKind.SHARE_CONSUMER:
        return answer_shares(scenario, semantics, client.sharing)
    if kind is ClientKind.PRODUCER:
        return answer_produces(scenario, semantics, client.producing)
    return play_through(scenario, _Play(scenario, semantics, client))


class _Play:
    """A history under way."""

    def __init__(self, scenario: Scenario, semantics: Semantics, client: Client) -> None:
        self.semantics, self.client = semantics, client
        self.rules = semantics.of(FairnessSemantics)
        self.partitions = tuple(range(len(scenario.layout.partitions)))
        self.server = ScriptedServer(logs_of(scenario.layout))
        self.reader = Reader()
        self.sessions: dict[int, ClientSession] = {}
        self.leaders: dict[int, Leader] = {}
        self.options = Options()
        self.refusals = 0.0
        self.is_joining = False
        self.now = 0.0
        self.fetches: list[ServedFetch] = []
        self.reset: list[int] = []
        self.sought: set[int] = set()

    def outcome(self, step: Step) -> Outcome:
        """What a step leads to."""
        self.fetches, self.reset = [], []
        if self.is_joining and type(step) in NOT_ASSIGNED:
            return NOT_ASSIGNED[type(step)]
        return self._outcome(step)

    def _outcome(self, step: Step) -> Outcome:
        match step:
            case Poll():
                return self._poll(step)
            case AskPosition():
                return PositionReturned(self.client.positioned(self.reader, step.partition))
            case CommitPositions():
                positions = [
                    (one, self.client.committed(self.reader, one)) for one in self.reader.positions
                ]
                return CommitReturned(tuple(positions))
            case Append() | DeleteRecords():
                return self._write(step)
            case StartClient():
                self.options = self.client.optioned(step)
            case CloseClient():
                pass
            case Idle():
                self.now += step.idle_ms
            case AcknowledgeRecords() | SendRecords():
                return NOT_OF_A_CONSUMER
            case _ if isinstance(step, StageStep):
                self._stage(step)
            case _:
                self.reader = self._change(step)
        return StepDone()

    def _stage(self, step: StageStep) -> None:
        """The server does something otherwise from now on."""
        if isinstance(step, RefuseMembers):
            self.refusals = inf if step.responses == FOR_GOOD else step.responses
            return
        self.server = self.server.with_script(step)
        if isinstance(step, TruncateLog):
            end = self.server.logs[step.partition].end
            self.reader = self.reader.truncated(step.partition, end)

    def _change(self, step: Step) -> Reader:
        """The reader after its application has changed what it reads."""
        reader = self.reader
        match step:
            case AssignPartitions():
                return reader.assign(step.partitions, self._starts(step.partitions))
            case SubscribeTopics():
                self.is_joining = self.refusals > 0
                return reader if self.is_joining else self._joined()
            case PausePartitions():
                return replace(reader, paused=reader.paused | set(step.partitions))
            case ResumePartitions():
                return replace(reader, paused=reader.paused - set(step.partitions))
            case SeekTo():
                self.sought.add(step.partition)
                return reader.seek(step.partition, step.offset)
        raise AssertionError(step)

    def _starts(self, partitions: tuple[int, ...]) -> dict[int, int]:
        return {one: self.server.logs[one].start for one in partitions}

    def _write(self, step: Append | DeleteRecords) -> AppendAnswer:
        log = self.server.logs[step.partition]
        if isinstance(step, Append):
            written, offset = log.with_batch(step.batch), log.end
        else:
            written = log.deleted_to(step.offset)
            offset = written.start
        self.server = replace(self.server, logs={**self.server.logs, step.partition: written})
        return AppendAnswer(0, offset)

    def _poll(self, step: Poll) -> Outcome:
        """Deliver what was fetched, or fetch until there is something or the time is over."""
        deadline = self.now + step.timeout_ms
        refused = self._join(deadline) if self.is_joining else 0
        if self.is_joining:
            reports = self.rules.full_group is FullGroup.REPORTED
            errors = (ClientError(Error.GROUP_MAX_SIZE_REACHED.name),) if reports else ()
            returned = PollReturned((), errors, refused=refused)
            return self.client.returning(returned, self.server.logs)
        while True:
            collected = self.client.collecting(
                self.reader, self.options.max_poll_records, self.rules
            )
            self.reader = collected.reader
            self.sought -= {one.partition for one in collected.records}
            for partition in collected.reset:
                start = self.server.logs[partition].start
                self.reader = self.reader.seek(partition, start)
                self.reset.append(partition)
            if collected.records or collected.errors or collected.moved or self.now >= deadline:
                break
            self._fetch(deadline)
        if self.rules.next_fetch is not NextFetch.BROKER and not collected.errors:
            self._fetch_ahead()
        returned = PollReturned(
            collected.records, collected.errors, tuple(self.fetches), tuple(self.reset), refused
        )
        return self.client.returning(returned, self.server.logs)

    def _join(self, deadline: float) -> int:
        """Ask to be let into the group, until it reports that it is full or the time is over; how
        often it was refused.
        """
        refused = 0
        while self.refusals:
            self.refusals -= 1
            refused += 1
            if self.rules.full_group is FullGroup.REPORTED:
                if refused >= self.client.joining:
                    return refused
            else:
                self.now += self.client.backoff_ms
                if self.now >= deadline:
                    return refused
        self.is_joining = False
        self.reader = self._joined()
        return refused

    def _joined(self) -> Reader:
        """The reader once its group has given it all partitions."""
        return self.reader.assign(self.partitions, self._starts(self.partitions))

    def _fetch(self, deadline: float) -> None:
        """Ask the broker, where there is something to ask for, and wait for its response."""
        requests = self._requests()
        if not requests:
            self.now = deadline
            return
        for request in requests:
            served, took_ms = self._exchange(request)
            self.now += took_ms
            if served.error or any(part.error for part in served.parts):
                self.now += self.client.backoff_ms

    def _fetch_ahead(self) -> None:
        """Ask the broker for what is not buffered, and wait for nothing."""
        for request in self._requests():
            self._exchange(request)

    def _requests(self) -> list[FetchRequest]:
        """The next request to each node that leads something, as far as the client knows."""
        led = {one: self.leaders.get(one, Leader()) for one in self.reader.positions}
        found = []
        for node in sorted({leader.node for leader in led.values()}):
            elsewhere = {one for one, leader in led.items() if leader.node != node}
            session = self.sessions.get(node, ClientSession())
            here = replace(self.reader, paused=self.reader.paused | elsewhere)
            request = self.client.asking(here, session, self.options, self.rules)
            if request is not None:
                epochs = {one: led[one].epoch for one in request.covered}
                asked = [replace(one, leader_epoch=epochs[one.partition]) for one in request.asked]
                found.append(replace(request, asked=tuple(asked), node=node, leader_epochs=epochs))
        return found

    def _exchange(self, request: FetchRequest) -> tuple[ServedFetch, float]:
        """A request, its response, and how long that took, ms."""
        response = serve(self.server, request, self.semantics)
        took_ms = max(response.took_ms, ROUND_TRIP_MS)
        self.server = response.server
        served = replace(response.served, asked_ms=self.now, answered_ms=self.now + took_ms)
        self.fetches.append(served)
        session = self.sessions.get(request.node, ClientSession())
        self.sessions[request.node] = session.session_after(request, served.error, response.session)
        chunks = [
            self.client.chunking(
                part,
                request.covered[part.partition],
                self.server.logs[part.partition],
                self.options,
            )
            for part in served.parts
            if part.partition in request.covered
        ]
        self.reader = self.reader.receive(self.client.queueing(tuple(chunks)))
        for part in served.parts:
            if part.error in LEADER_ERRORS and self.client.moving is not None:
                self._follow_leader(part.partition, self.client.moving)
        return served, took_ms

    def _follow_leader(self, partition: int, moving: Callable[[Reader, int], Reader]) -> None:
        """Learn who leads a partition, and where the leader epoch known until then ended; the
        epoch of an offset that the application chose is not known.
        """
        end = self.server.end_of(partition, self.leaders.get(partition, Leader()).epoch)
        self.leaders[partition] = self.server.leader(partition)
        self.reader = moving(self.reader, partition)
        if end is None or partition in self.sought:
            return
        if self.client.validating is not None:
            self.reader = self.client.validating(self.reader, partition, end)
