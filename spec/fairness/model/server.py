"""The server that a client reads from: one broker as the fetch model answers, and what a scenario
makes it do otherwise.
"""

from collections.abc import Mapping
from dataclasses import field

from spec.fairness.model.requests import FetchRequest
from spec.fairness.outcomes import FetchedBatch, FetchedPart, ServedFetch
from spec.fairness.steps import (
    FOR_GOOD,
    CutResponse,
    Damage,
    DamageBatch,
    EndLocks,
    FailPartition,
    FailSessions,
    GiveOtherwise,
    LimitMessages,
    MoveLeader,
    RefuseMembers,
    ResponseVariant,
    StageStep,
    TruncateLog,
)
from spec.fetch.model.answer import answer_fetch
from spec.fetch.model.session import Session
from spec.fetch.outcomes import FetchAnswer, PartitionAnswer
from spec.fetch.steps import OWN, Fetch, FetchPartition
from spec.frozen import frozen, replace
from spec.kafka import FULL_EPOCH, INT32_MAX, Error
from spec.log import Log
from spec.semantics import Semantics

FETCH_VERSION = 13
LATE_MS = 500


LEADER_ERRORS = frozenset(
    (Error.NOT_LEADER_OR_FOLLOWER, Error.FENCED_LEADER_EPOCH, Error.UNKNOWN_LEADER_EPOCH)
)
"""What says that a partition's leader, or its epoch, is another one."""


@frozen
class Leader:
    """Which node leads a partition, and since how many moves."""

    node: int = 0
    epoch: int = 0

    def moved(self, node: int) -> "Leader":
        """The next leader."""
        return Leader(node, self.epoch + 1)

    def error_at(self, node: int, epoch: int) -> Error:
        """What a node answers to a request with a leader epoch.

        Source: Partition.scala of Kafka 4.3.1, checkCurrentLeaderEpoch and getLocalLog: the epoch
        is compared first.
        """
        if epoch != self.epoch:
            older = epoch < self.epoch
            return Error.FENCED_LEADER_EPOCH if older else Error.UNKNOWN_LEADER_EPOCH
        return Error.NONE if node == self.node else Error.NOT_LEADER_OR_FOLLOWER


@frozen
class Instruction:
    """Something that a scenario makes the server do.

    Attributes:
        step: what.
        left: in how many responses yet; None: in all.
    """

    step: StageStep
    left: int | None

    def instruction_after(self) -> "Instruction | None":
        """After one more response; None where it was the last."""
        if self.left is None:
            return self
        return replace(self, left=self.left - 1) if self.left > 1 else None


@frozen
class ScriptedServer:
    """The server at one moment.

    Attributes:
        logs: by partition.
        instructions: what it does otherwise, in the order in which that was said.
        session: the fetch session that each node remembers.
        sessions: how many were opened.
        leaders: by partition; node 0, with epoch 0, leads one that is not here.
        truncations: by partition: which leader epochs began with a shorter log, and where it ended.
    """

    logs: Mapping[int, Log]
    instructions: tuple[Instruction, ...] = ()
    session: Mapping[int, Session | None] = field(default_factory=dict)
    sessions: int = 0
    leaders: Mapping[int, Leader] = field(default_factory=dict)
    truncations: Mapping[int, tuple[tuple[int, int], ...]] = field(default_factory=dict)

    def leader(self, partition: int) -> Leader:
        """Who leads a partition."""
        return self.leaders.get(partition, Leader())

    def end_of(self, partition: int, epoch: int) -> int | None:
        """Where a leader epoch ended, if the log was truncated since."""
        ends = [end for since, end in self.truncations.get(partition, ()) if since > epoch]
        return min(ends, default=None)

    def with_script(self, step: StageStep) -> "ScriptedServer":
        """After a scenario has said what it is to do."""
        if isinstance(step, MoveLeader):
            moved = self.leader(step.partition).moved(step.node)
            return replace(self, leaders={**self.leaders, step.partition: moved})
        if isinstance(step, TruncateLog):
            log = self.logs[step.partition].truncated_before(step.batch)
            moved = self.leader(step.partition).moved(step.node)
            return replace(
                self,
                logs={**self.logs, step.partition: log},
                session={},
                leaders={**self.leaders, step.partition: moved},
                truncations={
                    **self.truncations,
                    step.partition: (
                        *self.truncations.get(step.partition, ()),
                        (moved.epoch, log.end),
                    ),
                },
            )
        if isinstance(step, EndLocks | LimitMessages | RefuseMembers):
            return self
        left = None if step.responses == FOR_GOOD else step.responses
        return replace(self, instructions=(*self.instructions, Instruction(step, left)))


@frozen
class Response:
    """What a request leads to.

    Attributes:
        server: the server afterwards.
        served: the exchange.
        session: number of the session that the response names, 0 for none.
        took_ms: how long it was held back.
    """

    server: ScriptedServer
    served: ServedFetch
    session: int = 0
    took_ms: float = 0.0


def serve(server: ScriptedServer, request: FetchRequest, semantics: Semantics) -> Response:
    """Answer a request."""
    options = request.options
    served = ServedFetch(
        asked=request.asked,
        forgotten=request.forgotten,
        session=request.session,
        epoch=request.epoch,
        max_wait_ms=options.max_wait_ms,
        min_bytes=options.fetch_min_bytes,
        max_bytes=options.fetch_max_bytes,
        isolation=options.isolation,
        node=request.node,
    )
    refusing = _first(server, FailSessions) if request.epoch != FULL_EPOCH else None
    if refusing is not None:
        assert isinstance(refusing.step, FailSessions)
        after = replace(
            _after_use(server, refusing), session={**server.session, request.node: None}
        )
        return Response(after, replace(served, error=refusing.step.error))
    remembered = server.session.get(request.node)
    answer, session, held_ms = answer_fetch(_fetch(request), server.logs, remembered, semantics)
    opened = request.epoch == FULL_EPOCH and answer.session > 0
    number = server.sessions + 1 if opened else request.session if answer.session > 0 else 0
    server = replace(
        server,
        session={**server.session, request.node: session},
        sessions=server.sessions + 1 if opened else server.sessions,
    )
    parts = _refuse_misdirected(server, request, _parts(answer, server.logs))
    server, parts, late_ms = _otherwise(server, request, parts)
    took = held_ms if not any(part.batches or part.error for part in parts) else 0.0
    served = replace(served, parts=parts, error=answer.error)
    return Response(server, served, number, took + late_ms)


def _fetch(request: FetchRequest) -> Fetch:
    """The request as a step of the fetch model."""
    options = request.options
    return Fetch(
        tuple(
            [
                FetchPartition(one.partition, one.offset or 0, options.partition_max_bytes)
                for one in request.asked
            ]
        ),
        max_bytes=min(options.fetch_max_bytes, INT32_MAX),
        min_bytes=options.fetch_min_bytes,
        max_wait_ms=options.max_wait_ms,
        isolation=options.isolation,
        version=FETCH_VERSION,
        session=OWN if request.epoch != FULL_EPOCH else 0,
        epoch=request.epoch,
        forgotten=request.forgotten,
    )


def _parts(answer: FetchAnswer, logs: Mapping[int, Log]) -> tuple[FetchedPart, ...]:
    return tuple([_part(one, logs[one.partition]) for one in answer.partitions])


def _part(answer: PartitionAnswer, log: Log) -> FetchedPart:
    batches = []
    for batch in answer.batches:
        stored = log.batches[log.batch_number(batch.base)]
        batches.append(FetchedBatch(batch.base, batch.last, stored.control, size=batch.size))
    if answer.tail and batches:
        stored = log.batches[log.batch_number(batches[-1].last + 1)]
        batches.append(
            FetchedBatch(stored.base, stored.last, stored.control, size=answer.tail, whole=False)
        )
    return FetchedPart(answer.partition, answer.error, tuple(batches))


Parts = tuple[FetchedPart, ...]


def _refuse_misdirected(server: ScriptedServer, request: FetchRequest, parts: Parts) -> Parts:
    """The parts, with an error in place of each partition that the node does not lead."""
    for partition in request.covered:
        epoch = request.leader_epochs.get(partition, 0)
        error = server.leader(partition).error_at(request.node, epoch)
        if error:
            parts = _fail(parts, partition, error)
    return parts


def _fail(parts: Parts, partition: int, error: int) -> Parts:
    """The parts with an error in one of those that were asked for, named or not."""
    failed = FetchedPart(partition, error)
    if any(one.partition == partition for one in parts):
        return tuple([failed if one.partition == partition else one for one in parts])
    return (*parts, failed)


def _otherwise(
    server: ScriptedServer, request: FetchRequest, parts: Parts
) -> tuple[ScriptedServer, Parts, float]:
    """A response as the scenario has it, and how much later it comes, ms."""
    late_ms = 0.0
    for instruction in server.instructions:
        step = instruction.step
        before = parts
        match step:
            case FailPartition():
                if step.partition in request.covered:
                    parts = _fail(parts, step.partition, step.error)
            case DamageBatch():
                parts = tuple([_damage(one, step, server.logs) for one in parts])
            case CutResponse():
                parts = tuple([_cut_batch(one, step) for one in parts])
            case GiveOtherwise():
                if any(one.batches for one in parts):
                    parts, late_ms = _alter_parts(parts, step.giving)
                    if parts == before:
                        server = _after_use(server, instruction)
        if parts != before:
            server = _after_use(server, instruction)
    return server, parts, late_ms


def _damage(part: FetchedPart, step: DamageBatch, logs: Mapping[int, Log]) -> FetchedPart:
    log = logs[part.partition]
    if part.partition != step.partition or part.error or step.batch >= len(log.batches):
        return part
    target = log.batches[step.batch]
    batches: list[FetchedBatch] = []
    for batch in part.batches:
        if batch.first != target.base or not batch.whole:
            batches.append(batch)
        elif step.damage is Damage.LENGTH:
            batches.append(
                replace(batch, damage=step.damage, whole=False, size=max(batch.size - 1, 0))
            )
            break
        else:
            batches.append(replace(batch, damage=step.damage))
    return replace(part, batches=tuple(batches))


def _cut_batch(part: FetchedPart, step: CutResponse) -> FetchedPart:
    if part.partition != step.partition or not part.batches:
        return part
    first = part.batches[0]
    if step.size >= first.size:
        return part
    return replace(part, batches=(replace(first, size=step.size, whole=False),))


def _alter_parts(parts: Parts, giving: ResponseVariant) -> tuple[Parts, float]:
    """The parts, given in another legal way."""
    match giving:
        case ResponseVariant.EMPTY:
            return tuple([replace(one, batches=()) for one in parts]), 0.0
        case ResponseVariant.THROTTLED:
            return (), 0.0
        case ResponseVariant.LATE:
            return parts, LATE_MS
        case ResponseVariant.REVERSED:
            return parts[::-1], 0.0
        case ResponseVariant.ONE_PARTITION:
            first = next(one.partition for one in parts if one.batches)
            return (
                tuple(
                    [one if one.partition == first else replace(one, batches=()) for one in parts]
                ),
                0.0,
            )
        case ResponseVariant.ABORTED_REVERSED | ResponseVariant.ABORTED_TWICE:
            return parts, 0.0


def _first(server: ScriptedServer, kind: type[StageStep]) -> Instruction | None:
    return next((one for one in server.instructions if isinstance(one.step, kind)), None)


def _after_use(server: ScriptedServer, instruction: Instruction) -> ScriptedServer:
    used = instruction.instruction_after()
    instructions: list[Instruction] = []
    for one in server.instructions:
        if one is not instruction:
            instructions.append(one)
        elif used is not None:
            instructions.append(used)
    return replace(server, instructions=tuple(instructions))
