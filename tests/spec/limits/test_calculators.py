"""The calculators give what they say, never move against a quantity, and refuse nonsense."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spec.limits.calculators import CALCULATORS, calculator
from spec.limits.computed_limit import BadGivenError, Calculator, Quantity, WorkedExample
from spec.limits.quantities import (
    BYTES,
    RATE,
    SECONDS,
    SUFFIXES,
    BadQuantityError,
    read_quantity,
    show_quantity,
)

EXAMPLES = [
    pytest.param(one, example, id=f"{one.name}-{number}")
    for one in CALCULATORS
    for number, example in enumerate(one.examples)
]
MOVING = [
    pytest.param(one, quantity, id=f"{one.name}-{quantity.name}")
    for one in CALCULATORS
    for quantity in one.quantities
    if quantity.effect
]


@pytest.mark.parametrize(("computes", "example"), EXAMPLES)
def test_an_example_has_the_result_that_it_says(
    computes: Calculator, example: WorkedExample
) -> None:
    assert computes(example.given) == read_quantity(example.result, computes.unit)


def test_the_examples_have_the_numbers_of_the_limits_table() -> None:
    results = {
        name: {read_quantity(one.stated or one.result, found.unit) for one in found.examples}
        for found in CALCULATORS
        for name in [found.name]
    }
    assert {32_765, 131_072} <= results["mmap-partitions"]
    assert 125_000 in results["open-files"]
    assert {5, 390, 14} <= results["failover-time"]
    assert {21, 103} <= results["partitions-for-throughput"]
    assert 1_000_000_000 in results["topic-throughput"]
    assert {250_000_000, 400_000_000} <= results["broker-ingress"]
    assert 5 in results["brokers-for-throughput"]
    assert 5 in results["create-requests"]
    exhausted = calculator("offset-lifetime")
    assert exhausted is not None
    years = exhausted({"rate": "1M"}) / SUFFIXES[SECONDS]["years"]
    assert 290_000 <= years < 295_000


@pytest.mark.parametrize(("computes", "quantity"), MOVING)
@settings(max_examples=25)
@given(data=st.data())
def test_a_limit_moves_the_way_its_quantity_says(
    computes: Calculator, quantity: Quantity, data: st.DataObject
) -> None:
    others = {one.name: str(data.draw(_values(one))) for one in computes.quantities}
    low, high = sorted([data.draw(_values(quantity)), data.draw(_values(quantity))])
    at_low = computes({**others, quantity.name: str(low)})
    at_high = computes({**others, quantity.name: str(high)})
    assert (at_high - at_low) * quantity.effect >= 0


def _values(quantity: Quantity) -> st.SearchStrategy[int]:
    return st.integers(max(1, int(quantity.least)), 10**12)


@pytest.mark.parametrize(
    "given_values",
    [
        {"max_map_count": "many"},
        {"maps_per_partition": "0"},
        {"maps_per_partition": "-1"},
        {"regions": "1"},
        {"max_map_count": "1GiB"},
        {"max_map_count": ""},
    ],
)
def test_what_can_not_be_computed_is_refused(given_values: dict[str, str]) -> None:
    computes = calculator("mmap-partitions")
    assert computes is not None
    with pytest.raises((BadGivenError, BadQuantityError), match="expected"):
        computes(given_values)


def test_a_quantity_without_a_default_must_be_given() -> None:
    computes = calculator("recovery-time")
    assert computes is not None
    with pytest.raises(BadGivenError, match="expected partitions"):
        computes({})


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("1 GiB", BYTES, 2**30),
        ("10Gbit/s", RATE, 1_250_000_000),
        ("1,024MB/s", RATE, 1_024_000_000),
        ("7.8ms", SECONDS, Fraction(78, 10_000)),
        ("1.5h", SECONDS, 5400),
        ("200_000", "partitions", 200_000),
        ("2M", "partitions", 2_000_000),
    ],
)
def test_a_quantity_is_read_exactly(text: str, unit: str, value: Fraction) -> None:
    assert read_quantity(text, unit) == value


@pytest.mark.parametrize(
    ("text", "unit"), [("1 GiB", RATE), ("1GB/s", BYTES), ("5 parsecs", SECONDS), ("1e3", "x")]
)
def test_a_quantity_of_another_kind_is_refused(text: str, unit: str) -> None:
    with pytest.raises(BadQuantityError, match="expected a number"):
        read_quantity(text, unit)


@given(st.integers(0, 2**63), st.sampled_from([BYTES, RATE, SECONDS, "partitions"]))
def test_a_quantity_is_read_as_it_is_shown(value: int, unit: str) -> None:
    shown = show_quantity(value, unit).partition(f" {unit}")[0]
    assert read_quantity(shown, unit) == value
