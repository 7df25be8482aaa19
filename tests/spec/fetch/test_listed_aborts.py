"""How far past the records Apache Kafka lists aborted transactions: to the next index entry."""

from spec.layout import Batch, Layout, Marker, Partition
from spec.log import listed_up_to, log_of
from spec.replica import Incoming, Replica, WriteLimits, append

ENTRIES = (
    Batch(4000, txn=0),
    Marker(0, commit=False),
    Batch(100, records=3, txn=1),
    Batch(100),
    Marker(1, commit=False),
)
"""The first batch and the marker hold 4078 bytes, the batch after them makes 4178, past 4096."""


def test_an_append_past_the_interval_adds_an_entry_to_the_index() -> None:
    log = log_of(Partition((ENTRIES,)))
    assert [batch.indexed for batch in log.batches] == [False, False, False, True, False]
    assert log_of(Partition((ENTRIES[:3],))).with_batch(Batch(100)).batches[3].indexed
    assert not log_of(Partition((ENTRIES[:2],))).with_batch(Batch(100)).batches[2].indexed


def test_a_replica_keeps_its_index_by_the_bytes_that_came() -> None:
    replica, limits = Replica(), WriteLimits()
    for size in (4096, 100, 100, 4000, 100):
        replica, written = append(replica, Incoming(size, 1), limits)
        assert not written.error
    assert [batch.indexed for batch in replica.log.batches] == [False, False, True, False, True]


def test_the_list_ends_at_the_next_entry_the_next_segment_or_the_end() -> None:
    log = log_of(Partition((ENTRIES, (Batch(100),))))
    assert listed_up_to(log, 0, 4000) == log.batches[3].last
    assert listed_up_to(log, 0, 4178) == log.batches[3].last
    assert listed_up_to(log, 0, 4179) == log.batches[5].base
    assert listed_up_to(log, 5, 0) == log.end


def test_layouts_in_one_segment_alone_have_an_index() -> None:
    spread = Layout((Partition(tuple((entry,) for entry in ENTRIES)),))
    assert not any(batch.indexed for batch in log_of(spread.partitions[0]).batches)
