"""The requests of Fencepost's own consumer, and their responses in the terms of an observation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.play.record_data import read_batches
from spec.fairness.outcomes import FetchedBatch, FetchedPart
from spec.fairness.steps import Damage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conformance.placement.placed_partition import Placed, PlacedPartition
    from spec.fairness.model.requests import FetchRequest
    from spec.log import Log

FETCH_VERSION = 12
"""The newest Fetch that names topics by their names."""
EARLIEST = -2


def fetch_value(request: FetchRequest, placed: Placed, session_id: int) -> dict[str, Any]:
    """A Fetch's fields; consecutive partitions of one topic stand under one topic entry."""
    options = request.options
    topics: list[dict[str, Any]] = []
    for part in request.asked:
        where = placed.placed_partitions[part.partition]
        if not topics or topics[-1]["topic"] != where.topic:
            topics.append({"topic": where.topic, "partitions": []})
        topics[-1]["partitions"].append(
            {
                "partition": where.partition,
                "fetch_offset": where.absolute(part.offset or 0),
                "partition_max_bytes": options.partition_max_bytes,
            }
        )
    return {
        "replica_id": -1,
        "max_wait_ms": options.max_wait_ms,
        "min_bytes": options.fetch_min_bytes,
        "max_bytes": options.fetch_max_bytes,
        "isolation_level": options.isolation,
        "session_id": session_id,
        "session_epoch": request.epoch,
        "topics": topics,
        "forgotten_topics_data": [
            {"topic": where.topic, "partitions": [where.partition]}
            for where in [placed.placed_partitions[number] for number in request.forgotten]
        ],
    }


def fetched_parts(
    value: Mapping[str, Any], placed: Placed, logs: Mapping[int, Log]
) -> tuple[FetchedPart, ...]:
    """The partitions of a response, in its order; those that are not of the layout left out."""
    numbers = {
        (where.topic, where.partition): number
        for number, where in enumerate(placed.placed_partitions)
    }
    parts = []
    for topic in value["responses"]:
        for part in topic["partitions"]:
            number = numbers.get((topic["topic"], part["partition_index"]))
            if number is not None:
                where = placed.placed_partitions[number]
                batches = _batches(part["records"] or b"", where, logs[number])
                parts.append(FetchedPart(number, part["error_code"], batches))
    return tuple(parts)


def _batches(records: bytes, where: PlacedPartition, log: Log) -> tuple[FetchedBatch, ...]:
    """The batches of a response; one that is not as it was written counts as damaged."""
    whole, tail, _, _ = read_batches(records, where)
    found = []
    for batch in whole:
        number = log.batch_number(batch.base)
        control = number < len(log.batches) and log.batches[number].control
        damage = None if batch.intact else Damage.CRC
        found.append(FetchedBatch(batch.base, batch.last, control, damage, batch.size))
    if tail:
        first = whole[-1].last + 1 if whole else 0
        found.append(FetchedBatch(first, first, size=tail, whole=False))
    return tuple(found)


def earliest_value(where: PlacedPartition) -> dict[str, Any]:
    """A ListOffsets request's fields: where the partition begins."""
    part = {
        "partition_index": where.partition,
        "current_leader_epoch": -1,
        "timestamp": EARLIEST,
    }
    return {
        "replica_id": -1,
        "isolation_level": 0,
        "topics": [{"name": where.topic, "partitions": [part]}],
    }
