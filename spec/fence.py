"""The fence of a clause: the value at which one more byte, record, member or offset tips the
outcome.
"""

from enum import StrEnum

from spec.frozen import frozen
from spec.verdict import Side

EVERY_SIDE = Side.BELOW | Side.AT | Side.ABOVE


class Unit(StrEnum):
    """The unit of a fence."""

    BYTES = "bytes"
    RECORDS = "records"
    MEMBERS = "members"
    OFFSETS = "offsets"
    MILLISECONDS = "milliseconds"
    DELIVERIES = "deliveries"
    EPOCHS = "epochs"
    PARTITIONS = "partitions"
    VERSIONS = "versions"
    CHARACTERS = "characters"
    CONNECTIONS = "connections"
    REPLICAS = "replicas"
    VALUES = "values"
    """Values of a coded field, such as an acknowledge type or a session id."""


@frozen
class UnreachableSides:
    """Sides of a clause's fence on which its condition can't arise, whatever is asked.

    Attributes:
        sides: which.
        reason: why not.
    """

    sides: Side
    reason: str


NOWHERE = UnreachableSides(Side.NONE, "")


@frozen
class Fence:
    """The boundary at which the outcome of a clause changes.

    Attributes:
        axis: the quantity that moves, `the partition's limit`.
        unit: what it is counted in.
        at: the value against which it is compared, `the first batch`.
        meaning: what a side stands for, where it is not simply less, equal or more.
        never: the sides that can't be met, with the reason.
    """

    axis: str
    unit: Unit
    at: str
    meaning: str = ""
    never: UnreachableSides = NOWHERE

    @property
    def sides(self) -> Side:
        """The sides that can be met."""
        return Side(EVERY_SIDE & ~self.never.sides)

    def __str__(self) -> str:
        """`the partition's limit, against the first batch (bytes)`, and what its sides stand
        for.
        """
        line = f"{self.axis}, against {self.at} ({self.unit})"
        return f"{line}; {self.meaning}" if self.meaning else line
