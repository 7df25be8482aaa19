"""Where a read starts, what it may return, and where it ends."""

from spec.clause import KIP, Chapter, Code, Doc, Held, Report, breaks, fails, holds
from spec.fence import Fence, Unit
from spec.fetch.steps import Fetch, FetchPartition
from spec.fetch.turn import Served, Turn, plain
from spec.kafka import Error, error_name
from spec.layout import Batch, Layout, Partition
from spec.log import Log
from spec.scenario import Scenario
from spec.verdict import LimitClass, Side, Strength, side

chapter: Chapter[Turn] = Chapter(when=plain)
GUIDE = Doc("protocol guide, Fetch API and error codes")


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
    """A fetch below the log start offset is OFFSET_OUT_OF_RANGE; at it and above it is not.

    The special values of ListOffsets (-1, -2) mean nothing here.
    """
    where = Side.NONE
    for served, log, got in turn.located:
        if served.ask.offset > log.end:
            continue
        at = side(served.ask.offset, log.start)
        where |= at
        error = got.error
        if at is Side.BELOW and (error != Error.OFFSET_OUT_OF_RANGE or served.size):
            why = (
                f"offset {served.ask.offset} below log start {log.start}: expected "
                f"OFFSET_OUT_OF_RANGE, found {error_name(error)}"
            )
            return breaks(where, f"{why} and {served.size} bytes", "served below log start")
        if at is not Side.BELOW and error == Error.OFFSET_OUT_OF_RANGE:
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
    """A fetch at the log end offset is answered without error and without data; one past it is
    OFFSET_OUT_OF_RANGE.
    """
    where = Side.NONE
    for served, log, got in turn.located:
        if served.ask.offset < max(log.start, log.end - 1):
            continue
        at = side(served.ask.offset, log.end)
        where |= at
        error = got.error
        expected = Error.OFFSET_OUT_OF_RANGE if at is Side.ABOVE else Error.NONE
        if error != expected:
            why = (
                f"offset {served.ask.offset}, end {log.end}: expected {error_name(expected)}, "
                f"found {error_name(error)}"
            )
            return breaks(where, why, f"{at.names[0]} the end")
        if at is not Side.BELOW and served.size:
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
    """Records are empty, not null, where there are none; the protocol guide lets them be null, and
    clients take both.
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
    """With OFFSET_OUT_OF_RANGE, high watermark, last stable offset and log start offset are all
    -1.
    """
    arose = False
    for _, _, got in turn.located:
        if got.error == Error.OFFSET_OUT_OF_RANGE:
            arose = True
            if (got.high_watermark, got.last_stable_offset, got.log_start_offset) != (
                None,
                None,
                None,
            ):
                return fails(
                    f"expected -1 for all three, found {got.high_watermark}, "
                    f"{got.last_stable_offset}, {got.log_start_offset}",
                    "offsets with an error",
                )
    return holds() if arose else None


@chapter.clause(
    "FET-072",
    Strength.MUST,
    LimitClass.EMERGENT,
    GUIDE,
    KIP(98),
    KIP(107),
    slug="fetch/answer/offsets",
)
def offsets_are_told(turn: Turn) -> Held | None:
    """An answered partition tells its high watermark, last stable offset and (v5+) log start offset
    as they are.
    """
    arose = False
    for served, read, got in turn.located:
        if got.error:
            continue
        log = served.reported or read
        arose = True
        for name, expected, found in (
            ("high watermark", log.end, got.high_watermark),
            (
                "last stable offset",
                log.stable if log.undecided >= log.start else got.last_stable_offset,
                got.last_stable_offset,
            ),
            (
                "log start offset",
                log.start if turn.fetch.version >= 5 else got.log_start_offset,
                got.log_start_offset,
            ),
        ):
            if expected != found:
                return fails(
                    f"partition {served.ask.partition}: expected {name} {expected}, found {found}",
                    name,
                )
    return holds() if arose else None


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
    """Where DeleteRecords passed an open transaction's first offset, the last stable offset is the
    log start.
    """
    where = Side.NONE
    for served, read, got in turn.located:
        log = served.reported or read
        if got.error or log.undecided == log.end:
            continue
        number = log.holder(log.start)
        inside = number < len(log.batches) and log.batches[number].base < log.start
        where |= Side.BELOW if log.start <= log.undecided else Side.ABOVE if inside else Side.AT
        if log.start > log.undecided and got.last_stable_offset != log.start:
            return breaks(
                where,
                f"log start {log.start}: expected that last stable offset, found "
                f"{got.last_stable_offset}",
                "below log start",
            )
    return holds(where) if where else None


@chapter.clause(
    "FET-011",
    Strength.MUST,
    LimitClass.EMERGENT,
    KIP(98),
    Code("FileRecords.java", "313-343"),
    Report("tansu franz-go findings"),
    slug="fetch/records/from-batch-base",
    fence=Fence(
        "the fetch offset",
        Unit.OFFSETS,
        "the base offset of the batch that holds it",
        meaning="below is its last record, next to the following base",
    ),
)
def a_batch_is_returned_from_its_base(turn: Turn) -> Held | None:
    """Records start with the batch that holds the fetch offset, whole; records before the offset
    are the client's to skip.
    """
    where = Side.NONE
    for served in turn.with_data:
        if served.got is None or not served.got.batches:
            continue
        holder, offset = served.run[0], served.ask.offset
        if offset < holder.base or not holder.records:
            continue
        where |= side(offset, holder.base) | (
            Side.BELOW if offset == holder.last and offset > holder.base else Side.NONE
        )
        first = served.got.batches[0]
        if first.base != holder.base:
            why = (
                f"offset {offset} lies in the batch {holder.base}-{holder.last}: expected it "
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
    """Records are the log's own batches: in order, none left out, none altered, the cut one at the
    end included.
    """
    where = Side.NONE
    for served in turn.served:
        if served.log is None or served.got is None or not served.got.batches:
            continue
        where |= side(served.ask.max_bytes, served.there)
        why = _broken_run(served, served.log)
        if why:
            return breaks(where, f"partition {served.ask.partition}: {why}", why.split(":")[0])
    return holds(where) if where else None


@records_are_a_run_of_the_log.example("three batches, the third cut")
def _run() -> Scenario:
    return Scenario(
        Layout((Partition(((Batch(100), Batch(200), Batch(300)),)),)),
        (Fetch((FetchPartition(0, 0, 450),)),),
    )


def _broken_run(served: Served, log: Log) -> str:
    got = served.got
    if got is None:
        return ""
    number = log.holder(got.batches[0].base)
    for seen in got.batches:
        if number >= len(log.batches):
            return f"batch that is not in the log: {seen.base}-{seen.last}"
        stored = log.batches[number]
        if not stored.records and seen.base > stored.last and number + 1 < len(log.batches):
            number += 1
            stored = log.batches[number]
        if (seen.base, seen.last) != (stored.base, stored.last):
            return (
                f"batch out of order: expected {stored.base}-{stored.last}, found "
                f"{seen.base}-{seen.last}"
            )
        if (seen.size, seen.records) != (stored.size, stored.records) or not seen.intact:
            return (
                f"batch altered: {stored.base}-{stored.last} of {stored.size} bytes is not what "
                "was stored"
            )
        number += 1
    if got.tail and (
        number >= len(log.batches) or got.tail >= log.batches[number].size or not got.tail_intact
    ):
        return f"tail altered: {got.tail} bytes that are not the head of the next batch"
    return ""


@chapter.clause(
    "FET-013",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    Code("LocalLog.java", "488-513"),
    slug="fetch/records/segment-end",
    fence=Fence("the smaller of the two limits", Unit.BYTES, "the bytes to the end of the segment"),
)
def a_read_ends_with_its_segment(turn: Turn) -> Held | None:
    """One read never crosses a segment's end, whatever the limits."""
    where = Side.NONE
    for served, log, _ in turn.located:
        if not served.run:
            continue
        behind = log.holder(served.run[-1].last + 1)
        if behind >= len(log.batches) or log.batches[behind].base >= log.bound(
            turn.fetch.isolation
        ):
            continue
        there = served.there
        where |= side(min(served.ask.max_bytes, turn.fetch.max_bytes), there)
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
    """Where the log start lies inside a batch, a fetch there returns the whole batch, deleted
    records included.
    """
    where = Side.NONE
    for served, log, got in turn.located:
        number = log.holder(log.start)
        if number >= len(log.batches):
            continue
        holder = log.batches[number]
        if (
            not (holder.base < log.start <= holder.last)
            or not log.start - 1 <= served.ask.offset <= holder.last
        ):
            continue
        at = side(served.ask.offset, log.start)
        where |= at
        first = got.batches[0].base if got.batches else None
        if at is not Side.BELOW and first is not None and first != holder.base:
            return breaks(
                where,
                f"expected the batch from {holder.base}, found one from {first}",
                "kept batch",
            )
    return holds(where) if where else None


@deleted_records_in_a_kept_batch_are_sent.example("DeleteRecords to 3 inside the batch 0-4")
def _kept() -> Scenario:
    return Scenario(
        Layout((Partition(((Batch(150, 5),),), log_start=3),)), (Fetch((FetchPartition(0, 3),)),)
    )
