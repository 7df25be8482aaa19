"""The model's own observation of a history of groups, by a clock of its own, and the seams at which a fault can be planted."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import inf

from spec.groups.clauses.migrating import decide_upgrade, downgraded, fits_downgraded, interrupted, interrupts, may_be_downgraded, upgraded
from spec.groups.clauses.mixed import answered, decide_in_consumer_group, joined
from spec.groups.history import Identities
from spec.groups.model.assigned import JOIN, Beating, beat, decide_beat, kind_of
from spec.groups.model.classic import ERRORS, Decision, Effect, Joining, Told, decide, join, joining
from spec.groups.model.group import Group, Kind, State
from spec.groups.model.membership import heartbeat, leave, loaded, removed, sync
from spec.groups.model.timers import Rings, Timer, rung, timers
from spec.groups.outcomes import (
    BrokerChanged,
    GroupAnswer,
    GroupDescribed,
    GroupOutcome,
    JoinGroupAnswer,
    MemberHeartbeatAnswer,
    MemberId,
    Passed,
)
from spec.groups.releases import SIZE_LIMITS, GroupSemantics, Limits, limits_of
from spec.groups.steps import (
    NULL_PROTOCOL_SINCE,
    AlterBrokerConfig,
    DescribeGroup,
    GroupStep,
    Heartbeat,
    JoinGroup,
    LeaveGroup,
    MemberStep,
    NamedStep,
    RestartWith,
    SyncGroup,
    WaitFor,
)
from spec.kafka import Error
from spec.observation import Exchange, Observation
from spec.outcomes import NotSent, Silent
from spec.scenario import Scenario
from spec.semantics import Semantics

STEP_MS = 1.0


def _as_it_is(_: GroupStep, outcome: GroupOutcome) -> GroupOutcome:
    return outcome


def _as_chosen(effect: Effect) -> Effect:
    return effect


def _no_more(_: Group, effect: Effect, __: float) -> Effect:
    return effect


def _alone(group: Group, _: tuple[Group, ...]) -> Group:
    return group


@dataclass(frozen=True, slots=True)
class Coordinator:
    """What decides, so that each part can be planted wrong.

    Attributes:
        deciding: what is made of a JoinGroup.
        mixing: what is made of a JoinGroup to a consumer group.
        upgrading: the error code of a consumer's heartbeat to a classic group with members.
        downgrading: whether a consumer group that is left to so many classic members becomes a classic group.
        beating: the error code of a heartbeat of a member that names itself.
        leaving: what LeaveGroup does.
        running_out: what a session that ran out does.
        loading: how a classic group is loaded.
        refusing: what more follows on a refusal for size, given the group before it.
        seeing: what a JoinGroup is measured by, given the other groups of the broker.
        leading: who leads when a join phase ends.
        altering: what becomes of an answer on its way out.
    """

    deciding: Callable[[Group, Joining, int], Decision] = decide
    mixing: Callable[[Group, Joining, int], Decision] = decide_in_consumer_group
    upgrading: Callable[[Group, Beating, Limits], int] = decide_upgrade
    downgrading: Callable[[int, Limits], bool] = fits_downgraded
    beating: Callable[[Group, Beating, int, GroupSemantics], int] = decide_beat
    leaving: Callable[[Group, int, str, str | None, float], Effect] = leave
    running_out: Callable[[Group, str, float], Effect] = removed
    loading: Callable[[Group, int, float], Group] = loaded
    refusing: Callable[[Group, Effect, float], Effect] = _no_more
    seeing: Callable[[Group, tuple[Group, ...]], Group] = _alone
    leading: Callable[[Effect], Effect] = _as_chosen
    altering: Callable[[GroupStep, GroupOutcome], GroupOutcome] = _as_it_is


REFERENCE = Coordinator()


def answer_all(scenario: Scenario, semantics: Semantics, coordinator: Coordinator = REFERENCE) -> Observation:
    """What the model answers to a history of groups."""
    return GroupPlay(scenario, semantics, coordinator).observation()


class GroupPlay:
    """A history under way on the model.

    Args:
        scenario: the history.
        semantics: the decisions in force.
        coordinator: what decides; the reference, or one with a fault.
    """

    def __init__(self, scenario: Scenario, semantics: Semantics, coordinator: Coordinator = REFERENCE) -> None:
        self.scenario = scenario
        self.semantics = semantics
        self.coordinator = coordinator
        self.groups: dict[int, Group] = {}
        self.limits: Limits = limits_of(dict(scenario.config))
        self.clock = 0.0
        self._identities = Identities()
        self._exchanges: dict[int, Exchange] = {}
        self._sent: dict[int, tuple[MemberStep, str, float]] = {}
        self._waiting: dict[int, int] = {}
        """By actor: the step that its connection waits for."""

    def observation(self) -> Observation:
        """Play to the end."""
        before: int | None = None
        for number, step in enumerate(self.scenario.steps):
            assert isinstance(step, GroupStep), step
            if not self._await(self._waiting.get(step.actor)) or not self._await(before):
                self._exchanges[number] = Exchange(number, NotSent("a request before it is not answered"), self.clock, self.clock)
                break
            self._take(number, step)
            self._advance(self.clock, run_out=False)
            before = None if getattr(step, "parked", False) else number
        for number in list(self._sent):
            self._await(number)
        for number, (_, _, sent) in self._sent.items():
            self._exchanges[number] = Exchange(number, Silent(0, control_answered=True), sent, self.clock)
        return Observation(tuple([self._exchanges[number] for number in sorted(self._exchanges)]))

    def _await(self, number: int | None) -> bool:
        """Let time pass until a request is answered; False where it never is."""
        while number in self._sent:
            due = min([one[0] for one in self._due()], default=inf)
            if due == inf:
                return False
            self._advance(max(self.clock, due), run_out=True)
        return True

    def _due(self) -> Iterator[tuple[float, int, Timer]]:
        for number, group in self.groups.items():
            if group.kind is Kind.CLASSIC:
                yield from ((timer.at, number, timer) for timer in timers(group))

    def _advance(self, until: float, *, run_out: bool) -> None:
        """Let everything happen that is due by then."""
        while True:
            due = [one for one in self._due() if one[0] <= until and (run_out or one[2].rings is not Rings.OUT)]
            if not due:
                break
            at, number, timer = min(due)
            self.clock = max(self.clock, at)
            effect = rung(self.groups[number], timer, self.limits.initial_delay_ms, self.clock, self.coordinator.running_out)
            self._settle(number, effect)
        self.clock = max(self.clock, until)

    def _take(self, number: int, step: GroupStep) -> None:
        self.clock += STEP_MS
        if isinstance(step, WaitFor | RestartWith | AlterBrokerConfig):
            self._administer(number, step)
            return
        member, group = self._identities.sent(step, f"named-{number}"), self.groups.get(step.group, Group())
        self._sent[number] = step, member, self.clock
        self._waiting[step.actor] = number
        if isinstance(step, JoinGroup):
            ask = joining(step, number, member)
            if group.kind is Kind.CONSUMER and group.members:
                self._join_consumers(number, step, group, ask)
                return
            group = Group() if group.kind is Kind.CONSUMER else group
            others = tuple([other for at, other in self.groups.items() if at != step.group])
            decision = self.coordinator.deciding(self.coordinator.seeing(group, others), ask, self.limits.classic)
            effect = join(group, ask, decision, str(number), self.limits.initial_delay_ms, self.clock)
            self._settle(step.group, self.coordinator.refusing(group, effect, self.clock) if decision is Decision.FULL else effect)
        elif isinstance(step, NamedStep):
            self._beat(number, step, member, group)
        elif isinstance(step, DescribeGroup):
            classic = group.kind is Kind.CLASSIC
            self._tell(number, GroupDescribed(0, group.state.value if classic else State.DEAD.value, group.size if classic else 0))
        elif group.kind is Kind.CONSUMER and group.members:
            self._tell_consumers(number, step, member, group)
        else:
            self._settle(step.group, self._effect(number, step, member, group))

    def _effect(self, number: int, step: SyncGroup | Heartbeat | LeaveGroup, member: str, group: Group) -> Effect:
        generation = self._identities.generation(step)
        if isinstance(step, SyncGroup):
            return sync(group, number, member, step.instance, generation, self.clock)
        if isinstance(step, Heartbeat):
            return heartbeat(group, number, member, step.instance, generation, self.clock)
        return self.coordinator.leaving(group, number, member, step.instance, self.clock)

    def _join_consumers(self, number: int, step: JoinGroup, group: Group, ask: Joining) -> None:
        decision = self.coordinator.mixing(group, ask, self.limits.consumer)
        self.groups[step.group] = joined(group, ask, decision, self.clock)
        given = str(number) if decision is Decision.ID_REQUIRED else "" if decision is Decision.FULL else ask.member
        told = Told(number, ERRORS.get(decision, Error.NONE), -1 if decision in ERRORS else 1, given)
        self._tell(number, _outcome(told, step, ask.member))

    def _tell_consumers(self, number: int, step: SyncGroup | Heartbeat | LeaveGroup, member: str, group: Group) -> None:
        error = answered(group, step, member, self._identities.generation(step)) or 0
        leaves = isinstance(step, LeaveGroup) and not error
        self._left(step.group, group, replace(group.without(member), freed=True) if leaves else group)
        self._tell(number, GroupAnswer(error))

    def _left(self, number: int, before: Group, after: Group) -> None:
        """The group after a request to a consumer group; it may be one of classic members alone now."""
        becomes = may_be_downgraded(before, after) and self.coordinator.downgrading(after.size, self.limits)
        self.groups[number] = downgraded(after, self.clock, generation=1).group if becomes else after

    def _beat(self, number: int, step: NamedStep, member: str, group: Group) -> None:
        kind = kind_of(step)
        epoch = self._identities.epoch(step)
        current = epoch == self._identities.epoch(replace(step, epoch="own"))
        ask = Beating(kind, member, epoch, getattr(step, "instance", None), current)
        if kind is Kind.CONSUMER and group.kind is Kind.CLASSIC and (group.members or epoch != JOIN):
            error = self.coordinator.upgrading(group, ask, self.limits)
            told = interrupted(group) if interrupts(group, ask, self.limits) else Effect(group)
            self._settle(step.group, told if error else upgraded(group, ask, self.clock))
        else:
            met = Group() if kind is Kind.CONSUMER and group.kind is Kind.CLASSIC else group
            error = self.coordinator.beating(met, ask, self.limits.of(kind), self.semantics.of(GroupSemantics))
            self._left(step.group, met, beat(met, ask, error, self.clock))
        self._tell(number, MemberHeartbeatAnswer(error, 0 if error else max(epoch, 1) if epoch >= JOIN else epoch))

    def _administer(self, number: int, step: WaitFor | RestartWith | AlterBrokerConfig) -> None:
        sent, outcome = self.clock, self.coordinator.altering(step, Passed())
        if isinstance(step, WaitFor):
            self._advance(self.clock + step.ms, run_out=True)
        elif isinstance(step, RestartWith):
            self.limits = limits_of(dict(step.config))
            self.groups = {at: self.coordinator.loading(group, self.limits.classic, sent) for at, group in self.groups.items()}
        else:
            outcome = self.coordinator.altering(step, BrokerChanged(Error.INVALID_REQUEST if step.key in SIZE_LIMITS else 0))
        self._exchanges[number] = Exchange(number, outcome, sent, self.clock + STEP_MS / 2)

    def _settle(self, number: int, effect: Effect) -> None:
        effect = self.coordinator.leading(effect) if effect.ended is not None else effect
        self.groups[number] = effect.group
        for told in effect.told:
            if told.key in self._sent:
                self._tell(told.key, _outcome(told, *self._sent[told.key][:2]))

    def _tell(self, number: int, outcome: GroupOutcome) -> None:
        step, _, sent = self._sent.pop(number)
        altered = self.coordinator.altering(step, outcome)
        self._exchanges[number] = Exchange(number, altered, sent, self.clock + STEP_MS / 2)
        self._identities.answered(step, altered, str(number))


def _outcome(told: Told, step: MemberStep, sent: str) -> GroupOutcome:
    """An answer as it is seen."""
    if not isinstance(step, JoinGroup):
        return GroupAnswer(told.error)
    member = MemberId.NONE if not told.member else MemberId.SENT if told.member == sent else MemberId.GIVEN
    nothing = None if step.version >= NULL_PROTOCOL_SINCE else ""
    leads = bool(told.leader) and told.leader == told.member
    return JoinGroupAnswer(told.error, told.generation, member, leads, len(told.members), nothing if told.error in _NAMELESS else "range")


_NAMELESS = frozenset(int(code) for code in ERRORS.values()) | {int(Error.REBALANCE_IN_PROGRESS)}
