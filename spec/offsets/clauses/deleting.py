"""DeleteRecords: how far the log start moves."""

from spec.clause import KIP, Chapter, Code, Held, breaks, fails, holds
from spec.fence import Fence, Unit
from spec.in_words import in_words
from spec.kafka import Error, error_name
from spec.offsets.examples import EMPTY, OPEN, ask, play_on, times
from spec.offsets.steps import EARLIEST
from spec.offsets.turn import Turn
from spec.outcomes import AppendAnswer
from spec.scenario import Scenario
from spec.steps import DeleteRecords
from spec.verdict import LimitClass, Side, Strength, side

TO_THE_END = -1
"""The offset that stands for the high watermark (KIP-107)."""
chapter: Chapter[Turn] = Chapter(lambda turn: isinstance(turn.step, DeleteRecords))


def _offset(turn: Turn) -> int:
    """The offset up to which is deleted, -1 resolved."""
    assert isinstance(turn.step, DeleteRecords)
    return turn.timeline.end if turn.step.offset == TO_THE_END else turn.step.offset


def _error(turn: Turn) -> int | None:
    """The error code; None without an answer."""
    return turn.outcome.error if isinstance(turn.outcome, AppendAnswer) else None


def _is_refused_as_undecided(turn: Turn) -> bool:
    """Whether it is answered with an error, and would pass the first offset of an open
    transaction.
    """
    timeline = turn.timeline
    return bool(_error(turn)) and timeline.stable < _offset(turn) <= timeline.end


def _in_words(outcome: object) -> str:
    """An answer as a break's message says it."""
    if not isinstance(outcome, AppendAnswer):
        return str(outcome)
    error = error_name(outcome.error) if outcome.error else "no error"
    return f"{error} and low watermark {in_words(outcome.offset)}"


@chapter.clause(
    "OFF-010",
    Strength.MUST,
    LimitClass.HARD,
    KIP(107, "Public Interfaces"),
    slug="offsets/delete/moves-the-log-start",
    fence=Fence("the offset that is asked for", Unit.OFFSETS, "the log start offset"),
)
def the_log_start_moves_to_the_offset(turn: Turn) -> Held | None:
    """DeleteRecords to an offset from 0 to the high watermark, or to -1 for the high watermark, is
    answered without an error, and its low watermark is the larger of this offset and the log start:
    the log start moves to it, inside a batch too, and never back.

    Whether it may pass the first offset of an open transaction is OFF-014.
    """
    offset, start = _offset(turn), turn.timeline.start
    if not 0 <= offset <= turn.timeline.end or _is_refused_as_undecided(turn):
        return None
    where = side(offset, start)
    expected = AppendAnswer(0, max(offset, start))
    if turn.outcome == expected:
        return holds(where)
    error = _error(turn)
    return breaks(
        where,
        f"expected {_in_words(expected)}, found {_in_words(turn.outcome)}",
        "no answer" if error is None else "refused" if error else "low watermark",
    )


@the_log_start_moves_to_the_offset.example("into a batch, back, and to the end")
def _forward() -> Scenario:
    deleted = [DeleteRecords(0, offset) for offset in (2, 1, TO_THE_END)]
    return play_on(EMPTY, times(0, 0, 0), *deleted, ask(EARLIEST))


@chapter.clause(
    "OFF-012",
    Strength.MUST,
    LimitClass.HARD,
    KIP(107, "Public Interfaces"),
    slug="offsets/delete/past-the-end",
    fence=Fence("the offset that is asked for", Unit.OFFSETS, "the high watermark"),
)
def nothing_past_the_high_watermark_is_deleted(turn: Turn) -> Held | None:
    """DeleteRecords is answered with OFFSET_OUT_OF_RANGE if its offset is larger than the high
    watermark, and with no such error if it is from 0 to the high watermark. Whether it may pass the
    first offset of an open transaction is OFF-014.
    """
    offset = _offset(turn)
    if offset < 0 or _error(turn) is None or _is_refused_as_undecided(turn):
        return None
    where = side(offset, turn.timeline.end)
    refused = _error(turn) == Error.OFFSET_OUT_OF_RANGE
    if refused == (where is Side.ABOVE):
        return holds(where)
    return breaks(
        where,
        f"offset {offset} with the high watermark at {turn.timeline.end}: found "
        f"{_in_words(turn.outcome)}",
        "past the end" if where is Side.ABOVE else "refused",
    )


@nothing_past_the_high_watermark_is_deleted.example("one past the high watermark, and at it")
def _past() -> Scenario:
    return play_on(EMPTY, times(0, 0), DeleteRecords(0, 3), ask(EARLIEST), DeleteRecords(0, 2))


@chapter.clause(
    "OFF-014",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    Code("Partition.scala", "deleteRecordsOnLeader"),
    slug="offsets/delete/past-the-last-stable-offset",
    fence=Fence("the offset that is asked for", Unit.OFFSETS, "the last stable offset"),
)
def an_open_transaction_does_not_stop_it(turn: Turn) -> Held | None:
    """DeleteRecords may pass the last stable offset, up to the high watermark, where a transaction
    is open.
    """
    offset, timeline = _offset(turn), turn.timeline
    if timeline.undecided == timeline.end or not 0 <= offset <= timeline.end:
        return None
    where = side(offset, timeline.stable)
    if _error(turn) == Error.NONE:
        return holds(where)
    return breaks(where, f"expected no error, found {_in_words(turn.outcome)}", "open transaction")


@an_open_transaction_does_not_stop_it.example("past the first offset of an open transaction")
def _open() -> Scenario:
    return play_on(OPEN, DeleteRecords(0, 0), DeleteRecords(0, 1), DeleteRecords(0, 2))


@chapter.clause(
    "OFF-111",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("Partition.scala", "deleteRecordsOnLeader"),
    slug="offsets/delete/negative",
    fence=Fence(
        "the offset that is asked for", Unit.VALUES, "-1, the high watermark", "above: an offset"
    ),
)
def other_negative_offsets_are_out_of_range(turn: Turn) -> Held | None:
    """DeleteRecords to an offset below -1 is answered with OFFSET_OUT_OF_RANGE; one to -1, which
    stands for the high watermark, has no such error. Whether -1 may pass the first offset of an
    open transaction is OFF-014.
    """
    assert isinstance(turn.step, DeleteRecords)
    if _error(turn) is None:
        return None
    where = side(turn.step.offset, TO_THE_END)
    refused = _error(turn) == Error.OFFSET_OUT_OF_RANGE
    if where is Side.ABOVE:
        return None if refused else holds(where)
    if where is Side.AT and _is_refused_as_undecided(turn):
        return None
    if refused == (where is Side.BELOW):
        return holds(where)
    found = _in_words(turn.outcome)
    return breaks(where, f"offset {turn.step.offset}: found {found}", "negative offset")


@other_negative_offsets_are_out_of_range.example("-2, -1 and 0")
def _negative() -> Scenario:
    return play_on(EMPTY, times(0), DeleteRecords(0, 0), DeleteRecords(0, -2), DeleteRecords(0, -1))


@chapter.clause(
    "OFF-112",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("ReplicaManager.scala", "deleteRecordsOnLocalLog"),
    slug="offsets/delete/error-without-low-watermark",
)
def a_refusal_has_no_low_watermark(turn: Turn) -> Held | None:
    """The low watermark of a refused DeleteRecords is -1."""
    if not isinstance(turn.outcome, AppendAnswer) or not turn.outcome.error:
        return None
    if turn.outcome.offset == -1:
        return holds()
    return fails(
        f"{error_name(turn.outcome.error)}: expected low watermark -1, found "
        f"{in_words(turn.outcome.offset)}",
        "low watermark with an error",
    )


@a_refusal_has_no_low_watermark.example("past the high watermark")
def _no_low_watermark() -> Scenario:
    return play_on(EMPTY, DeleteRecords(0, 1))
