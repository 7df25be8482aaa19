"""The model's answers to a scenario of offsets."""

from spec.observation import Exchange, Observation
from spec.offsets.model import REFERENCE, Broker, Timelines, timelines_after
from spec.offsets.outcomes import OffsetCommitAnswer, OffsetFetchAnswer
from spec.offsets.releases import OffsetSemantics
from spec.offsets.steps import (
    AppendTimed,
    Commit,
    ListOffsets,
    OffsetCommit,
    OffsetFetch,
    OffsetForLeaderEpoch,
)
from spec.offsets.timeline import timeline_of
from spec.outcomes import AppendAnswer, Outcome
from spec.scenario import Scenario
from spec.semantics import Semantics
from spec.steps import DeleteRecords, Step


def answer_all(scenario: Scenario, semantics: Semantics, broker: Broker = REFERENCE) -> Observation:
    """What the model answers, in the order of the steps."""
    part = semantics.of(OffsetSemantics)
    timelines = tuple([timeline_of(one) for one in scenario.layout.partitions])
    exchanges = []
    commits: dict[int, Commit] = {}
    for number, step in enumerate(scenario.steps):
        if isinstance(step, OffsetCommit):
            outcome = _commit(commits, step, len(timelines), part, broker)
        elif isinstance(step, OffsetFetch):
            found = [broker.recalling(commits, one) for one in step.partitions]
            outcome = OffsetFetchAnswer(tuple(found))
        else:
            outcome = _answer(timelines, step, part, broker)
        exchanges.append(Exchange(number, outcome))
        timelines = timelines_after(timelines, step, broker.deleting)
    return Observation(tuple(exchanges))


def _commit(
    commits: dict[int, Commit],
    step: OffsetCommit,
    partitions: int,
    semantics: OffsetSemantics,
    broker: Broker,
) -> Outcome:
    """Take the commits that are not refused."""
    errors = broker.committing(step, partitions, semantics)
    for commit, error in zip(step.commits, errors, strict=True):
        if not error:
            commits[commit.partition] = commit
    entries = [
        (commit.partition, int(error))
        for commit, error in zip(step.commits, errors, strict=True)
        if not error or broker.lists_refused
    ]
    return OffsetCommitAnswer(tuple(entries))


def _answer(
    timelines: Timelines, step: Step, semantics: OffsetSemantics, broker: Broker
) -> Outcome:
    if isinstance(step, AppendTimed):
        return AppendAnswer(0, timelines[step.partition].end)
    if isinstance(step, DeleteRecords):
        timeline, error = broker.deleting(timelines[step.partition], step.offset)
        return AppendAnswer(error, -1 if error and not broker.low_on_refusal else timeline.start)
    if isinstance(step, OffsetForLeaderEpoch):
        return broker.ending_epoch(timelines[step.partition], step)
    assert isinstance(step, ListOffsets)
    found = [broker.looking_up(timelines, one, step, semantics) for one in step.lookups]
    return broker.altering(step, tuple(found))
