"""ShareFetch and ShareAcknowledge: the request in the model's words, the model's answer in the
wire's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.cluster import NODE_ID
from conformance.serve.shares import ask, number_of
from spec.kafka import INT32_MAX
from spec.outcomes import Closed
from spec.share.model.session import is_uuid
from spec.share.outcomes import ShareAcknowledgeAnswer, ShareFetchAnswer
from spec.share.steps import OWN, AcknowledgementBatch, ShareAcknowledge, ShareFetch, SharePartition

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from conformance.serve.broker_state import BrokerState
    from conformance.serve.share_groups import ServedShareGroup
    from conformance.wire.codec import Request
    from spec.share.outcomes import ShareAnswerPartition

NO_NULL_SINCE = 1
"""The version of ShareFetch from which on its records can't be null."""


async def share_fetch(state: BrokerState, request: Request) -> dict[str, Any] | None:
    """ShareFetch: answered at once, or held back until something can be acquired or `max_wait_ms`
    has passed.
    """
    body = request.body.value
    served = state.shares.served_group(body["group_id"] or "")
    step = ShareFetch(
        partitions=tuple(_partitions(state, served, body)),
        epoch=body["share_session_epoch"],
        max_records=body.get("max_records", INT32_MAX),
        batch_size=body.get("batch_size", INT32_MAX),
        max_bytes=body["max_bytes"],
        min_bytes=body["min_bytes"],
        max_wait_ms=body["max_wait_ms"],
        mode=body.get("share_acquire_mode", 0),
        renew=body.get("is_renew_ack", False),
        forgotten=tuple(
            number_of(state, served, topic["topic_id"], partition)
            for topic in body["forgotten_topics_data"]
            for partition in topic["partitions"]
        ),
        **_sender(served, request),
    )
    answer = await ask(state, served, step)
    if not isinstance(answer, ShareFetchAnswer):
        assert isinstance(answer, Closed), answer  # the model closes the connection
        return None
    nullable = request.version < NO_NULL_SINCE
    parts = [
        (
            served.addresses[part.partition],
            _partition_answer(state, served, part, nullable=nullable),
        )
        for part in answer.partitions
    ]
    return {**_head(answer), "responses": _by_topic(parts), "node_endpoints": []}


async def share_acknowledge(state: BrokerState, request: Request) -> dict[str, Any] | None:
    """ShareAcknowledge."""
    body = request.body.value
    served = state.shares.served_group(body["group_id"] or "")
    partitions = tuple(_partitions(state, served, body))
    renew = body.get("is_renew_ack", False)
    step = ShareAcknowledge(
        partitions, epoch=body["share_session_epoch"], renew=renew, **_sender(served, request)
    )
    answer = await ask(state, served, step)
    if not isinstance(answer, ShareAcknowledgeAnswer):
        assert isinstance(answer, Closed), answer  # the model closes the connection
        return None
    parts = [
        (served.addresses[number], {"error_code": error, **_leader(state, served, number)})
        for number, error in answer.partitions
    ]
    return {**_head(answer), "responses": _by_topic(parts), "node_endpoints": []}


def _sender(served: ServedShareGroup, request: Request) -> dict[str, Any]:
    """Who asks, and in which version."""
    group, member = request.body.value["group_id"], request.body.value["member_id"]
    return {
        "version": request.version,
        "group": None if group is None else OWN,
        "member": OWN if member is not None and is_uuid(member) else member,
        "actor": served.actor(member or ""),
    }


def _partitions(
    state: BrokerState, served: ServedShareGroup, body: dict[str, Any]
) -> Iterator[SharePartition]:
    for topic in body["topics"]:
        for part in topic["partitions"]:
            yield SharePartition(
                partition=number_of(state, served, topic["topic_id"], part["partition_index"]),
                acknowledgements=tuple(
                    AcknowledgementBatch(
                        one["first_offset"], one["last_offset"], tuple(one["acknowledge_types"])
                    )
                    for one in part["acknowledgement_batches"]
                ),
                max_bytes=part.get("partition_max_bytes", INT32_MAX),
            )


def _head(answer: ShareFetchAnswer | ShareAcknowledgeAnswer) -> dict[str, Any]:
    return {
        "throttle_time_ms": answer.throttle_ms,
        "error_code": answer.error,
        "error_message": None,
        **(
            {}
            if answer.lock_timeout_ms is None
            else {"acquisition_lock_timeout_ms": answer.lock_timeout_ms}
        ),
        **({"_tags": dict.fromkeys(answer.unknown_tags, b"\0")} if answer.unknown_tags else {}),
    }


def _by_topic(parts: Iterable[tuple[tuple[bytes, int], dict[str, Any]]]) -> list[dict[str, Any]]:
    """Partitions with what is answered for each; neighbours of one topic stand under one entry."""
    topics: list[dict[str, Any]] = []
    for (topic_id, partition), answer in parts:
        if not topics or topics[-1]["topic_id"] != topic_id:
            topics.append({"topic_id": topic_id, "partitions": []})
        topics[-1]["partitions"].append({"partition_index": partition, **answer})
    return topics


def _leader(state: BrokerState, served: ServedShareGroup, number: int) -> dict[str, Any]:
    topic_id, partition = served.addresses[number]
    topic = state.topic(topic_id=topic_id)
    known = topic is not None and 0 <= partition < len(topic.partitions)
    epoch = topic.partitions[partition].leader_epoch if topic is not None and known else -1
    return {
        "error_message": None,
        "current_leader": {"leader_id": NODE_ID if known else -1, "leader_epoch": epoch},
    }


def _partition_answer(
    state: BrokerState, served: ServedShareGroup, part: ShareAnswerPartition, *, nullable: bool
) -> dict[str, Any]:
    return {
        "error_code": part.error,
        "acknowledge_error_code": part.acknowledge_error,
        "acknowledge_error_message": None,
        "records": None if part.null_records and nullable else _records(state, served, part),
        "acquired_records": [
            {"first_offset": one.first, "last_offset": one.last, "delivery_count": one.count}
            for one in part.acquired
        ],
        **_leader(state, served, part.partition),
    }


def _records(state: BrokerState, served: ServedShareGroup, part: ShareAnswerPartition) -> bytes:
    """The bytes of the batches that are answered, and the head of the next one where the answer is
    cut there; the last byte of a batch that a fault has altered is another.
    """
    topic_id, partition = served.addresses[part.partition]
    topic = state.topic(topic_id=topic_id)
    if topic is None:
        return b""
    found = bytearray()
    for batch in part.batches:
        found += topic.partitions[partition].batch(batch.base)
        if not batch.intact:
            found[-1] ^= 1
    if part.tail and part.batches:
        found += topic.partitions[partition].read(part.batches[-1].last + 1, part.tail)
    return bytes(found)
