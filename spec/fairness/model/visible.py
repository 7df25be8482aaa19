"""Which records of a log a consumer is to see."""

from functools import lru_cache

from spec.frozen import frozen
from spec.kafka import READ_COMMITTED
from spec.log import Log, Stored


@frozen
class Visible:
    """The records of a log that a consumer of one isolation level may read.

    Attributes:
        certain: the offsets of those that there are.
        possible: these, and every offset of a batch that compaction took records out of: which of
            them are left, no layout says.
    """

    certain: tuple[int, ...]
    possible: frozenset[int]


@lru_cache(maxsize=4096)
def visible(log: Log, isolation: int) -> Visible:
    """The records of a log below the offset that its reads may not reach.

    No marker is one; under read_committed, no record of an aborted transaction is, and none at or
    past the last stable offset (KIP-98). The log start is not looked at.
    """
    certain: list[int] = []
    possible: set[int] = set()
    for batch in log.batches:
        if not is_readable(log, batch, isolation):
            continue
        offsets = range(batch.base, batch.last + 1)
        possible.update(offsets)
        if batch.records == len(offsets):
            certain += offsets
    return Visible(tuple(certain), frozenset(possible))


def is_readable(log: Log, batch: Stored, isolation: int) -> bool:
    """Whether a consumer of this isolation level may see the records of a batch."""
    if batch.control:
        return False
    if isolation != READ_COMMITTED:
        return True
    return batch.base < log.stable and not is_aborted(log, batch)


def is_aborted(log: Log, batch: Stored) -> bool:
    """Whether a batch belongs to an aborted transaction."""
    return batch.txn is not None and any(
        one.txn == batch.txn and one.first <= batch.base < one.last for one in log.aborted
    )
