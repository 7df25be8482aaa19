"""Faults of the fetch limits: the partition's, the request's and the broker's, the progress rule,
and what of a batch is sent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.faults.planted import Expected
from conformance.subjects.fetch.faults.fault import (
    Answered,
    Fault,
    Given,
    answering,
    change_answer,
    change_by_log,
    change_decision,
    change_part,
    misread,
    misread_by_log,
    misread_part,
    misseen,
)
from spec.fetch.model.answer import answer_fetch
from spec.fetch.model.request import fold_asks
from spec.fetch.releases import Crossing, FetchSemantics, Progress
from spec.frozen import replace
from spec.kafka import INT32_MAX
from spec.layout import Codec

if TYPE_CHECKING:
    from spec.fetch.model.request import Ask
    from spec.fetch.outcomes import FetchAnswer, PartitionAnswer
    from spec.fetch.steps import Fetch, FetchPartition
    from spec.log import Log


def _limit(by: int) -> int:
    return min(max(by, 0), INT32_MAX)


def _partition_limit(part: FetchPartition, by: int) -> FetchPartition:
    return part if part.max_bytes < 0 else replace(part, max_bytes=_limit(part.max_bytes + by))


def _request_limit(fetch: Fetch, by: int) -> Fetch:
    return fetch if fetch.max_bytes < 0 else replace(fetch, max_bytes=_limit(fetch.max_bytes + by))


def _without_exact_fits(part: FetchPartition, log: Log) -> FetchPartition:
    total = 0
    for batch in log.batches[log.batch_number(part.offset) :]:
        total += batch.size
        if total == part.max_bytes:
            return replace(part, max_bytes=total - 1)
    return part


def _one_batch_fewer(_: Fetch, got: PartitionAnswer) -> PartitionAnswer:
    return replace(got, batches=got.batches[:-1], tail=0) if len(got.batches) > 1 else got


def _one_batch(_: Fetch, got: PartitionAnswer) -> PartitionAnswer:
    return replace(got, batches=got.batches[:1], tail=0)


def _cut_first_batch(fetch: Fetch, got: PartitionAnswer) -> PartitionAnswer:
    limit = next(
        (part.max_bytes for part in fetch.partitions if part.partition == got.partition), got.size
    )
    if len(got.batches) != 1 or not 0 < limit < got.size:
        return got
    return replace(got, batches=(), tail=limit)


def _drop_tail_byte(_: Fetch, got: PartitionAnswer) -> PartitionAnswer:
    return replace(got, tail=max(0, got.tail - 1))


def _one_segment(log: Log) -> Log:
    position, batches = 0, []
    for batch in log.batches:
        batches.append(replace(batch, segment=0, position=position))
        position += batch.size
    return replace(log, batches=tuple(batches))


@answering
def _each_with_the_whole_limit(given: Given) -> Answered:
    limit = min(given.fetch.max_bytes, given.semantics.of(FetchSemantics).fetch_max_bytes)
    parts = tuple(
        [replace(part, max_bytes=min(part.max_bytes, limit)) for part in given.fetch.partitions]
    )
    unlimited = given.semantics.with_decisions(FetchSemantics, fetch_max_bytes=INT32_MAX)
    taken = replace(given.fetch, partitions=parts, max_bytes=INT32_MAX)
    return answer_fetch(*given._replace(fetch=taken, semantics=unlimited))


def _one_partition(fetch: Fetch, answer: FetchAnswer) -> FetchAnswer:
    if fetch.epoch > 0:
        return answer
    parts, served = [], False
    for got in answer.partitions:
        parts.append(replace(got, batches=(), tail=0) if served else got)
        served = served or got.size > 0
    return replace(answer, partitions=tuple(parts))


def _one_batch_of_later_ones(fetch: Fetch, answer: FetchAnswer) -> FetchAnswer:
    if fetch.epoch > 0:
        return answer
    first = next((got for got in answer.partitions if got.size), None)
    parts = [
        got if got is first else replace(got, batches=got.batches[:1], tail=0)
        for got in answer.partitions
    ]
    return replace(answer, partitions=tuple(parts))


@answering
def _serve_first_batch_of_first_named(given: Given) -> Answered:
    first = given.fetch.partitions[0] if given.fetch.partitions else None
    log = given.logs.get(first.partition) if first is not None else None
    reads = (
        first is not None
        and log is not None
        and log.in_range(first.offset)
        and bool(log.readable(first.offset, given.fetch.isolation))
    )
    taken = (
        given.semantics
        if reads or given.fetch.epoch > 0
        else given.semantics.with_decisions(FetchSemantics, progress=Progress.NONE)
    )
    return answer_fetch(*given._replace(semantics=taken))


@answering
def _cut_later_first_batch(given: Given) -> Answered:
    answer, session, held_ms = answer_fetch(*given)
    asks = {ask.partition: ask for ask in fold_asks(given.fetch.partitions, given.fetch.version)}
    left = min(given.fetch.max_bytes, given.semantics.of(FetchSemantics).fetch_max_bytes)
    parts: list[PartitionAnswer] = []
    for got in answer.partitions:
        log, ask = given.logs.get(got.partition), asks.get(got.partition)
        if (
            log is not None
            and ask is not None
            and not got.error
            and not got.size
            and any(one.size for one in parts)
        ):
            run = log.readable(ask.offset, given.fetch.isolation)
            room = max(0, min(left, ask.max_bytes))
            parts.append(replace(got, tail=room) if run and room < run[0].size else got)
        else:
            parts.append(got)
        left -= parts[-1].size
    return replace(answer, partitions=tuple(parts)), session, held_ms


def _recompress(_: Ask, log: Log, got: PartitionAnswer) -> PartitionAnswer:
    packed = {stored.base for stored in log.batches if stored.codec is not Codec.NONE}
    batches = [
        replace(one, size=one.size + 1, intact=False) if one.base in packed else one
        for one in got.batches
    ]
    return replace(got, batches=tuple(batches))


def _in_reverse(fetch: Fetch) -> Fetch:
    return replace(fetch, partitions=fetch.partitions[::-1])


FAULTS = (
    Fault(
        "partition-limit-one-more",
        "FET-001",
        Expected.VIOLATES,
        "A partition's limit is taken one byte too high.",
        misread_part(lambda part: _partition_limit(part, 1)),
    ),
    Fault(
        "partition-limit-one-less",
        "FET-101",
        Expected.DEVIATES,
        "A partition's limit is taken one byte too low.",
        misread_part(lambda part: _partition_limit(part, -1)),
    ),
    Fault(
        "partition-limit-ignored",
        "FET-001",
        Expected.VIOLATES,
        "A partition's limit is not looked at.",
        misread_part(
            lambda part: part if part.max_bytes < 0 else replace(part, max_bytes=INT32_MAX)
        ),
    ),
    Fault(
        "request-limit-one-more",
        "FET-003",
        Expected.VIOLATES,
        "The request's limit is taken one byte too high.",
        misread(lambda fetch: _request_limit(fetch, 1)),
    ),
    Fault(
        "request-limit-one-less",
        "FET-101",
        Expected.DEVIATES,
        "The request's limit is taken one byte too low.",
        misread(lambda fetch: _request_limit(fetch, -1)),
    ),
    Fault(
        "request-limit-ignored",
        "FET-003",
        Expected.VIOLATES,
        "The request's limit is not looked at.",
        misread(
            lambda fetch: fetch if fetch.max_bytes < 0 else replace(fetch, max_bytes=INT32_MAX)
        ),
    ),
    Fault(
        "request-limit-for-each-partition",
        "FET-003",
        Expected.VIOLATES,
        "Every partition gets the whole of the request's limit, not a share of it.",
        _each_with_the_whole_limit,
    ),
    Fault(
        "broker-limit-ignored",
        "FET-018",
        Expected.VIOLATES,
        "The broker's own fetch.max.bytes is not looked at.",
        change_decision(
            lambda semantics: semantics.with_decisions(FetchSemantics, fetch_max_bytes=INT32_MAX)
        ),
    ),
    Fault(
        "broker-limit-one-more",
        "FET-018",
        Expected.VIOLATES,
        "The broker's own fetch.max.bytes is taken one byte too high.",
        change_decision(
            lambda semantics: semantics.with_decisions(
                FetchSemantics, fetch_max_bytes=semantics.of(FetchSemantics).fetch_max_bytes + 1
            )
        ),
    ),
    Fault(
        "no-progress",
        "FET-004",
        Expected.VIOLATES,
        "A first batch above the limits is never returned, so that a consumer stands still.",
        change_decision(
            lambda semantics: semantics.with_decisions(FetchSemantics, progress=Progress.NONE)
        ),
    ),
    Fault(
        "progress-for-every-partition",
        "FET-003",
        Expected.VIOLATES,
        "Every partition, not the first alone, may pass its limit by a first batch.",
        change_decision(
            lambda semantics: semantics.with_decisions(FetchSemantics, progress=Progress.EVERY)
        ),
    ),
    Fault(
        "first-batch-cut",
        "FET-004",
        Expected.VIOLATES,
        "A first batch larger than its partition's limit is cut at the limit.",
        change_part(_cut_first_batch),
    ),
    Fault(
        "exact-fit-refused",
        "FET-101",
        Expected.DEVIATES,
        "A batch that fills the partition's limit to the byte does not count as fitting.",
        misread_by_log(_without_exact_fits),
    ),
    Fault(
        "no-partial-batch",
        "FET-102",
        Expected.DEVIATES,
        "The batch that a limit falls into is left out, not cut.",
        change_decision(
            lambda semantics: semantics.with_decisions(FetchSemantics, crossing=Crossing.LEFT_OUT)
        ),
    ),
    Fault(
        "partial-batch-one-byte-short",
        "FET-102",
        Expected.DEVIATES,
        "The batch that a limit falls into is cut one byte early.",
        change_part(_drop_tail_byte),
    ),
    Fault(
        "one-whole-batch-fewer",
        "FET-101",
        Expected.DEVIATES,
        "The last whole batch that fits is left out, where there is more than one.",
        change_part(_one_batch_fewer),
    ),
    Fault(
        "one-batch-a-fetch",
        "FET-101",
        Expected.DEVIATES,
        "A partition returns one batch at a time.",
        change_part(_one_batch),
    ),
    Fault(
        "read-past-the-segment",
        "FET-013",
        Expected.DEVIATES,
        "A read continues into the next segment.",
        misseen(_one_segment),
    ),
    Fault(
        "one-partition-a-fetch",
        "FET-104",
        Expected.DEVIATES,
        "Only the first partition with data is served, but in a session.",
        change_answer(_one_partition),
    ),
    Fault(
        "partitions-served-backwards",
        "FET-006",
        Expected.VIOLATES,
        "Partitions are served from the request's last to its first.",
        misread(_in_reverse),
    ),
    Fault(
        "progress-for-the-first-named-only",
        "FET-005",
        Expected.VIOLATES,
        "Where the partition named first has nothing to read, no other may pass its limit by a "
        "first batch.",
        _serve_first_batch_of_first_named,
    ),
    Fault(
        "later-first-batch-cut",
        "FET-002",
        Expected.VIOLATES,
        "A later partition's first batch that does not fit is cut, not left out.",
        _cut_later_first_batch,
    ),
    Fault(
        "later-partitions-one-batch",
        "FET-103",
        Expected.DEVIATES,
        "Every partition but the first with data returns one batch.",
        change_answer(_one_batch_of_later_ones),
    ),
    Fault(
        "compressed-batch-compressed-anew",
        "FET-060",
        Expected.VIOLATES,
        "A compressed batch is not passed on as it is stored: it is compressed again, a byte "
        "longer.",
        change_by_log(_recompress),
    ),
)
