"""Faults of fetch positions: where a read starts, what is out of range, and which offsets are
reported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.faults.planted import Expected
from conformance.subjects.fetch.faults.fault import (
    Fault,
    change_answer,
    change_by_log,
    change_part,
    misread,
    misread_by_log,
    misread_part,
)
from spec.frozen import replace
from spec.kafka import LEADER_EPOCH_SINCE, SESSIONLESS_EPOCH, SESSIONS_SINCE, Error

if TYPE_CHECKING:
    from spec.fetch.model.request import Ask
    from spec.fetch.outcomes import FetchAnswer, PartitionAnswer
    from spec.fetch.steps import Fetch, FetchPartition
    from spec.log import Log

STORAGE_ERROR = 56


def _after_the_batch(part: FetchPartition, log: Log) -> FetchPartition:
    number = log.batch_number(part.offset)
    if (
        number < len(log.batches) - 1
        and log.batches[number].base < part.offset
        and log.start <= part.offset
    ):
        return replace(part, offset=log.batches[number + 1].base)
    return part


def _skip_deleted(part: FetchPartition, log: Log) -> FetchPartition:
    number = log.batch_number(log.start)
    if number < len(log.batches) - 1 and log.batches[number].base < log.start == part.offset:
        return replace(part, offset=log.batches[number + 1].base)
    return part


def _from_the_start(part: FetchPartition, log: Log) -> FetchPartition:
    return replace(part, offset=log.start) if part.offset == log.start - 1 else part


def _to_the_end(part: FetchPartition, log: Log) -> FetchPartition:
    return replace(part, offset=log.end) if part.offset == log.end + 1 else part


def _past_the_end(part: FetchPartition, log: Log) -> FetchPartition:
    return replace(part, offset=log.end + 1) if part.offset == log.end else part


def _nothing_there(_: Ask, log: Log, got: PartitionAnswer) -> PartitionAnswer:
    if got.error != Error.OFFSET_OUT_OF_RANGE:
        return got
    return replace(
        got,
        error=0,
        high_watermark=log.end,
        last_stable_offset=log.stable,
        log_start_offset=log.start,
    )


def _end_for_the_unknown(fetch: Fetch, answer: FetchAnswer) -> FetchAnswer:
    unknown = {Error.UNKNOWN_TOPIC_OR_PARTITION, Error.UNKNOWN_TOPIC_ID}
    first = {part.partition: part.offset for part in fetch.partitions}
    answered = [
        replace(got, high_watermark=first.get(got.partition, 0)) if got.error in unknown else got
        for got in answer.partitions
    ]
    return replace(answer, partitions=tuple(answered))


def _report_offsets(_: Ask, log: Log, got: PartitionAnswer) -> PartitionAnswer:
    if got.error != Error.OFFSET_OUT_OF_RANGE:
        return got
    return replace(
        got, high_watermark=log.end, last_stable_offset=log.stable, log_start_offset=log.start
    )


def _reset_to_the_start(_: Ask, log: Log, got: PartitionAnswer) -> PartitionAnswer:
    """A batch is sent from where the log starts, though the fetch asked for another offset."""
    return (
        got
        if got.log_start_offset is None
        else replace(got, log_start_offset=max(0, log.start - 1))
    )


def _high_watermark(by: int) -> Fault:
    name = "more" if by > 0 else "less"

    def change(_: Fetch, got: PartitionAnswer) -> PartitionAnswer:
        return (
            got
            if got.high_watermark is None
            else replace(got, high_watermark=max(0, got.high_watermark + by))
        )

    return Fault(
        f"high-watermark-one-{name}",
        "FET-072",
        Expected.VIOLATES,
        f"The high watermark is reported one {name} than it is.",
        change_part(change),
    )


def _second_left_out(_: Fetch, got: PartitionAnswer) -> PartitionAnswer:
    return replace(got, batches=(got.batches[0], *got.batches[2:])) if len(got.batches) > 2 else got


def _repeat_first(_: Fetch, got: PartitionAnswer) -> PartitionAnswer:
    return (
        replace(got, batches=(got.batches[0], *got.batches), tail=0)
        if len(got.batches) > 1
        else got
    )


def _first_left_out(_: Fetch, got: PartitionAnswer) -> PartitionAnswer:
    return replace(got, batches=got.batches[1:]) if len(got.batches) > 1 else got


def _without_the_unknown(_: Fetch, answer: FetchAnswer) -> FetchAnswer:
    unknown = {Error.UNKNOWN_TOPIC_OR_PARTITION, Error.UNKNOWN_TOPIC_ID}
    return replace(
        answer, partitions=tuple([got for got in answer.partitions if got.error not in unknown])
    )


def _unknown_by_name(_: Fetch, answer: FetchAnswer) -> FetchAnswer:
    code = Error.UNKNOWN_TOPIC_OR_PARTITION
    return replace(
        answer,
        partitions=tuple(
            [
                replace(g, error=code) if g.error == Error.UNKNOWN_TOPIC_ID else g
                for g in answer.partitions
            ]
        ),
    )


def _refuse_whole_request(fetch: Fetch, answer: FetchAnswer) -> FetchAnswer:
    sessionless = fetch.epoch == SESSIONLESS_EPOCH and fetch.version >= SESSIONS_SINCE
    return replace(answer, error=STORAGE_ERROR) if sessionless and not answer.error else answer


def _without_the_empty(_: Fetch, answer: FetchAnswer) -> FetchAnswer:
    return replace(
        answer, partitions=tuple([got for got in answer.partitions if got.size or got.error])
    )


def _without_first_leader_epochs(fetch: Fetch) -> Fetch:
    if fetch.version != LEADER_EPOCH_SINCE:
        return fetch
    parts = [replace(part, leader_epoch=None) for part in fetch.partitions]
    return replace(fetch, partitions=tuple(parts))


FAULTS = (
    Fault(
        "mid-batch-offset-skips-the-batch",
        "FET-011",
        Expected.VIOLATES,
        "A fetch inside a batch starts at the next one.",
        misread_by_log(_after_the_batch),
    ),
    Fault(
        "batch-with-deleted-records-skipped",
        "FET-011",
        Expected.VIOLATES,
        "A batch of which some records were deleted is not sent any more.",
        misread_by_log(_skip_deleted),
    ),
    Fault(
        "log-start-less-one-served",
        "FET-021",
        Expected.VIOLATES,
        "The offset one before the log start is served as the log start.",
        misread_by_log(_from_the_start),
    ),
    Fault(
        "end-plus-one-served",
        "FET-020",
        Expected.VIOLATES,
        "The offset one after the end is served, empty, as the end is.",
        misread_by_log(_to_the_end),
    ),
    Fault(
        "end-refused",
        "FET-020",
        Expected.VIOLATES,
        "The end offset is out of range.",
        misread_by_log(_past_the_end),
    ),
    Fault(
        "out-of-range-answered-empty",
        "FET-021",
        Expected.VIOLATES,
        "An offset out of range is no error: the partition is empty.",
        change_by_log(_nothing_there),
    ),
    Fault(
        "offsets-told-with-an-error",
        "FET-121",
        Expected.DEVIATES,
        "A partition whose offset is out of range reports its offsets.",
        change_by_log(_report_offsets),
    ),
    Fault(
        "high-watermark-of-the-unknown",
        "FET-123",
        Expected.DEVIATES,
        "A partition that does not exist has a high watermark.",
        change_answer(_end_for_the_unknown),
    ),
    _high_watermark(1),
    _high_watermark(-1),
    Fault(
        "log-start-told-one-less",
        "FET-072",
        Expected.VIOLATES,
        "The log start offset is reported one less than it is.",
        change_by_log(_reset_to_the_start),
    ),
    Fault(
        "batch-left-out",
        "FET-070",
        Expected.VIOLATES,
        "The second of three batches is left out.",
        change_part(_second_left_out),
    ),
    Fault(
        "batch-repeated",
        "FET-070",
        Expected.VIOLATES,
        "The first of two batches is sent twice.",
        change_part(_repeat_first),
    ),
    Fault(
        "first-batch-left-out",
        "FET-011",
        Expected.VIOLATES,
        "The first of two batches is left out.",
        change_part(_first_left_out),
    ),
    Fault(
        "unknown-partition-left-out",
        "FET-073",
        Expected.VIOLATES,
        "A partition that does not exist is missing in the answer.",
        change_answer(_without_the_unknown),
    ),
    Fault(
        "unknown-id-as-unknown-name",
        "FET-041",
        Expected.VIOLATES,
        "A topic id that does not exist is answered by the code for names.",
        change_answer(_unknown_by_name),
    ),
    Fault(
        "whole-request-refused",
        "FET-078",
        Expected.VIOLATES,
        "A request without a session is answered with an error for the whole of it, and no cause.",
        change_answer(_refuse_whole_request),
    ),
    Fault(
        "leader-epoch-not-checked",
        "FET-045",
        Expected.VIOLATES,
        "The leader epoch that a consumer knows is not looked at.",
        misread_part(lambda part: replace(part, leader_epoch=None)),
    ),
    Fault(
        "leader-epoch-not-checked-at-first",
        "FET-045",
        Expected.VIOLATES,
        "The leader epoch is not looked at in the first version that carries it.",
        misread(_without_first_leader_epochs),
    ),
    Fault(
        "empty-partitions-left-out",
        "FET-073",
        Expected.VIOLATES,
        "A partition without data is missing in the answer, without a session too.",
        change_answer(_without_the_empty),
    ),
)
