"""Texts of the catalogue, of breaks and of outcomes are in plain words, as reports show them."""

import pytest

from spec import judgement
from spec.catalogue import catalogue, clause, examples
from spec.clause import fails
from spec.in_words import in_words, quote, spans_in_words
from spec.model import answer_all
from spec.outcomes import AppendAnswer, Closed, Garbled, NotReady, NotSent, Outcome, Silent
from spec.produce.outcomes import TopicChanged
from spec.replication.outcomes import EpochEnd, NotMoved
from spec.worked import semantics_of
from tests.plain_words import BROKEN_TEXTS, has_python

BY_HAND: tuple[Outcome, ...] = (
    AppendAnswer(3, None),
    Closed("end of stream"),
    Garbled("4 bytes are missing"),
    NotMoved("expected broker 1 to lead, found broker 0"),
    NotReady("expected a leader, found none"),
    NotSent("the step before it ended the scenario"),
    Silent(5000),
    TopicChanged(),
)
"""Outcomes that may be in no worked example."""


def _kinds(base: type[Outcome] = Outcome) -> set[str]:
    """The name of each kind of outcome of a subject, or of all.

    A class with slots is made twice, and the first one stays until it is collected: so by name.
    """
    below = base.__subclasses__()
    if below:
        return set().union(*[_kinds(one) for one in below])
    return {_name(base)} if base.__module__.startswith("spec.") else set()


def _name(kind: type[Outcome]) -> str:
    return f"{kind.__module__}.{kind.__name__}"


def test_each_kind_of_outcome_is_named_in_plain_words() -> None:
    seen = {type(one): {one} for one in BY_HAND}
    for found in examples().values():
        scenario = found[0].scenario
        for exchange in answer_all(scenario, semantics_of(scenario, "4.3")).exchanges:
            seen.setdefault(type(exchange.outcome), set()).add(exchange.outcome)
    assert _kinds() - {_name(kind) for kind in seen} == set()
    assert [str(one) for some in seen.values() for one in some if has_python(str(one))] == []
    assert all(str(one) for some in seen.values() for one in some)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (Closed("end of stream"), "a closed connection (end of stream)"),
        (
            Closed(control_answered=False),
            "a closed connection, and no answer on another one either",
        ),
        (Silent(5000, control_answered=True), "no answer in 5000 ms"),
        (EpochEnd(0, 3, 7), "no error, epoch 3, offset 7"),
        (EpochEnd(6), "error NOT_LEADER_OR_FOLLOWER, epoch none, offset none"),
        (range(2, 5), "2 to 4"),
        (range(2, 0), "none"),
        ((), "none"),
        ([], "none"),
        ([(0, 1), (2, 3)], "(0, 1), (2, 3)"),
        (True, "yes"),
        (b"abc", "3 bytes"),
    ],
)
def test_values_are_named_in_words(value: object, words: str) -> None:
    assert in_words(value) == words


def test_spans_and_foreign_texts_are_named_in_words() -> None:
    assert spans_in_words([(0, 4), (5, 9)]) == "0 to 4, 5 to 9"
    assert spans_in_words([]) == "none"
    assert quote("a b") == "'a b'"
    assert quote(None) == "none"


def test_no_text_of_the_catalogue_shows_a_form_of_python() -> None:
    shown = {
        (one.id, text)
        for one in catalogue().values()
        for text in (
            *(one.statement, one.explanation, one.excluded, str(one.fence or "")),
            *map(str, one.sources),
            *[reading.statement for reading in one.readings],
            *[example.title for example in one.examples],
        )
    }
    assert {(name, text) for name, text in shown if has_python(text)} == set()


@pytest.mark.parametrize(
    "why",
    [
        "expected offset 3, found None",
        "expected the order 0, 1, found [1, 0]",
        "expected 1, found range(0, 2)",
        "expected UNKNOWN_TOPIC_ID, found <Error.NONE: 0>",
        "expected partition 1, found (0,)",
        "expected a batch, found Batch(size=100)",
    ],
)
def test_a_break_in_a_form_of_python_is_seen_in_each_test(why: str) -> None:
    judgement._breaking(clause("FET-001"), fails(why))
    assert BROKEN_TEXTS.found == [f"FET-001: {why}"]
    BROKEN_TEXTS.found.clear()
