"""Consumer, share and streams groups, whose members name themselves and are answered at once: who
may join (KIP-848, 932, 1071).
"""

from dataclasses import dataclass, replace

from spec.groups.model.group import Group, Kind, Member
from spec.groups.releases import GroupSemantics
from spec.groups.steps import (
    ConsumerGroupHeartbeat,
    NamedStep,
    ShareGroupHeartbeat,
    StreamsGroupHeartbeat,
)
from spec.kafka import Error

JOIN, LEAVE, LEAVE_FOR_A_MOMENT = 0, -1, -2


@dataclass(frozen=True, slots=True)
class HeartbeatRequest:
    """A heartbeat as the coordinator takes it.

    Attributes:
        kind: consumer, share or streams.
        member: its id.
        epoch: 0 joins, -1 leaves, -2 leaves for a moment, above 0 stays.
        instance: of a static member of a consumer group.
        current: the epoch is the one that the member was answered last.
        session_ms: how long a member that joins by it stays without being heard of.
    """

    kind: Kind
    member: str
    epoch: int = JOIN
    instance: str | None = None
    current: bool = True
    session_ms: int = 45_000


_KINDS = {
    ConsumerGroupHeartbeat: Kind.CONSUMER,
    ShareGroupHeartbeat: Kind.SHARE,
    StreamsGroupHeartbeat: Kind.STREAMS,
}


def kind_of(step: NamedStep) -> Kind:
    """The kind of group that a heartbeat is for."""
    return _KINDS[type(step)]


def decide_heartbeat(
    group: Group, request: HeartbeatRequest, limit: int, semantics: GroupSemantics
) -> int:
    """The error code that Apache Kafka answers a heartbeat with (GRP-030, GRP-031, GRP-034).

    Source: GroupMetadataManager.java 1569-1600 of Kafka 4.3.1.
    """
    member, held = group.member(request.member), group.instance(request.instance)
    if group.kind is Kind.NONE and request.epoch != JOIN:
        return Error.GROUP_ID_NOT_FOUND
    if request.kind is Kind.STREAMS:
        return _decide_streams_heartbeat(group, request, limit, semantics)
    if request.epoch < JOIN:
        fenced = held is not None and held.id != request.member
        unknown = member is None or (request.instance is not None and held is None)
        return Error.FENCED_INSTANCE_ID if fenced else Error.UNKNOWN_MEMBER_ID if unknown else 0
    if (
        member is not None
        and member.instance is not None
        and not member.gone
        and request.epoch == JOIN
    ):
        return Error.UNRELEASED_INSTANCE_ID
    if member is not None:
        fenced = (
            request.epoch == JOIN
            and semantics.fences_epoch_zero
            and not member.gone
            and request.kind is Kind.CONSUMER
        )
        return (
            Error.FENCED_MEMBER_EPOCH
            if fenced or (request.epoch > JOIN and not request.current)
            else 0
        )
    seated = held is not None and semantics.seats_known_instance
    if group.size >= limit and not seated:
        return Error.GROUP_MAX_SIZE_REACHED
    if request.epoch > JOIN:
        return Error.FENCED_INSTANCE_ID if held is not None else Error.UNKNOWN_MEMBER_ID
    return Error.UNRELEASED_INSTANCE_ID if held is not None and not held.gone else 0


def _decide_streams_heartbeat(
    group: Group, request: HeartbeatRequest, limit: int, semantics: GroupSemantics
) -> int:
    """The size is looked at where epoch 0 is sent, and there alone (GRP-036, GRP-038, GRP-039)."""
    known = group.member(request.member) is not None
    if request.epoch == JOIN:
        full = group.size >= limit and not (known and semantics.seats_streams_members)
        return Error.GROUP_MAX_SIZE_REACHED if full else 0
    if not known:
        return Error.UNKNOWN_MEMBER_ID
    return Error.FENCED_MEMBER_EPOCH if request.epoch > JOIN and not request.current else 0


def apply_heartbeat(group: Group, ask: HeartbeatRequest, error: int, now: float) -> Group:
    """The group after a heartbeat that was answered with this error code."""
    if error:
        return group
    member, held = group.member(ask.member), group.instance(ask.instance)
    if ask.epoch == LEAVE or (
        ask.epoch == LEAVE_FOR_A_MOMENT and (member is None or member.instance is None)
    ):
        return replace(group.without(ask.member), freed=True)
    if ask.epoch == LEAVE_FOR_A_MOMENT and member is not None:
        return group.with_member(replace(member, gone=True))
    if member is not None:
        return replace(
            group.with_member(replace(member, seen=now, gone=False, classic=False, carried=False)),
            freed=False,
        )
    fresh = Member(ask.member, ask.instance, session_ms=ask.session_ms, seen=now)
    if held is not None:
        return replace(group.with_member(fresh, held.id), freed=False)
    return replace(group, kind=ask.kind, members=(*group.members, fresh), freed=False)


def run_out(group: Group, now: float) -> Group:
    """The group without the members whose sessions are over."""
    gone = [member.id for member in group.members if member.seen + member.session_ms <= now]
    for member_id in gone:
        group = group.without(member_id)
    return replace(group, freed=True) if gone else group
