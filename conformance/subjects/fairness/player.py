"""Histories of Fencepost's own consumer: the model of Kafka's, over connections to a broker.

It is no client that anyone uses. It shows that the clauses hold of one that follows the model, on
whatever broker serves it.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING

from conformance.engine.broker_player import BrokerPlayer
from conformance.play.history import History
from conformance.play.silence import SILENCE_S
from conformance.subjects.fairness.wire import (
    FETCH_VERSION,
    earliest_value,
    fetch_value,
    fetched_parts,
)
from conformance.wire.outcomes import Answer
from conformance.wire.single_entry import only
from spec.fairness.model.chunks import chunk_of
from spec.fairness.model.options import Options, options_of
from spec.fairness.model.reader import Reader, collect
from spec.fairness.model.requests import ClientSession, FetchRequest, next_request
from spec.fairness.outcomes import PollReturned, PositionReturned, ServedFetch, StepDone
from spec.fairness.releases import FairnessSemantics
from spec.fairness.steps import (
    AcknowledgeRecords,
    AskPosition,
    AssignPartitions,
    ClientKind,
    CloseClient,
    CommitPositions,
    Idle,
    PausePartitions,
    Poll,
    ResumePartitions,
    SeekTo,
    StageStep,
    StartClient,
    SubscribeTopics,
)
from spec.frozen import replace
from spec.log import Log, logs_of
from spec.outcomes import AppendAnswer, NotSent, Outcome
from spec.steps import Append, DeleteRecords, Step

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conformance.placement.placed_partition import Placed
    from conformance.play.connection import Sent
    from conformance.play.request import Request
    from spec.scenario import Scenario

LIST_VERSION = 5
NO_STAGE = NotSent("a broker does this to no client: it takes the served model")
NO_GROUP = NotSent("Fencepost's own consumer has no group")
NO_SHARE = NotSent("Fencepost's own consumer reads from its own positions")
BACKOFF_S = 0.1
Changing = AssignPartitions | SubscribeTopics | PausePartitions | ResumePartitions | SeekTo


@dataclass(slots=True)
class _Pending:
    """A Fetch that is under way."""

    request: FetchRequest
    sent: Sent


@dataclass
class ClientHistory(History):
    """One history of the own consumer while it is played."""

    rules: FairnessSemantics = field(default_factory=FairnessSemantics)
    reader: Reader = field(init=False, default_factory=Reader)
    session: ClientSession = field(init=False, default_factory=ClientSession)
    options: Options = field(init=False, default_factory=Options)
    logs: dict[int, Log] = field(init=False, default_factory=dict)
    fetches: list[ServedFetch] = field(init=False, default_factory=list)
    reset: list[int] = field(init=False, default_factory=list)
    _pending: _Pending | None = field(init=False, default=None)
    _sessions: dict[int, int] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        """Begin with the layout's logs."""
        self.logs = dict(logs_of(self.scenario.layout))

    def sends(self, step: Step) -> bool:
        """Whether it is a write."""
        return isinstance(step, Append | DeleteRecords)

    def request(self, step: Step) -> Request | NotSent | None:
        """Say which steps the own consumer can't do; the others are no single requests."""
        if isinstance(step, StageStep):
            return NO_STAGE
        if isinstance(step, CommitPositions):
            return NO_GROUP
        if isinstance(step, AcknowledgeRecords) or (
            isinstance(step, StartClient) and step.client_kind is not ClientKind.CONSUMER
        ):
            return NO_SHARE
        return None

    def outcome(self, step: Step, request: Request, answer: Answer) -> Outcome:
        """Read an answer; those to writes are read for all subjects alike."""
        raise NotImplementedError(f"{request.api} is no request of {step.name}: {answer}")

    def continues(self, step: Step, outcome: Outcome) -> bool:
        """Continue whatever comes of a step, but for a write that failed."""
        if isinstance(step, Append | DeleteRecords):
            return isinstance(outcome, AppendAnswer) and not outcome.error
        return outcome is not NO_SHARE

    @property
    def _where(self) -> Placed:
        assert self.placed is not None
        return self.placed

    async def act(self, number: int, step: Step) -> Outcome:
        """Do what the application asks for."""
        self.logs = self._logs_before(number)
        self.fetches, self.reset = [], []
        match step:
            case Poll():
                return await self._poll(step)
            case AskPosition():
                return PositionReturned(self.reader.positions[step.partition])
            case StartClient():
                self.options = options_of(step)
            case Idle():
                await asyncio.sleep(step.idle_ms / 1000)
            case CloseClient():
                self._pending = None
                self.drop(step.actor)
            case _ if isinstance(step, Changing):
                self.reader = self._change(step)
        return StepDone()

    def _logs_before(self, number: int) -> dict[int, Log]:
        """The partitions before a step: every earlier write was done."""
        logs = dict(logs_of(self.scenario.layout))
        for step in self.scenario.steps[:number]:
            if isinstance(step, Append):
                logs[step.partition] = logs[step.partition].with_batch(step.batch)
            elif isinstance(step, DeleteRecords):
                logs[step.partition] = logs[step.partition].deleted_to(step.offset)
        return logs

    def _change(self, step: Changing) -> Reader:
        reader = self.reader
        match step:
            case AssignPartitions():
                return reader.assign(step.partitions, self._starts())
            case SubscribeTopics():
                return reader.assign(tuple(self.logs), self._starts())
            case PausePartitions():
                return replace(reader, paused=reader.paused | {*step.partitions})
            case ResumePartitions():
                return replace(reader, paused=reader.paused - {*step.partitions})
            case SeekTo():
                return reader.seek(step.partition, step.offset)

    def _starts(self) -> Mapping[int, int]:
        return {number: log.start for number, log in self.logs.items()}

    async def _poll(self, step: Poll) -> PollReturned:
        """Deliver what was fetched, or fetch until there is something or the time is over."""
        deadline = monotonic() + step.timeout_ms / 1000
        while True:
            collected = collect(self.reader, self.options.max_poll_records, self.rules)
            self.reader = collected.reader
            for partition in collected.reset:
                await self._reset(step, partition)
            over = monotonic() >= deadline
            if collected.records or collected.errors or collected.moved or over:
                break
            await self._fetch(step, deadline)
        return PollReturned(
            collected.records, collected.errors, tuple(self.fetches), tuple(self.reset)
        )

    async def _reset(self, step: Step, partition: int) -> None:
        """Read a partition from its beginning."""
        where = self._where.placed_partitions[partition]
        connection = await self.connection(step.actor)
        version = self.cluster.version("ListOffsets", LIST_VERSION)
        value = await connection.ask("ListOffsets", version, earliest_value(where), SILENCE_S)
        found = only("ListOffsets", version, value, "topics", "partitions")
        self.reader = self.reader.seek(partition, max(found["offset"] - where.base, 0))
        self.reset.append(partition)

    async def _fetch(self, step: Step, deadline: float) -> None:
        """Have a Fetch under way, and wait for its answer until the deadline."""
        if self._pending is None and not await self._request_next(step):
            await asyncio.sleep(max(deadline - monotonic(), 0))
            return
        pending = self._pending
        assert pending is not None
        left = max(deadline - monotonic(), 0)
        await asyncio.wait([pending.sent.answered], timeout=left)
        if not pending.sent.answered.done():
            return
        self._pending = None
        answered = pending.sent.answered.result()
        if isinstance(answered, Answer):
            await self._take(pending, answered)
        else:
            self.session = ClientSession()
            self.drop(step.actor)

    async def _request_next(self, step: Step) -> bool:
        """Send the next Fetch; whether there is one."""
        request = next_request(self.reader, self.session, self.options, self.rules)
        if request is None:
            return False
        connection = await self.connection(step.actor)
        value = fetch_value(request, self._where, self._sessions.get(request.session, 0))
        within_s = SILENCE_S + self.options.max_wait_ms / 1000
        sent = connection.send("Fetch", FETCH_VERSION, value, within_s)
        self._pending = _Pending(request, sent)
        return True

    async def _take(self, pending: _Pending, answer: Answer) -> None:
        """Queue what a response holds."""
        request, value = pending.request, answer.value
        parts = fetched_parts(value, self._where, self.logs)
        error = value.get("error_code", 0)
        number = self._session_number(value.get("session_id", 0))
        options = request.options
        self.fetches.append(
            ServedFetch(
                request.asked,
                parts,
                request.forgotten,
                request.session,
                request.epoch,
                options.max_wait_ms,
                options.fetch_min_bytes,
                options.fetch_max_bytes,
                isolation=options.isolation,
                error=error,
                asked_ms=(pending.sent.ticket.sent_at - self.started) * 1000,
                answered_ms=(answer.received_at - self.started) * 1000,
            )
        )
        self.session = self.session.session_after(request, error, number)
        chunks = [
            chunk_of(part, request.covered[part.partition], self.logs[part.partition], self.options)
            for part in parts
            if part.partition in request.covered
        ]
        self.reader = self.reader.receive(tuple(chunks))
        if error or any(part.error for part in parts):
            await asyncio.sleep(BACKOFF_S)

    def _session_number(self, session_id: int) -> int:
        """The number of a fetch session, from 1 in order of opening; 0 for none."""
        if not session_id:
            return 0
        for number, known in self._sessions.items():
            if known == session_id:
                return number
        number = len(self._sessions) + 1
        self._sessions[number] = session_id
        return number


class ClientBrokerPlayer(BrokerPlayer):
    """Plays histories of the own consumer on one broker and judges them; see `BrokerPlayer`."""

    def _history(self, scenario: Scenario, placed: Placed) -> ClientHistory:
        rules = self.semantics.of(FairnessSemantics)
        return ClientHistory(self.cluster, scenario, placed, rules=rules)
