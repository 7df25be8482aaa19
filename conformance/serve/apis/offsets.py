"""Committed offsets of consumer groups: OffsetCommit, OffsetFetch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.facts import METADATA_MAX
from spec.groups.model.commits import Sender, commit_error, fetch_error
from spec.groups.model.group import Group, Kind, State
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
    sender = Sender(
        body["member_id"], body["generation_id_or_member_epoch"], body.get("group_instance_id")
    )
    refused = commit_error(_group(state, body["group_id"]), sender, request.version)
    limit = state.settings.number(METADATA_MAX)
    topics = []
    for topic in body["topics"]:
        parts = []
        for part in topic["partitions"]:
            key = topic["name"], part["partition_index"]
            error = refused or (
                Error.UNKNOWN_TOPIC_OR_PARTITION if state.partition(*key) is None else 0
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
        return {"topics": _fetch_topics(state, body["group_id"], body["topics"])}
    return {"groups": [_of_group(state, group) for group in body["groups"]]}


def _group(state: BrokerState, name: str) -> Group:
    """A group as it is now; one that nobody joined is there once something is committed."""
    if name in state.groups.served_groups:
        group = state.groups.served_group(name, state.settings.limits).group
        if group.kind is not Kind.NONE:
            return group
    return Group(Kind.CLASSIC, State.EMPTY) if name in state.committed else Group()


def _of_group(state: BrokerState, asked: dict[str, Any]) -> dict[str, Any]:
    """The answer for one group; without topics where who asks may not."""
    name = asked["group_id"]
    sender = Sender(asked.get("member_id") or "", asked.get("member_epoch", -1))
    error = fetch_error(_group(state, name), sender)
    topics = [] if error else _fetch_topics(state, name, asked["topics"])
    return {"group_id": name, "topics": topics, "error_code": error}


def _fetch_topics(
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
