"""Steps of a scenario of offsets: lookups, and the writes that they are about."""

from collections.abc import Iterator
from enum import StrEnum

from spec.frozen import frozen
from spec.kafka import INT64_MAX, READ_UNCOMMITTED
from spec.layout import Codec
from spec.steps import Step

LATEST, EARLIEST, LARGEST, EARLIEST_LOCAL, LATEST_TIERED, EARLIEST_PENDING = -1, -2, -3, -4, -5, -6
"""The special timestamps of ListOffsets: the end, the log start, the largest timestamp (KIP-734),
the first local offset (KIP-405), the last tiered one (KIP-1005), the first one that is not tiered
yet (KIP-1023).
"""
SPECIALS = {
    LATEST: ("latest", 1),
    EARLIEST: ("earliest", 1),
    LARGEST: ("largest timestamp", 7),
    EARLIEST_LOCAL: ("earliest local", 8),
    LATEST_TIERED: ("latest tiered", 9),
    EARLIEST_PENDING: ("earliest pending upload", 11),
}
"""By special timestamp: its name, and the version of ListOffsets that it came with."""
ISOLATION_SINCE = 2
EPOCH_SINCE = 4


class OffsetStep(Step):
    """A step of this subject."""

    __slots__ = ()

    @property
    def subject(self) -> str:
        """The one subject that has it."""
        return "offsets"


@frozen
class AppendTimed(OffsetStep):
    """One batch is produced to a partition (acks=all), each record with its own timestamp.

    Attributes:
        partition: its number in the layout.
        times: the timestamp of each record, ms, relative to the partition's time: that of the
            records in the last segment of the layout.
        codec: how its records are compressed.
        value_size: bytes of each record's value: past 4096 in a segment, its indexes get entries.
        actor: which connection sends it.
    """

    partition: int
    times: tuple[int, ...]
    codec: Codec = Codec.NONE
    value_size: int = 0
    actor: int = 0

    def problems(self) -> Iterator[str]:
        """A batch without records can't be produced."""
        if not self.times:
            yield "times: expected at least one record, found none"


@frozen
class Lookup:
    """What a ListOffsets request asks of one partition.

    Attributes:
        partition: its number in the layout. The topic has no partition of a number that the layout
            does not have.
        timestamp: a special timestamp, or, where `relative`, ms relative to the partition's time.
        relative: whether the timestamp is counted from the partition's time; otherwise it is sent
            as it is.
        leader_epoch: the current leader epoch that is sent (v4+), relative to the partition's: 0 is
            that one, 1 a newer, -1 an older one; None: -1 is sent, and the broker checks none.
    """

    partition: int
    timestamp: int = LATEST
    relative: bool = False
    leader_epoch: int | None = None

    @property
    def is_special(self) -> bool:
        """Whether no record's timestamp is asked for."""
        return not self.relative and self.timestamp < 0


@frozen
class ListOffsets(OffsetStep):
    """One ListOffsets request (API key 2).

    Attributes:
        lookups: what is asked for, in request order.
        isolation: 0 read_uncommitted, 1 read_committed (v2+).
        version: the request version.
        actor: which connection sends it.
    """

    lookups: tuple[Lookup, ...]
    isolation: int = READ_UNCOMMITTED
    version: int = 10
    actor: int = 0

    def problems(self) -> Iterator[str]:
        """A time that is not counted from the partition's can't be placed among its records."""
        for number, lookup in enumerate(self.lookups):
            if not lookup.relative and 0 < lookup.timestamp < INT64_MAX:
                yield (
                    f"lookups[{number}].timestamp: expected one below 1, or {INT64_MAX}, where it "
                    f"is not relative, found {lookup.timestamp}"
                )


@frozen
class OffsetForLeaderEpoch(OffsetStep):
    """One OffsetForLeaderEpoch request (API key 23) of a consumer.

    Attributes:
        partition: its number in the layout.
        epoch: the leader epoch whose end is asked for, relative to the partition's current one.
        current: the current leader epoch that is sent (v2+), relative to the partition's; None: -1
            is sent, and the broker checks none.
        version: the request version.
        actor: which connection sends it.
    """

    partition: int
    epoch: int = 0
    current: int | None = None
    version: int = 4
    actor: int = 0


class Text(StrEnum):
    """What the text of a commit's metadata is made of."""

    ASCII = "ascii"
    """The letter a: one byte in UTF-8, one unit in UTF-16."""
    ACCENTED = "accented"
    """The letter \u00e9: two bytes, one unit."""
    ASTRAL = "astral"
    """The clef \U0001d11e: four bytes, two units."""

    __hash__ = str.__hash__


LETTERS = {Text.ASCII: "a", Text.ACCENTED: "\u00e9", Text.ASTRAL: "\U0001d11e"}


@frozen
class Commit:
    """What an OffsetCommit request commits for one partition.

    Attributes:
        partition: its number in the layout.
        offset: the offset that is committed, as it is sent; it need not be in the log.
        length: characters of the metadata.
        text: which character they are.
    """

    partition: int
    offset: int = 0
    length: int = 0
    text: Text = Text.ASCII

    @property
    def size(self) -> int:
        """Bytes of the metadata in UTF-8."""
        return self.length * len(LETTERS[self.text].encode())

    @property
    def units(self) -> int:
        """Units of the metadata in UTF-16."""
        return self.length * len(LETTERS[self.text].encode("utf-16-le")) // 2


@frozen
class OffsetCommit(OffsetStep):
    """One OffsetCommit request (API key 8) of a consumer that assigns its partitions itself, in
    the scenario's own group.

    Attributes:
        commits: what is committed, in request order; each partition once.
        version: the request version.
        actor: which connection sends it.
    """

    commits: tuple[Commit, ...]
    version: int = 8
    actor: int = 0

    def problems(self) -> Iterator[str]:
        """A partition that is named twice would be committed in an order that is not said."""
        numbers = [commit.partition for commit in self.commits]
        if len(set(numbers)) < len(numbers):
            yield f"commits: expected each partition once, found {numbers}"


@frozen
class OffsetFetch(OffsetStep):
    """One OffsetFetch request (API key 9) for the scenario's own group.

    Attributes:
        partitions: numbers in the layout, in request order; each once.
        require_stable: whether an offset of an open transaction is waited for (v7+).
        version: the request version.
        actor: which connection sends it.
    """

    partitions: tuple[int, ...]
    require_stable: bool = False
    version: int = 8
    actor: int = 0

    def problems(self) -> Iterator[str]:
        """A partition that is named twice has no one entry."""
        if len(set(self.partitions)) < len(self.partitions):
            yield f"partitions: expected each once, found {list(self.partitions)}"
