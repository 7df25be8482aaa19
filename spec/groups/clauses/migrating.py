"""Groups that change their protocol (KIP-848, online migration): upgraded by the first consumer,
downgraded when the last one leaves.

What of it depends on sizes is followed, for dynamic members. The epoch of a consumer group is not:
a downgraded group's generation is known again once its next join phase is over.
"""

from spec.clause import KIP, Chapter, Code, Doc, Held, breaks, fails, holds
from spec.fence import Fence, Unit
from spec.frozen import replace
from spec.groups.clauses.sizes import response_of
from spec.groups.examples import (
    alone,
    first,
    mixed_history,
    pair,
    second,
    upgraded_history,
    with_one_more_actor,
)
from spec.groups.model.assigned import JOIN, HeartbeatRequest, apply_heartbeat, is_invalid
from spec.groups.model.classic import Effect, MemberAnswer, rebalance
from spec.groups.model.group import UNKNOWN_GENERATION, Group, Kind, State
from spec.groups.releases import GroupSemantics, Limits
from spec.groups.steps import (
    ConsumerGroupHeartbeat,
    DescribeGroup,
    GroupStep,
    Heartbeat,
    JoinGroup,
    LeaveGroup,
)
from spec.groups.turn import Turn
from spec.kafka import Error
from spec.scenario import Scenario
from spec.verdict import ABOVE, BELOW, LimitClass, Strength, side

chapter: Chapter[Turn] = Chapter()

UPGRADES = Code("GroupMetadataManager.java", "860, 1372-1392, 1423-1424, 2339")
DOWNGRADES = Code("GroupMetadataManager.java", "1267-1294")


def decide_upgrade(group: Group, ask: HeartbeatRequest, limits: Limits) -> int:
    """The error code of a consumer's heartbeat that comes to a classic group with members; 0 where
    the group becomes a consumer group.
    """
    if is_invalid(ask):
        return Error.INVALID_REQUEST
    if ask.epoch != JOIN or group.size > limits.consumer:
        return Error.GROUP_ID_NOT_FOUND
    return Error.GROUP_MAX_SIZE_REACHED if group.size == limits.consumer else 0


def interrupts(group: Group, ask: HeartbeatRequest, limits: Limits) -> bool:
    """Whether such a heartbeat ends the wait of requests, though it may be refused after that."""
    return ask.epoch == JOIN and group.size <= limits.consumer


def interrupt_waiting(group: Group) -> Effect:
    """Whatever waits is answered REBALANCE_IN_PROGRESS; the group stays in its state."""
    again = Error.REBALANCE_IN_PROGRESS
    joins = [
        MemberAnswer(member.awaiting, again, member=member.id)
        for member in group.members
        if member.awaiting is not None
    ]
    syncs = [
        MemberAnswer(member.syncing, again)
        for member in group.members
        if member.syncing is not None
    ]
    members = tuple([replace(member, awaiting=None, syncing=None) for member in group.members])
    return Effect(replace(group, members=members), (*joins, *syncs))


def upgrade_group(group: Group, ask: HeartbeatRequest, now: float) -> Effect:
    """A consumer group of the classic members, who are to join again, and the consumer that came.
    Ids given out are not remembered.
    """
    over = interrupt_waiting(group)
    members = tuple(
        [
            replace(member, seen=now, synced=False, classic=True, carried=True)
            for member in over.group.members
        ]
    )
    return replace(
        over,
        group=apply_heartbeat(
            Group(Kind.CONSUMER, generation=group.generation, members=members), ask, 0, now
        ),
    )


def may_be_downgraded(before: Group, after: Group) -> bool:
    """Whether a member has left a consumer group to classic members alone."""
    left = before.kind is Kind.CONSUMER and after.size < before.size
    return left and after.size > 0 and all(member.classic for member in after.members)


def fits_downgraded(remaining: int, limits: Limits) -> bool:
    """Whether so many classic members that a consumer group is left to become a classic group."""
    return remaining <= limits.classic


def downgrade_group(group: Group, now: float, generation: int = UNKNOWN_GENERATION) -> Effect:
    """A classic group that rebalances: nobody has joined it yet."""
    members = tuple(
        [replace(member, seen=now, classic=False, carried=False) for member in group.members]
    )
    return rebalance(Group(Kind.CLASSIC, State.STABLE, generation, members, freed=True), 0.0, now)


def may_upgrade_no_group(code: int | None) -> bool:
    """Whether the broker may be one that upgrades no group: group.consumer.migration.policy may say
    so.
    """
    return code == Error.GROUP_ID_NOT_FOUND


@chapter.clause(
    "GRP-043",
    Strength.MUST,
    LimitClass.SOFT,
    Doc("config group.consumer.max.size"),
    KIP(848, "group.consumer.max.size"),
    UPGRADES,
    slug="groups/migration/upgrade",
    fence=Fence("the members of the classic group", Unit.MEMBERS, "group.consumer.max.size"),
)
def an_upgrade_keeps_the_limit_of_consumer_groups(turn: Turn) -> Held | None:
    """A ConsumerGroupHeartbeat of epoch 0 by a new member that comes to a classic group of n
    members is not answered with GROUP_MAX_SIZE_REACHED where n is below group.consumer.max.size,
    and is not answered without an error where n is at or above it.

    Apache Kafka answers GROUP_MAX_SIZE_REACHED where n is the limit and GROUP_ID_NOT_FOUND where it
    is above (GRP-157).
    """
    comes = isinstance(turn.heartbeat, ConsumerGroupHeartbeat) and turn.heartbeat.epoch == JOIN
    if (
        not comes
        or turn.before.kind is not Kind.CLASSIC
        or turn.known_member is not None
        or turn.static_member is not None
    ):
        return None
    size = turn.before.size
    where = side(size, turn.limit)
    if where is BELOW:
        why = (
            f"{size} classic members under a limit of {turn.limit} consumers: expected room, found "
            f"{response_of(turn)}"
        )
        return breaks(where, why, "refused") if turn.is_refused_for_size else holds(where)
    why = (
        f"{size} classic members under a limit of {turn.limit} consumers: expected no upgrade, "
        f"found {response_of(turn)}"
    )
    return breaks(where, why, "upgraded") if turn.code == 0 else holds(where)


@an_upgrade_keeps_the_limit_of_consumer_groups.example(
    "a consumer comes to a classic group of one and may: the classic member is to join again"
)
def _smaller() -> Scenario:
    return upgraded_history(*alone(), CONSUMER, Heartbeat(0), LOOK, second(0, parked=False))


@an_upgrade_keeps_the_limit_of_consumer_groups.example(
    "a consumer comes to a classic group that is as large as a consumer group may be"
)
def _as_large() -> Scenario:
    return upgraded_history(*pair(), CONSUMER, Heartbeat(0), LOOK)


@an_upgrade_keeps_the_limit_of_consumer_groups.example(
    "a consumer comes to a classic group that is larger, and again when one has left who was the "
    "last to come"
)
def _larger() -> Scenario:
    return upgraded_history(
        *pair(),
        *with_one_more_actor(2, (0, 1)),
        CONSUMER,
        Heartbeat(0),
        LeaveGroup(2),
        LeaveGroup(1),
        CONSUMER,
        LOOK,
    )


@an_upgrade_keeps_the_limit_of_consumer_groups.example(
    "a consumer comes to a join phase at the limit: it is refused, and who waits is to join again"
)
def _in_a_join_phase() -> Scenario:
    waits = JoinGroup(0, parked=True, patience_ms=500)
    return upgraded_history(
        *pair(), waits, DescribeGroup(9, "PreparingRebalance", 2), CONSUMER, LOOK
    )


@chapter.clause(
    "GRP-045",
    Strength.MUST,
    LimitClass.SOFT,
    Doc("config group.max.size: the most consumers that one group can hold"),
    KIP(848),
    DOWNGRADES,
    slug="groups/migration/downgrade",
    fence=Fence("the classic members that remain", Unit.MEMBERS, "group.max.size"),
)
def a_downgrade_keeps_the_limit_of_classic_groups(turn: Turn) -> Held | None:
    """When a member leaves a consumer group to n classic members alone, the group becomes a classic
    group only if n is at most group.max.size.

    That it then does is GRP-164: group.consumer.migration.policy may forbid it.
    """
    if turn.left_to is None:
        return None
    where = side(turn.left_to.members, turn.left_to.limit)
    why = (
        f"{turn.left_to.members} classic members under a limit of {turn.left_to.limit}: expected "
        "no downgrade, found a classic group"
    )
    return (
        breaks(where, why, "downgraded")
        if where is ABOVE and turn.left_to.downgraded
        else holds(where)
    )


@a_downgrade_keeps_the_limit_of_classic_groups.example(
    "a consumer leaves one classic member behind, of three that might be"
)
def _few() -> Scenario:
    return upgraded_history(*_joining_steps(0), LEAVES, LOOK, second(0, parked=False))


@a_downgrade_keeps_the_limit_of_classic_groups.example(
    "a consumer leaves one classic member behind, which is all that a classic group may have, and "
    "comes back"
)
def _equally_many() -> Scenario:
    return mixed_history(*_joining_steps(0), LEAVES, LOOK, first(1), CONSUMER, LOOK)


@a_downgrade_keeps_the_limit_of_classic_groups.example(
    "a consumer leaves two classic members behind, one too many; then one of them leaves"
)
def _too_many() -> Scenario:
    return mixed_history(
        *_joining_steps(0, 1), LEAVES, LOOK, LeaveGroup(1), LOOK, second(0, parked=False)
    )


@chapter.clause(
    "GRP-164",
    Strength.REFERENCE,
    LimitClass.SOFT,
    Doc("config group.consumer.migration.policy"),
    KIP(848),
    DOWNGRADES,
    slug="groups/migration/downgrades",
)
def a_group_left_to_classic_members_is_downgraded(turn: Turn) -> Held | None:
    """When a member leaves a consumer group to n classic members alone, where n is at most
    group.max.size, the group becomes a classic group.

    It is looked at only on a broker whose group.consumer.migration.policy is known to be
    bidirectional, the default, or downgrade.
    """
    left_to, semantics = turn.left_to, turn.semantics.of(GroupSemantics)
    if left_to is None or left_to.members > left_to.limit or not semantics.downgrades:
        return None
    if left_to.downgraded:
        return holds()
    return fails(
        f"{left_to.members} classic members under a limit of {left_to.limit}: expected a classic "
        "group, found a consumer group",
        "not downgraded",
    )


@a_group_left_to_classic_members_is_downgraded.example(
    "two consumers leave a classic member behind, one after the other"
)
def _left_by_both() -> Scenario:
    other = ConsumerGroupHeartbeat(6)
    return mixed_history(
        *_joining_steps(0), other, LEAVES, LOOK, replace(other, epoch=-1), LOOK, Heartbeat(0)
    )


CONSUMER = ConsumerGroupHeartbeat(7)
LEAVES = ConsumerGroupHeartbeat(7, epoch=-1)
LOOK = DescribeGroup(9)


def _joining_steps(*actors: int) -> tuple[GroupStep, ...]:
    """A consumer, and classic members that come to it."""
    return (
        CONSUMER,
        *[step for actor in actors for step in (first(actor), second(actor, parked=False))],
    )
