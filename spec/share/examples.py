"""Short forms for the worked examples of the other modules."""

from spec.layout import Batch, Layout, Partition
from spec.scenario import Scenario, Step
from spec.share.steps import (
    AcknowledgementBatch,
    AcknowledgeType,
    AlterShareGroupOffsets,
    ShareAcknowledge,
    ShareFetch,
    SharePartition,
)

PATIENCE_MS = 5000


def plain(*records: int) -> Partition:
    """A partition of plain batches with these record counts, of 100 bytes each."""
    return Partition((tuple([Batch(100, records=count) for count in records]),))


FIVES = plain(5, 5, 5)
"""The layout of the examples in KIP-1206: three batches of five records."""


def history(partitions: tuple[Partition, ...], *steps: Step, start: int = 0, config: tuple[tuple[str, str], ...] = ()) -> Scenario:
    """A history of a group whose start offset is set in every partition."""
    starts = AlterShareGroupOffsets(tuple([(number, start) for number in range(len(partitions))]))
    return Scenario(Layout(partitions), (starts, *steps), config)


def fetch(*partitions: int, **fields: int) -> ShareFetch:
    """A share fetch that adds these partitions to the session."""
    return ShareFetch(tuple([SharePartition(number) for number in partitions]), **{"version": 2, "patience_ms": PATIENCE_MS, **fields})  # type: ignore[arg-type]


def again(**fields: int) -> ShareFetch:
    """A share fetch of the session as it is."""
    return fetch(**fields)


def confirm(first: int, last: int, kind: int = AcknowledgeType.ACCEPT, *, partition: int = 0, actor: int = 0) -> ShareAcknowledge:
    """An acknowledgement of one range."""
    batch = AcknowledgementBatch(first, last, (int(kind),))
    return ShareAcknowledge((SharePartition(partition, (batch,)),), version=2, actor=actor)


def release(first: int, last: int, *, actor: int = 0) -> ShareAcknowledge:
    """A release of one range."""
    return confirm(first, last, AcknowledgeType.RELEASE, actor=actor)


def acknowledging(*batches: tuple[int, int, tuple[int, ...]], version: int = 2, renew: bool = False) -> ShareAcknowledge:
    """Acknowledgements of partition 0 as (first, last, types)."""
    parts = tuple([AcknowledgementBatch(*batch) for batch in batches])
    return ShareAcknowledge((SharePartition(0, parts),), version=version, renew=renew)


def holding_ten(*steps: ShareAcknowledge | ShareFetch) -> Scenario:
    """A history whose member holds offsets 0 to 9 of the standard layout when these steps come."""
    return history((FIVES,), fetch(0, max_records=6), *steps)
