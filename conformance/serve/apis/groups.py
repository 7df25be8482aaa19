"""Classic consumer groups: JoinGroup, SyncGroup, Heartbeat, LeaveGroup, DescribeGroups,
ListGroups; DeleteGroups for groups of all kinds.
"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from conformance.serve.apis.cluster import OPERATIONS_UNKNOWN
from conformance.serve.apis.named_groups import named_state
from conformance.serve.settings import MAX_SESSION_MS, MIN_SESSION_MS
from conformance.serve.share_halls import ShareHall
from spec.groups.machine import Carried
from spec.groups.model.classic import Decision, Told, decide, joining
from spec.groups.model.group import Group, Kind, State
from spec.groups.steps import Heartbeat, JoinGroup, LeaveGroup, SyncGroup
from spec.kafka import Error
from spec.share.model.state import State as ShareState

if TYPE_CHECKING:
    from conformance.serve.groups import Hall, Protocols
    from conformance.serve.world import World
    from conformance.wire.codec import Request

PROTOCOL_TYPE_SINCE = NULL_PROTOCOL_SINCE = 7
SYNC_PROTOCOL_SINCE = 5
MEMBERS_LEAVE_SINCE = 3


async def join_group(world: World, request: Request) -> dict[str, Any]:
    """JoinGroup: answered when the join phase ends (see `spec.groups.model.classic`)."""
    body = request.body.value
    session_ms = body["session_timeout_ms"]
    if not body["group_id"]:
        return _joined(request, Told(0, Error.INVALID_GROUP_ID, member=body["member_id"]))
    if (
        not world.settings.number(MIN_SESSION_MS)
        <= session_ms
        <= world.settings.number(MAX_SESSION_MS)
    ):
        return _joined(request, Told(0, Error.INVALID_SESSION_TIMEOUT, member=body["member_id"]))
    limits = world.settings.limits
    hall = world.groups.hall(body["group_id"], limits)
    if hall.named and not hall.group.members:
        hall.group = Group()
    protocols: Protocols = tuple([(one["name"], one["metadata"]) for one in body["protocols"]])
    fresh = f"{request.client_id or 'member'}-{uuid.uuid4()}"
    step = JoinGroup(
        instance=body.get("group_instance_id"),
        metadata=hall.number(protocols),
        session_ms=session_ms,
        rebalance_ms=body.get("rebalance_timeout_ms", session_ms),
        version=request.version,
    )
    decision = decide(hall.group, joining(step, 0, body["member_id"]), limits.classic)
    if hall.named or (
        decision is not Decision.FULL and not _fits(hall, body["protocol_type"], protocols)
    ):
        return _joined(
            request, Told(0, Error.INCONSISTENT_GROUP_PROTOCOL, member=body["member_id"]), hall
        )
    if decision in {Decision.JOINS, Decision.CURRENT}:
        hall.protocol_type = body["protocol_type"]
        hall.hosts[body["member_id"] or fresh] = request.client_id or ""
    return _joined(
        request,
        await world.groups.asked(hall, limits, Carried(step, 0, body["member_id"], fresh=fresh)),
        hall,
    )


def _fits(hall: Hall, protocol_type: str, protocols: Protocols) -> bool:
    """Whether a member's protocols have one in common with everybody's."""
    names = {name for name, _ in protocols}
    if not hall.group.members:
        return bool(protocol_type) and bool(names)
    return protocol_type == hall.protocol_type and bool(names & set(hall.shared()))


def _joined(request: Request, told: Told, hall: Hall | None = None) -> dict[str, Any]:
    nothing = None if request.version >= NULL_PROTOCOL_SINCE else ""
    value: dict[str, Any] = {
        "error_code": told.error,
        "generation_id": told.generation,
        "protocol_name": nothing if told.error or hall is None else hall.protocol,
        "leader": told.leader,
        "member_id": told.member,
        "members": [] if hall is None else [_listed(hall, member_id) for member_id in told.members],
    }
    if request.version >= PROTOCOL_TYPE_SINCE:
        value["protocol_type"] = None if told.error or hall is None else hall.protocol_type
    return value


def _listed(hall: Hall, member_id: str) -> dict[str, Any]:
    member = hall.group.member(member_id)
    instance = member.instance if member is not None else None
    return {
        "member_id": member_id,
        "group_instance_id": instance,
        "metadata": hall.metadata(member_id),
    }


async def sync_group(world: World, request: Request) -> dict[str, Any]:
    """SyncGroup: the leader's gives everybody its assignment."""
    body, limits = request.body.value, world.settings.limits
    hall = world.groups.hall(body["group_id"], limits)
    member_id, group = body["member_id"], hall.group
    if (
        group.state is State.COMPLETING
        and member_id == group.leader
        and body["generation_id"] == group.generation
    ):
        hall.assignments = {one["member_id"]: one["assignment"] for one in body["assignments"]}
    step = SyncGroup(instance=body.get("group_instance_id"))
    told = await world.groups.asked(
        hall, limits, Carried(step, 0, member_id, body["generation_id"])
    )
    value: dict[str, Any] = {
        "error_code": told.error,
        "assignment": b"" if told.error else hall.assignments.get(member_id, b""),
    }
    if request.version >= SYNC_PROTOCOL_SINCE:
        value |= {"protocol_type": None, "protocol_name": None}
        if not told.error:
            value |= {"protocol_type": hall.protocol_type, "protocol_name": hall.protocol}
    return value


async def heartbeat(world: World, request: Request) -> dict[str, Any]:
    """Heartbeat: whether the member is one, and whether it must join again."""
    body, limits = request.body.value, world.settings.limits
    hall = world.groups.hall(body["group_id"], limits)
    beat = Carried(
        Heartbeat(instance=body.get("group_instance_id")),
        0,
        body["member_id"],
        body["generation_id"],
    )
    return {"error_code": (await world.groups.asked(hall, limits, beat)).error}


async def leave_group(world: World, request: Request) -> dict[str, Any]:
    """LeaveGroup: of one member, or from v3 on of several."""
    body, limits = request.body.value, world.settings.limits
    hall = world.groups.hall(body["group_id"], limits)
    several = request.version >= MEMBERS_LEAVE_SINCE
    wanted = (
        body["members"]
        if several
        else [{"member_id": body["member_id"], "group_instance_id": None}]
    )
    answers = []
    for one in wanted:
        leave = Carried(LeaveGroup(instance=one["group_instance_id"]), 0, one["member_id"])
        told = await world.groups.asked(hall, limits, leave)
        answers.append(
            {
                "member_id": one["member_id"],
                "group_instance_id": one["group_instance_id"],
                "error_code": told.error,
            }
        )
    return (
        {"error_code": 0, "members": answers}
        if several
        else {"error_code": answers[0]["error_code"]}
    )


def describe_groups(world: World, request: Request) -> dict[str, Any]:
    """DescribeGroups: one that nobody knows is Dead."""
    return {"groups": [_described(world, group_id) for group_id in request.body.value["groups"]]}


def _described(world: World, group_id: str) -> dict[str, Any]:
    hall = (
        world.groups.hall(group_id, world.settings.limits)
        if group_id in world.groups.halls
        else None
    )
    value: dict[str, Any] = {
        "error_code": 0,
        "group_id": group_id,
        "protocol_type": "",
        "protocol_data": "",
        "members": [],
    }
    if hall is None or hall.named:
        return {
            **value,
            "group_state": State.DEAD.value,
            "authorized_operations": OPERATIONS_UNKNOWN,
        }
    members = [
        {
            **_listed_member(hall, member.id),
            "group_instance_id": member.instance,
            "client_id": hall.hosts.get(member.id, ""),
            "client_host": f"/{world.host}",
        }
        for member in hall.group.members
    ]
    stable = hall.group.state is State.STABLE
    value |= {
        "group_state": hall.group.state.value,
        "protocol_type": hall.protocol_type,
        "members": members,
    }
    return {
        **value,
        "protocol_data": hall.protocol if stable else "",
        "authorized_operations": OPERATIONS_UNKNOWN,
    }


def _listed_member(hall: Hall, member_id: str) -> dict[str, Any]:
    assignment = hall.assignments.get(member_id, b"")
    return {
        "member_id": member_id,
        "member_metadata": hall.metadata(member_id),
        "member_assignment": assignment,
    }


def list_groups(world: World, request: Request) -> dict[str, Any]:
    """ListGroups: every group that has a state asked for, or committed offsets."""
    states = set(request.body.value.get("states_filter") or ())
    types = {one.lower() for one in request.body.value.get("types_filter") or ()}
    groups = []
    for group_id in dict.fromkeys([*world.groups.halls, *world.committed]):
        hall = world.groups.hall(group_id, world.settings.limits)
        state = named_state(hall) if hall.named else hall.group.state
        kind = hall.group.kind if hall.named else Kind.CLASSIC
        shown = State.EMPTY if state is State.DEAD and group_id in world.committed else state
        if (
            shown is State.DEAD
            or (states and shown.value not in states)
            or (types and kind.value not in types)
        ):
            continue
        one = {
            "group_id": group_id,
            "protocol_type": kind.value if hall.named else hall.protocol_type,
        }
        groups.append({**one, "group_state": shown.value, "group_type": kind.value})
    return {"error_code": 0, "groups": groups}


def commit_error(world: World, group_id: str, member_id: str, generation: int) -> int:
    """The error of an OffsetCommit by this member of this generation; 0 where it may commit."""
    if group_id not in world.groups.halls:
        return 0 if generation < 0 and not member_id else Error.ILLEGAL_GENERATION
    group = world.groups.hall(group_id, world.settings.limits).group
    if generation < 0 and not group.members:
        return 0
    if group.member(member_id) is None:
        return Error.UNKNOWN_MEMBER_ID
    if group.kind is Kind.CONSUMER:
        return (
            0
            if generation == world.groups.halls[group_id].roll.members[member_id].epoch
            else Error.STALE_MEMBER_EPOCH
        )
    if generation != group.generation:
        return Error.ILLEGAL_GENERATION
    return Error.REBALANCE_IN_PROGRESS if group.state is State.COMPLETING else 0


def delete_groups(world: World, request: Request) -> dict[str, Any]:
    """DeleteGroups: groups of all kinds that have no members."""
    return {
        "results": [
            {"group_id": name, "error_code": _deleted(world, name)}
            for name in request.body.value["groups_names"]
        ]
    }


def _deleted(world: World, name: str) -> int:
    """Delete a group, with what it committed and what it shared; the error code. Its configs
    stay.
    """
    shared = world.shares.halls.get(name)
    shares = shared is not None and bool(shared.state.partitions or shared.state.sessions)
    if not shares and name not in world.groups.halls and name not in world.committed:
        return Error.GROUP_ID_NOT_FOUND
    if name in world.groups.halls and world.groups.hall(name, world.settings.limits).group.members:
        return Error.NON_EMPTY_GROUP
    world.groups.halls.pop(name, None)
    world.committed.pop(name, None)
    if shared is not None:
        world.shares.halls[name] = ShareHall(ShareState((), (), configs=shared.state.configs))
    world.changed()
    return 0
