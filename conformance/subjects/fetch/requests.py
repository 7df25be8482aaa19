"""A scenario's fetch as the wire's Fetch request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spec.kafka import LEADER_EPOCH_SINCE, TOPIC_IDS_SINCE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.cluster import Cluster
    from conformance.placement.placed_partition import Placed
    from spec.fetch.steps import Fetch, FetchPartition

UNKNOWN_TAG = 50
OLDER_EPOCH_UNKNOWN = (
    "the partition is in its first leader epoch: there is no older one to ask with"
)


def answerable(cluster: Cluster, fetch: Fetch) -> bool:
    """Whether the broker advertises the fetch's version, and Kafka's definitions have it."""
    return fetch.version in cluster.versions.usable(cluster.codec, "Fetch")


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
                _forgotten(placed, number, fetch.version) for number in fetch.forgotten
            ]
    for one in fetch.extra:
        value[one.name] = one.value
    if fetch.unknown_tag is not None and fetch.version >= 12:
        value["_tags"] = {UNKNOWN_TAG: bytes(fetch.unknown_tag)}
    return value


def _forgotten(placed: Placed, number: int, version: int) -> dict[str, Any]:
    topic, topic_id, partition = placed.address(number)
    return {**_name(topic, topic_id, version), "partitions": [partition]}


def _name(topic: str, topic_id: bytes, version: int) -> dict[str, str | bytes]:
    """The field by which a topic goes at this version."""
    return {"topic_id": topic_id} if version >= TOPIC_IDS_SINCE else {"topic": topic}


def _topics(parts: Sequence[FetchPartition], placed: Placed, version: int) -> list[dict[str, Any]]:
    topics: list[dict[str, Any]] = []
    previous: str | None = None
    for part in parts:
        topic, topic_id, partition = placed.address(part.partition)
        if topic != previous:
            topics.append({**_name(topic, topic_id, version), "partitions": []})
            previous = topic
        topics[-1]["partitions"].append(_partition(part, placed, partition, version))
    return topics


def _partition(
    part: FetchPartition, placed: Placed, partition: int, version: int
) -> dict[str, Any]:
    """The entry of a partition whose index on the wire is `partition`."""
    entry = {
        "partition": partition,
        "fetch_offset": part.offset,
        "partition_max_bytes": part.max_bytes,
    }
    if part.partition < len(placed.placed_partitions):
        placed_partition = placed.placed_partitions[part.partition]
        if not part.absolute:
            entry["fetch_offset"] = placed_partition.absolute(part.offset)
        if part.leader_epoch is not None and version >= LEADER_EPOCH_SINCE:
            entry["current_leader_epoch"] = placed_partition.leader_epoch + part.leader_epoch
    return entry


def older_epoch_missing(fetch: Fetch, placed: Placed) -> bool:
    """Whether the fetch wants an older leader epoch where there is none."""
    for part in fetch.partitions:
        if part.leader_epoch is not None and part.partition < len(placed.placed_partitions):
            current = placed.placed_partitions[part.partition].leader_epoch
            if current + part.leader_epoch < 0:
                return True
    return False
