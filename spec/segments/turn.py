"""What the clauses about segments look at: a step with its outcome, or one batch of what was seen
of a log, with the segment that it came to.
"""

from collections.abc import Iterator, Sequence
from dataclasses import field

from spec.frozen import frozen
from spec.outcomes import Outcome
from spec.segments.outcomes import SegmentBatch
from spec.segments.settings import SegmentSettings
from spec.steps import Step


@frozen
class LogState:
    """What is known of the log before a step.

    Attributes:
        start: its log start offset.
        batches: those that were laid or accepted, in their order.
        laid: how many of them lay there before the first step.
        torn: bytes behind the last of these that are no sound batch.
        indexed: whether their segments had an .index when the broker started.
        unstored: repetitions and batches that were refused for their sequence, each with the
            offsets that it would have got.
        alterations: from which offset on the topic had which configs, the first ones from the
            beginning on.
    """

    start: int = 0
    batches: tuple[SegmentBatch, ...] = ()
    laid: int = 0
    torn: int = 0
    indexed: bool = False
    unstored: tuple[SegmentBatch, ...] = ()
    alterations: tuple[tuple[int, SegmentSettings], ...] = ()

    @property
    def altered(self) -> bool:
        """Whether the topic's configs were altered."""
        return len(self.alterations) > 1

    def settings_at(self, offset: int) -> SegmentSettings:
        """The topic's configs when a batch with this base offset was appended."""
        return [settings for since, settings in self.alterations if since <= offset][-1]

    def begun_under(self, base: int) -> SegmentSettings:
        """The topic's configs when the segment was begun whose first batch has this base offset;
        the first segment is as old as the log.
        """
        first = not self.batches or base == self.batches[0].base
        return self.alterations[0][1] if first else self.settings_at(base)

    @property
    def end(self) -> int:
        """The offset behind the last record."""
        return self.batches[-1].last + 1 if self.batches else self.start

    @property
    def readable(self) -> tuple[SegmentBatch, ...]:
        """The batches that have a record from the log start on."""
        return tuple([batch for batch in self.batches if batch.last >= self.start])

    def unstored_at(self, offset: int) -> tuple[SegmentBatch, ...]:
        """What was not stored while the log ended at an offset."""
        return tuple([batch for batch in self.unstored if batch.base == offset])


@frozen
class BatchPlace:
    """Where a batch was seen.

    Attributes:
        batch: the batch.
        before: the batches of the segment that was active when it was appended.
        begins: whether it is the first one of a segment behind that.
        unstored: what came between it and the batch before it, and was not stored.
    """

    batch: SegmentBatch
    before: tuple[SegmentBatch, ...]
    begins: bool
    unstored: tuple[SegmentBatch, ...] = ()

    @property
    def base(self) -> int:
        """The base offset of the segment that was active."""
        return self.before[0].base

    @property
    def size(self) -> int:
        """Bytes of the segment that was active."""
        return sum([batch.size for batch in self.before])


def places(runs: Sequence[Sequence[SegmentBatch]], state: LogState) -> Iterator[BatchPlace]:
    """The place of each batch of some segments, but where the beginning of its segment was not
    seen.
    """
    known = [run for run in runs if run]
    if known and known[0][0] != (state.batches[0] if state.batches else None):
        known = known[1:]
    before: tuple[SegmentBatch, ...] = ()
    for run in known:
        for number, batch in enumerate(run):
            if number or before:
                between = state.unstored_at(batch.base)
                yield BatchPlace(batch, tuple(run[:number]) or before, not number, between)
        before = tuple(run)


@frozen
class Turn:
    """A step, the state that it met, and what came back.

    Attributes:
        step: the step.
        outcome: what came back.
        settings: the configs of the topic.
        state: the log before it.
        place: which batch of what was seen this is about; None for the step as a whole.
    """

    step: Step
    outcome: Outcome
    settings: SegmentSettings
    state: LogState = field(default_factory=LogState)
    place: BatchPlace | None = None

    @property
    def spans_alteration(self) -> bool:
        """Whether the topic's configs were altered between the begin of the segment that was active
        and the batch that this is about.
        """
        if not self.state.altered:
            return False
        begun = self.state.begun_under(self.batch_place.base)
        return begun != self.state.settings_at(self.batch_place.batch.base)

    @property
    def batch_place(self) -> BatchPlace:
        """The batch that this is about, which there is."""
        assert self.place is not None
        return self.place


def is_about_one_batch(turn: Turn) -> bool:
    """Whether a turn is about one batch."""
    return turn.place is not None


def of_step(turn: Turn) -> bool:
    """Whether a turn is about a step as a whole."""
    return turn.place is None
