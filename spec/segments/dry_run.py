"""The dry run of a scenario of segments: what the model answers to each step."""

from dataclasses import dataclass, field

from spec.frozen import replace
from spec.kafka import Error
from spec.observation import Exchange, Observation
from spec.outcomes import AppendAnswer, NotSent, Outcome
from spec.scenario import Scenario
from spec.segments.initial_log import laid_log
from spec.segments.model import (
    REFERENCE,
    SegmentLog,
    SegmentRules,
    append,
    leave_unstored,
    note_alteration,
    repeated_at,
)
from spec.segments.outcomes import (
    LogDirAnswer,
    OffsetAnswer,
    SegmentBatch,
    SegmentsRead,
    SegmentsReady,
)
from spec.segments.settings import SegmentSettings
from spec.segments.steps import (
    EARLIEST_LOCAL,
    LARGEST,
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
from spec.semantics import Semantics
from spec.steps import DeleteRecords, Step


def answer_all(
    scenario: Scenario, semantics: Semantics, rules: SegmentRules = REFERENCE
) -> Observation:
    """The answers of the model to a scenario of segments."""
    del semantics
    broker = Broker(rules, log=laid_log(scenario))
    return Observation(
        tuple(
            [
                Exchange(number, broker.answer(step), number, number + 0.5)
                for number, step in enumerate(scenario.steps)
            ]
        )
    )


@dataclass
class Broker:
    """One partition on the model.

    Attributes:
        rules: how its segments are kept.
        settings: the configs of its topic.
        log: its log.
        numbered: the last batch of the idempotent producer that was stored.
    """

    rules: SegmentRules = REFERENCE
    settings: SegmentSettings = field(default_factory=SegmentSettings)
    log: SegmentLog = field(default_factory=SegmentLog)
    numbered: SegmentBatch | None = None

    def answer(self, step: Step) -> Outcome:
        """What comes back of a step."""
        rules = self.rules
        if isinstance(step, UseSegments | AlterSegments):
            return self._configure(step)
        if isinstance(step, AppendBatch):
            return self._append(step)
        if isinstance(step, ResendBatch):
            return self._resend(step)
        if isinstance(step, DeleteRecords):
            return self._delete(step)
        if isinstance(step, DescribeLogDirs):
            return LogDirAnswer(size=rules.sizing(self.log))
        if isinstance(step, AskOffset | AskTime):
            return OffsetAnswer(offset=self._look_up(step))
        if isinstance(step, ReadSegments):
            return SegmentsRead(0, self.log.end, rules.reading(self.log))
        if isinstance(step, AwaitRetention):
            self.log = rules.retaining(self.log, self.settings)
            return OffsetAnswer(offset=self.log.start)
        if isinstance(step, LookAtFiles):
            return rules.looking(self.log, self.settings)
        return NotSent(f"the model has no such step: {step.name}")

    def _configure(self, step: UseSegments | AlterSegments) -> SegmentsReady:
        if isinstance(step, UseSegments):
            self.settings = step.settings
            self.log = self.rules.recovering(self.log, step)
        else:
            self.log = note_alteration(self.log, self.settings)
            self.settings = self.settings.alter(step.settings)
        return SegmentsReady()

    def _look_up(self, step: AskOffset | AskTime) -> int | None:
        if isinstance(step, AskTime):
            return self.rules.finding(self.log, step.time)
        if step.timestamp == LARGEST:
            return self.rules.finding_largest(self.log)
        ends = {LATEST: self.rules.ending, EARLIEST_LOCAL: self.rules.starting_locally}
        find = ends.get(step.timestamp, self.rules.starting)
        return find(self.log)

    def _append(self, step: AppendBatch) -> AppendAnswer:
        error = self.rules.checking(step.size, self.settings)
        if error:
            return AppendAnswer(error)
        base = self.log.end
        batch = SegmentBatch(base, base + step.records - 1, step.size, step.time)
        self.log = append(self.log, batch, self.settings, self.rules)
        if step.idempotent:
            self.numbered = batch
        return AppendAnswer(offset=base)

    def _resend(self, step: ResendBatch) -> Outcome:
        last = self.numbered
        if last is None:
            return NotSent("no batch of the idempotent producer was stored before")
        again = repeated_at(last, self.log.end)
        self.log = leave_unstored(self.log, again, self.settings, self.rules)
        return self.rules.resending(last.base, step.skipped)

    def _delete(self, step: DeleteRecords) -> AppendAnswer:
        if not 0 <= step.offset <= self.log.end:
            return AppendAnswer(Error.OFFSET_OUT_OF_RANGE, -1)
        self.log = replace(self.log, start=max(self.log.start, step.offset))
        return AppendAnswer(offset=self.log.start)
