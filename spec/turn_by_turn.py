"""Judging a play whose steps follow each other: the clauses look at one turn after the other."""

from typing import Generic, TypeVar

from spec.clause import Held
from spec.judgement import Clauses, Judgement, merge_held, reading_results, verdicts_of
from spec.verdict import Verdict

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
