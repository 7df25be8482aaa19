"""Consumer, share and streams groups, whose members name themselves and are answered at once: who
may join (KIP-848, 932, 1071).
"""

from collections.abc import Mapping
from enum import StrEnum

from spec.frozen import frozen, replace
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


@frozen
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


class Epoch(StrEnum):
    """What the epoch of a heartbeat asks for."""

    JOINS = "0"
    STAYS = "above 0"
    LEAVES = "below 0"


class Sender(StrEnum):
    """The kinds of senders of a heartbeat, as the group knows them."""

    STRANGER = "no member"
    REPLACING = "no member, by the instance id of a static member that is there"
    RETURNING = "no member, by the instance id of a static member that left for a moment"
    DYNAMIC = "a member without an instance id"
    STATIC = "a member with an instance id"
    AWAY = "a member with an instance id that left for a moment"


@frozen
class HeartbeatErrors:
    """The error codes of one kind of heartbeat from one kind of sender.

    Attributes:
        fits: where nothing below applies; 0 for none.
        full: where the group has as many members as the limit; None where that is not looked at.
        fenced: where the epoch is not the sender's; None where that is not looked at.
    """

    fits: int = 0
    full: int | None = None
    fenced: int | None = None

    def error(self, *, full: bool, fenced: bool) -> int:
        """The error code in one situation."""
        if fenced and self.fenced is not None:
            return self.fenced
        return self.full if full and self.full is not None else self.fits


FULL, UNKNOWN = Error.GROUP_MAX_SIZE_REACHED, Error.UNKNOWN_MEMBER_ID
FENCED, HELD, OTHER = (
    Error.FENCED_MEMBER_EPOCH,
    Error.UNRELEASED_INSTANCE_ID,
    Error.FENCED_INSTANCE_ID,
)

BY_ASSIGNMENT: Mapping[tuple[Epoch, Sender], HeartbeatErrors] = {
    (Epoch.JOINS, Sender.STRANGER): HeartbeatErrors(full=FULL),
    (Epoch.JOINS, Sender.REPLACING): HeartbeatErrors(HELD, full=FULL),
    (Epoch.JOINS, Sender.RETURNING): HeartbeatErrors(full=FULL),
    (Epoch.JOINS, Sender.DYNAMIC): HeartbeatErrors(fenced=FENCED),
    (Epoch.JOINS, Sender.STATIC): HeartbeatErrors(HELD),
    (Epoch.JOINS, Sender.AWAY): HeartbeatErrors(),
    (Epoch.STAYS, Sender.STRANGER): HeartbeatErrors(UNKNOWN, full=FULL),
    (Epoch.STAYS, Sender.REPLACING): HeartbeatErrors(OTHER, full=FULL),
    (Epoch.STAYS, Sender.RETURNING): HeartbeatErrors(OTHER, full=FULL),
    (Epoch.STAYS, Sender.DYNAMIC): HeartbeatErrors(fenced=FENCED),
    (Epoch.STAYS, Sender.STATIC): HeartbeatErrors(fenced=FENCED),
    (Epoch.STAYS, Sender.AWAY): HeartbeatErrors(fenced=FENCED),
    (Epoch.LEAVES, Sender.STRANGER): HeartbeatErrors(UNKNOWN),
    (Epoch.LEAVES, Sender.REPLACING): HeartbeatErrors(OTHER),
    (Epoch.LEAVES, Sender.RETURNING): HeartbeatErrors(OTHER),
    (Epoch.LEAVES, Sender.DYNAMIC): HeartbeatErrors(),
    (Epoch.LEAVES, Sender.STATIC): HeartbeatErrors(),
    (Epoch.LEAVES, Sender.AWAY): HeartbeatErrors(),
}
"""Consumer and share groups (GRP-030, GRP-031, GRP-033 to GRP-035). Source:
GroupMetadataManager.java 1569-1600 of Kafka 4.3.1.
"""
STREAMS: Mapping[tuple[Epoch, Sender], HeartbeatErrors] = {
    (Epoch.JOINS, Sender.STRANGER): HeartbeatErrors(full=FULL),
    (Epoch.JOINS, Sender.DYNAMIC): HeartbeatErrors(full=FULL),
    (Epoch.STAYS, Sender.STRANGER): HeartbeatErrors(UNKNOWN),
    (Epoch.STAYS, Sender.DYNAMIC): HeartbeatErrors(fenced=FENCED),
    (Epoch.LEAVES, Sender.STRANGER): HeartbeatErrors(UNKNOWN),
    (Epoch.LEAVES, Sender.DYNAMIC): HeartbeatErrors(),
}
"""Streams groups, whose members have no instance ids here: the size is looked at where epoch 0 is
sent, and there alone (GRP-036, GRP-038, GRP-039). Source: GroupMetadataManager.java 1743-1752 of
Kafka 4.3.1.
"""


def decide_heartbeat(
    group: Group, request: HeartbeatRequest, limit: int, semantics: GroupSemantics
) -> int:
    """The error code that Apache Kafka answers a heartbeat with: the row of its table, looked up
    for a group that exists.
    """
    if is_invalid(request):
        return Error.INVALID_REQUEST
    epoch, sender = epoch_of(request), sender_of(group, request)
    if group.kind is Kind.NONE and epoch is not Epoch.JOINS:
        return Error.GROUP_ID_NOT_FOUND
    full = group.size >= limit and not _has_its_place(sender, request.kind, semantics)
    row = (STREAMS if request.kind is Kind.STREAMS else BY_ASSIGNMENT)[epoch, sender]
    return row.error(full=full, fenced=_is_fenced(epoch, request, semantics))


def is_invalid(request: HeartbeatRequest) -> bool:
    """Whether the request is refused whatever the group: a consumer leaves for a moment by its
    instance id alone (seen on 4.3.1).
    """
    return (
        request.kind is Kind.CONSUMER
        and request.epoch == LEAVE_FOR_A_MOMENT
        and request.instance is None
    )


def epoch_of(request: HeartbeatRequest) -> Epoch:
    """What the epoch of a heartbeat asks for."""
    if request.epoch == JOIN:
        return Epoch.JOINS
    return Epoch.STAYS if request.epoch > JOIN else Epoch.LEAVES


def sender_of(group: Group, request: HeartbeatRequest) -> Sender:
    """The sender of a heartbeat. A member that leaves by an instance id that is not its own is
    taken for a sender that is no member.
    """
    member, held = group.member(request.member), group.instance(request.instance)
    if request.kind is Kind.STREAMS:
        return Sender.STRANGER if member is None else Sender.DYNAMIC
    leaves_by_another = request.epoch < JOIN and request.instance is not None and held is not member
    if member is None or leaves_by_another:
        if held is None:
            return Sender.STRANGER
        return Sender.RETURNING if held.gone else Sender.REPLACING
    if member.instance is None:
        return Sender.DYNAMIC
    return Sender.AWAY if member.gone else Sender.STATIC


def _has_its_place(sender: Sender, kind: Kind, semantics: GroupSemantics) -> bool:
    """Whether the release counts the sender among the members that the group has already."""
    if kind is Kind.STREAMS:
        return sender is Sender.DYNAMIC and semantics.seats_streams_members
    return sender in {Sender.REPLACING, Sender.RETURNING} and semantics.seats_known_instance


def _is_fenced(epoch: Epoch, request: HeartbeatRequest, semantics: GroupSemantics) -> bool:
    """Whether the release takes the epoch for one that is not the sender's."""
    if epoch is Epoch.JOINS:
        assigns = request.kind in {Kind.CONSUMER, Kind.SHARE}
        return assigns and semantics.fences_epoch_zero and not request.current
    return not request.current


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
