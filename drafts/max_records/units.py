"""The count of a batch towards a limit of records, under a profile."""

from collections.abc import Sequence

from drafts.max_records.profile import (
    Aborted,
    Compressed,
    Control,
    Gaps,
    Mixed,
    Profile,
    Start,
    Trivial,
)
from spec.frozen import frozen
from spec.kafka import READ_COMMITTED
from spec.layout import Codec
from spec.log import Log, Stored

_EXACT = {
    Trivial.NONE: frozenset({Codec.NONE}),
    Trivial.FAST: frozenset({Codec.NONE, Codec.LZ4, Codec.SNAPPY}),
}


@frozen
class View:
    """The parameters by which a fetch reads a partition.

    Attributes:
        log: the partition's log.
        offset: the fetch offset.
        isolation: the isolation level.
    """

    log: Log
    offset: int
    isolation: int

    def dropped(self, batch: Stored) -> bool:
        """Whether a read_committed consumer drops the batch, as part of an aborted transaction."""
        if self.isolation != READ_COMMITTED or batch.txn is None or batch.control:
            return False
        return any(
            aborted.first <= batch.base < aborted.last and aborted.txn == batch.txn
            for aborted in self.log.aborted
        )


def records_of(batch: Stored, view: View, profile: Profile) -> int:
    """Its records as far as they count, whatever its codec."""
    if batch.control:
        return int(profile.control is Control.COUNTED)
    if profile.aborted is Aborted.FREE and view.dropped(batch):
        return 0
    count = batch.records if profile.gaps is Gaps.RECORDS else batch.last - batch.base + 1
    if profile.start is Start.USABLE:
        count = min(count, batch.last - max(batch.base, view.offset) + 1)
    return count


def counts_one(batch: Stored, profile: Profile) -> bool:
    """Whether the batch counts one, however many records are in it."""
    return profile.compressed is Compressed.ONE and batch.codec not in _EXACT[profile.trivial]


def units_of(
    batches: Sequence[Stored], view: View, profile: Profile, decided: bool | None
) -> tuple[list[int], list[int]]:
    """The count of each batch: in records, and among those that count one; all in the first list
    but under `mixed=separate`.

    `decided` says, under `mixed=first`, whether a batch read before counts one; None where this is
    the first.
    """
    exact, coarse = [], []
    for batch in batches:
        one = counts_one(batch, profile)
        if profile.mixed is Mixed.FIRST and profile.compressed is Compressed.ONE:
            decided = one if decided is None else decided
            one = decided
        records = records_of(batch, view, profile)
        count = min(records, 1) if one else records
        separate = one and profile.mixed is Mixed.SEPARATE
        exact.append(0 if separate else count)
        coarse.append(count if separate else 0)
    return exact, coarse
