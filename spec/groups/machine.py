"""The machine of groups: what Apache Kafka answers to each request, when, and the groups after
it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf

from spec.groups.clauses.migrating import (
    downgraded,
    interrupted,
    interrupts,
    may_be_downgraded,
    upgraded,
)
from spec.groups.clauses.mixed import answered, joined
from spec.groups.model.assigned import JOIN, HeartbeatRequest, apply_heartbeat, kind_of
from spec.groups.model.classic import ERRORS, Decision, Effect, Joining, MemberAnswer, join, joining
from spec.groups.model.group import Group, Kind, State
from spec.groups.model.membership import heartbeat, sync
from spec.groups.model.state import GroupsState
from spec.groups.model.timers import Timer, rung, timers
from spec.groups.outcomes import (
    BrokerChanged,
    GroupDescribed,
    GroupOutcome,
    MemberHeartbeatAnswer,
    Passed,
)
from spec.groups.releases import SIZE_LIMITS, GroupSemantics, limits_of
from spec.groups.seams import REFERENCE, Coordinator
from spec.groups.steps import (
    AlterBrokerConfig,
    DescribeGroup,
    GroupStep,
    Heartbeat,
    JoinGroup,
    LeaveGroup,
    NamedStep,
    RestartWith,
    SyncGroup,
)
from spec.kafka import Error
from spec.machine import Stepped
from spec.semantics import Semantics


@dataclass(frozen=True, slots=True)
class Carried:
    """A request as it comes to the coordinator.

    Attributes:
        step: what is asked.
        group: the number of the group that it is for.
        member: the member id in it; empty for none.
        generation: the generation in it.
        epoch: the member epoch in it.
        current: whether that is the one that the member was answered last.
        fresh: the member id that is given out where one is; empty: the request's number.
    """

    step: GroupStep
    group: int = 0
    member: str = ""
    generation: int = -1
    epoch: int = 0
    current: bool = True
    fresh: str = ""


Answer = MemberAnswer | GroupOutcome
"""An answer; that to a request of a group is a `MemberAnswer`, whose form follows from the request.
"""
GroupStepped = Stepped[GroupsState, Answer]


@dataclass(frozen=True, slots=True)
class GroupMachine:
    """A broker's groups.

    Attributes:
        semantics: the decisions in force.
        coordinator: what decides; the reference, or one with a fault.
    """

    semantics: Semantics
    coordinator: Coordinator = REFERENCE

    def take(self, state: GroupsState, number: int, request: Carried, now: float) -> GroupStepped:
        """A request comes, or something is done to the broker."""
        step, state = request.step, replace(state, now=now)
        if isinstance(step, RestartWith):
            limits = limits_of(dict(step.config))
            groups = [
                self.coordinator.loading(group, limits.classic, now) for group in state.groups
            ]
            return Stepped(
                replace(state, limits=limits, groups=tuple(groups)), ((number, Passed()),)
            )
        if isinstance(step, AlterBrokerConfig):
            error = Error.INVALID_REQUEST if step.key in SIZE_LIMITS else Error.NONE
            return Stepped(state, ((number, BrokerChanged(error)),))
        group = state.groups[request.group]
        if isinstance(step, DescribeGroup):
            known = group.kind is Kind.CLASSIC
            described = GroupDescribed(
                0, group.state.value if known else State.DEAD.value, group.size if known else 0
            )
            return Stepped(state, ((number, described),))
        if isinstance(step, NamedStep):
            return self._handle_heartbeat(state, number, request, step)
        consumers = group.kind is Kind.CONSUMER and bool(group.members)
        if isinstance(step, JoinGroup):
            ask = joining(step, number, request.member)
            return (
                self._joins_consumers(state, request, ask)
                if consumers
                else self._joins(state, request, ask)
            )
        if not isinstance(step, SyncGroup | Heartbeat | LeaveGroup):
            return Stepped(state, ((number, Passed()),))
        if consumers:
            return self._of_consumers(state, number, request, step)
        return self._settled(state, request.group, self._effect(group, number, request, step, now))

    def due(self, state: GroupsState) -> float:
        """The time of the next timer, ms; infinite where there is none."""
        return min([timer.at for timer, _ in _timers(state)], default=inf)

    def ring(self, state: GroupsState, now: float) -> GroupStepped:
        """The timer that is due first rings."""
        timer, number = min(_timers(state))
        effect = rung(
            state.groups[number],
            timer,
            state.limits.initial_delay_ms,
            now,
            self.coordinator.running_out,
        )
        return self._settled(replace(state, now=now), number, effect)

    def _settled(self, state: GroupsState, number: int, effect: Effect) -> GroupStepped:
        chosen = self.coordinator.leading(effect) if effect.ended is not None else effect
        return Stepped(
            state.with_group(number, chosen.group),
            tuple([(answer.key, answer) for answer in chosen.answers]),
        )

    def _joins(self, state: GroupsState, request: Carried, ask: Joining) -> GroupStepped:
        group = state.groups[request.group]
        if group.kind is Kind.CONSUMER:  # an empty group makes way for one of the other kind
            group = Group()
        others = tuple([other for at, other in enumerate(state.groups) if at != request.group])
        decision = self.coordinator.deciding(
            self.coordinator.seeing(group, others), ask, state.limits.classic
        )
        fresh = request.fresh or str(ask.key)
        effect = join(group, ask, decision, fresh, state.limits.initial_delay_ms, state.now)
        if decision is Decision.FULL:
            effect = self.coordinator.refusing(group, effect, state.now)
        return self._settled(state, request.group, effect)

    def _joins_consumers(self, state: GroupsState, request: Carried, ask: Joining) -> GroupStepped:
        group = state.groups[request.group]
        decision = self.coordinator.mixing(group, ask, state.limits.consumer)
        after = state.with_group(request.group, joined(group, ask, decision, state.now))
        given = (
            str(ask.key)
            if decision is Decision.ID_REQUIRED
            else ""
            if decision is Decision.FULL
            else ask.member
        )
        answer = MemberAnswer(
            ask.key, ERRORS.get(decision, Error.NONE), -1 if decision in ERRORS else 1, given
        )
        return Stepped(after, ((ask.key, answer),))

    def _effect(
        self,
        group: Group,
        number: int,
        request: Carried,
        step: SyncGroup | Heartbeat | LeaveGroup,
        now: float,
    ) -> Effect:
        if isinstance(step, SyncGroup):
            return sync(group, number, request.member, step.instance, request.generation, now)
        if isinstance(step, Heartbeat):
            return heartbeat(group, number, request.member, step.instance, request.generation, now)
        return self.coordinator.leaving(group, number, request.member, step.instance, now)

    def _of_consumers(
        self,
        state: GroupsState,
        number: int,
        request: Carried,
        step: SyncGroup | Heartbeat | LeaveGroup,
    ) -> GroupStepped:
        group = state.groups[request.group]
        error = answered(group, step, request.member, request.generation) or 0
        leaves = isinstance(step, LeaveGroup) and not error
        after = replace(group.without(request.member), freed=True) if leaves else group
        return Stepped(
            self._left(state, request.group, group, after), ((number, MemberAnswer(number, error)),)
        )

    def _left(self, state: GroupsState, number: int, before: Group, after: Group) -> GroupsState:
        """The groups after a request to a consumer group, which may be one of classic members alone
        now.
        """
        becomes = may_be_downgraded(before, after) and self.coordinator.downgrading(
            after.size, state.limits
        )
        return state.with_group(
            number, downgraded(after, state.now, generation=1).group if becomes else after
        )

    def _handle_heartbeat(
        self, state: GroupsState, number: int, request: Carried, step: NamedStep
    ) -> GroupStepped:
        group, kind, epoch = state.groups[request.group], kind_of(step), request.epoch
        ask = HeartbeatRequest(
            kind, request.member, epoch, getattr(step, "instance", None), request.current
        )
        if (
            kind is Kind.CONSUMER
            and group.kind is Kind.CLASSIC
            and (group.members or epoch != JOIN)
        ):
            error = self.coordinator.upgrading(group, ask, state.limits)
            refused = interrupted(group) if interrupts(group, ask, state.limits) else Effect(group)
            stepped = self._settled(
                state, request.group, refused if error else upgraded(group, ask, state.now)
            )
        else:
            met = Group() if kind is Kind.CONSUMER and group.kind is Kind.CLASSIC else group
            error = self.coordinator.heartbeat(
                met, ask, state.limits.of(kind), self.semantics.of(GroupSemantics)
            )
            stepped = Stepped(
                self._left(state, request.group, met, apply_heartbeat(met, ask, error, state.now))
            )
        answer = MemberHeartbeatAnswer(
            error, 0 if error else max(epoch, 1) if epoch >= JOIN else epoch
        )
        return replace(stepped, replies=(*stepped.replies, (number, answer)))


def _timers(state: GroupsState) -> Iterator[tuple[Timer, int]]:
    for number, group in enumerate(state.groups):
        if group.kind is Kind.CLASSIC:
            yield from ((timer, number) for timer in timers(group))
