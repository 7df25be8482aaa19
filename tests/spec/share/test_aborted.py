"""Which batches count as aborted under read_committed, where one producer has written several
transactions.
"""

from dataclasses import replace

from spec.kafka import INT32_MAX, READ_COMMITTED
from spec.layout import Batch, Marker, Partition
from spec.log import log_of
from spec.share.model.acquire import AcquireRequest, acquire, read_from
from spec.share.model.partition import empty_state
from spec.share.model.records import Lock
from spec.share.model.settings import Settings
from spec.share.releases import ShareSemantics
from spec.share.steps import BATCH_OPTIMIZED


def test_of_one_producers_transactions_only_the_aborted_ones_are_left_out() -> None:
    first, second = Batch(100, records=5, txn=0), Batch(100, records=5, txn=1)
    log = log_of(Partition(((first, Marker(0, commit=True), second, Marker(1, commit=False)),)))
    log = replace(
        log,
        batches=tuple([replace(batch, txn=7) for batch in log.batches]),
        aborted=tuple([replace(one, txn=7) for one in log.aborted]),
    )
    settings = Settings(2000, 5, 30_000, isolation=READ_COMMITTED)
    taking = AcquireRequest(500, 500, BATCH_OPTIMIZED, Lock(0))
    found = acquire(
        empty_state(0),
        taking,
        read_from(log, 0, READ_COMMITTED, INT32_MAX),
        log,
        settings,
        ShareSemantics(),
    )
    assert {offset for one in found.ranges for offset in range(one.first, one.last + 1)} == {
        0,
        1,
        2,
        3,
        4,
        5,
        11,
    }
