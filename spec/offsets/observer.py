"""The judgement of a scenario of offsets: its steps take effect one after the other."""

from collections.abc import Iterator

from spec.frozen import replace
from spec.judgement import Judgement, step_failed
from spec.observation import Exchange, Observation
from spec.offsets.chapters import CHECKS
from spec.offsets.model import Timelines, deleted_to
from spec.offsets.outcomes import Found, ListOffsetsAnswer, OffsetCommitAnswer
from spec.offsets.releases import OffsetSemantics
from spec.offsets.steps import AppendTimed, Commit, ListOffsets, Lookup, OffsetCommit
from spec.offsets.timeline import Timeline, timeline_of
from spec.offsets.turn import Asked, EarlierLookup, Turn
from spec.outcomes import AppendAnswer
from spec.outcomes import Outcome as Seen
from spec.scenario import Scenario
from spec.semantics import Semantics
from spec.steps import DeleteRecords, Step
from spec.turn_by_turn import TurnByTurn, judge_step_by_step
from spec.verdict import Verdict


class _KnownOffsets:
    """The records and commits of the partitions, as far as a scenario has come."""

    def __init__(self, scenario: Scenario, semantics: OffsetSemantics) -> None:
        self.semantics = semantics
        self.timelines: Timelines = tuple(
            [timeline_of(partition) for partition in scenario.layout.partitions]
        )
        self.earlier: dict[int, tuple[EarlierLookup, ...]] = {}
        self.commits: dict[int, Commit] = {}

    def turns(self, step: Asked, outcome: Seen) -> Iterator[Turn]:
        """The request as a whole, then each of its lookups that has one entry in the answer."""
        whole = Turn(step, self.timelines, outcome, self.semantics, commits={**self.commits})
        yield whole
        if not isinstance(outcome, ListOffsetsAnswer) or not isinstance(step, ListOffsets):
            return
        for lookup in step.lookups:
            found = [one for one in outcome.found if one.partition == lookup.partition]
            if len(found) == 1:
                yield self._turn(whole, lookup, found[0])

    def _turn(self, whole: Turn, lookup: Lookup, found: Found) -> Turn:
        earlier = self.earlier.get(lookup.partition, ())
        turn = replace(whole, lookup=lookup, found=found, earlier=earlier)
        if turn.is_served:
            answered = EarlierLookup(lookup, whole.request.isolation, found)
            self.earlier[lookup.partition] = (*earlier, answered)
        return turn

    def judge_step(
        self, step: Step, exchange: Exchange, results: TurnByTurn[Turn]
    ) -> Verdict | None:
        """Judge one step; the verdict on all clauses where nothing can be said from here on."""
        outcome = exchange.outcome
        if isinstance(step, AppendTimed):
            if outcome != AppendAnswer(0, self.timelines[step.partition].end):
                return step_failed(exchange.step, step.name, str(outcome))
            self.append(step)
            return None
        assert isinstance(step, Asked)
        for turn in self.turns(step, outcome):
            results.judge(turn)
        if isinstance(step, OffsetCommit):
            if not isinstance(outcome, OffsetCommitAnswer):
                return step_failed(exchange.step, step.name, str(outcome))
            self.commit(step, outcome)
        if isinstance(step, DeleteRecords):
            if not isinstance(outcome, AppendAnswer):
                return step_failed(exchange.step, step.name, str(outcome))
            if not outcome.error:
                self.delete(step, outcome.offset)
        return None

    def append(self, step: AppendTimed) -> None:
        """A batch was taken."""
        self._change(step.partition, self.timelines[step.partition].with_batch(step.times))

    def delete(self, step: DeleteRecords, low_watermark: int | None) -> None:
        """The log start was moved: to where the answer says, where that is in the log."""
        timeline = self.timelines[step.partition]
        if low_watermark is not None and 0 <= low_watermark <= timeline.end:
            moved = replace(timeline, start=low_watermark)
        else:
            moved, _ = deleted_to(timeline, step.offset)
        self._change(step.partition, moved)

    def commit(self, step: OffsetCommit, answer: OffsetCommitAnswer) -> None:
        """The commits without an error were taken."""
        taken = {partition for partition, error in answer.errors if not error}
        self.commits |= {one.partition: one for one in step.commits if one.partition in taken}

    def _change(self, partition: int, timeline: Timeline) -> None:
        self.timelines = (
            *self.timelines[:partition],
            timeline,
            *self.timelines[partition + 1 :],
        )
        self.earlier.pop(partition, None)


def judge(scenario: Scenario, observation: Observation, semantics: Semantics) -> Judgement:
    """What each clause says of one play."""
    known = _KnownOffsets(scenario, semantics.of(OffsetSemantics))
    return judge_step_by_step(scenario, observation, CHECKS, known)
