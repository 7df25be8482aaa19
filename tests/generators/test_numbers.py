"""Numbers that are drawn evenly, though none is drawn from 100 or more."""

from collections import Counter

import pytest
from hypothesis import strategies as st

from generators.drawing import collect, smallest
from generators.numbers import below


@pytest.mark.parametrize("bound", [1, 2, 100, 101, 167, 10_000])
def test_a_number_is_from_nought_to_below_the_bound(bound: int) -> None:
    found = set(collect(below(bound), 3, 500))
    assert found <= set(range(bound))
    assert len(found) >= 0.9 * min(bound, 500)


def test_no_number_is_left_out() -> None:
    place = st.tuples(below(120), st.integers(0, 99))
    found = Counter(number for number, _ in collect(place, 3, 3000))
    assert len(found) == 120


def test_a_number_shrinks_towards_nought() -> None:
    assert smallest(below(167), 3, 100, lambda number: number >= 31, 200) == 31


@pytest.mark.parametrize("bound", [0, 10_001])
def test_a_bound_out_of_range_is_refused(bound: int) -> None:
    with pytest.raises(ValueError, match=str(bound)):
        below(bound)
