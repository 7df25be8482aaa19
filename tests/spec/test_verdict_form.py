"""The form of verdicts, and the record of what a run saw of each clause."""

from itertools import product

import pytest

from conformance.findings.sightings import Sightings
from spec.canonical import from_plain, to_plain
from spec.verdict import ABOVE, AT, BELOW, Outcome, Side, Verdict

NAMES = ("below", "at", "above")
HELD = Verdict("FET-001", Outcome.CONFORMS, AT)


@pytest.mark.parametrize(
    "verdict",
    [
        Verdict("FET-001", outcome, Side(sides), why, "over the limit" if why else "", primary)
        for outcome, sides, why, primary in product(
            (Outcome.CONFORMS, Outcome.VIOLATES), range(8), ("", "found 7"), (False, True)
        )
    ],
)
def test_a_verdict_is_read_as_it_was_written(verdict: Verdict) -> None:
    assert from_plain(Verdict, to_plain(verdict)) == verdict


def test_the_form_of_a_verdict_that_held_is_the_callers_own() -> None:
    form = to_plain(HELD)
    form["clause"] = "FET-002"
    assert to_plain(HELD) == {"clause": "FET-001", "outcome": "conforms", "sides": 2}


def test_sides_are_named_from_below_to_above() -> None:
    assert [Side(bits).names for bits in range(8)] == [
        tuple([name for side, name in zip((BELOW, AT, ABOVE), NAMES, strict=True) if side & bits])
        for bits in range(8)
    ]


def test_a_record_counts_verdicts_by_clause_and_side_and_keeps_what_broke() -> None:
    record = Sightings()
    broken = Verdict("FET-001", Outcome.DEVIATES, BELOW | AT, "found 7", "over the limit")
    record.see([HELD, Verdict("FET-020", Outcome.CONFORMS)])
    record.see([broken])
    assert record.exercised == {"FET-001": 2, "FET-020": 1}
    assert record.sided == {("FET-001", "below"): 1, ("FET-001", "at"): 2}
    assert record.happened == {broken.kind}
