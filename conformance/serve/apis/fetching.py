"""Fetch: the request in the model's words, the model's answer in the wire's."""

from __future__ import annotations

import asyncio
import secrets
from typing import TYPE_CHECKING, Any

from conformance.drafts import plug_of
from conformance.serve.broker_state import MADE_UP, OpenSession
from spec.fetch.model.session import (
    EVICTABLE_AFTER_S,
    FIRST_SHARD_ID,
    LAST_SHARD_ID,
    is_overtaken,
)
from spec.fetch.outcomes import FetchAnswer
from spec.fetch.releases import FetchSemantics
from spec.fetch.steps import OWN, Fetch, FetchPartition
from spec.kafka import CONSUMER_REPLICA, SESSIONLESS_EPOCH, TOPIC_IDS_SINCE, Error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.serve.broker_state import BrokerState
    from conformance.serve.served_partition import ServedPartition
    from conformance.wire.codec import Request
    from spec.fetch.model.session import Session
    from spec.fetch.outcomes import PartitionAnswer
    from spec.fetch.steps import DraftField
    from spec.log import Log


async def fetch(state: BrokerState, request: Request) -> dict[str, Any]:
    """Fetch: answered at once, or held back until something happens that ends the wait or
    `max_wait_ms` has passed.
    """
    body, version = request.body.value, request.version
    asked = body.get("session_id", 0)
    clock = asyncio.get_running_loop().time
    opened = state.sessions.get(asked)
    own = opened.session if opened is not None else None
    step = fetch_step(state, body, version, known=own is not None)
    taken = _accept_request(state, step, own, asked)
    began = clock()
    while True:
        answer, session, held_ms = state.answering(
            step, _logs(state, step, own), own, state.settings.semantics, MADE_UP
        )
        left = began + held_ms / 1000 - clock()
        if left <= 0:
            break
        await state.change(left)
    current = state.sessions.get(asked)
    if is_overtaken(taken, own, current.session if current is not None else None):
        answer = FetchAnswer(Error.INVALID_FETCH_SESSION_EPOCH, 1)
    return {
        "throttle_time_ms": answer.throttle_ms,
        "error_code": answer.error,
        "session_id": _settle_session(state, step, answer, session, asked, taken, clock()),
        "responses": _topics(state, step, answer),
        **({"_tags": dict.fromkeys(answer.unknown_tags, b"\0")} if answer.unknown_tags else {}),
    }


def _accept_request(
    state: BrokerState, step: Fetch, own: Session | None, asked: int
) -> Session | None:
    """Let the session take the request on; what it is then."""
    if own is None:
        return None
    taken = state.taking_on(step, own)
    if taken is None:
        del state.sessions[asked]
    else:
        state.sessions[asked].session = taken
    return taken


def fetch_step(state: BrokerState, body: dict[str, Any], version: int, *, known: bool) -> Fetch:
    """A Fetch request as the model knows it; `known` says whether its session is one that is
    open.
    """
    session = body.get("session_id", 0)
    replica_state = body.get("replica_state")
    return Fetch(
        partitions=tuple(_partitions(state, body, version)),
        max_bytes=body["max_bytes"],
        min_bytes=body["min_bytes"],
        max_wait_ms=body["max_wait_ms"],
        isolation=body["isolation_level"],
        version=version,
        replica_id=body.get("replica_id", CONSUMER_REPLICA)
        if replica_state is None
        else replica_state["replica_id"],
        session=OWN if known else session,
        epoch=body.get("session_epoch", SESSIONLESS_EPOCH),
        forgotten=tuple(
            state.number(_topic_key(topic, version), partition)
            for topic in body.get("forgotten_topics_data", ())
            for partition in topic["partitions"]
        ),
        extra=_extra(state, body),
    )


def _extra(state: BrokerState, body: dict[str, Any]) -> tuple[DraftField, ...]:
    """The fields of the draft that the model has; none without a draft."""
    draft = state.settings.draft
    return () if draft is None else plug_of(draft.draft).fields_in(body, draft.profile)


def _topic_key(topic: dict[str, Any], version: int) -> str | bytes:
    key: str | bytes = topic["topic_id"] if version >= TOPIC_IDS_SINCE else topic["topic"]
    return key


def _partitions(state: BrokerState, body: dict[str, Any], version: int) -> Iterator[FetchPartition]:
    for topic in body["topics"]:
        for part in topic["partitions"]:
            number = state.number(_topic_key(topic, version), part["partition"])
            epoch = part.get("current_leader_epoch", -1)
            name, partition = state.key(number)
            served = state.partition(name, partition) if isinstance(name, str) else None
            yield FetchPartition(
                partition=number,
                offset=part["fetch_offset"],
                max_bytes=part["partition_max_bytes"],
                leader_epoch=None if epoch == -1 or served is None else epoch - served.leader_epoch,
            )


def _logs(state: BrokerState, step: Fetch, own: Session | None) -> dict[int, Log]:
    numbers = {part.partition for part in step.partitions}
    if own is not None:
        numbers |= {cached.ask.partition for cached in own.cached}
    found = {number: state.log(number) for number in numbers}
    return {number: log for number, log in found.items() if log is not None}


def _settle_session(
    state: BrokerState,
    step: Fetch,
    answer: FetchAnswer,
    session: Session | None,
    asked: int,
    taken: Session | None,
    now: float,
) -> int:
    """Keep the session as it is after the answer, unless it has taken another request on since; the
    id to answer with.
    """
    if answer.session == 2 and session is not None:
        return _new_session(state, session, now)
    if step.session == OWN:
        current = state.sessions.get(asked)
        if session is None:
            state.sessions.pop(asked, None)
        elif taken is None or (current is not None and current.session is taken):
            state.sessions[asked] = OpenSession(session, now)
    return asked if answer.session == -1 or (answer.session == 1 and session is not None) else 0


def _new_session(state: BrokerState, session: Session, now: float) -> int:
    """The id of a new session; 0, sessionless, where all slots are taken and none may be evicted
    (FET-037).
    """
    if len(state.sessions) >= state.settings.semantics.of(FetchSemantics).session_slots:
        idle = min(state.sessions, key=lambda number: state.sessions[number].used, default=None)
        if idle is None or now - state.sessions[idle].used <= EVICTABLE_AFTER_S:
            return 0
        del state.sessions[idle]
    number = 0
    while not number or number in state.sessions:
        number = FIRST_SHARD_ID + secrets.randbelow(LAST_SHARD_ID - FIRST_SHARD_ID)
        number = abs(number)
    state.sessions[number] = OpenSession(session, now)
    return number


def _topics(state: BrokerState, step: Fetch, answer: FetchAnswer) -> list[dict[str, Any]]:
    """The answered partitions; neighbours of one topic stand under one entry."""
    topics: list[dict[str, Any]] = []
    for got in answer.partitions:
        key, partition = state.key(got.partition)
        known = state.topic(key) if isinstance(key, str) else None
        name = key if isinstance(key, str) else ""
        topic_id = known.id if known is not None else key if isinstance(key, bytes) else bytes(16)
        entry = {"topic": name} if step.version < TOPIC_IDS_SINCE else {"topic_id": topic_id}
        if not topics or {**entry, "partitions": topics[-1]["partitions"]} != topics[-1]:
            topics.append({**entry, "partitions": []})
        topics[-1]["partitions"].append(_partition_answer(state, step, got, name, partition))
    return topics


def _partition_answer(
    state: BrokerState, step: Fetch, got: PartitionAnswer, topic: str, partition: int
) -> dict[str, Any]:
    served = state.partition(topic, partition)
    asked = next((part.offset for part in step.partitions if part.partition == got.partition), 0)
    return {
        "partition_index": partition,
        "error_code": got.error,
        "high_watermark": _wire(got.high_watermark),
        "last_stable_offset": _wire(got.last_stable_offset),
        "log_start_offset": _wire(got.log_start_offset),
        "aborted_transactions": None
        if got.aborted is None
        else [_aborted_entry(*each) for each in got.aborted],
        "preferred_read_replica": got.preferred_replica,
        "records": _records(served, got, asked) if served is not None else b"",
    }


def _records(served: ServedPartition, got: PartitionAnswer, asked: int) -> bytes:
    """The bytes of the batches that are answered, and the first ones of the batch that follows."""
    whole = b"".join([served.batch(batch.base) for batch in got.batches])
    return whole + served.read(got.batches[-1].last + 1 if got.batches else asked, got.tail)


def _wire(offset: int | None) -> int:
    return -1 if offset is None else offset


def _aborted_entry(producer: int, first: int) -> dict[str, int]:
    return {"producer_id": producer, "first_offset": first}
