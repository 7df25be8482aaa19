"""Who may ask for the committed offsets of a group: anybody who names no member, and members of a
consumer group by the member epoch they go by. The exact codes are those of GRP-159.
"""

from spec.clause import KIP, Chapter, Code, Doc, Held, fails, holds
from spec.groups.clauses.sizes import response_of
from spec.groups.examples import alone, history, upgraded_history
from spec.groups.model.group import Kind, Member
from spec.groups.steps import (
    NEW,
    OWN,
    STRANGER,
    ConsumerGroupHeartbeat,
    LeaveGroup,
    MemberCommit,
    MemberOffsetFetch,
)
from spec.groups.turn import Turn
from spec.scenario import Scenario
from spec.verdict import LimitClass, Strength

chapter: Chapter[Turn] = Chapter()

MEMBERS = KIP(848, "OffsetFetch")
VALIDATED = Doc("protocol guide, OffsetFetch v9; error codes 25 and 113")
CONSUMER = Code("ConsumerGroup.java", "validateOffsetFetch")
NO_EPOCH = -1


def _meets_members(turn: Turn) -> bool:
    """Whether it is an OffsetFetch that meets a group of classic members or consumers."""
    meets = turn.arrives and turn.before.kind in {Kind.CLASSIC, Kind.CONSUMER}
    return meets and isinstance(turn.step, MemberOffsetFetch)


def _consumer(turn: Turn) -> Member | None:
    """The member that is named, of the consumer protocol, whose epoch an answer has shown."""
    member = turn.known_member
    if turn.before.kind is not Kind.CONSUMER or member is None:
        return None
    return member if member.epoch and not member.classic and not member.gone else None


@chapter.clause(
    "GRP-048",
    Strength.MUST,
    LimitClass.EMERGENT,
    MEMBERS,
    VALIDATED,
    CONSUMER,
    slug="groups/offset-fetch/member",
)
def a_member_fetches_offsets(turn: Turn) -> Held | None:
    """An OffsetFetch (v9) to a classic or a consumer group is answered without an error where it
    names no member (a null id and epoch -1), and where it carries the id of a member of the
    consumer protocol and the member epoch that this one was answered last.
    """
    if not _meets_members(turn):
        return None
    member = _consumer(turn)
    nobody = not turn.member and turn.epoch == NO_EPOCH
    if not nobody and (member is None or turn.epoch != member.epoch):
        return None
    if turn.code:
        who = "who names no member" if nobody else "a member by its epoch"
        why = f"expected the offsets for {who}, found {response_of(turn)}"
        return fails(why, "nobody refused" if nobody else "refused")
    return holds() if turn.code == 0 else None


@chapter.clause(
    "GRP-049",
    Strength.MUST,
    LimitClass.EMERGENT,
    MEMBERS,
    VALIDATED,
    CONSUMER,
    slug="groups/offset-fetch/fenced",
)
def others_fetch_no_offsets(turn: Turn) -> Held | None:
    """Where a consumer group has members, an OffsetFetch (v9) with a member id and an epoch of 0 or
    above is not answered without an error if the id is no member's, or if the epoch is higher than
    the one that its member of the consumer protocol was answered last.

    Of the id of a classic member, and of one that has left for a while, nothing is said.
    """
    if not _meets_members(turn) or turn.before.kind is not Kind.CONSUMER:
        return None
    if not turn.before.members or not turn.member or turn.epoch < 0:
        return None
    member = _consumer(turn)
    if turn.known_member is not None and (member is None or turn.epoch <= member.epoch):
        return None
    who = "who is no member" if member is None else "a member by a higher epoch"
    if turn.code == 0:
        why = f"expected no offsets for {who}, found no error"
        return fails(why, "stranger" if member is None else "higher")
    return holds() if turn.code is not None else None


@a_member_fetches_offsets.example("consumers of a full group, one of whom has no place")
@others_fetch_no_offsets.example("a consumer asks by a higher epoch and by none, and once it left")
def _consumers() -> Scenario:
    return history(
        MemberOffsetFetch(0, NEW, NO_EPOCH),
        MemberOffsetFetch(0, STRANGER, 1),
        ConsumerGroupHeartbeat(0),
        ConsumerGroupHeartbeat(1),
        MemberOffsetFetch(0),
        MemberOffsetFetch(1),
        MemberCommit(1),
        MemberOffsetFetch(1),
        MemberOffsetFetch(1, epoch=100),
        MemberOffsetFetch(1, epoch=0),
        MemberOffsetFetch(1, epoch=NO_EPOCH),
        MemberOffsetFetch(2, NEW, NO_EPOCH),
        ConsumerGroupHeartbeat(2),
        MemberOffsetFetch(2, OWN, 1),
        MemberOffsetFetch(2, STRANGER, NO_EPOCH),
        ConsumerGroupHeartbeat(1, epoch=-1),
        MemberOffsetFetch(1),
        ConsumerGroupHeartbeat(0, epoch=-1),
        MemberOffsetFetch(0),
        MemberOffsetFetch(2, NEW, NO_EPOCH),
    )


@a_member_fetches_offsets.example("a classic group looks at no member, and is upgraded")
@others_fetch_no_offsets.example("a classic group looks at no member, and is upgraded")
def _upgrade() -> Scenario:
    return upgraded_history(
        *alone(),
        MemberOffsetFetch(0),
        MemberOffsetFetch(0, epoch=100),
        MemberOffsetFetch(2, STRANGER, 1),
        MemberOffsetFetch(2, NEW, NO_EPOCH),
        ConsumerGroupHeartbeat(1),
        MemberOffsetFetch(0),
        MemberOffsetFetch(0, epoch=0),
        MemberOffsetFetch(1),
        MemberOffsetFetch(1, epoch=100),
        MemberOffsetFetch(2, STRANGER, 1),
        MemberOffsetFetch(2, NEW, NO_EPOCH),
        LeaveGroup(0),
    )


@a_member_fetches_offsets.example("a static consumer is away for a while, and comes back")
@others_fetch_no_offsets.example("a static consumer is away for a while, and comes back")
def _away() -> Scenario:
    return history(
        ConsumerGroupHeartbeat(0, instance="i0"),
        MemberOffsetFetch(0),
        ConsumerGroupHeartbeat(0, epoch=-2, instance="i0"),
        MemberOffsetFetch(0),
        MemberOffsetFetch(0, epoch=-2),
        MemberOffsetFetch(1, STRANGER, 1),
        ConsumerGroupHeartbeat(0, NEW, 0, "i0"),
        MemberOffsetFetch(0),
    )
