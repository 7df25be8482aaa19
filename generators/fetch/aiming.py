"""Aiming at given clauses: the model's own answer to a scenario, judged, says which clauses a
broker's answer will exercise.
"""

import random
from collections import Counter
from collections.abc import Sequence

from generators.fetch.question_context import Question
from spec.judge import judge
from spec.layout import Layout
from spec.model import answer_all
from spec.scenario import Scenario
from spec.semantics import Semantics

MOST_TRIED = 40
"""Questions about one layout that are looked at, the most promising first: looking costs about a
millisecond.
"""

Met = frozenset[tuple[str, str]]
"""Clauses, each with a side of its fence, or with `NO_FENCE`."""
NO_FENCE = "exercised"
"""Stands for the side where a clause has no fence."""


class Aim:
    """Finds what exercises some clauses, and learns from each look which relations lead there.

    Args:
        clauses: ids.
        learnt: what it has learnt, by name, so that it can be kept and given again: how often each
            side was met, and how many questions about each fence were looked at and led there.
    """

    def __init__(self, clauses: frozenset[str], learnt: Counter[str] | None = None) -> None:
        self.clauses = clauses
        self._learnt: Counter[str] = Counter() if learnt is None else learnt

    def meets(self, scenario: Scenario, semantics: Semantics) -> Met:
        """The sides of the wanted clauses that the scenario is expected to meet, found without a
        broker.
        """
        verdicts = judge(scenario, answer_all(scenario, semantics), semantics).verdicts
        return frozenset(
            [
                (v.clause, side)
                for v in verdicts
                if v.clause in self.clauses
                for side in v.sides.names or (NO_FENCE,)
            ]
        )

    def choose(
        self,
        layout: Layout,
        asked: Sequence[Question],
        semantics: Semantics,
        count: int,
        rng: random.Random,
    ) -> list[Question]:
        """Up to `count` questions about a layout that exercise the clauses, those on rarely met
        sides first.
        """
        promising = sorted(asked, key=lambda question: (-self._promise(question), rng.random()))[
            :MOST_TRIED
        ]
        found = [
            (question, met)
            for question in promising
            if (met := self._look(layout, question, semantics))
        ]
        chosen: list[Question] = []
        while found and len(chosen) < count:
            best = max(
                found,
                key=lambda each: sum([1 / (1 + self._learnt[_side_key(side)]) for side in each[1]]),
            )
            found.remove(best)
            self._learnt.update(map(_side_key, best[1]))
            chosen.append(best[0])
        return chosen

    def _promise(self, question: Question) -> float:
        """How many of those looked at that are about the same fence led to the clauses; one in two
        where there were none.
        """
        about = question.relations[0]
        return (1 + self._learnt[f"led {about}"]) / (2 + self._learnt[f"looked {about}"])

    def _look(self, layout: Layout, question: Question, semantics: Semantics) -> Met:
        met = self.meets(Scenario(layout, (question.fetch,)), semantics)
        self._learnt[f"looked {question.relations[0]}"] += 1
        self._learnt[f"led {question.relations[0]}"] += bool(met)
        return met


def _side_key(side: tuple[str, str]) -> str:
    return " ".join(("met", *side))
