"""The log that lies in the partition before the first step: the layout's batches, in the files that
a stopped broker was given.
"""

from spec.frozen import replace
from spec.kafka import INT32_MAX
from spec.log import log_of
from spec.scenario import Scenario
from spec.segments.model import Segment, SegmentLog, append, with_batch
from spec.segments.outcomes import SegmentBatch
from spec.segments.settings import UNLIMITED
from spec.segments.steps import UseSegments


def is_edge(scenario: Scenario) -> bool:
    """Whether a log lies there before the first step, at an edge of offsets or positions."""
    return any(True for _ in scenario.layout.partitions[0].entries())


def takes_restart(scenario: Scenario) -> bool:
    """Whether the broker is restarted for a scenario: with its files, or so that it discards old
    segments at once.
    """
    first = scenario.steps[0]
    settings = first.settings if isinstance(first, UseSegments) else UseSegments().settings
    limits = settings.retention_bytes, settings.retention_ms
    return is_edge(scenario) or limits != (UNLIMITED, UNLIMITED)


def laid_log(scenario: Scenario) -> SegmentLog:
    """The log before the first step.

    A segment whose offsets reach too far is split when the broker loads it (LogLoader.java:326-340
    of Kafka 4.3.1). What comes first after that counts its bytes for an index entry from 0.
    """
    first = scenario.steps[0]
    use = first if isinstance(first, UseSegments) else UseSegments()
    partition = scenario.layout.partitions[0]
    settings = replace(use.settings, segment_bytes=2 * INT32_MAX)
    log = SegmentLog()
    if use.filler:
        batch = SegmentBatch(-1, -1, use.filler, 0)
        log = SegmentLog(0, (with_batch(Segment(-1), batch, settings),))
    last = 0
    for stored in log_of(partition).batches:
        batch = SegmentBatch(stored.base, stored.last, stored.size, 0)
        if stored.segment != last:
            log = replace(log, segments=(*log.segments, Segment(stored.base)))
        last = stored.segment
        log = append(log, batch, settings)
    active = replace(log.active, unindexed=0)
    return SegmentLog(partition.log_start, (*log.segments[:-1], active))
