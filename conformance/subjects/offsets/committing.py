"""Commits of a scenario's own group, as requests and answers: those of a consumer that assigns its
partitions itself, without a member id or a generation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.play.request import Request
from conformance.play.silence import SILENCE_S
from conformance.wire.single_entry import only
from spec.offsets.outcomes import Committed, OffsetCommitAnswer, OffsetFetchAnswer
from spec.offsets.steps import LETTERS, Text
from spec.outcomes import NotSent

if TYPE_CHECKING:
    from conformance.cluster import Cluster
    from conformance.placement.placed_partition import Placed
    from conformance.wire.outcomes import Answer
    from spec.offsets.steps import OffsetCommit, OffsetFetch

GROUPS_SINCE = 8
"""The version of OffsetFetch from which a request asks for several groups (KIP-709)."""


def commit_request(
    cluster: Cluster, step: OffsetCommit, placed: Placed, group: str
) -> Request | NotSent:
    """Make an OffsetCommit request, where the broker can be asked that."""
    if step.version not in cluster.versions.usable(cluster.codec, "OffsetCommit"):
        return NotSent(f"the broker does not advertise OffsetCommit v{step.version}")
    topics: dict[str, list[dict[str, Any]]] = {}
    for commit in step.commits:
        where, number = placed.on_the_wire(commit.partition)
        entry = {
            "partition_index": number,
            "committed_offset": commit.offset,
            "committed_leader_epoch": -1,
            "committed_metadata": LETTERS[commit.text] * commit.length,
        }
        topics.setdefault(where.topic, []).append(entry)
    value = {
        "group_id": group,
        "generation_id_or_member_epoch": -1,
        "member_id": "",
        "group_instance_id": None,
        "retention_time_ms": -1,
        "topics": [{"name": name, "partitions": parts} for name, parts in topics.items()],
    }
    return Request("OffsetCommit", step.version, value, SILENCE_S)


def fetch_request(
    cluster: Cluster, step: OffsetFetch, placed: Placed, group: str
) -> Request | NotSent:
    """Make an OffsetFetch request, where the broker can be asked that."""
    if step.version not in cluster.versions.usable(cluster.codec, "OffsetFetch"):
        return NotSent(f"the broker does not advertise OffsetFetch v{step.version}")
    numbers: dict[str, list[int]] = {}
    for partition in step.partitions:
        where, number = placed.on_the_wire(partition)
        numbers.setdefault(where.topic, []).append(number)
    topics = [{"name": name, "partition_indexes": some} for name, some in numbers.items()]
    asked = {"group_id": group, "member_id": None, "member_epoch": -1, "topics": topics}
    value: dict[str, Any] = {"require_stable": step.require_stable}
    value |= {"groups": [asked]} if step.version >= GROUPS_SINCE else asked
    return Request("OffsetFetch", step.version, value, SILENCE_S)


def commit_answer(answer: Answer, placed: Placed) -> OffsetCommitAnswer:
    """Read an OffsetCommit answer."""
    return OffsetCommitAnswer(
        tuple(
            [
                (placed.number(topic["name"], part["partition_index"]), part["error_code"])
                for topic in answer.value["topics"]
                for part in topic["partitions"]
            ]
        )
    )


def fetch_answer(request: Request, answer: Answer, placed: Placed) -> OffsetFetchAnswer:
    """Read an OffsetFetch answer.

    Raises:
        NoAnswer: it has no group, or more than one.
    """
    value = answer.value
    if request.version >= GROUPS_SINCE:
        value = only(request.api, request.version, value, "groups")
    parts = [
        _committed_offset(placed.number(topic["name"], part["partition_index"]), part)
        for topic in value["topics"]
        for part in topic["partitions"]
    ]
    return OffsetFetchAnswer(tuple(parts), value.get("error_code", 0))


def _committed_offset(number: int, part: dict[str, Any]) -> Committed:
    """A partition's entry; of its metadata, which one letter repeated makes up, the kind of letter
    and the length.
    """
    metadata = part["metadata"] or ""
    text = next((kind for kind in Text if metadata == LETTERS[kind] * len(metadata)), None)
    offset = part["committed_offset"]
    return Committed(
        number, part["error_code"], None if offset == -1 else offset, len(metadata), text
    )
