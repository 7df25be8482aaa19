"""Classic consumer groups: JoinGroup, SyncGroup, Heartbeat, LeaveGroup, DescribeGroups,
ListGroups; DeleteGroups for groups of all kinds.
"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from conformance.serve.apis.cluster import OPERATIONS_UNKNOWN
from conformance.serve.apis.named_groups import named_state
from conformance.serve.settings import MAX_SESSION_MS, MIN_SESSION_MS
from conformance.serve.share_groups import ServedShareGroup
from spec.groups.machine import ReceivedRequest
from spec.groups.model.classic import Decision, MemberAnswer, decide, joining_of
from spec.groups.model.group import Group, Kind, State
from spec.groups.steps import Heartbeat, JoinGroup, LeaveGroup, SyncGroup
from spec.kafka import Error
from spec.share.model.state import State as ShareState

if TYPE_CHECKING:
    from conformance.serve.broker_state import BrokerState
    from conformance.serve.groups import Protocols, ServedGroup
    from conformance.wire.codec import Request

PROTOCOL_TYPE_SINCE = NULL_PROTOCOL_SINCE = 7
SYNC_PROTOCOL_SINCE = 5
MEMBERS_LEAVE_SINCE = 3


async def join_group(state: BrokerState, request: Request) -> dict[str, Any]:
    """JoinGroup: answered when the join phase ends (see `spec.groups.model.classic`)."""
    body = request.body.value
    session_ms = body["session_timeout_ms"]
    if not body["group_id"]:
        return _join_answer(
            request, MemberAnswer(0, Error.INVALID_GROUP_ID, member=body["member_id"])
        )
    if (
        not state.settings.number(MIN_SESSION_MS)
        <= session_ms
        <= state.settings.number(MAX_SESSION_MS)
    ):
        return _join_answer(
            request, MemberAnswer(0, Error.INVALID_SESSION_TIMEOUT, member=body["member_id"])
        )
    limits = state.settings.limits
    served = state.groups.served_group(body["group_id"], limits)
    if served.named and not served.group.members:
        served.group = Group()
    protocols: Protocols = tuple([(one["name"], one["metadata"]) for one in body["protocols"]])
    fresh = f"{request.client_id or 'member'}-{uuid.uuid4()}"
    step = JoinGroup(
        instance=body.get("group_instance_id"),
        metadata=served.number(protocols),
        session_ms=session_ms,
        rebalance_ms=body.get("rebalance_timeout_ms", session_ms),
        version=request.version,
    )
    decision = decide(served.group, joining_of(step, 0, body["member_id"]), limits.classic)
    if served.named or (
        decision is not Decision.FULL and not _fits(served, body["protocol_type"], protocols)
    ):
        return _join_answer(
            request,
            MemberAnswer(
                0,
                Error.INCONSISTENT_GROUP_PROTOCOL,
                member="" if served.named else body["member_id"],
            ),
            served,
        )
    if decision in {Decision.JOINS, Decision.CURRENT}:
        served.protocol_type = body["protocol_type"]
        served.hosts[body["member_id"] or fresh] = request.client_id or ""
    return _join_answer(
        request,
        await state.groups.answer(
            served, limits, ReceivedRequest(step, 0, body["member_id"], fresh=fresh)
        ),
        served,
    )


def _fits(served: ServedGroup, protocol_type: str, protocols: Protocols) -> bool:
    """Whether a member's protocols have one in common with everybody's."""
    names = {name for name, _ in protocols}
    if not served.group.members:
        return bool(protocol_type) and bool(names)
    return protocol_type == served.protocol_type and bool(names & set(served.shared_protocols()))


def _join_answer(
    request: Request, answer: MemberAnswer, served: ServedGroup | None = None
) -> dict[str, Any]:
    nothing = None if request.version >= NULL_PROTOCOL_SINCE else ""
    value: dict[str, Any] = {
        "error_code": answer.error,
        "generation_id": answer.generation,
        "protocol_name": nothing if answer.error or served is None else served.protocol,
        "leader": answer.leader,
        "member_id": answer.member,
        "members": []
        if served is None
        else [_member_entry(served, member_id) for member_id in answer.members],
    }
    if request.version >= PROTOCOL_TYPE_SINCE:
        value["protocol_type"] = None if answer.error or served is None else served.protocol_type
    return value


def _member_entry(served: ServedGroup, member_id: str) -> dict[str, Any]:
    member = served.group.member(member_id)
    instance = member.instance if member is not None else None
    return {
        "member_id": member_id,
        "group_instance_id": instance,
        "metadata": served.metadata(member_id),
    }


async def sync_group(state: BrokerState, request: Request) -> dict[str, Any]:
    """SyncGroup: the leader's gives everybody its assignment."""
    body, limits = request.body.value, state.settings.limits
    served = state.groups.served_group(body["group_id"], limits)
    member_id, group = body["member_id"], served.group
    if (
        group.state is State.COMPLETING
        and member_id == group.leader
        and body["generation_id"] == group.generation
    ):
        served.assignments = {one["member_id"]: one["assignment"] for one in body["assignments"]}
    step = SyncGroup(instance=body.get("group_instance_id"))
    answer = await state.groups.answer(
        served, limits, ReceivedRequest(step, 0, member_id, body["generation_id"])
    )
    value: dict[str, Any] = {
        "error_code": answer.error,
        "assignment": b"" if answer.error else served.assignments.get(member_id, b""),
    }
    if request.version >= SYNC_PROTOCOL_SINCE:
        value |= {"protocol_type": None, "protocol_name": None}
        if not answer.error:
            value |= {"protocol_type": served.protocol_type, "protocol_name": served.protocol}
    return value


async def heartbeat(state: BrokerState, request: Request) -> dict[str, Any]:
    """Heartbeat: whether the member is one, and whether it must join again."""
    body, limits = request.body.value, state.settings.limits
    served = state.groups.served_group(body["group_id"], limits)
    carried = ReceivedRequest(
        Heartbeat(instance=body.get("group_instance_id")),
        0,
        body["member_id"],
        body["generation_id"],
    )
    return {"error_code": (await state.groups.answer(served, limits, carried)).error}


async def leave_group(state: BrokerState, request: Request) -> dict[str, Any]:
    """LeaveGroup: of one member, or from v3 on of several."""
    body, limits = request.body.value, state.settings.limits
    served = state.groups.served_group(body["group_id"], limits)
    several = request.version >= MEMBERS_LEAVE_SINCE
    wanted = (
        body["members"]
        if several
        else [{"member_id": body["member_id"], "group_instance_id": None}]
    )
    answers = []
    for one in wanted:
        leave = ReceivedRequest(LeaveGroup(instance=one["group_instance_id"]), 0, one["member_id"])
        answer = await state.groups.answer(served, limits, leave)
        answers.append(
            {
                "member_id": one["member_id"],
                "group_instance_id": one["group_instance_id"],
                "error_code": answer.error,
            }
        )
    return (
        {"error_code": 0, "members": answers}
        if several
        else {"error_code": answers[0]["error_code"]}
    )


def describe_groups(state: BrokerState, request: Request) -> dict[str, Any]:
    """DescribeGroups: one that nobody knows is Dead."""
    return {"groups": [_describe(state, group_id) for group_id in request.body.value["groups"]]}


def _describe(state: BrokerState, group_id: str) -> dict[str, Any]:
    served = (
        state.groups.served_group(group_id, state.settings.limits)
        if group_id in state.groups.served_groups
        else None
    )
    value: dict[str, Any] = {
        "error_code": 0,
        "group_id": group_id,
        "protocol_type": "",
        "protocol_data": "",
        "members": [],
    }
    if served is None or served.named:
        return {
            **value,
            "group_state": State.DEAD.value,
            "authorized_operations": OPERATIONS_UNKNOWN,
        }
    members = [
        {
            **_listed_member(served, member.id),
            "group_instance_id": member.instance,
            "client_id": served.hosts.get(member.id, ""),
            "client_host": f"/{state.host}",
        }
        for member in served.group.members
    ]
    stable = served.group.state is State.STABLE
    value |= {
        "group_state": served.group.state.value,
        "protocol_type": served.protocol_type,
        "members": members,
    }
    return {
        **value,
        "protocol_data": served.protocol if stable else "",
        "authorized_operations": OPERATIONS_UNKNOWN,
    }


def _listed_member(served: ServedGroup, member_id: str) -> dict[str, Any]:
    assignment = served.assignments.get(member_id, b"")
    return {
        "member_id": member_id,
        "member_metadata": served.metadata(member_id),
        "member_assignment": assignment,
    }


def list_groups(state: BrokerState, request: Request) -> dict[str, Any]:
    """ListGroups: every group that has a state asked for, or committed offsets."""
    states = set(request.body.value.get("states_filter") or ())
    types = {one.lower() for one in request.body.value.get("types_filter") or ()}
    groups = []
    for group_id in dict.fromkeys([*state.groups.served_groups, *state.committed]):
        served = state.groups.served_group(group_id, state.settings.limits)
        group_state = named_state(served) if served.named else served.group.state
        kind = served.group.kind if served.named else Kind.CLASSIC
        shown = (
            State.EMPTY
            if group_state is State.DEAD and group_id in state.committed
            else group_state
        )
        if (
            shown is State.DEAD
            or (states and shown.value not in states)
            or (types and kind.value not in types)
        ):
            continue
        one = {
            "group_id": group_id,
            "protocol_type": kind.value if served.named else served.protocol_type,
        }
        groups.append({**one, "group_state": shown.value, "group_type": kind.value})
    return {"error_code": 0, "groups": groups}


def delete_groups(state: BrokerState, request: Request) -> dict[str, Any]:
    """DeleteGroups: groups of all kinds that have no members."""
    return {
        "results": [
            {"group_id": name, "error_code": _delete(state, name)}
            for name in request.body.value["groups_names"]
        ]
    }


def _delete(state: BrokerState, name: str) -> int:
    """Delete a group, with what it committed and what it shared; the error code. Its configs
    stay.
    """
    shared = state.shares.served_groups.get(name)
    shares = shared is not None and bool(shared.state.partitions or shared.state.sessions)
    if not shares and name not in state.groups.served_groups and name not in state.committed:
        return Error.GROUP_ID_NOT_FOUND
    if (
        name in state.groups.served_groups
        and state.groups.served_group(name, state.settings.limits).group.members
    ):
        return Error.NON_EMPTY_GROUP
    state.groups.served_groups.pop(name, None)
    state.committed.pop(name, None)
    if shared is not None:
        state.shares.served_groups[name] = ServedShareGroup(
            ShareState((), (), configs=shared.state.configs)
        )
    state.wake_waiting()
    return 0
