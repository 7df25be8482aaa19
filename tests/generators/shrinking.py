"""What a value shrinks to, whatever was drawn first."""

from collections import Counter
from collections.abc import Callable
from typing import TypeVar

from hypothesis.strategies import SearchStrategy

from generators.drawing import smallest

T = TypeVar("T")

SEEDS = (7, 8, 9, 10, 11)


def usually_shrunk(
    strategy: SearchStrategy[T], count: int, diverges: Callable[[T], bool], budget: int
) -> T | None:
    """The value that most of several seeds shrink to; of those that come as often, the shortest."""
    found = [smallest(strategy, seed, count, diverges, budget) for seed in SEEDS]
    times = Counter(found)
    return max(times, key=lambda value: (times[value], -len(repr(value))))
