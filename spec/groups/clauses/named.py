"""Consumer and share groups (KIP-848, KIP-932): members name themselves, and a heartbeat of epoch 0
joins.
"""

from spec.clause import KIP, Chapter, Code, Doc, Held, breaks, fails, holds
from spec.fence import Fence, Unit
from spec.groups.clauses.sizes import expect_no_refusal, refusal_at_the_limit, response_of
from spec.groups.examples import history, size_limits
from spec.groups.model.assigned import LEAVE_FOR_A_MOMENT
from spec.groups.model.group import Kind
from spec.groups.outcomes import MemberHeartbeatAnswer
from spec.groups.releases import GroupSemantics
from spec.groups.steps import (
    NEW,
    OWN,
    STRANGER,
    ConsumerGroupHeartbeat,
    RestartWith,
    ShareGroupHeartbeat,
)
from spec.groups.turn import Turn
from spec.kafka import Error
from spec.scenario import Scenario
from spec.verdict import BELOW, LimitClass, Strength, side

chapter: Chapter[Turn] = Chapter()

CHECKED = Code("GroupMetadataManager.java", "1569-1600")


def _joins(turn: Turn, kind: type) -> bool:
    """Whether a member that the group does not know, and holds no place for, asks to join; a
    classic group is another matter (GRP-043).
    """
    heartbeat = turn.heartbeat
    joins = isinstance(heartbeat, kind) and heartbeat is not None and heartbeat.epoch == 0
    return (
        joins
        and turn.known_member is None
        and turn.static_member is None
        and turn.before.kind is not Kind.CLASSIC
    )


@chapter.clause(
    "GRP-030",
    Strength.MUST,
    LimitClass.SOFT,
    Doc("config group.consumer.max.size"),
    KIP(848, "group.consumer.max.size"),
    CHECKED,
    slug="groups/consumer/newcomer",
    fence=Fence("the members of the group", Unit.MEMBERS, "group.consumer.max.size"),
)
def a_full_consumer_group_takes_no_newcomer(turn: Turn) -> Held | None:
    """A ConsumerGroupHeartbeat of epoch 0, with a member id and an instance id that the group does
    not have, is answered with GROUP_MAX_SIZE_REACHED (81) if and only if the consumer group has
    group.consumer.max.size members or more.
    """
    return (
        refusal_at_the_limit(turn, turn.before.size, "members")
        if _joins(turn, ConsumerGroupHeartbeat)
        else None
    )


@a_full_consumer_group_takes_no_newcomer.example(
    "the third member of a consumer group that holds two; one leaves, and it joins again"
)
def _consumers() -> Scenario:
    heartbeat = ConsumerGroupHeartbeat
    return history(heartbeat(0), heartbeat(1), heartbeat(2), heartbeat(1, epoch=-1), heartbeat(2))


@chapter.clause(
    "GRP-035",
    Strength.MUST,
    LimitClass.SOFT,
    Doc("config group.share.max.size"),
    KIP(932, "group.share.max.size"),
    CHECKED,
    slug="groups/share/newcomer",
    fence=Fence("the members of the group", Unit.MEMBERS, "group.share.max.size"),
)
def a_full_share_group_takes_no_newcomer(turn: Turn) -> Held | None:
    """A ShareGroupHeartbeat of epoch 0 with a member id that the group does not have is answered
    with GROUP_MAX_SIZE_REACHED (81) if and only if the share group has group.share.max.size members
    or more.
    """
    return (
        refusal_at_the_limit(turn, turn.before.size, "members")
        if _joins(turn, ShareGroupHeartbeat)
        else None
    )


@a_full_share_group_takes_no_newcomer.example("the third member of a share group that holds two")
def _shares() -> Scenario:
    return history(*[ShareGroupHeartbeat(actor) for actor in range(3)])


@chapter.clause(
    "GRP-033",
    Strength.MUST,
    LimitClass.SOFT,
    KIP(848),
    KIP(932),
    CHECKED,
    slug="groups/consumer/member",
    fence=Fence("the members of the group", Unit.MEMBERS, "the limit"),
)
def a_named_member_is_never_refused(turn: Turn) -> Held | None:
    """A ConsumerGroupHeartbeat or ShareGroupHeartbeat with the id of a member is not answered with
    GROUP_MAX_SIZE_REACHED, whatever its epoch, 0 included, and however many members the group has.
    """
    known = (
        turn.heartbeat is not None
        and turn.known_member is not None
        and turn.before.kind is not Kind.CLASSIC
    )
    return expect_no_refusal(turn, "member refused") if known else None


@a_named_member_is_never_refused.example(
    "a member of a full share group sends epoch 0 again, and its own"
)
def _repeated_heartbeat() -> Scenario:
    return history(
        *[ShareGroupHeartbeat(actor) for actor in range(2)],
        ShareGroupHeartbeat(1),
        ShareGroupHeartbeat(0, epoch=OWN),
    )


@chapter.clause(
    "GRP-031",
    Strength.REFERENCE,
    LimitClass.SOFT,
    CHECKED,
    slug="groups/consumer/before-the-epoch",
    fence=Fence("the members of the group", Unit.MEMBERS, "the limit"),
)
def size_is_looked_at_before_the_epoch(turn: Turn) -> Held | None:
    """A ConsumerGroupHeartbeat or ShareGroupHeartbeat of an epoch above 0 to a group with members,
    with a member id and an instance id that the group does not have, is answered with
    GROUP_MAX_SIZE_REACHED if the group is full, and otherwise with UNKNOWN_MEMBER_ID. One of an
    epoch below 0 is answered with UNKNOWN_MEMBER_ID in either case; but epoch -2 without an
    instance id is refused whatever the group (GRP-157).
    """
    heartbeat = turn.heartbeat
    if (
        heartbeat is None
        or turn.known_member is not None
        or heartbeat.epoch in {0, OWN}
        or (heartbeat.epoch == LEAVE_FOR_A_MOMENT and getattr(heartbeat, "instance", None) is None)
        or turn.static_member is not None
        or not turn.before.members
    ):
        return None
    if turn.before.kind is Kind.CLASSIC:
        return None
    where = side(turn.before.size, turn.limit)
    leaves = isinstance(heartbeat.epoch, int) and heartbeat.epoch < 0
    wanted = Error.UNKNOWN_MEMBER_ID if leaves or where is BELOW else Error.GROUP_MAX_SIZE_REACHED
    why = (
        f"{turn.before.size} members under a limit of {turn.limit}: expected {wanted.name}, found "
        f"{response_of(turn)}"
    )
    return holds(where) if turn.code == wanted else breaks(where, why, "error code")


@size_is_looked_at_before_the_epoch.example(
    "a stranger with epoch 7, and one that leaves, at a full consumer group and at one with room"
)
def _strangers() -> Scenario:
    heartbeat = ConsumerGroupHeartbeat
    stranger = [heartbeat(5, STRANGER, 7), heartbeat(5, STRANGER, -1)]
    return history(heartbeat(0), *stranger, heartbeat(1, NEW), *stranger)


@chapter.clause(
    "GRP-037",
    Strength.REFERENCE,
    LimitClass.SOFT,
    CHECKED,
    slug="groups/consumer/loaded",
    fence=Fence("the members that were loaded", Unit.MEMBERS, "the limit after the restart"),
)
def loaded_named_members_stay(turn: Turn) -> Held | None:
    """A consumer or share group keeps its members over a restart, also those beyond a limit that is
    lower since: a heartbeat with a member's id and its epoch is answered without an error.

    Newcomers are a matter of GRP-030 and GRP-035.
    """
    if (
        turn.heartbeat is None
        or not turn.before.loaded
        or turn.known_member is None
        or turn.heartbeat.epoch != OWN
    ):
        return None
    where = side(turn.before.size, turn.limit)
    return (
        holds(where)
        if turn.code == 0
        else breaks(
            where, f"expected the member to continue, found {response_of(turn)}", "member shrunk"
        )
    )


@loaded_named_members_stay.example("three consumers under a limit of 2 after a restart")
def _restarted_example() -> Scenario:
    heartbeat = ConsumerGroupHeartbeat
    again = [heartbeat(actor, epoch=OWN) for actor in range(3)]
    return history(
        *[heartbeat(actor) for actor in range(3)],
        RestartWith(size_limits(2), 7),
        *again,
        heartbeat(3),
        limit=3,
    )


@chapter.clause(
    "GRP-156",
    Strength.REFERENCE,
    LimitClass.SOFT,
    Code("GroupMetadataManager.java", "consumerGroupHeartbeat"),
    Code("GroupMetadataManager.java", "shareGroupHeartbeat"),
    KIP(848, "ConsumerGroupHeartbeat API"),
    KIP(932, "ShareGroupHeartbeat API"),
    slug="groups/consumer/assignment-asked-for",
)
def a_full_heartbeat_is_answered_with_the_assignment(turn: Turn) -> Held | None:
    """A ConsumerGroupHeartbeat or ShareGroupHeartbeat of epoch 0, or of a higher epoch with all
    fields that a member which joins must send (as after an answer that was lost), is answered with
    an assignment if it is answered without an error, also where nothing is assigned and where the
    assignment is the one that was sent last: the field is not null. Of a ShareGroupHeartbeat of a
    higher epoch that holds from Kafka 4.1 on.
    """
    heartbeat, answer = turn.heartbeat, turn.outcome
    if (
        heartbeat is None
        or not isinstance(answer, MemberHeartbeatAnswer)
        or answer.error
        or answer.assigns is None
    ):
        return None
    joins = heartbeat.epoch == 0
    leaves = isinstance(heartbeat.epoch, int) and heartbeat.epoch < 0
    early = isinstance(heartbeat, ShareGroupHeartbeat) and not (
        turn.semantics.of(GroupSemantics).reassigns_shares
    )
    if leaves or not (joins or (heartbeat.full and not early)):
        return None
    what = "epoch 0" if joins else "all its fields"
    return (
        holds()
        if answer.assigns
        else fails(
            f"expected an assignment for a member that sends {what}, found null",
            "no assignment to who joins" if joins else "no assignment to who sends everything",
        )
    )


@a_full_heartbeat_is_answered_with_the_assignment.example(
    "a member of a consumer group sends all its fields again"
)
def _asked_again() -> Scenario:
    return history(
        ConsumerGroupHeartbeat(0),
        ConsumerGroupHeartbeat(0, epoch=OWN),
        ConsumerGroupHeartbeat(0, epoch=OWN, full=True),
    )


@a_full_heartbeat_is_answered_with_the_assignment.example(
    "a member of a share group sends all its fields again"
)
def _asked_again_by_a_share_member() -> Scenario:
    return history(
        ShareGroupHeartbeat(0),
        ShareGroupHeartbeat(0, epoch=OWN),
        ShareGroupHeartbeat(0, epoch=OWN, full=True),
    )
