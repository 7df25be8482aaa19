"""All groups of a history in one state, and what the next event makes of them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from spec.groups.assigned import JOIN, Beating, beat, decide_beat, kind_of
from spec.groups.classic import ERRORS, Decision, Effect, complete, counted_from, decide, join, joining, led_by, seated
from spec.groups.group import UNTOLD, Group, Kind, State
from spec.groups.history import Event
from spec.groups.membership import heartbeat, leave, loaded, running_out, sync, waits_to_sync
from spec.groups.migrating import (
    decide_upgrade,
    downgraded,
    fits_downgraded,
    interrupted,
    interrupts,
    may_be_downgraded,
    upgraded,
    upgrades_nobody,
)
from spec.groups.mixed import answered, decide_in_consumer_group, joined, lets_nobody_in
from spec.groups.outcomes import BrokerChanged, JoinGroupAnswer
from spec.groups.semantics import SIZE_LIMITS, Limits, limits_of
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
from spec.groups.timers import Rings, rung, timers
from spec.groups.turn import Cause, LeftTo, Phase, Turn
from spec.kafka import Error
from spec.observation import NotSent, Outcome
from spec.semantics import Semantics

CLOCK_MS = 20.0
"""How much earlier than by the client's clock a timer may run out."""
OVERDUE_MS = 5000.0
"""How long after its session ran out a member may still be there."""


@dataclass(frozen=True, slots=True)
class World:
    """Every group, and how far the history is understood.

    Attributes:
        groups: by number.
        limits: the broker's settings.
        now: the earliest time at which all this can have come about, ms.
        arrived: events that had their effect.
        waiting: of those, the ones that no answer was made for yet.
    """

    groups: tuple[Group, ...]
    limits: Limits
    now: float = 0.0
    arrived: frozenset[int] = frozenset()
    waiting: frozenset[int] = frozenset()

    def with_group(self, number: int, group: Group) -> "World":
        """The same with one group in another state."""
        return replace(self, groups=(*self.groups[:number], group, *self.groups[number + 1 :]))

    @property
    def held(self) -> frozenset[int]:
        """Requests that some group still holds."""
        held = [key for group in self.groups for member in group.members for key in (member.awaiting, member.syncing) if key is not None]
        return frozenset(held)


@dataclass(frozen=True, slots=True)
class Taken:
    """A step on the way to understand a history: the world after it, and what the clauses may look at."""

    world: World
    turns: tuple[Turn, ...] = ()


class Following:
    """Follows a broker that was observed.

    Args:
        events: the history's.
        semantics: what it is judged by.
    """

    def __init__(self, events: tuple[Event, ...], semantics: Semantics) -> None:
        self.events = events
        self.semantics = semantics

    def arrivals(self, world: World, event: Event) -> Iterator[Taken]:
        """Each way in which a request may have met the groups, given what it was answered."""
        now = max(world.now, event.sent)
        met = replace(world, now=now, arrived=world.arrived | {event.number})
        step = event.step
        if isinstance(step, RestartWith):
            limits = limits_of(dict(step.config))
            yield Taken(replace(met, limits=limits, groups=tuple([loaded(group, limits.classic, now) for group in met.groups])))
        elif isinstance(step, AlterBrokerConfig):
            yield Taken(met, (self._turn(Group(), 1, event, expected=_expected_change(step, event.outcome)),))
        elif isinstance(step, JoinGroup):
            yield from self._joins(met, event, step)
        elif isinstance(step, NamedStep):
            yield from self._beats(met, event, step)
        elif isinstance(step, DescribeGroup):
            group = met.groups[event.group]
            told = 0 if group.kind is Kind.CLASSIC else None  # what is told of no classic group is not in its error code
            yield Taken(met, (self._turn(group, met.limits.classic, event, expected=told),))
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
                    yield from self._settled(replace(world, now=at), number, effect, Cause.TIME)

    def unlawful(self, world: World) -> Iterator[Taken]:
        """Join phases that end though nothing ended them, so that a broker that does so can be followed."""
        for number, group in enumerate(world.groups):
            if group.state is State.PREPARING and group.awaiting:
                cause = Cause.REFUSAL if group.all_joined and not group.initial else Cause.EARLY
                yield from self._settled(world, number, complete(group, world.now), cause)

    def _joins(self, world: World, event: Event, step: JoinGroup) -> Iterator[Taken]:
        group, limit = world.groups[event.group], world.limits.classic
        if group.kind is Kind.CONSUMER and group.members:
            yield self._joins_consumers(world, event, step)
            return
        group = Group() if group.kind is Kind.CONSUMER else group  # an empty group makes way for one of the other kind
        ask = joining(step, event.number, event.member)
        expected = decide(group, ask, limit)
        by_instance = not ask.member and group.instance(ask.instance) is not None
        for decision in _decisions(event.outcome, expected, group, by_instance=by_instance):
            turn = self._turn(group, limit, event, ERRORS.get(expected, Error.NONE), expected, decision)
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
            for taken in self._settled(waits, event.group, effect, Cause.ALL_CAME):
                yield replace(taken, turns=(turn, *taken.turns))

    def _joins_consumers(self, world: World, event: Event, step: JoinGroup) -> Taken:
        group, limit = world.groups[event.group], world.limits.consumer
        ask = joining(step, event.number, event.member)
        expected = decide_in_consumer_group(group, ask, limit)
        closed = lets_nobody_in(getattr(event.outcome, "error", None))
        turn = self._turn(group, limit, event, None if closed else ERRORS.get(expected, Error.NONE))
        came = Decision.CURRENT if turn.code == 0 else Decision.FULL
        return Taken(world.with_group(event.group, joined(group, ask, came, world.now)), (turn,))

    def _beats(self, world: World, event: Event, step: NamedStep) -> Iterator[Taken]:
        group = world.groups[event.group]
        kind = kind_of(step)
        limit = world.limits.of(kind)
        ask = Beating(kind, event.member, event.epoch, getattr(step, "instance", None), event.current)
        if kind is Kind.CONSUMER and group.kind is Kind.CLASSIC:
            if group.members or event.epoch != JOIN:
                yield from self._meets_classic(world, event, ask)
                return
            group = Group()
        expected = decide_beat(group, ask, limit, self.semantics.groups)
        member = group.member(event.member)
        again = event.epoch == JOIN and member is not None
        unsaid = again and self.semantics.groups.fences_epoch_zero  # it hangs on the member's last two epochs
        switches = member is not None and member.classic
        turn = self._turn(group, limit, event, None if unsaid or switches else expected)
        code = turn.code
        yield from self._left(world, event, beat(group, ask, expected if code is None else code, world.now), turn)

    def _meets_classic(self, world: World, event: Event, ask: Beating) -> Iterator[Taken]:
        """What a consumer made of a classic group; one that is refused may have ended the wait of others."""
        group, limits = world.groups[event.group], world.limits
        expected = decide_upgrade(group, ask, limits)
        unknown = group.initial or any(member.id == event.member or member.instance is not None for member in group.members)
        turn = self._turn(group, limits.consumer, event)
        turn = replace(turn, expected=None if unknown or upgrades_nobody(turn.code) else expected)
        if turn.code == 0 or (turn.code is None and not expected):
            effects = [upgraded(group, ask, world.now)]
        else:
            effects = [*([interrupted(group)] if interrupts(group, ask, limits) else []), Effect(group)]
        for effect in effects:
            for taken in self._settled(world, event.group, effect, Cause.ALL_CAME):
                yield replace(taken, turns=(turn, *taken.turns))

    def _left(self, world: World, event: Event, after: Group, turn: Turn) -> Iterator[Taken]:
        """The world after a request to a consumer group; one that was left to classic members may have become a classic group."""
        group = world.groups[event.group]
        if not may_be_downgraded(group, after):
            yield Taken(world.with_group(event.group, after), (turn,))
            return
        for done in (fits_downgraded(after.size, world.limits), not fits_downgraded(after.size, world.limits)):
            told = replace(turn, left_to=LeftTo(after.size, world.limits.classic, done))
            yield Taken(world.with_group(event.group, downgraded(after, world.now).group if done else after), (told,))

    def _others(self, world: World, event: Event, step: SyncGroup | Heartbeat | LeaveGroup) -> Iterator[Taken]:
        group, now = world.groups[event.group], world.now
        if group.kind is Kind.CONSUMER and group.members:
            turn = self._turn(group, world.limits.consumer, event, answered(group, step, event.member, event.generation))
            leaves = isinstance(step, LeaveGroup) and turn.code == 0
            yield from self._left(world, event, replace(group.without(event.member), freed=True) if leaves else group, turn)
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
        turn = self._turn(group, world.limits.classic, event, None if untold else own.error if own else Error.NONE)
        if own is not None and turn.code != own.error:
            yield Taken(world, (turn,))
            return
        others = replace(effect, told=tuple([told for told in effect.told if told.key != event.number]))
        begun = replace(world, waiting=world.waiting | {event.number}) if own is None else world
        met = () if own is None else (turn,)  # one that waits is looked at when it is answered
        for taken in self._settled(begun, event.group, others, Cause.ALL_CAME):
            yield replace(taken, turns=(*met, *taken.turns))

    def _settled(self, world: World, number: int, effect: Effect, cause: Cause) -> Iterator[Taken]:
        """The world after an effect, unless an answer that it set free was there before."""
        if any(self.events[told.key].end < world.now for told in effect.told):
            return
        leaders = [told.member for told in effect.told if _leads(self.events[told.key].outcome)]
        if effect.ended is not None and len(leaders) == 1 and leaders[0] != effect.group.leader:
            effect = led_by(effect, leaders[0])
        if effect.ended is not None and effect.ended.generation == UNTOLD:
            effect = counted_from(effect, _generation([self.events[told.key].outcome for told in effect.told]))
        before, limit = effect.ended or world.groups[number], world.limits.classic
        turns = []
        if effect.ended is not None:
            answers = tuple([(m, self.events[m.awaiting].outcome) for m in effect.ended.members if m.awaiting is not None])
            phase = Phase(effect.ended, cause, answers, effect.group.size - len(answers), effect.group.generation)
            turns.append(Turn(before, limit, NOTHING, self.semantics, phase=phase))
        for told in effect.told:
            event = self.events[told.key]
            turns.append(Turn(before, limit, event.outcome, self.semantics, event.step, event.member, told=told))
        keys = {told.key for told in effect.told}
        yield Taken(replace(world.with_group(number, effect.group), waiting=world.waiting - keys), tuple(turns))

    def _turn(
        self,
        group: Group,
        limit: int,
        event: Event,
        expected: int | None = None,
        expected_decision: Decision | None = None,
        decision: Decision | None = None,
    ) -> Turn:
        overdue = tuple([one for due, one in running_out(group) if group.kind is Kind.CLASSIC and event.sent > due + OVERDUE_MS])
        return Turn(
            group,
            limit,
            event.outcome,
            self.semantics,
            event.step,
            event.member,
            expected,
            expected_decision,
            decision,
            overdue=overdue,
        )


_OVERTAKES_A_WRITE = frozenset({Error.REBALANCE_IN_PROGRESS, Error.FENCED_INSTANCE_ID})
"""What the leader's SyncGroup is told where something else ended the phase before its assignment was written down."""
NOTHING = NotSent("")
"""Where no request is looked at."""


def _generation(outcomes: list[Outcome]) -> int:
    """The generation that members were told first; none where no answer tells it."""
    return next((one.generation for one in outcomes if isinstance(one, JoinGroupAnswer) and not one.error), UNTOLD)


def _leads(outcome: Outcome) -> bool:
    return isinstance(outcome, JoinGroupAnswer) and outcome.leader and not outcome.error


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
