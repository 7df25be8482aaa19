"""The scenarios of a run, and where each was drawn, so that it can be drawn again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.drawing import collect
from spec.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable

    from hypothesis.strategies import SearchStrategy

    from generators.fetch.fences import Question
    from spec.layout import Layout
    from spec.scenario import Scenario


@frozen
class Origin:
    """Where a broken scenario was drawn.

    Attributes:
        strategy, seed, count: what `collect` was given.
        drawn: what it gave.
        index: which of them broke.
        question: what was asked about it; None for a history.
    """

    strategy: SearchStrategy[Layout] | SearchStrategy[Scenario]
    seed: int
    count: int
    drawn: tuple[object, ...]
    index: int
    question: Question | None


@frozen
class Ask:
    """A scenario that is to be played.

    Attributes:
        scenario: what is played.
        family, relations: as in `Judged`.
        origin: where it was drawn; None for one that was not.
        layout: the number of its layout, among those placed together.
    """

    scenario: Scenario
    family: str
    relations: tuple[str, ...] = ()
    origin: Origin | None = None
    layout: int = 0


def drawn_asks(
    strategy: SearchStrategy[Scenario],
    seed: int,
    count: int,
    relations: Callable[[Scenario], tuple[str, ...]],
) -> list[Ask]:
    """Draw so many histories that are to be played, each with its relations."""
    drawn = tuple(collect(strategy, seed, count))
    return [
        Ask(
            scenario,
            "history",
            relations(scenario),
            Origin(strategy, seed, count, drawn, index, None),
        )
        for index, scenario in enumerate(drawn)
    ]
