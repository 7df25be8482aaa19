"""Classic members of a consumer group (KIP-848, online migration): who may join, by a JoinGroup
that is answered at once.

How a group comes to have both, and to have classic ones alone, is in `migrating`.
"""

from spec.clause import KIP, Chapter, Code, Doc, Held
from spec.fence import Fence, Unit
from spec.frozen import replace
from spec.groups.clauses.sizes import expect_no_refusal, refusal_at_the_limit
from spec.groups.examples import first, mixed_history, second
from spec.groups.model.classic import Decision, ReceivedJoin
from spec.groups.model.group import Group, Kind, Member
from spec.groups.steps import (
    MEMBER_ID_REQUIRED_SINCE,
    ConsumerGroupHeartbeat,
    Heartbeat,
    LeaveGroup,
    SyncGroup,
)
from spec.groups.turn import Turn
from spec.kafka import Error
from spec.scenario import Scenario
from spec.verdict import LimitClass, Strength

chapter: Chapter[Turn] = Chapter()

JOINS = Code("GroupMetadataManager.java", "2505")
LIMIT = Doc("config group.consumer.max.size")


def decide_in_consumer_group(group: Group, ask: ReceivedJoin, limit: int) -> Decision:
    """Decide a dynamic member's JoinGroup to a group that has consumer members, as Apache Kafka
    does: refused as full where its id is no member's and the group has `limit` members or more;
    otherwise answered with MEMBER_ID_REQUIRED where it has no id though its version asks for one;
    otherwise it joins, under any id, also one that no coordinator has given out.
    """
    known = group.member(ask.member) is not None
    if not known and group.size >= limit:
        return Decision.FULL
    return (
        Decision.ID_REQUIRED
        if not ask.member and ask.version >= MEMBER_ID_REQUIRED_SINCE
        else Decision.CURRENT
    )


def group_after_join(group: Group, ask: ReceivedJoin, decision: Decision, now: float) -> Group:
    """The group after a JoinGroup was decided. Only one that joins changes it: an id that comes
    with MEMBER_ID_REQUIRED takes no place and is not remembered.
    """
    if decision is not Decision.CURRENT:
        return group
    times = ask.session_ms, ask.rebalance_ms, now
    member = Member(ask.member, None, ask.metadata, *times, classic=True)
    if group.member(ask.member) is not None:
        return group.with_member(member)
    return replace(group, members=(*group.members, member), freed=False)


def expected_code(
    group: Group, step: SyncGroup | Heartbeat | LeaveGroup, member_id: str, generation: int
) -> int | None:
    """The error code of the other requests of a classic member; None where it depends on epochs or
    instances, which are not followed.

    One that was in the classic group which was upgraded is to join again.
    """
    member = group.member(member_id)
    if step.instance is not None or (member is not None and member.instance is not None):
        return None
    if member is None or not member.classic:
        return Error.UNKNOWN_MEMBER_ID
    if isinstance(step, LeaveGroup):
        return 0
    return (
        Error.REBALANCE_IN_PROGRESS if member.carried and generation == group.generation else None
    )


def may_admit_no_classic_member(code: int | None) -> bool:
    """Whether the broker takes no classic members into consumer groups:
    group.consumer.migration.policy may say so.
    """
    return code == Error.INCONSISTENT_GROUP_PROTOCOL


def _to_consumers(turn: Turn) -> bool:
    return (
        turn.join is not None
        and turn.before.kind is Kind.CONSUMER
        and not may_admit_no_classic_member(turn.code)
    )


@chapter.clause(
    "GRP-040",
    Strength.MUST,
    LimitClass.SOFT,
    LIMIT,
    KIP(848, "group.consumer.max.size"),
    JOINS,
    slug="groups/mixed/classic-newcomer",
    fence=Fence("the members of both protocols", Unit.MEMBERS, "group.consumer.max.size"),
)
def a_classic_newcomer_is_measured_by_the_consumer_limit(turn: Turn) -> Held | None:
    """A JoinGroup that comes to a consumer group, with no member id or with one that is no
    member's, is answered with GROUP_MAX_SIZE_REACHED if and only if the group has
    group.consumer.max.size members or more, those of both protocols together. group.max.size does
    not count.

    A broker that lets no classic member in (group.consumer.migration.policy) answers
    INCONSISTENT_GROUP_PROTOCOL, and conforms.
    """
    return (
        refusal_at_the_limit(turn, turn.before.size, "members of both protocols")
        if _to_consumers(turn) and turn.known_member is None
        else None
    )


@a_classic_newcomer_is_measured_by_the_consumer_limit.example(
    "two classic members come to a consumer, the third finds the group full; when one has left, "
    "it is let in"
)
def _third() -> Scenario:
    come = [step for actor in (1, 2) for step in (first(actor), second(actor, parked=False))]
    late = (first(3), ConsumerGroupHeartbeat(4), LeaveGroup(2), first(3), second(3, parked=False))
    return mixed_history(ConsumerGroupHeartbeat(0), *come, *late)


@chapter.clause(
    "GRP-042",
    Strength.MUST,
    LimitClass.SOFT,
    LIMIT,
    KIP(848),
    JOINS,
    slug="groups/mixed/classic-member",
    fence=Fence("the members of both protocols", Unit.MEMBERS, "group.consumer.max.size"),
)
def a_classic_member_of_a_consumer_group_is_never_refused(turn: Turn) -> Held | None:
    """A JoinGroup with the id of a member of a consumer group is not answered with
    GROUP_MAX_SIZE_REACHED, however many members the group has.
    """
    if not _to_consumers(turn) or turn.known_member is None:
        return None
    return expect_no_refusal(turn, "member refused")


@a_classic_member_of_a_consumer_group_is_never_refused.example(
    "a classic member of a full consumer group joins again"
)
def _second_join() -> Scenario:
    joins = (first(1), second(1, parked=False))
    return mixed_history(
        ConsumerGroupHeartbeat(0), *joins, ConsumerGroupHeartbeat(2), second(1, parked=False)
    )
