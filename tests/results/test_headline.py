"""The one line that a run ends with names what decided its exit code."""

from dataclasses import replace

from results.headline import State, headline_of

WHOLE = State(
    violated=(),
    deviating=(),
    violates=0,
    deviates=0,
    known=0,
    inconclusive=0,
    exercised=3,
    broken=False,
    whole=True,
    interrupted=False,
)


def test_an_inconclusive_run_names_its_deviations_too() -> None:
    word, why = headline_of(replace(WHOLE, inconclusive=1, deviating=("GRP-150",), deviates=2))
    assert word == "INCONCLUSIVE"
    assert "GRP-150 in 2 verdicts" in why


def test_a_violation_comes_before_what_is_inconclusive() -> None:
    word, why = headline_of(replace(WHOLE, inconclusive=1, violated=("FET-004",), violates=1))
    assert (word, why) == ("VIOLATES", "FET-004 broken in 1 verdict")


def test_a_run_without_breaks_conforms() -> None:
    assert headline_of(WHOLE) == ("CONFORMS", "every exercised clause held")
