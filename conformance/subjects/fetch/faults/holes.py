"""Faults at what compaction and older releases leave in a log, which only a dry run or a broker
that takes files can lay out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.faults.planted import Expected
from conformance.subjects.fetch.faults.fault import Fault, change_by_log, misread_by_log
from spec.fetch.outcomes import PartitionAnswer
from spec.frozen import replace
from spec.kafka import CURRENT_MAGIC, Error

if TYPE_CHECKING:
    from spec.fetch.model.request import Ask
    from spec.fetch.steps import FetchPartition
    from spec.log import Log


def _missing(log: Log, offset: int) -> bool:
    """Whether the offset was taken out, in front of a batch that is still there."""
    return log.start <= offset and offset in log.hole(log.batch_number(offset))


def _refuse(ask: Ask, log: Log, got: PartitionAnswer) -> PartitionAnswer:
    return (
        PartitionAnswer(got.partition, Error.OFFSET_OUT_OF_RANGE)
        if _missing(log, ask.offset)
        else got
    )


def _one_further(part: FetchPartition, log: Log) -> FetchPartition:
    following = log.batch_number(part.offset) + 1
    skips = _missing(log, part.offset) and following < len(log.batches)
    return replace(part, offset=log.batches[following].base) if skips else part


def _leave_out_emptied(_: Ask, __: Log, got: PartitionAnswer) -> PartitionAnswer:
    filled = tuple([batch for batch in got.batches if batch.records])
    return replace(got, batches=filled) if filled else got


def _convert(_: Ask, log: Log, got: PartitionAnswer) -> PartitionAnswer:
    old = {stored.base for stored in log.batches if stored.magic < CURRENT_MAGIC}
    return replace(
        got, batches=tuple([replace(batch, intact=batch.base not in old) for batch in got.batches])
    )


FAULTS = (
    Fault(
        "hole-refused",
        "FET-022",
        Expected.VIOLATES,
        "An offset that compaction took out is out of range.",
        change_by_log(_refuse),
    ),
    Fault(
        "hole-skips-the-next-batch",
        "FET-022",
        Expected.VIOLATES,
        "A fetch at an offset that compaction took out starts one batch too far.",
        misread_by_log(_one_further),
    ),
    Fault(
        "emptied-batch-left-out",
        "FET-122",
        Expected.DEVIATES,
        "A batch that compaction emptied is not sent.",
        change_by_log(_leave_out_emptied),
    ),
    Fault(
        "old-message-converted",
        "FET-070",
        Expected.VIOLATES,
        "A message of an old format is returned changed.",
        change_by_log(_convert),
    ),
)
