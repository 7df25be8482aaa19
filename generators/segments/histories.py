"""What is appended to segments: batches whose sizes and times lie around what the active segment
still takes, and looks at the log from outside.
"""

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from generators.numbers import below
from generators.shapes import GAPS, minimum_size
from generators.weighted import chance, several, weighted
from spec.frozen import replace
from spec.kafka import INT32_MAX
from spec.layout import Batch, Layout, Partition
from spec.scenario import Scenario
from spec.segments.examples import far_batch
from spec.segments.initial_log import laid_log
from spec.segments.model import (
    SegmentLog,
    append,
    leave_unstored,
    note_alteration,
    repeated_at,
)
from spec.segments.outcomes import SegmentBatch
from spec.segments.settings import LARGEST_APPEND, SMALLEST_SEGMENT, WEEK_MS, SegmentSettings
from spec.segments.steps import (
    EARLIEST,
    EARLIEST_LOCAL,
    LARGEST,
    LATEST,
    TORN,
    AlterSegments,
    AppendBatch,
    AskOffset,
    AskTime,
    DescribeLogDirs,
    LookAtFiles,
    ReadSegments,
    ResendBatch,
    SegmentStep,
    UseSegments,
)
from spec.steps import DeleteRecords

ROOMY = 4096
"""`segment.index.bytes` where the index is not what is tried; it takes its bytes at once."""
BY_SIZE = (
    SegmentSettings(segment_bytes=1000, index_bytes=ROOMY),
    SegmentSettings(segment_bytes=400, index_bytes=ROOMY),
)
BY_TIME = (
    SegmentSettings(segment_ms=1000, index_bytes=ROOMY),
    SegmentSettings(segment_bytes=1000, segment_ms=1000, index_bytes=ROOMY),
)
BY_INDEX = (
    SegmentSettings(index_bytes=36, index_interval=0),
    SegmentSettings(index_bytes=24, index_interval=100),
    SegmentSettings(index_bytes=12, index_interval=0),
)
INDEXED = (
    SegmentSettings(segment_bytes=1000, index_bytes=ROOMY, index_interval=200),
    SegmentSettings(1000, index_bytes=ROOMY, index_interval=0, preallocate=True),
)
MIXED = SegmentSettings(1000, 1000, 36, 100)
PUBLIC = SegmentSettings(segment_bytes=SMALLEST_SEGMENT, index_bytes=ROOMY)
"""The smallest segments that any broker may be asked for since KIP-1030."""
TOPICS = (*BY_SIZE, *BY_TIME, *BY_INDEX, *INDEXED, MIXED, PUBLIC)
"""The topics of a run: few, since each is made on the broker."""
OF_PUBLIC = 300_000
"""Bytes of the smallest batch that is drawn for segments of 1 MiB."""
SMALL = (100, 150, 200, 300)
MOST_TIMES = 8
"""Times that are looked up at the end of a history."""
LATER = 3_600_000
"""Milliseconds from the last record on, later than any `segment.ms` that is drawn."""

_topics = weighted(
    (BY_SIZE[0], 8),
    (BY_SIZE[1], 3),
    (BY_TIME[0], 6),
    (BY_TIME[1], 3),
    (BY_INDEX[0], 4),
    (BY_INDEX[1], 3),
    (BY_INDEX[2], 1),
    (INDEXED[0], 4),
    (INDEXED[1], 2),
    (MIXED, 4),
    (PUBLIC, 1),
)
_counts = several(1, 12, 88)
_records = weighted((1, 5), (2, 2), (5, 1), (20, 1))
_sizes = weighted(
    ("small", 6), ("fits", 3), ("past", 3), ("below", 2), ("limit", 1), ("above limit", 1)
)
_times = weighted(
    ("same", 4), ("next", 4), ("at", 3), ("past", 3), ("below", 2), ("earlier", 2), ("later", 1)
)
_small = below(len(SMALL)).map(lambda number: SMALL[number])
_untimed = weighted((False, 9), (True, 1))
_looks = weighted((None, 10), ("sizes", 1), ("ends", 1), ("read", 1), ("delete", 2), ("files", 1))
_idempotent = weighted((False, 7), (True, 2))
_resent = weighted((None, 6), (0, 2), (1, 1))
"""Whether the last batch is sent again after one, and how many sequence numbers are left out."""
_shown = chance(29, 1)
"""Whether a part of the look at the end is taken: a small case needs few of them."""
_altered_topics = weighted(
    *[(BY_SIZE[0], 2), (BY_TIME[0], 5), (BY_TIME[1], 1)],
    *[(BY_INDEX[0], 2), (BY_INDEX[1], 2), (INDEXED[0], 3)],
)
_alters = weighted((False, 2), (True, 1))
_altered_fields = weighted(("own", 6), ("size", 1), ("time", 1), ("interval", 1), ("index", 1))
_altered_values = below(3)
_ends = weighted((EARLIEST, 2), (EARLIEST_LOCAL, 1), (LATEST, 1))


def size_of(kind: str, small: int, records: int, log: SegmentLog, settings: SegmentSettings) -> int:
    """Bytes of a batch: small, or by what is left in the active segment, or by segment.bytes; never
    fewer than so many records take.
    """
    limit, left = settings.segment_bytes, settings.segment_bytes - log.active.size
    if settings.segment_bytes == SMALLEST_SEGMENT:
        small = OF_PUBLIC + small
    if SMALLEST_SEGMENT < settings.segment_bytes < INT32_MAX or kind == "small":
        wanted = small
    else:
        sizes = {
            "fits": left,
            "past": left + 1,
            "below": left - 1,
            "limit": limit,
            "above limit": limit + 1,
        }
        wanted = sizes[kind]
    size = max(wanted, minimum_size(records))
    return size + 1 if size in GAPS else size


def time_of(kind: str, log: SegmentLog, settings: SegmentSettings) -> int:
    """The time of a batch: by that of the last one, or by the first of the active segment."""
    held = log.active.batches
    first = (held[0].time or 0) if held else 0
    last = (held[-1].time or 0) if held else 0
    limit = settings.segment_ms
    if limit >= WEEK_MS and kind in {"at", "past", "below"}:
        return last + len(held)
    times = {
        "same": last,
        "next": last + 1,
        "at": first + limit,
        "past": first + limit + 1,
        "below": first + limit - 1,
        "earlier": first - 500,
        "later": last + LATER,
    }
    return times[kind]


@st.composite
def _batches(draw: st.DrawFn, log: SegmentLog, settings: SegmentSettings) -> AppendBatch:
    records = draw(_records)
    size = size_of(draw(_sizes), draw(_small), records, log, settings)
    time: int | None = time_of(draw(_times), log, settings)
    if log.active.batches and settings in BY_TIME[:1] and draw(_untimed):
        time = None
    return AppendBatch(size, records, time)


@st.composite
def _look(draw: st.DrawFn, kind: str, log: SegmentLog) -> SegmentStep:
    if kind == "sizes":
        return DescribeLogDirs()
    if kind == "ends":
        return AskOffset(draw(_ends))
    if kind == "read":
        return ReadSegments()
    if kind == "files":
        return LookAtFiles()
    return DeleteRecords(0, log.start + draw(st.integers(0, log.end - log.start)))


def _lookups(log: SegmentLog) -> tuple[SegmentStep, ...]:
    """Lookups of the largest timestamp and of the first ones that batches have; nothing is drawn
    for them.
    """
    times = [batch.time or 0 for segment in log.segments for batch in segment.batches]
    asked = list(dict.fromkeys([*times, *[time + 1 for time in times]]))[:MOST_TIMES]
    return (*[AskTime(time) for time in asked], AskOffset(LARGEST))


def log_after(
    log: SegmentLog, step: AppendBatch | DeleteRecords, settings: SegmentSettings
) -> SegmentLog:
    """The reference's log after a step that changes it."""
    if isinstance(step, DeleteRecords):
        return SegmentLog(step.offset, log.segments)
    if step.size > settings.segment_bytes:
        return log
    batch = SegmentBatch(log.end, log.end + step.records - 1, step.size, step.time)
    return append(log, batch, settings)


@st.composite
def _histories(draw: st.DrawFn) -> Scenario:
    settings, log = draw(_topics), SegmentLog()
    steps: list[SegmentStep] = []
    idempotent, numbered = draw(_idempotent), None
    for _ in range(draw(_counts)):
        batch = replace(draw(_batches(log, settings)), idempotent=idempotent)
        steps.append(batch)
        before, log = log.end, log_after(log, batch, settings)
        if idempotent and log.end > before:
            numbered = log.active.batches[-1]
        skipped = draw(_resent) if numbered is not None else None
        if numbered is not None and skipped is not None:
            steps.append(ResendBatch(skipped))
            log = leave_unstored(log, repeated_at(numbered, log.end), settings)
        look = draw(_looks)
        if look is not None:
            step = draw(_look(look, log))
            steps.append(step)
            if isinstance(step, DeleteRecords):
                log = log_after(log, step, settings)
    end = draw(_last_looks(log))
    return Scenario(Layout((Partition(),)), (UseSegments(settings), *steps, *end))


@st.composite
def _last_looks(draw: st.DrawFn, log: SegmentLog) -> tuple[SegmentStep, ...]:
    """A look at the whole log from all sides, with hardly a side left out."""
    ends = AskOffset(draw(_ends))
    every: tuple[tuple[SegmentStep, ...], ...] = (
        _lookups(log),
        (ReadSegments(),),
        (DescribeLogDirs(),),
        (ends,),
        (LookAtFiles(),),
    )
    return tuple([step for some in every if draw(_shown) for step in some])


def _tried_field(settings: SegmentSettings) -> str:
    """What is altered of a topic that was made to try it."""
    if settings.index_bytes < ROOMY:
        return "index"
    if settings.index_interval < SegmentSettings().index_interval:
        return "interval"
    return "time" if settings.segment_ms < WEEK_MS else "size"


@st.composite
def _altered_settings(draw: st.DrawFn, settings: SegmentSettings) -> SegmentSettings:
    """Settings with another value of one config.

    segment.index.bytes is only raised: a broker whose active segment has a larger index than that
    does not start any more (docs/kafka/smaller-index.md).
    """
    number, field = draw(_altered_values), draw(_altered_fields)
    match _tried_field(settings) if field == "own" else field:
        case "size":
            return replace(settings, segment_bytes=(400, 700, 1000)[number])
        case "time":
            return replace(settings, segment_ms=(500, 2000, WEEK_MS)[number])
        case "interval":
            return replace(settings, index_interval=(0, 200, 4096)[number])
    return replace(settings, index_bytes=max(settings.index_bytes, (36, 48, ROOMY)[number]))


@st.composite
def _altered_histories(draw: st.DrawFn) -> Scenario:
    first = settings = draw(_altered_topics)
    log = SegmentLog()
    steps: list[SegmentStep] = []
    for _ in range(draw(_counts)):
        if draw(_alters):
            log = note_alteration(log, settings)
            settings = draw(_altered_settings(settings))
            steps.append(AlterSegments(settings))
        batch = draw(_batches(log, settings))
        steps.append(batch)
        log = log_after(log, batch, settings)
    end = draw(_last_looks(log))
    return Scenario(Layout((Partition(),)), (UseSegments(first), *steps, *end))


BASES = (0, 2**31 - 2, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**62)
FULL_POSITIONS = SegmentSettings(segment_bytes=INT32_MAX, index_bytes=ROOMY)
AT_EDGES = SegmentSettings(segment_bytes=400, index_bytes=ROOMY)

_kinds = weighted(("base", 4), ("torn", 3), ("offset", 12), ("timed", 4), ("position", 1))
"""A log of two gigabytes takes some seconds to be read, so that few are drawn."""
_torn = weighted((50, 2), (100, 2), (11, 1), (61, 1), (99, 1))
_indexed = weighted((False, 1), (True, 1))
_bases = below(len(BASES)).map(lambda number: BASES[number])
_edge_counts = several(1, 6, 75)
_left = weighted((2, 2), (1, 2), (0, 2), (5, 1), (-1, 1), (-2, 1))
_edge_records = weighted((1, 4), (2, 2), (3, 1))


@st.composite
def _edges(draw: st.DrawFn) -> Scenario:
    kind, base = draw(_kinds), draw(_bases)
    laid: tuple[Batch, ...] = (Batch(100),)
    use = UseSegments(AT_EDGES, base)
    if kind == "torn":
        use = replace(use, torn=draw(_torn))
        use = replace(use, indexed=use.torn < TORN and draw(_indexed))
    elif kind == "offset":
        use = UseSegments(SegmentSettings(index_bytes=ROOMY), base)
        left, records = draw(_left), draw(_edge_records)
        laid = (Batch(100), far_batch(max(left, -records), records))
    elif kind == "timed":
        use = UseSegments(BY_TIME[0], base)
    elif kind == "position":
        left = 100 + draw(st.integers(0, 3)) * 100
        use = UseSegments(FULL_POSITIONS, max(base, 1), INT32_MAX - 100 - left)
    layout = Layout((Partition((laid,)),))
    log = laid_log(Scenario(layout, (use,)))
    steps: list[SegmentStep] = []
    for _ in range(0 if use.indexed else draw(_edge_counts)):
        records = draw(_edge_records)
        size = size_of(draw(_sizes), draw(_small), records, log, use.settings)
        if size > LARGEST_APPEND:
            size = 100
        time = time_of(draw(_times), log, use.settings) if kind == "timed" else 0
        batch = AppendBatch(size, records, time)
        steps.append(batch)
        log = log_after(log, batch, use.settings)
        if draw(_looks) == "delete":
            step = DeleteRecords(0, log.end - draw(st.integers(0, 1)))
            steps.append(step)
            log = log_after(log, step, use.settings)
    end = (ReadSegments(), DescribeLogDirs(), AskOffset(draw(_ends)), LookAtFiles())
    return Scenario(layout, (use, *steps, *end))


def edge_histories() -> SearchStrategy[Scenario]:
    """Batches for a log that lies there when the broker starts, at an edge: offsets around 2^31,
    2^32 and 2^62, the last relative offset of a segment, the last position, or the time at which
    its segment is too old.
    """
    return _edges()


def altered_histories() -> SearchStrategy[Scenario]:
    """One to twelve batches for a topic whose configs are altered between them."""
    return _altered_histories()


def segment_histories() -> SearchStrategy[Scenario]:
    """One to twelve batches for a topic with small segments, with looks and deletions between them;
    they shrink towards one batch of 100 bytes.
    """
    return _histories()
