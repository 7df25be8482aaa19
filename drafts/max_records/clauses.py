"""Clauses that hold of the draft MaxRecords under every reading: the checks that an implementation
can be held to before the draft is settled.
"""

from drafts.max_records.change import DRAFT_VERSION, limit_in, limited_to
from drafts.max_records.turn import Turn
from spec.clause import KIP, Chapter, Draft, Held, breaks, fails, holds
from spec.fence import Fence, Unit
from spec.fetch.outcomes import FetchAnswer, PartitionAnswer
from spec.fetch.steps import Fetch, FetchPartition
from spec.fetch.turn import Served
from spec.kafka import INT32_MAX, error_name
from spec.layout import Batch, Codec, Layout, Marker, Partition
from spec.log import bytes_of
from spec.scenario import Scenario
from spec.verdict import NO_SIDE, LimitClass, Strength, side

chapter: Chapter[Turn] = Chapter()

ISSUE = "KAFKA-19554"
FIELD = Draft(ISSUE, "2.1")
BROKER = Draft(ISSUE, "3.1")
COMPATIBLE = Draft(ISSUE, "4")


def _first(turn: Turn) -> Served | None:
    return next(iter(turn.fetched.with_data), None)


def _same(one: FetchAnswer, other: FetchAnswer) -> str:
    """The difference between two answers, in their records and errors; empty where nothing does."""
    by_partition = {got.partition: got for got in other.partitions}
    for got in one.partitions:
        against = by_partition.get(got.partition)
        if against is None:
            return f"partition {got.partition} is missing in one of them"
        if (got.error, got.batches, got.tail) != (against.error, against.batches, against.tail):
            return (
                f"partition {got.partition}: {_label(against)} with the field absent or large, "
                f"{_label(got)} here"
            )
    return (
        "" if len(by_partition) == len(one.partitions) else "the answers have different partitions"
    )


def _label(got: PartitionAnswer) -> str:
    return f"{len(got.batches)} batches and {got.tail} bytes" + (
        f", {error_name(got.error)}" if got.error else ""
    )


@chapter.clause(
    "MXR-100",
    Strength.MUST,
    LimitClass.SOFT,
    COMPATIBLE,
    slug="max-records/answer/no-error",
    fence=Fence("the limit", Unit.RECORDS, "1"),
)
def a_limit_makes_no_error(turn: Turn) -> Held | None:
    """A sessionless Fetch with a limit above 0 is answered, without a top-level error and without
    an error at each partition that could be read without the limit.
    """
    if turn.limit is None or turn.fetched.fetch.epoch >= 0:
        return None
    where = side(turn.limit, 1)
    if not turn.fetched.is_answered:
        return breaks(
            where,
            f"limit {turn.limit}: expected an answer, found {turn.fetched.outcome}",
            "no answer",
        )
    answer = turn.fetched.answer
    if answer.error:
        return breaks(
            where,
            f"limit {turn.limit}: expected an answer, found {error_name(answer.error)}",
            "request refused",
        )
    for served in turn.fetched.served:
        if served.got is not None and served.got.error and not served.fault:
            why = (
                f"limit {turn.limit}, partition {served.ask.partition}: expected no error, found "
                f"{error_name(served.got.error)}"
            )
            return breaks(where, why, "partition failed")
    return holds(where)


@chapter.clause(
    "MXR-101",
    Strength.MUST,
    LimitClass.SOFT,
    FIELD,
    KIP(74),
    slug="max-records/records/prefix",
    fence=Fence("the limit", Unit.RECORDS, "the records of the partition's first batch"),
)
def what_is_returned_is_a_prefix(turn: Turn) -> Held | None:
    """The whole batches that a partition returns are the first ones stored from the batch that ends
    at or after the fetch offset on, each byte for byte as it is stored. At most the head of the
    next batch follows, and only after a whole one.

    So a limit only takes away. A read that crossed a segment to fill the limit, or a batch that was
    rewritten to fit it, would be no prefix.
    """
    if turn.limit is None or not turn.plain:
        return None
    where = NO_SIDE
    for served in turn.fetched.with_data:
        where |= side(turn.limit, served.run[0].records)
        if served.got is None:
            continue
        got = [(batch.base, batch.last, batch.size, batch.intact) for batch in served.got.batches]
        expected = [(batch.base, batch.last, batch.size, True) for batch in served.run[: len(got)]]
        if got != expected:
            why = (
                f"partition {served.ask.partition}: expected the first {len(got)} of "
                f"{len(served.run)} batches as they are stored"
            )
            return breaks(
                where,
                f"{why}, found offsets "
                f"{', '.join(f'{base} to {last}' for base, last, _, _ in got)}",
                "no prefix",
            )
        following = served.run[len(got)].size if len(got) < len(served.run) else 0
        if served.got.tail and (
            served.got.tail >= following or not got or not served.got.tail_intact
        ):
            why = (
                f"partition {served.ask.partition}: expected at most the head of the next batch "
                "after a whole one"
            )
            return breaks(where, f"{why}, found {served.got.tail} bytes", "tail")
    return holds(where) if where else None


@what_is_returned_is_a_prefix.example(
    "a gzip batch of 100 records between two small ones, limits 3 and 102"
)
def _between() -> Scenario:
    log = Partition(((Batch(100, 2), Batch(180, 100, Codec.GZIP), Batch(100, 2)),))
    return ask_all(Layout((log,)), 3, 102)


@chapter.clause(
    "MXR-102",
    Strength.MUST,
    LimitClass.SOFT,
    FIELD,
    slug="max-records/limit/not-reached",
    fence=Fence("the limit", Unit.RECORDS, "all records that lie there, however they are counted"),
)
def a_limit_that_is_not_reached_changes_no_batch(turn: Turn) -> Held | None:
    """Let `n` be the sum, over the batches from each fetch offset on, of
    `max(records, last offset - base offset + 1)`: the most that they count under any reading. A
    Fetch with a limit at or above `n` returns the same whole batches of each partition as one
    without the limit.

    Only the head of a batch that a byte limit falls into may be missing, and with it what of the
    request's bytes it leaves to later partitions: a broker that walks from batch to batch has no
    head to send.
    """
    unlimited = turn.unlimited
    if turn.limit is None or not turn.plain or unlimited is None or not turn.fetched.with_data:
        return None
    most = sum(turn.most_of(served) for served in turn.fetched.with_data)
    if turn.limit < most:
        return None
    where = side(turn.limit, most)
    before = {got.partition: got for got in unlimited.partitions}
    for got in turn.fetched.answer.partitions:
        against = before.get(got.partition)
        if (
            against is not None
            and got.batches != against.batches
            and not _room_differs(turn, unlimited)
        ):
            why = (
                f"partition {got.partition}: expected {len(against.batches)} batches as without "
                f"the limit {turn.limit}"
            )
            return breaks(where, f"{why}, found {len(got.batches)}", "limit not reached, yet felt")
    return holds(where)


@a_limit_that_is_not_reached_changes_no_batch.example(
    "all that lies there counts 10, limits 9 to 11"
)
def _all() -> Scenario:
    return ask_all(Layout((_batches(1, 2, 3), _batches(4))), 9, 10, 11)


def _room_differs(turn: Turn, unlimited: FetchAnswer) -> bool:
    """Whether a missing head of a batch has left later partitions more bytes than they had."""
    return sum(got.tail for got in unlimited.partitions) != sum(
        got.tail for got in turn.fetched.answer.partitions
    )


@chapter.clause(
    "MXR-103",
    Strength.MUST,
    LimitClass.SOFT,
    COMPATIBLE,
    slug="max-records/field/absent",
)
def without_the_field_nothing_changes(turn: Turn) -> Held | None:
    """A Fetch of the draft's version that leaves the field out is answered as the same fetch of a
    version before it: with the same partitions, errors and batches, and as many bytes after the
    last batch.
    """
    fetch = turn.fetched.fetch
    if limit_in(fetch) is not None or not turn.plain or not turn.carries:
        return None
    today = next(
        (
            answer
            for before, answer in turn.earlier
            if before.version < fetch.version and limit_in(before) is None
        ),
        None,
    )
    if today is None:
        return None
    differs = _same(turn.fetched.answer, today)
    return (
        fails(f"expected the answer of Fetch v18 and before, found: {differs}", "changed")
        if differs
        else holds()
    )


@chapter.clause(
    "MXR-104",
    Strength.MUST,
    LimitClass.SOFT,
    FIELD,
    slug="max-records/limit/higher",
)
def a_higher_limit_returns_no_less(turn: Turn) -> Held | None:
    """Of two fetches that differ in their limits alone, the one with the higher limit returns no
    fewer batches of the first partition that has data.

    Later partitions may get less: what the first takes of the request's bytes is missing there.
    """
    first = _first(turn)
    if turn.limit is None or not turn.plain or first is None or first.got is None:
        return None
    arose = False
    for lower, answer in turn.with_less:
        before = next(
            (got for got in answer.partitions if got.partition == first.ask.partition), None
        )
        if before is None:
            continue
        arose = True
        if len(first.got.batches) < len(before.batches):
            why = (
                f"expected at least {len(before.batches)} batches under the limit {turn.limit}, as "
                f"under {lower}"
            )
            return fails(f"{why}, found {len(first.got.batches)}", "less under a higher limit")
    return holds() if arose else None


@a_limit_makes_no_error.example(
    "three batches of four records and two more in a second partition, limits 1, 6 and 20"
)
@without_the_field_nothing_changes.example(
    "the same, asked by Fetch v18 and by the draft's version without the field"
)
@a_higher_limit_returns_no_less.example("the same: the batches of partition 0 under rising limits")
def _fours() -> Scenario:
    return ask_all(Layout((_batches(4, 4, 4), _batches(4, 4))), 1, 6, 20)


@chapter.clause(
    "MXR-105",
    Strength.MUST,
    LimitClass.SOFT,
    FIELD,
    KIP(74),
    slug="max-records/limit/first-batch",
    fence=Fence("the limit", Unit.RECORDS, "the most that the first batch counts"),
)
def a_first_batch_within_the_limit_is_returned(turn: Turn) -> Held | None:
    """Where `max(records, last offset - base offset + 1)` of the first batch of the first partition
    with data is at or below the limit, that batch is returned whole.

    Whether a larger one is returned is a reading (`oversize`); that a consumer moves on here
    depends on none.
    """
    first = _first(turn)
    if turn.limit is None or not turn.plain or first is None:
        return None
    batch = first.run[0]
    most = max(batch.records, batch.last - batch.base + 1)
    where = side(turn.limit, most)
    if turn.limit < most:
        return None
    if first.size < batch.size:
        why = f"expected the first batch, {most} records at most, under the limit {turn.limit}"
        return breaks(
            where, f"{why}, found {first.size} of its {batch.size} bytes", "no first batch"
        )
    return holds(where)


@a_first_batch_within_the_limit_is_returned.example("a first batch of five records, limits 4 to 6")
def _five() -> Scenario:
    return ask_all(Layout((_batches(5, 1),)), 4, 5, 6)


@chapter.clause(
    "MXR-106",
    Strength.MUST,
    LimitClass.SOFT,
    BROKER,
    slug="max-records/limit/batches",
    fence=Fence("the limit", Unit.RECORDS, "the batches that a consumer can use"),
)
def no_more_batches_than_the_limit(turn: Turn) -> Held | None:
    """No partition returns more whole batches with records than the limit: each counts at least one
    in every reading.

    Uncompressed batches, those of lz4 and snappy, and those of other codecs count apart, as some
    reading has a limit for each. Control batches, batches without records and, to a read_committed
    fetch, aborted ones may count nothing.
    """
    if turn.limit is None or not turn.plain:
        return None
    where = NO_SIDE
    for served in turn.fetched.with_data:
        there = sum(bool(batch.records) and not batch.control for batch in served.run)
        where |= side(turn.limit, there)
        least = turn.least_of(served)
        if least > turn.limit:
            why = (
                f"partition {served.ask.partition}: expected at most {turn.limit} batches with "
                f"records under the limit {turn.limit}"
            )
            return breaks(where, f"{why}, found {least}", "over the limit")
    return holds(where) if where else None


@no_more_batches_than_the_limit.example(
    "five batches of one record, limits 4 to 6; a transaction's marker among them"
)
def _ones() -> Scenario:
    one = Batch(100, 1)
    log = Partition(((one, Batch(100, 1, txn=0), Marker(0, commit=True), one, one, one),))
    return ask_all(Layout((log,)), 4, 5, 6)


@chapter.clause(
    "MXR-107",
    Strength.MUST,
    LimitClass.SOFT,
    BROKER,
    KIP(74),
    slug="max-records/limit/bytes",
    fence=Fence("the request's limit of bytes", Unit.BYTES, "the bytes that lie there"),
)
def byte_limits_hold_beside_it(turn: Turn) -> Held | None:
    """The limits of bytes hold as without the field: at most `max(limit, first batch)`, for the
    request and for each partition.
    """
    if turn.limit is None or not turn.plain or not turn.fetched.with_data:
        return None
    answered = [served for served in turn.fetched.with_data if served.size]
    spare = answered[0].run[0].size if answered else 0
    limit = min(turn.fetched.fetch.max_bytes, turn.fetched.semantics.fetch_max_bytes)
    where = side(limit, sum(bytes_of(served.run) for served in turn.fetched.with_data))
    if turn.fetched.total > max(limit, spare):
        return breaks(
            where,
            f"expected at most {max(limit, spare)} bytes in all, found {turn.fetched.total}",
            "over max_bytes",
        )
    for served in answered:
        allowed = (
            max(served.ask.max_bytes, spare) if served is answered[0] else served.ask.max_bytes
        )
        if served.size > allowed:
            why = (
                f"partition {served.ask.partition}: expected at most {allowed} bytes, found "
                f"{served.size}"
            )
            return breaks(where, why, "over partition_max_bytes")
    return holds(where)


@byte_limits_hold_beside_it.example(
    "both limits: 450 bytes and three records, of batches of one record and 300 bytes"
)
def _both() -> Scenario:
    log = Partition(((Batch(300, 1), Batch(300, 1), Batch(300, 1)),))
    return ask_all(Layout((log, log)), 3, max_bytes=700, partition_max_bytes=450)


chapter.exclude(
    "MXR-120",
    Strength.MUST,
    LimitClass.EMERGENT,
    FIELD,
    slug="max-records/replication/followers",
    statement=(
        "A follower's fetch carries no limit of records, or one that does not slow replication."
    ),
    reason="one broker has no followers (MXR-A25)",
)
chapter.exclude(
    "MXR-121",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    FIELD,
    slug="max-records/limit/quota",
    statement="An answer that a quota empties does not count as one that reached the limit.",
    reason="no layout can show a quota (MXR-A26)",
)
chapter.exclude(
    "MXR-122",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    FIELD,
    slug="max-records/records/remote",
    statement="What lies in remote storage counts as what lies on disk.",
    reason="no layout has a remote part (MXR-A27)",
)


def ask_all(
    layout: Layout, *limits: int, max_bytes: int = INT32_MAX, partition_max_bytes: int = INT32_MAX
) -> Scenario:
    """All partitions from the start: by today's version, by the draft's without the field, and
    under each limit in turn.
    """
    parts = tuple(
        [FetchPartition(number, 0, partition_max_bytes) for number in range(len(layout.partitions))]
    )
    fetches = [
        Fetch(parts, max_bytes, version=version) for version in (DRAFT_VERSION - 2, DRAFT_VERSION)
    ]
    fetches += [
        Fetch(parts, max_bytes, version=DRAFT_VERSION, extra=limited_to(limit)) for limit in limits
    ]
    return Scenario(layout, tuple(fetches))


def _batches(*records: int, codec: Codec = Codec.NONE) -> Partition:
    return Partition((tuple([Batch(100, count, codec) for count in records]),))
