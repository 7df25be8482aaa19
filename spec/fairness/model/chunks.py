"""Chunks: one partition's part of a response, as far as its client has not handed it out."""

from spec.fairness.model.options import Options
from spec.fairness.model.visible import is_readable
from spec.fairness.outcomes import Delivered, FetchedBatch, FetchedPart
from spec.fairness.steps import Damage
from spec.frozen import frozen
from spec.log import Log


@frozen
class Chunk:
    """What a client holds of one partition's part of a response.

    Attributes:
        partition: its number in the layout.
        next: the offset that its client continues from: at first the fetch offset.
        records: the offsets of the records that are left, in order.
        spoiled: those of them whose value is not what was written.
        end: the client's position once all of them are handed out.
        unreadable: whether what comes after these records can't be parsed.
        error: error code of the partition.
        lost: from which offset on the log does not have these records any more; None where it has
            them all.
    """

    partition: int
    next: int
    records: tuple[int, ...] = ()
    spoiled: frozenset[int] = frozenset()
    end: int = 0
    unreadable: bool = False
    error: int = 0
    lost: int | None = None

    def record(self, offset: int) -> Delivered:
        """One of its records, as it is delivered."""
        lost = self.lost is not None and offset >= self.lost
        return Delivered(self.partition, offset, offset not in self.spoiled, lost=lost)

    @property
    def is_empty(self) -> bool:
        """Whether it says nothing: no record, no error, and no offset to pass."""
        return not (self.records or self.unreadable or self.error or self.end > self.next)


def chunk_of(part: FetchedPart, asked: int, log: Log, options: Options) -> Chunk:
    """What a client makes of a partition's part of a response.

    Args:
        part: as it was sent.
        asked: the fetch offset.
        log: the partition's log.
        options: of the client.

    Records before the fetch offset, markers and records that the isolation level hides are passed
    over. What can't be parsed ends it: a batch with a checksum that does not fit where checksums
    are checked, with a magic that nobody knows, or, where it is the first one, with less than its
    length.

    Source: CompletedFetch.java of Kafka 4.3.1, nextFetchedRecord.
    """
    if part.error:
        return Chunk(part.partition, asked, end=asked, error=part.error)
    records: list[int] = []
    spoiled: set[int] = set()
    end = asked
    for number, batch in enumerate(part.batches):
        if not batch.whole:
            unreadable = number == 0
            return Chunk(part.partition, asked, tuple(records), frozenset(spoiled), end, unreadable)
        if is_unreadable(batch, options):
            return Chunk(part.partition, asked, tuple(records), frozenset(spoiled), end, True)
        found = [offset for offset in readable_of(batch, log, options) if offset >= asked]
        records += found
        if batch.damage is not None:
            spoiled.update(found)
        end = max(end, batch.last + 1)
    return Chunk(part.partition, asked, tuple(records), frozenset(spoiled), end)


def is_unreadable(batch: FetchedBatch, options: Options) -> bool:
    """Whether a whole batch can't be parsed."""
    return batch.damage is not None and (batch.damage is not Damage.CRC or options.check_crcs)


def readable_of(batch: FetchedBatch, log: Log, options: Options) -> range:
    """The offsets of a batch's records that the client may deliver; of a batch that compaction was
    over, all that it covers.
    """
    stored = log.batches[log.batch_number(batch.first)]
    if not is_readable(log, stored, options.isolation):
        return range(0)
    return range(stored.base, stored.last + 1)
