"""What the files of segments are: their names, their sizes, the entries of their indexes."""

from collections.abc import Sequence

from spec.clause import Chapter, Code, Doc, Held, breaks, fails, holds
from spec.fence import Fence, Unit, UnreachableSides
from spec.frozen import replace
from spec.in_words import in_words
from spec.scenario import Scenario
from spec.segments.clauses.places import entries_in_words, place_of, places_in_words, times_in_words
from spec.segments.examples import batches, edge, files
from spec.segments.outcomes import FilesSeen, SegmentBatch, SegmentFiles
from spec.segments.reasons import cut_log
from spec.segments.settings import UNLIMITED, SegmentSettings
from spec.segments.steps import AlterSegments, AppendBatch, UseSegments
from spec.segments.turn import Turn
from spec.steps import DeleteRecords
from spec.verdict import LimitClass, Side, Strength, side


def _of_files(turn: Turn) -> bool:
    return turn.place is None and isinstance(turn.outcome, FilesSeen)


chapter: Chapter[Turn] = Chapter(_of_files)

NAMED = Doc(
    "design documentation, log: each log file is named with the offset of the first message in it"
)
OFTEN = SegmentSettings(segment_bytes=1000, index_interval=250, index_bytes=4096)


def _segments(turn: Turn) -> tuple[SegmentFiles, ...]:
    assert isinstance(turn.outcome, FilesSeen)
    return turn.outcome.segments


def _appended_segments(turn: Turn) -> tuple[SegmentFiles, ...]:
    """The segments without batches that were laid, whose indexes were made when they were loaded,
    and without the active one that was empty then.
    """
    laid = {batch.base for batch in turn.state.batches[: turn.state.laid]}
    return tuple(
        [
            segment
            for segment in _segments(turn)
            if segment.batches and not any(batch.base in laid for batch in segment.batches)
        ]
    )


@chapter.clause(
    "SEG-002",
    Strength.MUST,
    LimitClass.HARD,
    NAMED,
    slug="segments/files/first-offset",
)
def a_segment_is_named_by_its_first_offset(turn: Turn) -> Held | None:
    """The files of a segment are named by the offset of the first record that was appended to it,
    in 20 digits: `00000000000000000000.log` for the first one of a log.
    """
    held = [segment for segment in _segments(turn) if segment.batches]
    if turn.state.readable and not _segments(turn):
        return fails("expected a .log for what can be read, found none", "no file")
    for segment in held:
        first = segment.batches[0].base
        if segment.base != first:
            why = f"expected a segment of offset {first} on by that name, found {segment.base}"
            return fails(why, "other name")
    return holds() if held else None


@a_segment_is_named_by_its_first_offset.example("eight batches of 100 bytes in segments of 300")
def _named_example() -> Scenario:
    return files(SegmentSettings(segment_bytes=300), *batches(*[100] * 8))


@chapter.clause(
    "SEG-021",
    Strength.MUST,
    LimitClass.SOFT,
    Doc("broker config log.segment.bytes: the maximum size of a single log file"),
    slug="segments/files/log-size",
    fence=Fence(
        "bytes of a .log",
        Unit.BYTES,
        "segment.bytes",
        never=UnreachableSides(Side.ABOVE, "no .log is larger than segment.bytes"),
    ),
)
def a_log_file_is_at_most_so_large(turn: Turn) -> Held | None:
    """The batches of no .log have more bytes together than segment.bytes, where that was never
    altered.
    """
    if turn.state.altered:
        return None
    limit, where = turn.settings.segment_bytes, Side.NONE
    for segment in _segments(turn):
        if segment.size > limit:
            why = f"segment {segment.base}: expected at most {limit} bytes, found {segment.size}"
            return breaks(Side.AT, why, "too large")
        where |= side(segment.size, limit)
    return holds(where) if where else None


@a_log_file_is_at_most_so_large.example("a segment of 250 bytes that is exactly full")
def _full() -> Scenario:
    return files(SegmentSettings(segment_bytes=250), *batches(100, 150, 100, 151))


@chapter.clause(
    "SEG-009",
    Strength.REFERENCE,
    LimitClass.SOFT,
    Doc(
        "config preallocate: true if the file should be preallocated on disk when a new log "
        "segment is created"
    ),
    Code("LogSegment.java", "682-687"),
    slug="segments/files/preallocated",
)
def a_preallocated_log_has_all_its_bytes(turn: Turn) -> Held | None:
    """Under preallocate=true, the .log of the active segment has segment.bytes bytes on disk from
    its begin on; once another segment begins behind it, the file is cut to its batches. What is
    fetched, and the size in DescribeLogDirs, are those of the batches (SEG-016, SEG-018).

    Left out are segments that lay there when the broker started, as the only one of a log may have
    though it was empty: a clean stop cuts it.
    """
    limit, seen = turn.settings.segment_bytes, _segments(turn)
    if not turn.settings.preallocate or turn.state.laid or turn.state.altered:
        return None
    looked = [one for one in seen if one.log_size is not None and len(seen) > 1]
    for segment in looked:
        active = segment is seen[-1]
        expected = limit if active else segment.size
        if segment.log_size != expected:
            why = f"segment {segment.base}: expected {expected} bytes of .log, found "
            return fails(f"{why}{segment.log_size}", "not preallocated" if active else "not cut")
    return holds() if looked else None


@a_preallocated_log_has_all_its_bytes.example(
    "three batches fill a segment, and one begins another"
)
def _preallocated_example() -> Scenario:
    return files(SegmentSettings(segment_bytes=300, preallocate=True), *batches(*[100] * 4))


@chapter.clause(
    "SEG-022",
    Strength.MUST,
    LimitClass.SOFT,
    Doc("broker config log.index.size.max.bytes: the maximum size in bytes of the offset index"),
    slug="segments/files/index-size",
    fence=Fence(
        "bytes of an .index",
        Unit.BYTES,
        "segment.index.bytes",
        never=UnreachableSides(Side.ABOVE, "no .index is larger than segment.index.bytes"),
    ),
)
def an_index_file_is_at_most_so_large(turn: Turn) -> Held | None:
    """No .index has more bytes than segment.index.bytes, where that was never altered."""
    if turn.state.altered:
        return None
    limit, where = turn.settings.index_bytes, Side.NONE
    for segment in _segments(turn):
        if segment.index_size > limit:
            found = segment.index_size
            why = f"segment {segment.base}: expected at most {limit} bytes of index, found {found}"
            return breaks(Side.AT, why, "too large")
        where |= side(segment.index_size, limit)
    return holds(where) if where else None


@an_index_file_is_at_most_so_large.example("24 bytes of index, all of which are used")
def _used_example() -> Scenario:
    return files(SegmentSettings(index_bytes=24, index_interval=0), *batches(*[100] * 5))


@chapter.clause(
    "SEG-023",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("UnifiedLog.java", "1115-1292"),
    slug="segments/files/records",
)
def files_hold_every_batch_once(turn: Turn) -> Held | None:
    """The .logs hold each batch that was accepted and has a record from the log start on, once, in
    order, of the size that was sent.
    """
    start = turn.state.start
    expected = [place_of(one) for one in turn.state.readable]
    found = [
        place_of(one) for segment in _segments(turn) for one in segment.batches if one.last >= start
    ]
    if found == expected:
        return holds()
    why = f"expected the batches {places_in_words(expected)}, found {places_in_words(found)}"
    return fails(why, "other batches")


@files_hold_every_batch_once.example("three segments")
def _held_example() -> Scenario:
    return files(SegmentSettings(segment_bytes=250), *batches(100, 150, 100, 151))


@chapter.clause(
    "SEG-012",
    Strength.REFERENCE,
    LimitClass.SOFT,
    Code("UnifiedLog.java", "deleteLogStartOffsetBreachedSegments"),
    slug="segments/files/whole",
)
def deleted_records_go_with_their_segment(turn: Turn) -> Held | None:
    """Records that are deleted, or discarded by retention.bytes, leave the disk with their whole
    segment and no sooner: the first .log that is there begins with a batch that began a segment
    when it was appended, wherever in that segment the log start lies.

    When segments go is not said: a broker looks each log.retention.check.interval.ms, five minutes
    by default. Left out are logs with a batch without timestamp, for which the clock may have begun
    a segment, with a retention.ms, those that lay there when the broker started, those to which a
    batch came that was not stored (SEG-010), and those whose topic was altered.
    """
    state, settings = turn.state, turn.settings
    clocked = any(batch.time is None for batch in state.batches)
    if not state.start or state.laid or clocked or settings.retention_ms != UNLIMITED:
        return None
    if state.unstored or state.altered:
        return None
    held = [segment.batches[0].base for segment in _segments(turn) if segment.batches]
    begun = [segment[0].base for segment in cut_log(state.batches, settings)]
    if not held:
        return None
    if held[0] in begun:
        return holds()
    why = f"expected a .log from one of {in_words(begun)} on, found {held[0]}"
    return fails(why, "cut within a segment")


@deleted_records_go_with_their_segment.example("records deleted into the midst of a segment")
def _deleted_example() -> Scenario:
    return files(SegmentSettings(segment_bytes=300), *batches(*[100] * 5), DeleteRecords(0, 4))


@chapter.clause(
    "SEG-013",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("LogLoader.java", "376-390"),
    Code("LogLoader.java", "454-480"),
    slug="segments/files/torn",
)
def a_torn_end_is_cut_off(turn: Turn) -> Held | None:
    """Part of a batch, or a batch with a wrong checksum, that lies behind the last whole batch with
    a right one of the last segment is cut off when the broker starts, after a clean stop too, where
    the segment has no .index: its .log has the bytes of its batches then. A broker that writes
    while its files are read may have another number of bytes behind them.
    """
    return None if turn.state.indexed else _cut(turn)


def _cut(turn: Turn) -> Held | None:
    """Hold that nothing lies behind the batches of the segment that had a torn end."""
    state = turn.state
    if not state.torn or not state.laid:
        return None
    last = state.batches[state.laid - 1].base
    for segment in _segments(turn):
        if segment.log_size is None or not any(one.base == last for one in segment.batches):
            continue
        behind = segment.log_size - segment.size
        if not behind or (segment is _segments(turn)[-1] and behind != state.torn):
            return holds()
        why = f"segment {segment.base}: expected {segment.size} bytes of .log, found "
        return fails(f"{why}{segment.log_size}", "not cut")
    return None


@a_torn_end_is_cut_off.example("half a batch behind a batch, and a batch that is appended then")
def _torn_example() -> Scenario:
    return edge(UseSegments(torn=50), None, *batches(100))


@a_torn_end_is_cut_off.example("a whole batch with a wrong checksum")
def _wrong_checksum() -> Scenario:
    return edge(UseSegments(torn=100), None, *batches(100))


@chapter.clause(
    "SEG-027",
    Strength.MUST,
    LimitClass.HARD,
    Doc(
        "implementation documentation, log, guarantees: on startup the newest segment's messages "
        "are verified, and the log is truncated to the last valid offset"
    ),
    slug="segments/files/torn-with-index",
)
def a_torn_end_is_cut_off_beside_an_index(turn: Turn) -> Held | None:
    """Part of a batch that lies behind the last whole one of the last segment is cut off when the
    broker starts, also where the segment has its .index: its .log has the bytes of its batches
    then. A broker that writes while its files are read may have another number of bytes behind
    them.
    """
    return _cut(turn) if turn.state.indexed else None


@a_torn_end_is_cut_off_beside_an_index.example("half a batch behind a batch, and an empty .index")
def _torn_beside_an_index() -> Scenario:
    return edge(UseSegments(torn=50, indexed=True), None)


def expected_offsets(
    held: Sequence[SegmentBatch], base: int, interval: int
) -> list[tuple[int, int]]:
    """The entries of a segment's offset index."""
    found, position, since = [], 0, 0
    for batch in held:
        if since > interval:
            found.append((batch.last - base, position))
            since = 0
        position, since = position + batch.size, since + batch.size
    return found


@chapter.clause(
    "SEG-006",
    Strength.REFERENCE,
    LimitClass.SOFT,
    Code("LogSegment.java", "263-278"),
    slug="segments/index/offset-entries",
    fence=Fence(
        "bytes since the batch that has the last entry, that batch included",
        Unit.BYTES,
        "index.interval.bytes",
    ),
)
def an_offset_index_has_an_entry_for_so_many_bytes(turn: Turn) -> Held | None:
    """A batch gets an entry in the offset index if the bytes of its segment since the last batch
    that got one, that batch included, or from the segment's begin where none did, are more than
    index.interval.bytes without its own; the entry has its last offset less the segment's base, and
    its position. Left out are topics that were altered (SEG-029).
    """
    if turn.state.altered:
        return None
    interval, where = turn.settings.index_interval, Side.NONE
    for segment in _appended_segments(turn):
        expected = expected_offsets(segment.batches, segment.base, interval)
        if list(segment.offsets) != expected:
            why = (
                f"segment {segment.base} under index.interval.bytes={interval}: expected the "
                f"entries {entries_in_words(expected)}, found {entries_in_words(segment.offsets)}"
            )
            early = len(segment.offsets) > len(expected)
            return breaks(Side.AT, why, "more" if early else "other")
        where |= _sides(segment, interval)
    return holds(where) if where else None


def _sides(segment: SegmentFiles, interval: int) -> Side:
    """Where the batches of a segment stand, those that get no entry too."""
    where, since = Side.NONE, 0
    for number, batch in enumerate(segment.batches):
        if number:
            where |= side(since, interval)
        since = batch.size + (0 if since > interval else since)
    return where


@an_offset_index_has_an_entry_for_so_many_bytes.example("an entry for 250 bytes, and for 200")
def _entries() -> Scenario:
    return files(OFTEN, *batches(*[100] * 9))


@an_offset_index_has_an_entry_for_so_many_bytes.example("as many bytes as the interval: no entry")
def _no_entry() -> Scenario:
    settings = SegmentSettings(segment_bytes=1000, index_interval=200, index_bytes=4096)
    return files(settings, *batches(*[100] * 9))


@an_offset_index_has_an_entry_for_so_many_bytes.example("one byte more, again and again")
def _each_time() -> Scenario:
    settings = SegmentSettings(segment_bytes=1000, index_interval=200, index_bytes=4096)
    return files(settings, *batches(*[201] * 4))


def expected_times(segment: SegmentFiles, interval: int) -> list[tuple[int, int]]:
    """The entries of a segment's time index before the one that closes it."""
    found: list[tuple[int, int]] = []
    largest, since = None, 0
    for batch in segment.batches:
        if batch.time is not None and (largest is None or batch.time > largest[0]):
            largest = batch.time, batch.last - segment.base
        if since > interval:
            if largest is not None and (not found or largest[0] > found[-1][0]):
                found.append(largest)
            since = 0
        since += batch.size
    return found


def _other_times(segment: SegmentFiles, expected: Sequence[tuple[int, int]]) -> str:
    found = times_in_words(segment.times)
    return f"segment {segment.base}: expected the times {times_in_words(expected)}, found {found}"


@chapter.clause(
    "SEG-007",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("LogSegment.java", "263-278"),
    Code("TimeIndex.java", "190-220"),
    slug="segments/index/time-entries",
)
def a_time_index_has_the_largest_time_so_far(turn: Turn) -> Held | None:
    """With each entry of the offset index, the time index gets one if the largest timestamp so far
    is above that of its last entry: that timestamp, and the last offset of the first batch that had
    it, less the segment's base. Left out are topics that were altered (SEG-029).
    """
    if turn.state.altered:
        return None
    exercised = False
    for segment in _appended_segments(turn):
        expected = expected_times(segment, turn.settings.index_interval)
        found = list(segment.times[: len(expected)])
        more = segment.times[len(expected) :]
        closing = len(more) == 1 and segment is not _segments(turn)[-1]
        if found != expected or (more and not closing):
            return fails(_other_times(segment, expected), "other times")
        exercised |= bool(expected)
    return holds() if exercised else None


@a_time_index_has_the_largest_time_so_far.example("times that rise, stay and fall")
def _times() -> Scenario:
    times = (0, 5, 3, 3, 9, 1, 9, 10, 2)
    return files(
        SegmentSettings(segment_bytes=1000, index_interval=100, index_bytes=4096),
        *[AppendBatch(100, time=time) for time in times],
    )


@chapter.clause(
    "SEG-029",
    Strength.REFERENCE,
    LimitClass.SOFT,
    Code("LogSegment.java", "open"),
    slug="segments/index/altered",
)
def a_segment_keeps_its_interval(turn: Turn) -> Held | None:
    """Once index.interval.bytes of a topic is altered, the active segment gets the entries of its
    indexes (SEG-006, SEG-007) by the interval that the topic had when the segment was begun; those
    that begin later get them by the new one.
    """
    if not turn.state.altered or turn.state.unstored:
        return None
    exercised = False
    for segment in _appended_segments(turn):
        first, last = segment.batches[0].base, segment.batches[-1].base
        interval = turn.state.begun_under(first).index_interval
        expected = expected_offsets(segment.batches, segment.base, interval)
        if list(segment.offsets) != expected:
            return fails(
                f"segment {segment.base}, begun under index.interval.bytes={interval}: expected "
                f"the entries {entries_in_words(expected)}, found "
                f"{entries_in_words(segment.offsets)}",
                "other interval",
            )
        times = expected_times(segment, interval)
        if list(segment.times[: len(times)]) != times:
            return fails(_other_times(segment, times), "other times")
        later = turn.state.settings_at(last).index_interval
        exercised |= expected_offsets(segment.batches, segment.base, later) != expected
    return holds() if exercised else None


@a_segment_keeps_its_interval.example("an interval that is shorter from the next segment on")
def _interval_altered() -> Scenario:
    rarely = SegmentSettings(segment_bytes=500, index_interval=250, index_bytes=4096)
    always = replace(rarely, index_interval=0)
    return files(rarely, *batches(100, 100), AlterSegments(always), *batches(*[100] * 6))


@chapter.clause(
    "SEG-008",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("LogSegment.java", "490-520"),
    Code("LogSegment.java", "onBecomeInactiveSegment"),
    slug="segments/index/closed",
)
def a_closed_segment_has_its_largest_time(turn: Turn) -> Held | None:
    """Once another segment begins behind it, the last entry of a segment's time index has the
    largest timestamp of its batches (it has no entry where no batch has a timestamp), and its index
    files are cut to their entries: 8 bytes for each of the .index, 12 for each of the .timeindex.
    """
    closed = [one for one in _appended_segments(turn) if one is not _segments(turn)[-1]]
    for segment in closed:
        times = [batch.time for batch in segment.batches if batch.time is not None]
        found = segment.times[-1][0] if segment.times else None
        expected = max(times, default=None)
        if found != expected:
            return fails(
                f"segment {segment.base}: expected the time {in_words(expected)} last, found "
                f"{in_words(found)}",
                "not closed",
            )
        sizes = segment.index_size, segment.time_index_size
        expected_sizes = 8 * len(segment.offsets), 12 * len(segment.times)
        if sizes != expected_sizes:
            why = f"expected indexes of {in_words(expected_sizes)} bytes, found {in_words(sizes)}"
            return fails(why, "not cut")
    return holds() if closed else None


@a_closed_segment_has_its_largest_time.example("two segments")
def _closed_example() -> Scenario:
    return files(OFTEN, *[AppendBatch(100, time=time) for time in range(14)])
