"""Groups whose members name themselves: the heartbeats of consumer and share groups, and how those
groups are described.
"""

from __future__ import annotations

import base64
import uuid
from typing import TYPE_CHECKING, Any

from conformance.serve.apis.cluster import OPERATIONS_UNKNOWN
from spec.groups.machine import ReceivedRequest
from spec.groups.model.assigned import JOIN, HeartbeatRequest, is_invalid
from spec.groups.model.epochs import HeartbeatContent, target
from spec.groups.model.group import Group, Kind, State
from spec.groups.steps import ConsumerGroupHeartbeat, ShareGroupHeartbeat
from spec.kafka import Error

if TYPE_CHECKING:
    from collections.abc import Iterable

    from conformance.serve.broker_state import BrokerState
    from conformance.serve.groups import ServedGroup
    from conformance.wire.codec import Request
    from spec.groups.model.epochs import Topics
    from spec.groups.model.group import Address, Member

HEARTBEAT_MS = 5000
STEPS = {Kind.CONSUMER: ConsumerGroupHeartbeat, Kind.SHARE: ShareGroupHeartbeat}
ASSIGNORS = {Kind.CONSUMER: "uniform", Kind.SHARE: "simple"}


def share_heartbeat(state: BrokerState, request: Request) -> dict[str, Any]:
    """ShareGroupHeartbeat: it joins, stays or leaves, and is given the partitions it shares."""
    return _handle_heartbeat(state, request, Kind.SHARE, None)


def consumer_heartbeat(state: BrokerState, request: Request) -> dict[str, Any]:
    """ConsumerGroupHeartbeat (KIP-848): it joins, stays or leaves, and is given the partitions that
    are its own.
    """
    body = request.body.value
    if body.get("subscribed_topic_regex"):
        return _heartbeat_answer(
            body["member_id"],
            Error.INVALID_REQUEST,
            message="expected names of topics: the served model takes no patterns",
        )
    owned = body["topic_partitions"]
    addresses = (
        None
        if owned is None
        else frozenset(
            [(topic["topic_id"], part) for topic in owned for part in topic["partitions"]]
        )
    )
    return _handle_heartbeat(state, request, Kind.CONSUMER, addresses)


def _handle_heartbeat(
    state: BrokerState, request: Request, kind: Kind, owned: frozenset[Address] | None
) -> dict[str, Any]:
    body, limits = request.body.value, state.settings.limits
    member_id = body["member_id"] or base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip(
        "="
    )
    asked = HeartbeatRequest(kind, member_id, body["member_epoch"], body.get("instance_id"))
    if is_invalid(asked):
        return _heartbeat_answer(
            member_id,
            Error.INVALID_REQUEST,
            message="expected an instance id with epoch -2, found none",
        )
    served = state.groups.served_group(body["group_id"], limits)
    if served.group.kind not in {Kind.NONE, kind}:
        if served.group.members or body["member_epoch"] != JOIN:
            return _heartbeat_answer(
                member_id,
                Error.GROUP_ID_NOT_FOUND,
                message=f"expected a {kind} group, found a {served.group.kind} group",
            )
        served.group = Group()
    known = served.group.member(member_id)
    names = body["subscribed_topic_names"]
    carried = ReceivedRequest(
        STEPS[kind](instance=body["instance_id"]) if kind is Kind.CONSUMER else STEPS[kind](),
        member=member_id,
        epoch=body["member_epoch"],
        current=known is None or body["member_epoch"] in _epochs_of(known),
        brought=HeartbeatContent(None if names is None else frozenset(names), owned),
    )
    answer = state.groups.heartbeat(served, limits, carried, _topics(state))
    if answer.error:
        return _heartbeat_answer(member_id, answer.error)
    served.hosts[member_id] = request.client_id or ""
    return _heartbeat_answer(
        member_id, 0, answer.epoch, _news(known, served.group.member(member_id), body)
    )


def _epochs_of(member: Member) -> frozenset[int]:
    """The epochs that a member may send: its own, and 0 where it has had no other before."""
    return frozenset([member.epoch, *([] if member.previous else [JOIN])])


def _topics(state: BrokerState) -> Topics:
    """What members may subscribe to."""
    return tuple(
        [
            (topic.name, tuple([(topic.id, number) for number in range(len(topic.partitions))]))
            for topic in state.topics.values()
        ]
    )


def _news(before: Member | None, after: Member | None, body: dict[str, Any]) -> Any:
    """The assignment that is sent: to who joins or sends its full state, or where it is another
    than before.
    """
    if after is None or after.assigned is None:
        return None
    asks = body["member_epoch"] == JOIN or _is_full(body)
    if not asks and before is not None and before.assigned == after.assigned:
        return None
    return {"topic_partitions": _by_topic(after.assigned)}


def _is_full(body: dict[str, Any]) -> bool:
    """Whether a heartbeat has all fields that a member which joins must send."""
    return (
        body["subscribed_topic_names"] is not None
        and body.get("rebalance_timeout_ms", 0) >= 0
        and body.get("topic_partitions", ()) is not None
    )


def _heartbeat_answer(
    member_id: str,
    error: int,
    epoch: int = 0,
    assignment: dict[str, Any] | None = None,
    message: str | None = None,
) -> dict[str, Any]:
    return {
        "error_code": error,
        "error_message": message,
        "member_id": member_id,
        "member_epoch": epoch,
        "heartbeat_interval_ms": HEARTBEAT_MS,
        "assignment": assignment,
    }


def _by_topic(addresses: Iterable[Address]) -> list[dict[str, Any]]:
    topics: dict[bytes, list[int]] = {}
    for topic_id, partition in sorted(addresses):
        topics.setdefault(topic_id, []).append(partition)
    return [
        {"topic_id": topic_id, "partitions": partitions} for topic_id, partitions in topics.items()
    ]


def describe_share_groups(state: BrokerState, request: Request) -> dict[str, Any]:
    """ShareGroupDescribe."""
    return {
        "groups": [
            _describe(state, group_id, Kind.SHARE) for group_id in request.body.value["group_ids"]
        ]
    }


def describe_consumer_groups(state: BrokerState, request: Request) -> dict[str, Any]:
    """ConsumerGroupDescribe."""
    return {
        "groups": [
            _describe(state, group_id, Kind.CONSUMER)
            for group_id in request.body.value["group_ids"]
        ]
    }


def _describe(state: BrokerState, group_id: str, kind: Kind) -> dict[str, Any]:
    served = (
        state.groups.served_group(group_id, state.settings.limits)
        if group_id in state.groups.served_groups
        else None
    )
    value: dict[str, Any] = {
        "error_code": 0,
        "group_id": group_id,
        "group_state": named_state(served).value,
        "group_epoch": 0,
        "assignment_epoch": 0,
        "assignor_name": ASSIGNORS[kind],
        "members": [],
        "authorized_operations": OPERATIONS_UNKNOWN,
    }
    if served is None or served.group.kind is not kind:
        return {
            **value,
            "error_code": Error.GROUP_ID_NOT_FOUND,
            "error_message": f"expected a {kind} group, found none {group_id!r}",
        }
    group = served.group
    members = [_member(state, served, member) for member in group.members]
    return {
        **value,
        "group_epoch": group.epoch,
        "assignment_epoch": group.epoch,
        "members": members,
    }


def _member(state: BrokerState, served: ServedGroup, member: Member) -> dict[str, Any]:
    names = {topic.id: topic.name for topic in state.topics.values()}

    def listed(addresses: Iterable[Address]) -> dict[str, Any]:
        return {
            "topic_partitions": [
                {**one, "topic_name": names.get(one["topic_id"], "")}
                for one in _by_topic(addresses)
            ]
        }

    value = {
        "member_id": member.id,
        "rack_id": None,
        "member_epoch": member.epoch,
        "client_id": served.hosts.get(member.id, ""),
        "client_host": f"/{state.host}",
        "subscribed_topic_names": sorted(member.topics),
        "assignment": listed(member.held),
    }
    if served.group.kind is Kind.SHARE:
        return value
    return {
        **value,
        "instance_id": member.instance,
        "target_assignment": listed(target(served.group, _topics(state))[member.id]),
    }


def named_state(served: ServedGroup | None) -> State:
    """The state of a consumer or share group, as far as a served model has one."""
    if served is None or served.group.kind is Kind.NONE:
        return State.DEAD
    return State.STABLE if served.group.members else State.EMPTY
