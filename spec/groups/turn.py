"""The view of the clauses on group sizes: one request and its answer beside the group that it met,
or the end of a join phase.
"""

from enum import StrEnum

from spec.fact import fact
from spec.frozen import frozen
from spec.groups.model.classic import Decision, MemberAnswer
from spec.groups.model.group import Group, Member, State
from spec.groups.outcomes import CodedOutcome, JoinGroupAnswer
from spec.groups.steps import (
    ConsumerGroupHeartbeat,
    GroupStep,
    JoinGroup,
    ShareGroupHeartbeat,
    StreamsGroupHeartbeat,
)
from spec.kafka import Error
from spec.outcomes import Outcome
from spec.semantics import Semantics


class JoinPhaseEnd(StrEnum):
    """The cause of the end of a join phase."""

    ALL_CAME = "all_came"
    """Each member has sent its JoinGroup, and no id that was given out is pending."""
    TIME = "time"
    """The rebalance timeout, or `group.initial.rebalance.delay.ms`, was over."""
    REFUSAL = "refusal"
    """A refusal for size took away the last one that was waited for."""
    EARLY = "early"
    """Nothing that ends a join phase had happened."""


@frozen
class Phase:
    """The end of a join phase.

    Attributes:
        before: the group immediately before.
        cause: see `JoinPhaseEnd`.
        answers: the members whose JoinGroup waited, with what came back.
        static: how many static members are kept without a JoinGroup of theirs.
        generation: the generation that begins.
    """

    before: Group
    cause: JoinPhaseEnd
    answers: tuple[tuple[Member, Outcome], ...]
    static: int
    generation: int

    @property
    def listed_members(self) -> int | None:
        """The number of members in the leader's answer; None where no leader's answer was seen."""
        counts = [
            one.members
            for _, one in self.answers
            if isinstance(one, JoinGroupAnswer) and one.leader and not one.error
        ]
        return counts[0] if counts else None


@frozen
class RemainingMembers:
    """A consumer group that was left to classic members alone.

    Attributes:
        members: how many they are.
        limit: how many a classic group may have.
        downgraded: whether it is taken to have become a classic group.
    """

    members: int
    limit: int
    downgraded: bool


@frozen(slots=False)
class Turn:
    """One thing that happened, as one way to understand the history has it.

    Attributes:
        before: the group that it met.
        limit: how many members the group may have.
        outcome: what came back.
        semantics: the decisions in force.
        step: the request; None where no request did it.
        member: the member id that was sent; empty for none.
        expected: the error code that Apache Kafka answers, 0 where it lets the request wait; None
            where that can't be said.
        expected_decision, decision: what Apache Kafka makes of a JoinGroup, and what was made of
            it.
        expected_answer: for a request that waited: what the model answers in the end.
        phase: the end of a join phase.
        overdue: members whose session ran out long ago.
        orphaned: a JoinGroup that another one of the same member took the place of.
        left_to: what a member that left made of a consumer group.
        epoch: the generation or member epoch that a commit or an OffsetFetch carried.
        early: a request that waited was answered though nothing had ended its wait.
    """

    before: Group
    limit: int
    outcome: Outcome
    semantics: Semantics
    step: GroupStep | None = None
    member: str = ""
    expected: int | None = None
    expected_decision: Decision | None = None
    decision: Decision | None = None
    expected_answer: MemberAnswer | None = None
    phase: Phase | None = None
    overdue: tuple[str, ...] = ()
    orphaned: bool = False
    left_to: RemainingMembers | None = None
    early: bool = False
    epoch: int = -1

    @fact
    def arrives(self) -> bool:
        """Whether it is a request that meets the group, not the end of something."""
        return (
            self.step is not None
            and self.expected_answer is None
            and self.phase is None
            and not self.orphaned
            and not self.early
        )

    @fact
    def code(self) -> int | None:
        """The error code that the request met; 0 for a JoinGroup that was let in, to wait or by the
        current generation, whatever comes of it; None where nothing that can be read came.
        """
        if self.decision in {Decision.JOINS, Decision.CURRENT}:
            return 0
        return self.outcome.error if isinstance(self.outcome, CodedOutcome) else None

    @property
    def as_reference(self) -> bool:
        """Whether a request was answered as Apache Kafka answers it."""
        return self.arrives and self.expected is not None and self.code == self.expected

    @fact
    def is_refused_for_size(self) -> bool:
        """Whether it was refused for size."""
        return self.code == Error.GROUP_MAX_SIZE_REACHED

    @fact
    def join(self) -> JoinGroup | None:
        """The JoinGroup that meets the group."""
        return self.step if isinstance(self.step, JoinGroup) and self.arrives else None

    @fact
    def heartbeat(self) -> ConsumerGroupHeartbeat | ShareGroupHeartbeat | None:
        """The heartbeat of a consumer or share member, which names itself."""
        return (
            self.step
            if isinstance(self.step, ConsumerGroupHeartbeat | ShareGroupHeartbeat) and self.arrives
            else None
        )

    @fact
    def streams(self) -> StreamsGroupHeartbeat | None:
        """The heartbeat of a streams member, for which there are other rules."""
        return self.step if isinstance(self.step, StreamsGroupHeartbeat) and self.arrives else None

    @fact
    def known_member(self) -> Member | None:
        """The member whose id was sent."""
        return self.before.member(self.member) if self.member else None

    @fact
    def static_member(self) -> Member | None:
        """The static member whose instance id was sent."""
        instance = (
            self.step.instance
            if isinstance(self.step, JoinGroup | ConsumerGroupHeartbeat)
            else None
        )
        return self.before.instance(instance)

    @fact
    def newcomer(self) -> bool:
        """Whether a JoinGroup is by somebody who is no member: without an id, or with one that was
        given out for it.
        """
        return (
            self.join is not None
            and self.static_member is None
            and (not self.member or self.before.is_pending(self.member))
        )

    @fact
    def is_preparing(self) -> bool:
        """Whether the group is in PreparingRebalance with members that it had before: not in the
        initial rebalance of an empty group.
        """
        return self.before.state is State.PREPARING and not self.before.initial
