"""How the clauses hold the answer on a batch against what it must be."""

from spec.clause import Held, breaks, fails, holds
from spec.in_words import in_words
from spec.kafka import Error, error_name
from spec.produce.turn import Attempt
from spec.verdict import Side


def expect_refusal(sent: Attempt, what: str, where: Side | None = None) -> Held:
    """Hold that a batch is answered with an error, whichever; `what` says what is wrong with it."""
    if sent.code:
        return holds(Side.NONE if where is None else where)
    why = f"{what}: expected an error, found none and base offset {in_words(sent.answer.base)}"
    return fails(why, "accepted") if where is None else breaks(where, why, "accepted")


def expect_error(sent: Attempt, expected: Error, what: str, where: Side | None = None) -> Held:
    """Hold that a batch is answered with this error code; `what` says what is wrong with it."""
    if sent.code == expected:
        return holds(Side.NONE if where is None else where)
    why = f"{what}: expected {expected.name}, found {error_name(sent.code)}"
    signature = "other error" if sent.code else "accepted"
    return fails(why, signature) if where is None else breaks(where, why, signature)
