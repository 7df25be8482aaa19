"""The observer of groups: it looks for an order of what was sent and answered that explains a history best.

A request has its effect at some moment between its sending and its answer, so requests that were under way together may have met the
group in any order; a join phase that is over and a session that runs out are events that nobody sees. The search takes the order that
breaks the least, and past a budget it says so rather than guess.
"""

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import count
from math import inf

from spec.catalogue import clauses_of
from spec.clause import Check, Clause, Held
from spec.groups.following import Following
from spec.groups.history import Event, events_of
from spec.groups.model.group import Group
from spec.groups.model.state import Taken, World
from spec.groups.outcomes import GroupOutcome
from spec.groups.releases import limits_of
from spec.groups.turn import Turn
from spec.judgement import EVERY_CLAUSE, Judgement, infrastructure, stopped_by, verdicts_of, weight, worse
from spec.observation import Observation
from spec.scenario import Scenario
from spec.semantics import Semantics
from spec.verdict import Outcome, Verdict

MOST_WORLDS = 10_000
"""States looked at, past which a scenario is inconclusive rather than guessed at."""


@cache
def _checks() -> tuple[tuple[Clause[Turn], Check[Turn]], ...]:
    return tuple([(clause, clause.check) for clause in clauses_of("groups").values() if clause.check is not None])


@dataclass(frozen=True, slots=True)
class _Path:
    """A way to a world: what the clauses held last on it, the way before, and whether the whole history is behind it."""

    world: World
    held: tuple[dict[str, Held], ...] = ()
    before: "_Path | None" = None
    ended: bool = False

    def all_held(self) -> Iterator[dict[str, Held]]:
        """Everything that the clauses held, the latest first."""
        path: _Path | None = self
        while path is not None:
            yield from path.held
            path = path.before


def judge(scenario: Scenario, observation: Observation, semantics: Semantics) -> Judgement:
    """Judge one play of a history of groups."""
    if observation.broken is not None:
        return Judgement((infrastructure(Outcome.INCONCLUSIVE, observation.broken),))
    stops = [verdict for exchange in observation.exchanges if (verdict := stopped_by(exchange.outcome)) is not None]
    exchanges = [exchange for exchange in observation.exchanges if stopped_by(exchange.outcome) is None]
    events = events_of(scenario, exchanges)
    numbers = 1 + max([event.group for event in events], default=0)
    start = World(tuple([Group()] * numbers), limits_of(dict(scenario.config)))
    path = _least(start, Following(events, semantics))
    if path is None:
        why = f"expected an order of events that explains the answers, found none among {MOST_WORLDS} states; play it again"
        undecided = Verdict(EVERY_CLAUSE, Outcome.INCONCLUSIVE, why=why, signature="too many states")
        return Judgement((undecided, *stops[:1]))
    found: dict[str, Held] = {}
    for held in path.all_held():
        for clause_id, one in held.items():
            found[clause_id] = worse(one, found[clause_id]) if clause_id in found else one
    return Judgement((*verdicts_of(found, clauses_of("groups")), *stops[:1]))


def _least(start: World, following: Following) -> _Path | None:
    """The way through the whole history with the fewest broken turns; None where there is none within the budget.

    A break by an answer that Apache Kafka gives too, and so a finding, is the last to count: else a row of oddities could stand for it.
    """
    order = count()
    queue: list[tuple[tuple[int, int], int, int, _Path]] = [((0, 0), 0, next(order), _Path(start))]
    seen: set[World] = set()
    while queue and len(seen) <= MOST_WORLDS:
        broken, ahead, _, path = heapq.heappop(queue)
        if path.ended:
            return path
        if path.world in seen:
            continue
        seen.add(path.world)
        if _explained(path.world, following.seen.events):
            orphans = _orphans(path.world, following)
            held = _held(orphans)
            heapq.heappush(queue, (_more(broken, orphans, held), ahead, next(order), _Path(path.world, held, path, ended=True)))
        for taken in _next(path.world, following):
            if taken.world in seen:
                continue
            held = _held(taken.turns)
            further = len(taken.world.waiting) - 2 * len(taken.world.arrived)
            heapq.heappush(queue, (_more(broken, taken.turns, held), further, next(order), _Path(taken.world, held, path)))
    return None


def _more(broken: tuple[int, int], turns: tuple[Turn, ...], held: tuple[dict[str, Held], ...]) -> tuple[int, int]:
    """What is broken on a way that these turns are added to."""
    weights = [any(weight(one, clauses_of("groups"))) for one in held]
    odd = sum(number for number, turn in zip(weights, turns, strict=True) if not turn.as_reference)
    return broken[0] + odd, broken[1] + sum(weights)


def _held(turns: tuple[Turn, ...]) -> tuple[dict[str, Held], ...]:
    return tuple([{clause.id: held for clause, check in _checks() if (held := check(turn)) is not None} for turn in turns])


def _explained(world: World, events: tuple[Event, ...]) -> bool:
    """Whether everything that was seen has come about: only requests without an answer still wait."""
    return len(world.arrived) == len(events) and all(events[key].end == inf for key in world.waiting & world.held)


def _orphans(world: World, following: Following) -> tuple[Turn, ...]:
    """Requests that no group holds any more: another one of the same member took their place."""
    orphans = sorted(world.waiting - world.held)
    return tuple(
        [
            Turn(
                world.groups[following.seen.events[key].group],
                world.limits.classic,
                following.seen.events[key].outcome,
                following.seen.semantics,
                following.seen.events[key].step,
                orphaned=True,
            )
            for key in orphans
        ]
    )


def _next(world: World, following: Following) -> Iterator[Taken]:
    """Everything that may come next: a request that was sent before any other was answered, or something hidden."""
    events = following.seen.events
    left = [event for event in events if event.number not in world.arrived]
    due = min([event.end for event in left], default=inf)
    due = min([due, *[events[key].end for key in world.waiting & world.held]])
    if due < world.now:
        return
    for event in left:
        if event.sent <= due:
            yield from following.arrivals(world, event)
    last = max([event.end for event in events if event.end < inf], default=0.0)
    yield from following.hidden(world, min(due, last))
    if any(isinstance(events[key].outcome, GroupOutcome) for key in world.waiting):
        yield from following.unlawful(world)
