"""Steps of segments as requests on the wire, and their answers as outcomes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.placement.deployment import PRODUCE_VERSION, produce_request, produce_results
from conformance.play.request import Request
from conformance.play.silence import SILENCE_S
from conformance.wire.batches import parse_batches, restamp
from conformance.wire.single_entry import only
from conformance.wire.sizing import batch_of_size
from spec.outcomes import AppendAnswer, Garbled, NotSent
from spec.segments.outcomes import LogDirAnswer, OffsetAnswer, SegmentBatch, SegmentsRead
from spec.segments.steps import EARLIEST_LOCAL, LARGEST

if TYPE_CHECKING:
    from conformance.cluster import Cluster
    from conformance.placement.placed_partition import PlacedPartition
    from conformance.wire.outcomes import Answer
    from spec.segments.steps import AppendBatch

LOG_DIRS_VERSION, LIST_OFFSETS_VERSION, FETCH_VERSION = 4, 8, 12
SPECIAL_SINCE = {LARGEST: 7, EARLIEST_LOCAL: 8}
"""The version of ListOffsets since which a timestamp is a special one: `LARGEST`, Kafka's
MAX_TIMESTAMP (KIP-734), and `EARLIEST_LOCAL` (KIP-405).
"""
NO_TIMESTAMP = -1
PRODUCER_ID = 1 << 32
"""The id of the scenario's one idempotent producer: far above those that brokers give."""
UNLIMITED_BYTES = 2**31 - 1


def append_request(
    cluster: Cluster, step: AppendBatch, where: PlacedPartition, sequence: int
) -> Request:
    """Make the Produce request of a batch.

    Args:
        cluster: whom to ask.
        step: the batch.
        where: the partition that the layout lies in.
        sequence: its base sequence; not looked at where the batch is of no idempotent producer.

    Raises:
        NoSuchBatchError: the batch can't be made.
    """
    time = NO_TIMESTAMP if step.time is None else where.timestamp + step.time
    sent = restamp(batch_of_size(step.size, step.records, "none"), base_timestamp=time)
    if step.idempotent:
        sent = restamp(sent, producer_id=PRODUCER_ID, producer_epoch=0, base_sequence=sequence)
    value = produce_request({(where.topic, where.partition): sent})
    return Request("Produce", cluster.version("Produce", PRODUCE_VERSION), value, SILENCE_S)


def append_answer(answer: Answer, where: PlacedPartition) -> AppendAnswer | Garbled:
    """Read the answer to a Produce request."""
    for _, error, offset in produce_results(answer.value):
        return AppendAnswer(error, None if offset < 0 else offset - where.base)
    return Garbled("a Produce answer without partitions")


def log_dirs_request(cluster: Cluster, where: PlacedPartition) -> Request:
    """Make a DescribeLogDirs request for a partition."""
    value = {"topics": [{"topic": where.topic, "partitions": [where.partition]}]}
    version = cluster.version("DescribeLogDirs", LOG_DIRS_VERSION)
    return Request("DescribeLogDirs", version, value, SILENCE_S)


def log_dirs_answer(answer: Answer, where: PlacedPartition) -> LogDirAnswer:
    """Read the answer to a DescribeLogDirs request: the partition's size in the directory that it
    is in, not in one that it is being moved to (IsFutureKey).
    """
    sizes = [
        part["partition_size"]
        for found in answer.value["results"]
        for topic in found["topics"]
        for part in topic["partitions"]
        if (topic["name"], part["partition_index"]) == (where.topic, where.partition)
        and not part["is_future_key"]
    ]
    errors = [found["error_code"] for found in answer.value["results"] if found["error_code"]]
    error = errors[0] if errors else answer.value.get("error_code", 0)
    return LogDirAnswer(error, sizes[0] if len(sizes) == 1 else None)


def offset_request(cluster: Cluster, timestamp: int, where: PlacedPartition) -> Request | NotSent:
    """Make a ListOffsets request for a timestamp, as it is sent; none where the broker has no
    version in which a special one is known.
    """
    version = cluster.version("ListOffsets", LIST_OFFSETS_VERSION)
    if version < (since := SPECIAL_SINCE.get(timestamp, 0)):
        return NotSent(f"timestamp {timestamp} takes ListOffsets v{since}, found v{version}")
    part = {
        "partition_index": where.partition,
        "current_leader_epoch": -1,
        "timestamp": timestamp,
    }
    topics = [{"name": where.topic, "partitions": [part]}]
    value = {"replica_id": -1, "isolation_level": 0, "topics": topics}
    return Request("ListOffsets", version, value, SILENCE_S)


def offset_answer(request: Request, answer: Answer, where: PlacedPartition) -> OffsetAnswer:
    """Read the answer to a ListOffsets request."""
    part = only(request.api, request.version, answer.value, "topics", "partitions")
    offset = part["offset"]
    return OffsetAnswer(part["error_code"], None if offset < 0 else offset - where.base)


def read_request(cluster: Cluster, where: PlacedPartition, begin: int) -> Request:
    """Make a Fetch request for all from an offset on, relative to the layout's base."""
    part = {
        "partition": where.partition,
        "fetch_offset": where.base + begin,
        "partition_max_bytes": UNLIMITED_BYTES,
    }
    value: dict[str, Any] = {
        "replica_id": -1,
        "max_wait_ms": 0,
        "min_bytes": 0,
        "max_bytes": UNLIMITED_BYTES,
        "isolation_level": 0,
        "session_id": 0,
        "session_epoch": -1,
        "topics": [{"topic": where.topic, "partitions": [part]}],
    }
    return Request("Fetch", cluster.version("Fetch", FETCH_VERSION), value, SILENCE_S)


def read_answer(request: Request, answer: Answer, where: PlacedPartition) -> SegmentsRead:
    """Read the answer to one Fetch request: its batches are the only run, and there is none where
    it has no batch.

    Raises:
        Malformed: the records are no batches.
    """
    part = only(request.api, request.version, answer.value, "responses", "partitions")
    found = parse_batches(bytes(part["records"] or b"")).batches
    run = tuple(
        [
            SegmentBatch(
                one.base_offset - where.base,
                one.last_offset - where.base,
                one.size,
                None if one.max_timestamp < 0 else one.max_timestamp - where.timestamp,
            )
            for one in found
        ]
    )
    high_watermark = part["high_watermark"] - where.base
    return SegmentsRead(part["error_code"], high_watermark, (run,) if run else ())
