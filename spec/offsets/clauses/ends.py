"""Where a partition begins and ends."""

from spec.clause import KIP, Chapter, Code, Held, breaks, fails, holds
from spec.fence import Fence, Unit, UnreachableSides
from spec.in_words import in_words
from spec.kafka import READ_COMMITTED
from spec.layout import Batch, Partition
from spec.offsets.examples import EMPTY, OPEN, ask, play_on, times
from spec.offsets.steps import (
    EARLIEST,
    EARLIEST_LOCAL,
    EARLIEST_PENDING,
    LATEST,
    LATEST_TIERED,
)
from spec.offsets.turn import Turn
from spec.scenario import Scenario
from spec.steps import DeleteRecords
from spec.verdict import LimitClass, Side, Strength, side

chapter: Chapter[Turn] = Chapter()
BELOW_START = "below log start"
"""The signature where the last stable offset is the base offset of the batch that the log start
lies in, as in Apache Kafka.
"""


def _asks(*timestamps: int) -> Chapter[Turn]:
    """The clauses on special timestamps that were answered."""
    return chapter.under(
        lambda turn: (
            turn.lookup is not None
            and turn.asked_lookup.is_special
            and turn.asked_lookup.timestamp in timestamps
            and turn.is_served
        )
    )


earliest = _asks(EARLIEST)


@earliest.clause(
    "OFF-002",
    Strength.MUST,
    LimitClass.HARD,
    KIP(107, "Public Interfaces"),
    KIP(79),
    slug="offsets/end/earliest",
    fence=Fence(
        "the log start offset",
        Unit.OFFSETS,
        "offset 0 of the layout",
        never=UnreachableSides(Side.BELOW, "a log start moves forward only"),
    ),
)
def the_earliest_offset_is_the_log_start(turn: Turn) -> Held | None:
    """The earliest offset (-2) is the log start offset, where DeleteRecords left it, under both
    isolation levels.
    """
    start = turn.timeline.start
    where = side(start, 0)
    if turn.response_entry.offset == start:
        return holds(where)
    return breaks(
        where, f"expected {start}, found {in_words(turn.response_entry.offset)}", "earliest"
    )


@the_earliest_offset_is_the_log_start.example("a log start that was moved into a batch")
def _moved_example() -> Scenario:
    return play_on(EMPTY, times(0, 0, 0), DeleteRecords(0, 2), ask(EARLIEST))


latest = _asks(LATEST)


@latest.clause(
    "OFF-003",
    Strength.MUST,
    LimitClass.HARD,
    KIP(98, "Discussion on Unavailable Consumers"),
    KIP(79),
    slug="offsets/end/latest",
    fence=Fence(
        "the offset that reads may not reach",
        Unit.OFFSETS,
        "the high watermark",
        "below: an open transaction bounds a read_committed consumer",
        UnreachableSides(Side.ABOVE, "the last stable offset is at most the high watermark"),
    ),
)
def the_latest_offset_is_the_bound_of_what_can_be_read(turn: Turn) -> Held | None:
    """The latest offset (-1) is the high watermark; under read_committed (version 2 and later) it
    is the last stable offset: the first offset of the oldest open transaction that is at or after
    the log start, otherwise the high watermark.
    """
    where = side(turn.bound, turn.timeline.end)
    if turn.response_entry.offset == turn.bound:
        return holds(where)
    below = (
        turn.response_entry.offset is not None and turn.response_entry.offset < turn.timeline.start
    )
    in_batch = below and turn.response_entry.offset == turn.timeline.batch_bound(
        turn.request.isolation
    )
    return breaks(
        where,
        f"expected {turn.bound}, found {in_words(turn.response_entry.offset)}",
        BELOW_START if in_batch else "latest",
    )


@the_latest_offset_is_the_bound_of_what_can_be_read.example("a transaction that is open")
def _open() -> Scenario:
    return play_on(OPEN, ask(LATEST), ask(LATEST, isolation=READ_COMMITTED))


@the_latest_offset_is_the_bound_of_what_can_be_read.example(
    "a log start past the first offset of an open transaction"
)
def _start_in_open_transaction() -> Scenario:
    partition = Partition(((Batch(100), Batch(100, 2, txn=0)),), log_start=2)
    return play_on(partition, ask(LATEST, isolation=READ_COMMITTED))


local = _asks(EARLIEST_LOCAL)


@local.clause(
    "OFF-016",
    Strength.REFERENCE,
    LimitClass.HARD,
    KIP(405, "Public Interfaces"),
    Code("UnifiedLog.java", "fetchOffsetByTimestamp"),
    slug="offsets/end/earliest-local",
)
def the_earliest_local_offset_is_the_log_start(turn: Turn) -> Held | None:
    """Without tiered storage, the earliest local offset (-4) is the log start offset."""
    if turn.response_entry.offset == turn.timeline.start:
        return holds()
    return fails(
        f"expected {turn.timeline.start}, found {in_words(turn.response_entry.offset)}",
        "earliest local",
    )


@the_earliest_local_offset_is_the_log_start.example("a log start that was moved")
def _local() -> Scenario:
    return play_on(EMPTY, times(0, 0), DeleteRecords(0, 1), ask(EARLIEST_LOCAL))


tiered = _asks(LATEST_TIERED)


@tiered.clause(
    "OFF-017",
    Strength.REFERENCE,
    LimitClass.HARD,
    KIP(1005),
    Code("UnifiedLog.java", "fetchOffsetByTimestamp"),
    slug="offsets/end/latest-tiered",
)
def nothing_is_tiered(turn: Turn) -> Held | None:
    """Without tiered storage, the latest tiered offset (-5) is -1, without an error."""
    if turn.response_entry.offset is None:
        return holds()
    return fails(f"expected -1, found {in_words(turn.response_entry.offset)}", "latest tiered")


@nothing_is_tiered.example("a log with a record")
def _tiered_example() -> Scenario:
    return play_on(EMPTY, times(0), ask(LATEST_TIERED))


pending = _asks(EARLIEST_PENDING)


@pending.clause(
    "OFF-018",
    Strength.REFERENCE,
    LimitClass.HARD,
    KIP(1023),
    slug="offsets/end/earliest-pending",
)
def nothing_waits_to_be_tiered(turn: Turn) -> Held | None:
    """Without tiered storage, the earliest offset whose upload is pending (-6) is -1, without an
    error.
    """
    if turn.response_entry.offset is None:
        return holds()
    return fails(f"expected -1, found {in_words(turn.response_entry.offset)}", "earliest pending")


@nothing_waits_to_be_tiered.example("a log with a record")
def _pending() -> Scenario:
    return play_on(EMPTY, times(0), ask(EARLIEST_PENDING, version=11))


all_ends = _asks(EARLIEST, LATEST, EARLIEST_LOCAL, LATEST_TIERED, EARLIEST_PENDING)


@all_ends.clause(
    "OFF-102",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("UnifiedLog.java", "fetchOffsetByTimestamp"),
    slug="offsets/end/no-timestamp",
)
def an_end_has_no_timestamp(turn: Turn) -> Held | None:
    """The timestamp beside the earliest, latest, earliest local, latest tiered and earliest pending
    offset is -1.
    """
    if turn.response_entry.timestamp is None:
        return holds()
    return fails(
        f"expected timestamp -1, found {turn.response_entry.timestamp}", "timestamp of an end"
    )


@an_end_has_no_timestamp.example("the end of a log with a record")
def _no_timestamp() -> Scenario:
    return play_on(EMPTY, times(0), ask(LATEST))
