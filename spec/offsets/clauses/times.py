"""Lookups by time: which record a timestamp leads to."""

from math import inf

from spec.clause import KIP, Chapter, Code, Held, breaks, fails, holds
from spec.fence import Fence, Unit
from spec.in_words import in_words
from spec.kafka import READ_COMMITTED
from spec.offsets.examples import EMPTY, OPEN, ask, ask_time, play_on, times
from spec.offsets.steps import LARGEST
from spec.offsets.timeline import (
    CLOCK_MS,
    SEGMENT_MS,
    TimedRecord,
    first_since,
    is_late,
    largest_of,
    may_be_hidden,
)
from spec.offsets.turn import Turn
from spec.scenario import Scenario
from spec.sources import OFFSETS_FOR_TIMES
from spec.steps import DeleteRecords
from spec.verdict import LimitClass, Side, Strength, side

chapter: Chapter[Turn] = Chapter()
BY_SEGMENT = "deleted record decides"
"""The signature where a record that was deleted decides which segment is searched, as in Apache
Kafka.
"""

by_time = chapter.under(
    lambda turn: turn.lookup is not None and not turn.asked_lookup.is_special and turn.is_served
)
by_largest = chapter.under(
    lambda turn: (
        turn.lookup is not None
        and turn.asked_lookup.is_special
        and turn.asked_lookup.timestamp == LARGEST
        and turn.is_served
    )
)
located = chapter.under(
    lambda turn: (
        turn.lookup is not None
        and (not turn.asked_lookup.is_special or turn.asked_lookup.timestamp == LARGEST)
        and turn.is_served
    )
)


def _is_marker(turn: Turn, offset: int | None) -> bool:
    """Whether a marker that was not deleted lies at an offset: its time is not known."""
    return any(
        stamp.offset == offset and stamp.time is None for stamp in turn.timeline.kept_stamps()
    )


def _side(target: float, stamp: TimedRecord | None) -> Side:
    if stamp is None or stamp.time is None:
        return Side.ABOVE
    return Side.AT if target == stamp.time else Side.BELOW


@by_time.clause(
    "OFF-004",
    Strength.MUST,
    LimitClass.EMERGENT,
    KIP(79, "Proposed Changes"),
    OFFSETS_FOR_TIMES,
    slug="offsets/time/first-record",
    fence=Fence(
        "the timestamp that is asked for",
        Unit.MILLISECONDS,
        "the timestamp of the record that it leads to",
        "above: no record is so late",
    ),
)
def a_time_leads_to_the_first_record_that_is_not_earlier(turn: Turn) -> Held | None:
    """A lookup by a timestamp of 0 or more gives the smallest offset, from the log start on, of a
    record whose own timestamp is equal to it or later, whatever the order of timestamps in the log
    and wherever in a batch the record lies; where there is none, the offset is -1.

    Under read_committed, nothing that is at or after the last stable offset need be found. A marker
    may be found, or passed over: its timestamp is the broker's clock.
    """
    expected = first_since(turn.timeline, turn.target, turn.timeline.end)
    where = _side(turn.target, expected)
    wanted = None if expected is None else expected.offset
    if turn.response_entry.offset == wanted:
        return holds(where)
    if (
        turn.response_entry.offset is None
        and expected is not None
        and expected.offset >= turn.bound
    ):
        return holds(where)
    if (
        _is_marker(turn, turn.response_entry.offset)
        and turn.response_entry.offset is not None
        and turn.target <= CLOCK_MS
        and (wanted is None or turn.response_entry.offset < wanted)
    ):
        return holds(where)
    hidden = turn.response_entry.offset is None and may_be_hidden(turn.timeline, turn.target)
    return breaks(
        where,
        f"expected offset {in_words(wanted)}, found {in_words(turn.response_entry.offset)}",
        BY_SEGMENT if hidden else "other record",
    )


@a_time_leads_to_the_first_record_that_is_not_earlier.example(
    "timestamps inside a batch: one below, at, between and past them"
)
def _inside() -> Scenario:
    asked = [ask_time(time) for time in (-1, 0, 1, 5, 10, 11, 20, 21)]
    return play_on(EMPTY, times(0, 10, 10, 20), *asked)


@a_time_leads_to_the_first_record_that_is_not_earlier.example("timestamps that go backwards")
def _backwards() -> Scenario:
    return play_on(EMPTY, times(100), times(50), times(120), ask_time(60), ask_time(110))


@a_time_leads_to_the_first_record_that_is_not_earlier.example(
    "a deleted record was late enough, in an earlier segment: Apache Kafka finds nothing"
)
def _hidden_example() -> Scenario:
    written = times(60), times(50), times(SEGMENT_MS + 61)
    return play_on(EMPTY, *written, DeleteRecords(0, 1), ask_time(55))


@by_time.clause(
    "OFF-122",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    Code("ReplicaManager.scala", "fetchOffset"),
    slug="offsets/time/below-the-bound",
    fence=Fence(
        "the first record that is not earlier",
        Unit.OFFSETS,
        "the last stable offset",
    ),
)
def read_committed_finds_nothing_past_the_last_stable_offset(turn: Turn) -> Held | None:
    """Under read_committed a lookup by time whose first record lies at or after the last stable
    offset gives offset -1.
    """
    expected = first_since(turn.timeline, turn.target, turn.timeline.end)
    if turn.request.isolation != READ_COMMITTED or expected is None:
        return None
    where = side(expected.offset, turn.bound)
    if (
        where is Side.BELOW
        or turn.response_entry.offset is None
        or turn.response_entry.offset < turn.bound
    ):
        return holds(where)
    return breaks(
        where, f"expected -1, found offset {in_words(turn.response_entry.offset)}", "past the bound"
    )


@read_committed_finds_nothing_past_the_last_stable_offset.example("a record behind an open one")
def _behind() -> Scenario:
    return play_on(OPEN, times(10), ask_time(5, isolation=READ_COMMITTED))


@by_largest.clause(
    "OFF-005",
    Strength.MUST,
    LimitClass.EMERGENT,
    KIP(734, "Public Interfaces"),
    slug="offsets/time/largest",
)
def the_largest_timestamp_is_found(turn: Turn) -> Held | None:
    """The special timestamp -3 gives a record, from the log start on, that no other record there
    has a larger timestamp than; of a partition without records it gives offset -1.

    Under read_committed, where that record is at or after the last stable offset, nothing need be
    found, and the largest one before that offset may be. A marker may count as a record, or not.
    """
    largest = largest_of(turn.timeline.kept_stamps())
    offset = turn.response_entry.offset
    if _is_marker(turn, offset):
        known = -inf if largest is None or largest.time is None else largest.time
        if known <= CLOCK_MS:
            return holds()
    if largest is None:
        return holds() if offset is None else _wrong_largest(turn, None)
    if offset is None and _largest_may_be_hidden(turn, largest):
        return holds()
    if offset is not None and offset >= turn.timeline.start:
        time = turn.timeline.time_of(offset)
        if time is not None and (time == largest.time or _hides_larger(turn, time)):
            return holds()
    return _wrong_largest(turn, largest.offset)


def _largest_may_be_hidden(turn: Turn, largest: TimedRecord) -> bool:
    """Whether the record with the largest timestamp, or a marker that may have a larger one, lies
    at or after the bound of a read_committed consumer.
    """
    beyond = [stamp for stamp in turn.timeline.kept_stamps() if stamp.offset >= turn.bound]
    return largest.offset >= turn.bound or any(stamp.time is None for stamp in beyond)


def _hides_larger(turn: Turn, time: int) -> bool:
    """Whether no record before the bound has a larger timestamp."""
    return all(
        stamp.time is None or stamp.time <= time
        for stamp in turn.timeline.kept_stamps()
        if stamp.offset < turn.bound
    )


def _wrong_largest(turn: Turn, expected: int | None) -> Held:
    kept = largest_of(turn.timeline.kept_stamps())
    least = -inf if kept is None or kept.time is None else kept.time
    deleted = any(
        stamp.offset == turn.response_entry.offset
        and stamp.offset < turn.timeline.start
        and is_late(stamp, least)
        for stamp in turn.timeline.stamps
    )
    return fails(
        f"expected offset {in_words(expected)}, found {in_words(turn.response_entry.offset)}",
        BY_SEGMENT if deleted else "other record",
    )


@the_largest_timestamp_is_found.example("the largest timestamp lies in the middle")
def _largest() -> Scenario:
    return play_on(EMPTY, times(0, 20, 10), ask(LARGEST))


@the_largest_timestamp_is_found.example(
    "the record with the largest timestamp was deleted: Apache Kafka gives it"
)
def _deleted_example() -> Scenario:
    return play_on(EMPTY, times(200), times(100), DeleteRecords(0, 1), ask(LARGEST))


@by_largest.clause(
    "OFF-105",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    Code("UnifiedLog.java", "fetchOffsetByTimestamp"),
    slug="offsets/time/first-of-the-largest",
)
def of_equal_largest_timestamps_the_first_is_found(turn: Turn) -> Held | None:
    """Of several records with the largest timestamp, -3 gives the one with the smallest offset;
    under read_committed it gives -1 where that one is at or after the last stable offset. Left out
    are logs with markers of transactions, and those whose first record with the largest timestamp
    was deleted.
    """
    largest = largest_of(turn.timeline.kept_stamps())
    if largest is None or any(stamp.time is None for stamp in turn.timeline.stamps):
        return None
    if largest_of(iter(turn.timeline.stamps)) != largest:
        return None
    expected = largest.offset if largest.offset < turn.bound else None
    if turn.response_entry.offset == expected:
        return holds()
    return fails(
        f"expected offset {in_words(expected)}, found {in_words(turn.response_entry.offset)}",
        "other of equals",
    )


@of_equal_largest_timestamps_the_first_is_found.example("three records with one timestamp")
def _equal() -> Scenario:
    return play_on(EMPTY, times(0, 7, 7), times(7), ask(LARGEST))


@located.clause(
    "OFF-015",
    Strength.MUST,
    LimitClass.HARD,
    KIP(79, "Proposed Changes"),
    KIP(734, "Public Interfaces"),
    slug="offsets/time/its-timestamp",
)
def the_timestamp_is_that_of_the_record(turn: Turn) -> Held | None:
    """The timestamp beside an offset that a lookup by time, or by the largest timestamp, gives is
    that of the record at this offset.

    That of a marker, the broker's clock, is not known and left out.
    """
    if turn.response_entry.offset is None:
        return None
    time = turn.timeline.time_of(turn.response_entry.offset)
    if time is None:
        return None
    if turn.response_entry.timestamp == time:
        return holds()
    return fails(
        f"offset {turn.response_entry.offset}: expected timestamp {time}, found "
        f"{in_words(turn.response_entry.timestamp)}",
        "other timestamp",
    )


@the_timestamp_is_that_of_the_record.example("a time between two records")
def _between() -> Scenario:
    return play_on(EMPTY, times(0, 10), ask_time(5))


@located.clause(
    "OFF-104",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("ReplicaManager.scala", "buildErrorResponse"),
    slug="offsets/time/nothing-found",
)
def nothing_found_has_no_timestamp(turn: Turn) -> Held | None:
    """Where a lookup by time, or by the largest timestamp, finds nothing, timestamp and leader
    epoch are -1 as the offset is.
    """
    if turn.response_entry.offset is not None:
        return None
    if (turn.response_entry.timestamp, turn.response_entry.leader_epoch) == (None, None):
        return holds()
    return fails(
        "expected timestamp and leader epoch -1, found "
        f"{in_words(turn.response_entry.timestamp)} and "
        f"{in_words(turn.response_entry.leader_epoch)}",
        "timestamp of nothing",
    )


@nothing_found_has_no_timestamp.example("one past the last timestamp")
def _past() -> Scenario:
    return play_on(EMPTY, times(0), ask_time(1))
