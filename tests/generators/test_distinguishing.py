"""Readings are distinguished by the smallest case, or shown to be the same within the bounds of the
search.
"""

from itertools import pairwise

import pytest
from click.testing import CliRunner

from conformance.cli import main
from generators.distinguishing import (
    Pair,
    Search,
    all_pairs,
    pair_of_releases,
)
from generators.small_scope import Bounds, layouts
from spec.layout import validate
from spec.releases import RELEASES
from spec.subject_registry import subject_named
from tests.generators.distinguished import assert_distinguished

BOUNDS = Bounds()
SAME = {("4.1", "4.2"), ("4.2", "4.3"), ("4.3", "4.4")}
"""The pairs that no answer to a fetch within the bounds distinguishes."""

PAIRS = [
    *all_pairs(subject_named("fetch").axes, Search()),
    *[pair_of_releases(*two) for two in pairwise(RELEASES)],
]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair.names[0]} {pair.names[1]}")
def test_each_two_ways_are_distinguished_by_a_small_case_unless_they_are_the_same(
    pair: Pair,
) -> None:
    assert_distinguished(pair, same=pair.names in SAME)


def test_the_search_goes_through_sound_layouts_each_once_the_smallest_first() -> None:
    found = list(layouts(BOUNDS))
    assert len(set(found)) == len(found)
    sizes = [
        sum(len(list(partition.entries())) for partition in layout.partitions) for layout in found
    ]
    assert sizes[0] == 1
    for layout in found:
        validate(layout)
    assert not any(layout.is_crafted for layout in layouts(Bounds(crafted=False)))


def shown(*arguments: str) -> str:
    result = CliRunner().invoke(main, ["readings", *arguments])
    assert result.exit_code == 0, result.output
    return result.output


def test_the_command_lists_the_questions_and_the_clauses_with_readings() -> None:
    listed = shown()
    for name in ("FET-102", "left_out", "SHR-009"):
        assert name in listed


def test_the_command_draws_the_smallest_case_of_each_pair() -> None:
    drawn = shown("FET-102")
    assert "cut and left_out differ here" in drawn
    assert drawn.count("###") >= 2
    assert "kept and taken_back differ here" in shown("SHR-009")
    assert "`fencepost identify` finds the one" in shown("SHR-012")


def test_the_command_distinguishes_two_releases() -> None:
    assert "Fetch v18" in shown("--between", "4.0", "4.1")
    assert "no difference" in shown("--between", "4.1", "4.2", "--batches", "1")


def test_wrong_use_is_reported() -> None:
    assert CliRunner().invoke(main, ["readings", "--between", "4.0", "3.9"]).exit_code == 2
    assert CliRunner().invoke(main, ["readings", "FET-999"]).exit_code == 2
    assert "no readings" in shown("FET-001")


def test_the_command_shows_an_answer_that_one_of_two_readings_permits() -> None:
    text = shown("SHR-144")
    assert (
        "at_max_wait permits and woken forbids these answers (the model's, as at_max_wait)" in text
    )
    assert "step 2 took 3000 ms" in text
    assert "(Apache Kafka's)" in shown("SHR-123")
