"""Groups whose members name themselves: the heartbeats of consumer and share groups, and how those
groups are described.
"""

from __future__ import annotations

import base64
import uuid
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from conformance.serve.apis.cluster import OPERATIONS_UNKNOWN
from conformance.serve.clock import now_ms
from conformance.serve.named import Brought, MemberDetails, handle_heartbeat
from spec.groups.model.assigned import JOIN, HeartbeatRequest, is_invalid
from spec.groups.model.group import Group, Kind, State
from spec.groups.releases import GroupSemantics
from spec.kafka import Error

if TYPE_CHECKING:
    from collections.abc import Iterable

    from conformance.serve.broker_state import BrokerState
    from conformance.serve.groups import ServedGroup
    from conformance.serve.named import Address
    from conformance.wire.codec import Request

HEARTBEAT_MS = 5000
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
    known = served.member_table.members.get(member_id)
    current = known is None or known.epoch == body["member_epoch"]
    result = handle_heartbeat(
        served.group,
        served.member_table,
        replace(asked, current=current),
        Brought(body["subscribed_topic_names"], owned, request.client_id or ""),
        (limits.of(kind), state.settings.semantics.of(GroupSemantics)),
        {
            topic.name: [(topic.id, number) for number in range(len(topic.shelves))]
            for topic in state.topics.values()
        },
        now_ms(),
    )
    served.group = result.group
    assignment = (
        None if result.assignment is None else {"topic_partitions": _by_topic(result.assignment)}
    )
    return _heartbeat_answer(member_id, result.error, result.epoch, assignment)


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
            _described(state, group_id, Kind.SHARE) for group_id in request.body.value["group_ids"]
        ]
    }


def describe_consumer_groups(state: BrokerState, request: Request) -> dict[str, Any]:
    """ConsumerGroupDescribe."""
    return {
        "groups": [
            _described(state, group_id, Kind.CONSUMER)
            for group_id in request.body.value["group_ids"]
        ]
    }


def _described(state: BrokerState, group_id: str, kind: Kind) -> dict[str, Any]:
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
    members = [
        _member(state, served, member_id, enrolled)
        for member_id, enrolled in served.member_table.members.items()
    ]
    return {
        **value,
        "group_epoch": served.member_table.epoch,
        "assignment_epoch": served.member_table.epoch,
        "members": members,
    }


def _member(
    state: BrokerState, served: ServedGroup, member_id: str, enrolled: MemberDetails
) -> dict[str, Any]:
    member = served.group.member(member_id)
    names = {topic.id: topic.name for topic in state.topics.values()}

    def listed(addresses: Iterable[Address]) -> dict[str, Any]:
        return {
            "topic_partitions": [
                {**one, "topic_name": names.get(one["topic_id"], "")}
                for one in _by_topic(addresses)
            ]
        }

    value = {
        "member_id": member_id,
        "rack_id": None,
        "member_epoch": enrolled.epoch,
        "client_id": enrolled.host,
        "client_host": f"/{state.host}",
        "subscribed_topic_names": sorted(enrolled.topics),
        "assignment": listed(enrolled.held),
    }
    if served.group.kind is Kind.SHARE:
        return value
    return {
        **value,
        "instance_id": member.instance if member is not None else None,
        "target_assignment": listed(served.member_table.target[member_id]),
    }


def named_state(served: ServedGroup | None) -> State:
    """The state of a consumer or share group, as far as a served model has one."""
    if served is None or served.group.kind is Kind.NONE:
        return State.DEAD
    return State.STABLE if served.group.members else State.EMPTY
