"""Readings of the draft are distinguished by the smallest case, or shown to be the same within the
bounds of the search.
"""

import pytest
from click.testing import CliRunner

from conformance.cli import main
from drafts.max_records.draft import DRAFT
from drafts.max_records.inquiry import INQUIRY
from generators.distinguishing import Pair, all_pairs
from tests.generators.distinguished import assert_distinguished

SAME = {("request", "both"), ("header", "deep"), ("tagged", "plain")}
"""The pairs that no answer to a fetch within the bounds distinguishes."""

PAIRS = list(all_pairs(DRAFT.axes, INQUIRY.search))


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair.names[0]} {pair.names[1]}")
def test_each_two_ways_are_distinguished_by_a_small_case_unless_they_are_the_same(
    pair: Pair,
) -> None:
    assert_distinguished(pair, same=pair.names in SAME)


def shown(*arguments: str) -> str:
    result = CliRunner().invoke(main, ["readings", *arguments])
    assert result.exit_code == 0, result.output
    return result.output


def test_the_command_lists_the_questions() -> None:
    listed = shown()
    for name in ("MXR-A2", "stop", "MXR-A27"):
        assert name in listed


def test_the_command_draws_the_smallest_case_of_each_pair() -> None:
    drawn = shown("MXR-A2")
    assert "after and before differ here" in drawn
    assert "max_records 2" in drawn
    assert drawn.count("###") >= 2


def test_the_command_says_the_bounds_where_nothing_was_found() -> None:
    assert "no difference in" in shown("scope", "--batches", "2")
    assert "at most 2 batches" in " ".join(shown("compressed", "--batches", "2").split())


def test_what_is_no_question_says_where_it_went() -> None:
    assert CliRunner().invoke(main, ["readings", "MXR-A99"]).exit_code == 2
    assert "no question of its own" in shown("MXR-A26")
