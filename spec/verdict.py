"""Verdicts of clauses on observations."""

from enum import IntFlag, StrEnum

from spec.frozen import frozen


class Strength(StrEnum):
    """The strength of a clause. See `Verdict` for what a break of each amounts to."""

    MUST = "must"
    REFERENCE = "reference"
    BEST_EFFORT = "best_effort"


class LimitClass(StrEnum):
    """The origin of a limit: a compiled constant or type width, a configuration, or resources
    times architecture.
    """

    HARD = "HARD"
    SOFT = "SOFT"
    EMERGENT = "EMERGENT"


class Outcome(StrEnum):
    """A clause's word on one scenario, most severe first."""

    VIOLATES = "violates"
    INCONCLUSIVE = "inconclusive"
    DEVIATES = "deviates"
    CONFORMS = "conforms"
    UNSUPPORTED = "unsupported"
    UNEXERCISED = "unexercised"

    __hash__ = str.__hash__


class Side(IntFlag):
    """On which side of a clause's fence the scenario stood. One scenario may stand on several, with
    several partitions.
    """

    NONE = 0
    BELOW = 1
    AT = 2
    ABOVE = 4

    __bool__ = int.__bool__
    __hash__ = int.__hash__

    def __or__(self, other: int) -> "Side":
        """Both sides together. Sides are joined some dozens of times for each answer, which the
        enum's own way makes expensive.
        """
        return _JOINED[self][other]

    @property
    def names(self) -> tuple[str, ...]:
        """The sides in it, by name."""
        return _NAMES[self]


NO_SIDE, BELOW, AT, ABOVE = Side.NONE, Side.BELOW, Side.AT, Side.ABOVE
"""The sides by names of this module: on Python 3.11 each look-up in an enum costs more than the
comparison that it is for.
"""
_NAMES = tuple(
    [
        tuple([name for bit, name in enumerate(("below", "at", "above")) if bits >> bit & 1])
        for bits in range(8)
    ]
)
_JOINED = tuple([tuple([Side(one | other) for other in range(8)]) for one in range(8)])


def side(value: int, fence: int) -> Side:
    """The side of `fence` that `value` stands on."""
    return BELOW if value < fence else AT if value == fence else ABOVE


def side_of_range(value: int, least: int, greatest: int) -> Side:
    """Below the least value of a range, above the greatest, or at it: inside, ends included."""
    if value < least:
        return BELOW
    return ABOVE if value > greatest else AT


@frozen
class Verdict:
    """One clause's verdict on one scenario.

    Attributes:
        clause: the clause's id.
        outcome: what it says.
        sides: where its fence was met.
        why: expected against found, for everything but `conforms`; a signature, free of sizes,
            stands in `signature`.
        signature: what makes two breaks the same, for findings and clusters.
        primary: of several breaks in one scenario, the one that explains the others.
    """

    clause: str
    outcome: Outcome
    sides: Side = Side.NONE
    why: str = ""
    signature: str = ""
    primary: bool = False

    @property
    def kind(self) -> tuple[str, str]:
        """What is broken and in which way: breaks of one kind are the same defect."""
        return self.clause, self.signature
