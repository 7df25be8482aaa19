"""Transactions: InitProducerId, AddPartitionsToTxn, AddOffsetsToTxn, TxnOffsetCommit, EndTxn."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from conformance.facts import TRANSACTION_MAX_MS
from spec.kafka import Error
from spec.produce.model.coordinator import ABSENT, InitProducerRequest, TransactionalIdKind, code_in

if TYPE_CHECKING:
    from conformance.serve.broker_state import BrokerState
    from conformance.serve.transactions import Transaction
    from conformance.wire.codec import Request


def init_producer_id(state: BrokerState, request: Request) -> dict[str, Any]:
    """InitProducerId: a fresh producer id, or the transactional one's with a new epoch; what it
    left open is aborted.
    """
    body, coordinator = request.body.value, state.coordinator
    name = body["transactional_id"]
    asked = InitProducerRequest(
        TransactionalIdKind.NULL
        if name is None
        else TransactionalIdKind.NAMED
        if name
        else TransactionalIdKind.EMPTY,
        body["transaction_timeout_ms"],
        body.get("producer_id", ABSENT),
        body.get("producer_epoch", ABSENT),
    )
    longest = state.settings.number(TRANSACTION_MAX_MS)
    error, holder = state.leader.giving(
        coordinator.current_producer(name), asked, longest, coordinator.producer
    )
    if holder is None:
        code = code_in(error, request.version)
        return {"error_code": code, "producer_id": ABSENT, "producer_epoch": ABSENT}
    known = coordinator.transactions.get(name)
    if known is not None and known.open:
        known.epoch += 1
        _end(state, known, commit=False)
    if name is not None:
        coordinator.begin(name, holder)
    return {"error_code": 0, "producer_id": holder.producer, "producer_epoch": holder.epoch}


def add_partitions(state: BrokerState, request: Request) -> dict[str, Any]:
    """AddPartitionsToTxn: all of the partitions, or none (KIP-98)."""
    body = request.body.value
    name = body["v3_and_below_transactional_id"]
    error, transaction = state.coordinator.check(
        name, body["v3_and_below_producer_id"], body["v3_and_below_producer_epoch"]
    )
    wanted = [
        (topic["name"], partition)
        for topic in body["v3_and_below_topics"]
        for partition in topic["partitions"]
    ]
    missing = {key for key in wanted if state.partition(*key) is None}
    if transaction is not None and not missing:
        transaction.partitions |= set(wanted)
    results = []
    for topic in body["v3_and_below_topics"]:
        codes = []
        for partition in topic["partitions"]:
            unknown = (
                Error.UNKNOWN_TOPIC_OR_PARTITION
                if (topic["name"], partition) in missing
                else Error.OPERATION_NOT_ATTEMPTED
                if missing
                else 0
            )
            codes.append({"partition_index": partition, "partition_error_code": error or unknown})
        results.append({"name": topic["name"], "results_by_partition": codes})
    return {"results_by_topic_v3_and_below": results}


def add_offsets(state: BrokerState, request: Request) -> dict[str, Any]:
    """AddOffsetsToTxn: a group's offsets become part of the transaction."""
    body = request.body.value
    error, transaction = state.coordinator.check(
        body["transactional_id"], body["producer_id"], body["producer_epoch"]
    )
    if transaction is not None:
        transaction.offsets.setdefault(body["group_id"], {})
    return {"error_code": error}


def commit_offsets(state: BrokerState, request: Request) -> dict[str, Any]:
    """TxnOffsetCommit: offsets that count once the transaction is committed."""
    body = request.body.value
    error, transaction = state.coordinator.check(
        body["transactional_id"], body["producer_id"], body["producer_epoch"]
    )
    if transaction is not None and body["group_id"] not in transaction.offsets:
        error, transaction = Error.INVALID_TXN_STATE, None
    topics = []
    for topic in body["topics"]:
        parts = []
        for part in topic["partitions"]:
            if transaction is not None:
                value = (
                    part["committed_offset"],
                    part.get("committed_leader_epoch", -1),
                    part["committed_metadata"],
                )
                transaction.offsets[body["group_id"]][topic["name"], part["partition_index"]] = (
                    value
                )
            parts.append({"partition_index": part["partition_index"], "error_code": error})
        topics.append({"name": topic["name"], "partitions": parts})
    return {"topics": topics}


def end_txn(state: BrokerState, request: Request) -> dict[str, Any]:
    """EndTxn: commit or abort; a repetition of what was done is no error."""
    body = request.body.value
    error, transaction = state.coordinator.check(
        body["transactional_id"], body["producer_id"], body["producer_epoch"]
    )
    if transaction is None:
        return {"error_code": error}
    if not transaction.open:
        return {
            "error_code": 0 if transaction.ended is body["committed"] else Error.INVALID_TXN_STATE
        }
    _end(state, transaction, commit=body["committed"])
    return {"error_code": 0}


def _end(state: BrokerState, transaction: Transaction, *, commit: bool) -> None:
    now = int(time.time() * 1000)
    for topic, partition in sorted(transaction.partitions):
        served = state.partition(topic, partition)
        if served is not None:
            served.end_transaction(
                transaction.producer, transaction.epoch, commit=commit, timestamp=now
            )
    if commit:
        for group, offsets in transaction.offsets.items():
            state.committed.setdefault(group, {}).update(offsets)
    transaction.partitions.clear()
    transaction.offsets.clear()
    transaction.ended = commit
    state.wake_waiting()
