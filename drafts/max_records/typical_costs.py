"""The bytes that a consumer with `max.poll.records=N` discards from logs as producers write them:
today, and under the draft.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from drafts.max_records.axes import parse
from drafts.max_records.cost import PARTITION_BYTES, TODAY, cost_of
from spec.events import ReadingCost
from spec.kafka import BATCH_HEADER
from spec.layout import Batch, Codec, Partition
from spec.log import log_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

READINGS = (
    "stop=after",
    "stop=before",
    "stop=before,oversize=refused",
    "compressed=one",
    "exact=cut",
    "start=usable",
)
RECORDS = 100
"""Records that the consumer can take at a time."""
TOTAL = 2000
"""Records in the log."""
RECORD_BYTES = 100


def costs(
    records: int = RECORDS,
    total: int = TOTAL,
    partition_bytes: int = PARTITION_BYTES,
    readings: Sequence[str] = READINGS,
) -> Iterator[ReadingCost]:
    """The cost of each kind of log: today first, then under each reading.

    Args:
        records: records that the consumer can take at a time.
        total: records in each log.
        partition_bytes: `max.partition.fetch.bytes`.
        readings: profiles of the draft, each by what it does not answer by default.
    """
    for shape, partition in _logs(total):
        log = log_of(partition)
        for reading in (TODAY, *readings):
            found = cost_of(
                log, records, None if reading == TODAY else parse(reading), partition_bytes
            )
            yield ReadingCost(
                shape,
                reading,
                records,
                total,
                found.fetches,
                found.fetched,
                found.stored,
                found.records,
            )


def _logs(total: int) -> list[tuple[str, Partition]]:
    """Logs of batches of 1, 30 and 500 records of 100 bytes, and of 500 in a tenth of their bytes
    by gzip.
    """
    logs = []
    for records, codec in ((1, Codec.NONE), (30, Codec.NONE), (500, Codec.NONE), (500, Codec.GZIP)):
        size = BATCH_HEADER + RECORD_BYTES * records // (10 if codec is Codec.GZIP else 1)
        batches = [
            Batch(size, min(records, total - done), codec) for done in range(0, total, records)
        ]
        logs.append(
            (
                f"batches of {records}{'' if codec is Codec.NONE else ', ' + codec.value}",
                Partition((tuple(batches),)),
            )
        )
    return logs
