"""The observer of share groups: it follows a history along its evidence and says what each clause makes of it.

It holds the set of states that what was seen allows. Each exchange is put beside each of them; those that explain its answer best
are gone on from, so that no legal answer is called a break.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from spec.clause import Check, Clause, Held
from spec.judgement import EVERY_CLAUSE, Judgement, infrastructure, ruled, stopped_by, verdicts_of, weight, worse
from spec.kafka import error_name
from spec.observation import Exchange, Observation
from spec.outcomes import AppendAnswer
from spec.scenario import Scenario
from spec.semantics import Semantics
from spec.share.chapters import CLAUSES
from spec.share.clauses.readings import fits
from spec.share.hidden import MOST_STATES, TooManyStatesError, branched
from spec.share.model.state import SETTLE_MS, State, initial_state
from spec.share.moves import Move, moves
from spec.share.outcomes import Done, GroupChanged, ShareAcknowledgeAnswer, ShareFetchAnswer
from spec.share.steps import GroupQuestion, Pause, RestartBroker, ShareAcknowledge, ShareFetch, asked_again
from spec.share.turn import Turn
from spec.steps import Step
from spec.verdict import Outcome, Verdict

SLOWEST = 4
"""On a broker that is slow, what goes on by itself is given this many times as long as the slowest answer was late."""
MOST_OVERLAPPING = 3
"""Requests answered later but under way at the same time, past which an exchange is inconclusive rather than guessed at."""


@cache
def _checks() -> tuple[tuple[Clause[Turn], Check[Turn]], ...]:
    return tuple([(clause, clause.held) for clause in CLAUSES.values() if clause.check is not None])


@dataclass(frozen=True, slots=True)
class _Event:
    """One exchange: its number, the step as it was sent, and whether the patience of a patient fetch is over."""

    number: int
    exchange: Exchange
    step: Step
    patience_over: bool


@dataclass(frozen=True, slots=True)
class _Explained:
    """An exchange in one state: how badly it explains the answer, the state after, and what the clauses held."""

    path: "_Path"
    weight: tuple[int, int]
    shared: int
    move: Move
    held: Mapping[str, Held]


@dataclass(frozen=True, slots=True)
class _Path:
    """A state, and how what was seen has led to it.

    Attributes:
        state: as it is now.
        shared: `must` clauses broken on the way by answers that the reference gives too. Worlds that differ in nothing else are all
            gone on from, since a known defect of Apache Kafka and a way around it are often told apart by a later answer alone.
        last: the last exchange, and the path before it; None at the start.
    """

    state: State
    shared: int = 0
    last: _Explained | None = None

    def explained(self) -> Iterator[_Explained]:
        """The exchanges on the way, the first one first."""
        found, path = [], self
        while path.last is not None:
            found.append(path.last)
            path = path.last.path
        return reversed(found)


def judge(scenario: Scenario, observation: Observation, semantics: Semantics) -> Judgement:
    """Judge one play of a share group's history."""
    if observation.broken is not None:
        return Judgement((infrastructure(Outcome.INCONCLUSIVE, observation.broken),))
    events = _events(scenario, observation)
    paths: tuple[_Path, ...] = (_Path(initial_state(scenario, _settle_ms(events))),)
    stopped = None
    for place, event in enumerate(events):
        stopped = _stopped(event)
        if stopped is not None:
            break
        try:
            explained = list(_explained(paths, event, events[place + 1 :], events[:place], scenario, semantics))
        except TooManyStatesError as too_many:
            why = f"step {event.exchange.step}: {too_many}"
            stopped = Verdict(EVERY_CLAUSE, Outcome.INCONCLUSIVE, why=why, signature="too many states")
            break
        paths = _best(explained)
        if _unanswered(event):
            break
    return _judgement(min(paths, key=lambda path: path.shared), stopped)


def _settle_ms(events: Sequence[_Event]) -> float:
    """How long what goes on by itself may take here."""
    return max([SETTLE_MS, *[SLOWEST * (one.exchange.elapsed_ms - _meant_ms(one.step)) for one in events]])


def _meant_ms(step: Step) -> float:
    """How long a step may take on a broker that is fast."""
    if isinstance(step, ShareFetch):
        return max(0, step.max_wait_ms)
    return math.inf if isinstance(step, Pause | RestartBroker) else 0.0


def _best(explained: Sequence[_Explained]) -> tuple[_Path, ...]:
    """The paths on which an exchange is explained best; of those that led to the same state, the one with the fewest shared breaks."""
    least = min([one.weight for one in explained])
    found: dict[State, _Path] = {}
    for one in explained:
        if one.weight == least:
            path = _Path(one.move.state, one.path.shared + one.shared, one)
            known = found.setdefault(path.state, path)
            if path.shared < known.shared:
                found[path.state] = path
    return tuple(found.values())


def _judgement(path: _Path, stopped: Verdict | None) -> Judgement:
    """What the clauses said on one way through the history, and what ended it early."""
    held: dict[str, Held] = {}
    readings: dict[tuple[str, str], bool] = {}
    for explained in path.explained():
        for clause_id, one in explained.held.items():
            held[clause_id] = worse(held[clause_id], one) if clause_id in held else one
        if explained.move.turn is not None:
            for key, fit in fits(explained.move.turn).items():
                readings[key] = readings.get(key, True) and fit
    more = (stopped,) if stopped is not None else ()
    return Judgement((*verdicts_of(held, CLAUSES), *more), ruled(readings))


def _events(scenario: Scenario, observation: Observation) -> tuple[_Event, ...]:
    """The exchanges in the order of their answers."""
    numbers: dict[int, list[int]] = {}
    for number, exchange in enumerate(observation.exchanges):
        numbers.setdefault(exchange.step, []).append(number)
    events = []
    for number, exchange in enumerate(observation.exchanges):
        step, tries = scenario.steps[exchange.step], numbers[exchange.step]
        over = isinstance(step, ShareFetch) and _patience_over(step, observation.exchanges[tries[0]], exchange)
        if isinstance(step, ShareFetch) and number != tries[0]:
            step = asked_again(step)
        events.append(_Event(number, exchange, step, over))
    return tuple(sorted(events, key=lambda event: (event.exchange.answered_ms, event.number)))


def _patience_over(fetch: ShareFetch, first: Exchange, exchange: Exchange) -> bool:
    """Whether a patient fetch has got what it was patient for, or has been sent for so long that it gives up."""
    if not fetch.patience_ms or not isinstance(exchange.outcome, ShareFetchAnswer):
        return False
    acquired = any(part.acquired for part in exchange.outcome.partitions)
    return acquired or exchange.answered_ms - first.sent_ms >= fetch.patience_ms


def _stopped(event: _Event) -> Verdict | None:
    outcome = event.exchange.outcome
    done = isinstance(outcome, Done) or (isinstance(outcome, AppendAnswer | GroupChanged) and outcome.error == 0)
    stopped = stopped_by(outcome)
    if stopped is not None or done or isinstance(event.step, ShareFetch | ShareAcknowledge | GroupQuestion):
        return stopped
    found = error_name(outcome.error) if isinstance(outcome, AppendAnswer | GroupChanged) else type(outcome).__name__
    why = f"step {event.exchange.step} ({type(event.step).__name__}): expected it to be done, found {found}; see the broker's log"
    return Verdict(EVERY_CLAUSE, Outcome.INCONCLUSIVE, why=why, signature="step failed")


def _unanswered(event: _Event) -> bool:
    """Whether a request has no answer, so that nothing is known of what it did."""
    request = isinstance(event.step, ShareFetch | ShareAcknowledge)
    return request and not isinstance(event.exchange.outcome, ShareFetchAnswer | ShareAcknowledgeAnswer)


def _explained(
    paths: Sequence[_Path],
    event: _Event,
    later: Sequence[_Event],
    earlier: Sequence[_Event],
    scenario: Scenario,
    semantics: Semantics,
) -> Iterator[_Explained]:
    """The exchange in each state that it may have met.

    Raises:
        TooManyStatesError: there are more than are followed.
    """
    broker = dict(scenario.config)
    beside = [one for one in later if one.exchange.sent_ms < event.exchange.answered_ms]
    if len(beside) > MOST_OVERLAPPING:
        raise TooManyStatesError(f"more than {MOST_OVERLAPPING} requests were under way at once")
    active = frozenset(one.step.actor for one in (event, *later) if isinstance(one.step, ShareFetch | ShareAcknowledge))
    met: dict[State, _Path] = {}
    quiet = not beside and all(one.exchange.answered_ms <= event.exchange.sent_ms for one in earlier)
    for path in paths:
        states = [path.state] if event.number in path.state.early else _overtaken(path.state, beside, scenario, semantics)
        found = branched(states, event.exchange, semantics, broker, active)
        quiet = quiet and found.quiet
        for state in found.states:
            if state not in met or path.shared < met[state].shared:
                met[state] = path
        if len(met) > MOST_STATES:
            raise TooManyStatesError(f"more than {MOST_STATES} states could explain it")
    for state, path in met.items():
        if event.number in state.early:
            yield _Explained(path, (0, 0), 0, Move(None, state), {})
            continue
        for one in moves(state, event.step, event.exchange, semantics, broker, quiet=quiet, over=event.patience_over):
            held = _held(one.turn) if one.turn is not None else {}
            must, reference = weight(held, CLAUSES)
            shared = one.turn is not None and one.turn.as_reference
            yield _Explained(path, (0 if shared else must, reference), must if shared else 0, one, held)


def _held(turn: Turn) -> dict[str, Held]:
    found = {}
    for clause, check in _checks():
        held = check(turn)
        if held is not None:
            found[clause.id] = held
    return found


def _overtaken(state: State, beside: Sequence[_Event], scenario: Scenario, semantics: Semantics) -> list[State]:
    """The state, and what it is where some of the exchanges that were answered later had their effect before."""
    found = [state]
    for one in beside:
        if one.number not in state.early:
            found += [
                early.state.with_early(one.number)
                for before in found
                for early in moves(before, one.step, one.exchange, semantics, dict(scenario.config), quiet=False, over=False)
            ]
    return found
