"""What lies in the partitions that a client reads: skewed backlogs of small batches, transactions,
and markers at the end.
"""

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from generators.weighted import several, weighted
from spec.layout import Batch, Codec, Entry, Layout, Marker, Partition

BYTES_OF_A_RECORD = 60
EVERY_RECORD = 160
"""The most records of a layout: a history is as long as it takes to read them."""
LARGEST_BACKLOG = 60

_partitions = several(1, 5, 70)
_records = weighted((3, 4), (1, 3), (2, 2), (5, 3), (10, 4), (20, 1))
_batches = weighted((1, 4), (2, 4), (3, 3), (5, 2), (8, 1), (0, 2))
_codecs = weighted((Codec.NONE, 8), (Codec.GZIP, 1), (Codec.ZSTD, 1), (Codec.LZ4, 1))
_transactional = weighted((False, 5), (True, 2))
_ends = weighted(("commit", 3), ("abort", 3), ("none", 6))


@st.composite
def _partition(draw: st.DrawFn) -> Partition:
    transactional, records, left = draw(_transactional), draw(_records), LARGEST_BACKLOG
    entries: list[Entry] = []
    open_transaction = 0
    begun = False
    for _ in range(draw(_batches)):
        if records > left:
            break
        left -= records
        codec = draw(_codecs)
        size = 100 + BYTES_OF_A_RECORD * records
        entries.append(Batch(size, records, codec, txn=open_transaction if transactional else None))
        begun = transactional
        end = draw(_ends) if transactional else "none"
        if end != "none":
            entries.append(Marker(open_transaction, commit=end == "commit"))
            open_transaction, begun = open_transaction + 1, False
    if begun:
        entries.append(Marker(open_transaction, commit=True))
    return Partition((tuple(entries),))


def is_plain(partition: Partition) -> bool:
    """Whether a partition has batches, and no transaction."""
    entries = list(partition.entries())
    return bool(entries) and all(isinstance(one, Batch) and one.txn is None for one in entries)


def backlogs() -> SearchStrategy[Layout]:
    """Layouts of one to five partitions whose backlogs differ; they shrink towards one partition
    with one batch of three records.

    Each transaction is ended: what is open is read by nobody.
    """
    return st.composite(_layout)()


def _layout(draw: st.DrawFn) -> Layout:
    partitions: list[Partition] = []
    left = EVERY_RECORD
    for _ in range(draw(_partitions)):
        partition = draw(_partition())
        count = sum(one.records for one in partition.entries() if isinstance(one, Batch))
        if count > left:
            break
        left -= count
        partitions.append(partition)
    return Layout(tuple(partitions) or (Partition(((Batch(280, 3),),)),))
