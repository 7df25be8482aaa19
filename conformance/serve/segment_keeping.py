"""The segments of a served partition: when one begins, and how many bytes they have."""

from __future__ import annotations

from dataclasses import dataclass, field

from spec.frozen import replace
from spec.segments.model import (
    REFERENCE,
    SegmentLog,
    SegmentRules,
    append,
    leave_unstored,
    note_alteration,
)
from spec.segments.outcomes import SegmentBatch
from spec.segments.settings import SegmentSettings


@dataclass(slots=True)
class SegmentKeeping:
    """The segments of one partition.

    Attributes:
        settings: the configs of its topic that decide about them.
        log: the segments with their indexes.
    """

    settings: SegmentSettings = field(default_factory=SegmentSettings)
    log: SegmentLog = field(default_factory=SegmentLog)

    def begins(self, batch: SegmentBatch, rules: SegmentRules = REFERENCE) -> bool:
        """Whether a batch is the first one of a segment behind another: a new one begins for it, or
        one is there that is empty.
        """
        active = self.log.active
        if not active.batches:
            return len(self.log.segments) > 1
        return rules.rolling(active, batch, self.settings)

    def alter(self, settings: SegmentSettings) -> None:
        """Have the topic's configs be others from now on."""
        if settings != self.settings:
            self.log = note_alteration(self.log, self.settings)
            self.settings = settings

    def append(self, batch: SegmentBatch, rules: SegmentRules = REFERENCE) -> None:
        """Take a batch to the end."""
        self.log = append(self.log, batch, self.settings, rules)

    def leave_unstored(self, batch: SegmentBatch, rules: SegmentRules = REFERENCE) -> None:
        """Take note of a batch that is a repetition, or out of order."""
        self.log = leave_unstored(self.log, batch, self.settings, rules)

    def delete_to(self, start: int) -> None:
        """Move the log start."""
        self.log = replace(self.log, start=start)


def segment_batch(base: int, records: int, size: int, timestamp: int) -> SegmentBatch:
    """A batch as segments take it; a timestamp below 0 is none."""
    return SegmentBatch(base, base + records - 1, size, None if timestamp < 0 else timestamp)
