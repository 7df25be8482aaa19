"""Which record of a log of many segments a time leads to."""

from spec.clause import KIP, Chapter, Code, Held, breaks, fails, holds
from spec.fence import Fence, Unit
from spec.in_words import in_words
from spec.scenario import Scenario
from spec.segments.examples import OF_TWO, scenario
from spec.segments.model import first_of
from spec.segments.outcomes import OffsetAnswer
from spec.segments.steps import LARGEST, AppendBatch, AskOffset, AskTime
from spec.segments.turn import LogState, Turn, of_step
from spec.sources import OFFSETS_FOR_TIMES
from spec.steps import DeleteRecords
from spec.verdict import LimitClass, Side, Strength


def _is_timed(turn: Turn) -> bool:
    """Whether an offset is answered, and each record has a timestamp."""
    answered = isinstance(turn.outcome, OffsetAnswer) and not turn.outcome.error
    timed = all(batch.time is not None for batch in turn.state.batches)
    return of_step(turn) and answered and timed


chapter: Chapter[Turn] = Chapter()
by_time = chapter.under(lambda turn: _is_timed(turn) and isinstance(turn.step, AskTime))
by_largest = chapter.under(
    lambda turn: (
        _is_timed(turn) and isinstance(turn.step, AskOffset) and turn.step.timestamp == LARGEST
    )
)


def _offset(turn: Turn) -> int | None:
    assert isinstance(turn.outcome, OffsetAnswer)
    return turn.outcome.offset


def _deleted_time(state: LogState) -> int | None:
    """The largest timestamp of a batch that has a record before the log start."""
    times = [one.time or 0 for one in state.batches if one.base < state.start]
    return max(times, default=None)


def _largest(state: LogState) -> int | None:
    """The largest timestamp of a record that is not deleted."""
    return max([one.time or 0 for one in state.readable], default=None)


def batches_at(*times: int) -> tuple[AppendBatch, ...]:
    """Batches of 100 bytes and one record, at these times."""
    return tuple([AppendBatch(100, time=time) for time in times])


@by_time.clause(
    "SEG-024",
    Strength.MUST,
    LimitClass.EMERGENT,
    KIP(79, "Proposed Changes"),
    OFFSETS_FOR_TIMES,
    slug="segments/times/first-record",
    fence=Fence(
        "the timestamp that is asked for",
        Unit.MILLISECONDS,
        "the timestamp of the record that it leads to",
        "above: no record is so late",
    ),
)
def a_time_leads_to_its_record_in_any_segment(turn: Turn) -> Held | None:
    """Wherever segments end, and however timestamps rise and fall from one to the next, a lookup by
    time gives the smallest offset from the log start on of a record whose timestamp is equal to it
    or later; where there is none, the offset is -1.

    Left out are logs with a record without a timestamp, and those that begin behind a deleted
    record that is not earlier than what is asked for (OFF-004).
    """
    assert isinstance(turn.step, AskTime)
    time, state = turn.step.time, turn.state
    deleted = _deleted_time(state)
    if deleted is not None and deleted >= time:
        return None
    expected = first_of(state.readable, time, state.start)
    at = any(one.time == time and one.base <= (expected or 0) <= one.last for one in state.readable)
    where = Side.ABOVE if expected is None else Side.AT if at else Side.BELOW
    if _offset(turn) == expected:
        return holds(where)
    return breaks(
        where,
        f"expected offset {in_words(expected)}, found {in_words(_offset(turn))}",
        "other record",
    )


@a_time_leads_to_its_record_in_any_segment.example("the second of three segments is the earliest")
def _falling() -> Scenario:
    asked = [AskTime(time) for time in (9, 10, 21, 22, 31)]
    return scenario(OF_TWO, *batches_at(0, 20, 10, 5, 30, 30), *asked)


@by_largest.clause(
    "SEG-025",
    Strength.MUST,
    LimitClass.EMERGENT,
    KIP(734, "Public Interfaces"),
    slug="segments/times/largest",
)
def the_largest_timestamp_is_found_in_any_segment(turn: Turn) -> Held | None:
    """The special timestamp -3 gives a record, from the log start on, that no other record there
    has a larger timestamp than, in whichever segment it lies; of a log without records it gives
    offset -1.

    Left out are logs with a record without a timestamp, and those of which a record was deleted
    that is not earlier than all that are left (OFF-005).
    """
    largest, deleted, offset = _largest(turn.state), _deleted_time(turn.state), _offset(turn)
    if deleted is not None and (largest is None or deleted >= largest):
        return None
    named = [
        one.time
        for one in turn.state.readable
        if offset is not None and max(one.base, turn.state.start) <= offset <= one.last
    ]
    if named == ([] if largest is None else [largest]) and (named or offset is None):
        return holds()
    return fails(
        f"expected a record of time {in_words(largest)}, found offset {in_words(offset)}",
        "other record",
    )


@the_largest_timestamp_is_found_in_any_segment.example("the largest lies in the first of three")
def _first() -> Scenario:
    return scenario(OF_TWO, *batches_at(0, 20, 10, 5, 15, 15), AskOffset(LARGEST))


@by_largest.clause(
    "SEG-026",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    Code("UnifiedLog.java", "fetchOffsetByTimestamp"),
    slug="segments/times/first-of-the-largest",
)
def of_equal_largest_timestamps_the_first_segment_decides(turn: Turn) -> Held | None:
    """Of several records with the largest timestamp, in one segment or in several, -3 gives the one
    with the smallest offset. Left out is what SEG-025 leaves out.
    """
    largest, deleted, offset = _largest(turn.state), _deleted_time(turn.state), _offset(turn)
    if largest is None or offset is None or (deleted is not None and deleted >= largest):
        return None
    expected = first_of(turn.state.readable, largest, turn.state.start)
    if offset == expected:
        return holds()
    return fails(f"expected offset {in_words(expected)}, found {offset}", "other of equals")


@of_equal_largest_timestamps_the_first_segment_decides.example("in the first and the last of three")
def _equal() -> Scenario:
    return scenario(
        OF_TWO, *batches_at(0, 20, 10, 5, 15, 20), AskOffset(LARGEST), DeleteRecords(0, 1)
    )
