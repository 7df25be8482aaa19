"""Turns: what the clauses about several brokers look at."""

from spec.frozen import frozen
from spec.outcomes import Outcome
from spec.replication.model import State
from spec.replication.outcomes import (
    EpochEnd,
    LatestAnswer,
    Moved,
    NamedLeader,
    ReadResult,
    Replicas,
    WriteAnswer,
)
from spec.replication.steps import (
    Asked,
    AskEpochEnd,
    AskLatest,
    ElectLeader,
    KillBroker,
    Read,
    StartBroker,
    StopBroker,
    Write,
)

ANSWERS = {
    Write: WriteAnswer,
    Read: ReadResult,
    AskLatest: LatestAnswer,
    AskEpochEnd: EpochEnd,
    ElectLeader: Moved,
    StopBroker: Replicas,
    KillBroker: Replicas,
    StartBroker: Replicas,
}
"""The class of each step's answer."""


@frozen
class Turn:
    """One request, the state that it met, and the response.

    Attributes:
        step: the request.
        state: the partition before it.
        outcome: the response.
    """

    step: Asked
    state: State
    outcome: Outcome

    @property
    def is_answered(self) -> bool:
        """Whether an answer of the step's kind came."""
        return isinstance(self.outcome, ANSWERS[type(self.step)])

    @property
    def at_leader(self) -> bool:
        """Whether the broker that is asked leads the partition."""
        return self.step.actor == self.state.leader

    @property
    def error(self) -> int:
        """The error code of the answer; 0 where it has none."""
        return int(getattr(self.outcome, "error", 0))

    @property
    def named(self) -> NamedLeader | None:
        """The current leader that the answer names; None where it names none."""
        outcome = self.outcome
        return outcome.leader if isinstance(outcome, WriteAnswer | ReadResult) else None

    @property
    def epoch_end(self) -> tuple[int, EpochEnd]:
        """The leader epoch whose end is asked for, relative to the current one, and the answer,
        which it is.
        """
        assert isinstance(self.step, AskEpochEnd)
        assert isinstance(self.outcome, EpochEnd)
        return self.step.epoch, self.outcome

    @property
    def write(self) -> Write:
        """The write that was sent, which it is."""
        assert isinstance(self.step, Write)
        return self.step

    @property
    def read(self) -> tuple[Read, ReadResult]:
        """The read and its answer, which it is."""
        assert isinstance(self.step, Read)
        assert isinstance(self.outcome, ReadResult)
        return self.step, self.outcome
