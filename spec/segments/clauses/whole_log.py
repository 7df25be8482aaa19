"""What a log of many segments is from outside: its records, its bytes, its ends."""

from spec.clause import KIP, Chapter, Code, Doc, Held, fails, holds
from spec.in_words import in_words
from spec.kafka import error_name
from spec.scenario import Scenario
from spec.segments.clauses.places import place_of, places_in_words
from spec.segments.examples import ENDS, LOOK, OF_TWO, batches, scenario
from spec.segments.outcomes import LogDirAnswer, OffsetAnswer, SegmentsRead
from spec.segments.steps import EARLIEST, EARLIEST_LOCAL, LATEST, AskOffset
from spec.segments.turn import Turn, of_step
from spec.steps import DeleteRecords
from spec.verdict import LimitClass, Strength

chapter: Chapter[Turn] = Chapter(of_step)


@chapter.clause(
    "SEG-016",
    Strength.MUST,
    LimitClass.EMERGENT,
    Doc(
        "design documentation, log: records are given out in the order in which they were appended"
    ),
    slug="segments/kept/records",
)
def segments_hold_every_record_once(turn: Turn) -> Held | None:
    """What is fetched from the log start to the end, over all segments, is each batch that was
    accepted and has a record from the log start on, once, in order, of the size that was sent.
    """
    if not isinstance(turn.outcome, SegmentsRead):
        return None
    expected = [place_of(one) for one in turn.state.readable]
    found = [place_of(one) for run in turn.outcome.runs for one in run]
    if turn.outcome.error:
        return fails(f"expected records, found {error_name(turn.outcome.error)}", "error")
    if found == expected:
        return holds()
    why = f"expected the batches {places_in_words(expected)}, found {places_in_words(found)}"
    return fails(why, "lost" if len(found) < len(expected) else "other")


@segments_hold_every_record_once.example("three segments, and records deleted up to the second")
def _three() -> Scenario:
    return scenario(OF_TWO, *batches(100, 100, 100, 100, 100), DeleteRecords(0, 3))


@chapter.clause(
    "SEG-017",
    Strength.MUST,
    LimitClass.EMERGENT,
    Doc(
        "protocol guide, DescribeLogDirs: the size of a partition is that of its log segments in "
        "bytes"
    ),
    KIP(113),
    slug="segments/size/at-least",
)
def a_size_covers_what_can_be_read(turn: Turn) -> Held | None:
    """The size of a partition in DescribeLogDirs is at least the bytes of its batches that have a
    record from the log start on.
    """
    size = _size(turn)
    if size is None:
        return None
    least = sum([batch.size for batch in turn.state.readable])
    if size >= least:
        return holds()
    return fails(f"expected {least} bytes or more, found {size}", "too few")


@a_size_covers_what_can_be_read.example("three segments")
def _sized_example() -> Scenario:
    return scenario(OF_TWO, *batches(100, 150, 100, 151))


@chapter.clause(
    "SEG-018",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    Code("UnifiedLog.java", "2098-2103"),
    slug="segments/size/exact",
)
def a_size_is_that_of_all_segments(turn: Turn) -> Held | None:
    """The size of a partition in DescribeLogDirs is the bytes of its batches; where records were
    deleted, it is at most that, since segments go later and as a whole. Of a log that had part of a
    batch behind it beside an .index nothing is said (SEG-027).
    """
    size = _size(turn)
    if size is None or turn.state.indexed:
        return None
    most = sum([batch.size for batch in turn.state.batches])
    if size == most or (turn.state.start and size < most):
        return holds()
    return fails(f"expected {most} bytes, found {size}", "more" if size > most else "fewer")


@a_size_is_that_of_all_segments.example("three segments, and records deleted up to the second")
def _deleted_example() -> Scenario:
    deleted = DeleteRecords(0, 3)
    return scenario(OF_TWO, *batches(100, 100, 100, 100, 100), *LOOK, deleted)


def _size(turn: Turn) -> int | None:
    """The bytes that an answer to DescribeLogDirs states; None for any other one."""
    found = turn.outcome
    return None if not isinstance(found, LogDirAnswer) or found.error else found.size


@chapter.clause(
    "SEG-019",
    Strength.MUST,
    LimitClass.HARD,
    KIP(107, "Public Interfaces"),
    slug="segments/ends/start",
)
def segments_move_no_log_start(turn: Turn) -> Held | None:
    """However many segments a log has, and of however many all records are deleted, its earliest
    offset (-2) is the offset to which records were deleted, also where that lies in the midst of a
    segment.
    """
    return _of_start(turn, EARLIEST)


@segments_move_no_log_start.example("records deleted into the midst of the second segment")
def _midst() -> Scenario:
    return scenario(OF_TWO, *batches(100, 100, 100, 100, 100), *ENDS, DeleteRecords(0, 3))


@chapter.clause(
    "SEG-034",
    Strength.REFERENCE,
    LimitClass.HARD,
    KIP(405, "Public Interfaces"),
    Code("UnifiedLog.java", "fetchOffsetByTimestamp"),
    slug="segments/ends/local-start",
)
def segments_move_no_local_start(turn: Turn) -> Held | None:
    """Without tiered storage, the earliest local offset (-4) of a log is, likewise, the offset to
    which records were deleted.
    """
    return _of_start(turn, EARLIEST_LOCAL)


@segments_move_no_local_start.example("records deleted into the midst of the second segment")
def _local() -> Scenario:
    return scenario(OF_TWO, *batches(100, 100, 100, 100, 100), *ENDS, DeleteRecords(0, 3))


def _of_start(turn: Turn, timestamp: int) -> Held | None:
    """Hold that a special timestamp gives the log start offset."""
    found, step = turn.outcome, turn.step
    if not isinstance(found, OffsetAnswer) or not isinstance(step, AskOffset) or found.error:
        return None
    if step.timestamp != timestamp:
        return None
    if found.offset == turn.state.start:
        return holds()
    return fails(f"expected {turn.state.start}, found {in_words(found.offset)}", "other start")


@chapter.clause(
    "SEG-020",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    Code("UnifiedLog.java", "1115-1292"),
    slug="segments/ends/end",
)
def a_new_segment_takes_no_offset(turn: Turn) -> Held | None:
    """The latest offset (-1) is the one behind the last record, and no segment takes an offset."""
    found, step = turn.outcome, turn.step
    if not isinstance(found, OffsetAnswer) or not isinstance(step, AskOffset) or found.error:
        return None
    if step.timestamp != LATEST:
        return None
    if found.offset == turn.state.end:
        return holds()
    return fails(f"expected {turn.state.end}, found {in_words(found.offset)}", "other end")


@a_new_segment_takes_no_offset.example("three segments")
def _ends() -> Scenario:
    return scenario(OF_TWO, *batches(100, 150, 100, 151))
