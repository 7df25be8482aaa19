"""Min bytes and max wait: when an answer is held back, and what ends the wait.

Times: a held-back answer can't come earlier than max_wait, load or distance only delay it; so "too
early" is decided by time alone. "Too late" is decided only where max_wait is long (`LONG_WAIT_MS`):
an answer that takes all of it was held back, unless the machine is so slow that an answer at once
may take as long.
"""

from spec.clause import KIP, Chapter, Code, Doc, Held, Report, breaks, holds
from spec.fence import Fence, Unit
from spec.fetch.model.session import Mode
from spec.fetch.steps import Fetch, FetchPartition
from spec.fetch.turn import PLAIN, Turn
from spec.kafka import READ_COMMITTED
from spec.layout import Batch, Layout, Partition
from spec.scenario import Scenario
from spec.verdict import LimitClass, Strength, side
from spec.waiting import EARLY_MS, with_delay

MIN_BYTES = Doc("consumer config fetch.min.bytes and fetch.max.wait.ms")
DELAYED = Code("DelayedFetch.scala", "68-143")
LONG_WAIT_MS = 3000
AT_ONCE_MS = 2000.0
"""An answer that is not held back comes within this time on a machine without a measured delay."""


def _is_timed(turn: Turn) -> bool:
    return turn.plain and turn.fetch.max_wait_ms > 0 and bool(turn.served)


chapter: Chapter[Turn] = Chapter(when=_is_timed, stated=PLAIN, timing_sensitive=True)


def _early(turn: Turn) -> bool:
    return turn.elapsed_ms < turn.fetch.max_wait_ms - EARLY_MS


def _late(turn: Turn) -> bool:
    """Whether it took all of a long max_wait, and longer than an answer at once may take: 2,000 ms
    and twice the measured delay.
    """
    waited_ms = max(turn.fetch.max_wait_ms - EARLY_MS, with_delay(AT_ONCE_MS, turn.delay_ms))
    return turn.fetch.max_wait_ms >= LONG_WAIT_MS and turn.elapsed_ms >= waited_ms


def _past_stable(turn: Turn) -> bool:
    """Whether a position lies past the last stable offset: no text says whether such a fetch waits;
    Apache Kafka answers at once.
    """
    return any(
        served.log is not None
        and not served.fault
        and served.ask.offset > served.log.bound(turn.fetch.isolation)
        for served in turn.served
    )


def _news(turn: Turn) -> bool:
    """Whether the answer has an error, or a change in a session."""
    return any(got.error for got in turn.answer.partitions) or any(
        served.fault for served in turn.served if served.log is not None
    )


@chapter.clause(
    "FET-055",
    Strength.MUST,
    LimitClass.EMERGENT,
    KIP(98),
    DELAYED,
    slug="fetch/wait/read-committed",
    fence=Fence("min_bytes", Unit.BYTES, "the bytes up to the last stable offset"),
)
def read_committed_waits_for_stable_data(turn: Turn) -> Held | None:
    """Under read_committed only bytes before the last stable offset count for `min_bytes`: with
    `min_bytes` above 0, a fetch of partitions none of which has any from its fetch offset on is not
    answered before `max_wait_ms` have passed, though bytes lie behind the last stable offset.

    An answer up to 15 ms early passes. Errors, positions past the last stable offset, and a
    `max_bytes` of 0 are left out.
    """
    if turn.fetch.isolation != READ_COMMITTED:
        return None
    if not any(
        served.log is not None and served.log.stable < served.log.end for served in turn.served
    ):
        return None
    if _past_stable(turn):
        return None
    there = turn.readable_bytes
    where = side(turn.fetch.min_bytes, there)
    if (
        not there
        and not turn.total
        and not _news(turn)
        and turn.fetch.min_bytes > 0
        and turn.fetch.max_bytes > 0
        and _early(turn)
    ):
        why = f"nothing before the last stable offset: expected to wait {turn.fetch.max_wait_ms} ms"
        return breaks(
            where, f"{why}, answered after {turn.elapsed_ms:.0f} ms", "unstable data ended the wait"
        )
    return holds(where)


@read_committed_waits_for_stable_data.example(
    "an open transaction at 1, asked for at 1 under read_committed"
)
def _unstable() -> Scenario:
    layout = Layout((Partition(((Batch(100), Batch(100, txn=0)),)),))
    return Scenario(
        layout, (Fetch((FetchPartition(0, 1),), min_bytes=1, max_wait_ms=100, isolation=1),)
    )


@chapter.clause(
    "FET-014",
    Strength.MUST,
    LimitClass.SOFT,
    MIN_BYTES,
    KIP(74),
    Report("redpanda-data/redpanda#1115"),
    slug="fetch/wait/min-bytes",
    fence=Fence("min_bytes", Unit.BYTES, "the bytes that can be read"),
    since="0.8",
)
def nothing_is_waited_for(turn: Turn) -> Held | None:
    """With `min_bytes` and `max_bytes` above 0, while there is nothing to read in any partition, an
    answer without records or errors is not given before `max_wait_ms` have passed (15 ms are
    allowed).

    Left out are fetches of partitions none of which exists, and those with a position past the last
    stable offset under read_committed. A `max_wait_ms` of 0 or less never waits.
    """
    there = turn.readable_bytes
    where = side(turn.fetch.min_bytes, there)
    nothing = (
        not there
        and not turn.total
        and not _news(turn)
        and not _past_stable(turn)
        and any(served.log is not None for served in turn.served)
    )
    if nothing and turn.fetch.min_bytes > 0 and turn.fetch.max_bytes > 0 and _early(turn):
        why = (
            f"no data: expected to wait {turn.fetch.max_wait_ms} ms, answered after "
            f"{turn.elapsed_ms:.0f} ms"
        )
        return breaks(where, why, "empty answer too early")
    return holds(where)


@nothing_is_waited_for.example("the end of a partition, min_bytes 1")
def _nothing_there() -> Scenario:
    layout = Layout((Partition(((Batch(100),),)),))
    return Scenario(layout, (Fetch((FetchPartition(0, 1),), min_bytes=1, max_wait_ms=300),))


@chapter.clause(
    "FET-114",
    Strength.MUST,
    LimitClass.SOFT,
    MIN_BYTES,
    KIP(74),
    slug="fetch/wait/enough",
    fence=Fence("min_bytes", Unit.BYTES, "the bytes that can be read"),
    since="0.8",
)
def enough_is_not_held_back(turn: Turn) -> Held | None:
    """A fetch is not held back whose answer has `min_bytes` bytes of records or more, that asks for
    `min_bytes` of 0 or less, or for 1 where anything can be read: where `max_wait_ms` is 3,000 or
    more, its answer comes before that (15 ms are allowed), or within 2,000 ms + 2 D, whichever is
    later. D is the longest delay of a plain request that was sent beside it (0 below 100 ms).

    An append that brings enough data ends the wait.
    """
    there = turn.readable_bytes
    where = side(turn.fetch.min_bytes, there)
    enough = turn.fetch.min_bytes <= 1 and (there > 0 or turn.fetch.min_bytes <= 0)
    if (enough or turn.total >= turn.fetch.min_bytes) and _late(turn):
        why = (
            f"{there} bytes there, min_bytes {turn.fetch.min_bytes}: expected an answer at once, "
            f"it took {turn.elapsed_ms:.0f} ms"
        )
        return breaks(where, why, "waited though there was enough")
    return holds(where)


@enough_is_not_held_back.example("ten batches of 100 bytes, min_bytes 1000 and 1001")
def _enough_or_not() -> Scenario:
    layout = Layout((Partition(((Batch(100),) * 10,)),))
    parts = (FetchPartition(0, 0),)
    return Scenario(
        layout,
        (
            Fetch(parts, min_bytes=1000, max_wait_ms=3000),
            Fetch(parts, min_bytes=1001, max_wait_ms=300),
        ),
    )


@chapter.clause(
    "FET-008",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    Code("KafkaApis.scala", "732-735"),
    Code("ReplicaManager.scala", "1697-1714"),
    slug="fetch/wait/unknown-partition",
    fence=Fence(
        "the partitions in the request that exist",
        Unit.PARTITIONS,
        "one",
        meaning="below, with none, the answer is immediate",
    ),
)
def unknown_partitions_do_not_end_the_wait(turn: Turn) -> Held | None:
    """Outside of an incremental session, a partition that does not exist does not end the wait of a
    fetch that others make wait: the answer comes after `max_wait_ms` as without it. A fetch of such
    partitions alone is answered at once (within the time of FET-114).
    """
    if (
        not any(served.log is None for served in turn.served)
        or turn.admission.mode is Mode.INCREMENTAL
    ):
        return None
    existing = sum(served.log is not None for served in turn.served)
    where = side(existing, 1)
    if existing and turn.held_back and _early(turn):
        return breaks(
            where,
            f"expected to wait {turn.fetch.max_wait_ms} ms, answered after {turn.elapsed_ms:.0f} "
            "ms",
            "ended the wait",
        )
    if not turn.held_back and _late(turn):
        return breaks(
            where, f"expected an answer at once, it took {turn.elapsed_ms:.0f} ms", "held back"
        )
    return holds(where)


@unknown_partitions_do_not_end_the_wait.example(
    "a partition at its end and one that does not exist, min_bytes 1; then the latter alone"
)
def _unknown() -> Scenario:
    asks = ((FetchPartition(0, 1), FetchPartition(1, 0)), (FetchPartition(1, 0),))
    return Scenario(
        Layout((Partition(((Batch(100),),)),)),
        tuple([Fetch(parts, min_bytes=1, max_wait_ms=200) for parts in asks]),
    )


@chapter.clause(
    "FET-016",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    Code("DelayedFetch.scala", "92-98"),
    slug="fetch/wait/older-segment",
    fence=Fence("min_bytes", Unit.BYTES, "the bytes to the end of the segment"),
)
def a_position_in_an_older_segment_ends_the_wait(turn: Turn) -> Held | None:
    """A fetch whose fetch offset lies in an older segment than the high watermark (under
    read_committed, the last stable offset) is answered at once, though its bytes do not reach
    `min_bytes`: where `max_wait_ms` is 3,000 or more, the answer comes before that (on a busy
    machine, see FET-114).

    The last stable offset lies in the newer segment also where it is the first offset there. An
    offset that compaction took out lies in the segment of the next batch.
    """
    older = [
        served
        for served in turn.served
        if served.run
        and served.log is not None
        and served.run[0].segment < served.log.segment_of(served.log.bound(turn.fetch.isolation))
    ]
    if not older:
        return None
    where = side(turn.fetch.min_bytes, older[0].there)
    if not turn.held_back and _late(turn):
        return breaks(
            where, f"expected an answer at once, it took {turn.elapsed_ms:.0f} ms", "held back"
        )
    return holds(where)


@a_position_in_an_older_segment_ends_the_wait.example(
    "two segments, asked for in the first with min_bytes over it"
)
def _older() -> Scenario:
    layout = Layout((Partition(((Batch(100),) * 3, (Batch(100),))),))
    return Scenario(layout, (Fetch((FetchPartition(0, 0),), min_bytes=700, max_wait_ms=5000),))


@chapter.clause(
    "FET-015",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    DELAYED,
    Report("redpanda-data/redpanda#28501"),
    slug="fetch/wait/counted-bytes",
    fence=Fence(
        "min_bytes, lowered to the request's limit",
        Unit.BYTES,
        "the bytes that count while a fetch waits",
    ),
)
def each_partition_counts_up_to_its_limit(turn: Turn) -> Held | None:
    """A fetch that nothing else answers at once is held back if and only if neither the bytes that
    it would return nor the bytes that count while it waits reach `min(min_bytes, max_bytes,
    fetch.max.bytes)`. Of a partition `min(b, partition_max_bytes)` bytes count, where `b` is what
    lies from its fetch offset to the high watermark (under read_committed the last stable offset).
    Held back means an answer not before `max_wait_ms`, 15 ms allowed; otherwise it comes before
    that, where `max_wait_ms` is 3,000 or more (on a busy machine, see FET-114).

    So a partition limit below min_bytes makes a lone partition wait its full time though more than
    min_bytes is there. A batch that begins past the last stable offset ends the wait at once for a
    position in it under read_committed.
    """
    counted = sum([min(served.there, max(served.ask.max_bytes, 0)) for served in turn.served])
    where = side(min(turn.fetch.min_bytes, turn.fetch.max_bytes), counted)
    if turn.held_back and _early(turn):
        return breaks(
            where,
            f"expected to wait {turn.fetch.max_wait_ms} ms, answered after {turn.elapsed_ms:.0f} "
            "ms",
            "too early",
        )
    if not turn.held_back and _late(turn):
        return breaks(
            where, f"expected an answer at once, it took {turn.elapsed_ms:.0f} ms", "too late"
        )
    return holds(where)


@each_partition_counts_up_to_its_limit.example(
    "ten batches of 100 bytes, partition limit 200, min_bytes 500: waits, and returns 200"
)
def _limit_below_min() -> Scenario:
    layout = Layout((Partition(((Batch(100),) * 10,)),))
    return Scenario(layout, (Fetch((FetchPartition(0, 0, 200),), min_bytes=500, max_wait_ms=300),))
