"""The judgement of a scenario of segments: its steps take effect one after the other."""

from collections.abc import Iterator
from functools import cache
from itertools import pairwise

from spec.frozen import replace
from spec.judgement import Clauses, Judgement, step_failed
from spec.kafka import Error, error_name
from spec.observation import Exchange, Observation
from spec.outcomes import AppendAnswer
from spec.outcomes import Outcome as Seen
from spec.requirement_set import clauses_in
from spec.scenario import Scenario
from spec.segments.chapters import CLAUSES
from spec.segments.initial_log import laid_log
from spec.segments.model import SegmentLog, repeated_at
from spec.segments.outcomes import (
    FilesSeen,
    LogDirAnswer,
    OffsetAnswer,
    SegmentBatch,
    SegmentsRead,
    SegmentsReady,
)
from spec.segments.releases import SegmentSemantics
from spec.segments.settings import SegmentSettings
from spec.segments.steps import AlterSegments, AppendBatch, AwaitRetention, ResendBatch, UseSegments
from spec.segments.turn import BatchPlace, LogState, Turn, places
from spec.semantics import Semantics
from spec.steps import DeleteRecords, Step
from spec.turn_by_turn import TurnByTurn, judge_step_by_step
from spec.verdict import Verdict

NOT_STORED = (
    Error.NONE,
    Error.OUT_OF_ORDER_SEQUENCE_NUMBER,
    Error.DUPLICATE_SEQUENCE_NUMBER,
)
"""The errors by which a batch is not stored that is a repetition, or out of order."""
NEVER = -(2**63)
"""An offset before every other one."""
ANSWERS = (AppendAnswer, LogDirAnswer, OffsetAnswer, SegmentsRead, FilesSeen, SegmentsReady)


@cache
def _clauses(release: str) -> Clauses[Turn]:
    return Clauses(clauses_in(CLAUSES, release))


def judge(scenario: Scenario, observation: Observation, semantics: Semantics) -> Judgement:
    """Judge one play of a scenario of segments."""
    limit = semantics.of(SegmentSemantics).fetch_max_bytes
    known = _ObservedLog(laid_log(scenario), limit)
    return judge_step_by_step(scenario, observation, _clauses(semantics.release), known)


def _failed_verdict(step: Step, exchange: Exchange) -> Verdict | None:
    """The verdict on every clause where a step was not done that the rest of a play needs."""
    outcome = exchange.outcome
    if not isinstance(outcome, ANSWERS):
        return step_failed(exchange.step, step.name, str(outcome))
    if isinstance(step, DeleteRecords) and isinstance(outcome, AppendAnswer) and outcome.error:
        return step_failed(exchange.step, step.name, error_name(outcome.error))
    if (
        isinstance(step, ResendBatch)
        and isinstance(outcome, AppendAnswer)
        and outcome.error not in NOT_STORED
    ):
        return step_failed(exchange.step, step.name, error_name(outcome.error))
    if isinstance(step, AppendBatch) and outcome == AppendAnswer():
        return step_failed(exchange.step, step.name, "no offset and no error")
    if isinstance(outcome, OffsetAnswer | LogDirAnswer) and outcome.error:
        return step_failed(exchange.step, step.name, error_name(outcome.error))
    return None


class _ObservedLog:
    """What is known of the log up to some step.

    Args:
        laid: the log in front of it.
        most: bytes that an answer to a fetch may hold.
    """

    def __init__(self, laid: SegmentLog, most: int) -> None:
        self._most = most
        self.settings = SegmentSettings()
        batches = tuple([batch for segment in laid.segments for batch in segment.batches])
        alterations = ((NEVER, self.settings),)
        self.state = LogState(laid.start, batches, len(batches), alterations=alterations)
        self.numbered: SegmentBatch | None = None

    def judge_step(
        self, step: Step, exchange: Exchange, results: TurnByTurn[Turn]
    ) -> Verdict | None:
        """Judge one step; the verdict on all clauses where nothing can be said from here on."""
        if (failed := _failed_verdict(step, exchange)) is not None:
            return failed
        for turn in self.turns(step, exchange.outcome):
            results.judge(turn)
        return None

    def turns(self, step: Step, outcome: Seen) -> Iterator[Turn]:
        """The step as a whole, then each batch of what was seen; the state follows."""
        whole = Turn(step, outcome, self.settings, self.state)
        yield whole
        for place in places(_runs(outcome, self.state.batches, self._most), self.state):
            yield replace(whole, place=place, settings=self._settings_of(place))
        self._follow(step, outcome)

    def _settings_of(self, place: BatchPlace) -> SegmentSettings:
        """The configs that decide whether a batch begins a new segment."""
        if not self.state.altered:
            return self.settings
        now, begun = (
            self.state.settings_at(place.batch.base),
            self.state.begun_under(place.before[0].base),
        )
        return now.with_indexes_of(begun)

    def _follow(self, step: Step, outcome: Seen) -> None:
        if isinstance(step, UseSegments):
            self.settings = step.settings
            self.state = replace(
                self.state,
                torn=step.torn,
                indexed=step.indexed,
                alterations=((NEVER, step.settings),),
            )
        if isinstance(step, AlterSegments):
            self.settings = self.settings.alter(step.settings)
            since = self.state.end, self.settings
            self.state = replace(self.state, alterations=(*self.state.alterations, since))
        if isinstance(step, AwaitRetention) and isinstance(outcome, OffsetAnswer):
            start = max(self.state.start, outcome.offset or 0)
            self.state = replace(self.state, start=start)
        if isinstance(step, ResendBatch) and isinstance(outcome, AppendAnswer):
            self._resend(outcome)
        if not isinstance(outcome, AppendAnswer) or outcome.error or outcome.offset is None:
            return
        if isinstance(step, DeleteRecords):
            self.state = replace(self.state, start=outcome.offset)
        elif isinstance(step, AppendBatch):
            base = outcome.offset
            batch = SegmentBatch(base, base + step.records - 1, step.size, step.time)
            self.state = replace(self.state, batches=(*self.state.batches, batch))
            if step.idempotent:
                self.numbered = batch

    def _resend(self, outcome: AppendAnswer) -> None:
        """The last batch of the idempotent producer was sent again: stored where the answer has
        an offset at the end of the log.
        """
        if self.numbered is None:
            return
        end, state = self.state.end, self.state
        again = repeated_at(self.numbered, end)
        if outcome.error or outcome.offset is None or outcome.offset < end:
            self.state = replace(state, unstored=(*state.unstored, again))
        else:
            self.state = replace(state, batches=(*state.batches, again))
            self.numbered = again


def _runs(
    outcome: Seen, known: tuple[SegmentBatch, ...], most: int
) -> tuple[tuple[SegmentBatch, ...], ...]:
    """The batches of each segment, as far as an outcome shows them; a filler, which no fetch shows,
    goes before those that lie behind it.

    Where an answer has no room for the batch that follows it, its segment need not end there: such
    answers show of none where it ends.
    """
    if isinstance(outcome, FilesSeen):
        return tuple([segment.batches for segment in outcome.segments])
    if not isinstance(outcome, SegmentsRead) or outcome.error:
        return ()
    runs = outcome.runs
    if any(sum([one.size for one in run]) + then[0].size > most for run, then in pairwise(runs)):
        return ()
    if runs and known and known[0].base < 0 and runs[0][0] == known[1]:
        return ((known[0], *runs[0]), *runs[1:])
    return runs
