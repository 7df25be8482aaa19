"""The requests of a scenario of offsets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.placement.deployment import produce_request, produce_version
from conformance.play.request import Request
from conformance.play.silence import SILENCE_S
from conformance.wire.batch_format import encode_batch
from conformance.wire.records import Record
from spec.outcomes import NotSent

if TYPE_CHECKING:
    from conformance.cluster import Cluster
    from conformance.placement.placed_partition import Placed, PlacedPartition
    from spec.offsets.steps import AppendTimed, ListOffsets, Lookup, OffsetForLeaderEpoch

OLDER_EPOCH_UNKNOWN = "the partition has had no older leader epoch"
TIMEOUT_MS = 30_000
ISOLATED_SINCE = 2
"""The first version of ListOffsets that has an isolation level."""


def append_request(cluster: Cluster, step: AppendTimed, where: PlacedPartition) -> Request:
    """Make the Produce request of a batch, which is known to its partition from here on."""
    first = step.times[0]
    records = [
        Record(place, time - first, value=bytes(step.value_size))
        for place, time in enumerate(step.times)
    ]
    sent = encode_batch(records, codec=step.codec.value, base_timestamp=where.timestamp + first)
    ends = [known.seen.last for known in where.known.values()]
    base = where.base + max(ends, default=-1) + 1
    where.add(base, sent, base + len(records) - 1, len(records))
    value = produce_request({(where.topic, where.partition): sent})
    return Request("Produce", produce_version(cluster, step.codec), value, SILENCE_S)


def list_offsets_request(cluster: Cluster, step: ListOffsets, placed: Placed) -> Request | NotSent:
    """Make a ListOffsets request, where the broker can be asked that."""
    if step.version not in cluster.versions.usable(cluster.codec, "ListOffsets"):
        return NotSent(f"the broker does not advertise ListOffsets v{step.version}")
    if step.isolation and step.version < ISOLATED_SINCE:
        return NotSent(f"ListOffsets v{step.version} has no isolation level")
    parts = []
    for lookup in step.lookups:
        epoch = _leader_epoch(lookup, placed)
        if epoch is None:
            return NotSent(OLDER_EPOCH_UNKNOWN)
        parts.append(_partition(lookup, placed, epoch))
    value = {
        "replica_id": -1,
        "isolation_level": step.isolation,
        "topics": _by_topic(parts),
        "timeout_ms": TIMEOUT_MS,
    }
    return Request("ListOffsets", step.version, value, SILENCE_S)


def epoch_end_request(
    cluster: Cluster, step: OffsetForLeaderEpoch, where: PlacedPartition
) -> Request | NotSent:
    """Make an OffsetForLeaderEpoch request, where the broker can be asked that."""
    if step.version not in cluster.versions.usable(cluster.codec, "OffsetForLeaderEpoch"):
        return NotSent(f"the broker does not advertise OffsetForLeaderEpoch v{step.version}")
    epoch, current = _epoch(step.epoch, where), _epoch(step.current, where)
    if epoch is None or current is None:
        return NotSent(OLDER_EPOCH_UNKNOWN)
    part = {
        "partition": where.partition,
        "current_leader_epoch": current,
        "leader_epoch": epoch,
    }
    value = {"replica_id": -1, "topics": [{"topic": where.topic, "partitions": [part]}]}
    return Request("OffsetForLeaderEpoch", step.version, value, SILENCE_S)


def _epoch(relative: int | None, where: PlacedPartition) -> int | None:
    """A leader epoch as it is sent, -1 for none; None where it would be one that the partition
    never had.
    """
    if relative is None:
        return -1
    epoch = where.leader_epoch + relative
    return epoch if epoch >= 0 else None


def _leader_epoch(lookup: Lookup, placed: Placed) -> int | None:
    number = min(lookup.partition, len(placed.placed_partitions) - 1)
    return _epoch(lookup.leader_epoch, placed.placed_partitions[number])


def _partition(lookup: Lookup, placed: Placed, epoch: int) -> tuple[str, dict[str, Any]]:
    """A lookup's topic and entry. A partition that does not exist has a number past its topic's."""
    where, number = placed.on_the_wire(lookup.partition)
    zero = where.timestamp if lookup.relative else 0
    entry = {
        "partition_index": number,
        "current_leader_epoch": epoch,
        "timestamp": zero + lookup.timestamp,
    }
    return where.topic, entry


def _by_topic(parts: list[tuple[str, dict[str, Any]]]) -> list[dict[str, Any]]:
    topics: dict[str, list[dict[str, Any]]] = {}
    for topic, entry in parts:
        topics.setdefault(topic, []).append(entry)
    return [{"name": name, "partitions": entries} for name, entries in topics.items()]
