"""A share group's steps as the wire's ShareFetch and ShareAcknowledge requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.placement.placed_partition import NO_PARTITION, NO_TOPIC_ID
from spec.share.steps import ACQUIRE_MODE_SINCE, MAX_RECORDS_SINCE, OWN, RENEW_SINCE, ShareFetch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.placement.placed_partition import Placed
    from spec.share.model.session import ShareRequest
    from spec.share.steps import SharePartition

Address = tuple[bytes, int]
"""Topic id and partition."""


def share_address(placed: Placed, number: int) -> Address:
    """Where a layout's partition lies; the layout's count is an unknown partition of a known topic,
    what follows an unknown topic id.
    """
    count = len(placed.placed_partitions)
    if 0 <= number < count:
        return placed.placed_partitions[number].topic_id, placed.placed_partitions[number].partition
    if number == count:
        return placed.placed_partitions[0].topic_id, NO_PARTITION
    return NO_TOPIC_ID[:15] + bytes([number & 0xFF]), 0


def share_request(
    step: ShareRequest, epoch: int, placed: Placed, group: str, member: str
) -> dict[str, Any]:
    """The request's fields at the step's version.

    Args:
        step: what is sent.
        epoch: the share session epoch that it carries.
        placed: where the layout lies.
        group: what `OWN` stands for as a group id.
        member: what it stands for as a member id.
    """
    value: dict[str, Any] = {
        "group_id": group if step.group == OWN else step.group,
        "member_id": member if step.member == OWN else step.member,
        "share_session_epoch": epoch,
        "topics": _topics(step.partitions, placed, step),
    }
    if step.version >= RENEW_SINCE:
        value["is_renew_ack"] = step.renew
    if isinstance(step, ShareFetch):
        value |= {
            "max_wait_ms": step.max_wait_ms,
            "min_bytes": step.min_bytes,
            "max_bytes": step.max_bytes,
        }
        if step.version >= MAX_RECORDS_SINCE:
            value |= {"max_records": step.max_records, "batch_size": step.batch_size}
        if step.version >= ACQUIRE_MODE_SINCE:
            value["share_acquire_mode"] = step.mode
        value["forgotten_topics_data"] = [
            {"topic_id": topic_id, "partitions": [partition]}
            for topic_id, partition in [share_address(placed, number) for number in step.forgotten]
        ]
    return value


def _topics(
    parts: Sequence[SharePartition], placed: Placed, step: ShareRequest
) -> list[dict[str, Any]]:
    """Consecutive partitions of one topic stand under one entry."""
    topics: list[dict[str, Any]] = []
    for part in parts:
        topic_id, partition = share_address(placed, part.partition)
        absolute = (
            placed.placed_partitions[part.partition].absolute
            if 0 <= part.partition < len(placed.placed_partitions)
            else int
        )
        entry: dict[str, Any] = {
            "partition_index": partition,
            "acknowledgement_batches": [
                {
                    "first_offset": absolute(batch.first),
                    "last_offset": absolute(batch.last),
                    "acknowledge_types": list(batch.types),
                }
                for batch in part.acknowledgements
            ],
        }
        if isinstance(step, ShareFetch) and step.version < MAX_RECORDS_SINCE:
            entry["partition_max_bytes"] = part.max_bytes
        if not topics or topics[-1]["topic_id"] != topic_id:
            topics.append({"topic_id": topic_id, "partitions": []})
        topics[-1]["partitions"].append(entry)
    return topics
