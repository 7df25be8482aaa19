"""Making a break small: Hypothesis draws the same stream again and shrinks its first diverging
value, replaying live.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

from conformance.engine.plan import RESTARTING_SHRINK_CALLS, SHRINK_CALLS
from conformance.engine.play_result import simplest
from conformance.engine.time_spent import TimeSpent
from conformance.placement.problem import PlacementFailed
from generators.fetch.fences import questions_at_the_same_fence
from generators.layouts import smallest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hypothesis.strategies import SearchStrategy

    from conformance.engine.plan import Allowance
    from conformance.engine.play_result import Played
    from conformance.engine.player import LayoutPlayer, Player
    from generators.fetch.fences import Question
    from spec.layout import Layout
    from spec.scenario import Scenario
    from spec.verdict import Verdict


T = TypeVar("T")


class _OutOfTimeError(Exception):
    """Ends the search where its time is used up."""


class ShrinkTime(TimeSpent):
    """How long a run may spend on making breaks small.

    The verdicts come first: what a run may spend is a small part of what else it has taken so far.
    Breaks that are no violations get at most half of it.

    Args:
        allowance: for a whole run.
    """

    def __init__(self, allowance: Allowance) -> None:
        super().__init__()
        self._allowance = allowance

    def seconds_left(self, seconds: float, *, light: bool) -> float:
        """How many seconds there are for a break, `light` where it is no violation.

        Args:
            seconds: how long the run has taken so far, with what was spent on this.
            light: see above.
        """
        allowed = self._allowance.of(seconds - self.spent)
        return (allowed / 2 if light else allowed) - self.spent


class Shrinker:
    """Shrinks one break.

    Args:
        clause, signature: what must break.
        seconds: how long it may take; the replay that is under way then is still waited for.

    Attributes:
        calls: live replays it took so far.
    """

    def __init__(self, clause: str, signature: str, seconds: float) -> None:
        self._clause = clause
        self._signature = signature
        self._ends = time.monotonic() + seconds
        self.calls = 0
        self._best: dict[object, Played] = {}

    def is_about(self, verdict: Verdict) -> bool:
        """Whether a verdict is the break that is shrunk."""
        return verdict.kind == (self._clause, self._signature)

    def layout(
        self,
        player: LayoutPlayer,
        strategy: SearchStrategy[Layout],
        seed: int,
        count: int,
        question: Question,
        known: Mapping[Layout, bool],
        *,
        crafted: bool,
    ) -> Played | None:
        """The smallest layout of a stream about which a question of the same kind breaks, with its
        simplest question.

        Each call restarts the broker where layouts are crafted: there are only few then.
        """

        def play_asks(layout: Layout) -> list[Played]:
            return player.ask_alike(
                layout,
                [
                    one.fetch
                    for one in questions_at_the_same_fence(layout, player.semantics, question)
                ],
            )

        budget = RESTARTING_SHRINK_CALLS if crafted else SHRINK_CALLS
        return self._smallest(strategy, seed, count, known, budget, play_asks)

    def history(
        self,
        player: Player,
        strategy: SearchStrategy[Scenario],
        seed: int,
        count: int,
        known: Mapping[Scenario, bool],
        budget: int,
    ) -> Played | None:
        """The smallest history of a stream that breaks, within so many replays; hastened where
        that shows it too.
        """

        def play_quickly(scenario: Scenario) -> list[Played]:
            quick = player.with_shorter_waits(scenario)
            if quick != scenario:
                hasty = player.play_one(quick)
                if self._best or hasty.broke(self._clause, self._signature):
                    return [hasty]
            return [player.play_one(scenario)]

        return self._smallest(strategy, seed, count, known, budget, play_quickly)

    def _smallest(
        self,
        strategy: SearchStrategy[T],
        seed: int,
        count: int,
        known: Mapping[T, bool],
        budget: int,
        play: Callable[[T], list[Played]],
    ) -> Played | None:
        """The break of the smallest value; where the time ends before, of the smallest one up to
        then.
        """

        def diverges(value: T) -> bool:
            if time.monotonic() >= self._ends:
                raise _OutOfTimeError
            self.calls += 1
            try:
                plays = play(value)
            except PlacementFailed:
                return False
            found = [played for played in plays if played.broke(self._clause, self._signature)]
            if found:
                self._best[value] = simplest(found)
            return bool(found)

        try:
            least = smallest(strategy, seed, count, diverges, budget, known=known)
        except _OutOfTimeError:
            return next(reversed(self._best.values()), None)
        return None if least is None else self._best.get(least)
