"""Evenly drawn numbers, the same for one seed in every process (see `generators/drawing.py`)."""

from functools import cache
from typing import Final

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

DIGIT: Final = 100
"""Hypothesis favours no number below this one."""


@cache
def below(bound: int) -> SearchStrategy[int]:
    """A number from 0 to `bound - 1`, evenly drawn; it shrinks towards 0.

    One of 100 or more is scaled from two digits to the base of 100, so that each comes as often as
    any other but for one part in 10,000 / `bound`.

    Raises:
        ValueError: `bound` is not from 1 to 10,000.
    """
    if not 1 <= bound <= DIGIT**2:
        raise ValueError(f"expected a bound from 1 to {DIGIT**2}, found {bound}")
    if bound <= DIGIT:
        return st.integers(0, bound - 1)
    digit = st.integers(0, DIGIT - 1)
    return st.tuples(digit, digit).map(
        lambda digits: (digits[0] * DIGIT + digits[1]) * bound // DIGIT**2
    )
