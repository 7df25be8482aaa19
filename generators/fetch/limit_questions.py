"""Questions around byte limits: a partition's, the request's, both together, and the broker's."""

from itertools import accumulate

from generators.fetch.question_context import (
    PossibleRead,
    Question,
    QuestionContext,
    ends_with_segment,
    limits_around,
)
from generators.fetch.relations import QUOTAS, SIDES, side_name
from spec.fetch.releases import FetchSemantics
from spec.fetch.steps import Fetch, FetchPartition
from spec.kafka import INT32_MAX

AROUND = tuple(zip((-1, 0, 1), SIDES, strict=True))
"""Bytes that are added to a size so that a limit lies below, at or above it, and the name of each.
"""
SPECIAL = ((0, "zero"), (1, "one"), (INT32_MAX, "huge"), (-1, "-1"), (-(2**31), "int32-min"))
QUOTA_FLOOR = 2000
"""Bytes that a quota lets through at least: an answer's other bytes, up to 200, then cost a tenth
of the window, a second, at most.
"""
PREFIXES = (11, 12, 13)
"""Bytes of the next batch: inside, up to and past the part that its length does not count
(FET-002).
"""


def whole(reaches: list[PossibleRead]) -> list[FetchPartition]:
    """What to fetch for possible reads, each without a partition's limit."""
    return [FetchPartition(reach.partition, reach.offset) for reach in reaches]


def partition_limits(context: QuestionContext) -> None:
    """`partition_max_bytes` around each partial sum of what one read could return (FET-001,
    FET-002, FET-010).
    """
    what = "partition_max_bytes"
    for partition in context.thin(range(context.count), 2):
        for offset in context.thin(context.starts(partition), 2):
            for isolation in context.isolations():
                reach = context.reach(partition, offset, isolation)
                if reach is None:
                    continue
                limits = limits_around(reach.sums, what)
                limits += [(limit, f"{what}={name}") for limit, name in SPECIAL]
                limits += [
                    (total + more, f"{what}=prefix:{more}")
                    for total in reach.sums[:-1][:1]
                    for more in PREFIXES
                ]
                for limit, relation in context.thin(limits, 5):
                    context.ask(
                        [FetchPartition(partition, offset, limit)], (relation,), isolation=isolation
                    )


def segment_ends(context: QuestionContext) -> None:
    """Both limits around the bytes to the end of a segment that others follow (FET-013)."""
    for isolation in context.isolations():
        rolled = [
            reach
            for reach in context.reaches(isolation)
            if ends_with_segment(context.logs[reach.partition], reach)
        ]
        for reach in context.thin(rolled, 1):
            for step, where in AROUND:
                limit = reach.total + step
                context.ask(
                    [FetchPartition(reach.partition, reach.offset, limit)],
                    (f"segment_end={where}",),
                    isolation=isolation,
                )
                context.ask(
                    whole([reach]), (f"segment_end={where}",), isolation=isolation, max_bytes=limit
                )


def first_batches(context: QuestionContext) -> None:
    """The request's limit around the first batch of the first of two partitions with data
    (FET-006).
    """
    for isolation in context.isolations():
        reaches = context.reaches(isolation)
        pairs = [(one, two) for one in reaches for two in reaches if one is not two]
        for one, two in context.thin(pairs, 1):
            for step, where in AROUND:
                context.ask(
                    whole([one, two]),
                    (f"first_batch={where}",),
                    isolation=isolation,
                    max_bytes=one.sums[0] + step,
                )


def request_limits(context: QuestionContext) -> None:
    """`max_bytes` around each partial sum across all partitions (FET-003, FET-004, FET-010)."""
    for isolation in context.isolations():
        reaches = context.reaches(isolation)
        if not reaches:
            continue
        ways = [reaches] if len(reaches) == 1 else [reaches, reaches[::-1], reaches[:1]]
        for way in context.thin(ways, 2):
            sums = tuple(accumulate([batch.size for reach in way for batch in reach.batches]))
            limits = limits_around(sums, "max_bytes") + [
                (limit, f"max_bytes={name}") for limit, name in SPECIAL
            ]
            for limit, relation in context.thin(limits, 6):
                context.ask(whole(way), (relation,), isolation=isolation, max_bytes=limit)


def both_limits(context: QuestionContext) -> None:
    """A partition's limit around one of its partial sums, and the request's around what the
    partitions' limits allow.
    """
    for isolation in context.isolations():
        reaches = context.reaches(isolation)
        pairs = [[one] for one in reaches] + [
            [one, two] for one in reaches for two in reaches if one is not two
        ]
        for pair in context.thin(pairs, 1):
            for total in context.thin(pair[0].sums, 1):
                for step, where in AROUND:
                    limit = total + step
                    allowed = pair[0].served_bytes(limit) + sum([reach.total for reach in pair[1:]])
                    asks = [
                        FetchPartition(pair[0].partition, pair[0].offset, limit),
                        *whole(pair[1:]),
                    ]
                    for more, relation in AROUND:
                        context.ask(
                            asks,
                            (f"partition_max_bytes={where}+max_bytes={relation}",),
                            isolation=isolation,
                            max_bytes=allowed + more,
                        )


def later_partitions(context: QuestionContext) -> None:
    """The second partition's limit, and what the first leaves of the request's, around the second's
    first batch (FET-004).

    And the one around the other, with room for that batch in both (FET-103).
    """
    for isolation in context.isolations():
        reaches = context.reaches(isolation)
        pairs = [(one, two) for one in reaches for two in reaches if one is not two]
        for one, two in context.thin(pairs, 2):
            for step, where in AROUND:
                limit = two.sums[0] + step
                asks = [
                    FetchPartition(one.partition, one.offset),
                    FetchPartition(two.partition, two.offset, limit),
                ]
                context.ask(asks, (f"later_partition={where}",), isolation=isolation)
                relation = f"later_remaining={where}"
                context.ask(
                    whole([one, two]), (relation,), isolation=isolation, max_bytes=one.total + limit
                )
                asks = [
                    FetchPartition(one.partition, one.offset),
                    FetchPartition(two.partition, two.offset, two.sums[0] + 1 + step),
                ]
                relation = f"later_limit={where}"
                context.ask(
                    asks, (relation,), isolation=isolation, max_bytes=one.total + two.sums[0] + 1
                )


def broker_limit(context: QuestionContext) -> None:
    """The request's limit around the broker's `fetch.max.bytes`, where the partitions hold so much
    (FET-018).
    """
    fence = context.decisions.fetch_max_bytes
    for isolation in context.isolations():
        reaches = context.reaches(isolation)
        sums = tuple(accumulate([reach.total for reach in reaches]))
        if not sums or sums[-1] < fence - 1:
            continue
        for way in [reaches] if len(reaches) == 1 else [reaches, reaches[::-1]]:
            holds = f"fetch.max.bytes=holds:{side_name(sums[-1], fence)}"
            big = ("fetch.max.bytes=first-batch:above",) if way[0].sums[0] > fence else ()
            for step, where in AROUND:
                relations = (f"fetch.max.bytes={where}", holds, *big)
                context.ask(whole(way), relations, isolation=isolation, max_bytes=fence + step)
            limited = [FetchPartition(reach.partition, reach.offset, fence + 1) for reach in way]
            context.ask(limited, (holds, *big), isolation=isolation)


def past_broker_limit(decisions: FetchSemantics) -> tuple[Question, ...]:
    """Fetches, by the newest version, of what `layout_past` the broker's `fetch.max.bytes` holds
    (FET-018). Each answer is as large as that limit, so there are few.
    """
    fence, version = decisions.fetch_max_bytes, decisions.newest_fetch
    relations = ("fetch.max.bytes=above", "fetch.max.bytes=holds:above")
    return tuple(
        [
            Question(
                Fetch(
                    (FetchPartition(first, 0), FetchPartition(1 - first, 0)),
                    max_bytes=limit,
                    version=version,
                ),
                relations,
            )
            for first, limit in ((0, fence + 1), (1, INT32_MAX))
        ]
    )


def quotas(context: QuestionContext) -> None:
    """The bytes that a consumer byte quota admits in its window, around the partial sums of one or
    two partitions' batches (FET-017).

    Little enough of an answer may be other than records that a throttled one gets through within a
    second: see `QUOTA_FLOOR`.
    """
    if not context.quotas:
        return
    window = context.decisions.quota_window_s
    for isolation in context.isolations():
        way = context.reaches(isolation)[:2]
        if not way:
            continue
        sums = accumulate([batch.size for reach in way for batch in reach.batches])
        fences = [total for total in sums if total > max(QUOTA_FLOOR, way[0].sums[0])]
        for total in context.thin([total for total in fences if not total % window] or fences, 1):
            for rate in ((total - 1) // window, total // window, total // window + 1):
                context.ask(
                    whole(way),
                    (QUOTAS[side_name(rate * window, total)],),
                    isolation=isolation,
                    quota=rate,
                )
