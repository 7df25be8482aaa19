"""What is asked about placed layouts in a run, and where it was drawn, so that it can be drawn again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from generators.fetch.fences import Question
    from spec.fetch.steps import Fetch
    from spec.layout import Layout
    from spec.scenario import Scenario


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class Ask:
    """A fetch about a placed layout.

    Attributes:
        number: the layout's, among those placed together.
        fetch: what is asked.
        family, relations: as in `Judged`.
        origin: where it was drawn; None for a worked example.
    """

    number: int
    fetch: Fetch
    family: str
    relations: tuple[str, ...] = ()
    origin: Origin | None = None
