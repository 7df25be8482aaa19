"""The classic group: what becomes of JoinGroup, SyncGroup, Heartbeat and LeaveGroup.

Deciding what to do with a JoinGroup and doing it are two functions, so that an observer can follow
a broker that decided otherwise. Sources: GroupMetadataManager.java and ClassicGroup.java of Kafka
4.3.1; KIP-345, KIP-389, KIP-394.
"""

from enum import StrEnum

from spec.frozen import frozen, replace
from spec.groups.model.delays import first_delay
from spec.groups.model.group import UNKNOWN_GENERATION, Group, Kind, Member, Pending, State
from spec.groups.outcomes import Assigned
from spec.groups.steps import MEMBER_ID_REQUIRED_SINCE, JoinGroup
from spec.kafka import Error


class Decision(StrEnum):
    """The decision on a JoinGroup."""

    FULL = "full"
    """Refused for size: GROUP_MAX_SIZE_REACHED."""
    ID_REQUIRED = "id_required"
    """An id is given out: MEMBER_ID_REQUIRED."""
    UNKNOWN = "unknown"
    """UNKNOWN_MEMBER_ID."""
    FENCED = "fenced"
    """FENCED_INSTANCE_ID."""
    JOINS = "joins"
    """It takes part in the join phase, and is answered when that is over."""
    CURRENT = "current"
    """It is answered with the current generation at once."""


ERRORS = {
    Decision.FULL: Error.GROUP_MAX_SIZE_REACHED,
    Decision.ID_REQUIRED: Error.MEMBER_ID_REQUIRED,
    Decision.UNKNOWN: Error.UNKNOWN_MEMBER_ID,
    Decision.FENCED: Error.FENCED_INSTANCE_ID,
}


@frozen
class ReceivedJoin:
    """A JoinGroup as the coordinator takes it; `member` is empty for none, `key` is its number."""

    key: int
    member: str = ""
    instance: str | None = None
    metadata: int = 0
    session_ms: int = 30_000
    rebalance_ms: int = 10_000
    version: int = 9


def joining_of(step: JoinGroup, key: int, member: str) -> ReceivedJoin:
    """A step as the coordinator takes it: its number, and the member id that it carries."""
    return ReceivedJoin(
        key, member, step.instance, step.metadata, step.session_ms, step.rebalance_ms, step.version
    )


@frozen
class MemberAnswer:
    """The answer to one request.

    Attributes:
        key: the request's number.
        error: error code.
        generation, member, leader: as the answer has them.
        members: the ids that a leader is answered.
        assigned: the assignment that a SyncGroup is answered with.
    """

    key: int
    error: int = 0
    generation: int = -1
    member: str = ""
    leader: str = ""
    members: tuple[str, ...] = ()
    assigned: Assigned = Assigned.UNKNOWN


@frozen
class Effect:
    """The effect of an event.

    Attributes:
        group: the group after it.
        answers: the answers that it set free.
        ended: where it ended a join phase, the group immediately before.
    """

    group: Group
    answers: tuple[MemberAnswer, ...] = ()
    ended: Group | None = None


def accepts(group: Group, member_id: str, limit: int) -> bool:
    """Whether there is room for a JoinGroup with this id (GRP-001, GRP-009, GRP-012). Source:
    GroupMetadataManager.java 7399-7425.
    """
    member = group.member(member_id)
    if group.state is State.PREPARING:
        return (
            member is not None and member.awaiting is not None
        ) or group.awaiting_members < limit
    return not group.is_settled or member is not None or group.size < limit


def decide(group: Group, ask: ReceivedJoin, limit: int) -> Decision:
    """The decision of Apache Kafka on a JoinGroup."""
    if group.state is State.DEAD and ask.member:
        return Decision.UNKNOWN
    if not accepts(group, ask.member, limit):
        return Decision.FULL
    held = group.instance(ask.instance)
    if not ask.member:
        if held is not None:
            return Decision.CURRENT if group.state is State.STABLE else Decision.JOINS
        return (
            Decision.ID_REQUIRED
            if ask.instance is None and ask.version >= MEMBER_ID_REQUIRED_SINCE
            else Decision.JOINS
        )
    if group.is_pending(ask.member):
        return Decision.JOINS
    if held is not None and held.id != ask.member:
        return Decision.FENCED
    member = group.member(ask.member)
    if member is None or (ask.instance is not None and held is None) or group.state is State.EMPTY:
        return Decision.UNKNOWN
    same = member.metadata == ask.metadata
    if same and (
        group.state is State.COMPLETING
        or (group.state is State.STABLE and member.id != group.leader)
    ):
        return Decision.CURRENT
    return Decision.JOINS


def join(
    group: Group, ask: ReceivedJoin, decision: Decision, fresh: str, delay_ms: float, now: float
) -> Effect:
    """Do what was decided; `fresh` is the id that is given out where one is."""
    if decision is Decision.FULL:
        forgotten = group.forgotten | {ask.member} if ask.member else group.forgotten
        return Effect(
            replace(group.without(ask.member), forgotten=forgotten),
            (MemberAnswer(ask.key, ERRORS[decision]),),
        )
    if decision is Decision.ID_REQUIRED:
        begun = _begin(group)
        begun = replace(
            begun, pending=(*begun.pending, Pending(fresh, ask.session_ms, now)), freed=False
        )
        return Effect(begun, (MemberAnswer(ask.key, ERRORS[decision], member=fresh),))
    if decision in ERRORS:
        return Effect(group, (MemberAnswer(ask.key, ERRORS[decision], member=ask.member),))
    held = group.instance(ask.instance) if not ask.member else None
    if decision is Decision.CURRENT:
        return _current(group, ask, held, fresh, now)
    if held is not None:
        answers = _fencing_answers(held)
        leader = fresh if group.leader == held.id else group.leader
        joined = replace(
            group.with_member(_member(ask, fresh, now), held.id), leader=leader, freed=False
        )
        return _rejoin(joined, delay_ms, now, answers)
    member_id = ask.member or fresh
    if (member := group.member(member_id)) is not None:
        again = replace(_member(ask, member_id, now), instance=member.instance)
        return _rejoin(replace(group.with_member(again), freed=False), delay_ms, now)
    begun = _begin(group).without(member_id)
    extended = begun.extended or (begun.state is State.PREPARING and begun.initial)
    added = replace(
        begun,
        members=(*begun.members, _member(ask, member_id, now)),
        extended=extended,
        freed=False,
    )
    return _rejoin(added, delay_ms, now)


def _fencing_answers(held: Member) -> tuple[MemberAnswer, ...]:
    """Answers to the waiting requests of an instance whose place another one takes (KIP-345)."""
    waiting = [key for key in (held.awaiting, held.syncing) if key is not None]
    return tuple([MemberAnswer(key, Error.FENCED_INSTANCE_ID, member=held.id) for key in waiting])


def take_seat(group: Group, ask: ReceivedJoin, fresh: str, now: float) -> Effect:
    """A static member takes its old place in a Stable group, and its answer waits until the broker
    has written that down.

    Meanwhile the next one of the same instance fences it, an administrator may remove it, and a
    join phase that begins counts it among those who wait. The model itself writes in no time; an
    observer has to follow a broker.
    """
    held = group.instance(ask.instance)
    assert held is not None, ask
    leader = fresh if group.leader == held.id else group.leader
    waits = replace(_under_new_id(held, fresh, now), awaiting=ask.key)
    return Effect(replace(group.with_member(waits, held.id), leader=leader), _fencing_answers(held))


def _begin(group: Group) -> Group:
    """A group that is there: Empty, where nobody had asked for it."""
    return (
        replace(group, kind=Kind.CLASSIC, state=State.EMPTY) if group.state is State.DEAD else group
    )


def _member(ask: ReceivedJoin, member_id: str, now: float) -> Member:
    return Member(
        member_id,
        ask.instance,
        ask.metadata,
        ask.session_ms,
        ask.rebalance_ms,
        now,
        awaiting=ask.key,
    )


def _current(
    group: Group, ask: ReceivedJoin, held: Member | None, fresh: str, now: float
) -> Effect:
    """The answer at once, which prolongs no session (seen on 4.3.1); a static member that takes its
    old place is given a new id (KIP-345).
    """
    member = held or group.member(ask.member)
    answer = MemberAnswer(ask.key, 0, group.generation, ask.member, group.leader)
    if member is None:  # never so by the reference: who is answered the generation is in it
        joined = replace(_member(ask, ask.member, now), awaiting=None)
        return Effect(replace(group, members=(*group.members, joined)), (answer,))
    answered_id = fresh if held is not None else member.id
    leader = answered_id if group.leader == member.id else group.leader
    answers = _fencing_answers(member) if held is not None else ()
    kept = member if held is None else _under_new_id(member, answered_id, now)
    after = replace(group.with_member(kept, member.id), leader=leader)
    listed = tuple([one.id for one in after.members]) if leader == answered_id else ()
    return Effect(
        after, (*answers, MemberAnswer(ask.key, 0, group.generation, answered_id, leader, listed))
    )


def _under_new_id(held: Member, fresh: str, now: float) -> Member:
    """A static member that takes its old place in a Stable group. Where it had not sent SyncGroup,
    the reference still waits for that of the old id, which can't come any more.

    Source: ClassicGroup.java, `replaceStaticMember`; seen on 4.0.2 to 4.4.0.
    """
    stands_in = held.stands_in or not held.synced
    return replace(
        held, id=fresh, seen=now, awaiting=None, stands_in=stands_in, has_assignment=False
    )


def _rejoin(
    group: Group, delay_ms: float, now: float, answers: tuple[MemberAnswer, ...] = ()
) -> Effect:
    after = check(group, now) if group.state is State.PREPARING else rebalance(group, delay_ms, now)
    return replace(after, answers=(*answers, *after.answers))


def rebalance(group: Group, delay_ms: float, now: float) -> Effect:
    """Begin a join phase. SyncGroups that wait are answered REBALANCE_IN_PROGRESS; an empty group
    waits for its initial delay.
    """
    answers = tuple(
        [
            MemberAnswer(member.syncing, Error.REBALANCE_IN_PROGRESS)
            for member in group.members
            if member.syncing is not None
        ]
    )
    longest = max([member.rebalance_ms for member in group.members], default=0)
    begun = replace(
        group,
        state=State.PREPARING,
        members=tuple(
            [
                replace(one, syncing=None, synced=False, stands_in=False, has_assignment=False)
                for one in group.members
            ]
        ),
        sync_due=None,
        initial=group.state is State.EMPTY,
        extended=False,
    )
    if begun.initial:
        delay, left = first_delay(delay_ms, longest)
        return Effect(replace(begun, join_due=now + delay, delay_left=left), answers)
    after = check(replace(begun, join_due=now + longest), now)
    return replace(after, answers=(*answers, *after.answers))


def check(group: Group, now: float) -> Effect:
    """End the join phase if nobody is waited for; called where a member was added, changed or
    removed, not after a refusal (GRP-011).
    """
    if group.state is not State.PREPARING or group.initial or not group.all_joined:
        return Effect(group)
    return complete(group, now)


def complete(group: Group, now: float) -> Effect:
    """End the join phase: dynamic members that did not come are dropped, the others make the next
    generation (GRP-018).

    The leader stays if it came; otherwise the first that did leads.
    """
    stay = tuple(
        [
            member
            for member in group.members
            if member.awaiting is not None or member.instance is not None
        ]
    )
    longest = max([member.rebalance_ms for member in stay], default=0)
    ended = replace(group, join_due=None, initial=False, loaded=False)
    if not stay:
        return Effect(
            replace(ended, state=State.EMPTY, generation=_next(group), members=(), leader=""),
            ended=group,
        )
    came = [member.id for member in stay if member.awaiting is not None]
    if not came:
        return Effect(replace(group, members=stay, initial=False, join_due=now + longest))
    leader = group.leader if group.leader in came else came[0]
    generation = _next(group)
    ids = tuple([member.id for member in stay])
    answers = [
        MemberAnswer(
            member.awaiting, 0, generation, member.id, leader, ids if member.id == leader else ()
        )
        for member in stay
        if member.awaiting is not None
    ]
    members = tuple(
        [replace(member, awaiting=None, syncing=None, synced=False, seen=now) for member in stay]
    )
    after = replace(
        ended,
        state=State.COMPLETING,
        generation=generation,
        members=members,
        leader=leader,
        sync_due=now + longest,
    )
    return Effect(after, tuple(answers), ended=group)


def _next(group: Group) -> int:
    return UNKNOWN_GENERATION if group.generation == UNKNOWN_GENERATION else group.generation + 1


def counted_from(effect: Effect, generation: int) -> Effect:
    """The same end of a join phase of a group whose generation was not known, with the one that its
    members were answered.
    """
    answers = tuple(
        [replace(one, generation=generation) if not one.error else one for one in effect.answers]
    )
    return replace(effect, group=replace(effect.group, generation=generation), answers=answers)


def led_by(effect: Effect, leader: str) -> Effect:
    """The same end of a join phase with another leader: which of those who came leads is the
    broker's choice.
    """
    answers = tuple(
        [
            replace(
                one,
                leader=leader,
                members=tuple([m.id for m in effect.group.members]) if one.member == leader else (),
            )
            if one.generation == effect.group.generation
            else one
            for one in effect.answers
        ]
    )
    return replace(effect, group=replace(effect.group, leader=leader), answers=answers)
