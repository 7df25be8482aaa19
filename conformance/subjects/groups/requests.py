"""A step of a group's history as a request on the wire, and the wire's answer as an outcome."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

from conformance.wire.config_numbers import BROKER_RESOURCE, SET
from conformance.wire.decoding import NULLS
from spec.frozen import frozen
from spec.groups.outcomes import (
    BrokerChanged,
    GroupAnswer,
    GroupDescribed,
    GroupOutcome,
    JoinGroupAnswer,
    MemberHeartbeatAnswer,
    MemberId,
)
from spec.groups.steps import (
    AlterBrokerConfig,
    DescribeGroup,
    Heartbeat,
    JoinGroup,
    LeaveGroup,
    MemberCommit,
    MemberOffsetFetch,
    MemberStep,
    NamedStep,
    ShareGroupHeartbeat,
    StreamsGroupHeartbeat,
    SyncGroup,
)

if TYPE_CHECKING:
    from conformance.subjects.groups.assignments import Assignments
    from conformance.wire.outcomes import Answer
    from spec.groups.history import Identities

PROTOCOL_TYPE, PROTOCOL = "consumer", "range"
TOPIC = "fencepost-no-topic"
"""The topics that members subscribe to: none that exists."""
MEMBERS_FETCH_SINCE = 9
"""The version of OffsetFetch in which members name themselves."""
NEWEST = {
    "SyncGroup": 5,
    "Heartbeat": 4,
    "LeaveGroup": 5,
    "OffsetCommit": 9,
    "DescribeGroups": 5,
    "ConsumerGroupHeartbeat": 1,
    "ShareGroupHeartbeat": 1,
    "StreamsGroupHeartbeat": 0,
    "IncrementalAlterConfigs": 1,
}
"""The newest version that is sent of each API whose version a step does not choose."""
OLDEST = {"SyncGroup": 3, "Heartbeat": 3, "LeaveGroup": 3, "OffsetCommit": 9}
"""The oldest: with static members (KIP-345), with members of consumer groups (KIP-848)."""


@frozen
class Request:
    """One request: its API, its version where the step chooses it, its fields, and the member id in
    it.
    """

    api: str
    version: int | None
    value: dict[str, Any]
    member: str = ""


@frozen
class Names:
    """What the members of a group name.

    Attributes:
        group: their group.
        topic: the topic that they commit offsets of.
        fresh: an id for a member that names itself.
    """

    group: str
    topic: str
    fresh: str


def group_request(
    step: MemberStep | AlterBrokerConfig,
    names: Names,
    who: Identities,
    assignments: Assignments,
    node: int,
) -> Request:
    """The request of a step; `node` is the broker whose config is set. A leader's SyncGroup gives
    what `assignments` has for it, which notes that.
    """
    if isinstance(step, AlterBrokerConfig):
        config = {"name": step.key, "config_operation": SET, "value": step.value}
        resource = {
            "resource_type": BROKER_RESOURCE,
            "resource_name": str(node),
            "configs": [config],
        }
        return Request(
            "IncrementalAlterConfigs", None, {"resources": [resource], "validate_only": False}
        )
    member = who.sent_id(step, names.fresh)
    value: dict[str, Any] = {"group_id": names.group, "member_id": member}
    if isinstance(step, JoinGroup):
        return Request("JoinGroup", step.version, _join(step, value), member)
    if isinstance(step, SyncGroup):
        generation = who.generation(step)
        value |= {
            "generation_id": generation,
            "group_instance_id": step.instance,
            "assignments": assignments.give(names.group, generation, member),
        }
        return Request(
            "SyncGroup",
            None,
            value | {"protocol_type": PROTOCOL_TYPE, "protocol_name": PROTOCOL},
            member,
        )
    if isinstance(step, Heartbeat):
        return Request(
            "Heartbeat",
            None,
            value | {"generation_id": who.generation(step), "group_instance_id": step.instance},
            member,
        )
    if isinstance(step, LeaveGroup):
        leaving = {"member_id": member, "group_instance_id": step.instance, "reason": None}
        return Request("LeaveGroup", None, {"group_id": names.group, "members": [leaving]}, member)
    if isinstance(step, MemberCommit):
        return Request("OffsetCommit", None, value | _commit(step, names.topic, who), member)
    if isinstance(step, MemberOffsetFetch):
        fetched = _fetch(step, names, value["member_id"], who)
        return Request("OffsetFetch", MEMBERS_FETCH_SINCE, fetched, member)
    if isinstance(step, DescribeGroup):
        described = {"groups": [names.group], "include_authorized_operations": False}
        return Request("DescribeGroups", None, described)
    return _heartbeat(step, value | {"member_epoch": who.epoch(step)}, member)


def _heartbeat(step: NamedStep, value: dict[str, Any], member: str) -> Request:
    """The heartbeat of a member that names itself; all of its fields where it joins, or sends its
    full state again.
    """
    joins = value["member_epoch"] == 0 or getattr(step, "full", False)
    if isinstance(step, StreamsGroupHeartbeat):
        return Request(
            "StreamsGroupHeartbeat", None, value | _streams(member if joins else None), member
        )
    value |= {"rack_id": None, "subscribed_topic_names": [TOPIC] if joins else None}
    if isinstance(step, ShareGroupHeartbeat):
        return Request("ShareGroupHeartbeat", None, value, member)
    value |= {
        "instance_id": step.instance,
        "rebalance_timeout_ms": 30_000 if joins else -1,
        "subscribed_topic_regex": None,
    }
    return Request(
        "ConsumerGroupHeartbeat",
        None,
        value | {"server_assignor": None, "topic_partitions": [] if joins else None},
        member,
    )


def _join(step: JoinGroup, value: dict[str, Any]) -> dict[str, Any]:
    """A consumer's subscription to one topic, with the step's metadata for user data
    (ConsumerProtocolSubscription v0).

    One to no topic changes nothing in a consumer group, which then plans no assignment for the
    member; Kafka 4.0 needs one to downgrade.
    """
    topic = TOPIC.encode()
    subscription = struct.pack(f">hih{len(topic)}sib", 0, 1, len(topic), topic, 1, step.metadata)
    value |= {
        "session_timeout_ms": step.session_ms,
        "protocol_type": PROTOCOL_TYPE,
        "protocols": [{"name": PROTOCOL, "metadata": subscription}],
    }
    if step.version >= 1:
        value["rebalance_timeout_ms"] = step.rebalance_ms
    if step.instance is not None:
        value["group_instance_id"] = step.instance
    return value


def _commit(step: MemberCommit, topic: str, who: Identities) -> dict[str, Any]:
    """The first offset of one partition, with what the member goes by."""
    offset = {
        "partition_index": 0,
        "committed_offset": 0,
        "committed_leader_epoch": -1,
        "committed_metadata": "",
    }
    return {
        "generation_id_or_member_epoch": who.commit_epoch(step),
        "group_instance_id": step.instance,
        "retention_time_ms": -1,
        "topics": [{"name": topic, "partitions": [offset]}],
    }


def _fetch(step: MemberOffsetFetch, names: Names, member: str, who: Identities) -> dict[str, Any]:
    """The offset of the partition that members commit, with what the member goes by."""
    group = {
        "group_id": names.group,
        "member_id": member or None,
        "member_epoch": who.commit_epoch(step),
        "topics": [{"name": names.topic, "partition_indexes": [0]}],
    }
    return {"groups": [group], "require_stable": False}


def _streams(process: str | None) -> dict[str, Any]:
    """A streams member's fields, those that only who joins has by its process id: a topology that
    reads one topic, and no task yet.
    """
    source = {
        "subtopology_id": "0",
        "source_topics": [TOPIC],
        "source_topic_regex": [],
        "state_changelog_topics": [],
    }
    source |= {
        "repartition_sink_topics": [],
        "repartition_source_topics": [],
        "copartition_groups": [],
    }
    joins = process is not None
    nothing: list[Any] | None = [] if joins else None
    return {
        "endpoint_information_epoch": -1,
        "instance_id": None,
        "rack_id": None,
        "rebalance_timeout_ms": 30_000 if joins else -1,
        "topology": {"epoch": 0, "subtopologies": [source]} if joins else None,
        "active_tasks": nothing,
        "standby_tasks": nothing,
        "warmup_tasks": nothing,
        "process_id": process,
        "user_endpoint": None,
        "client_tags": nothing,
        "task_offsets": None,
        "task_end_offsets": None,
        "shutdown_application": False,
    }


def group_outcome(
    step: MemberStep | AlterBrokerConfig, sent: str, answer: Answer
) -> tuple[GroupOutcome, str]:
    """The outcome, and the member id that the answer holds.

    Raises:
        KeyError, IndexError, TypeError: the answer lacks a field.
    """
    value = answer.value
    nulls = value.get(NULLS, ())
    if isinstance(step, JoinGroup):
        return _join_answer(sent, value, answer.trailing), value["member_id"]
    if isinstance(step, AlterBrokerConfig):
        return BrokerChanged(value["responses"][0]["error_code"]), ""
    if isinstance(step, DescribeGroup):
        group = value["groups"][0]
        members = len(group["members"])
        return GroupDescribed(group["error_code"], group["group_state"], members, nulls), ""
    if isinstance(step, MemberCommit):
        return GroupAnswer(value["topics"][0]["partitions"][0]["error_code"], nulls), ""
    if isinstance(step, MemberOffsetFetch):
        return GroupAnswer(value["groups"][0]["error_code"], nulls), ""
    if isinstance(step, LeaveGroup):
        codes = [member["error_code"] for member in value.get("members", ())]
        code = next((code for code in (*codes, value["error_code"]) if code), 0)
        return GroupAnswer(code, nulls), ""
    if isinstance(step, NamedStep):
        streams = isinstance(step, StreamsGroupHeartbeat)
        assigns = None if streams else value["assignment"] is not None
        heartbeat = MemberHeartbeatAnswer(
            value["error_code"], value["member_epoch"], nulls, assigns
        )
        return heartbeat, value["member_id"] or ""
    return GroupAnswer(value["error_code"], nulls), ""


def _join_answer(sent: str, value: dict[str, Any], trailing: int) -> JoinGroupAnswer:
    member = value["member_id"]
    return JoinGroupAnswer(
        value["error_code"],
        value["generation_id"],
        MemberId.NONE if not member else MemberId.SENT if member == sent else MemberId.GIVEN,
        bool(member) and value["leader"] == member,
        len(value["members"]),
        value["protocol_name"],
        trailing,
        value.get(NULLS, ()),
    )
