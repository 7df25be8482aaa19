"""The boundary values of each config of each release are within its bounds, or one step beyond."""

import pytest

from spec.limits.boundaries import Place, boundaries
from spec.limits.config_table import VERSIONS
from spec.limits.configs import Range, configs


@pytest.mark.parametrize("version", VERSIONS)
def test_a_boundary_value_is_within_if_its_range_has_it(version: str) -> None:
    seen = 0
    for config in configs(version).values():
        for one in boundaries(config):
            number = float(one.value) if config.type == "DOUBLE" else int(one.value)
            assert one.within == _holds(config.bounds, number), one
            seen += 1
    assert seen > 1000


def _holds(bounds: Range, number: float) -> bool:
    least, greatest = bounds.least, bounds.greatest
    inside = (least is None or least <= number) and (greatest is None or number <= greatest)
    return inside or number == bounds.besides


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("topic/segment.bytes", ["1048575", "1048576", "2147483647", "2147483648"]),
        ("topic/compression.gzip.level", ["0", "1", "9", "10", "-1"]),
        ("topic/min.cleanable.dirty.ratio", ["-0.125", "0", "1", "1.125"]),
        ("topic/retention.ms", ["-2", "-1", str(2**63 - 1), str(2**63)]),
        ("topic/cleanup.policy", []),
    ],
)
def test_the_values_are_those_at_both_ends(key: str, values: list[str]) -> None:
    assert [one.value for one in boundaries(configs("4.3.1")[key])] == values


def test_the_least_value_is_not_taken_for_the_number_besides() -> None:
    places = [one.place for one in boundaries(configs("4.3.1")["topic/compression.gzip.level"])]
    assert places == [Place.BELOW, Place.LEAST, Place.GREATEST, Place.ABOVE, Place.BESIDES]
