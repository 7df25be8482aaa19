"""Questions around the request's frame: isolation, version, who asks, unknown tags, and when the
answer must come.
"""

from itertools import pairwise

from generators.fetch.limit_questions import AROUND, whole
from generators.fetch.question_context import PossibleRead, QuestionContext, reads_older_segment
from generators.fetch.relations import NEWER, OLDER, WAITS
from spec.fetch.steps import FetchPartition
from spec.frozen import replace
from spec.kafka import (
    DEBUG_REPLICA,
    FLEXIBLE_SINCE,
    INT32_MAX,
    READ_COMMITTED,
    READ_UNCOMMITTED,
    SESSIONS_SINCE,
)
from spec.log import Log

SHORT_MS = (60, 90, 120)
LONG_MS = 5000
STRANGER = 5
"""A replica id that is no assigned replica (FET-043)."""
TAG_BYTES = 4
"""Of an unknown tagged field, about (FET-075)."""
SESSION_IDS = (
    (12345, "session=nobody's"),
    (2147483639, "session=last-shard"),
    (2147483640, "session=outside-shards"),
    (-268435455, "session=outside-shards"),
)
"""Session ids that nobody was given: one, the last that the eight shards have, and two past them
(FET-036).
"""
NOW = "wait=short:immediate"
SOON = "wait=long:immediate"


def unusual_fields(context: QuestionContext) -> None:
    """Isolation levels and replica ids that are not a consumer's, unknown tags, versions that are
    not answered.
    """
    start = [FetchPartition(number, log.start) for number, log in enumerate(context.logs)][:2]
    for isolation in context.isolations():
        for replica in (DEBUG_REPLICA, STRANGER):
            context.ask(start, (f"replica_id={replica}",), isolation=isolation, replica_id=replica)
        for step, where in AROUND:
            context.ask(
                start,
                (f"unknown_tag={where}",),
                isolation=isolation,
                unknown_tag=TAG_BYTES + step,
                since=FLEXIBLE_SINCE,
            )
        oldest, newest = context.decisions.offered_versions
        context.ask(start, (NEWER,), isolation=isolation, version=newest + 1)
        if oldest > 0:
            context.ask(start, (OLDER,), isolation=isolation, version=oldest - 1)
    for session, relation in SESSION_IDS:
        context.ask(
            start, (relation,), isolation=READ_UNCOMMITTED, session=session, since=SESSIONS_SINCE
        )
    for odd in (2, -1):
        context.ask(start, (f"isolation={odd}",), isolation=odd)


def available(reaches: list[PossibleRead], limit: int) -> int:
    """Bytes that the reference reads of the partitions within the response's limit (FET-003,
    FET-004, FET-014).
    """
    total = 0
    for reach in reaches:
        total += reach.served_bytes(max(0, limit - total), progress=total == 0)
    return total


def waiting_fetches(context: QuestionContext) -> None:
    """`min_bytes` around what can be read now, with `max_wait_ms` short, and long where the answer
    must come at once (FET-014).
    """
    everything = [FetchPartition(number, log.start) for number, log in enumerate(context.logs)]
    for isolation in context.isolations():
        reaches = context.reaches(isolation)
        now = available(reaches, context.decisions.fetch_max_bytes)
        for short in context.thin(SHORT_MS, 1):
            if now > 0:
                for wait, how in ((short, NOW), (LONG_MS, SOON)):
                    context.ask(
                        everything,
                        ("min_bytes=below", how),
                        isolation=isolation,
                        min_bytes=max(1, now - 1),
                        max_wait_ms=wait,
                    )
                    context.ask(
                        everything,
                        ("min_bytes=at", how),
                        isolation=isolation,
                        min_bytes=now,
                        max_wait_ms=wait,
                    )
            above = _above(context, reaches, isolation, now)
            context.ask(
                everything, above, isolation=isolation, min_bytes=now + 1, max_wait_ms=short
            )
            _limited_waits(context, reaches, isolation, short)
            _empty_waits(context, isolation, short)
        for min_bytes, name in ((0, "zero"), (-5, "negative")):
            context.ask(
                everything,
                (f"min_bytes={name}", SOON),
                isolation=isolation,
                min_bytes=min_bytes,
                max_wait_ms=LONG_MS,
            )
        for wait, name in ((0, "no-wait"), (-1, "negative-wait")):
            context.ask(
                everything,
                (f"min_bytes=above:{name}",),
                isolation=isolation,
                min_bytes=INT32_MAX,
                max_wait_ms=wait,
            )


def older_segment_waits(context: QuestionContext) -> None:
    """`min_bytes`, and the partition's limit, around the bytes to the end of an older segment:
    whatever they are, the answer comes at once (FET-016).
    """
    for isolation in context.isolations():
        older = [
            reach
            for reach in context.reaches(isolation)
            if reads_older_segment(context.logs[reach.partition], reach.offset, isolation)
        ]
        for reach in context.thin(older, 1):
            for step, where in AROUND:
                relations = (f"older_segment={where}", SOON)
                context.ask(
                    whole([reach]),
                    relations,
                    isolation=isolation,
                    min_bytes=reach.total + step,
                    max_wait_ms=LONG_MS,
                )
                limited = FetchPartition(reach.partition, reach.offset, reach.total + step)
                context.ask(
                    [limited],
                    (f"older_segment=limit:{where}", SOON),
                    isolation=isolation,
                    min_bytes=reach.total + 1,
                    max_wait_ms=LONG_MS,
                )


def segment_edges(context: QuestionContext) -> None:
    """One byte more than there is from the last record before a segment's edge, from an offset that
    is missing there, and from the first one behind it: in an older segment than the bound the
    answer comes at once (FET-016), in the same one it waits (FET-015).
    """
    for isolation in context.isolations():
        for partition, log in enumerate(context.logs):
            for name, offset in context.thin(_segment_edges(log), 2):
                reach = context.reach(partition, offset, isolation)
                if reach is None:
                    continue
                older = reads_older_segment(log, offset, isolation)
                place = "older" if older else "newest"
                context.ask(
                    [FetchPartition(partition, offset)],
                    (f"segment_edge={name}:{place}", SOON if older else WAITS),
                    isolation=isolation,
                    min_bytes=reach.total + 1,
                    max_wait_ms=LONG_MS if older else SHORT_MS[0],
                )


def stable_offsets_at_an_edge(context: QuestionContext) -> None:
    """One byte more than there is before a segment that begins with the last stable offset: under
    read_committed the answer comes at once (FET-016).
    """
    if not context.wants(READ_COMMITTED):
        return
    for partition, log in enumerate(context.logs):
        number = log.batch_number(log.stable)
        if not 0 < number < len(log.batches) or log.batches[number].base != log.stable:
            continue
        last = log.batches[number - 1]
        reach = context.reach(partition, last.last, READ_COMMITTED)
        if reach is not None and reads_older_segment(log, last.last, READ_COMMITTED):
            context.ask(
                [FetchPartition(partition, last.last)],
                ("segment_edge=stable:older", SOON),
                isolation=READ_COMMITTED,
                min_bytes=last.size + 1,
                max_wait_ms=LONG_MS,
            )


def _segment_edges(log: Log) -> list[tuple[str, int]]:
    """Offsets around the first batch of each segment but the first, each with what it is."""
    found = []
    for number, (before, after) in enumerate(pairwise(log.batches), 1):
        if before.segment == after.segment:
            continue
        hole = log.hole(number)
        found += [("last", before.last), ("first", after.base)]
        found += [("hole", offset) for offset in {*hole[:1], *hole[-1:]}]
    return [(name, offset) for name, offset in found if log.start <= offset]


def unstable_waits(context: QuestionContext) -> None:
    """`min_bytes` around the bytes before the last stable offset of an open transaction
    (FET-055).
    """
    if not context.wants(READ_COMMITTED):
        return
    for partition in range(context.count):
        log = context.logs[partition]
        if log.stable == log.end:
            continue
        reach = context.reach(partition, log.start, READ_COMMITTED)
        reaches = [reach] if reach else []
        now = available(reaches, context.decisions.fetch_max_bytes)
        ask = [FetchPartition(partition, log.start)]
        for step, where in AROUND:
            if now + step > 0:
                how = NOW if step <= 0 else _above(context, reaches, READ_COMMITTED, now)[1]
                relations = (f"unstable_wait={where}", how)
                context.ask(
                    ask,
                    relations,
                    isolation=READ_COMMITTED,
                    min_bytes=now + step,
                    max_wait_ms=SHORT_MS[0],
                )
        for offset in {log.stable + 1, log.end}:
            past = [FetchPartition(partition, offset)]
            number = log.batch_number(offset)
            inside = number < len(log.batches) and log.batches[number].base <= log.stable
            relation, wait = (WAITS, SHORT_MS[0]) if inside else (SOON, LONG_MS)
            context.ask(
                past,
                ("unstable_wait=past", relation),
                isolation=READ_COMMITTED,
                min_bytes=1,
                max_wait_ms=wait,
            )


def _above(
    context: QuestionContext, reaches: list[PossibleRead], isolation: int, now: int
) -> tuple[str, str]:
    """The relation of a `min_bytes` one above the bytes read: the broker's limit lowers it, an
    older segment ends the wait.
    """
    if sum([reach.total for reach in reaches]) > now or now >= context.decisions.fetch_max_bytes:
        return "min_bytes=lowered", NOW
    if any(
        reads_older_segment(context.logs[reach.partition], reach.offset, isolation)
        for reach in reaches
    ):
        return "min_bytes=above:older-segment", NOW
    return "min_bytes=above", WAITS


def _limited_waits(
    context: QuestionContext, reaches: list[PossibleRead], isolation: int, short: int
) -> None:
    """The request's limit lowers min_bytes, a partition's limit does not (FET-015); a first batch
    that is returned past that limit counts as a whole (FET-014).
    """
    for reach in context.thin(reaches, 1):
        first = reach.sums[0]
        lowered = ("min_bytes=lowered", SOON)
        ask = FetchPartition(reach.partition, reach.offset)
        context.ask(
            [ask],
            lowered,
            isolation=isolation,
            max_bytes=first,
            min_bytes=first + 1,
            max_wait_ms=LONG_MS,
        )
        context.ask(
            [ask], lowered, isolation=isolation, max_bytes=0, min_bytes=first, max_wait_ms=LONG_MS
        )
        context.ask(
            [replace(ask, max_bytes=first - 1)],
            ("min_bytes=first-batch", SOON),
            isolation=isolation,
            min_bytes=first,
            max_wait_ms=LONG_MS,
        )
        if reach.total > first and not reads_older_segment(
            context.logs[reach.partition], reach.offset, isolation
        ):
            limited = FetchPartition(reach.partition, reach.offset, first)
            relations = ("min_bytes=above:partition-limited", WAITS)
            context.ask(
                [limited], relations, isolation=isolation, min_bytes=first + 1, max_wait_ms=short
            )


def _empty_waits(context: QuestionContext, isolation: int, short: int) -> None:
    """An error found while reading ends the wait; partitions that do not exist do not (FET-008)."""
    for partition in context.thin(range(context.count), 1):
        end = context.logs[partition].end
        at_end, outside = FetchPartition(partition, end), FetchPartition(partition, end + 1)
        none = FetchPartition(context.count, 0)
        others = whole(
            [reach for reach in context.reaches(isolation) if reach.partition != partition][:1]
        )
        most = INT32_MAX
        error = ("min_bytes=above:error", SOON)
        context.ask(
            [outside, *others], error, isolation=isolation, min_bytes=most, max_wait_ms=LONG_MS
        )
        unknown = ("min_bytes=above:unknown", WAITS)
        context.ask([none, at_end], unknown, isolation=isolation, min_bytes=1, max_wait_ms=short)
        for other in context.thin(
            [number for number in range(context.count) if number != partition], 1
        ):
            two = [none, at_end, FetchPartition(other, context.logs[other].end)]
            context.ask(
                two,
                ("min_bytes=above:unknown+two", WAITS),
                isolation=isolation,
                min_bytes=1,
                max_wait_ms=short,
            )
        only = ("min_bytes=above:unknown-only", SOON)
        context.ask([none], only, isolation=isolation, min_bytes=1, max_wait_ms=LONG_MS)
