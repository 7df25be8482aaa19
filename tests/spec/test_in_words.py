"""Outcomes of all subjects are named in plain words, as reports show them."""

import re

import pytest

from spec.catalogue import examples
from spec.in_words import in_words
from spec.model import answer_all
from spec.outcomes import AppendAnswer, Closed, Garbled, NotReady, NotSent, Outcome, Silent
from spec.produce.outcomes import TopicChanged
from spec.replication.outcomes import EpochEnd, NotMoved
from spec.worked import semantics_of

PYTHON = re.compile(r"\w\(\w+=|\brange\(|\b(None|True|False|Error\.\w+)\b|[\[\]{}<>]|''")
"""A form of Python, and no plain words."""
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
    python = [str(one) for some in seen.values() for one in some if PYTHON.search(str(one))]
    assert python == []
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
        ([(0, 1), (2, 3)], "(0, 1), (2, 3)"),
        (True, "yes"),
        (b"abc", "3 bytes"),
    ],
)
def test_values_are_named_in_words(value: object, words: str) -> None:
    assert in_words(value) == words
