"""What a planted fault of share groups is: a small named change at one seam of the model's answer to a history.

A request can be misread, a decision taken otherwise, what is remembered between two requests mistaken, or the answer altered on its way
out. What is answered then goes the way of any answer: the judge knows nothing of the fault.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from conformance.faults.fault import Expected
from conformance.findings import SHIPPED, known, load_findings
from conformance.run.plan import Plan
from conformance.run.rehearsal import Rehearsal
from conformance.run.session import Played
from conformance.run.share_loop import ShareLoop
from spec.events import Judged
from spec.judge import judge
from spec.observation import Closed, Exchange, Observation, Outcome
from spec.scenario import Scenario, Step
from spec.semantics import Semantics, semantics_for
from spec.share.answering import SharePlay
from spec.share.outcomes import Acquired, ShareAcknowledgeAnswer, ShareAnswerPartition, ShareFetchAnswer
from spec.share.steps import AcknowledgementBatch, ShareAcknowledge, ShareFetch, SharePartition
from spec.share.world import World, world_of
from spec.verdict import Outcome as Verdict

if TYPE_CHECKING:
    from datetime import date

    from spec.share.records import Cached, Record
    from spec.share.semantics import ShareSemantics

RELEASE = "4.2"
"""The faults are planted in a release whose share groups have the fewest defects of their own."""
BUDGET = 160
"""Histories within which a fault must be caught."""

Misreading = Callable[[Step], Step]
Altering = Callable[[Step, Outcome], Outcome]


def _same(value: object) -> object:
    return value


@dataclass(frozen=True, slots=True)
class ShareFault:
    """A way for a broker's share groups to be wrong, or different.

    Attributes:
        name: `max-records-off-by-one`.
        clause: the clause that must say so; empty for a legal variant.
        expected: see `Expected`.
        summary: what the broker does, in one sentence.
        misread: what it takes a step for.
        decided: the decisions that it goes by.
        remembered: what it makes of its state after each step.
        altered: what it makes of its answer to a step.
    """

    name: str
    clause: str
    expected: Expected
    summary: str
    misread: Misreading = _same  # type: ignore[assignment]  # it gives back what it is given
    decided: Callable[[ShareSemantics], ShareSemantics] = _same  # type: ignore[assignment]
    remembered: Callable[[World], World] = _same  # type: ignore[assignment]
    altered: Altering = lambda _, outcome: outcome

    def observation(self, scenario: Scenario, semantics: Semantics) -> Observation:
        """What a broker with this fault would be seen to do."""
        play = SharePlay(scenario, replace(semantics, share=self.decided(semantics.share)), world_of(scenario))
        exchanges: list[Exchange] = []
        for number, step in enumerate(scenario.steps):
            exchanges += play.take(number, self.misread(step))
            play.world = self.remembered(play.world)
            if exchanges and isinstance(exchanges[-1].outcome, Closed):
                break
        else:
            exchanges += play.rest()
        told = [replace(one, outcome=self.altered(scenario.steps[one.step], one.outcome)) for one in exchanges]
        return Observation(tuple(sorted(told, key=lambda one: one.step)))


class ShareRehearsal(Rehearsal):
    """A bench on which a faulty model answers the histories of share groups in this very process."""

    def __init__(self, fault: ShareFault, semantics: Semantics) -> None:
        super().__init__(semantics)
        self._fault = fault

    def _rehearsed(self, scenario: Scenario) -> Played:
        observation = self._fault.observation(scenario, self.semantics)
        return Played(scenario, observation, judge(scenario, observation, self.semantics))


@dataclass(frozen=True, slots=True)
class Caught:
    """What a run on a faulty model found: (clause, outcome) of every break that no finding lists, and after how many histories."""

    breaks: frozenset[tuple[str, Verdict]]
    histories: int

    def as_expected(self, fault: ShareFault) -> bool:
        """Whether the suite said what the fault expects of it."""
        outcomes = {outcome for _, outcome in self.breaks}
        if fault.expected is Expected.CONFORMS:
            return not self.breaks
        wanted = Verdict.VIOLATES if fault.expected is Expected.VIOLATES else Verdict.DEVIATES
        allowed = {Verdict.VIOLATES, Verdict.DEVIATES} if wanted is Verdict.VIOLATES else {Verdict.DEVIATES}
        return (fault.clause, wanted) in self.breaks and outcomes <= allowed


def detect(fault: ShareFault, seed: int, today: date, histories: int = BUDGET) -> Caught:
    """Draw histories alone, without the worked examples, until the fault's clause speaks or the budget is used up."""
    semantics = semantics_for(RELEASE)
    listed = frozenset(known(load_findings((SHIPPED,), RELEASE), today))
    loop = ShareLoop(ShareRehearsal(fault, semantics), Plan(seed, histories, restart=False, shrink=False, examples=False), listed)
    breaks: set[tuple[str, Verdict]] = set()
    count = 0
    for event in loop.events():
        if isinstance(event, Judged):
            count += 1
            broken = [v for v in event.verdicts if v.outcome in {Verdict.VIOLATES, Verdict.DEVIATES}]
            breaks |= {(v.clause, v.outcome) for v in broken if (v.clause, v.signature) not in listed}
            if any(clause == fault.clause for clause, _ in breaks):
                break
    return Caught(frozenset(breaks), count)


def misread_fetch(change: Callable[[ShareFetch], ShareFetch]) -> Misreading:
    """The broker takes a fetch for another one."""
    return lambda step: change(step) if isinstance(step, ShareFetch) else step


def misread_acknowledge(change: Callable[[ShareAcknowledge], ShareAcknowledge]) -> Misreading:
    """The broker takes an acknowledgement for another one."""
    return lambda step: change(step) if isinstance(step, ShareAcknowledge) else step


def altered_fetch(change: Callable[[ShareFetchAnswer], ShareFetchAnswer]) -> Altering:
    """The broker alters its answer to a fetch that went through."""
    return lambda _, outcome: change(outcome) if isinstance(outcome, ShareFetchAnswer) and not outcome.error else outcome


def altered_part(change: Callable[[ShareAnswerPartition], ShareAnswerPartition]) -> Altering:
    """The broker alters each partition in which something was acquired."""
    return altered_fetch(
        lambda answer: replace(answer, partitions=tuple([change(part) if part.acquired else part for part in answer.partitions]))
    )


def altered_ranges(change: Callable[[Acquired], Acquired]) -> Altering:
    """The broker alters each range that it tells of."""
    return altered_part(lambda part: replace(part, acquired=tuple([change(one) for one in part.acquired])))


def misread_acknowledgements(change: Callable[[AcknowledgementBatch], AcknowledgementBatch]) -> Misreading:
    """The broker takes each batch of a ShareAcknowledge for another one."""

    def part(one: SharePartition) -> SharePartition:
        return replace(one, acknowledgements=tuple([change(batch) for batch in one.acknowledgements]))

    return misread_acknowledge(lambda step: replace(step, partitions=tuple([part(one) for one in step.partitions])))


def retyped(instead: Mapping[int, int]) -> Misreading:
    """The broker takes acknowledge types for others."""
    return misread_acknowledgements(lambda batch: replace(batch, types=tuple([instead.get(kind, kind) for kind in batch.types])))


def recoded(instead: Mapping[int, int]) -> Altering:
    """The broker answers acknowledgements with other error codes."""

    def altered(_: Step, outcome: Outcome) -> Outcome:
        if isinstance(outcome, ShareAcknowledgeAnswer):
            return replace(outcome, partitions=tuple([(number, instead.get(code, code)) for number, code in outcome.partitions]))
        return outcome

    return altered


def remembered_record(change: Callable[[int, Record], Record]) -> Callable[[World], World]:
    """The broker keeps another state of each record (or of a cached batch as one)."""

    def batch(cached: Cached) -> Cached:
        return replace(cached, records=tuple([change(cached.first + place, record) for place, record in enumerate(cached.records)]))

    def world(before: World) -> World:
        slots = [
            slot
            if slot.state is None
            else replace(slot, state=replace(slot.state, cached=tuple([batch(one) for one in slot.state.cached])))
            for slot in before.slots
        ]
        return replace(before, slots=tuple(slots))

    return world
