"""Steps that several subjects have: those that write to a log or delete from it, as requests and
outcomes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.placement.deployment import produce_request, produce_results, produce_version
from conformance.play.request import Request
from conformance.wire.batches import restamp
from conformance.wire.single_entry import only
from conformance.wire.sizing import batch_of_size
from spec.outcomes import AppendAnswer, Garbled
from spec.steps import Append, DeleteRecords

if TYPE_CHECKING:
    from conformance.cluster import Cluster
    from conformance.placement.placed_partition import PlacedPartition
    from conformance.wire.outcomes import Answer

DELETE_VERSION = 2


def log_request(
    cluster: Cluster,
    step: Append | DeleteRecords,
    placed_partition: PlacedPartition,
    within_s: float,
    *,
    distinct: bool = False,
) -> Request:
    """Make the request of a step that changes a log. A batch that is appended is known to its
    partition from here on.

    Args:
        cluster: the broker.
        step: what is done.
        placed_partition: where.
        within_s: how long the answer may take.
        distinct: whether no other batch of the partition has the same values.

    Raises:
        NoSuchBatchError: the batch can't be made.
    """
    if isinstance(step, DeleteRecords):
        partition = {
            "partition_index": placed_partition.partition,
            "offset": placed_partition.absolute(step.offset),
        }
        value = {
            "topics": [{"name": placed_partition.topic, "partitions": [partition]}],
            "timeout_ms": 30_000,
        }
        return Request(
            "DeleteRecords", cluster.version("DeleteRecords", DELETE_VERSION), value, within_s
        )
    expected = (
        max(
            (known.seen.last + placed_partition.base for known in placed_partition.known.values()),
            default=placed_partition.base - 1,
        )
        + 1
    )
    seed = (placed_partition.partition << 40) + expected if distinct else 0
    made = batch_of_size(step.batch.size, step.batch.records, step.batch.codec.value, seed=seed)
    sent = restamp(made, base_timestamp=placed_partition.timestamp)
    placed_partition.add(expected, sent, expected + step.batch.records - 1, step.batch.records)
    batches = {(placed_partition.topic, placed_partition.partition): sent}
    version = produce_version(cluster, step.batch.codec)
    return Request("Produce", version, produce_request(batches), within_s)


def log_outcome(
    step: Append | DeleteRecords,
    placed_partition: PlacedPartition,
    answer: Answer,
    request: Request,
) -> AppendAnswer | Garbled:
    """Read the answer to such a request.

    Raises:
        NoAnswer: it has no partition, or more than one.
    """
    if isinstance(step, DeleteRecords):
        part = only(request.api, request.version, answer.value, "topics", "partitions")
        return AppendAnswer(part["error_code"], part["low_watermark"] - placed_partition.base)
    for _, error, offset in produce_results(answer.value):
        return AppendAnswer(error, None if offset < 0 else offset - placed_partition.base)
    return Garbled("a Produce answer without partitions")
