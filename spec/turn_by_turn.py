"""Judging a play whose steps follow each other: the clauses look at one turn after the other."""

from typing import Generic, Protocol, TypeVar

from spec.clause import Held
from spec.judgement import (
    Clauses,
    Judgement,
    infrastructure,
    merge_held,
    reading_results,
    stopped_by,
    verdicts_of,
)
from spec.observation import Exchange, Observation
from spec.outcomes import NotSent
from spec.scenario import Scenario
from spec.steps import Step
from spec.verdict import Outcome, Verdict

T = TypeVar("T")


class TurnByTurn(Generic[T]):
    """The results of a subject's clauses on the turns of one play so far.

    Args:
        clauses: those that look.

    Attributes:
        held: the worst result of each clause whose condition arose, by its id.
        readings: whether every turn fits a reading, by clause id and reading.
    """

    def __init__(self, clauses: Clauses[T]) -> None:
        self.clauses = clauses
        self.held = dict[str, Held]()
        self.readings: dict[tuple[str, str], bool] = {}

    def judge(self, turn: T) -> None:
        """Have the clauses look at a turn."""
        for clause, held in self.clauses.results(turn).items():
            known = self.held.get(clause)
            self.held[clause] = held if known is None else merge_held(known, held)
        for reading, fits in self.clauses.fits(turn).items():
            self.readings[reading] = fits and self.readings.get(reading, True)

    def judgement(self, ended: Verdict | None = None) -> Judgement:
        """The judgement of the play, with the verdict on all clauses where it ended early."""
        verdicts = verdicts_of(self.held, self.clauses.by_id)
        return Judgement(
            verdicts if ended is None else (*verdicts, ended), reading_results(self.readings)
        )


class ObservedSteps(Protocol[T]):
    """What is known of a play up to some step."""

    def judge_step(
        self, step: Step, exchange: Exchange, results: TurnByTurn[T], /
    ) -> Verdict | None:
        """Have the clauses look at a step and take it in; the verdict on every clause where nothing
        can be said from there on, None otherwise.
        """
        ...


def judge_step_by_step(
    scenario: Scenario, observation: Observation, clauses: Clauses[T], known: ObservedSteps[T]
) -> Judgement:
    """Judge a play whose steps take effect one after the other.

    It ends with the first step after which nothing can be said. A step that could not be sent ends
    it only where no clause's condition arose before; otherwise it is left out.

    Args:
        scenario: its steps.
        observation: its outcomes.
        clauses: those that look.
        known: what is known before the first step; it follows the play.
    """
    if observation.broken is not None:
        return Judgement((infrastructure(Outcome.INCONCLUSIVE, observation.broken),))
    results = TurnByTurn(clauses)
    for exchange in observation.exchanges:
        if isinstance(exchange.outcome, NotSent) and results.held:
            continue
        ended = stopped_by(exchange.outcome) or known.judge_step(
            scenario.steps[exchange.step], exchange, results
        )
        if ended is not None:
            return results.judgement(ended)
    return results.judgement()
