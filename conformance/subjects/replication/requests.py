"""The requests of a scenario on several brokers."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from conformance.placement.deployment import produce_request
from conformance.play.request import Request
from conformance.play.silence import SILENCE_S
from conformance.wire.batch_format import encode_batch
from conformance.wire.records import Record
from spec.kafka import TOPIC_IDS_SINCE
from spec.outcomes import NotSent
from spec.replication.model import NO_SUCH_EPOCH
from spec.replication.steps import RACK_SINCE, AskEpochEnd, AskLatest, Read, Write

if TYPE_CHECKING:
    from conformance.subjects.replication.spread import SpreadPartition
    from spec.replication.model import State

LATEST = -1
WAIT_MS = 5_000
"""How long a read waits for data that is there already: until a follower, or a leader that was
elected a moment ago, has learned the high watermark.
"""
VALUE_BYTES = 4
MOST_BYTES = 1 << 20


def write_request(step: Write, value: int, where: SpreadPartition) -> Request:
    """Make a Produce request of one record with a number as its value."""
    now_ms = int(time.time() * 1000)
    records = [Record(value=value.to_bytes(VALUE_BYTES, "big"))]
    batch = encode_batch(records, base_timestamp=now_ms)
    fields = produce_request({(where.topic, where.partition): batch}) | {"acks": step.acks}
    return Request("Produce", step.version, fields, SILENCE_S)


def read_request(step: Read, where: SpreadPartition, state: State) -> Request | NotSent:
    """Make a Fetch request, which waits where something is there to read, or soon will be."""
    epoch = where.epoch + state.epoch
    if step.epoch is not None and epoch + step.epoch < 0:
        return NotSent(NO_SUCH_EPOCH)
    awaited = step.offset < state.ceiling and not state.lags
    wait_ms = WAIT_MS if awaited else 0
    part = {
        "partition": where.partition,
        "fetch_offset": step.offset,
        "partition_max_bytes": MOST_BYTES,
        "current_leader_epoch": -1 if step.epoch is None else epoch + step.epoch,
    }
    by_id = step.version >= TOPIC_IDS_SINCE
    name = {"topic_id": where.topic_id} if by_id else {"topic": where.topic}
    value: dict[str, Any] = {
        "max_wait_ms": wait_ms,
        "min_bytes": 1,
        "max_bytes": MOST_BYTES,
        "isolation_level": 0,
        "session_id": 0,
        "session_epoch": -1,
        "topics": [{**name, "partitions": [part]}],
    }
    if step.version >= RACK_SINCE:
        value["rack_id"] = state.rack_of(step.rack)
    return Request("Fetch", step.version, value, SILENCE_S + wait_ms / 1000, wait_ms / 1000)


def latest_request(step: AskLatest, where: SpreadPartition, epoch: int = -1) -> Request:
    """Make a ListOffsets request, with a current leader epoch."""
    part = {
        "partition_index": where.partition,
        "current_leader_epoch": epoch,
        "timestamp": LATEST,
    }
    value = {
        "replica_id": -1,
        "isolation_level": 0,
        "topics": [{"name": where.topic, "partitions": [part]}],
    }
    return Request("ListOffsets", step.version, value, SILENCE_S)


def epoch_end_request(step: AskEpochEnd, where: SpreadPartition, state: State) -> Request | NotSent:
    """Make an OffsetForLeaderEpoch request."""
    epoch = where.epoch + state.epoch
    if epoch + step.epoch < 0:
        return NotSent(NO_SUCH_EPOCH)
    part = {
        "partition": where.partition,
        "current_leader_epoch": -1,
        "leader_epoch": epoch + step.epoch,
    }
    value = {"replica_id": -1, "topics": [{"topic": where.topic, "partitions": [part]}]}
    return Request("OffsetForLeaderEpoch", step.version, value, SILENCE_S)
