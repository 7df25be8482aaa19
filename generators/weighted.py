"""A choice between values that come up more or less often."""

from functools import cache
from typing import TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from generators.numbers import below

T = TypeVar("T")

FINE = 1000
"""The sum of the weights of a count."""


def weighted(*choices: tuple[T, int]) -> SearchStrategy[T]:
    """One of some values, each as often as its weight says; it shrinks towards the first.

    A value is drawn by its number, so that shrinking tries each simpler value at once; a second
    draw decides between it and one that has more than its share (Walker's alias method).

    Raises:
        ValueError: there are no choices, or a weight is below 1.
    """
    values = [value for value, _ in choices]
    weights = [weight for _, weight in choices]
    if not choices or min(weights) < 1:
        raise ValueError(f"expected values with weights of 1 or more, found the weights {weights}")
    if len(set(weights)) == 1:
        return below(len(values)).map(lambda number: values[number])
    return _pick(values, *_shares(weights), below(len(values)), below(sum(weights)))


@cache
def chance(yes: int, no: int) -> SearchStrategy[bool]:
    """Whether something happens: in `yes` of `yes + no` cases; it shrinks towards False."""
    return below(yes + no).map(lambda number: number >= no)


def several(least: int, most: int, more: int) -> SearchStrategy[int]:
    """A number from `least` to `most`: each further one comes in `more` of 100 cases.

    Raises:
        ValueError: the range is empty, or `more` is not from 1 to 99.
    """
    if least > most or not 1 <= more <= 99:
        raise ValueError(
            f"expected a range and 1 to 99 of 100 cases, found {least} to {most} and {more}"
        )
    left = [(more / 100) ** number for number in range(most - least + 1)]
    weights = [one - other for one, other in zip(left, [*left[1:], 0.0], strict=True)]
    return weighted(
        *[(least + at, max(1, round(FINE * weight))) for at, weight in enumerate(weights)]
    )


@st.composite
def _pick(
    draw: st.DrawFn,
    values: list[T],
    bounds: list[int],
    others: list[int],
    numbers: SearchStrategy[int],
    points: SearchStrategy[int],
) -> T:
    number = draw(numbers)
    if others[number] == number or draw(points) < bounds[number]:
        return values[number]
    return values[others[number]]


def _shares(weights: list[int]) -> tuple[list[int], list[int]]:
    """The point up to which each number stands for itself, and the number that it stands for past
    it.
    """
    full = sum(weights)
    bounds = [weight * len(weights) for weight in weights]
    others = list(range(len(weights)))
    poor = [number for number, bound in enumerate(bounds) if bound < full]
    rich = [number for number, bound in enumerate(bounds) if bound > full]
    while poor:
        one, giver = poor.pop(), rich[-1]
        others[one] = giver
        bounds[giver] -= full - bounds[one]
        if bounds[giver] <= full:
            rich.pop()
        if bounds[giver] < full:
            poor.append(giver)
    return bounds, others
