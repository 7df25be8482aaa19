"""What is appended to logs whose old segments are discarded, by size or by time."""

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from generators.segments.histories import ROOMY
from generators.weighted import several, weighted
from spec.layout import Layout, Partition
from spec.scenario import Scenario
from spec.segments.settings import SegmentSettings
from spec.segments.steps import (
    AppendBatch,
    AwaitRetention,
    DescribeLogDirs,
    LookAtFiles,
    ReadSegments,
    SegmentStep,
    UseSegments,
)

HOUR_MS = 3_600_000
TOPICS = (
    SegmentSettings(segment_bytes=200, index_bytes=ROOMY, retention_bytes=600),
    SegmentSettings(segment_bytes=200, index_bytes=ROOMY, retention_bytes=601),
    SegmentSettings(segment_bytes=200, index_bytes=ROOMY, retention_ms=HOUR_MS),
    SegmentSettings(segment_bytes=100, index_bytes=ROOMY, retention_ms=HOUR_MS),
)
SIZES = (100, 200)
TIMES = (0, -HOUR_MS + 900_000, -HOUR_MS - 900_000, -24 * HOUR_MS)
"""Milliseconds from the partition's time: young and old, far enough from `retention.ms`."""

_topics = weighted((TOPICS[0], 3), (TOPICS[1], 1), (TOPICS[2], 3), (TOPICS[3], 2))
_counts = several(1, 9, 80)
_sizes = weighted((SIZES[0], 6), (SIZES[1], 4))
_aimed = weighted((True, 2), (False, 1))
_rounds = several(1, 3, 50)
_times = weighted((TIMES[0], 3), (TIMES[1], 1), (TIMES[2], 3), (TIMES[3], 1))


@st.composite
def _histories(draw: st.DrawFn) -> Scenario:
    settings = draw(_topics)
    steps: list[SegmentStep] = []
    total = 0
    for _ in range(draw(_rounds)):
        for _ in range(draw(_counts)):
            batch = draw(_batches(settings, settings.retention_bytes - total))
            steps.append(batch)
            total += batch.size
        steps.append(AwaitRetention())
    end = (ReadSegments(), DescribeLogDirs(), LookAtFiles())
    return Scenario(Layout((Partition(),)), (UseSegments(settings), *steps, *end))


@st.composite
def _batches(draw: st.DrawFn, settings: SegmentSettings, left: int) -> AppendBatch:
    """A batch: where time decides one of 100 bytes, otherwise often one that fills what is `left`
    of retention.bytes.
    """
    if settings.retention_ms >= 0:
        return AppendBatch(SIZES[0], time=draw(_times))
    size = draw(_sizes)
    aimed = SIZES[0] <= left <= settings.segment_bytes and draw(_aimed)
    return AppendBatch(left if aimed else size)


def retention_histories() -> SearchStrategy[Scenario]:
    """One to nine batches, up to three times, for a log that keeps 600 or 601 bytes, or an hour."""
    return _histories()
