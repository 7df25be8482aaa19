"""Numbers that were asked for among the bounds that Kafka gives them."""

from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation

from results.shapes import Ladder, Rung
from spec.frozen import frozen
from spec.kafka import error_name
from spec.limits.configs import Range

_MOST_DIGITS = 40
"""Digits of a number that is put on a ladder."""


@frozen
class Asked:
    """A number that was asked for.

    Attributes:
        number: as it was sent.
        error: the error code in answer; None where no answer says it.
        words: what it was asked for; empty where the ladder says so.
    """

    number: str
    error: int | None
    words: str = ""


def ladder(title: str, bounds: Range, asked: Sequence[Asked]) -> Ladder | None:
    """The ladder of numbers and bounds; None where one of them is no number, or nothing bounds
    them.
    """
    numbers = [_number(one.number) for one in asked]
    known = [number for number in numbers if number is not None]
    if len(known) < len(numbers) or not known or bounds == Range(None, None):
        return None
    words: dict[Decimal, list[str]] = {}
    for bound, name in (
        (bounds.greatest, "the greatest allowed"),
        (bounds.least, "the least allowed"),
        (bounds.besides, "allowed besides"),
    ):
        if bound is not None:
            words.setdefault(Decimal(bound), []).append(name)
    marks: dict[Decimal, list[Asked]] = {}
    for number, one in zip(known, asked, strict=True):
        marks.setdefault(number, []).append(one)
    every = sorted({*words, *marks}, reverse=True)
    return Ladder(title, tuple([_rung(one, bounds, words, marks) for one in every]))


def answer_words(error: int | None) -> str:
    """What an answer says of what was asked: it was taken, or refused by an error."""
    if error is None:
        return "no answer"
    return f"refused, {error_name(error)}" if error else "taken"


def _rung(
    number: Decimal,
    bounds: Range,
    words: Mapping[Decimal, Sequence[str]],
    marks: Mapping[Decimal, Sequence[Asked]],
) -> Rung:
    asked = marks.get(number, ())
    allowed = _is_allowed(number, bounds)
    answers = [
        f"{one.words or 'asked'}{'' if allowed else ', not allowed'}: {answer_words(one.error)}"
        for one in asked
    ]
    return Rung(
        f"{number:f}",
        "; ".join([*words.get(number, ()), *answers]),
        allowed,
        bool(asked),
        any(one.error for one in asked),
    )


def _is_allowed(number: Decimal, bounds: Range) -> bool:
    if bounds.besides is not None and number == Decimal(bounds.besides):
        return True
    return (bounds.least is None or number >= Decimal(bounds.least)) and (
        bounds.greatest is None or number <= Decimal(bounds.greatest)
    )


def _number(text: str) -> Decimal | None:
    if len(text) > _MOST_DIGITS:
        return None
    try:
        found = Decimal(text.strip())
    except InvalidOperation:
        return None
    return found if found.is_finite() and abs(found.adjusted()) <= _MOST_DIGITS else None
