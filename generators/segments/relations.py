"""What a scenario of segments has tried, by its data alone."""

from collections.abc import Iterator

from generators.segments.histories import BASES, log_after
from spec.kafka import INT32_MAX
from spec.scenario import Scenario
from spec.segments.initial_log import laid_log
from spec.segments.model import (
    SegmentLog,
    first_of,
    leave_unstored,
    note_alteration,
    read,
    repeated_at,
)
from spec.segments.settings import WEEK_MS, SegmentSettings
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
    ResendBatch,
    UseSegments,
)
from spec.steps import DeleteRecords
from spec.verdict import side

SIDES = ("below", "at", "above")
ENDS = {
    EARLIEST: "earliest",
    EARLIEST_LOCAL: "earliest-local",
    LATEST: "latest",
    LARGEST: "largest",
}


def segment_relations(scenario: Scenario) -> tuple[str, ...]:
    """The names of what a scenario has tried, each once, sorted."""
    return tuple(sorted({*_relations(scenario)}))


def _relations(scenario: Scenario) -> Iterator[str]:
    settings, log = SegmentSettings(), laid_log(scenario)
    numbered = None
    for step in scenario.steps:
        if isinstance(step, UseSegments):
            settings = step.settings
            yield from _of_edge(step)
        elif isinstance(step, AlterSegments):
            log, settings = note_alteration(log, settings), step.settings
            yield f"altered={'midst' if log.active.batches else 'empty'}"
        elif isinstance(step, AppendBatch):
            yield from _of_batch(step, log, settings)
            end, log = log.end, log_after(log, step, settings)
            if step.idempotent and log.end > end:
                numbered = log.active.batches[-1]
        elif isinstance(step, ResendBatch) and numbered is not None:
            segments = log.segments
            log = leave_unstored(log, repeated_at(numbered, log.end), settings)
            kind = "skipping" if step.skipped else "repeated"
            yield f"{kind}={'begins' if log.segments != segments else 'fits'}"
        elif isinstance(step, DeleteRecords):
            borders = {segment.base for segment in log.segments}
            yield f"deleted-to={'border' if step.offset in borders else 'midst'}"
            log = log_after(log, step, settings)
        elif isinstance(step, AskOffset):
            yield f"end={ENDS[step.timestamp]}"
        elif isinstance(step, AskTime):
            yield _of_lookup(step.time, log)


def _of_lookup(time: int, log: SegmentLog) -> str:
    """Where the record lies that a time leads to."""
    readable = [one for run in read(log) for one in run]
    offset = first_of(readable, time, log.start)
    if offset is None:
        return "time=past-all"
    return f"time={'active' if offset >= log.active.base else 'older'}-segment"


def _of_edge(use: UseSegments) -> Iterator[str]:
    if use.base:
        yield f"base={use.base.bit_length()} bits"
    if use.torn:
        yield f"torn={'whole' if use.torn == TORN else 'indexed' if use.indexed else 'part'}"
    if use.filler:
        yield "position=far"


def _of_batch(step: AppendBatch, log: SegmentLog, settings: SegmentSettings) -> Iterator[str]:
    held = log.active.batches
    yield f"batch={side(step.size, settings.segment_bytes).names[0]}"
    if not held or step.size > settings.segment_bytes:
        return
    yield f"segment={side(log.active.size + step.size, settings.segment_bytes).names[0]}"
    if settings.segment_ms < WEEK_MS and held[0].time is not None and step.time is not None:
        yield f"age={side(step.time - held[0].time, settings.segment_ms).names[0]}"
    if step.time is None:
        yield "age=none"
    far = log.end + step.records - 1 - log.active.base
    if far > INT32_MAX // 2:
        yield f"relative-offset={side(far, INT32_MAX).names[0]}"


def all_segment_relations() -> frozenset[str]:
    """Every relation that a scenario can have."""
    return frozenset(
        [
            *[f"{what}={where}" for what in ("batch", "segment", "age") for where in SIDES],
            "age=none",
            *[f"{kind}={what}" for kind in ("repeated", "skipping") for what in ("begins", "fits")],
            "position=far",
            "torn=indexed",
            "torn=part",
            "torn=whole",
            *[f"base={base.bit_length()} bits" for base in (1, *BASES) if base],
            *[f"relative-offset={where}" for where in SIDES],
            "altered=empty",
            "altered=midst",
            "deleted-to=border",
            "deleted-to=midst",
            *[f"time={where}" for where in ("past-all", "active-segment", "older-segment")],
            *[f"end={name}" for name in ENDS.values()],
        ]
    )
