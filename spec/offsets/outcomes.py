"""Responses to the steps of a scenario of offsets.

Offsets are relative to the layout's base, timestamps to the partition's time and leader epochs to
the partition's; what the wire gave as -1 is None.
"""

from spec.frozen import frozen
from spec.offsets.steps import Text
from spec.outcomes import Outcome


@frozen
class Found:
    """One partition's part of a ListOffsets answer.

    Attributes:
        partition: its number in the layout; a number past the layout's for the partition that does
            not exist; -1 where it was not asked for at all.
        error: error code.
        offset, timestamp, leader_epoch: relative; None where the wire said -1, or the version has
            no such field.
    """

    partition: int
    error: int = 0
    offset: int | None = None
    timestamp: int | None = None
    leader_epoch: int | None = None


@frozen
class ListOffsetsAnswer(Outcome):
    """A ListOffsets answer that could be decoded: its partitions in the answer's order."""

    found: tuple[Found, ...] = ()


@frozen
class Committed:
    """One partition's part of an OffsetFetch answer.

    Attributes:
        partition: its number in the layout; -1 where it was not asked for.
        error: error code.
        offset: the committed offset; None where the wire said -1.
        length, text: of its metadata; `text` is None where it is none of those that scenarios
            commit.
    """

    partition: int
    error: int = 0
    offset: int | None = None
    length: int = 0
    text: Text | None = Text.ASCII


@frozen
class OffsetFetchAnswer(Outcome):
    """An OffsetFetch answer that could be decoded: its partitions in the answer's order."""

    committed: tuple[Committed, ...] = ()
    error: int = 0


@frozen
class OffsetCommitAnswer(Outcome):
    """An OffsetCommit answer that could be decoded: (partition, error code) in the answer's order;
    partition -1 where it was not committed.
    """

    errors: tuple[tuple[int, int], ...] = ()


@frozen
class EpochEndAnswer(Outcome):
    """The one entry of an OffsetForLeaderEpoch answer.

    Attributes:
        error: error code.
        epoch, offset: the leader epoch and its end offset, relative; None where the wire said -1.
    """

    error: int = 0
    epoch: int | None = None
    offset: int | None = None
