"""Weighted choices come up as often as they are to, and shrink towards the first."""

from collections import Counter

import pytest
from hypothesis import strategies as st

from generators.drawing import collect, smallest
from generators.weighted import _shares, chance, several, weighted

NUMBERS = st.integers(0, 255)
"""Drawn beside a choice, so that there are many distinct values."""


@pytest.mark.parametrize("weights", [[1, 10, 2, 7], [3, 3, 3], [1, 99], [5, 1, 1, 1, 1, 1, 90]])
def test_weights_say_how_often_a_value_comes_up(weights: list[int]) -> None:
    full, count = sum(weights), len(weights)
    bounds, others = _shares(weights)
    points = Counter[int]()
    for number, bound in enumerate(bounds):
        points[number] += bound
        points[others[number]] += full - bound
    assert [points[number] for number in range(count)] == [weight * count for weight in weights]


def test_a_weighted_choice_shrinks_towards_its_first_value() -> None:
    letters = weighted(("a", 1), ("b", 90), ("c", 5))
    found = smallest(st.tuples(letters, letters), 1, 50, lambda pair: "c" in pair, 60)
    assert found in {("a", "c"), ("c", "a")}


def test_several_are_drawn_up_to_the_most() -> None:
    found = Counter(
        count for count, _, _ in collect(st.tuples(several(1, 3, 50), NUMBERS, NUMBERS), 5, 1000)
    )
    assert found.keys() == {1, 2, 3}
    assert found[1] > found[2]


@pytest.mark.parametrize("choices", [(), (("a", 0),), (("a", 2), ("b", -1))])
def test_a_choice_without_weight_is_refused(choices: tuple[tuple[str, int], ...]) -> None:
    with pytest.raises(ValueError, match="weights of 1 or more"):
        weighted(*choices)


@pytest.mark.parametrize(("least", "most", "more"), [(2, 1, 50), (1, 2, 0), (1, 2, 100)])
def test_a_number_of_nothing_is_refused(least: int, most: int, more: int) -> None:
    with pytest.raises(ValueError, match="expected a range"):
        several(least, most, more)


def test_a_chance_is_taken_as_often_as_it_says() -> None:
    drawn = collect(st.tuples(chance(1, 3), NUMBERS, NUMBERS), 5, 1000)
    happened = sum(happens for happens, _, _ in drawn)
    assert 0.15 < happened / len(drawn) < 0.35
