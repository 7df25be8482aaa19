"""The dry run of a history of groups: what the machine answers, in virtual time.

Each step takes a millisecond, and a wait as long as it does.
"""

from math import ceil, inf

from spec.dry_run import fired_timers
from spec.frozen import replace
from spec.groups.history import Identities
from spec.groups.machine import Answer, GroupMachine, GroupStepResult, ReceivedRequest
from spec.groups.model.classic import ERRORS, MemberAnswer
from spec.groups.model.group import Group
from spec.groups.model.state import GroupsState
from spec.groups.outcomes import GroupAnswer, GroupOutcome, JoinGroupAnswer, MemberId, Passed
from spec.groups.releases import limits_of
from spec.groups.seams import REFERENCE, Coordinator
from spec.groups.steps import (
    NULL_PROTOCOL_SINCE,
    OWN,
    PATIENCE_MS,
    GroupStep,
    JoinGroup,
    MemberCommit,
    MemberOffsetFetch,
    MemberStep,
    NamedStep,
    WaitFor,
)
from spec.kafka import Error
from spec.observation import Exchange, Observation
from spec.outcomes import NotSent, Silent
from spec.scenario import Scenario
from spec.semantics import Semantics

STEP_MS = 1.0


def answer_all(
    scenario: Scenario, semantics: Semantics, coordinator: Coordinator = REFERENCE
) -> Observation:
    """The answers of the model to a history of groups."""
    return GroupPlay(scenario, semantics, coordinator).observation()


class GroupPlay:
    """A history under way on the model.

    Args:
        scenario: the history.
        semantics: the decisions in force.
        coordinator: what decides; the reference, or one with a fault.
    """

    def __init__(
        self, scenario: Scenario, semantics: Semantics, coordinator: Coordinator = REFERENCE
    ) -> None:
        self.scenario = scenario
        self.coordinator = coordinator
        self.machine = GroupMachine(semantics, coordinator)
        count = 1 + max([getattr(step, "group", 0) for step in scenario.steps], default=0)
        self.state = GroupsState((Group(),) * count, limits_of(dict(scenario.config)))
        self.clock = 0.0
        self._identities = Identities()
        self._exchanges: dict[int, Exchange] = {}
        self._sent: dict[int, tuple[GroupStep, str, float]] = {}
        self._waiting: dict[int, int] = {}
        """By actor: the step that its connection waits for."""

    def observation(self) -> Observation:
        """Play to the end."""
        before: int | None = None
        for number, step in enumerate(self.scenario.steps):
            assert isinstance(step, GroupStep), step
            if not self._await(self._waiting.get(step.actor)) or not self._await(before):
                lost = NotSent("a request before it is not answered")
                self._exchanges[number] = Exchange(number, lost, self.clock, self.clock)
                break
            self._take(number, step)
            self._advance(self.clock)
            before = None if getattr(step, "parked", False) else number
        for number in list(self._sent):
            self._await(number)
        for number, (step, _, sent) in self._sent.items():
            until = self.clock + getattr(step, "patience_ms", PATIENCE_MS)
            silent = Silent(ceil(until - sent), control_answered=True)
            self._exchanges[number] = Exchange(number, silent, sent, until)
        return Observation(tuple([self._exchanges[number] for number in sorted(self._exchanges)]))

    def _await(self, number: int | None) -> bool:
        """Let time pass until a request is answered; False where it never is."""
        while number in self._sent:
            due = self.machine.due(self.state)
            if due == inf:
                return False
            self._advance(max(self.clock, due))
        return True

    def _advance(self, until: float) -> None:
        """Let everything happen that is due by then."""
        for now, stepped in fired_timers(self.machine, self.state, until, now=self.clock):
            self.clock = now
            self._apply_step(stepped)
        self.clock = max(self.clock, until)

    def _take(self, number: int, step: GroupStep) -> None:
        self.clock += STEP_MS
        request = self._carry(number, step)
        self._sent[number] = step, request.member, self.clock
        if isinstance(step, MemberStep):
            self._waiting[step.actor] = number
        if isinstance(step, WaitFor):
            self._advance(self.clock + step.ms)
            self._record_answer(number, Passed())
        else:
            self._apply_step(self.machine.take(self.state, number, request, self.clock))

    def _carry(self, number: int, step: GroupStep) -> ReceivedRequest:
        if not isinstance(step, MemberStep):
            return ReceivedRequest(step)
        member, generation = (
            self._identities.sent_id(step, f"named-{number}"),
            self._identities.generation(step),
        )
        if isinstance(step, MemberCommit | MemberOffsetFetch):
            epoch = self._identities.commit_epoch(step)
            return ReceivedRequest(step, step.group, member, generation, epoch)
        if not isinstance(step, NamedStep):
            return ReceivedRequest(step, step.group, member, generation)
        epoch, own = self._identities.epoch(step), self._identities.epoch(_with_own_epoch(step))
        return ReceivedRequest(step, step.group, member, generation, epoch, current=epoch == own)

    def _apply_step(self, stepped: GroupStepResult) -> None:
        self.state = stepped.state
        for number, answer in stepped.replies:
            if number in self._sent:
                self._record_answer(number, answer)

    def _record_answer(self, number: int, answer: Answer) -> None:
        step, member, sent = self._sent.pop(number)
        outcome = _outcome(answer, step, member) if isinstance(answer, MemberAnswer) else answer
        altered = self.coordinator.altering(step, outcome)
        self._exchanges[number] = Exchange(number, altered, sent, self.clock + STEP_MS / 2)
        self._identities.take_answer(step, altered, str(number))


def _with_own_epoch(step: NamedStep) -> NamedStep:
    return replace(step, epoch=OWN)


def _outcome(answer: MemberAnswer, step: GroupStep, sent: str) -> GroupOutcome:
    """An answer as it is seen."""
    if not isinstance(step, JoinGroup):
        return GroupAnswer(answer.error, assigned=answer.assigned)
    return JoinGroupAnswer(
        error=answer.error,
        generation=answer.generation,
        member=_kind_of_id(answer.member, sent),
        leader=bool(answer.leader) and answer.leader == answer.member,
        members=len(answer.members),
        protocol=_protocol(answer.error, step.version),
    )


def _kind_of_id(answered: str, sent: str) -> MemberId:
    if not answered:
        return MemberId.NONE
    return MemberId.SENT if answered == sent else MemberId.GIVEN


def _protocol(error: int, version: int) -> str | None:
    """The protocol's name in a JoinGroup answer."""
    if error not in _NAMELESS:
        return "range"
    return None if version >= NULL_PROTOCOL_SINCE else ""


_NAMELESS = frozenset(int(code) for code in ERRORS.values()) | {int(Error.REBALANCE_IN_PROGRESS)}
