"""Static members (KIP-345) and the limit: an instance that comes back takes its own place."""

from spec.clause import KIP, Chapter, Code, Held, Report, fails, holds
from spec.fence import Fence, Unit
from spec.groups.clauses.sizes import ACCEPTS, expect_no_refusal
from spec.groups.examples import history, static, static_pair
from spec.groups.steps import (
    MEMBER_ID_REQUIRED_SINCE,
    ConsumerGroupHeartbeat,
    Heartbeat,
    JoinGroup,
)
from spec.groups.turn import Turn
from spec.kafka import Error
from spec.scenario import Scenario
from spec.verdict import LimitClass, Strength

chapter: Chapter[Turn] = Chapter()


@chapter.clause(
    "GRP-008",
    Strength.MUST,
    LimitClass.SOFT,
    KIP(345, "a known group.instance.id is the same member, with a new member id"),
    KIP(389, "registration of new members is blocked"),
    ACCEPTS,
    slug="groups/static/own-place",
    fence=Fence("the members of the group", Unit.MEMBERS, "the limit"),
)
def a_static_member_comes_back_to_its_own_place(turn: Turn) -> Held | None:
    """In state Stable or CompletingRebalance, a JoinGroup without a member id and with the
    group.instance.id of a member is not answered with GROUP_MAX_SIZE_REACHED, however many members
    the group has: the instance has a place already.

    Otherwise a rolling restart of the members of a full group ends them one by one, since clients
    take the refusal for fatal.
    """
    if turn.join is None or turn.member or turn.static_member is None or not turn.before.is_settled:
        return None
    return expect_no_refusal(turn, "instance refused", "an instance", wanted="its place")


@a_static_member_comes_back_to_its_own_place.example("i1 of two restarts under a limit of 3")
def _with_room() -> Scenario:
    return history(
        *static_pair(), static(2, "i1", parked=False), Heartbeat(1, instance="i1"), limit=3
    )


@a_static_member_comes_back_to_its_own_place.example("i1 of two restarts under a limit of 2")
def _without_room() -> Scenario:
    return history(*static_pair(), static(2, "i1", parked=False), JoinGroup(1, instance="i1"))


@chapter.clause(
    "GRP-007",
    Strength.MUST,
    LimitClass.HARD,
    KIP(345),
    KIP(394),
    Code("GroupMetadataManager.java", "6560-6617"),
    slug="groups/static/one-step",
)
def a_static_newcomer_joins_in_one_step(turn: Turn) -> Held | None:
    """A JoinGroup of version 5 or above with a group.instance.id and without a member id is never
    answered with MEMBER_ID_REQUIRED.

    The limit holds for it in that one step (GRP-001).
    """
    join = turn.join
    if (
        join is None
        or join.instance is None
        or turn.member
        or join.version <= MEMBER_ID_REQUIRED_SINCE
    ):
        return None
    if turn.code == Error.MEMBER_ID_REQUIRED:
        return fails(
            "expected a static member to join in one step, found MEMBER_ID_REQUIRED",
            "id given out",
        )
    return holds()


@a_static_newcomer_joins_in_one_step.example("a static member comes to a full group")
def _newcomer() -> Scenario:
    return history(*static_pair(), static(3, "i3", parked=False))


@chapter.clause(
    "GRP-034",
    Strength.MUST,
    LimitClass.SOFT,
    KIP(848, "static membership"),
    Report("KAFKA-20601"),
    Code("GroupMetadataManager.java", "1569-1579"),
    slug="groups/static/consumer-own-place",
    fence=Fence("the members of the group", Unit.MEMBERS, "group.consumer.max.size"),
    aliases=("N02",),
)
def a_static_consumer_comes_back_to_its_own_place(turn: Turn) -> Held | None:
    """A ConsumerGroupHeartbeat of epoch 0, under a new member id, with the instance id of a member
    that left for a moment (epoch -2), is not answered with GROUP_MAX_SIZE_REACHED, however many
    members the group has.
    """
    heartbeat = turn.heartbeat
    if (
        not isinstance(heartbeat, ConsumerGroupHeartbeat)
        or heartbeat.epoch != 0
        or turn.known_member is not None
    ):
        return None
    if turn.static_member is None or not turn.static_member.gone:
        return None
    return expect_no_refusal(turn, "instance refused", "an instance", wanted="its place")


@a_static_consumer_comes_back_to_its_own_place.example(
    "i1 of a full consumer group leaves for a moment and comes back under a new id; so does one "
    "it never had"
)
def _consumer() -> Scenario:
    return history(
        ConsumerGroupHeartbeat(0, instance="i1"),
        ConsumerGroupHeartbeat(1, instance="i2"),
        ConsumerGroupHeartbeat(0, epoch=-2, instance="i1"),
        ConsumerGroupHeartbeat(2, instance="i1"),
        ConsumerGroupHeartbeat(3, instance="i3"),
    )
