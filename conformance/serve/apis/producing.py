"""Writing records: Produce."""

from __future__ import annotations

from time import time
from typing import TYPE_CHECKING, Any

from conformance.serve.receiving import received_from
from spec.frozen import frozen
from spec.kafka import Error
from spec.produce.dry_run import LOG_START_SINCE
from spec.produce.model.acceptance import (
    AddressedBatch,
    check_request,
    check_transaction,
    names_records,
)
from spec.produce.model.seams import Reply, StoredForm
from spec.produce.outcomes import BatchAnswer
from spec.produce.steps import RECORD_ERRORS_SINCE
from spec.produce.topic import TimestampType, TopicSettings

if TYPE_CHECKING:
    from conformance.serve.broker_state import BrokerState, Topic
    from conformance.serve.served_partition import ServedPartition
    from conformance.wire.codec import Request
    from spec.produce.model.received import Received


@frozen
class _Entry:
    """One partition of a request.

    Attributes:
        name, topic_id, index: as it is named.
        records: the bytes for it.
        topic, served: what it is; None where there is none.
    """

    name: str
    topic_id: bytes
    index: int
    records: bytes
    topic: Topic | None
    served: ServedPartition | None

    @property
    def partition(self) -> tuple[str, bytes, int]:
        """Which partition it is, as it is named."""
        return self.name, self.topic_id, self.index


def produce(state: BrokerState, request: Request) -> dict[str, Any] | None:
    """Produce: each partition's batch goes to the end of its log; None, no answer, where `acks` is
    0.

    Raises:
        ConnectionAbortedError: the connection is closed instead of an answer.
    """
    body, leader = request.body.value, state.leader
    entries = _entries(state, body)
    now = round(time() * 1000)
    received = [leader.receiving(received_from(entry.records, now)) for entry in entries]
    addressed = [
        AddressedBatch(
            one,
            None if entry.served is None else leader.configured(entry.served.settings),
            by_unknown_id=entry.topic is None and any(entry.topic_id),
        )
        for one, entry in zip(received, entries, strict=True)
    ]
    checked = check_request(
        addressed,
        body["acks"],
        request.version,
        leader.checking,
        transactional_id=body["transactional_id"] is not None,
    )
    checked = tuple(
        [
            _transaction_error(state, entry, one, body["transactional_id"])
            or error
            or (leader.insync(body["acks"], entry.served.settings) if entry.served else Error.NONE)
            for entry, one, error in zip(entries, received, checked, strict=True)
        ]
    )
    places: dict[tuple[str, bytes, int], list[int]] = {}
    for number, entry in enumerate(entries):
        places.setdefault(entry.partition, []).append(number)
    answers = [
        _append(entry, one, error, leader.keeping(one, error, body["acks"]), number, now, state)
        for number, (entry, one, error) in enumerate(
            zip(entries, received, leader.deciding(checked), strict=True)
        )
        if leader.several.takes(number, places[entry.partition])
    ]
    for served in {id(entry.served): entry.served for entry in entries}.values():
        if served is not None:
            served.count_request(leader)
    state.wake_waiting()
    errors = tuple([Error(answer.error) for answer in answers])
    reply = leader.replying(body["acks"], errors)
    if reply is Reply.CLOSING:
        raise ConnectionAbortedError("a batch was refused, and nobody waits for an answer")
    if reply is Reply.NOTHING:
        return None
    return _value(entries, leader.answering(tuple(answers)), request.version, now)


def _entries(state: BrokerState, body: dict[str, Any]) -> list[_Entry]:
    entries = []
    for topic in body["topic_data"]:
        name, topic_id = topic.get("name", ""), topic.get("topic_id", bytes(16))
        found = state.topic(name, topic_id)
        for part in topic["partition_data"]:
            served = state.partition(found.name, part["index"]) if found is not None else None
            records = part["records"] or b""
            entries.append(_Entry(name, topic_id, part["index"], records, found, served))
    return entries


def _transaction_error(
    state: BrokerState, entry: _Entry, received: Received, name: str | None
) -> Error:
    """What forbids a transactional batch (KIP-890); NONE where nothing does."""
    if entry.topic is None or entry.served is None or not received.transactional:
        return Error.NONE
    if name is None:
        return Error.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
    error, transaction = state.coordinator.check(name, received.producer, received.epoch)
    if error:
        return Error.INVALID_PRODUCER_EPOCH
    has = transaction is not None and (entry.topic.name, entry.index) in transaction.partitions
    return check_transaction(received, has_partition=has)


def _append(
    entry: _Entry,
    received: Received,
    error: Error,
    kept: StoredForm,
    number: int,
    now: int,
    state: BrokerState,
) -> BatchAnswer:
    """Store what is kept of a batch, and answer on it; offsets are those of the log."""
    served, leader = entry.served, state.leader
    settings = TopicSettings() if served is None else served.settings
    base, repeated = 0, False
    if served is not None:
        written = served.produce(
            entry.records, received, kept, now, leader.sequencing, state.segment_rules
        )
        error, base, repeated = error or written.error, written.base, written.repeated
    if error:
        return BatchAnswer(number, error).naming(names_records(received, settings, error))
    answer = BatchAnswer(
        number,
        base=base,
        append_time=settings.timestamp_type is TimestampType.APPEND,
        log_start=0 if served is None else served.log.start,
    )
    return leader.repeating(answer) if repeated else answer


def _value(
    entries: list[_Entry], answers: tuple[BatchAnswer, ...], version: int, now: int
) -> dict[str, Any]:
    topics: list[dict[str, Any]] = []
    for answer in answers:
        entry = entries[answer.partition]
        found = [
            one for one in topics if (one["name"], one["topic_id"]) == (entry.name, entry.topic_id)
        ]
        if not found:
            found = [{"name": entry.name, "topic_id": entry.topic_id, "partition_responses": []}]
            topics += found
        start = -1 if answer.log_start is None else answer.log_start
        found[0]["partition_responses"].append(
            {
                "index": entry.index,
                "error_code": answer.error,
                "base_offset": -1 if answer.base is None else answer.base,
                "log_append_time_ms": now if answer.append_time else -1,
                "log_start_offset": start if version >= LOG_START_SINCE else -1,
                "record_errors": [
                    {
                        "batch_index": index,
                        "batch_index_error_message": "this record is not valid"
                        if index in answer.record_messages
                        else None,
                    }
                    for index in (answer.record_errors if version >= RECORD_ERRORS_SINCE else ())
                ],
                "error_message": "records of the batch are not valid"
                if answer.message and version >= RECORD_ERRORS_SINCE
                else None,
            }
        )
    return {"responses": topics}
