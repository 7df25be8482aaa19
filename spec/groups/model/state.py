"""All groups of a history in one state, and how an observer writes down what the next event made of them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from spec.groups.history import Event
from spec.groups.model.classic import Decision, Effect, counted_from, led_by
from spec.groups.model.group import UNTOLD, Group, Kind
from spec.groups.model.membership import running_out
from spec.groups.outcomes import JoinGroupAnswer
from spec.groups.releases import Limits
from spec.groups.turn import Cause, Phase, Turn
from spec.observation import NotSent, Outcome
from spec.semantics import Semantics

OVERDUE_MS = 5000.0
"""How long after its session ran out a member may still be there."""
NOTHING = NotSent("")
"""Where no request is looked at."""


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


@dataclass(frozen=True, slots=True)
class Seen:
    """What was observed, and what it is judged by.

    Attributes:
        events: the history's.
        semantics: the decisions in force.
    """

    events: tuple[Event, ...]
    semantics: Semantics

    def settled(self, world: World, number: int, effect: Effect, cause: Cause) -> Iterator[Taken]:
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

    def turn(
        self,
        group: Group,
        limit: int,
        event: Event,
        expected: int | None = None,
        expected_decision: Decision | None = None,
        decision: Decision | None = None,
    ) -> Turn:
        """A request that meets a group, for the clauses to look at; the arguments are as in `Turn`."""
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


def _generation(outcomes: list[Outcome]) -> int:
    """The generation that members were told first; none where no answer tells it."""
    return next((one.generation for one in outcomes if isinstance(one, JoinGroupAnswer) and not one.error), UNTOLD)


def _leads(outcome: Outcome) -> bool:
    return isinstance(outcome, JoinGroupAnswer) and outcome.leader and not outcome.error
