"""When a new segment begins for a batch that is not stored."""

from spec.clause import Chapter, Code, Held, fails, holds
from spec.frozen import replace
from spec.scenario import Scenario
from spec.segments.examples import batches, files
from spec.segments.outcomes import FilesSeen, SegmentBatch
from spec.segments.reasons import Reason, reasons
from spec.segments.settings import UNLIMITED, SegmentSettings
from spec.segments.steps import AppendBatch, ReadSegments, ResendBatch
from spec.segments.turn import BatchPlace, Turn
from spec.verdict import LimitClass, Strength


def _shows_segments(turn: Turn) -> bool:
    return turn.place is not None or isinstance(turn.outcome, FilesSeen)


chapter: Chapter[Turn] = Chapter(_shows_segments)

SMALL = SegmentSettings(segment_bytes=300)
ROLL_FIRST = Code("UnifiedLog.java", "1115-1292")


@chapter.clause(
    "SEG-010",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    ROLL_FIRST,
    slug="segments/roll/unstored",
)
def a_segment_begins_for_what_is_not_stored(turn: Turn) -> Held | None:
    """A batch of an idempotent producer that is a repetition, or that is refused for its sequence,
    begins a new segment for the reasons for which a batch does that is stored (SEG-001, SEG-003,
    SEG-005, SEG-011), and for no other: the new segment is empty and named by the end of the log,
    and the next batch that is stored goes there, whether or not it has a reason of its own.

    Kafka decides that a segment begins before it looks at sequences. What is seen is the next
    batch, or the files before it comes. Left out are segments for which the clock may decide, and
    logs with a retention.bytes or retention.ms, or whose topic was altered.
    """
    settings = turn.settings
    if (settings.retention_bytes, settings.retention_ms) != (UNLIMITED, UNLIMITED):
        return None
    if turn.state.altered:
        return None
    if turn.place is not None:
        return _of_next(turn.place, settings)
    assert isinstance(turn.outcome, FilesSeen)
    return _of_files(turn, turn.outcome)


def _of_next(place: BatchPlace, settings: SegmentSettings) -> Held | None:
    """What the batch shows that was stored next."""
    given = _reasons_before(place.before, place.unstored, settings)
    own = reasons(place, settings)
    if given is None or own is None or (own and not given):
        return None
    return _judge(given, begins=place.begins)


def _of_files(turn: Turn, seen: FilesSeen) -> Held | None:
    """What the files show while nothing was stored since."""
    held = [segment for segment in seen.segments if segment.batches]
    end = turn.state.end
    if not held or held[-1].batches[-1].last + 1 != end:
        return None
    given = _reasons_before(held[-1].batches, turn.state.unstored_at(end), turn.settings)
    if given is None:
        return None
    last = seen.segments[-1]
    return _judge(given, begins=not last.batches and last.base == end)


def _reasons_before(
    before: tuple[SegmentBatch, ...],
    unstored: tuple[SegmentBatch, ...],
    settings: SegmentSettings,
) -> frozenset[Reason] | None:
    """The reasons for which what was not stored begins a segment behind these batches; None where
    there was nothing, or the clock may be one.
    """
    place = BatchPlace(before[-1], before, begins=False)
    found = [reasons(replace(place, batch=batch), settings) for batch in unstored]
    if not found or None in found:
        return None
    return frozenset([reason for given in found for reason in given or ()])


def _judge(given: frozenset[Reason], *, begins: bool) -> Held:
    if bool(given) == begins:
        return holds()
    if begins:
        why = "what was not stored had no reason to begin a segment: expected none, found a new one"
        return fails(why, "too early")
    names = ", ".join(sorted(given))
    return fails(
        f"what was not stored begins a segment by its {names}: expected one, found none", "too late"
    )


def _of_producer(*sizes: int) -> tuple[AppendBatch, ...]:
    return tuple([AppendBatch(size, idempotent=True) for size in sizes])


@a_segment_begins_for_what_is_not_stored.example("a repetition of the batch that fills a segment")
def _repeated_example() -> Scenario:
    return files(SMALL, *_of_producer(100, 100, 100), ResendBatch())


@a_segment_begins_for_what_is_not_stored.example(
    "a batch that is refused, and a small one that would fit behind the last"
)
def _refused_example() -> Scenario:
    settings = SegmentSettings(segment_bytes=350)
    return files(
        settings, *_of_producer(100, 150), ResendBatch(skipped=1), *batches(70), ReadSegments()
    )


@a_segment_begins_for_what_is_not_stored.example("a repetition that fits into the segment")
def _fitting_example() -> Scenario:
    return files(SMALL, *_of_producer(100), ResendBatch(), *batches(100, 100), ReadSegments())
