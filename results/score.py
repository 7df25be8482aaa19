"""How much of its requirement set a run exercised, and why it did not exercise the rest."""

from collections import Counter
from collections.abc import Iterable, Mapping

from results.text import count_of
from spec.events import LeftOut, RunStarted
from spec.frozen import frozen
from spec.verdict import Outcome


@frozen
class NotExercised:
    """Clauses that count and were not exercised, for one reason.

    Attributes:
        reason: why.
        clauses: their ids, sorted.
    """

    reason: str
    clauses: tuple[str, ...]


@frozen
class Score:
    """How much of what counts was exercised.

    Attributes:
        requirement_set: the name of the set, `fetch-4.3@2`.
        exercised: clauses whose condition arose and that could be judged.
        total: clauses that count in the run.
        not_exercised: the others by their reason, the reason of most clauses first.
    """

    requirement_set: str
    exercised: int
    total: int
    not_exercised: tuple[NotExercised, ...]

    @property
    def sentence(self) -> str:
        """`92 of 95 clauses of fetch-4.3@2 exercised`."""
        return (
            f"{self.exercised} of {count_of(self.total, 'clause')} of {self.requirement_set} "
            "exercised"
        )

    @property
    def reasons(self) -> Mapping[str, str]:
        """Why each clause was not exercised, by its id."""
        return {clause: one.reason for one in self.not_exercised for clause in one.clauses}


def score(
    header: RunStarted,
    exercised: Iterable[str],
    undecided: Mapping[str, Counter[tuple[Outcome, str]]],
    left_out: Iterable[LeftOut],
    scenarios: int,
) -> Score | None:
    """The score of a run; None where its log does not say which clauses count.

    Args:
        header: its header.
        exercised: ids of the clauses that were exercised.
        undecided: how often a clause was inconclusive or unsupported for each reason, by its id.
        left_out: what was not asked.
        scenarios: how many were judged.
    """
    if not header.clauses:
        return None
    missing = sorted({*header.clauses} - {*exercised})
    events = list(left_out)
    by_reason: dict[str, list[str]] = {}
    for clause in missing:
        why = (
            _commonest_reason(undecided.get(clause, Counter()))
            or next((one.reason for one in events if clause in one.clauses), "")
            or f"condition did not arise in {count_of(scenarios, 'scenario')}"
        )
        by_reason.setdefault(why, []).append(clause)
    groups = [NotExercised(reason, tuple(clauses)) for reason, clauses in by_reason.items()]
    return Score(
        header.requirement_set,
        len(header.clauses) - len(missing),
        len(header.clauses),
        tuple(sorted(groups, key=lambda one: (-len(one.clauses), one.clauses))),
    )


def _commonest_reason(reasons: Counter[tuple[Outcome, str]]) -> str:
    """The commonest reason for which a clause could not be judged; empty where there is none."""
    if not reasons:
        return ""
    ((outcome, why), count), *_ = reasons.most_common(1)
    return f"{outcome} in {count_of(count, 'scenario')}: {why}"
