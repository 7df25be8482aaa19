"""Possible effects on the groups of each event of a history, seen or hidden."""

from collections.abc import Iterator, Mapping
from math import inf

from spec.frozen import replace
from spec.groups import consumers
from spec.groups.history import Event
from spec.groups.model.classic import (
    ERRORS,
    Decision,
    Effect,
    complete,
    decide,
    join,
    joining_of,
    take_seat,
)
from spec.groups.model.commits import (
    Sender,
    expected_commit,
    expected_fetch,
    group_after_commit,
)
from spec.groups.model.group import UNKNOWN_GENERATION, Group, Kind, Member, State
from spec.groups.model.membership import heartbeat, leave, load_group, sync, waits_to_sync
from spec.groups.model.state import GroupMove, GroupsState, ObservedHistory
from spec.groups.model.timers import TimerKind, expire_timer, timers
from spec.groups.outcomes import BrokerChanged, JoinGroupAnswer
from spec.groups.releases import SIZE_LIMITS, limits_of
from spec.groups.steps import (
    AlterBrokerConfig,
    DescribeGroup,
    Heartbeat,
    JoinGroup,
    LeaveGroup,
    MemberCommit,
    MemberOffsetFetch,
    NamedStep,
    RestartWith,
    SyncGroup,
)
from spec.groups.turn import JoinPhaseEnd, Turn
from spec.kafka import Error
from spec.outcomes import Outcome
from spec.semantics import Semantics

CLOCK_MS = 20.0
"""The time by which a timer may run out earlier than by the client's clock."""


class ObservedGroups:
    """An observation of groups, and the moves by which a coordinator may have come to it.

    Args:
        events: the history's.
        start: the groups before it.
        semantics: what it is judged by.
        delay_ms: the longest delay that was measured meanwhile, see `Observation`.
    """

    by_turns = True

    def __init__(
        self,
        events: tuple[Event, ...],
        start: GroupsState,
        semantics: Semantics,
        delay_ms: float = 0.0,
    ) -> None:
        self.events = events
        self.start = start
        self.seen = ObservedHistory(events, semantics, delay_ms)

    def arrive(self, state: GroupsState, number: int, now: float) -> Iterator[GroupMove]:
        """Each way in which a request may have met the groups, given what it was answered."""
        event, met = self.events[number], replace(state, now=now)
        match event.step:
            case RestartWith() as step:
                yield self.seen.move(met, _state_after_restart(met, step), event)
            case AlterBrokerConfig() as step:
                expected = _expected_change(step, event.outcome)
                turn = self.seen.turn(Group(), 1, event, expected=expected)
                yield self.seen.move(met, met, event, (turn,))
            case DescribeGroup():
                group = met.groups[event.group]
                expected = _expected_of_description(group)
                turn = self.seen.turn(group, met.limits.classic, event, expected=expected)
                yield self.seen.move(met, met, event, (turn,))
            case JoinGroup() as step:
                yield from self._joins(met, event, step)
            case SyncGroup() | Heartbeat() | LeaveGroup() as step:
                yield from self._moves_of_others(met, event, step)
            case MemberCommit() as step:
                yield self._commit(met, event, step)
            case MemberOffsetFetch():
                group, sender = met.groups[event.group], Sender(event.member, event.epoch)
                expected = expected_fetch(group, sender)
                turn = self.seen.turn(group, met.limits.classic, event, expected)
                yield self.seen.move(met, met, event, (replace(turn, epoch=event.epoch),))
            case step if isinstance(step, NamedStep):
                yield from consumers.heartbeats(self.seen, met, event, step)
            case _:
                yield self.seen.move(met, met, event)

    def hidden_moves(self, state: GroupsState, now: float, until: float) -> Iterator[GroupMove]:
        """Each timer that may run out, up to a time: of join phases and of sessions."""
        for number, group in enumerate(state.groups):
            for timer in timers(group):
                at = max(now, timer.at - CLOCK_MS)
                if at <= until and (
                    timer.kind is not TimerKind.SESSION or group.kind is Kind.CLASSIC
                ):
                    for one in _waiting_for(group, timer.kind):
                        effect = expire_timer(one, timer, state.limits.initial_delay_ms, at)
                        yield self.seen.settle(
                            replace(state, now=at), number, effect, JoinPhaseEnd.TIME
                        )

    def unlawful(
        self, state: GroupsState, waiting: frozenset[int], _now: float
    ) -> Iterator[GroupMove]:
        """Moves that answer requests that wait though nothing did, so that a broker that does so
        can be followed.

        A join phase ends for all who wait in it; any other request is answered alone, and waits no
        longer.
        """
        for number, group in enumerate(state.groups):
            if group.state is State.PREPARING and group.awaiting_members:
                refused = group.all_joined and not group.initial
                cause = JoinPhaseEnd.REFUSAL if refused else JoinPhaseEnd.EARLY
                yield self.seen.settle(state, number, complete(group, state.now), cause)
        for key in sorted(waiting):
            event, group = self.events[key], state.groups[self.events[key].group]
            if event.end < inf and group.state is not State.PREPARING:
                limit = state.limits.classic
                turn = Turn(
                    group,
                    limit,
                    event.outcome,
                    self.seen.semantics,
                    event.step,
                    event.member,
                    early=True,
                )
                yield self.seen.move(
                    state,
                    state.with_group(event.group, _without_request(group, key)),
                    event,
                    (turn,),
                )

    def fits(self, _: Turn) -> Mapping[tuple[str, str], bool]:
        """No clause on groups has readings that an observation distinguishes."""
        return {}

    def _joins(self, state: GroupsState, event: Event, step: JoinGroup) -> Iterator[GroupMove]:
        group, limit = state.groups[event.group], state.limits.classic
        if group.kind is Kind.CONSUMER and group.members:
            yield consumers.joins(self.seen, state, event, step)
            return
        if group.kind is Kind.CONSUMER:  # an empty group makes way for one of the other kind
            group = Group()
        ask = joining_of(step, event.number, event.member)
        expected = decide(group, ask, limit)
        by_instance = not ask.member and group.instance(ask.instance) is not None
        for decision in _decisions(event.outcome, expected, group, by_instance=by_instance):
            code = ERRORS.get(expected, Error.NONE)
            turns = (self.seen.turn(group, limit, event, code, expected, decision),)
            if decision is None:
                yield self.seen.move(state, state, event, turns)
                continue
            fresh, delay = event.fresh, state.limits.initial_delay_ms
            takes_its_place = by_instance and decision is Decision.CURRENT
            if takes_its_place and not _answered_at_once(group, event.outcome):
                effect = take_seat(group, ask, fresh, state.now)
            else:
                effect = join(group, ask, decision, fresh, delay, state.now)
            if decision in ERRORS:
                yield self.seen.move(
                    state, state.with_group(event.group, effect.group), event, turns
                )
            else:
                yield self.seen.settle(
                    state, event.group, effect, JoinPhaseEnd.ALL_CAME, event, turns
                )

    def _commit(self, state: GroupsState, event: Event, step: MemberCommit) -> GroupMove:
        group, limit = state.groups[event.group], state.limits.classic
        sender = Sender(event.member, event.epoch, step.instance)
        turn = self.seen.turn(group, limit, event, expected_commit(group, sender))
        turn = replace(turn, epoch=event.epoch)
        code = turn.expected if turn.code is None else turn.code
        after = group if code else group_after_commit(group, sender, state.now)
        return self.seen.move(state, state.with_group(event.group, after), event, (turn,))

    def _moves_of_others(
        self, state: GroupsState, event: Event, step: SyncGroup | Heartbeat | LeaveGroup
    ) -> Iterator[GroupMove]:
        group, now = state.groups[event.group], state.now
        if group.kind is Kind.CONSUMER and group.members:
            yield from consumers.asks(self.seen, state, event, step)
            return
        if isinstance(step, SyncGroup):
            effect = sync(group, event.number, event.member, step.instance, event.generation, now)
        elif isinstance(step, Heartbeat):
            effect = heartbeat(
                group, event.number, event.member, step.instance, event.generation, now
            )
        else:
            effect = leave(group, event.number, event.member, step.instance, now)
        yield self._move_of_effect(state, event, effect)
        if isinstance(step, SyncGroup) and (leader := _overtaken_leader(group, event)) is not None:
            waiting = Effect(waits_to_sync(group, event.number, leader, now))
            yield self._move_of_effect(state, event, waiting)

    def _move_of_effect(self, state: GroupsState, event: Event, effect: Effect) -> GroupMove:
        """The effect of a request that is answered with an error code alone, at once or once its
        wait is over.
        """
        group = state.groups[event.group]
        own = next((answer for answer in effect.answers if answer.key == event.number), None)
        unknown = (
            group.generation == UNKNOWN_GENERATION
            and own is not None
            and own.error == Error.ILLEGAL_GENERATION
        )
        expected = None if unknown else own.error if own else Error.NONE
        turn = self.seen.turn(group, state.limits.classic, event, expected)
        if own is not None and turn.code != own.error:
            return self.seen.move(state, state, event, (turn,))
        others = replace(
            effect,
            answers=tuple([answer for answer in effect.answers if answer.key != event.number]),
        )
        met = () if own is None else (turn,)  # one that waits is looked at when it is answered
        return self.seen.settle(state, event.group, others, JoinPhaseEnd.ALL_CAME, event, met)


def _waiting_for(group: Group, kind: TimerKind) -> tuple[Group, ...]:
    """The group as a timer may find it: where static members have taken the place of ones that had
    not sent SyncGroup, a broker may wait for theirs in place of the old ones'.
    """
    if kind is not TimerKind.SYNC:
        return (group,)
    return tuple(dict.fromkeys((group, group.waiting_for_new_ids())))


def _overtaken_leader(group: Group, event: Event) -> Member | None:
    """The leader whose SyncGroup was overtaken before its assignment was written down; None where
    it is no such request.
    """
    leads = event.member == group.leader and event.generation == group.generation
    overtaken = getattr(event.outcome, "error", 0) in _OVERTAKES_A_WRITE
    if group.state is State.COMPLETING and leads and overtaken:
        return group.member(event.member)
    return None


def _without_request(group: Group, key: int) -> Group:
    """The group without a request that it held."""
    members = [
        replace(
            member,
            awaiting=None if member.awaiting == key else member.awaiting,
            syncing=None if member.syncing == key else member.syncing,
        )
        for member in group.members
    ]
    return replace(group, members=tuple(members))


_OVERTAKES_A_WRITE = frozenset({Error.REBALANCE_IN_PROGRESS, Error.FENCED_INSTANCE_ID})
"""The answer to the leader's SyncGroup where something else ended the phase before its
assignment was written down.
"""


def _answered_at_once(group: Group, outcome: Outcome) -> bool:
    """Whether one that joins was answered the generation that it met, as far as that was seen."""
    return not isinstance(outcome, JoinGroupAnswer) or (
        not outcome.error and outcome.generation == group.generation
    )


def _state_after_restart(state: GroupsState, step: RestartWith) -> GroupsState:
    limits = limits_of(dict(step.config))
    groups = tuple([load_group(group, limits.classic, state.now) for group in state.groups])
    return replace(state, limits=limits, groups=groups)


def _expected_of_description(group: Group) -> int | None:
    """The error code of a description; of a group that is not classic it says nothing."""
    return 0 if group.kind is Kind.CLASSIC else None


def _expected_change(step: AlterBrokerConfig, outcome: Outcome) -> int | None:
    return (
        Error.INVALID_REQUEST
        if step.key in SIZE_LIMITS and isinstance(outcome, BrokerChanged)
        else None
    )


def _decisions(
    outcome: Outcome, expected: Decision, group: Group, *, by_instance: bool
) -> Iterator[Decision | None]:
    """The decision on a JoinGroup that was answered so; None where nothing is known of
    it.

    One `by_instance` alone, that takes its old place, may be overtaken before its answer is written
    down.
    """
    waits = expected if expected in {Decision.JOINS, Decision.CURRENT} else Decision.JOINS
    if not isinstance(outcome, JoinGroupAnswer):
        yield waits if waits is expected else None
        return
    by_code = {int(code): decision for decision, code in ERRORS.items()}
    if outcome.error in by_code:
        yield by_code[outcome.error]
        if outcome.error in {Error.UNKNOWN_MEMBER_ID, Error.FENCED_INSTANCE_ID}:
            yield Decision.JOINS
            if by_instance and expected is Decision.CURRENT:
                yield Decision.CURRENT
    elif outcome.error == 0:
        yield waits
        if waits is Decision.CURRENT or (
            group.is_settled and outcome.generation == group.generation
        ):
            yield Decision.JOINS if waits is Decision.CURRENT else Decision.CURRENT
    elif outcome.error == Error.REBALANCE_IN_PROGRESS and waits is Decision.JOINS:
        yield Decision.JOINS
    else:
        yield None
