"""Streams groups (KIP-1071): members name themselves, and only a heartbeat of epoch 0 is measured.

Kafka 4.1 has them for early access alone, behind a feature level that it calls unstable, which no
run here turns on.
"""

from spec.clause import KIP, Chapter, Code, Doc, Held, breaks, holds
from spec.fence import Fence, Unit
from spec.groups.clauses.sizes import expect_no_refusal, refusal_at_the_limit, response_of
from spec.groups.examples import history
from spec.groups.steps import OWN, STRANGER, StreamsGroupHeartbeat
from spec.groups.turn import Turn
from spec.kafka import Error
from spec.scenario import Scenario
from spec.verdict import LimitClass, Strength, side

chapter: Chapter[Turn] = Chapter()

CHECKED = Code("GroupMetadataManager.java", "1743-1752, 2000")
LIMIT = Doc("config group.streams.max.size")


@chapter.clause(
    "GRP-036",
    Strength.MUST,
    LimitClass.SOFT,
    LIMIT,
    KIP(1071),
    CHECKED,
    slug="groups/streams/newcomer",
    fence=Fence("the members of the group", Unit.MEMBERS, "group.streams.max.size"),
    since="4.2",
)
def a_full_streams_group_takes_no_newcomer(turn: Turn) -> Held | None:
    """A StreamsGroupHeartbeat of epoch 0 with a member id that the group does not have is answered
    with GROUP_MAX_SIZE_REACHED (81) if and only if the streams group has group.streams.max.size
    members or more.
    """
    if turn.streams is None or turn.streams.epoch != 0 or turn.known_member is not None:
        return None
    return refusal_at_the_limit(turn, turn.before.size, "members")


@a_full_streams_group_takes_no_newcomer.example(
    "the third member of a streams group that holds two; one leaves, and it joins again"
)
def _third() -> Scenario:
    heartbeat = StreamsGroupHeartbeat
    return history(heartbeat(0), heartbeat(1), heartbeat(2), heartbeat(1, epoch=-1), heartbeat(2))


@chapter.clause(
    "GRP-038",
    Strength.MUST,
    LimitClass.SOFT,
    LIMIT,
    KIP(1071),
    CHECKED,
    slug="groups/streams/member",
    fence=Fence("the members of the group", Unit.MEMBERS, "group.streams.max.size"),
    since="4.2",
)
def a_streams_member_is_never_refused(turn: Turn) -> Held | None:
    """A StreamsGroupHeartbeat with the id of a member is not answered with GROUP_MAX_SIZE_REACHED,
    whatever its epoch, 0 included, and however many members the group has.
    """
    return (
        None
        if turn.streams is None or turn.known_member is None
        else expect_no_refusal(turn, "member refused")
    )


@a_streams_member_is_never_refused.example(
    "a member of a streams group sends epoch 0 again, with room and in a full group"
)
def _repeated_heartbeat() -> Scenario:
    heartbeat = StreamsGroupHeartbeat
    return history(heartbeat(0), heartbeat(0), heartbeat(1), heartbeat(0))


@chapter.clause(
    "GRP-039",
    Strength.REFERENCE,
    LimitClass.SOFT,
    CHECKED,
    slug="groups/streams/only-joining",
    fence=Fence("the members of the group", Unit.MEMBERS, "group.streams.max.size"),
    since="4.2",
)
def only_who_joins_is_measured(turn: Turn) -> Held | None:
    """A StreamsGroupHeartbeat of an epoch other than 0 to a group with members, with a member id
    that the group does not have, is answered with UNKNOWN_MEMBER_ID, whether the group is full or
    not.
    """
    if (
        turn.streams is None
        or turn.known_member is not None
        or turn.streams.epoch in {0, OWN}
        or not turn.before.members
    ):
        return None
    where = side(turn.before.size, turn.limit)
    why = (
        f"{turn.before.size} members under a limit of {turn.limit}: expected UNKNOWN_MEMBER_ID, "
        f"found {response_of(turn)}"
    )
    return (
        holds(where) if turn.code == Error.UNKNOWN_MEMBER_ID else breaks(where, why, "error code")
    )


@only_who_joins_is_measured.example(
    "a stranger with epoch 7, and one that leaves, at a streams group with room and at a full one"
)
def _strangers() -> Scenario:
    heartbeat = StreamsGroupHeartbeat
    stranger = [heartbeat(5, STRANGER, 7), heartbeat(5, STRANGER, -1)]
    return history(heartbeat(0), *stranger, heartbeat(1), *stranger)
