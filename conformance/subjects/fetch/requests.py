"""A scenario's fetch as the wire's Fetch request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.placement.placed_partition import NO_PARTITION, NO_TOPIC_ID

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.cluster import Cluster
    from conformance.placement.placed_partition import Placed, PlacedPartition
    from spec.fetch.steps import Fetch, FetchPartition

UNKNOWN_TAG = 50
OLDER_EPOCH_UNKNOWN = (
    "the partition is in its first leader epoch: there is no older one to ask with"
)


def answerable(cluster: Cluster, fetch: Fetch) -> bool:
    """Whether the broker advertises the fetch's version, and Kafka's definitions have it."""
    return fetch.version in cluster.versions.usable(cluster.codec, "Fetch")


def address(placed: Placed, number: int) -> tuple[str, bytes, int]:
    """(topic, topic id, partition) of a layout's partition; past the layout's, of one that does not
    exist.
    """
    if number < len(placed.placed_partitions):
        placed_partition = placed.placed_partitions[number]
        return placed_partition.topic, placed_partition.topic_id, placed_partition.partition
    extra = number - len(placed.placed_partitions)
    first = placed.placed_partitions[0]
    if extra % 2:
        return first.topic, first.topic_id, NO_PARTITION + extra
    return f"{first.topic}-nobody-{extra}", NO_TOPIC_ID[:15] + bytes([extra & 0xFF]), 0


def fetch_request(fetch: Fetch, placed: Placed, session_id: int) -> dict[str, Any]:
    """The request's fields; consecutive partitions of one topic stand under one topic entry."""
    value: dict[str, Any] = {
        "max_wait_ms": fetch.max_wait_ms,
        "min_bytes": fetch.min_bytes,
        "max_bytes": fetch.max_bytes,
        "isolation_level": fetch.isolation,
        "topics": _topics(fetch.partitions, placed, fetch.version),
    }
    if fetch.version >= 15:
        if fetch.replica_id != -1:
            value["replica_state"] = {"replica_id": fetch.replica_id, "replica_epoch": -1}
    else:
        value["replica_id"] = fetch.replica_id
    if fetch.version >= 7:
        value["session_id"] = session_id
        value["session_epoch"] = fetch.epoch
        if fetch.forgotten:
            value["forgotten_topics_data"] = [
                _forgotten(placed, number) for number in fetch.forgotten
            ]
    value |= {one.name: one.value for one in fetch.extra}
    if fetch.unknown_tag is not None and fetch.version >= 12:
        value["_tags"] = {UNKNOWN_TAG: bytes(fetch.unknown_tag)}
    return value


def _forgotten(placed: Placed, number: int) -> dict[str, Any]:
    topic, topic_id, partition = address(placed, number)
    return {"topic": topic, "topic_id": topic_id, "partitions": [partition]}


def _topics(parts: Sequence[FetchPartition], placed: Placed, version: int) -> list[dict[str, Any]]:
    topics: list[dict[str, Any]] = []
    for part in parts:
        topic, topic_id, partition = address(placed, part.partition)
        if not topics or topics[-1]["topic"] != topic:
            topics.append({"topic": topic, "topic_id": topic_id, "partitions": []})
        placed_partition = (
            placed.placed_partitions[part.partition]
            if part.partition < len(placed.placed_partitions)
            else None
        )
        topics[-1]["partitions"].append(_partition(part, placed_partition, partition, version))
    return topics


def _partition(
    part: FetchPartition, placed_partition: PlacedPartition | None, partition: int, version: int
) -> dict[str, Any]:
    entry = {
        "partition": partition,
        "fetch_offset": part.offset
        if part.absolute or placed_partition is None
        else placed_partition.absolute(part.offset),
        "partition_max_bytes": part.max_bytes,
    }
    if part.leader_epoch is not None and version >= 9 and placed_partition is not None:
        entry["current_leader_epoch"] = placed_partition.leader_epoch + part.leader_epoch
    return entry


def older_epoch_missing(fetch: Fetch, placed: Placed) -> bool:
    """Whether the fetch wants an older leader epoch where there is none."""
    return any(
        part.leader_epoch is not None
        and part.partition < len(placed.placed_partitions)
        and placed.placed_partitions[part.partition].leader_epoch + part.leader_epoch < 0
        for part in fetch.partitions
    )
