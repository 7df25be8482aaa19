"""Contents of the partitions that a share group reads: few batches of few records, some long, in
transactions or with holes.
"""

from hypothesis import strategies as st

from generators.weighted import chance, weighted
from spec.frozen import replace
from spec.kafka import BATCH_HEADER
from spec.layout import Batch, Layout, Marker, Partition

RECORDS = weighted((5, 3), (1, 1), (2, 1), (3, 1), (4, 1), (8, 1))
"""How many records a batch has."""
LONG = 30
"""Records of a batch of which four pass the lowest limit of record locks."""

_runs = weighted((2, 2), (1, 1), (3, 2), (4, 1))
"""How many batches a partition has."""
_gaps = weighted((0, 2), (3, 1), (1, 1))
_emptied = weighted((0, 1), (2, 1), (5, 1))
"""Offsets of a batch whose records compaction took out."""
_commits = weighted((True, 1), (False, 1))
_two_or_three = weighted((2, 1), (3, 1))


def batch_of_size(records: int) -> Batch:
    """A plain batch of so many records in 100 bytes, or in as many as they take."""
    return Batch(max(100, BATCH_HEADER + 8 * records), records=records)


@st.composite
def compacted_batch(draw: st.DrawFn, records: int) -> Batch:
    """A batch of so many records as compaction may leave it: behind a hole, with fewer records than
    offsets, or untouched.
    """
    return replace(batch_of_size(records), gap=draw(_gaps), span=records + draw(_emptied))


@st.composite
def share_layouts(
    draw: st.DrawFn,
    *,
    transactions: bool = False,
    long: bool = False,
    holes: bool = False,
    alone: bool = False,
    several: bool = False,
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
        several: there are two or three partitions.
    """
    partitions = []
    if several:
        count = draw(_two_or_three)
    else:
        count = 2 if not (transactions or alone) and draw(chance(1, 3)) else 1
    for number in range(count):
        counts = [draw(RECORDS) for _ in range(draw(_runs))]
        if not number and (long or draw(chance(1, 11))):
            counts = [LONG] * 5
        batches: list[Batch | Marker] = [
            draw(compacted_batch(count)) if holes else batch_of_size(count) for count in counts
        ]
        if transactions:
            batches = [
                one
                for txn, count in enumerate(counts)
                for one in (
                    replace(batch_of_size(count), txn=txn),
                    Marker(txn, commit=not txn or draw(_commits)),
                )
            ]
        partitions.append(Partition((tuple(batches),)))
    return Layout(tuple(partitions))
