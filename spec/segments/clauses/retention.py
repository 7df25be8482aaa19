"""What is kept of a log whose old segments are discarded."""

from spec.clause import Chapter, Code, Doc, Held, breaks, fails, holds
from spec.fence import Fence, Unit, UnreachableSides
from spec.scenario import Scenario
from spec.segments.examples import batches, retention_example
from spec.segments.outcomes import OffsetAnswer, SegmentBatch
from spec.segments.reasons import cut_log, discardable
from spec.segments.settings import NEAR_MS, UNLIMITED, SegmentSettings
from spec.segments.steps import AppendBatch, AwaitRetention
from spec.segments.turn import Turn
from spec.verdict import LimitClass, Side, Strength, side


def _of_retention(turn: Turn) -> bool:
    return (
        turn.place is None
        and isinstance(turn.step, AwaitRetention)
        and isinstance(turn.outcome, OffsetAnswer)
        and turn.outcome.offset is not None
    )


chapter: Chapter[Turn] = Chapter(_of_retention)

SIZE = Doc(
    "config retention.bytes: the maximum size a partition can grow to before old log segments are "
    "discarded"
)
TIME = Doc(
    "config retention.ms: the maximum time for which a log is retained before old log segments are "
    "discarded"
)
DISCARDED = Code("UnifiedLog.java", "deleteRetentionSizeBreachedSegments")
HOUR_MS = 3_600_000


def _earliest(turn: Turn) -> int:
    assert isinstance(turn.outcome, OffsetAnswer)
    assert turn.outcome.offset is not None
    return turn.outcome.offset


def _discarded_batches(turn: Turn) -> tuple[SegmentBatch, ...]:
    """The batches that were discarded: those that lie before the earliest offset."""
    return tuple([batch for batch in turn.state.readable if batch.last < _earliest(turn)])


@chapter.clause(
    "SEG-030",
    Strength.MUST,
    LimitClass.SOFT,
    SIZE,
    slug="segments/retention/small-log",
    fence=Fence("the bytes of the log", Unit.BYTES, "retention.bytes"),
)
def a_small_log_is_kept(turn: Turn) -> Held | None:
    """A log of at most retention.bytes bytes keeps all its records, where retention.ms is -1."""
    settings = turn.settings
    if settings.retention_bytes == UNLIMITED or settings.retention_ms != UNLIMITED:
        return None
    size = sum([batch.size for batch in turn.state.batches])
    where = side(size, settings.retention_bytes)
    if where is Side.ABOVE or not _discarded_batches(turn):
        return holds(where)
    why = f"{size} bytes under retention.bytes={settings.retention_bytes}: expected all of them"
    return breaks(where, f"{why}, found the log start at {_earliest(turn)}", "discarded")


@a_small_log_is_kept.example("as many bytes as retention.bytes, and more")
def _small() -> Scenario:
    return retention_example(
        SegmentSettings(segment_bytes=100, retention_bytes=300), *batches(*[100] * 3)
    )


@a_small_log_is_kept.example("one byte fewer, and then more")
def _more() -> Scenario:
    settings = SegmentSettings(segment_bytes=100, retention_bytes=301)
    return retention_example(settings, *batches(*[100] * 3), AwaitRetention(), *batches(100, 100))


@chapter.clause(
    "SEG-031",
    Strength.REFERENCE,
    LimitClass.SOFT,
    SIZE,
    DISCARDED,
    slug="segments/retention/kept-bytes",
    fence=Fence(
        "the bytes that are kept of a log that has lost some",
        Unit.BYTES,
        "retention.bytes",
        never=UnreachableSides(
            Side.BELOW, "a segment goes only where so many bytes are left without it"
        ),
    ),
)
def at_least_so_many_bytes_are_kept(turn: Turn) -> Held | None:
    """Where retention.ms is -1, a segment is discarded only where the rest of the log has at least
    retention.bytes bytes.
    """
    settings = turn.settings
    gone = _discarded_batches(turn)
    if settings.retention_bytes == UNLIMITED or settings.retention_ms != UNLIMITED or not gone:
        return None
    kept = sum([batch.size for batch in turn.state.batches if batch.last >= _earliest(turn)])
    where = side(kept, settings.retention_bytes)
    if where is not Side.BELOW:
        return holds(where)
    why = f"expected {settings.retention_bytes} bytes or more to be kept, found {kept}"
    return breaks(Side.AT, why, "too few")


@at_least_so_many_bytes_are_kept.example("five segments of 100 bytes, of which 300 are kept")
def _five() -> Scenario:
    return retention_example(
        SegmentSettings(segment_bytes=100, retention_bytes=300), *batches(*[100] * 5)
    )


@at_least_so_many_bytes_are_kept.example("one byte more is kept by a segment more")
def _one_more() -> Scenario:
    return retention_example(
        SegmentSettings(segment_bytes=100, retention_bytes=301), *batches(*[100] * 5)
    )


@chapter.clause(
    "SEG-032",
    Strength.MUST,
    LimitClass.SOFT,
    TIME,
    slug="segments/retention/young-records",
)
def young_records_are_kept(turn: Turn) -> Held | None:
    """No record whose timestamp is less than retention.ms before the broker's time is discarded,
    where retention.bytes is -1.

    Times that are drawn lie more than ten minutes from the limit, more than clocks differ.
    """
    settings = turn.settings
    if settings.retention_ms == UNLIMITED or settings.retention_bytes != UNLIMITED:
        return None
    for batch in _discarded_batches(turn):
        if batch.time is not None and -batch.time + NEAR_MS < settings.retention_ms:
            why = f"retention.ms={settings.retention_ms}: expected a record of {-batch.time} ms ago"
            return fails(f"{why} to be kept, found the log start at {_earliest(turn)}", "discarded")
    return holds()


@young_records_are_kept.example("two old batches, a young one, and an old one behind it")
def _young() -> Scenario:
    settings = SegmentSettings(segment_bytes=100, retention_ms=HOUR_MS)
    times = (-2 * HOUR_MS, -2 * HOUR_MS, 0, -2 * HOUR_MS, 0)
    return retention_example(settings, *[AppendBatch(100, time=time) for time in times])


@chapter.clause(
    "SEG-033",
    Strength.REFERENCE,
    LimitClass.SOFT,
    DISCARDED,
    slug="segments/retention/discarded",
    timing_sensitive=True,
)
def old_segments_are_discarded(turn: Turn) -> Held | None:
    """Once log.retention.check.interval.ms has passed, the oldest segment is discarded, and the
    next one likewise, while the rest has at least retention.bytes bytes without it, or while its
    largest timestamp is older than retention.ms.

    By time, only logs are looked at of which each batch has a segment of its own: an old segment
    may go while it is the only one, so that the next batch begins another one than it would have.
    Left out are logs to which a batch came that was not stored, and those whose topic was altered.
    """
    settings = turn.settings
    if (settings.retention_bytes, settings.retention_ms) == (UNLIMITED, UNLIMITED):
        return None
    if turn.state.unstored or turn.state.altered:
        return None
    segments = cut_log(turn.state.readable, settings)
    if settings.retention_ms != UNLIMITED and any(len(segment) > 1 for segment in segments):
        return None
    expected = discardable(segments, settings)
    if _earliest(turn) >= expected:
        return holds()
    return fails(f"expected the log start at {expected}, found {_earliest(turn)}", "kept")


@old_segments_are_discarded.example("two old segments before a young one")
def _old() -> Scenario:
    settings = SegmentSettings(segment_bytes=100, retention_ms=HOUR_MS)
    times = (-2 * HOUR_MS, -2 * HOUR_MS, 0)
    return retention_example(settings, *[AppendBatch(100, time=time) for time in times])
