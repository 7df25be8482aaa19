"""The observer: it follows a scenario along its evidence and says what each clause makes of it.

The state that a fetch met is a set where a write was under way at the same time: each state that the times allow is tried, and the
one that explains the answer best is taken, so that no legal answer is called a break. After an outcome that is not the reference's
the observer goes on from what was seen.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations, groupby

from spec.clause import Check, Condition, Held
from spec.fetch.chapters import CLAUSES
from spec.fetch.clauses.exact import crossing_fits
from spec.fetch.clauses.isolation import extent_fits
from spec.fetch.clauses.sessions import unserved_after
from spec.fetch.model.session import Session, admit, after
from spec.fetch.outcomes import FetchAnswer
from spec.fetch.scenarios import changes_log
from spec.fetch.steps import Fetch
from spec.fetch.turn import Turn, turn_of
from spec.judgement import Judgement, infrastructure, ruled, stopped_by, verdicts_of, weight, worse
from spec.log import Log, log_of
from spec.observation import Exchange, Observation
from spec.outcomes import AppendAnswer
from spec.scenario import Scenario
from spec.semantics import Semantics
from spec.steps import Append, DeleteRecords
from spec.verdict import Outcome, Verdict

MOST_OVERLAPPING = 6
"""Writes under way at once past which a fetch is inconclusive rather than guessed at."""


@cache
def _sections() -> tuple[tuple[Condition[Turn] | None, tuple[tuple[str, Check[Turn]], ...]], ...]:
    """The checks by clause id, in the order of the catalogue, those together that take the same condition for granted."""
    by_condition = groupby(CLAUSES.values(), key=lambda clause: clause.when)
    return tuple([(when, tuple([(clause.id, clause.check) for clause in some if clause.check])) for when, some in by_condition])


def judge(scenario: Scenario, observation: Observation, semantics: Semantics) -> Judgement:
    """Judge one play of a scenario of fetches."""
    if observation.broken is not None:
        return Judgement((infrastructure(Outcome.INCONCLUSIVE, observation.broken),))
    found: dict[str, Held] = {}
    readings: dict[tuple[str, str], bool] = {}
    session: Session | None = None
    logs = {number: log_of(partition) for number, partition in enumerate(scenario.layout.partitions)}
    for exchange in observation.exchanges:
        step = scenario.steps[exchange.step]
        stopped = _stopped(step, exchange)
        if stopped is not None:
            return Judgement((*verdicts_of(found, CLAUSES), stopped), ruled(readings))
        if not isinstance(step, Fetch):
            continue
        states = list(_states(scenario, observation, exchange, logs))
        if not states:
            why = f"more than {MOST_OVERLAPPING} writes were under way during one fetch"
            return Judgement((*verdicts_of(found, CLAUSES), infrastructure(Outcome.INCONCLUSIVE, why)), ruled(readings))
        admission = admit(step, session)
        turns = [turn_of(step, admission, semantics, state, exchange.outcome, exchange.elapsed_ms) for state in states]
        turn, held = _best([(turn, _held(turn)) for turn in turns])
        for clause_id, one in held.items():
            found[clause_id] = worse(found[clause_id], one) if clause_id in found else one
        for clause_id, fits in (("FET-102", crossing_fits(turn)), ("FET-052", extent_fits(turn))):
            for reading, fit in fits.items():
                readings[clause_id, reading] = readings.get((clause_id, reading), True) and fit
        if not isinstance(exchange.outcome, FetchAnswer):
            break
        session = _followed(turn, exchange.outcome, session)
    return Judgement(verdicts_of(found, CLAUSES), ruled(readings))


def _stopped(step: object, exchange: Exchange) -> Verdict | None:
    outcome = exchange.outcome
    if (stopped := stopped_by(outcome)) is not None:
        return stopped
    if not isinstance(step, Fetch) and not (isinstance(outcome, AppendAnswer) and outcome.error == 0):
        return infrastructure(Outcome.INCONCLUSIVE, f"step {exchange.step} ({type(step).__name__}) failed: {outcome}")
    return None


def _held(turn: Turn) -> dict[str, Held]:
    found = {}
    for when, checks in _sections():
        if when is None or when(turn):
            for clause_id, check in checks:
                held = check(turn)
                if held is not None:
                    found[clause_id] = held
    return found


def _best(explained: Sequence[tuple[Turn, dict[str, Held]]]) -> tuple[Turn, dict[str, Held]]:
    """The state that explains the answer with the fewest breaks."""
    return explained[0] if len(explained) == 1 else min(explained, key=lambda pair: weight(pair[1], CLAUSES))


def _followed(turn: Turn, answer: FetchAnswer, session: Session | None) -> Session | None:
    if turn.fetch.session != "own" and turn.fetch.epoch:
        return session
    followed = after(turn.admission, turn.fetch, answer.session, answer.partitions)
    if followed is not None and turn.admission.before is not None and followed is not turn.admission.before and turn.fetch.epoch > 0:
        return replace(followed, unserved=unserved_after(turn, followed))
    return followed


def _states(scenario: Scenario, observation: Observation, fetch: Exchange, start: Mapping[int, Log]) -> Iterator[Mapping[int, Log]]:
    """Every state of the logs that the fetch may have met, by the times of the writes around it."""
    if not changes_log(scenario):
        yield start
        return
    certain, perhaps = _writes_before(scenario, observation, fetch)
    if len(perhaps) > MOST_OVERLAPPING:
        return
    for count in range(len(perhaps) + 1):
        for chosen in combinations(perhaps, count):
            yield _written(scenario, start, sorted([*certain, *chosen], key=lambda exchange: exchange.step))


def _writes_before(scenario: Scenario, observation: Observation, fetch: Exchange) -> tuple[list[Exchange], list[Exchange]]:
    """The writes that were done when the fetch was sent, and those that may have been done while it was answered."""
    actor = scenario.steps[fetch.step].actor
    certain: list[Exchange] = []
    perhaps: list[Exchange] = []
    for exchange in observation.exchanges:
        step = scenario.steps[exchange.step]
        if isinstance(step, Fetch) or not isinstance(exchange.outcome, AppendAnswer) or exchange.outcome.error:
            continue
        if step.actor == actor:
            if exchange.step < fetch.step:
                certain.append(exchange)
        elif exchange.answered_ms <= fetch.sent_ms:
            certain.append(exchange)
        elif exchange.sent_ms < fetch.answered_ms:
            perhaps.append(exchange)
    return certain, perhaps


def _written(scenario: Scenario, start: Mapping[int, Log], writes: Sequence[Exchange]) -> Mapping[int, Log]:
    logs = dict(start)
    for exchange in writes:
        step = scenario.steps[exchange.step]
        if isinstance(step, Append):
            logs[step.partition] = logs[step.partition].appended(step.batch)
        elif isinstance(step, DeleteRecords):
            logs[step.partition] = logs[step.partition].deleted_to(step.offset)
    return logs
