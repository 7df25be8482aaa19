"""Planted faults of share groups: each a small named change at one seam of the model's answer
to a history.

A request can be misread, a decision taken otherwise, what is remembered between two requests
mistaken, or the answer altered on its way out. What is answered then goes the way of any answer:
the judge knows nothing of the fault.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from spec.frozen import frozen, replace
from spec.outcomes import Outcome
from spec.share.model.seams import REFERENCE, Sharing
from spec.share.outcomes import (
    Acquired,
    ShareAcknowledgeAnswer,
    ShareAnswerPartition,
    ShareFetchAnswer,
)
from spec.share.steps import AcknowledgementBatch, ShareAcknowledge, ShareFetch, SharePartition
from spec.steps import Step

if TYPE_CHECKING:
    from conformance.faults.planted import Expected
    from conformance.serve.broker_state import BrokerState
    from spec.share.model.partition import ShareState
    from spec.share.model.records import Cached, Record
    from spec.share.model.state import State
    from spec.share.releases import ShareSemantics

Misreading = Callable[[Step], Step]
Altering = Callable[[Step, Outcome], Outcome]


Timed = Callable[["State", "State", float], "State"]
Noticed = Callable[[frozenset[int], frozenset[int]], frozenset[int]]


@frozen
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
        timed: how its timers run; see `Sharing`.
        noticed: what lets fetches that wait look again; see `Sharing`.
    """

    name: str
    clause: str
    expected: Expected
    summary: str
    misread: Misreading = REFERENCE.misread
    decided: Callable[[ShareSemantics], ShareSemantics] = REFERENCE.decided
    remembered: Callable[[State], State] = REFERENCE.remembered
    altered: Altering = REFERENCE.altered
    timed: Timed = REFERENCE.timed
    noticed: Noticed = REFERENCE.noticed

    def plant(self, state: BrokerState) -> None:
        """Make a served model wrong in this way."""
        state.shares.sharing = self.sharing

    @property
    def sharing(self) -> Sharing:
        """How a broker with this fault handles its share groups."""
        return Sharing(
            self.misread, self.decided, self.remembered, self.altered, self.timed, self.noticed
        )


def misread_fetch(change: Callable[[ShareFetch], ShareFetch]) -> Misreading:
    """The broker takes a fetch for another one."""
    return lambda step: change(step) if isinstance(step, ShareFetch) else step


def change_fetch(change: Callable[[ShareFetchAnswer], ShareFetchAnswer]) -> Altering:
    """The broker alters its answer to a fetch that went through."""
    return lambda _, outcome: (
        change(outcome) if isinstance(outcome, ShareFetchAnswer) and not outcome.error else outcome
    )


def change_part(change: Callable[[ShareAnswerPartition], ShareAnswerPartition]) -> Altering:
    """The broker alters each partition in which something was acquired."""
    return change_fetch(
        lambda answer: replace(
            answer,
            partitions=tuple(
                [change(part) if part.acquired else part for part in answer.partitions]
            ),
        )
    )


def change_ranges(change: Callable[[Acquired], Acquired]) -> Altering:
    """The broker alters each range that it answers with."""
    return change_part(
        lambda part: replace(part, acquired=tuple([change(one) for one in part.acquired]))
    )


def misread_acknowledgements(
    change: Callable[[AcknowledgementBatch], AcknowledgementBatch],
) -> Misreading:
    """The broker takes each batch of a ShareAcknowledge for another one."""

    def part(one: SharePartition) -> SharePartition:
        return replace(
            one, acknowledgements=tuple([change(batch) for batch in one.acknowledgements])
        )

    def misread(step: Step) -> Step:
        return (
            replace(step, partitions=tuple([part(one) for one in step.partitions]))
            if isinstance(step, ShareAcknowledge)
            else step
        )

    return misread


def replace_types(instead: Mapping[int, int]) -> Misreading:
    """The broker takes acknowledge types for others."""
    return misread_acknowledgements(
        lambda batch: replace(batch, types=tuple([instead.get(kind, kind) for kind in batch.types]))
    )


def replace_codes(instead: Mapping[int, int]) -> Altering:
    """The broker answers acknowledgements with other error codes."""

    def change(_: Step, outcome: Outcome) -> Outcome:
        if isinstance(outcome, ShareAcknowledgeAnswer):
            return replace(
                outcome,
                partitions=tuple(
                    [(number, instead.get(code, code)) for number, code in outcome.partitions]
                ),
            )
        return outcome

    return change


def change_record(change: Callable[[int, Record], Record]) -> Callable[[State], State]:
    """The broker keeps another state of each record (or of a cached batch as one)."""

    def batch(cached: Cached) -> Cached:
        return replace(
            cached,
            records=tuple(
                [
                    change(cached.first + place, record)
                    for place, record in enumerate(cached.records)
                ]
            ),
        )

    def records(before: ShareState) -> ShareState:
        return replace(before, cached=tuple([batch(one) for one in before.cached]))

    def state(before: State) -> State:
        partitions = [
            one if one.records is None else replace(one, records=records(one.records))
            for one in before.partitions
        ]
        return replace(before, partitions=tuple(partitions))

    return state
