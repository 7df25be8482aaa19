"""Short forms for the worked examples."""

from spec.kafka import INT32_MAX
from spec.layout import Batch, Layout, Partition
from spec.scenario import Scenario
from spec.segments.settings import SegmentSettings
from spec.segments.steps import (
    EARLIEST,
    EARLIEST_LOCAL,
    LATEST,
    AppendBatch,
    AskOffset,
    AwaitRetention,
    DescribeLogDirs,
    LookAtFiles,
    ReadSegments,
    SegmentStep,
    UseSegments,
)

EMPTY = Layout((Partition(),))
ENDS = (AskOffset(EARLIEST), AskOffset(EARLIEST_LOCAL), AskOffset(LATEST))
OF_TWO = SegmentSettings(segment_bytes=250)
"""A topic whose segments take two batches of 100 bytes."""
LOOK = (ReadSegments(), DescribeLogDirs(), *ENDS)
"""The steps that show a log from outside."""


def batches(*sizes: int) -> tuple[AppendBatch, ...]:
    """Batches of one record of these sizes."""
    return tuple([AppendBatch(size) for size in sizes])


def scenario(settings: SegmentSettings, *steps: SegmentStep) -> Scenario:
    """Steps on an empty partition of such a topic, and a look at it then."""
    return Scenario(EMPTY, (UseSegments(settings), *steps, *LOOK))


def files(settings: SegmentSettings, *steps: SegmentStep) -> Scenario:
    """Steps on an empty partition of such a topic, and a look at its files then."""
    return Scenario(EMPTY, (UseSegments(settings), *steps, LookAtFiles()))


def far_batch(left: int, records: int = 1) -> Batch:
    """A batch of 100 bytes behind one at offset 0, with so many offsets left in their segment: at
    least `-records`.
    """
    return Batch(100, records, gap=INT32_MAX - left - records)


def edge(use: UseSegments, laid: Batch | None, *steps: SegmentStep) -> Scenario:
    """Steps on a partition that has a batch at its first offset, and a second one that is laid, and
    a look at the log and its files then.
    """
    entries = (Batch(100),) if laid is None else (Batch(100), laid)
    return Scenario(Layout((Partition((entries,)),)), (use, *steps, *LOOK, LookAtFiles()))


def retention_example(settings: SegmentSettings, *steps: SegmentStep) -> Scenario:
    """Steps on an empty partition of such a topic, and a look at what is kept of it then."""
    return Scenario(
        EMPTY, (UseSegments(settings), *steps, AwaitRetention(), ReadSegments(), LookAtFiles())
    )
