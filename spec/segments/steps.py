"""Steps of a scenario of segments. All are about the one partition of its layout."""

from collections.abc import Iterator
from dataclasses import field

from spec.frozen import frozen
from spec.segments.settings import SegmentSettings
from spec.steps import DeleteRecords, Step

LATEST, EARLIEST, LARGEST, EARLIEST_LOCAL = -1, -2, -3, -4
"""The special timestamps of ListOffsets: the end, the log start, a record with the largest time
(KIP-734), the first offset that is not in tiered storage alone (KIP-405).
"""
TORN = 100
"""Bytes of a batch of which some lie behind the last one."""


class _Step(Step):
    """A step of this subject."""

    __slots__ = ()

    @property
    def subject(self) -> str:
        """The one subject that has it."""
        return "segments"


@frozen
class UseSegments(_Step):
    """The layout's partition belongs to a topic with these configs. It is the first step.

    Attributes:
        settings: the topic's configs.
        base: the offset of the log at which the layout's offset 0 lies.
        filler: bytes of one batch of one record that lies before the layout's first batch in its
            segment and is deleted, so that positions are that large; 0: there is none.
        torn: so many of the 100 bytes of one more batch, whose checksum is wrong, lie behind the
            layout's last batch when the broker starts; 0: there are none.
        indexed: the layout's segments have their .index, without an entry, when the broker starts.
        actor: does nothing else.
    """

    settings: SegmentSettings = field(default_factory=SegmentSettings)
    base: int = 0
    filler: int = 0
    torn: int = 0
    indexed: bool = False
    actor: int = 0

    def problems(self) -> Iterator[str]:
        """What is deleted has an offset too, and its segment an index. A whole batch behind the
        last one may count for the log's end where nothing is read.
        """
        if self.filler and not self.base:
            yield "base: expected 1 or more where there is a filler, found 0"
        if self.filler and self.torn:
            yield f"torn: expected 0 where there is a filler, found {self.torn}"
        if self.indexed and not 0 < self.torn < TORN:
            yield f"torn: expected 1 to {TORN - 1} where there is an .index, found {self.torn}"


@frozen
class AlterSegments(_Step):
    """The configs of the topic are altered, and the broker is waited for until it has them.

    Attributes:
        settings: the configs from then on; retention and preallocation stay as they are.
        actor: which connection sends it.
    """

    settings: SegmentSettings = field(default_factory=SegmentSettings)
    actor: int = 0


@frozen
class AppendBatch(_Step):
    """One batch is produced to the partition (acks=all).

    Attributes:
        size: bytes of the whole batch, its 12-byte prefix and its header included.
        records: how many records it has, which is also how many offsets it takes.
        time: the timestamp of all its records, ms relative to the partition's time; None: they have
            none (-1).
        idempotent: whether it is one of the scenario's one idempotent producer, with the next
            sequence.
        actor: which connection sends it.
    """

    size: int
    records: int = 1
    time: int | None = 0
    idempotent: bool = False
    actor: int = 0


@frozen
class ResendBatch(_Step):
    """The last batch of the idempotent producer that was stored is produced again (acks=all), which
    stores nothing.

    Attributes:
        skipped: 0: with its sequence, so that it is a repetition; otherwise so many past the next
            sequence, so that it is refused.
        actor: which connection sends it.
    """

    skipped: int = 0
    actor: int = 0


@frozen
class DescribeLogDirs(_Step):
    """One DescribeLogDirs request (API key 35) for the partition.

    Attributes:
        actor: which connection sends it.
    """

    actor: int = 0


@frozen
class AskOffset(_Step):
    """One ListOffsets request for a special timestamp.

    Attributes:
        timestamp: `LATEST`, `EARLIEST`, `LARGEST` or `EARLIEST_LOCAL`.
        actor: which connection sends it.
    """

    timestamp: int = EARLIEST
    actor: int = 0

    def problems(self) -> Iterator[str]:
        """Other timestamps are times, or unknown."""
        known = (LATEST, EARLIEST, LARGEST, EARLIEST_LOCAL)
        if self.timestamp not in known:
            yield f"timestamp: expected one of {known}, found {self.timestamp}"


@frozen
class AskTime(_Step):
    """One ListOffsets request for the first record that is not earlier than a time.

    Attributes:
        time: ms relative to the partition's time.
        actor: which connection sends it.
    """

    time: int = 0
    actor: int = 0


@frozen
class ReadSegments(_Step):
    """The log is fetched from its start to its end, with limits that no segment reaches: each Fetch
    begins where the answer before it ended.

    Attributes:
        actor: which connection sends it.
    """

    actor: int = 0


@frozen
class LookAtFiles(_Step):
    """The files of the partition are read, where the data folder of the broker can be.

    Attributes:
        actor: does nothing else.
    """

    actor: int = 0


@frozen
class AwaitRetention(_Step):
    """The earliest offset is asked for until it has come to where the reference's retention leaves
    it, some seconds at most.

    Attributes:
        actor: which connection sends it.
    """

    actor: int = 0


SegmentStep = (
    UseSegments
    | AlterSegments
    | AppendBatch
    | ResendBatch
    | DescribeLogDirs
    | AskOffset
    | AskTime
    | ReadSegments
    | LookAtFiles
    | AwaitRetention
    | DeleteRecords
)
"""The steps of a scenario of segments."""
