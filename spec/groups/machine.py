"""The machine of groups: what Apache Kafka answers to each request, when, and the groups after
it.
"""

from collections.abc import Iterator
from math import inf

from spec.frozen import frozen, replace
from spec.groups.clauses.migrating import (
    downgrade_group,
    interrupt_waiting,
    interrupts,
    may_be_downgraded,
    upgrade_group,
)
from spec.groups.clauses.mixed import expected_code, group_after_join
from spec.groups.model.assigned import JOIN, HeartbeatRequest, apply_heartbeat, kind_of
from spec.groups.model.classic import (
    ERRORS,
    Decision,
    Effect,
    MemberAnswer,
    ReceivedJoin,
    join,
    joining_of,
)
from spec.groups.model.commits import CONSUMERS_COMMIT_SINCE, Sender, group_after_commit
from spec.groups.model.epochs import WITH_EPOCHS, HeartbeatContent, assign, with_epoch
from spec.groups.model.group import Group, Kind, Member, State
from spec.groups.model.membership import heartbeat, sync
from spec.groups.model.state import GroupsState
from spec.groups.model.timers import Timer, TimerKind, expire_timer
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
    MemberCommit,
    MemberOffsetFetch,
    NamedStep,
    RestartWith,
    SyncGroup,
)
from spec.kafka import Error
from spec.machine import StepResult
from spec.semantics import Semantics

NOTHING_BROUGHT = HeartbeatContent()


@frozen
class ReceivedRequest:
    """A request as it comes to the coordinator.

    Attributes:
        step: what is asked.
        group: the number of the group that it is for.
        member: the member id in it; empty for none.
        generation: the generation in it.
        epoch: the member epoch in it; of a commit or an OffsetFetch, the generation or member
            epoch.
        current: whether that is the one that the member was answered last.
        fresh: the member id that is given out where one is; empty: the request's number.
        brought: the rest of a heartbeat to a consumer or share group.
    """

    step: GroupStep
    group: int = 0
    member: str = ""
    generation: int = -1
    epoch: int = 0
    current: bool = True
    fresh: str = ""
    brought: HeartbeatContent = NOTHING_BROUGHT


Answer = MemberAnswer | GroupOutcome
"""An answer; that to a request of a group is a `MemberAnswer`, whose form follows from the request.
"""
GroupStepResult = StepResult[GroupsState, Answer]


@frozen
class GroupMachine:
    """A broker's groups.

    Attributes:
        semantics: the decisions in force.
        coordinator: what decides; the reference, or one with a fault.
    """

    semantics: Semantics
    coordinator: Coordinator = REFERENCE

    def take(
        self, state: GroupsState, number: int, request: ReceivedRequest, now: float
    ) -> GroupStepResult:
        """A request comes, or something is done to the broker."""
        state = replace(state, now=now)
        match request.step:
            case RestartWith() as step:
                return StepResult(self._restart(state, step), ((number, Passed()),))
            case AlterBrokerConfig() as step:
                return StepResult(state, ((number, _answer_to_alter(step)),))
            case DescribeGroup():
                return StepResult(state, ((number, _description(state.groups[request.group])),))
            case JoinGroup() as step:
                return self._join(state, request, joining_of(step, number, request.member))
            case SyncGroup() | Heartbeat() | LeaveGroup() as step:
                return self._ask(state, number, request, step)
            case MemberCommit() as step:
                return self._commit(state, number, request, step)
            case MemberOffsetFetch():
                return self._fetch_offsets(state, number, request)
            case step if isinstance(step, NamedStep):
                return self._handle_heartbeat(state, number, request, step)
        return StepResult(state, ((number, Passed()),))

    def due(self, state: GroupsState) -> float:
        """The time of the next timer, ms; infinite where there is none."""
        return min([timer.at for timer, _ in self._timers(state)], default=inf)

    def fire(self, state: GroupsState, now: float) -> GroupStepResult:
        """The timer that is due first fires."""
        timer, number = min(self._timers(state))
        group = state.groups[number]
        if group.kind in WITH_EPOCHS:
            after = replace(group.without(timer.member), freed=True)
            left = with_epoch(group, after, state.topics, self._first_epoch)
            return StepResult(
                self._state_after_leaving(replace(state, now=now), number, group, left)
            )
        effect = expire_timer(
            group,
            timer,
            state.limits.initial_delay_ms,
            now,
            self.coordinator.running_out,
        )
        return self._apply_effect(replace(state, now=now), number, effect)

    def _apply_effect(self, state: GroupsState, number: int, effect: Effect) -> GroupStepResult:
        chosen = self.coordinator.leading(effect) if effect.ended is not None else effect
        return StepResult(
            state.with_group(number, chosen.group),
            tuple([(answer.key, answer) for answer in chosen.answers]),
        )

    def _restart(self, state: GroupsState, step: RestartWith) -> GroupsState:
        limits = limits_of(dict(step.config))
        groups = [
            self.coordinator.loading(group, limits.classic, state.now) for group in state.groups
        ]
        return replace(state, limits=limits, groups=tuple(groups))

    def _join(
        self, state: GroupsState, request: ReceivedRequest, ask: ReceivedJoin
    ) -> GroupStepResult:
        if _has_consumers(state.groups[request.group]):
            return self._joins_consumers(state, request, ask)
        return self._joins(state, request, ask)

    def _ask(
        self,
        state: GroupsState,
        number: int,
        request: ReceivedRequest,
        step: SyncGroup | Heartbeat | LeaveGroup,
    ) -> GroupStepResult:
        group = state.groups[request.group]
        if _has_consumers(group):
            return self._of_consumers(state, number, request, step)
        effect = self._effect(group, number, request, step, state.now)
        if isinstance(step, SyncGroup):
            effect = self.coordinator.assigning(group, request.member, effect)
        effect = self.coordinator.prolonging(step, group, effect)
        return self._apply_effect(state, request.group, effect)

    def _commit(
        self, state: GroupsState, number: int, request: ReceivedRequest, step: MemberCommit
    ) -> GroupStepResult:
        group = state.groups[request.group]
        sender = Sender(request.member, request.epoch, step.instance)
        error = self.coordinator.committing(group, sender, CONSUMERS_COMMIT_SINCE)
        after = group if error else group_after_commit(group, sender, state.now)
        answer = MemberAnswer(number, error)
        return StepResult(state.with_group(request.group, after), ((number, answer),))

    def _fetch_offsets(
        self, state: GroupsState, number: int, request: ReceivedRequest
    ) -> GroupStepResult:
        group, sender = state.groups[request.group], Sender(request.member, request.epoch)
        answer = MemberAnswer(number, self.coordinator.fetching(group, sender))
        return StepResult(state, ((number, answer),))

    def _joins(
        self, state: GroupsState, request: ReceivedRequest, ask: ReceivedJoin
    ) -> GroupStepResult:
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
        effect = self.coordinator.prolonging(request.step, group, effect)
        return self._apply_effect(state, request.group, effect)

    def _joins_consumers(
        self, state: GroupsState, request: ReceivedRequest, ask: ReceivedJoin
    ) -> GroupStepResult:
        group = state.groups[request.group]
        decision = self.coordinator.mixing(group, ask, state.limits.consumer)
        after = state.with_group(request.group, group_after_join(group, ask, decision, state.now))
        ids = {Decision.ID_REQUIRED: str(ask.key), Decision.FULL: ""}
        given = ids.get(decision, ask.member)
        answer = MemberAnswer(
            ask.key, ERRORS.get(decision, Error.NONE), -1 if decision in ERRORS else 1, given
        )
        return StepResult(after, ((ask.key, answer),))

    def _effect(
        self,
        group: Group,
        number: int,
        request: ReceivedRequest,
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
        request: ReceivedRequest,
        step: SyncGroup | Heartbeat | LeaveGroup,
    ) -> GroupStepResult:
        group = state.groups[request.group]
        error = expected_code(group, step, request.member, request.generation) or 0
        leaves = isinstance(step, LeaveGroup) and not error
        after = replace(group.without(request.member), freed=True) if leaves else group
        return StepResult(
            self._state_after_leaving(state, request.group, group, after),
            ((number, MemberAnswer(number, error)),),
        )

    def _state_after_leaving(
        self, state: GroupsState, number: int, before: Group, after: Group
    ) -> GroupsState:
        """The groups after a request to a consumer group, which may be one of classic members alone
        now.
        """
        becomes = may_be_downgraded(before, after) and self.coordinator.downgrading(
            after.size, state.limits
        )
        return state.with_group(
            number, downgrade_group(after, state.now, generation=1).group if becomes else after
        )

    def _handle_heartbeat(
        self, state: GroupsState, number: int, request: ReceivedRequest, step: NamedStep
    ) -> GroupStepResult:
        group, kind, epoch = state.groups[request.group], kind_of(step), request.epoch
        instance = getattr(step, "instance", None)
        ask = HeartbeatRequest(kind, request.member, epoch, instance, request.current)
        changes_kind = kind is Kind.CONSUMER and group.kind is Kind.CLASSIC
        if changes_kind and (group.members or epoch != JOIN):
            error, stepped = self._upgrade(state, request.group, ask)
        else:
            met = Group() if changes_kind else group
            error, stepped = self._heartbeat(state, request, met, ask)
        member = stepped.state.groups[request.group].member(request.member)
        again = kind is Kind.CONSUMER or self.semantics.of(GroupSemantics).reassigns_shares
        full = epoch > JOIN and getattr(step, "full", False) and again
        asks = not error and (epoch == JOIN or full)
        answer = MemberHeartbeatAnswer(
            error,
            0 if error else _answered_epoch(epoch, member),
            assigns=None if kind is Kind.STREAMS else asks,
        )
        return replace(stepped, replies=(*stepped.replies, (number, answer)))

    def _upgrade(
        self, state: GroupsState, number: int, ask: HeartbeatRequest
    ) -> tuple[int, GroupStepResult]:
        """A consumer comes to a classic group: the error it is answered, and what happens."""
        group = state.groups[number]
        error = self.coordinator.upgrading(group, ask, state.limits)
        if not error:
            effect = _with_next_epoch(upgrade_group(group, ask, state.now), ask.member)
        elif interrupts(group, ask, state.limits):
            effect = interrupt_waiting(group)
        else:
            effect = Effect(group)
        return error, self._apply_effect(state, number, effect)

    def _heartbeat(
        self, state: GroupsState, request: ReceivedRequest, group: Group, ask: HeartbeatRequest
    ) -> tuple[int, GroupStepResult]:
        """A heartbeat to a group of its kind: the error it is answered, and what happens."""
        error = self.coordinator.heartbeat(
            group, ask, state.limits.of(ask.kind), self.semantics.of(GroupSemantics)
        )
        after = apply_heartbeat(group, ask, error, state.now)
        if not error and ask.kind in WITH_EPOCHS:
            after = assign(
                group,
                after,
                ask.member,
                request.brought,
                state.topics,
                self._first_epoch,
                joins=ask.epoch == JOIN,
            )
        return error, StepResult(self._state_after_leaving(state, request.group, group, after))

    def _timers(self, state: GroupsState) -> Iterator[tuple[Timer, int]]:
        for number, group in enumerate(state.groups):
            if group.kind is Kind.CLASSIC:
                yield from ((timer, number) for timer in self.coordinator.timing(group))
            if group.kind in WITH_EPOCHS:
                for member in group.members:
                    yield (
                        Timer(member.seen + member.session_ms, TimerKind.SESSION, member.id),
                        number,
                    )

    @property
    def _first_epoch(self) -> int:
        return self.semantics.of(GroupSemantics).first_epoch


def _has_consumers(group: Group) -> bool:
    return group.kind is Kind.CONSUMER and bool(group.members)


def _answer_to_alter(step: AlterBrokerConfig) -> BrokerChanged:
    """The limits of group sizes are read when a broker starts, and can't be changed later."""
    return BrokerChanged(Error.INVALID_REQUEST if step.key in SIZE_LIMITS else Error.NONE)


def _description(group: Group) -> GroupDescribed:
    """DescribeGroups knows classic groups only."""
    if group.kind is Kind.CLASSIC:
        return GroupDescribed(0, group.state.value, group.size)
    return GroupDescribed(0, State.DEAD.value, 0)


def _with_next_epoch(effect: Effect, newcomer: str) -> Effect:
    """The upgraded group with the epoch that follows the classic group's generation, which the
    consumer that came goes by; the others keep that generation.
    """
    group, epoch = effect.group, effect.group.generation + 1
    member = group.member(newcomer)
    assert member is not None, newcomer
    after = replace(group.with_member(replace(member, epoch=epoch)), epoch=epoch)
    return replace(effect, group=after)


def _answered_epoch(epoch: int, member: Member | None) -> int:
    """The member epoch in the answer to a heartbeat with this one: the member's, or where none is
    followed, 1 for who joins.
    """
    if epoch < JOIN:
        return epoch
    return member.epoch if member is not None and member.epoch else max(epoch, 1)
