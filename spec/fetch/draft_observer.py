"""The observer of fetches that carry a field of a draft: what the draft's clauses say, one exchange
after the other.

Layouts do not change in such a scenario, so that every fetch meets the same logs.
"""

from collections.abc import Callable, Mapping
from typing import TypeVar

from spec.clause import Clause, Held
from spec.fetch.model.session import admit, session_after
from spec.fetch.outcomes import FetchAnswer
from spec.fetch.releases import FetchSemantics
from spec.fetch.steps import OWN, Fetch
from spec.fetch.turn import Turn, turn_of
from spec.judgement import Judgement, infrastructure, merge_held, stopped_by, verdicts_of
from spec.log import logs_of
from spec.observation import Observation
from spec.requirement_set import clauses_in
from spec.scenario import Scenario
from spec.semantics import Semantics
from spec.verdict import Outcome

T = TypeVar("T")
Earlier = tuple[tuple[Fetch, FetchAnswer], ...]
"""The fetches that were answered before in the same scenario, and their answers."""


def judge_by(
    clauses: Mapping[str, Clause[T]],
    turn: Callable[[Turn, Earlier], T],
    scenario: Scenario,
    observation: Observation,
    semantics: Semantics,
) -> Judgement:
    """Judge one play by a draft's clauses.

    Args:
        clauses: by id, in the order in which a break is diagnosed.
        turn: what they look at: a fetch beside what the logs held, read as the release does without
            the draft.
        scenario: what was asked.
        observation: what was answered.
        semantics: the release, with or without the draft.
    """
    if observation.broken is not None:
        return Judgement((infrastructure(Outcome.INCONCLUSIVE, observation.broken),))
    clauses = clauses_in(clauses, semantics.release)
    released = semantics.with_decisions(FetchSemantics, hook=None)
    logs = logs_of(scenario.layout)
    found: dict[str, Held] = {}
    session = None
    earlier: Earlier = ()
    for exchange in observation.exchanges:
        fetch, outcome = scenario.steps[exchange.step], exchange.outcome
        if (stopped := stopped_by(outcome)) is not None:
            return Judgement((*verdicts_of(found, clauses), stopped))
        if not isinstance(fetch, Fetch):
            break
        admission = admit(fetch, session)
        seen = turn(
            turn_of(
                *(fetch, admission, released, logs, outcome, exchange.elapsed_ms),
                delay_ms=observation.delay_ms,
            ),
            earlier,
        )
        for clause_id, clause in clauses.items():
            held = clause.judge(seen)
            if held is not None:
                found[clause_id] = (
                    merge_held(found[clause_id], held) if clause_id in found else held
                )
        if not isinstance(outcome, FetchAnswer):
            break
        earlier = (*earlier, (fetch, outcome))
        session = (
            session_after(admission, fetch, outcome.session, outcome.partitions)
            if fetch.session == OWN or not fetch.epoch
            else session
        )
    return Judgement(verdicts_of(found, clauses))
