"""Short forms for the worked examples of the other modules."""

from spec.kafka import BATCH_HEADER
from spec.layout import Batch, Layout, Marker, Partition
from spec.scenario import Scenario
from spec.share.steps import (
    AcknowledgementBatch,
    AcknowledgeType,
    AlterShareGroupOffsets,
    ShareAcknowledge,
    ShareFetch,
    SharePartition,
)
from spec.steps import Step

PATIENCE_MS = 5000


RECORD_BYTES, ONE_BYTE_DELTAS = 7, 64
"""The bytes of a record without key and value; from the 65th of a batch on its offset delta takes
one more.
"""


def plain(*records: int) -> Partition:
    """A partition of plain batches with these record counts, of 100 bytes each, or of what so many
    records take.
    """
    least = [
        BATCH_HEADER + RECORD_BYTES * count + max(0, count - ONE_BYTE_DELTAS) for count in records
    ]
    return Partition(
        (
            tuple(
                [
                    Batch(max(100, size), records=count)
                    for size, count in zip(least, records, strict=True)
                ]
            ),
        )
    )


FIVES = plain(5, 5, 5)
"""The layout of the examples in KIP-1206: three batches of five records."""


def transactions() -> Partition:
    """0-4 committed at 5, 6-10 aborted at 11, 12-14 plain, 15-16 of an open transaction, 17-18
    plain.
    """
    first = (
        Batch(100, records=5, txn=0),
        Marker(0, commit=True),
        Batch(100, records=5, txn=1),
        Marker(1, commit=False),
    )
    return Partition(
        ((*first, Batch(100, records=3), Batch(100, records=2, txn=2), Batch(100, records=2)),)
    )


def history(
    partitions: tuple[Partition, ...],
    *steps: Step,
    start: int = 0,
    config: tuple[tuple[str, str], ...] = (),
) -> Scenario:
    """A history of a group whose start offset is set in every partition."""
    starts = AlterShareGroupOffsets(tuple([(number, start) for number in range(len(partitions))]))
    return Scenario(Layout(partitions), (starts, *steps), config)


def fetch(*partitions: int, **fields: int) -> ShareFetch:
    """A share fetch that adds these partitions to the session."""
    return ShareFetch(
        tuple([SharePartition(number) for number in partitions]),
        **{"version": 2, "patience_ms": PATIENCE_MS, **fields},  # type: ignore[arg-type]
    )


def fetch_again(**fields: int) -> ShareFetch:
    """A share fetch of the session as it is."""
    return fetch(**fields)


def confirm(
    first: int, last: int, kind: int = AcknowledgeType.ACCEPT, *, partition: int = 0, actor: int = 0
) -> ShareAcknowledge:
    """An acknowledgement of one range."""
    batch = AcknowledgementBatch(first, last, (int(kind),))
    return ShareAcknowledge((SharePartition(partition, (batch,)),), version=2, actor=actor)


def release(first: int, last: int, *, actor: int = 0) -> ShareAcknowledge:
    """A release of one range."""
    return confirm(first, last, AcknowledgeType.RELEASE, actor=actor)


def acknowledgements_of(
    *batches: tuple[int, int, tuple[int, ...]], version: int = 2, renew: bool = False
) -> ShareAcknowledge:
    """Acknowledgements of partition 0 as (first, last, types)."""
    parts = tuple([AcknowledgementBatch(*batch) for batch in batches])
    return ShareAcknowledge((SharePartition(0, parts),), version=version, renew=renew)


def holding_ten(*steps: Step) -> Scenario:
    """A history whose member holds offsets 0 to 9 of the standard layout when these steps come."""
    return history((FIVES,), fetch(0, max_records=6), *steps)
