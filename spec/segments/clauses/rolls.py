"""When a new segment begins."""

from spec.clause import Chapter, Code, Held, Report, breaks, fails, holds
from spec.fence import Fence, Unit, UnreachableSides
from spec.kafka import INT32_MAX
from spec.scenario import Scenario
from spec.segments.examples import batches, edge, far_batch, scenario
from spec.segments.reasons import FEW_BYTES, Reason, age, places_left, reasons, suspected_reason
from spec.segments.settings import WEEK_MS, SegmentSettings
from spec.segments.steps import AlterSegments, AppendBatch, UseSegments
from spec.segments.turn import Turn, is_about_one_batch
from spec.verdict import LimitClass, Side, Strength, side

chapter: Chapter[Turn] = Chapter(
    is_about_one_batch,
    "A batch is left out before which one came that was not stored (SEG-010), or since whose "
    "segment began the topic was altered (SEG-028), or that has another reason as well. A segment "
    "that begins for none of the four reasons is put down to one of them.",
)
altered = chapter.under(is_about_one_batch)

ROLL = Code("LogSegment.java", "167-173")


def judge_reason(turn: Turn, reason: Reason, where: Side, what: str) -> Held | None:
    """Whether a segment begins for this reason and without it does not; None where another reason
    decides, or configs were altered meanwhile (SEG-028).
    """
    place = turn.batch_place
    given = reasons(place, turn.settings)
    if given is None or place.unstored or turn.spans_alteration:
        return None
    if reason in given:
        if place.begins:
            return holds(where)
        return breaks(where, f"{what}: expected a new segment, found the same", "too late")
    if given:
        return None
    if not place.begins:
        return holds(where)
    if suspected_reason(place, turn.settings) is not reason:
        return None
    return breaks(where, f"{what}: expected the same segment, found a new one", "too early")


@chapter.clause(
    "SEG-001",
    Strength.REFERENCE,
    LimitClass.SOFT,
    ROLL,
    slug="segments/roll/size",
    fence=Fence(
        "the bytes of the active segment and of the batch together", Unit.BYTES, "segment.bytes"
    ),
)
def a_segment_is_at_most_full(turn: Turn) -> Held | None:
    """A batch begins a new segment if the bytes of the active segment and its own are more than
    segment.bytes together; if they are at most that, it begins none for this reason, so that a
    segment may be exactly full.

    Segments are seen where the answers to fetches end, since a broker reads one at a time, or in
    its files.
    """
    place = turn.batch_place
    size, limit = place.size + place.batch.size, turn.settings.segment_bytes
    what = f"{place.size} bytes and {place.batch.size} more under segment.bytes={limit}"
    return judge_reason(turn, Reason.SIZE, side(size, limit), what)


@a_segment_is_at_most_full.example("a segment of 250 bytes that is exactly full")
def _full() -> Scenario:
    return scenario(SegmentSettings(segment_bytes=250), *batches(100, 150, 100, 151))


@a_segment_is_at_most_full.example("one byte below the limit, at it, and one byte past it")
def _around() -> Scenario:
    return scenario(SegmentSettings(segment_bytes=1000), *batches(500, 499, 500, 500, 500, 501))


@chapter.clause(
    "SEG-003",
    Strength.REFERENCE,
    LimitClass.SOFT,
    ROLL,
    Code("LogSegment.java", "692-716"),
    slug="segments/roll/time",
    fence=Fence(
        "the timestamp of the batch less that of the first batch of the active segment",
        Unit.MILLISECONDS,
        "segment.ms",
    ),
)
def a_segment_is_at_most_so_old(turn: Turn) -> Held | None:
    """A batch begins a new segment if its largest timestamp is more than segment.ms later than the
    largest one of the first batch of the active segment; if it is at most that later, earlier, or
    none, it begins none for this reason. segment.jitter.ms is 0.

    Times are those of records, not of the clock, also for a segment that lies there when the broker
    starts. A segment whose first batch has no timestamp is left out, since there the clock decides,
    and so are values of segment.ms of a week and more.
    """
    waited, limit = age(turn.batch_place), turn.settings.segment_ms
    if waited is None or limit >= WEEK_MS:
        return None
    what = f"{waited} ms later than the first batch under segment.ms={limit}"
    return judge_reason(turn, Reason.TIME, side(waited, limit), what)


@a_segment_is_at_most_so_old.example("1000 ms later, 1001 ms later, and earlier")
def _old() -> Scenario:
    times = (10_000, 11_000, 11_001, 5_000, None)
    return scenario(
        SegmentSettings(segment_ms=1000), *[AppendBatch(100, time=time) for time in times]
    )


@a_segment_is_at_most_so_old.example("what counts is the first batch, not the latest")
def _first() -> Scenario:
    times = (51_000, 50_000, 51_900, 52_001)
    return scenario(
        SegmentSettings(segment_ms=1000), *[AppendBatch(100, time=time) for time in times]
    )


@a_segment_is_at_most_so_old.example("1000 ms, then 1001 ms later than one that was there before")
def _there_before() -> Scenario:
    steps = [AppendBatch(100, time=time) for time in (1000, 1001)]
    return edge(UseSegments(SegmentSettings(segment_ms=1000)), None, *steps)


@chapter.clause(
    "SEG-005",
    Strength.REFERENCE,
    LimitClass.SOFT,
    ROLL,
    Code("TimeIndex.java", "122-124"),
    Code("AbstractIndex.java", "159-161"),
    Report("KAFKA-12555"),
    slug="segments/roll/index",
    fence=Fence(
        "entries in the fuller of the two indexes",
        Unit.VALUES,
        "those that it takes before a new segment begins",
        never=UnreachableSides(
            Side.ABOVE, "a full index begins a new segment, so that none takes more"
        ),
    ),
)
def a_full_index_begins_a_segment(turn: Turn) -> Held | None:
    """A batch begins a new segment if the offset index of the active segment has
    `floor(segment.index.bytes / 8)` entries, or its time index `floor(segment.index.bytes / 12) -
    1`, one place being kept for the entry that closes it; if both have fewer, it begins none for
    this reason.

    How many entries there are follows from index.interval.bytes: a batch adds one if more bytes
    than that came since the last one, and the time index gets one only for a later timestamp.
    Values of segment.index.bytes from 1024 on are left out.
    """
    if turn.settings.index_bytes >= FEW_BYTES:
        return None
    left = places_left(turn.batch_place, turn.settings)
    where = Side.BELOW if left > 0 else Side.AT
    what = f"{max(left, 0)} places left under segment.index.bytes={turn.settings.index_bytes}"
    return judge_reason(turn, Reason.INDEX, where, what)


@a_full_index_begins_a_segment.example("36 bytes of index: three batches with rising timestamps")
def _rising() -> Scenario:
    settings = SegmentSettings(index_bytes=36, index_interval=0)
    return scenario(settings, *[AppendBatch(100, time=time) for time in range(8)])


@a_full_index_begins_a_segment.example("36 bytes of index: five batches with one timestamp")
def _constant() -> Scenario:
    settings = SegmentSettings(index_bytes=36, index_interval=0)
    return scenario(settings, *[AppendBatch(100)] * 11)


@a_full_index_begins_a_segment.example("12 bytes of index: a batch for each segment")
def _each() -> Scenario:
    settings = SegmentSettings(index_bytes=12, index_interval=0)
    return scenario(settings, *[AppendBatch(100)] * 3)


@chapter.clause(
    "SEG-011",
    Strength.REFERENCE,
    LimitClass.HARD,
    ROLL,
    Code("LogSegment.java", "236-238"),
    Report("KAFKA-5413"),
    slug="segments/roll/relative-offset",
    fence=Fence(
        "the last offset of the batch less the base offset of the active segment",
        Unit.OFFSETS,
        "2147483647",
    ),
)
def a_relative_offset_is_an_int32(turn: Turn) -> Held | None:
    """A batch begins a new segment if its last offset is more than 2147483647 above the base offset
    of the active segment, also one that lies there when the broker starts; if it is at most that,
    it begins none for this reason.

    Indexes keep offsets relative to the base as int32.
    """
    place = turn.batch_place
    far = place.batch.last - place.base
    if far <= INT32_MAX // 2:
        return None
    what = f"a last offset {far} above the base of the segment"
    return judge_reason(turn, Reason.OFFSET, side(far, INT32_MAX), what)


@a_relative_offset_is_an_int32.example("the last offset of a segment, and one more")
def _far() -> Scenario:
    return edge(UseSegments(), far_batch(left=2), *batches(100, 100, 100))


@a_relative_offset_is_an_int32.example("a segment that reaches too far when the broker starts")
def _split_example() -> Scenario:
    return edge(UseSegments(base=2**32), far_batch(left=-1), *batches(100))


@altered.clause(
    "SEG-028",
    Strength.REFERENCE,
    LimitClass.SOFT,
    Code("UnifiedLog.java", "maybeRoll"),
    Code("LogSegment.java", "open"),
    slug="segments/roll/altered",
)
def altered_configs_decide_about_the_next_batch(turn: Turn) -> Held | None:
    """Once segment.bytes or segment.ms of a topic is altered, the next batch already begins a new
    segment if and only if it has a reason by the new values, whatever held when the active segment
    was begun. segment.index.bytes and index.interval.bytes of the active segment stay as they were
    when it was begun, so that its index is full when it would have been.

    Looked at are the batches for which the configs before and after would not all say the same, and
    before which none came that was not stored (SEG-010).
    """
    place = turn.batch_place
    if place.unstored or not turn.spans_alteration:
        return None
    begun = turn.state.begun_under(place.base)
    now = turn.state.settings_at(place.batch.base)
    given = [reasons(place, settings) for settings in (turn.settings, begun, now)]
    if None in given or len({bool(one) for one in given}) == 1:
        return None
    expected = given[0]
    if bool(expected) == place.begins:
        return holds()
    new = f"segment.bytes={now.segment_bytes}, segment.ms={now.segment_ms}"
    if place.begins:
        return fails(f"{new}: expected the same segment, found a new one", "too early")
    names = ", ".join(sorted(expected or ()))
    return fails(f"{new}: expected a new segment by {names}, found the same", "too late")


@altered_configs_decide_about_the_next_batch.example("segment.bytes is lowered, and raised")
def _other_size() -> Scenario:
    lower, higher = SegmentSettings(segment_bytes=250), SegmentSettings(segment_bytes=500)
    return scenario(
        SegmentSettings(segment_bytes=400),
        *batches(100, 100),
        AlterSegments(lower),
        *batches(100, 100),
        AlterSegments(higher),
        *batches(100, 100),
    )


@altered_configs_decide_about_the_next_batch.example("segment.ms is lowered")
def _sooner() -> Scenario:
    return scenario(
        SegmentSettings(segment_ms=1000),
        AppendBatch(100, time=0),
        AlterSegments(SegmentSettings(segment_ms=500)),
        AppendBatch(100, time=501),
        AppendBatch(100, time=1001),
    )


@altered_configs_decide_about_the_next_batch.example("an index that is larger from now on")
def _larger_index() -> Scenario:
    settings = SegmentSettings(index_bytes=24, index_interval=0)
    larger = SegmentSettings(index_bytes=4096, index_interval=0)
    times = [AppendBatch(100, time=time) for time in range(8)]
    return scenario(settings, times[0], AlterSegments(larger), *times[1:])
