"""Making a break small: Hypothesis draws the same stream again and shrinks its first diverging value, replaying live."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.engine.plan import RESTARTING_SHRINK_CALLS, SHRINK_CALLS
from conformance.engine.played import simplest
from generators.fetch.fences import alike
from generators.layouts import smallest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hypothesis.strategies import SearchStrategy

    from conformance.engine.played import Played
    from conformance.engine.player import LayoutPlayer, Player
    from generators.fetch.fences import Question
    from spec.layout import Layout
    from spec.scenario import Scenario


class Shrinker:
    """Shrinks one break.

    Args:
        clause, signature: what must break.
    """

    def __init__(self, clause: str, signature: str) -> None:
        self._clause = clause
        self._signature = signature
        self.calls = 0
        self._best: dict[object, Played] = {}

    def layout(
        self,
        bench: LayoutPlayer,
        strategy: SearchStrategy[Layout],
        seed: int,
        count: int,
        question: Question,
        known: Mapping[Layout, bool],
        *,
        crafted: bool,
    ) -> Played | None:
        """The smallest layout of a stream about which a question of the same kind breaks, with its simplest question.

        Each call restarts the broker where layouts are crafted: there are only few then.
        """

        def diverges(layout: Layout) -> bool:
            self.calls += 1
            fetches = [one.fetch for one in alike(layout, bench.semantics, question)]
            found = [played for played in bench.ask_alike(layout, fetches) if played.broke(self._clause, self._signature)]
            if found:
                self._best[layout] = simplest(found)
            return bool(found)

        least = smallest(strategy, seed, count, diverges, RESTARTING_SHRINK_CALLS if crafted else SHRINK_CALLS, known=known)
        return None if least is None else self._best.get(least)

    def history(
        self, bench: Player, strategy: SearchStrategy[Scenario], seed: int, count: int, known: Mapping[Scenario, bool], budget: int
    ) -> Played | None:
        """The smallest history of a stream that breaks, within so many replays."""

        def diverges(scenario: Scenario) -> bool:
            self.calls += 1
            played = bench.play_one(scenario)
            if played.broke(self._clause, self._signature):
                self._best[scenario] = played
                return True
            return False

        least = smallest(strategy, seed, count, diverges, budget, known=known)
        return None if least is None else self._best.get(least)
