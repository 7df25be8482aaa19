"""Bounds of the fields of the steps of a scenario of segments."""

from collections.abc import Mapping

from spec.kafka import BATCH_HEADER, INT32_MAX, INT64_MAX
from spec.ranges import ACTOR, ONLY_ACTOR, Fields, Range
from spec.segments.settings import LARGEST_APPEND, SegmentSettings
from spec.segments.steps import (
    EARLIEST_LOCAL,
    LATEST,
    AlterSegments,
    AppendBatch,
    AskOffset,
    AskTime,
    AwaitRetention,
    DescribeLogDirs,
    LookAtFiles,
    ReadSegments,
    ResendBatch,
    UseSegments,
)

YEARS_MS = 10**12
"""More than thirty years: far enough for any limit, and far from the end of int64."""
LAST_BASE = 2**62
"""Far from the end of int64, past which no log can be read."""
LIMIT = Range(-1, INT64_MAX, "a limit, -1 for none")

NUMBERS: Mapping[type, Fields] = {
    UseSegments: {
        "base": Range(0, LAST_BASE, "an offset"),
        "filler": Range(0, INT32_MAX, "a count of bytes"),
        "torn": Range(0, 100, "a count of bytes"),
        "actor": ACTOR,
    },
    AlterSegments: ONLY_ACTOR,
    SegmentSettings: {
        "segment_bytes": Range(14, INT32_MAX, "a count of bytes"),
        "segment_ms": Range(1, INT64_MAX, "a length of time in milliseconds"),
        "index_bytes": Range(12, INT32_MAX, "a count of bytes that holds an entry"),
        "index_interval": Range(0, INT32_MAX, "a count of bytes"),
        "retention_bytes": LIMIT,
        "retention_ms": LIMIT,
    },
    AppendBatch: {
        "size": Range(BATCH_HEADER + 7, LARGEST_APPEND, "a count of bytes"),
        "records": Range(1, 10_000, "a count of records"),
        "time": Range(-YEARS_MS, YEARS_MS, "milliseconds from the partition's time"),
        "actor": ACTOR,
    },
    ResendBatch: {
        "skipped": Range(0, 1000, "a count of sequence numbers"),
        "actor": ACTOR,
    },
    DescribeLogDirs: ONLY_ACTOR,
    AskOffset: {
        "timestamp": Range(EARLIEST_LOCAL, LATEST, "a special timestamp"),
        "actor": ACTOR,
    },
    AskTime: {
        "time": Range(-YEARS_MS, YEARS_MS, "milliseconds from the partition's time"),
        "actor": ACTOR,
    },
    ReadSegments: ONLY_ACTOR,
    LookAtFiles: ONLY_ACTOR,
    AwaitRetention: ONLY_ACTOR,
}
