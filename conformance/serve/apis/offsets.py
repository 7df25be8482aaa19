"""Committed offsets of consumer groups: OffsetCommit, OffsetFetch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.serve.apis.groups import commit_error
from conformance.serve.settings import METADATA_MAX
from spec.kafka import Error

if TYPE_CHECKING:
    from conformance.serve.broker_state import BrokerState
    from conformance.wire.codec import Request


def _units(metadata: str | None) -> int:
    """Units of UTF-16, which Apache Kafka's limit counts."""
    return len((metadata or "").encode("utf-16-le", "surrogatepass")) // 2


def offset_commit(state: BrokerState, request: Request) -> dict[str, Any]:
    """OffsetCommit of a member of a group, or of a consumer that assigns its partitions itself."""
    body = request.body.value
    refused = commit_error(
        state, body["group_id"], body["member_id"], body["generation_id_or_member_epoch"]
    )
    limit = state.settings.number(METADATA_MAX)
    topics = []
    for topic in body["topics"]:
        parts = []
        for part in topic["partitions"]:
            key = topic["name"], part["partition_index"]
            error = refused or (
                Error.UNKNOWN_TOPIC_OR_PARTITION if state.shelf(*key) is None else 0
            )
            if not error and _units(part["committed_metadata"]) > limit:
                error = Error.OFFSET_METADATA_TOO_LARGE
            if not error:
                value = (
                    part["committed_offset"],
                    part.get("committed_leader_epoch", -1),
                    part["committed_metadata"],
                )
                state.committed.setdefault(body["group_id"], {})[key] = value
            parts.append({"partition_index": part["partition_index"], "error_code": error})
        topics.append({"name": topic["name"], "partitions": parts})
    return {"topics": topics}


def offset_fetch(state: BrokerState, request: Request) -> dict[str, Any]:
    """OffsetFetch: of the partitions named, or of all that the group committed."""
    body = request.body.value
    if request.version < 8:
        return {"topics": _fetched(state, body["group_id"], body["topics"])}
    return {
        "groups": [
            {
                "group_id": group["group_id"],
                "topics": _fetched(state, group["group_id"], group["topics"]),
            }
            for group in body["groups"]
        ]
    }


def _fetched(
    state: BrokerState, group: str, wanted: list[dict[str, Any]] | None
) -> list[dict[str, Any]]:
    committed = state.committed.get(group, {})
    if wanted is None:
        names = sorted({name for name, _ in committed})
        wanted = [
            {
                "name": name,
                "partition_indexes": [part for topic, part in sorted(committed) if topic == name],
            }
            for name in names
        ]
    topics = []
    for topic in wanted:
        parts = []
        for number in topic["partition_indexes"]:
            offset, epoch, metadata = committed.get((topic["name"], number), (-1, -1, ""))
            parts.append(
                {
                    "partition_index": number,
                    "committed_offset": offset,
                    "committed_leader_epoch": epoch,
                    "metadata": metadata,
                    "error_code": 0,
                }
            )
        topics.append({"name": topic["name"], "partitions": parts})
    return topics
