"""Faults of waiting for data: what is counted while a fetch is held back, and what ends the
wait.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from conformance.faults.planted import Expected
from conformance.subjects.fetch.faults.fault import Answered, Fault, Given, Logs, answering, misread
from spec.fetch.model.answer import answer_fetch
from spec.fetch.releases import FetchSemantics
from spec.frozen import replace
from spec.kafka import INT32_MAX, READ_COMMITTED, READ_UNCOMMITTED

if TYPE_CHECKING:
    from collections.abc import Callable

    from spec.fetch.model.machine import Answering
    from spec.fetch.steps import Fetch
    from spec.log import Log

LONGEST_WAIT_MS = 500
LATE_MS = 400


def _decide_wait_by(change: Callable[[Fetch, Logs], tuple[Fetch, Logs]]) -> Answering:
    """The answer is right, but whether it waits is decided for another request, or on other
    logs.
    """

    @answering
    def answer(given: Given) -> Answered:
        right, session, _ = answer_fetch(*given)
        taken, seen = change(given.fetch, given.logs)
        return right, session, answer_fetch(*given._replace(fetch=taken, logs=seen))[2]

    return answer


def _waits_for_more(fetch: Fetch) -> Fetch:
    return (
        replace(fetch, min_bytes=min(INT32_MAX, fetch.min_bytes + 1))
        if fetch.min_bytes > 0
        else fetch
    )


def _waits_for_less(fetch: Fetch) -> Fetch:
    return replace(fetch, min_bytes=max(0, fetch.min_bytes - 1))


def _without_limits(fetch: Fetch) -> Fetch:
    return replace(
        fetch, partitions=tuple([replace(part, max_bytes=INT32_MAX) for part in fetch.partitions])
    )


def _never_for_the_unknown(fetch: Fetch, logs: Logs) -> tuple[Fetch, Logs]:
    unknown = any(part.partition not in logs for part in fetch.partitions)
    return (replace(fetch, max_wait_ms=0) if unknown else fetch), logs


@answering
def _for_all_it_wants(given: Given) -> Answered:
    answer, session, held_ms = answer_fetch(*given)
    limit = given.semantics.of(FetchSemantics).fetch_max_bytes
    wanted = min(given.fetch.min_bytes, given.fetch.max_bytes, limit)
    short = sum(got.size for got in answer.partitions) < wanted and not any(
        got.error for got in answer.partitions
    )
    return (
        answer,
        session,
        float(max(0, given.fetch.max_wait_ms)) if short and answer.partitions else held_ms,
    )


@answering
def _last_record_waits(given: Given) -> Answered:
    answer, session, held_ms = answer_fetch(*given)
    short = sum([got.size for got in answer.partitions]) < given.fetch.min_bytes
    if short and all(
        part.partition in given.logs and _ends_segment(given.logs[part.partition], part.offset)
        for part in given.fetch.partitions
    ):
        held_ms = float(max(0, given.fetch.max_wait_ms))
    return answer, session, held_ms


def _ends_segment(log: Log, offset: int) -> bool:
    """Whether the last record of a segment that is not the newest has this offset."""
    return any(
        before.last == offset and before.segment < after.segment
        for before, after in pairwise(log.batches)
    )


@answering
def _first_of_segment_waits(given: Given) -> Answered:
    answer, session, held_ms = answer_fetch(*given)
    short = sum([got.size for got in answer.partitions]) < given.fetch.min_bytes
    if short and any(
        part.partition in given.logs
        and _stable_begins_segment(given.logs[part.partition], given.fetch.isolation)
        for part in given.fetch.partitions
    ):
        held_ms = float(max(0, given.fetch.max_wait_ms))
    return answer, session, held_ms


def _stable_begins_segment(log: Log, isolation: int) -> bool:
    return isolation == READ_COMMITTED and any(
        after.base == log.stable and before.segment < after.segment
        for before, after in pairwise(log.batches)
    )


@answering
def _hole_ends_wait(given: Given) -> Answered:
    answer, session, held_ms = answer_fetch(*given)
    in_hole = any(
        part.partition in given.logs
        and _is_missing_at_edge(given.logs[part.partition], part.offset)
        for part in given.fetch.partitions
    )
    return answer, session, 0.0 if in_hole else held_ms


def _is_missing_at_edge(log: Log, offset: int) -> bool:
    """Whether the offset is missing between two segments."""
    return any(
        before.segment < after.segment and before.last < offset < after.base
        for before, after in pairwise(log.batches)
    )


@answering
def _slow_for_older_segment(given: Given) -> Answered:
    answer, session, held_ms = answer_fetch(*given)
    older = any(
        part.partition in given.logs
        and given.logs[part.partition].run(part.offset, given.fetch.isolation).ends_early
        for part in given.fetch.partitions
    )
    return answer, session, float(LATE_MS) if older and not held_ms else held_ms


@answering
def _limit_first_batch(given: Given) -> Answered:
    answer, session, held_ms = answer_fetch(*given)
    limits = {part.partition: part.max_bytes for part in given.fetch.partitions}
    sizes = [(got.size, limits.get(got.partition, INT32_MAX)) for got in answer.partitions]
    passed = any(size > limit for size, limit in sizes)
    if passed and sum([min(pair) for pair in sizes]) < given.fetch.min_bytes:
        held_ms = float(max(0, given.fetch.max_wait_ms))
    return answer, session, held_ms


def _cut_wait_short(fetch: Fetch) -> Fetch:
    return replace(fetch, max_wait_ms=min(LONGEST_WAIT_MS, fetch.max_wait_ms))


def _waits_for_a_byte(fetch: Fetch) -> Fetch:
    return replace(fetch, min_bytes=min(1, fetch.min_bytes)) if fetch.epoch > 0 else fetch


@answering
def _late(given: Given) -> Answered:
    answer, session, held_ms = answer_fetch(*given)
    return answer, session, held_ms + LATE_MS if held_ms else 0.0


FAULTS = (
    Fault(
        "never-waits",
        "FET-014",
        Expected.VIOLATES,
        "A fetch is answered at once, whatever its min_bytes.",
        _decide_wait_by(lambda fetch, logs: (replace(fetch, max_wait_ms=0), logs)),
    ),
    Fault(
        "min-bytes-one-less",
        "FET-014",
        Expected.VIOLATES,
        "One byte fewer than min_bytes ends the wait.",
        misread(_waits_for_less),
    ),
    Fault(
        "min-bytes-one-more",
        "FET-114",
        Expected.VIOLATES,
        "Exactly min_bytes do not end the wait.",
        misread(_waits_for_more),
    ),
    Fault(
        "long-wait-cut-short",
        "FET-014",
        Expected.VIOLATES,
        "No fetch waits for longer than half a second.",
        misread(_cut_wait_short),
    ),
    Fault(
        "session-waits-for-a-byte",
        "FET-015",
        Expected.DEVIATES,
        "An incremental fetch waits for one byte, whatever its min_bytes.",
        misread(_waits_for_a_byte),
    ),
    Fault(
        "first-batch-counts-up-to-its-limit",
        "FET-114",
        Expected.VIOLATES,
        "A first batch that is returned past its partition's limit counts for min_bytes with the "
        "limit alone.",
        _limit_first_batch,
    ),
    Fault(
        "unstable-data-ends-the-wait",
        "FET-055",
        Expected.VIOLATES,
        "Under read_committed, records of open transactions count for min_bytes.",
        _decide_wait_by(lambda fetch, logs: (replace(fetch, isolation=READ_UNCOMMITTED), logs)),
    ),
    Fault(
        "unknown-partition-ends-the-wait",
        "FET-008",
        Expected.DEVIATES,
        "A fetch that names a partition which does not exist is answered at once.",
        _decide_wait_by(_never_for_the_unknown),
    ),
    Fault(
        "older-segment-waited-out",
        "FET-016",
        Expected.DEVIATES,
        "A fetch in an older segment waits for min_bytes as any other.",
        _for_all_it_wants,
    ),
    Fault(
        "last-record-waited-out",
        "FET-016",
        Expected.DEVIATES,
        "A fetch of the last record of an older segment waits for min_bytes as one in the newest.",
        _last_record_waits,
    ),
    Fault(
        "first-offset-of-segment-waited-out",
        "FET-016",
        Expected.DEVIATES,
        "A read_committed fetch in an older segment waits for min_bytes where the last stable "
        "offset is the first offset of the newer one.",
        _first_of_segment_waits,
    ),
    Fault(
        "missing-offset-at-an-edge-ends-the-wait",
        "FET-015",
        Expected.DEVIATES,
        "An offset that is missing between two segments is taken for one of the older segment, and "
        "its fetch never waits.",
        _hole_ends_wait,
    ),
    Fault(
        "bytes-over-the-limit-end-the-wait",
        "FET-015",
        Expected.DEVIATES,
        "While a fetch waits, a partition counts with all its bytes, not with those that its "
        "limit allows.",
        _decide_wait_by(lambda fetch, logs: (_without_limits(fetch), logs)),
    ),
)

VARIANTS = (
    Fault(
        "late-after-max-wait",
        "",
        Expected.CONFORMS,
        "An answer comes 400 ms after max_wait: nothing promises how soon a loaded broker is.",
        _late,
    ),
    Fault(
        "slow-in-an-older-segment",
        "",
        Expected.CONFORMS,
        "A fetch that ends with an older segment is answered 400 ms later.",
        _slow_for_older_segment,
    ),
)
