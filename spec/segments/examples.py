"""Short forms for the worked examples."""

from spec.layout import Layout, Partition
from spec.scenario import Scenario
from spec.segments.settings import SegmentSettings
from spec.segments.steps import (
    EARLIEST,
    EARLIEST_LOCAL,
    LATEST,
    AppendBatch,
    AskOffset,
    DescribeLogDirs,
    LookAtFiles,
    ReadSegments,
    SegmentStep,
    UseSegments,
)

EMPTY = Layout((Partition(),))
ENDS = (AskOffset(EARLIEST), AskOffset(EARLIEST_LOCAL), AskOffset(LATEST))
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
