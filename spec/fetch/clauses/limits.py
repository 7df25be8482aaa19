"""The byte limits: of a partition, of the request, of the broker; and the first batch that may pass
them.
"""

from spec.clause import KIP, Chapter, Code, Doc, Held, Report, breaks, holds
from spec.fence import Fence, Unit
from spec.fetch.examples import would_wait
from spec.fetch.steps import Fetch, FetchPartition
from spec.fetch.turn import (
    PLAIN,
    Served,
    Turn,
    partial_sums,
    plain,
    plain_with_later_data,
    side_of_nearest,
)
from spec.layout import Batch, Codec, Layout, Partition
from spec.scenario import Scenario
from spec.verdict import NO_SIDE, LimitClass, Strength, side

chapter: Chapter[Turn] = Chapter(when=plain, stated=PLAIN)
several = chapter.under(plain_with_later_data, PLAIN)
UNCOMPRESSED = Codec.NONE
CONSUMER = Doc("consumer config max.partition.fetch.bytes and fetch.max.bytes")


@several.clause(
    "FET-006",
    Strength.MUST,
    LimitClass.EMERGENT,
    KIP(74, "proposed changes"),
    Code("KafkaApis.scala", "600-618"),
    slug="fetch/order/request",
    fence=Fence(
        "the request's limit", Unit.BYTES, "the first batch of the first partition with data"
    ),
)
def partitions_are_served_in_request_order(turn: Turn) -> Held | None:
    """Outside of an incremental session partitions are served in the order of the request: of those
    that have data, none returns bytes in an answer in which the first of them returns none.
    """
    found = turn.with_data
    if not turn.is_in_request_order:
        return None
    where = side(turn.fetch.max_bytes, found[0].run[0].size)
    if not found[0].size and any(served.size for served in found[1:]):
        later = next(served.ask.partition for served in found[1:] if served.size)
        why = (
            f"expected partition {found[0].ask.partition} to be served first, found data in "
            f"{later} and none there"
        )
        return breaks(where, why, "served out of order")
    return holds(where)


@partitions_are_served_in_request_order.example(
    "partition 1 is named first, the request's limit is below one batch"
)
def _order() -> Scenario:
    log = Partition(((Batch(100), Batch(200)),))
    return Scenario(
        Layout((log, log)), (Fetch((FetchPartition(1, 0), FetchPartition(0, 0)), max_bytes=50),)
    )


@chapter.clause(
    "FET-005",
    Strength.MUST,
    LimitClass.EMERGENT,
    KIP(74),
    Code("ReplicaManager.scala", "1759-1770"),
    slug="fetch/limit/progress-passes-on",
    fence=Fence("the limit of the first partition with data", Unit.BYTES, "its first batch"),
)
def an_empty_partition_leaves_progress_to_the_next(turn: Turn) -> Held | None:
    """Outside of an incremental session, where the first partitions of a request return nothing,
    since they are at their end, fail or do not exist, the first one behind them that has data still
    may pass its limit by a first batch: the answer has records.
    """
    if not turn.is_in_request_order:
        return None
    if not turn.with_data or turn.served[0] is turn.with_data[0]:
        return None
    first = turn.with_data[0]
    if any(served.size for served in turn.served if not served.run):
        return None
    where = side(first.limit, first.run[0].size)
    if not turn.total:
        return breaks(
            where,
            f"expected the first batch ({first.run[0].size} bytes) of partition "
            f"{first.ask.partition}, found no data",
            "no progress",
        )
    return holds(where)


@an_empty_partition_leaves_progress_to_the_next.example(
    "the first partition is at its end, the second has a batch over its limit"
)
def _progress_moves_on() -> Scenario:
    log = Partition(((Batch(100), Batch(200)),))
    return Scenario(
        Layout((log, log)), (Fetch((FetchPartition(0, 2), FetchPartition(1, 0, 1)), max_bytes=10),)
    )


@chapter.clause(
    "FET-004",
    Strength.MUST,
    LimitClass.SOFT,
    KIP(74),
    CONSUMER,
    Code("ReplicaManager.scala", "1759-1770"),
    Report("redpanda-data/redpanda#1532"),
    slug="fetch/limit/first-batch",
    fence=Fence(
        "the smaller of the partition's and the request's limit", Unit.BYTES, "the first batch"
    ),
    since="0.10.1",
)
def first_batch_is_always_served(turn: Turn) -> Held | None:
    """The first partition of a request that has data returns at least `s` bytes, the size of the
    batch that holds its fetch offset, however small its own limit and the request's are. In an
    incremental session some partition with data returns its first batch so.

    Without this a consumer whose limit is below one batch would never move.
    """
    found = turn.with_data
    if not found:
        return None
    candidates = found[:1] if turn.is_in_request_order else found
    where, some = NO_SIDE, False
    for served in candidates:
        where |= side(served.limit, served.run[0].size)
        some = some or served.size >= served.run[0].size
    if some:
        return holds(where)
    first = candidates[0]
    return breaks(
        where,
        f"expected at least the first batch ({first.run[0].size} bytes), found {first.size} bytes",
        "no first batch",
    )


@first_batch_is_always_served.example("one batch of 5070 bytes, both limits 1000")
def _oversize() -> Scenario:
    return Scenario(
        Layout((Partition(((Batch(5070),),)),)),
        (Fetch((FetchPartition(0, 0, 1000),), max_bytes=1000, min_bytes=1),),
    )


@chapter.clause(
    "FET-002",
    Strength.MUST,
    LimitClass.EMERGENT,
    KIP(74),
    Code("LogSegment.java", "455-458"),
    Report("influxdata/rskafka#73"),
    slug="fetch/records/whole-batch-first",
    fence=Fence("the partition's limit", Unit.BYTES, "the first batch"),
)
def records_start_with_a_whole_batch(turn: Turn) -> Held | None:
    """A partition that returns bytes returns one whole batch first. A batch after it may be cut at
    any byte, and clients must take that.
    """
    where = NO_SIDE
    for served, got in turn.answered_with_data:
        if not got.size:
            continue
        where |= side(served.ask.max_bytes, served.run[0].size)
        if not got.batches and not got.garbled:
            return breaks(
                where,
                f"expected a whole batch first, found {got.tail} bytes of one",
                "first batch cut",
            )
    return holds(where) if where else None


@records_start_with_a_whole_batch.example(
    "batches of 100 and 200 bytes, limit 111: eleven bytes of the second"
)
def _cut_example() -> Scenario:
    return Scenario(
        Layout((Partition(((Batch(100), Batch(200)),)),)), (Fetch((FetchPartition(0, 0, 111),)),)
    )


@chapter.clause(
    "FET-001",
    Strength.MUST,
    LimitClass.SOFT,
    KIP(74),
    CONSUMER,
    Code("LogSegment.java", "431-459"),
    Code("FileRecords.java", "143-184"),
    slug="fetch/limit/partition",
    fence=Fence("the partition's limit", Unit.BYTES, "the nearest partial sum of its batches"),
    since="0.8",
)
def partition_limit_holds(turn: Turn) -> Held | None:
    """A partition returns at most `partition_max_bytes` bytes of records. One partition, the first
    that is served or the first in the answer of those that return any, may return
    `max(partition_max_bytes, s)`, where `s` is the size of its first batch.
    """
    where = NO_SIDE
    above: Served | None = None
    for served, got in turn.answered_with_data:
        limit = served.ask.max_bytes
        where |= side_of_nearest(limit, served.fences)
        if served.size <= limit:
            continue
        is_first = served in turn.first_with_bytes and above is None
        allowed = max(limit, served.run[0].size) if is_first else limit
        if served.size > allowed:
            why = (
                f"partition {served.ask.partition}: expected at most {allowed} bytes (limit "
                f"{limit}), found {served.size}"
            )
            return breaks(
                where,
                why,
                "first batch over the limit"
                if len(got.batches) == 1 and not got.tail
                else "over the limit",
            )
        above = served
    return holds(where) if where else None


@partition_limit_holds.example("batches of 100, 200, 300 bytes, limit 299")
def _partition_limit() -> Scenario:
    return Scenario(
        Layout((Partition(((Batch(100), Batch(200), Batch(300)),)),)),
        (Fetch((FetchPartition(0, 0, 299),)),),
    )


@partition_limit_holds.example("the same by a fetch that would wait for data")
def _partition_limit_waiting() -> Scenario:
    return would_wait(_partition_limit())


@chapter.clause(
    "FET-003",
    Strength.MUST,
    LimitClass.SOFT,
    KIP(74),
    CONSUMER,
    Code("KafkaApis.scala", "743"),
    Report("twmb/franz-go#1154"),
    slug="fetch/limit/request",
    fence=Fence(
        "the request's limit", Unit.BYTES, "the nearest partial sum of all batches in service order"
    ),
    since="0.10.1",
)
def request_limit_holds(turn: Turn) -> Held | None:
    """All partitions together return at most `max(max_bytes, s)` bytes of records, where
    `max_bytes` is the request's limit and `s` the size of the first batch of the first partition
    that returns any: the first that is served, or the first in the answer.
    """
    found = turn.with_data
    if not found:
        return None
    fences = found[0].fences
    for served in found[1:]:
        before = fences[-1]
        fences += tuple([before + fence for fence in served.fences])
    where = side_of_nearest(turn.fetch.max_bytes, fences)
    limit = turn.fetch.max_bytes
    if turn.total > limit and turn.total > (allowed := turn.with_first_batch(limit)):
        return breaks(
            where,
            f"expected at most {allowed} bytes in all (limit {turn.fetch.max_bytes}), found "
            f"{turn.total}",
            "over the limit",
        )
    return holds(where)


@request_limit_holds.example("two partitions of 100 and 200 bytes, request limit 220")
def _request_limit() -> Scenario:
    return _pair(100, 1000, 220)


@request_limit_holds.example("the same by a fetch that would wait for data")
def _request_limit_waiting() -> Scenario:
    return would_wait(_pair(100, 1000, 220))


@chapter.clause(
    "FET-018",
    Strength.MUST,
    LimitClass.SOFT,
    Doc("broker config fetch.max.bytes"),
    Code("KafkaApis.scala", "743-744"),
    KIP(541),
    slug="fetch/limit/broker",
    fence=Fence("the request's limit", Unit.BYTES, "the broker's fetch.max.bytes"),
    since="2.5",
)
def broker_limit_holds(turn: Turn) -> Held | None:
    """All partitions together return at most `max(fetch.max.bytes, s)` bytes of records, however
    large the request's limit is: `fetch.max.bytes` is the broker's config, `s` the size of the
    first batch of the first partition that returns any: the first that is served, or the first in
    the answer.

    Of a client with a quota FET-017 speaks.
    """
    cap = turn.semantics.fetch_max_bytes
    if turn.fetch.quota is not None or turn.readable_bytes <= min(cap, turn.fetch.max_bytes):
        return None
    where = side(turn.fetch.max_bytes, cap)
    allowed = turn.with_first_batch(cap)
    if turn.total > allowed:
        return breaks(
            where,
            f"expected at most {allowed} bytes (fetch.max.bytes {cap}), found {turn.total}",
            "over the broker's limit",
        )
    return holds(where)


@broker_limit_holds.example("fetch.max.bytes is 1024, two batches of 1000 bytes")
def _broker_limit() -> Scenario:
    layout = Layout((Partition(((Batch(1000), Batch(1000)),)),))
    return Scenario(
        layout, (Fetch((FetchPartition(0, 0),)),), config=(("fetch.max.bytes", "1024"),)
    )


@chapter.clause(
    "FET-017",
    Strength.REFERENCE,
    LimitClass.SOFT,
    Code("KafkaApis.scala", "735-744"),
    Code("ClientQuotaManager.java", "378-384"),
    KIP(219),
    slug="fetch/limit/quota",
    fence=Fence(
        "what the quota lets through in its window",
        Unit.BYTES,
        "the nearest partial sum of all batches in service order",
    ),
)
def quota_caps_an_answer(turn: Turn) -> Held | None:
    """A client whose consumer byte quota is `q` bytes a second, none of it used, gets at most
    `max(q * w, s)` bytes of records in one answer. `w` is the broker's window in seconds,
    `(quota.window.num - 1) * quota.window.size.seconds`, and `s` the size of the first batch of the
    first partition with data.

    The cap leaves out what else an answer is made of, so that one of exactly the cap can come
    throttled first. It is asked again then. A first batch above the cap is throttled for ever: no
    scenario asks for one.
    """
    if turn.fetch.quota is None:
        return None
    found = turn.with_data
    if not found:
        return None
    through = turn.fetch.quota * turn.semantics.quota_window_s
    where = side_of_nearest(
        through, partial_sums(tuple([batch for served in found for batch in served.run]))
    )
    allowed = max(through, found[0].run[0].size)
    if turn.total > allowed:
        why = (
            f"expected at most {allowed} bytes (the quota lets {through} through), found "
            f"{turn.total}"
        )
        return breaks(where, why, "over the quota")
    return holds(where)


@quota_caps_an_answer.example(
    "the quota lets 250 bytes a second through, 2500 in its window; there are six batches of 500"
)
def _quota() -> Scenario:
    layout = Layout((Partition(((Batch(500),) * 6,)),))
    return Scenario(layout, (Fetch((FetchPartition(0, 0),), quota=250),))


@chapter.clause(
    "FET-060",
    Strength.MUST,
    LimitClass.EMERGENT,
    KIP(98),
    KIP(74),
    Code("LogSegment.java", "431-459"),
    slug="fetch/limit/compressed-size",
    fence=Fence("the partition's limit", Unit.BYTES, "the stored size of a compressed first batch"),
)
def compressed_batches_count_as_stored(turn: Turn) -> Held | None:
    """A compressed batch that a partition returns first has the size and the bytes that it is
    stored with. That size is the one which the limits count (FET-001, FET-003, FET-004).

    Of the batches behind it, and of those without a codec, FET-070 says the same.
    """
    where = NO_SIDE
    for served, answered in turn.answered_with_data:
        if served.run[0].codec is UNCOMPRESSED or not answered.batches:
            continue
        stored, got = served.run[0], answered.batches[0]
        where |= side(served.ask.max_bytes, stored.size)
        if got.base == stored.base and (got.size != stored.size or not got.intact):
            return breaks(
                where,
                f"expected the {stored.codec} batch of {stored.size} bytes as stored, found "
                f"{got.size} bytes",
                "changed",
            )
    return holds(where) if where else None


@compressed_batches_count_as_stored.example(
    "fifty records in one gzip batch of 365 bytes, asked for from the middle with limit 1"
)
def _compressed_example() -> Scenario:
    return Scenario(
        Layout((Partition(((Batch(365, records=50, codec=Codec.GZIP),),)),)),
        (Fetch((FetchPartition(0, 25, 1),)),),
    )


def _pair(first: int, second: int, limit: int) -> Scenario:
    log = Partition(((Batch(100), Batch(200)),))
    return Scenario(
        Layout((log, log)),
        (Fetch((FetchPartition(0, 0, first), FetchPartition(1, 0, second)), max_bytes=limit),),
    )
