"""Relations between the answers themselves: no model says what each of them should be.

Compared are answers about one partition between two writes.
"""

from collections.abc import Iterator

from spec.clause import KIP, Chapter, Held, breaks, fails, holds
from spec.fence import Fence, Unit, UnreachableSides
from spec.in_words import in_words
from spec.kafka import READ_COMMITTED, READ_UNCOMMITTED
from spec.layout import Batch, Partition
from spec.offsets.examples import EMPTY, OPEN, ask, ask_time, play_on, times
from spec.offsets.outcomes import Found
from spec.offsets.steps import (
    EARLIEST,
    EARLIEST_PENDING,
    LARGEST,
    LATEST,
    LATEST_TIERED,
    Lookup,
)
from spec.offsets.timeline import SEGMENT_MS, may_be_hidden, target_of
from spec.offsets.turn import EarlierLookup, Turn
from spec.scenario import Scenario
from spec.sources import OFFSETS_FOR_TIMES
from spec.steps import DeleteRecords
from spec.verdict import LimitClass, Side, Strength, side

chapter: Chapter[Turn] = Chapter(lambda turn: turn.lookup is not None and turn.is_served)
BELOW_START = "below log start"
"""The signature where the latest offset under read_committed is one that was deleted."""
BY_SEGMENT = "deleted record decides"
"""The signature where a record that was deleted decides, as in Apache Kafka."""


def _all(turn: Turn) -> Iterator[EarlierLookup]:
    """The answers since the last write, this one last."""
    yield from turn.earlier
    yield EarlierLookup(turn.asked_lookup, turn.request.isolation, turn.response_entry)


def _last_reported(turn: Turn, timestamp: int, isolation: int | None = None) -> int | None:
    """The offset that was last given for a special timestamp."""
    found = None
    for one in _all(turn):
        asked = one.lookup.is_special and one.lookup.timestamp == timestamp
        if asked and isolation in {None, one.isolation}:
            found = one.found.offset
    return found


def _is_deleted(turn: Turn, offset: int) -> bool:
    """Whether a record at an offset was deleted."""
    return offset < turn.timeline.start and any(
        stamp.offset == offset for stamp in turn.timeline.stamps
    )


@chapter.clause(
    "OFF-030",
    Strength.MUST,
    LimitClass.HARD,
    KIP(79),
    KIP(107, "Public Interfaces"),
    slug="offsets/relation/in-range",
)
def every_offset_lies_between_the_ends(turn: Turn) -> Held | None:
    """Every offset that is given for a time or for the largest timestamp lies between the earliest
    and the latest offset (read_uncommitted) that are given meanwhile, the latest one excluded; the
    earliest local offset, and the latest one for read_committed, lie between them, both included.
    """
    earliest = _last_reported(turn, EARLIEST)
    latest = _last_reported(turn, LATEST, READ_UNCOMMITTED)
    if earliest is None or latest is None:
        return None
    for one in _all(turn):
        offset = one.found.offset
        special = one.lookup.timestamp if one.lookup.is_special else None
        if offset is None or special in {LATEST_TIERED, EARLIEST_PENDING}:
            continue
        is_record = special is None or special == LARGEST
        if not earliest <= offset <= latest - is_record:
            known = _is_deleted(turn, offset)
            way = BY_SEGMENT if special == LARGEST else BELOW_START
            return fails(
                f"expected an offset from {earliest} to {latest - is_record}, found "
                f"{in_words(offset)}",
                way if known and special in {LARGEST, LATEST} else "outside",
            )
    return holds()


@every_offset_lies_between_the_ends.example("both ends, and the largest timestamp")
def _ends() -> Scenario:
    return play_on(EMPTY, times(5, 3), ask(EARLIEST), ask(LATEST), ask(LARGEST))


@every_offset_lies_between_the_ends.example(
    "the largest timestamp was deleted: Apache Kafka gives an offset below the earliest"
)
def _below() -> Scenario:
    written = times(200), times(100), DeleteRecords(0, 1)
    return play_on(EMPTY, *written, ask(EARLIEST), ask(LATEST), ask(LARGEST))


@every_offset_lies_between_the_ends.example(
    "a log start inside a batch of an open transaction: the last stable offset lies below it"
)
def _stable_below() -> Scenario:
    partition = Partition(((Batch(100), Batch(100, 2, txn=0)),), log_start=2)
    return play_on(partition, ask(EARLIEST), ask(LATEST), ask(LATEST, isolation=READ_COMMITTED))


@chapter.clause(
    "OFF-031",
    Strength.MUST,
    LimitClass.EMERGENT,
    KIP(79),
    OFFSETS_FOR_TIMES,
    slug="offsets/relation/sorted",
    fence=Fence("a timestamp", Unit.MILLISECONDS, "the timestamp of another lookup"),
)
def a_later_time_leads_to_no_earlier_offset(turn: Turn) -> Held | None:
    """Of two lookups by time under one isolation level, the one with the larger timestamp gives no
    smaller offset, and nothing where the other one gives nothing; two with the same timestamp give
    the same.
    """
    if turn.asked_lookup.is_special:
        return None
    sides = Side.NONE
    now = EarlierLookup(turn.asked_lookup, turn.request.isolation, turn.response_entry)
    for one in turn.earlier:
        if one.lookup.is_special or one.isolation != now.isolation:
            continue
        other = target_of(one.lookup.timestamp, relative=one.lookup.relative)
        where = (
            Side.BELOW if turn.target < other else (Side.AT if turn.target == other else Side.ABOVE)
        )
        sides |= where
        first, second = (one, now) if where is Side.ABOVE else (now, one)
        if not _is_sorted(first.found, second.found, same=where is Side.AT):
            known = first.found.offset is None and may_be_hidden(
                turn.timeline, target_of(first.lookup.timestamp, relative=first.lookup.relative)
            )
            return breaks(
                where,
                "expected offsets in the order of the timestamps, found "
                f"{in_words(first.found.offset)} for the smaller and "
                f"{in_words(second.found.offset)} for the larger",
                BY_SEGMENT if known else "not sorted",
            )
    return holds(sides) if sides else None


def _is_sorted(smaller: Found, larger: Found, *, same: bool) -> bool:
    """Whether the offset for a smaller timestamp is at most that for a larger one, None being the
    largest.
    """
    if same or smaller.offset is None:
        return smaller.offset == larger.offset
    return larger.offset is None or smaller.offset <= larger.offset


@a_later_time_leads_to_no_earlier_offset.example("three times, one of them twice")
def _sorted_example() -> Scenario:
    asked = [ask_time(time) for time in (1, 9, 5, 5)]
    return play_on(EMPTY, times(0, 10), times(5), *asked)


@a_later_time_leads_to_no_earlier_offset.example(
    "a deleted record was late enough: Apache Kafka finds nothing for the smaller timestamp"
)
def _unsorted_example() -> Scenario:
    written = times(60), times(50), times(SEGMENT_MS + 61)
    return play_on(EMPTY, *written, DeleteRecords(0, 1), ask_time(55), ask_time(70))


@chapter.clause(
    "OFF-032",
    Strength.MUST,
    LimitClass.HARD,
    KIP(98, "Discussion on Unavailable Consumers"),
    slug="offsets/relation/stable",
    fence=Fence(
        "the latest offset under read_committed",
        Unit.OFFSETS,
        "the latest offset under read_uncommitted",
        never=UnreachableSides(Side.ABOVE, "that breaks it"),
    ),
)
def the_last_stable_offset_is_not_past_the_end(turn: Turn) -> Held | None:
    """The latest offset that is given under read_committed is at most the one that is given under
    read_uncommitted meanwhile.
    """
    if not turn.asked_lookup.is_special or turn.asked_lookup.timestamp != LATEST:
        return None
    stable = _last_reported(turn, LATEST, READ_COMMITTED)
    end = _last_reported(turn, LATEST, READ_UNCOMMITTED)
    if stable is None or end is None:
        return None
    where = side(stable, end)
    if stable <= end:
        return holds(where)
    return breaks(where, f"expected at most {end}, found {stable}", "past the end")


@the_last_stable_offset_is_not_past_the_end.example("a transaction that is open")
def _stable() -> Scenario:
    return play_on(OPEN, ask(LATEST), ask(LATEST, isolation=READ_COMMITTED))


@chapter.clause(
    "OFF-033",
    Strength.MUST,
    LimitClass.EMERGENT,
    KIP(734, "Public Interfaces"),
    slug="offsets/relation/largest",
    fence=Fence(
        "the timestamp that a lookup by time gives",
        Unit.MILLISECONDS,
        "the timestamp that is given for the largest",
        never=UnreachableSides(Side.ABOVE, "that breaks it"),
    ),
)
def no_timestamp_is_larger_than_the_largest(turn: Turn) -> Held | None:
    """No lookup by time under read_uncommitted gives a timestamp that is larger than the one that
    -3 gives meanwhile under it.
    """
    largest = [
        one.found.timestamp
        for one in _all(turn)
        if one.lookup == Lookup(turn.asked_lookup.partition, LARGEST)
        and one.isolation == READ_UNCOMMITTED
    ]
    others = [
        one.found.timestamp
        for one in _all(turn)
        if not one.lookup.is_special
        and one.isolation == READ_UNCOMMITTED
        and one.found.offset is not None
    ]
    times = [time for time in others if time is not None]
    if not largest or largest[-1] is None or not times:
        return None
    most = max(times)
    where = side(most, largest[-1])
    if most <= largest[-1]:
        return holds(where)
    return breaks(where, f"expected at most {largest[-1]}, found {most}", "larger")


@no_timestamp_is_larger_than_the_largest.example("the largest timestamp lies in the middle")
def _largest_of_all() -> Scenario:
    return play_on(EMPTY, times(0, 20, 10), ask(LARGEST), ask_time(0), ask_time(15))
