"""Histories of lookups and writes: one step after the other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from conformance.ledger import PREFIX, Kind
from conformance.placement.coordinated import (
    BATCHED,
    KeyType,
    coordinated_name,
    coordinator_request,
)
from conformance.play.history import History, Retry
from conformance.play.silence import SILENCE_S
from conformance.subjects.offsets.answers import (
    append_answer,
    epoch_end_answer,
    list_offsets_answer,
)
from conformance.subjects.offsets.committing import (
    commit_answer,
    commit_request,
    fetch_answer,
    fetch_request,
)
from conformance.subjects.offsets.requests import (
    append_request,
    epoch_end_request,
    list_offsets_request,
)
from spec.kafka import COORDINATOR_COMES_UP, LEADER_MOVES
from spec.offsets.outcomes import (
    EpochEndAnswer,
    ListOffsetsAnswer,
    OffsetCommitAnswer,
    OffsetFetchAnswer,
)
from spec.offsets.steps import (
    AppendTimed,
    ListOffsets,
    OffsetCommit,
    OffsetFetch,
    OffsetForLeaderEpoch,
)
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
    """A scenario of offsets while it is played.

    Attributes:
        group: the name of its own group.
    """

    group: str = field(init=False, default="")
    _coordinated: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        self.group = coordinated_name(self.cluster, f"{PREFIX}offsets-")

    def request(self, step: Step) -> Request | NotSent | None:
        """Make a step's request."""
        assert self.placed is not None
        if isinstance(step, AppendTimed):
            where = self.placed.placed_partitions[step.partition]
            return append_request(self.cluster, step, where)
        if isinstance(step, OffsetCommit):
            self.will_make(Kind.GROUP, self.group)
            return commit_request(self.cluster, step, self.placed, self.group)
        if isinstance(step, OffsetFetch):
            return fetch_request(self.cluster, step, self.placed, self.group)
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
        if isinstance(step, OffsetCommit):
            return commit_answer(answer, self.placed)
        if isinstance(step, OffsetFetch):
            return fetch_answer(request, answer, self.placed)
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

    def coming_up(self, step: Step, outcome: Outcome) -> int:
        """Whether a group's coordinator is loading, or is not there yet."""
        del step
        errors: list[int] = []
        if isinstance(outcome, OffsetCommitAnswer):
            errors = [error for _, error in outcome.errors]
        elif isinstance(outcome, OffsetFetchAnswer):
            errors = [outcome.error, *[one.error for one in outcome.committed]]
        return next((error for error in errors if error in COORDINATOR_COMES_UP), 0)

    def continues(self, step: Step, outcome: Outcome) -> bool:
        """Continue after each answer, and what was not sent, but that to a batch which was not
        taken.
        """
        if isinstance(step, AppendTimed):
            return isinstance(outcome, AppendAnswer) and not outcome.error
        return isinstance(
            outcome,
            ListOffsetsAnswer
            | EpochEndAnswer
            | OffsetCommitAnswer
            | OffsetFetchAnswer
            | AppendAnswer
            | NotSent,
        )

    async def prepare(self, step: Step) -> None:
        """Have the broker make what it keeps commits in, once, before the first one."""
        await super().prepare(step)
        if isinstance(step, OffsetCommit | OffsetFetch) and not self._coordinated:
            self._coordinated = True
            connection = await self.connection(step.actor)
            version = self.cluster.version("FindCoordinator", BATCHED)
            value = coordinator_request(version, KeyType.GROUP, self.group)
            await connection.send("FindCoordinator", version, value, SILENCE_S).answered
