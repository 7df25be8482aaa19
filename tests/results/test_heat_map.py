import pytest

from results.heat_map import STATES, UNEXERCISED, break_rate, heat_map, state_of
from tests.results.synthetic import CLAUSES
from tests.results.test_html import row


def test_the_state_is_the_most_severe_thing_that_was_seen() -> None:
    for place, state in enumerate(STATES):
        milder = dict.fromkeys(STATES[place:], 3)
        assert state_of(dict.fromkeys(STATES, 0) | milder) == state
    assert state_of(dict.fromkeys(STATES, 0)) == UNEXERCISED


def test_implementations_stand_by_system_and_by_the_numbers_of_their_versions() -> None:
    kafkas = ("4.10.1", "4.9.0")
    rows = [row(exercised=30, conforms=30) | {"kafka": one, "system": "b"} for one in kafkas]
    found = heat_map([*rows, row(exercised=3, violates=3) | {"system": "a"}], CLAUSES)
    assert [one.name for one in found.implementations] == ["a 4.3.1", "b 4.9.0", "b 4.10.1"]
    assert found.systems == (("a", 1), ("b", 2))
    (first, *others) = found.rows
    assert (first.clause, first.states, first.differs) == (
        "FET-001",
        ("violates", "conforms"),
        True,
    )
    assert [cell.words for cell in first.cells[:2]] == [
        "a 4.3.1: violates in 3 of 3 scenarios",
        "b 4.9.0: conforms in 30 scenarios",
    ]
    assert [one.clause for one in others] == ["FET-002", "FET-004", "FET-040"]
    assert {one.states for one in others} == {(UNEXERCISED,)}
    assert found.tally(0) == dict.fromkeys((*STATES, UNEXERCISED), 0) | {
        "violates": 1,
        UNEXERCISED: 3,
    }


def test_doubts_of_every_clause_at_once_are_no_row() -> None:
    found = heat_map([row(exercised=1, conforms=1), row("*", inconclusive=4)], CLAUSES)
    assert "*" not in {one.clause for one in found.rows}


def test_few_scenarios_are_not_shown_as_many() -> None:
    for exercised, few in ((19, True), (20, False)):
        found = heat_map([row(exercised=exercised, conforms=exercised)], CLAUSES)
        assert found.rows[0].cells[0].few is few


@pytest.mark.parametrize(
    ("broke", "exercised", "words"),
    [(0, 0, ""), (0, 20, "at most 16 %"), (0, 10_000, "at most 0.038 %"), (5, 10, "24 % to 76 %")],
)
def test_the_rate_of_breaks_is_an_interval(broke: int, exercised: int, words: str) -> None:
    assert break_rate(row(exercised=exercised, violates=broke)) == words
