"""What each event of a history, seen or hidden, may have made of the groups."""

from collections.abc import Iterator
from dataclasses import replace

from spec.groups import consumers
from spec.groups.history import Event
from spec.groups.model.classic import ERRORS, Decision, Effect, complete, decide, join, joining, seated
from spec.groups.model.group import UNTOLD, Group, Kind, State
from spec.groups.model.membership import heartbeat, leave, loaded, sync, waits_to_sync
from spec.groups.model.state import Seen, Taken, World
from spec.groups.model.timers import Rings, rung, timers
from spec.groups.outcomes import BrokerChanged, JoinGroupAnswer
from spec.groups.releases import SIZE_LIMITS, limits_of
from spec.groups.steps import (
    AlterBrokerConfig,
    DescribeGroup,
    Heartbeat,
    JoinGroup,
    LeaveGroup,
    NamedStep,
    RestartWith,
    SyncGroup,
)
from spec.groups.turn import Cause
from spec.kafka import Error
from spec.observation import Outcome
from spec.semantics import Semantics

CLOCK_MS = 20.0
"""How much earlier than by the client's clock a timer may run out."""


class Following:
    """Follows a broker that was observed.

    Args:
        events: the history's.
        semantics: what it is judged by.
    """

    def __init__(self, events: tuple[Event, ...], semantics: Semantics) -> None:
        self.seen = Seen(events, semantics)

    def arrivals(self, world: World, event: Event) -> Iterator[Taken]:
        """Each way in which a request may have met the groups, given what it was answered."""
        now = max(world.now, event.sent)
        met = replace(world, now=now, arrived=world.arrived | {event.number})
        step = event.step
        if isinstance(step, RestartWith):
            limits = limits_of(dict(step.config))
            yield Taken(replace(met, limits=limits, groups=tuple([loaded(group, limits.classic, now) for group in met.groups])))
        elif isinstance(step, AlterBrokerConfig):
            yield Taken(met, (self.seen.turn(Group(), 1, event, expected=_expected_change(step, event.outcome)),))
        elif isinstance(step, JoinGroup):
            yield from self._joins(met, event, step)
        elif isinstance(step, NamedStep):
            yield from consumers.beats(self.seen, met, event, step)
        elif isinstance(step, DescribeGroup):
            group = met.groups[event.group]
            told = 0 if group.kind is Kind.CLASSIC else None  # what is told of no classic group is not in its error code
            yield Taken(met, (self.seen.turn(group, met.limits.classic, event, expected=told),))
        elif isinstance(step, SyncGroup | Heartbeat | LeaveGroup):
            yield from self._others(met, event, step)
        else:
            yield Taken(met)

    def hidden(self, world: World, horizon: float) -> Iterator[Taken]:
        """Each thing that may happen by itself, up to a time: join phases that are over, members that run out."""
        for number, group in enumerate(world.groups):
            for timer in timers(group):
                at = max(world.now, timer.at - CLOCK_MS)
                if at <= horizon and (timer.rings is not Rings.OUT or group.kind is Kind.CLASSIC):
                    effect = rung(group, timer, world.limits.initial_delay_ms, at)
                    yield from self.seen.settled(replace(world, now=at), number, effect, Cause.TIME)

    def unlawful(self, world: World) -> Iterator[Taken]:
        """Join phases that end though nothing ended them, so that a broker that does so can be followed."""
        for number, group in enumerate(world.groups):
            if group.state is State.PREPARING and group.awaiting:
                cause = Cause.REFUSAL if group.all_joined and not group.initial else Cause.EARLY
                yield from self.seen.settled(world, number, complete(group, world.now), cause)

    def _joins(self, world: World, event: Event, step: JoinGroup) -> Iterator[Taken]:
        group, limit = world.groups[event.group], world.limits.classic
        if group.kind is Kind.CONSUMER and group.members:
            yield consumers.joins(self.seen, world, event, step)
            return
        group = Group() if group.kind is Kind.CONSUMER else group  # an empty group makes way for one of the other kind
        ask = joining(step, event.number, event.member)
        expected = decide(group, ask, limit)
        by_instance = not ask.member and group.instance(ask.instance) is not None
        for decision in _decisions(event.outcome, expected, group, by_instance=by_instance):
            turn = self.seen.turn(group, limit, event, ERRORS.get(expected, Error.NONE), expected, decision)
            if decision is None:
                yield Taken(world, (turn,))
                continue
            effect = (
                seated(group, ask, str(event.number), world.now)
                if by_instance and decision is Decision.CURRENT and not _answered_at_once(group, event.outcome)
                else join(group, ask, decision, str(event.number), world.limits.initial_delay_ms, world.now)
            )
            if decision in ERRORS:
                yield Taken(world.with_group(event.group, effect.group), (turn,))
                continue
            waits = replace(world, waiting=world.waiting | {event.number})
            for taken in self.seen.settled(waits, event.group, effect, Cause.ALL_CAME):
                yield replace(taken, turns=(turn, *taken.turns))

    def _others(self, world: World, event: Event, step: SyncGroup | Heartbeat | LeaveGroup) -> Iterator[Taken]:
        group, now = world.groups[event.group], world.now
        if group.kind is Kind.CONSUMER and group.members:
            yield from consumers.asks(self.seen, world, event, step)
            return
        if isinstance(step, SyncGroup):
            effect = sync(group, event.number, event.member, step.instance, event.generation, now)
        elif isinstance(step, Heartbeat):
            effect = heartbeat(group, event.number, event.member, step.instance, event.generation, now)
        else:
            effect = leave(group, event.number, event.member, step.instance, now)
        yield from self._affected(world, event, effect)
        leader = group.member(event.member) if event.member == group.leader and event.generation == group.generation else None
        overtaken = getattr(event.outcome, "error", 0) in _OVERTAKES_A_WRITE
        if isinstance(step, SyncGroup) and group.state is State.COMPLETING and leader is not None and overtaken:
            yield from self._affected(world, event, Effect(waits_to_sync(group, event.number, leader, now)))

    def _affected(self, world: World, event: Event, effect: Effect) -> Iterator[Taken]:
        """What a request came to that is answered with an error code alone, at once or when what it waits for has happened."""
        group = world.groups[event.group]
        own = next((told for told in effect.told if told.key == event.number), None)
        untold = group.generation == UNTOLD and own is not None and own.error == Error.ILLEGAL_GENERATION
        turn = self.seen.turn(group, world.limits.classic, event, None if untold else own.error if own else Error.NONE)
        if own is not None and turn.code != own.error:
            yield Taken(world, (turn,))
            return
        others = replace(effect, told=tuple([told for told in effect.told if told.key != event.number]))
        begun = replace(world, waiting=world.waiting | {event.number}) if own is None else world
        met = () if own is None else (turn,)  # one that waits is looked at when it is answered
        for taken in self.seen.settled(begun, event.group, others, Cause.ALL_CAME):
            yield replace(taken, turns=(*met, *taken.turns))


_OVERTAKES_A_WRITE = frozenset({Error.REBALANCE_IN_PROGRESS, Error.FENCED_INSTANCE_ID})
"""What the leader's SyncGroup is told where something else ended the phase before its assignment was written down."""


def _answered_at_once(group: Group, outcome: Outcome) -> bool:
    """Whether one that joins was told the generation that it met, as far as that was seen."""
    return not isinstance(outcome, JoinGroupAnswer) or (not outcome.error and outcome.generation == group.generation)


def _expected_change(step: AlterBrokerConfig, outcome: Outcome) -> int | None:
    return Error.INVALID_REQUEST if step.key in SIZE_LIMITS and isinstance(outcome, BrokerChanged) else None


def _decisions(outcome: Outcome, expected: Decision, group: Group, *, by_instance: bool) -> Iterator[Decision | None]:
    """What may have been made of a JoinGroup that was answered so; None where nothing is known of it.

    One `by_instance` alone, that takes its old place, may be overtaken before its answer is written down.
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
        if waits is Decision.CURRENT or (group.settled and outcome.generation == group.generation):
            yield Decision.JOINS if waits is Decision.CURRENT else Decision.CURRENT
    elif outcome.error == Error.REBALANCE_IN_PROGRESS and waits is Decision.JOINS:
        yield Decision.JOINS
    else:
        yield None
