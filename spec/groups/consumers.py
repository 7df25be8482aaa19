"""Possible effects of requests to a group that has members of the consumer protocol, or that
one of them comes to.
"""

from collections.abc import Iterator

from spec.frozen import replace
from spec.groups.clauses.migrating import (
    decide_upgrade,
    downgrade_group,
    fits_downgraded,
    interrupt_waiting,
    interrupts,
    may_be_downgraded,
    may_upgrade_no_group,
    upgrade_group,
)
from spec.groups.clauses.mixed import (
    decide_in_consumer_group,
    expected_code,
    group_after_join,
    may_admit_no_classic_member,
)
from spec.groups.history import Event
from spec.groups.model.assigned import (
    JOIN,
    HeartbeatRequest,
    apply_heartbeat,
    decide_heartbeat,
    kind_of,
)
from spec.groups.model.classic import ERRORS, Decision, Effect, joining_of
from spec.groups.model.group import Group, Kind
from spec.groups.model.state import GroupMove, GroupsState, ObservedHistory
from spec.groups.outcomes import MemberHeartbeatAnswer
from spec.groups.releases import GroupSemantics
from spec.groups.steps import Heartbeat, JoinGroup, LeaveGroup, NamedStep, SyncGroup
from spec.groups.turn import JoinPhaseEnd, RemainingMembers, Turn
from spec.kafka import Error


def joins(seen: ObservedHistory, state: GroupsState, event: Event, step: JoinGroup) -> GroupMove:
    """A classic member that joins a consumer group, which answers at once."""
    group, limit = state.groups[event.group], state.limits.consumer
    ask = joining_of(step, event.number, event.member)
    expected = decide_in_consumer_group(group, ask, limit)
    closed = may_admit_no_classic_member(getattr(event.outcome, "error", None))
    turn = seen.turn(group, limit, event, None if closed else ERRORS.get(expected, Error.NONE))
    came = Decision.CURRENT if turn.code == 0 else Decision.FULL
    return seen.move(
        state,
        state.with_group(event.group, group_after_join(group, ask, came, state.now)),
        event,
        (turn,),
    )


def heartbeats(
    seen: ObservedHistory, state: GroupsState, event: Event, step: NamedStep
) -> Iterator[GroupMove]:
    """The heartbeat of a member that names itself, whatever group it meets."""
    group = state.groups[event.group]
    kind = kind_of(step)
    limit = state.limits.of(kind)
    ask = HeartbeatRequest(
        kind, event.member, event.epoch, getattr(step, "instance", None), event.current
    )
    if kind is Kind.CONSUMER and group.kind is Kind.CLASSIC:
        if group.members or event.epoch != JOIN:
            yield from _meets_classic(seen, state, event, ask)
            return
        group = Group()
    expected = decide_heartbeat(group, ask, limit, seen.semantics.of(GroupSemantics))
    member = group.member(event.member)
    again = event.epoch == JOIN and member is not None
    unsaid = (
        again and seen.semantics.of(GroupSemantics).fences_epoch_zero
    )  # it depends on the member's last two epochs
    switches = member is not None and member.classic
    turn = seen.turn(group, limit, event, None if unsaid or switches else expected)
    code = turn.code
    after = apply_heartbeat(group, ask, expected if code is None else code, state.now)
    yield from _moves_after(seen, state, event, _with_answered_epoch(after, event), turn)


def _with_answered_epoch(group: Group, event: Event) -> Group:
    """The group whose member goes by the epoch that it was answered, where an answer was seen."""
    member, answer = group.member(event.member), event.outcome
    if member is None or not isinstance(answer, MemberHeartbeatAnswer) or answer.error:
        return group
    return group.with_member(replace(member, epoch=max(answer.epoch, 0)))


def asks(
    seen: ObservedHistory,
    state: GroupsState,
    event: Event,
    step: SyncGroup | Heartbeat | LeaveGroup,
) -> Iterator[GroupMove]:
    """Each way to take any other request of a classic member to a consumer group, which answers at
    once.
    """
    group = state.groups[event.group]
    turn = seen.turn(
        group,
        state.limits.consumer,
        event,
        expected_code(group, step, event.member, event.generation),
    )
    leaves = isinstance(step, LeaveGroup) and turn.code == 0
    yield from _moves_after(
        seen,
        state,
        event,
        replace(group.without(event.member), freed=True) if leaves else group,
        turn,
    )


def _meets_classic(
    seen: ObservedHistory, state: GroupsState, event: Event, ask: HeartbeatRequest
) -> Iterator[GroupMove]:
    """The effect of a consumer on a classic group; one that is refused may have ended the wait of
    others.

    Nothing is said of a group that goes by no protocol yet, since its first join phase is not over:
    Apache Kafka has an error of its own.
    """
    group, limits = state.groups[event.group], state.limits
    expected = decide_upgrade(group, ask, limits)
    unknown = group.initial or any(
        member.id == event.member or member.instance is not None for member in group.members
    )
    turn = seen.turn(group, limits.consumer, event)
    turn = replace(turn, expected=None if unknown or may_upgrade_no_group(turn.code) else expected)
    if turn.code == 0 or (turn.code is None and not expected):
        effects = [upgrade_group(group, ask, state.now)]
    else:
        effects = [
            *([interrupt_waiting(group)] if interrupts(group, ask, limits) else []),
            Effect(group),
        ]
    for effect in effects:
        met = replace(effect, group=_with_answered_epoch(effect.group, event))
        yield seen.settle(state, event.group, met, JoinPhaseEnd.ALL_CAME, event, (turn,))


def _moves_after(
    seen: ObservedHistory, state: GroupsState, event: Event, after: Group, turn: Turn
) -> Iterator[GroupMove]:
    """The state after a request to a consumer group; one left to classic members may have become a
    classic group.
    """
    group = state.groups[event.group]
    if not may_be_downgraded(group, after):
        yield seen.move(state, state.with_group(event.group, after), event, (turn,))
        return
    fits = fits_downgraded(after.size, state.limits)
    for done in (fits, not fits):
        looked_at = replace(turn, left_to=RemainingMembers(after.size, state.limits.classic, done))
        became = downgrade_group(after, state.now).group if done else after
        yield seen.move(state, state.with_group(event.group, became), event, (looked_at,))
