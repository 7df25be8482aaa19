"""Where a read starts, what it may return, and where it ends."""

from collections.abc import Sequence

from spec.clause import KIP, Chapter, Code, Doc, Held, breaks, fails, holds
from spec.fence import Fence, Unit
from spec.fetch.examples import ask_of, batches
from spec.fetch.outcomes import PartitionAnswer
from spec.fetch.steps import Fetch, FetchPartition
from spec.fetch.turn import PLAIN, Turn, plain
from spec.in_words import in_words
from spec.kafka import Error, error_name
from spec.layout import Batch, Layout, Partition
from spec.log import Log
from spec.scenario import Scenario
from spec.verdict import ABOVE, AT, BELOW, NO_SIDE, LimitClass, Strength, side

chapter: Chapter[Turn] = Chapter(when=plain, stated=PLAIN)
GUIDE = Doc("protocol guide, Fetch API and error codes")
OUT_OF_RANGE = Error.OFFSET_OUT_OF_RANGE
REPORTED = ("high watermark", "last stable offset", "log start offset")


@chapter.clause(
    "FET-021",
    Strength.MUST,
    LimitClass.EMERGENT,
    GUIDE,
    Code("UnifiedLog.java", "1632-1637"),
    Code("LocalLog.java", "478-481"),
    slug="fetch/position/log-start",
    fence=Fence("the fetch offset", Unit.OFFSETS, "the log start offset"),
)
def below_log_start_is_out_of_range(turn: Turn) -> Held | None:
    """A fetch offset below the log start offset is answered with OFFSET_OUT_OF_RANGE and no
    records. One from the log start offset to the log end offset is not answered with that error.
    Negative offsets are below it too: -1 and -2, special values of ListOffsets, mean nothing here.
    """
    where = NO_SIDE
    for served, log, got in turn.located:
        if served.ask.offset > log.end:
            continue
        at = side(served.ask.offset, log.start)
        where |= at
        error = got.error
        if at is BELOW and (error != OUT_OF_RANGE or served.size):
            why = (
                f"offset {served.ask.offset} below log start {log.start}: expected "
                f"OFFSET_OUT_OF_RANGE, found {error_name(error)}"
            )
            return breaks(where, f"{why} and {served.size} bytes", "served below log start")
        if at is not BELOW and error == OUT_OF_RANGE:
            why = (
                f"offset {served.ask.offset} is in range ({log.start} to {log.end}), found "
                "OFFSET_OUT_OF_RANGE"
            )
            return breaks(where, why, "in range refused")
    return holds(where) if where else None


@below_log_start_is_out_of_range.example("log start 1, asked for at 0")
def _below_start() -> Scenario:
    return Scenario(
        Layout((Partition(((Batch(100), Batch(200)),), log_start=1),)),
        (Fetch((FetchPartition(0, 0),)),),
    )


@chapter.clause(
    "FET-020",
    Strength.MUST,
    LimitClass.EMERGENT,
    GUIDE,
    Code("UnifiedLog.java", "1632-1637"),
    slug="fetch/position/log-end",
    fence=Fence("the fetch offset", Unit.OFFSETS, "the log end offset"),
)
def end_offset_is_the_fence(turn: Turn) -> Held | None:
    """A fetch offset at the log end offset is answered with error 0 and no records, one above it
    with OFFSET_OUT_OF_RANGE and no records. One immediately below the end is answered with error 0.
    """
    where = NO_SIDE
    for served, log, got in turn.located:
        if served.ask.offset < log.start or served.ask.offset < log.end - 1:
            continue
        at = side(served.ask.offset, log.end)
        where |= at
        error = got.error
        expected = OUT_OF_RANGE if at is ABOVE else 0
        if error != expected:
            why = (
                f"offset {served.ask.offset}, end {log.end}: expected {error_name(expected)}, "
                f"found {error_name(error)}"
            )
            return breaks(where, why, f"{at.names[0]} the end")
        if at is not BELOW and served.size:
            return breaks(
                where,
                f"offset {served.ask.offset}, end {log.end}: expected no data, found "
                f"{served.size} bytes",
                "data at the end",
            )
    return holds(where) if where else None


@end_offset_is_the_fence.example("three batches, asked for at the end offset 3")
def _at_end() -> Scenario:
    return Scenario(
        Layout((Partition(((Batch(100), Batch(200), Batch(300)),)),)),
        (Fetch((FetchPartition(0, 3),)),),
    )


@chapter.clause(
    "FET-120",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    Code("FetchResponse.java", "recordsOrFail"),
    slug="fetch/records/empty",
)
def no_data_is_empty_not_null(turn: Turn) -> Held | None:
    """A partition that exists and is answered with 0 bytes of records has an empty records field,
    not a null one, where its fetch offset alone decides if it can be read: its leader epoch is
    current, or none is named.

    The protocol guide lets it be null, and clients take both.
    """
    arose = False
    for served, _, got in turn.located:
        if served.size:
            continue
        arose = True
        if got.null_records:
            return fails(
                f"partition {served.ask.partition}: expected empty records, found null",
                "null records",
            )
    return holds() if arose else None


@no_data_is_empty_not_null.example("an empty partition, asked for at its end")
def _nothing_there() -> Scenario:
    return Scenario(Layout((Partition(),)), (Fetch((FetchPartition(0, 0),)),))


@chapter.clause(
    "FET-121",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("ReplicaManager.scala", "1854-1872,1954"),
    slug="fetch/position/out-of-range-offsets",
)
def out_of_range_names_no_offsets(turn: Turn) -> Held | None:
    """A partition with OFFSET_OUT_OF_RANGE has high watermark, last stable offset and log start
    offset -1.
    """
    arose = False
    for _, _, got in turn.located if turn.failed_partitions else ():
        if got.error == OUT_OF_RANGE:
            arose = True
            found = got.high_watermark, got.last_stable_offset, got.log_start_offset
            if found != (None, None, None):
                return fails(
                    f"expected -1 for all three offsets, found {in_words(found)} (none for -1)",
                    "offsets with an error",
                )
    return holds() if arose else None


@out_of_range_names_no_offsets.example("one batch, asked for at offset 5")
def _past_end() -> Scenario:
    return ask_of((batches(100),), Fetch((FetchPartition(0, 5),)))


@chapter.clause(
    "FET-072",
    Strength.MUST,
    LimitClass.EMERGENT,
    GUIDE,
    KIP(98),
    KIP(107),
    slug="fetch/answer/offsets",
)
def offsets_are_reported(turn: Turn) -> Held | None:
    """A partition that is answered with error 0 reports its offsets, each as it was when it was
    read or immediately before: the high watermark, the last stable offset and, from v5 on, the log
    start offset. With one replica the high watermark is the log end offset. The last stable offset
    is the first offset of the oldest open transaction, the high watermark where none is open.

    Where the log start passed the first offset of an open transaction, FET-172 says what is
    reported.
    """
    arose = False
    for served, read, got in turn.located:
        if got.error:
            continue
        arose = True
        found = got.high_watermark, got.last_stable_offset, got.log_start_offset
        if found == read.reported:
            continue
        moments = [_reported_offsets(log, turn.fetch, got) for log in served.moments]
        for name, value, possible in zip(REPORTED, found, zip(*moments, strict=True), strict=True):
            if value not in possible:
                expected = " or ".join(map(str, dict.fromkeys(possible)))
                return fails(
                    f"partition {served.ask.partition}: expected {name} {expected}, found "
                    f"{in_words(value)}",
                    name,
                )
    return holds() if arose else None


def _reported_offsets(
    log: Log, fetch: Fetch, got: PartitionAnswer
) -> tuple[int | None, int | None, int | None]:
    """The offsets to report of a log; what was answered, where the clause says nothing."""
    return (
        log.end,
        log.stable if log.undecided >= log.start else got.last_stable_offset,
        log.start if fetch.version >= 5 else got.log_start_offset,
    )


@offsets_are_reported.example("log start 1, an open transaction from 2 on, and one batch behind it")
def _three_offsets() -> Scenario:
    log = Partition(((Batch(100), Batch(100), Batch(100, txn=0), Batch(100)),), log_start=1)
    return ask_of((log,), Fetch((FetchPartition(0, 1),)))


@chapter.clause(
    "FET-172",
    Strength.MUST,
    LimitClass.EMERGENT,
    KIP(98),
    KIP(107),
    Code("UnifiedLog.java", "maybeIncrementFirstUnstableOffset"),
    slug="fetch/answer/last-stable-offset",
    fence=Fence(
        "the log start offset",
        Unit.OFFSETS,
        "the first offset of the oldest open transaction",
        meaning="at is a log start at a batch's base past it, above one inside a batch",
    ),
)
def last_stable_offset_is_not_below_the_log_start(turn: Turn) -> Held | None:
    """Where DeleteRecords moved the log start offset past the first offset of an open transaction,
    the last stable offset that is reported is the log start offset, not one below it.

    What lies below the log start offset can't be read, so nothing below it is stable or unstable.
    """
    where = NO_SIDE
    for served, _, got in turn.located:
        log = served.moments[0]
        if log.undecided == log.end or got.error or _nothing_is_open(served.moments):
            continue
        number = log.batch_number(log.start)
        inside = number < len(log.batches) and log.batches[number].base < log.start
        where |= BELOW if log.start <= log.undecided else ABOVE if inside else AT
        starts = [one.start for one in served.moments]
        if log.start > log.undecided and got.last_stable_offset not in starts:
            return breaks(
                where,
                f"log start {log.start}: expected that last stable offset, found "
                f"{in_words(got.last_stable_offset)}",
                "below log start",
            )
    return holds(where) if where else None


def _nothing_is_open(moments: Sequence[Log]) -> bool:
    """Whether at some moment no transaction was open."""
    return True in [log.undecided == log.end for log in moments]


@last_stable_offset_is_not_below_the_log_start.example(
    "a transaction is open from offset 0 on, and the log start is 2, where a batch begins"
)
def _start_past_transaction() -> Scenario:
    log = Partition(((Batch(100, txn=0), Batch(100, txn=0), Batch(100)),), log_start=2)
    return ask_of((log,), Fetch((FetchPartition(0, 2),)))


@chapter.clause(
    "FET-011",
    Strength.MUST,
    LimitClass.EMERGENT,
    KIP(98),
    Code("FileRecords.java", "313-343"),
    slug="fetch/records/from-batch-base",
    fence=Fence(
        "the fetch offset",
        Unit.OFFSETS,
        "the base offset of the batch that holds it",
        meaning="below is its last record, next to the following base",
    ),
)
def a_batch_is_returned_from_its_base(turn: Turn) -> Held | None:
    """Where the fetch offset lies in a batch that has records, the first batch returned is that
    one, from its base offset on. Records of it below the fetch offset are the client's to skip.
    """
    where = NO_SIDE
    for served, got in turn.answered_with_data:
        if not got.batches:
            continue
        stored, offset = served.run[0], served.ask.offset
        if offset < stored.base or not stored.records:
            continue
        where |= side(offset, stored.base)
        if offset == stored.last and offset > stored.base:
            where |= BELOW
        first = got.batches[0]
        if first.base != stored.base:
            why = (
                f"offset {offset} lies in the batch {stored.base}-{stored.last}: expected it "
                f"first, found {first.base}-{first.last}"
            )
            return breaks(where, why, "batch skipped" if first.base > offset else "earlier batch")
    return holds(where) if where else None


@a_batch_is_returned_from_its_base.example("batches 0-4 and 5-7, asked for at 3 with limit 1")
def _inside() -> Scenario:
    return Scenario(
        Layout((Partition(((Batch(150, 5), Batch(120, 3)),)),)),
        (Fetch((FetchPartition(0, 3, 1),)),),
    )


@chapter.clause(
    "FET-070",
    Strength.MUST,
    LimitClass.EMERGENT,
    KIP(98),
    KIP(74),
    GUIDE,
    slug="fetch/records/run-of-the-log",
    fence=Fence(
        "the partition's limit",
        Unit.BYTES,
        "the bytes from the fetch offset to the end of the segment or of what may be read",
    ),
)
def records_are_a_run_of_the_log(turn: Turn) -> Held | None:
    """The batches returned are batches of the log as they are stored: the same base and last
    offset, size, number of records and bytes; each is followed by the one behind it in the log, and
    none between is left out but those that compaction emptied. Bytes behind the last whole batch
    are the first bytes of the next batch that is returned, fewer than it has.
    """
    where = NO_SIDE
    for served in turn.served:
        if served.log is None or served.got is None or not served.got.batches:
            continue
        where |= side(served.ask.max_bytes, served.there)
        if why := _broken_run(served.got, served.log):
            return breaks(where, f"partition {served.ask.partition}: {why}", why.split(":")[0])
    return holds(where) if where else None


@records_are_a_run_of_the_log.example("three batches, the third cut")
def _run() -> Scenario:
    return Scenario(
        Layout((Partition(((Batch(100), Batch(200), Batch(300)),)),)),
        (Fetch((FetchPartition(0, 0, 450),)),),
    )


def _broken_run(got: PartitionAnswer, log: Log) -> str:
    number = log.batch_number(got.batches[0].base)
    for seen in got.batches:
        if number >= len(log.batches):
            return f"batch that is not in the log: {seen.base}-{seen.last}"
        stored = log.batches[number]
        while not stored.records and seen.base > stored.last and number + 1 < len(log.batches):
            number += 1
            stored = log.batches[number]
        if seen.base != stored.base or seen.last != stored.last:
            return (
                f"batch out of order: expected {stored.base}-{stored.last}, found "
                f"{seen.base}-{seen.last}"
            )
        if seen.size != stored.size or seen.records != stored.records or not seen.intact:
            return (
                f"batch altered: {stored.base}-{stored.last} of {stored.size} bytes is not what "
                "was stored"
            )
        number += 1
    if got.tail and (got.tail >= _size_of_next(log, number) or not got.tail_intact):
        return f"tail altered: {got.tail} bytes that are not the head of the next batch"
    return ""


def _size_of_next(log: Log, number: int) -> int:
    """The size of the batch that may be cut: the next one, or the next that has records where what
    compaction emptied is left out; 0 where there is none.
    """
    sizes = [0]
    for batch in log.batches[number:]:
        sizes.append(batch.size)
        if batch.records:
            break
    return max(sizes)


@chapter.clause(
    "FET-013",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    Code("LocalLog.java", "488-513"),
    slug="fetch/records/segment-end",
    fence=Fence("the smaller of the two limits", Unit.BYTES, "the bytes to the end of the segment"),
)
def a_read_ends_with_its_segment(turn: Turn) -> Held | None:
    """One answer returns no bytes of a partition from another segment than that of its first batch:
    at most the bytes from there to the end of the segment, whatever the limits.
    """
    where = NO_SIDE
    for served, _, _ in turn.located:
        if not served.ends_early:
            continue
        there = served.there
        where |= side(served.limit, there)
        if served.size > there:
            return breaks(
                where,
                f"expected at most the {there} bytes to the segment's end, found {served.size}",
                "segment crossed",
            )
    return holds(where) if where else None


@a_read_ends_with_its_segment.example("three segments of 300 bytes, asked for at 1 with limit 1000")
def _segments() -> Scenario:
    segment = (Batch(100), Batch(100), Batch(100))
    return Scenario(
        Layout((Partition((segment, segment, segment[:2])),)),
        (Fetch((FetchPartition(0, 1, 1000),)),),
    )


@chapter.clause(
    "FET-012",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    KIP(107),
    Code("LogSegment.java", "431-459"),
    slug="fetch/records/deleted-in-batch",
    fence=Fence("the fetch offset", Unit.OFFSETS, "a log start offset inside a batch"),
)
def deleted_records_in_a_kept_batch_are_sent(turn: Turn) -> Held | None:
    """Where the log start offset lies inside a batch, a fetch from there to the batch's last offset
    returns that batch whole, from its base offset on, records below the log start included.
    """
    where = NO_SIDE
    for served, log, got in turn.located:
        if not log.start:
            continue
        number = log.batch_number(log.start)
        if number >= len(log.batches):
            continue
        stored = log.batches[number]
        if (
            not (stored.base < log.start <= stored.last)
            or not log.start - 1 <= served.ask.offset <= stored.last
        ):
            continue
        at = side(served.ask.offset, log.start)
        where |= at
        first = got.batches[0].base if got.batches else None
        if at is not BELOW and first is not None and first != stored.base:
            return breaks(
                where,
                f"expected the batch from {stored.base}, found one from {first}",
                "kept batch",
            )
    return holds(where) if where else None


@deleted_records_in_a_kept_batch_are_sent.example("DeleteRecords to 3 inside the batch 0-4")
def _kept_example() -> Scenario:
    return Scenario(
        Layout((Partition(((Batch(150, 5),),), log_start=3),)), (Fetch((FetchPartition(0, 3),)),)
    )
