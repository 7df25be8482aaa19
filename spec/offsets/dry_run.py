"""The model's answers to a scenario of offsets."""

from spec.observation import Exchange, Observation
from spec.offsets.model import REFERENCE, Broker, Timelines, after
from spec.offsets.releases import OffsetSemantics
from spec.offsets.steps import AppendTimed, ListOffsets, OffsetForLeaderEpoch
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
    for number, step in enumerate(scenario.steps):
        exchanges.append(Exchange(number, _answer(timelines, step, part, broker)))
        timelines = after(timelines, step, broker.deleting)
    return Observation(tuple(exchanges))


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
