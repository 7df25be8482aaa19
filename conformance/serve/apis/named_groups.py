"""Groups whose members name themselves: the heartbeats of consumer and share groups, and how those
groups are described.
"""

from __future__ import annotations

import base64
import uuid
from typing import TYPE_CHECKING, Any

from conformance.serve.apis.cluster import OPERATIONS_UNKNOWN
from conformance.serve.clock import now_ms
from conformance.serve.named import Brought, Enrolled, take_beat
from spec.groups.model.assigned import Beating
from spec.groups.model.group import Group, Kind, State
from spec.groups.releases import GroupSemantics
from spec.kafka import Error

if TYPE_CHECKING:
    from collections.abc import Iterable

    from conformance.serve.groups import Hall
    from conformance.serve.named import Address
    from conformance.serve.world import World
    from conformance.wire.codec import Request

HEARTBEAT_MS = 5000
ASSIGNORS = {Kind.CONSUMER: "uniform", Kind.SHARE: "simple"}


def share_heartbeat(world: World, request: Request) -> dict[str, Any]:
    """ShareGroupHeartbeat: it joins, stays or leaves, and is told the partitions that it shares."""
    return _beaten(world, request, Kind.SHARE, None)


def consumer_heartbeat(world: World, request: Request) -> dict[str, Any]:
    """ConsumerGroupHeartbeat (KIP-848): it joins, stays or leaves, and is told the partitions that
    are its own.
    """
    body = request.body.value
    if body.get("subscribed_topic_regex"):
        return _told(
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
    return _beaten(world, request, Kind.CONSUMER, addresses)


def _beaten(
    world: World, request: Request, kind: Kind, owned: frozenset[Address] | None
) -> dict[str, Any]:
    body, limits = request.body.value, world.settings.limits
    member_id = body["member_id"] or base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip(
        "="
    )
    hall = world.groups.hall(body["group_id"], limits)
    if hall.group.kind not in {Kind.NONE, kind}:
        if hall.group.members:
            return _told(
                member_id,
                Error.GROUP_ID_NOT_FOUND,
                message=f"expected a {kind} group, found a {hall.group.kind} group",
            )
        hall.group = Group()
    known = hall.roll.members.get(member_id)
    current = known is None or known.epoch == body["member_epoch"]
    beaten = take_beat(
        hall.group,
        hall.roll,
        Beating(kind, member_id, body["member_epoch"], body.get("instance_id"), current),
        Brought(body["subscribed_topic_names"], owned, request.client_id or ""),
        (limits.of(kind), world.settings.semantics.of(GroupSemantics)),
        {
            topic.name: [(topic.id, number) for number in range(len(topic.shelves))]
            for topic in world.topics.values()
        },
        now_ms(),
    )
    hall.group = beaten.group
    assignment = (
        None if beaten.assignment is None else {"topic_partitions": _by_topic(beaten.assignment)}
    )
    return _told(member_id, beaten.error, beaten.epoch, assignment)


def _told(
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


def describe_share_groups(world: World, request: Request) -> dict[str, Any]:
    """ShareGroupDescribe."""
    return {
        "groups": [
            _described(world, group_id, Kind.SHARE) for group_id in request.body.value["group_ids"]
        ]
    }


def describe_consumer_groups(world: World, request: Request) -> dict[str, Any]:
    """ConsumerGroupDescribe."""
    return {
        "groups": [
            _described(world, group_id, Kind.CONSUMER)
            for group_id in request.body.value["group_ids"]
        ]
    }


def _described(world: World, group_id: str, kind: Kind) -> dict[str, Any]:
    hall = (
        world.groups.hall(group_id, world.settings.limits)
        if group_id in world.groups.halls
        else None
    )
    value: dict[str, Any] = {
        "error_code": 0,
        "group_id": group_id,
        "group_state": named_state(hall).value,
        "group_epoch": 0,
        "assignment_epoch": 0,
        "assignor_name": ASSIGNORS[kind],
        "members": [],
        "authorized_operations": OPERATIONS_UNKNOWN,
    }
    if hall is None or hall.group.kind is not kind:
        return {
            **value,
            "error_code": Error.GROUP_ID_NOT_FOUND,
            "error_message": f"expected a {kind} group, found none {group_id!r}",
        }
    members = [
        _member(world, hall, member_id, enrolled)
        for member_id, enrolled in hall.roll.members.items()
    ]
    return {
        **value,
        "group_epoch": hall.roll.epoch,
        "assignment_epoch": hall.roll.epoch,
        "members": members,
    }


def _member(world: World, hall: Hall, member_id: str, enrolled: Enrolled) -> dict[str, Any]:
    member = hall.group.member(member_id)
    names = {topic.id: topic.name for topic in world.topics.values()}

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
        "client_host": f"/{world.host}",
        "subscribed_topic_names": sorted(enrolled.topics),
        "assignment": listed(enrolled.held),
    }
    if hall.group.kind is Kind.SHARE:
        return value
    return {
        **value,
        "instance_id": member.instance if member is not None else None,
        "target_assignment": listed(hall.roll.target[member_id]),
    }


def named_state(hall: Hall | None) -> State:
    """The state of a consumer or share group, as far as a served model has one."""
    if hall is None or hall.group.kind is Kind.NONE:
        return State.DEAD
    return State.STABLE if hall.group.members else State.EMPTY
