"""Contents of the partitions that a share group reads: few batches of few records, some long, in
transactions or with holes.
"""

from dataclasses import replace

from hypothesis import strategies as st

from generators.share.script import BIT, SOME
from spec.kafka import BATCH_HEADER
from spec.layout import Batch, Layout, Marker, Partition

RUNS = (2, 1, 3, 2, 3, 4)
"""How many batches a partition has, by slot."""
RECORDS = (5, 1, 2, 3, 5, 8, 4, 5)
"""How many records a batch has, by slot."""
LONG = 30
"""Records of a batch of which four pass the lowest limit of record locks."""

SLOT = st.integers(0, len(RECORDS) - 1)


def sized(records: int) -> Batch:
    """A plain batch of so many records in 100 bytes, or in as many as they take."""
    return Batch(max(100, BATCH_HEADER + 8 * records), records=records)


def thinned(records: int, slot: int) -> Batch:
    """A batch of so many records as compaction may leave it: behind a hole, with fewer records than
    offsets, or untouched.
    """
    return replace(sized(records), gap=(0, 3, 0, 1)[slot % 4], span=records + (0, 2, 5)[slot % 3])


@st.composite
def share_layouts(
    draw: st.DrawFn,
    *,
    transactions: bool = False,
    long: bool = False,
    holes: bool = False,
    alone: bool = False,
) -> Layout:
    """One or two partitions of one to four batches, of one to eight records each; some of longer
    batches.

    Args:
        draw: Hypothesis's.
        transactions: each batch is a transaction of its own; the first is committed, so that the
            first fetch shows that it was loaded.
        long: the first partition has long batches.
        holes: compaction took out records within batches, and batches whole.
        alone: there is one partition.
    """
    partitions = []
    for number in range(2 if draw(SOME) > 8 and not transactions and not alone else 1):
        counts = [RECORDS[draw(SLOT)] for _ in range(RUNS[draw(SOME) % len(RUNS)])]
        if not number and (long or draw(SOME) > 10):
            counts = [LONG] * 5
        batches: list[Batch | Marker] = [
            thinned(count, draw(SOME)) if holes else sized(count) for count in counts
        ]
        if transactions:
            batches = [
                one
                for txn, count in enumerate(counts)
                for one in (
                    replace(sized(count), txn=txn),
                    Marker(txn, commit=not txn or not draw(BIT)),
                )
            ]
        partitions.append(Partition((tuple(batches),)))
    return Layout(tuple(partitions))
