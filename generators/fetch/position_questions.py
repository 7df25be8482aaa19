"""Questions around positions: where a read starts, which partitions are named, in which order, and
how often.
"""

from generators.fetch.limit_questions import AROUND, whole
from generators.fetch.question_context import QuestionContext
from spec.fetch.steps import FetchPartition
from spec.kafka import (
    INT32_MAX,
    INT64_MAX,
    INT64_MIN,
    LEADER_EPOCH_SINCE,
    READ_COMMITTED,
    READ_UNCOMMITTED,
    TOPIC_IDS_SINCE,
)
from spec.log import Log

FAR = ((-1, "-1"), (-2, "-2"), (INT64_MIN, "int64-min"), (INT64_MAX, "int64-max"))
TIGHT = 1
"""A limit that lets through one batch."""


def _near(log: Log) -> list[tuple[int, str]]:
    """Offsets next to a fence of the log, with their relations."""
    found = []
    for number, batch in enumerate(log.batches):
        if batch.last < log.start:
            continue
        found += _around_hole(log, number)
        found.append((batch.base, "offset=base"))
        if batch.base < batch.last:
            found.append(((batch.base + batch.last + 1) // 2, "offset=mid-batch"))
            found.append((batch.last, "offset=last-of-batch"))
    for fence, name in ((log.start, "log-start"), (log.end, "end"), (log.stable, "stable")):
        found += [
            (fence - 1, f"offset={name}:below"),
            (fence, f"offset={name}:at"),
            (fence + 1, f"offset={name}:above"),
        ]
    return found


def _around_hole(log: Log, number: int) -> list[tuple[int, str]]:
    """Offsets that compaction took out in front of a batch and in it, and the next ones there are
    (FET-022, FET-122).
    """
    batch, hole = log.batches[number], log.hole(number)
    found = []
    if hole:
        middle = hole[len(hole) // 2]
        found = [
            (hole[0], "offset=hole:first"),
            (middle, "offset=hole:middle"),
            (hole[-1], "offset=hole:last"),
        ]
        found.append((batch.base, "offset=behind-hole"))
    if not batch.records:
        found += [(batch.base, "offset=in-emptied"), (batch.last, "offset=in-emptied")]
    elif not batch.control and batch.records <= batch.last - batch.base:
        found.append((batch.last, "offset=past-thinned"))
    return found


def offsets(context: QuestionContext) -> None:
    """Each start offset class (FET-011, FET-012, FET-020, FET-021, FET-054), alone in a request."""
    for partition in context.thin(range(context.count), 2):
        log = context.logs[partition]
        moved = ("log_start=end",) if 0 < log.start == log.end else ()
        for offset, relation in context.thin(_near(log), 8):
            for isolation in context.isolations():
                ask = FetchPartition(partition, offset, absolute=offset < 0)
                context.ask([ask], (relation, *moved, "partitions=one"), isolation=isolation)
        for offset, name in context.thin(FAR, 1):
            for isolation in context.isolations():
                context.ask(
                    [FetchPartition(partition, offset, absolute=True)],
                    (f"offset={name}", "partitions=one"),
                    isolation=isolation,
                )


def kept_batches(context: QuestionContext) -> None:
    """Around a log start inside a batch: the last deleted record, the first kept one, and one after
    it (FET-012).
    """
    for partition in range(context.count):
        log = context.logs[partition]
        number = log.batch_number(log.start)
        if number == len(log.batches) or log.start == log.batches[number].base:
            continue
        for isolation in context.isolations():
            for step, where in AROUND:
                offset = log.start + step
                if offset <= log.batches[number].last:
                    context.ask(
                        [FetchPartition(partition, offset)],
                        (f"offset=kept-batch:{where}",),
                        isolation=isolation,
                    )


def unstable_offsets(context: QuestionContext) -> None:
    """At and past the last stable offset of an open transaction, with either isolation level
    (FET-050, FET-051, FET-054).

    And at a log start that has passed an open transaction's first offset (FET-172).
    """
    for partition in range(context.count):
        log = context.logs[partition]
        if log.start > log.undecided and context.wants(READ_UNCOMMITTED):
            for limit in (INT32_MAX, TIGHT):
                ask = FetchPartition(partition, log.start, limit)
                context.ask([ask], ("log_start=past-open",), isolation=READ_UNCOMMITTED)
        if log.stable == log.end:
            continue
        for isolation, name in ((READ_COMMITTED, "committed"), (READ_UNCOMMITTED, "uncommitted")):
            if not context.wants(isolation):
                continue
            for offset, where in ((log.stable, "at"), (log.stable + 1, "above")):
                context.ask(
                    [FetchPartition(partition, offset)],
                    (f"unstable={where}:{name}",),
                    isolation=isolation,
                )


def partition_orders(context: QuestionContext) -> None:
    """All partitions, pairs and subsets in several orders, with limits that make the order matter
    (FET-006).
    """
    if context.count < 2:
        return
    for isolation in context.isolations():
        given = [FetchPartition(number, log.start) for number, log in enumerate(context.logs)]
        ways = [
            (given, ("order=given", "partitions=all")),
            (given[::-1], ("order=reversed", "partitions=all")),
        ]
        for cut in context.thin(range(1, context.count), 1):
            ways.append((given[cut:] + given[:cut], ("order=rotated", "partitions=all")))
            if context.count > 2:
                ways.append((given[:cut] + given[cut + 1 :], ("order=given", "partitions=subset")))
        pairs = [(one, two) for one in given for two in given if one is not two]
        for one, two in context.thin(pairs, 1):
            order = "order=given" if one.partition < two.partition else "order=reversed"
            ways.append(([one, two], (order, "partitions=pair")))
        for way, relations in ways:
            context.ask(way, relations, isolation=isolation)
            context.ask(way, relations, isolation=isolation, max_bytes=TIGHT)


def duplicates(context: QuestionContext) -> None:
    """One partition named twice, with other parameters the second time (FET-009)."""
    for isolation in context.isolations():
        for partition in context.thin(range(context.count), 1):
            log = context.logs[partition]
            starts = context.starts(partition)
            one = FetchPartition(partition, log.start)
            for two in context.thin(
                [
                    FetchPartition(partition, starts[-1]),
                    FetchPartition(partition, log.start, TIGHT),
                ],
                1,
            ):
                context.ask([one, two], ("duplicate=adjacent",), isolation=isolation)
                others = [
                    FetchPartition(other, context.logs[other].start)
                    for other in range(context.count)
                    if other != partition
                ]
                for other in context.thin(others, 1):
                    context.ask([one, other, two], ("duplicate=apart",), isolation=isolation)
                    context.ask(
                        [two, other, one],
                        ("duplicate=apart",),
                        isolation=isolation,
                        max_bytes=TIGHT,
                    )
                    context.ask([two, other, two, one], ("duplicate=thrice",), isolation=isolation)


def unknown_partitions(context: QuestionContext) -> None:
    """A partition that does not exist before, between, after and without others (FET-007,
    FET-041).
    """
    for isolation in context.isolations():
        known = [FetchPartition(number, log.start) for number, log in enumerate(context.logs)]
        none, farther = FetchPartition(context.count, 0), FetchPartition(context.count + 3, 0)
        ways = [
            ([none, *known], "unknown=first"),
            ([*known, none], "unknown=last"),
            ([none], "unknown=only"),
        ]
        ways += [([none, *known[:1], farther], "unknown=first")]
        if context.count > 1:
            ways.append(([known[0], none, *known[1:]], "unknown=middle"))
        for way, relation in context.thin(ways, 3):
            context.ask(
                way,
                (relation,),
                isolation=isolation,
                max_bytes=TIGHT if len(way) > 2 else 2**31 - 1,
            )
        if context.decisions.newest_fetch >= TOPIC_IDS_SINCE and context.version in {
            None,
            TOPIC_IDS_SINCE,
        }:
            context.ask(
                [*known, none], ("unknown=first-ids",), isolation=isolation, version=TOPIC_IDS_SINCE
            )


def progress(context: QuestionContext) -> None:
    """A partition without bytes before one with data: it must not use up the right to a first batch
    (FET-005, FET-010).
    """
    for isolation in context.isolations():
        readable = context.reaches(isolation)
        pairs = [
            (number, reach)
            for reach in readable
            for number in range(context.count)
            if number != reach.partition
        ]
        for number, reach in context.thin(pairs, 2):
            log = context.logs[number]
            ways = [
                (FetchPartition(number, log.end), "at-end"),
                (FetchPartition(number, log.end + 1), "out-of-range"),
            ]
            if context.reach(number, log.start, isolation):
                ways.append((FetchPartition(number, log.start, -1), "negative-limit"))
            after = FetchPartition(reach.partition, reach.offset, TIGHT)
            for before, name in ways:
                context.ask(
                    [before, after], (f"before={name}",), isolation=isolation, max_bytes=TIGHT
                )
            for step, where in AROUND:
                limited = FetchPartition(reach.partition, reach.offset, reach.sums[0] + step)
                context.ask([ways[0][0], limited], (f"progress={where}",), isolation=isolation)
                context.ask(
                    [ways[0][0], *whole([reach])],
                    (f"progress={where}",),
                    isolation=isolation,
                    max_bytes=limited.max_bytes,
                )


def leader_epochs(context: QuestionContext) -> None:
    """The current leader epoch, a newer and, where there was one, an older one, and a newer one in
    the first version that carries it (FET-045, KIP-320).
    """
    for isolation in context.isolations():
        for partition in context.thin(range(context.count), 1):
            start = context.logs[partition].start
            older = ((-1, "older"),) if context.older_epochs else ()
            decisions = context.decisions
            known = decisions.oldest_fetch <= LEADER_EPOCH_SINCE <= decisions.newest_fetch
            if known and context.version in {None, LEADER_EPOCH_SINCE}:
                context.ask(
                    [FetchPartition(partition, start, leader_epoch=1)],
                    ("leader_epoch=first-version",),
                    isolation=isolation,
                    version=LEADER_EPOCH_SINCE,
                )
            for epoch, name in ((0, "current"), (1, "newer"), *older):
                ask = FetchPartition(partition, start, leader_epoch=epoch)
                others = whole(
                    [reach for reach in context.reaches(isolation) if reach.partition != partition][
                        :1
                    ]
                )
                context.ask(
                    [ask, *others],
                    (f"leader_epoch={name}",),
                    isolation=isolation,
                    since=LEADER_EPOCH_SINCE,
                )
