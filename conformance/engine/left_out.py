"""Which clauses a run could not exercise, and why."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from spec.events import LeftOut
from spec.judge import judge
from spec.judgement import EVERY_CLAUSE
from spec.reasons import kind_of_reason
from spec.requirements import requirement_set
from spec.subject_registry import subject_named

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from spec.scenario import Scenario
    from spec.semantics import Semantics
    from spec.verdict import Verdict

LOOKED_AT = 100
"""Scenarios left out for one kind of reason that are played on the model, to see which clauses they
would have exercised.
"""


class LeftOutClauses:
    """Gathers the clauses of what is left out, by the kind of reason; each is said once, with the
    reason that came first.
    """

    def __init__(self) -> None:
        self._said: dict[str, set[str]] = defaultdict(set)
        self._looked_at: Counter[str] = Counter()

    def clauses(self, reason: str, clauses: Iterable[str], claimed: str = "") -> Iterator[LeftOut]:
        """What is not asked would have exercised these; `claimed` is the API that is claimed and
        lacking, if that is the reason.
        """
        said = self._said[kind_of_reason(reason)]
        new = sorted(set(clauses) - said)
        said.update(new)
        if new:
            yield LeftOut(reason, tuple(new), claimed)

    def scenario(
        self,
        reason: str,
        scenario: Scenario,
        semantics: Semantics,
        verdicts: Iterable[Verdict] = (),
    ) -> Iterator[LeftOut]:
        """This scenario was left out, or ended after these verdicts.

        The clauses are those that the answers of the model with these semantics would exercise.
        """
        kind = kind_of_reason(reason)
        if self._looked_at[kind] >= LOOKED_AT:
            return
        self._looked_at[kind] += 1
        judged = {one.clause for one in verdicts}
        yield from self.clauses(reason, would_exercise(scenario, semantics) - judged)


def would_exercise(scenario: Scenario, semantics: Semantics) -> frozenset[str]:
    """Ids of the clauses that count, and that the model's answers to a scenario exercise."""
    answers = subject_named(scenario.subject).answer_all(scenario, semantics)
    meant = {one.clause for one in judge(scenario, answers, semantics).verdicts}
    counted = requirement_set(scenario.subject, semantics.release).clauses
    return frozenset(meant & {*counted}) - {EVERY_CLAUSE}
