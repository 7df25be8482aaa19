"""The server that a client reads from: one broker as the fetch model answers, and what a scenario
makes it do otherwise.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from spec.fairness.model.requests import FetchRequest
from spec.fairness.outcomes import FetchedBatch, FetchedPart, ServedFetch
from spec.fairness.steps import (
    FOR_GOOD,
    CutResponse,
    Damage,
    DamageBatch,
    FailPartition,
    FailSessions,
    GiveOtherwise,
    Giving,
    StageStep,
)
from spec.fetch.model.answer import answer_fetch
from spec.fetch.model.session import Session
from spec.fetch.outcomes import FetchAnswer, PartitionAnswer
from spec.fetch.steps import OWN, Fetch, FetchPartition
from spec.kafka import FULL_EPOCH, INT32_MAX
from spec.log import Log
from spec.semantics import Semantics

FETCH_VERSION = 13
LATE_MS = 500


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class ScriptedServer:
    """The server at one moment.

    Attributes:
        logs: by partition.
        instructions: what it does otherwise, in the order in which that was said.
        session: the fetch session that it remembers.
        sessions: how many it has opened.
    """

    logs: Mapping[int, Log]
    instructions: tuple[Instruction, ...] = ()
    session: Session | None = None
    sessions: int = 0

    def with_script(self, step: StageStep) -> "ScriptedServer":
        """After a scenario has said what it is to do."""
        left = None if step.responses == FOR_GOOD else step.responses
        return replace(self, instructions=(*self.instructions, Instruction(step, left)))


@dataclass(frozen=True, slots=True)
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
    )
    refusing = _first(server, FailSessions) if request.epoch != FULL_EPOCH else None
    if refusing is not None:
        assert isinstance(refusing.step, FailSessions)
        after = replace(_after_use(server, refusing), session=None)
        return Response(after, replace(served, error=refusing.step.error))
    answer, session, held_ms = answer_fetch(_fetch(request), server.logs, server.session, semantics)
    opened = request.epoch == FULL_EPOCH and answer.session > 0
    number = server.sessions + 1 if opened else request.session if answer.session > 0 else 0
    server = replace(
        server, session=session, sessions=server.sessions + 1 if opened else server.sessions
    )
    parts = _parts(answer, server.logs)
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
        stored = log.batches[log.holder(batch.base)]
        batches.append(FetchedBatch(batch.base, batch.last, stored.control, size=batch.size))
    if answer.tail and batches:
        stored = log.batches[log.holder(batches[-1].last + 1)]
        batches.append(
            FetchedBatch(stored.base, stored.last, stored.control, size=answer.tail, whole=False)
        )
    return FetchedPart(answer.partition, answer.error, tuple(batches))


Parts = tuple[FetchedPart, ...]


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
                    failed = FetchedPart(step.partition, step.error)
                    others = [one for one in parts if one.partition != step.partition]
                    named = [failed if one.partition == step.partition else one for one in parts]
                    parts = tuple(named if len(others) < len(parts) else [*others, failed])
            case DamageBatch():
                parts = tuple([_damaged(one, step, server.logs) for one in parts])
            case CutResponse():
                parts = tuple([_cut(one, step) for one in parts])
            case GiveOtherwise():
                if any(one.batches for one in parts):
                    parts, late_ms = _given(parts, step.giving)
                    if parts == before:
                        server = _after_use(server, instruction)
        if parts != before:
            server = _after_use(server, instruction)
    return server, parts, late_ms


def _damaged(part: FetchedPart, step: DamageBatch, logs: Mapping[int, Log]) -> FetchedPart:
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


def _cut(part: FetchedPart, step: CutResponse) -> FetchedPart:
    if part.partition != step.partition or not part.batches:
        return part
    first = part.batches[0]
    if step.size >= first.size:
        return part
    return replace(part, batches=(replace(first, size=step.size, whole=False),))


def _given(parts: Parts, giving: Giving) -> tuple[Parts, float]:
    """The parts, given in another legal way."""
    match giving:
        case Giving.EMPTY:
            return tuple([replace(one, batches=()) for one in parts]), 0.0
        case Giving.THROTTLED:
            return (), 0.0
        case Giving.LATE:
            return parts, LATE_MS
        case Giving.REVERSED:
            return parts[::-1], 0.0
        case Giving.ONE_PARTITION:
            first = next(one.partition for one in parts if one.batches)
            return (
                tuple(
                    [one if one.partition == first else replace(one, batches=()) for one in parts]
                ),
                0.0,
            )
        case Giving.ABORTED_REVERSED | Giving.ABORTED_TWICE:
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
