"""What Apache Kafka does to the byte, where the promise leaves room: legal to do otherwise, but a
user will notice.
"""

from spec.clause import KIP, Chapter, Code, Held, Reading, Report, breaks, fails, holds
from spec.fence import Fence, Unit
from spec.fetch.model.read import Read
from spec.fetch.releases import Crossing, FetchSemantics
from spec.fetch.steps import Fetch, FetchPartition
from spec.fetch.turn import PLAIN, Served, Turn, plain, plain_with_later_data
from spec.in_words import in_words
from spec.kafka import Error, error_name
from spec.layout import Batch, Layout, Partition
from spec.scenario import Scenario
from spec.semantics import decision_change
from spec.verdict import NO_SIDE, LimitClass, Strength, side

chapter: Chapter[Turn] = Chapter()
compared = chapter.under(plain, PLAIN)
shared = chapter.under(plain_with_later_data, PLAIN)

READ_PATH = Code("LogSegment.java", "431-459")
SHARING = Code("ReplicaManager.scala", "1759-1770,1875-1891")


def _takes_negative_for_zero(turn: Turn) -> bool:
    """Whether some partition was given data and none failed unexpectedly."""
    parts = turn.answer.partitions
    return any(got.size for got in parts) and all(
        got.error != Error.UNKNOWN_SERVER_ERROR for got in parts
    )


def _tail_of(served: Served, read: Read) -> int:
    return read.size - (served.fences[read.whole - 1] if read.whole else 0)


@chapter.clause(
    "FET-010",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("LogSegment.java", "432-433"),
    Code("ReplicaManager.scala", "1854-1872"),
    slug="fetch/limit/negative",
    fence=Fence("the smaller of the partition's and the request's limit", Unit.BYTES, "0"),
)
def negative_limits_fail_where_there_is_data(turn: Turn) -> Held | None:
    """A partition that has something to read fails with UNKNOWN_SERVER_ERROR, which FET-071
    forbids, or with a defined error, and returns no bytes, if its own limit is below 0, or if the
    request's is and it is the first that is served. The others of a request whose limit is below 0
    are served without an error as if 0 bytes were left: one of them may return its first batch. An
    answer in which some partition has data and none UNKNOWN_SERVER_ERROR conforms too, if no
    partition under such a limit returns more than its first batch: the limit is taken for 0.

    A limit of 0 is legal and means one batch (FET-004). An answer with a top-level error conforms.
    """
    where = NO_SIDE
    if not turn.is_answered or turn.answer.error or turn.fetch.isolation not in {0, 1}:
        return None
    as_zero = turn.has_negative_limit and _takes_negative_for_zero(turn)
    for served, _, got in turn.located:
        if served.fault:
            continue
        limit = served.limit
        where |= side(limit, 0)
        if limit >= 0:
            continue
        read = turn.reads[served.ask.partition]
        if as_zero and got.error == Error.NONE:
            if served.size > (served.run[0].size if served.run else 0):
                return breaks(
                    where,
                    f"negative limit: expected at most one batch, found {served.size} bytes",
                    "bytes after a negative limit",
                )
            continue
        refused = read.error != Error.NONE and got.error > Error.NONE
        if got.error != read.error and not refused:
            why = f"limit {limit}: expected {error_name(read.error)}"
            return breaks(where, f"{why}, found {error_name(got.error)}", "negative limit")
        if served.size != read.size:
            return breaks(
                where,
                f"expected {read.size} bytes next to a failed partition, found {served.size}",
                "bytes after a negative limit",
            )
    return holds(where) if where else None


@negative_limits_fail_where_there_is_data.example("two partitions, request limit -1")
def _negative() -> Scenario:
    log = Partition(((Batch(100), Batch(200)),))
    return Scenario(
        Layout((log, log)), (Fetch((FetchPartition(0, 0), FetchPartition(1, 0)), max_bytes=-1),)
    )


@compared.clause(
    "FET-101",
    Strength.REFERENCE,
    LimitClass.SOFT,
    READ_PATH,
    KIP(74),
    slug="fetch/limit/first-partition-filled",
    fence=Fence(
        "the smaller of the two limits",
        Unit.BYTES,
        "the nearest partial sum of the partition's batches",
    ),
)
def the_first_partition_is_filled_to_its_limit(turn: Turn) -> Held | None:
    """The first partition with data returns as many whole batches, from its fetch offset on, as fit
    into `min(partition_max_bytes, max_bytes, fetch.max.bytes)` bytes, at least one, up to the end
    of its segment and of what may be read.

    For a client with a quota `fetch.max.bytes` is, here and below, not above what FET-017 lets
    through.
    """
    if not turn.compared_partitions:
        return None
    served, read, _ = turn.compared_partitions[0]
    where = served.limit_side
    if served.whole != read.whole:
        return breaks(
            where,
            f"expected {read.whole} whole batches, found {served.whole}",
            "fewer batches" if served.whole < read.whole else "more batches",
        )
    return holds(where)


@the_first_partition_is_filled_to_its_limit.example(
    "batches of 100, 200, 300 bytes, limit 300: two whole"
)
def _filled_example() -> Scenario:
    return Scenario(
        Layout((Partition(((Batch(100), Batch(200), Batch(300)),)),)),
        (Fetch((FetchPartition(0, 0, 300),)),),
    )


@the_first_partition_is_filled_to_its_limit.example(
    "batches of 70000 and twice 600000 bytes, ample limits: all of them, past 64 KiB and 1 MiB"
)
def _large() -> Scenario:
    return Scenario(
        Layout((Partition(((Batch(70_000), Batch(600_000), Batch(600_000)),)),)),
        (Fetch((FetchPartition(0, 0),)),),
    )


@shared.clause(
    "FET-104",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    SHARING,
    KIP(74),
    slug="fetch/limit/later-batch-left-out",
    fence=Fence("what is left to a later partition", Unit.BYTES, "its first batch"),
)
def a_later_batch_that_does_not_fit_is_left_out(turn: Turn) -> Held | None:
    """Behind a partition that returned bytes, a partition with data returns nothing if and only if
    its first batch is larger than `min(partition_max_bytes, r)` bytes, where `r` is what the
    partitions before it left of the request's limit (and of the broker's).
    """
    if len(turn.compared_partitions) < 2:
        return None
    where = NO_SIDE
    seen = False
    for served, read, left in turn.compared_partitions:
        if seen:
            room = min(served.ask.max_bytes, left)
            where |= side(room, served.run[0].size)
            if (served.size == 0) != (read.size == 0):
                why = (
                    f"partition {served.ask.partition}: first batch {served.run[0].size} bytes, "
                    f"room for {room}"
                )
                return breaks(
                    where,
                    f"{why}: expected {read.size} bytes, found {served.size}",
                    "left out" if not served.size else "served",
                )
        seen = seen or served.size > 0
    return holds(where) if where else None


@a_later_batch_that_does_not_fit_is_left_out.example(
    "three partitions of 5x100 bytes, limits 100, 50, 100, request limit 300"
)
def _left_out() -> Scenario:
    return _three(100, 50, 100, 300)


@shared.clause(
    "FET-103",
    Strength.REFERENCE,
    LimitClass.SOFT,
    SHARING,
    KIP(74),
    slug="fetch/limit/later-partitions",
    fence=Fence(
        "a later partition's limit", Unit.BYTES, "what the ones before left of the request's limit"
    ),
)
def later_partitions_share_what_is_left(turn: Turn) -> Held | None:
    """A later partition that returns bytes returns every whole batch that fits into
    `min(partition_max_bytes, r)`, where `r` is what the partitions before it left of the request's
    limit (and of the broker's), up to the end of its segment and of what may be read.
    """
    where = NO_SIDE
    for served, read, left in turn.compared_partitions[1:]:
        if served.size and read.size:
            where |= side(served.ask.max_bytes, left)
            if served.whole != read.whole:
                why = (
                    f"partition {served.ask.partition}, {left} bytes left: expected {read.whole} "
                    "whole batches"
                )
                return breaks(
                    where,
                    f"{why}, found {served.whole}",
                    "fewer batches" if served.whole < read.whole else "more batches",
                )
    return holds(where) if where else None


@later_partitions_share_what_is_left.example(
    "three partitions of 5x100 bytes, no limit of their own, request limit 650"
)
def _shared_example() -> Scenario:
    return _three(1000, 1000, 1000, 650)


@compared.clause(
    "FET-102",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    Code("LogSegment.java", "455-458"),
    Report("influxdata/rskafka#73"),
    slug="fetch/limit/cut",
    fence=Fence(
        "the smaller of the two limits",
        Unit.BYTES,
        "the nearest partial sum of the partition's batches",
    ),
    readings=(
        Reading(
            "cut",
            "'At most' is filled to the byte: of the batch that the limit falls into, the first "
            "bytes are sent.",
            decision_change(FetchSemantics, crossing=Crossing.CUT),
        ),
        Reading(
            "left_out",
            "'At most' is filled with whole batches: one that the limit falls into is left out.",
            decision_change(FetchSemantics, crossing=Crossing.LEFT_OUT),
        ),
    ),
)
def the_batch_at_the_limit_is_cut(turn: Turn) -> Held | None:
    """After at least one whole batch, of the first batch that does not fit into the smaller of the
    partition's limit and what is left of the request's (and of the broker's), the first bytes are
    returned up to that limit, even inside the batch's 12-byte prefix: the limit is filled exactly.
    A batch of another segment, or past what may be read, is not cut but left out.

    A broker that leaves the batch out deviates from Apache Kafka, and keeps its promise; clients
    take both.
    """
    where = NO_SIDE
    for served, read, _ in turn.compared_partitions:
        if not served.size or not read.size or served.whole != read.whole:
            continue
        where |= served.limit_side
        if served.tail != _tail_of(served, read):
            why = (
                f"partition {served.ask.partition}: expected {_tail_of(served, read)} bytes of the "
                "next batch"
            )
            return breaks(where, f"{why}, found {served.tail}", "batch at the limit")
    return holds(where) if where else None


@the_batch_at_the_limit_is_cut.fits
def crossing_fits(turn: Turn) -> dict[str, bool]:
    """For each reading of FET-102, whether the turn fits it; empty where the readings do not
    differ.
    """
    for served, read, _ in turn.compared_partitions if turn.plain else ():
        if read.size and served.size and served.whole == read.whole and _tail_of(served, read):
            return {"cut": served.tail == _tail_of(served, read), "left_out": not served.tail}
    return {}


@the_batch_at_the_limit_is_cut.example(
    "five batches of 1000 bytes, limit 2500: two whole, and 500 bytes of the third"
)
def _crossing() -> Scenario:
    return Scenario(
        Layout((Partition(((Batch(1000),) * 5,)),)),
        (Fetch((FetchPartition(0, 0),), max_bytes=2500),),
    )


@compared.clause(
    "FET-009",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    Code("FetchRequest.java", "395-420"),
    slug="fetch/order/named-twice",
)
def a_partition_named_twice_counts_once(turn: Turn) -> Held | None:
    """Outside of an incremental session, a partition that a request names more than once is
    answered once, in the place of its first mention, by the fetch offset and the limit of its last
    one.
    """
    if not turn.is_in_request_order:
        return None
    numbers = [part.partition for part in turn.fetch.partitions]
    if len(set(numbers)) == len(numbers):
        return None
    answered = [got.partition for got in turn.answer.partitions]
    if len(set(answered)) != len(answered):
        return fails(f"expected each partition once, found {in_words(answered)}", "answered twice")
    if not turn.admission.by_last:
        return fails(
            "expected the place of the first mention and what the last one says, found it "
            "otherwise",
            "first mention",
        )
    for served, read, _ in turn.compared_partitions:
        if (
            numbers.count(served.ask.partition) > 1
            and served.got is not None
            and served.got.batches
        ):
            base = served.run[0].base
            if served.got.batches[0].base != base or served.size != read.size:
                why = f"expected {read.size} bytes from {base}, as the last mention says"
                return fails(
                    f"{why}, found {served.size} from {served.got.batches[0].base}",
                    "first mention",
                )
    return holds()


@a_partition_named_twice_counts_once.example("offset 0, then offset 1 of the same partition")
def _twice() -> Scenario:
    log = Partition(((Batch(100), Batch(200)),))
    asks = (FetchPartition(0, 0), FetchPartition(1, 0), FetchPartition(0, 1))
    return Scenario(Layout((log, log)), (Fetch(asks),))


def _three(first: int, second: int, third: int, limit: int) -> Scenario:
    log = Partition(((Batch(100),) * 5,))
    asks = (FetchPartition(0, 0, first), FetchPartition(1, 0, second), FetchPartition(2, 0, third))
    return Scenario(Layout((log, log, log)), (Fetch(asks, max_bytes=limit),))
