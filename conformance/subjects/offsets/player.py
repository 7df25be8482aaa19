"""Histories of lookups and writes: one step after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from conformance.play.history import History, Retry
from conformance.subjects.offsets.answers import (
    append_answer,
    epoch_end_answer,
    list_offsets_answer,
)
from conformance.subjects.offsets.requests import (
    append_request,
    epoch_end_request,
    list_offsets_request,
)
from spec.kafka import LEADER_MOVES
from spec.offsets.outcomes import EpochEndAnswer, ListOffsetsAnswer
from spec.offsets.steps import AppendTimed, ListOffsets, OffsetForLeaderEpoch
from spec.outcomes import AppendAnswer, NotSent, Outcome

if TYPE_CHECKING:
    from conformance.play.request import Request
    from conformance.wire.outcomes import Answer
    from spec.steps import Step

PASSES_S = 3.0
"""How long an error that passes while a leader moves is asked again, seconds."""
PAUSE_S = 0.1


@dataclass
class OffsetHistory(History):
    """A scenario of offsets while it is played."""

    def request(self, step: Step) -> Request | NotSent | None:
        """Make a step's request."""
        assert self.placed is not None
        if isinstance(step, AppendTimed):
            where = self.placed.placed_partitions[step.partition]
            return append_request(self.cluster, step, where)
        if isinstance(step, OffsetForLeaderEpoch):
            where = self.placed.placed_partitions[step.partition]
            return epoch_end_request(self.cluster, step, where)
        assert isinstance(step, ListOffsets)
        return list_offsets_request(self.cluster, step, self.placed)

    def outcome(self, step: Step, request: Request, answer: Answer) -> Outcome:
        """Read an answer."""
        assert self.placed is not None
        if isinstance(step, AppendTimed):
            where = self.placed.placed_partitions[step.partition]
            return append_answer(answer.value, where)
        if isinstance(step, OffsetForLeaderEpoch):
            where = self.placed.placed_partitions[step.partition]
            return epoch_end_answer(request, answer, where)
        return list_offsets_answer(answer.value, self.placed)

    def retry(
        self, step: Step, request: Request, outcome: Outcome, waited_s: float
    ) -> Retry | None:
        """Ask again where a partition that exists has an error that passes."""
        del request
        if not isinstance(outcome, ListOffsetsAnswer) or waited_s > PASSES_S:
            return None
        assert self.placed is not None
        there = len(self.placed.placed_partitions)
        passes = any(
            found.error in LEADER_MOVES and found.partition < there for found in outcome.found
        )
        return Retry(step, PAUSE_S, kept=False) if passes else None

    def continues(self, step: Step, outcome: Outcome) -> bool:
        """Continue after each answer, and what was not sent, but that to a batch which was not
        taken.
        """
        if isinstance(step, AppendTimed):
            return isinstance(outcome, AppendAnswer) and not outcome.error
        return isinstance(outcome, ListOffsetsAnswer | EpochEndAnswer | AppendAnswer | NotSent)
