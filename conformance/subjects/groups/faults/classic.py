"""Faults of classic groups (KIP-389): who is counted, who is refused, and how a join phase goes."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from conformance.faults.planted import Expected
from conformance.subjects.groups.faults.fault import GroupFault
from spec.frozen import replace
from spec.groups.model.classic import (
    Decision,
    Effect,
    MemberAnswer,
    ReceivedJoin,
    check,
    complete,
    counted_from,
    decide,
    led_by,
)
from spec.groups.model.group import Group, Member, State
from spec.groups.model.membership import load_group, remove_member
from spec.groups.outcomes import (
    BrokerChanged,
    GroupAnswer,
    GroupDescribed,
    GroupOutcome,
    JoinGroupAnswer,
    MemberId,
)
from spec.groups.seams import Coordinator
from spec.groups.steps import MEMBER_ID_REQUIRED_SINCE, GroupStep, JoinGroup, SyncGroup
from spec.kafka import INT32_MAX, Error
from spec.outcomes import Closed

if TYPE_CHECKING:
    from collections.abc import Callable

    from spec.outcomes import Outcome

KIP_CODE = 77
"""The error code that the text of KIP-389 gives."""


def _limit(change: Callable[[int], int]) -> Coordinator:
    return Coordinator(deciding=lambda group, ask, limit: decide(group, ask, change(limit)))


def _measure_by(change: Callable[[Group], Group]) -> Coordinator:
    """Measure a JoinGroup by another group than the one that it joins."""
    return Coordinator(seeing=lambda group, _: change(group))


def _alter_decision(
    change: Callable[[Group, ReceivedJoin, int, Decision], Decision],
) -> Coordinator:
    return Coordinator(
        deciding=lambda group, ask, limit: change(group, ask, limit, decide(group, ask, limit))
    )


def _refusals(change: Callable[[JoinGroupAnswer], JoinGroupAnswer]) -> Coordinator:
    """Refusals for size look otherwise."""

    def altering(_: GroupStep, outcome: GroupOutcome) -> GroupOutcome:
        refused = (
            isinstance(outcome, JoinGroupAnswer) and outcome.error == Error.GROUP_MAX_SIZE_REACHED
        )
        return change(outcome) if refused and isinstance(outcome, JoinGroupAnswer) else outcome

    return Coordinator(altering=altering)


def _with_pending(group: Group) -> Group:
    if not group.is_settled:
        return group
    return replace(group, members=(*group.members, *[Member(one.id) for one in group.pending]))


def _pending_in_empty(group: Group, ask: ReceivedJoin, limit: int, decision: Decision) -> Decision:
    return (
        Decision.FULL
        if group.state is State.EMPTY and not ask.member and len(group.pending) >= limit
        else decision
    )


def _static_twice(group: Group) -> Group:
    twice = [
        replace(member, id=f"{member.id}-twice", instance=None)
        for member in group.members
        if member.instance is not None
    ]
    return replace(group, members=(*group.members, *twice)) if group.is_settled else group


def _refuses_members(group: Group, ask: ReceivedJoin, limit: int, decision: Decision) -> Decision:
    return (
        Decision.FULL
        if group.is_settled and group.member(ask.member) is not None and group.size >= limit
        else decision
    )


def _refuses_those_who_wait(
    group: Group, ask: ReceivedJoin, limit: int, decision: Decision
) -> Decision:
    member = group.member(ask.member)
    waits = group.state is State.PREPARING and member is not None and member.awaiting is not None
    return Decision.FULL if waits and group.awaiting_members >= limit else decision


def _ignores_in_join_phase(group: Group, ask: ReceivedJoin, limit: int) -> Decision:
    return decide(group, ask, INT32_MAX if group.state is State.PREPARING else limit)


def _size_in_join_phase(
    group: Group, ask: ReceivedJoin, limit: int, decision: Decision
) -> Decision:
    known = group.member(ask.member) is not None
    return (
        Decision.FULL
        if group.state is State.PREPARING and not known and group.size >= limit
        else decision
    )


def _id_first(group: Group, ask: ReceivedJoin, _: int, decision: Decision) -> Decision:
    known = group.member(ask.member) is not None or group.is_pending(ask.member)
    return Decision.UNKNOWN if decision is Decision.FULL and ask.member and not known else decision


def _static_in_two_steps(group: Group, ask: ReceivedJoin, _: int, decision: Decision) -> Decision:
    newcomer = not ask.member and ask.instance is not None and group.instance(ask.instance) is None
    return (
        Decision.ID_REQUIRED
        if newcomer and decision is Decision.JOINS and ask.version > MEMBER_ID_REQUIRED_SINCE
        else decision
    )


def _keeps_static_places(group: Group, ask: ReceivedJoin, _: int, decision: Decision) -> Decision:
    back = not ask.member and group.is_settled and group.instance(ask.instance) is not None
    return decide(group, ask, INT32_MAX) if decision is Decision.FULL and back else decision


def _leave_forgotten(group: Group, key: int, member_id: str, _: str | None, __: float) -> Effect:
    """It is answered as ever, and nobody goes."""
    known = group.member(member_id) is not None
    return Effect(group, (MemberAnswer(key, 0 if known else Error.UNKNOWN_MEMBER_ID),))


def _keep_before(before: Group, effect: Effect, _: float) -> Effect:
    return replace(effect, group=before)


def _end_at_once(_: Group, effect: Effect, now: float) -> Effect:
    after = check(effect.group, now)
    return replace(after, answers=(*effect.answers, *after.answers))


def _not_shrunk(group: Group, _: int, now: float) -> Group:
    return load_group(group, INT32_MAX, now)


def _of_all(group: Group, others: tuple[Group, ...]) -> Group:
    more = [
        replace(member, id=f"other-{member.id}", instance=None)
        for other in others
        for member in other.members
    ]
    return replace(group, members=(*group.members, *more)) if group.is_settled else group


def _changeable(_: GroupStep, outcome: GroupOutcome) -> GroupOutcome:
    return BrokerChanged(0) if isinstance(outcome, BrokerChanged) else outcome


def _refused_by_policy(_: GroupStep, outcome: GroupOutcome) -> GroupOutcome:
    refused = isinstance(outcome, BrokerChanged) and outcome.error
    return BrokerChanged(Error.POLICY_VIOLATION) if refused else outcome


def _skip_a_generation(effect: Effect) -> Effect:
    return counted_from(effect, effect.group.generation + 1)


def _answer_all_as_leaders(_: GroupStep, outcome: GroupOutcome) -> GroupOutcome:
    if not isinstance(outcome, JoinGroupAnswer) or outcome.error:
        return outcome
    return replace(outcome, leader=True)


def _answer_replaced(step: GroupStep, before: Group, effect: Effect) -> Effect:
    """A JoinGroup that waited and waits no longer, since another one does, is answered."""
    if not isinstance(step, JoinGroup):
        return effect
    return _with_replaced(before, effect, Error.UNKNOWN_MEMBER_ID)


def _with_replaced(before: Group, effect: Effect, code: Error) -> Effect:
    waits = {one.id: one.awaiting for one in effect.group.members if one.awaiting is not None}
    replaced = [
        MemberAnswer(one.awaiting, code)
        for one in before.members
        if one.awaiting is not None and waits.get(one.id, one.awaiting) != one.awaiting
    ]
    return replace(effect, answers=(*effect.answers, *replaced))


_LOST = Error.NETWORK_EXCEPTION
"""The code that stands for a lost connection: a client's own, which no broker answers."""


def _lose_replaced(step: GroupStep, before: Group, effect: Effect) -> Effect:
    """A JoinGroup that waited and waits no longer, since another one does, loses its connection."""
    return _with_replaced(before, effect, _LOST) if isinstance(step, JoinGroup) else effect


def _close_lost(_: GroupStep, outcome: GroupOutcome) -> Outcome:
    if isinstance(outcome, JoinGroupAnswer) and outcome.error == _LOST:
        return Closed("another JoinGroup took its place", control_answered=True)
    return outcome


def _last_leads(effect: Effect) -> Effect:
    came = [
        answer.member for answer in effect.answers if answer.generation == effect.group.generation
    ]
    return led_by(effect, came[-1]) if came and effect.group.leader else effect


def _trailing(_: GroupStep, outcome: GroupOutcome) -> GroupOutcome:
    return replace(outcome, trailing=1) if isinstance(outcome, JoinGroupAnswer) else outcome


def _null_members(_: GroupStep, outcome: GroupOutcome) -> GroupOutcome:
    if isinstance(outcome, JoinGroupAnswer) and not outcome.members:
        return replace(outcome, nulls=("members",))
    return outcome


def _describe_one_more(_: GroupStep, outcome: GroupOutcome) -> GroupOutcome:
    if not isinstance(outcome, GroupDescribed) or not outcome.members:
        return outcome
    return replace(outcome, members=outcome.members + 1)


def _all_but_the_leader(_: GroupStep, outcome: GroupOutcome) -> GroupOutcome:
    """The leader's answer does not list the leader."""
    if not isinstance(outcome, JoinGroupAnswer) or not outcome.leader or outcome.members < 2:
        return outcome
    return replace(outcome, members=outcome.members - 1)


def _waits_for_another_phase(_: Group, __: ReceivedJoin, ___: int, decision: Decision) -> Decision:
    return Decision.JOINS if decision is Decision.CURRENT else decision


def _answer_unknown_when_interrupted(step: GroupStep, outcome: GroupOutcome) -> GroupOutcome:
    interrupted = (
        isinstance(step, SyncGroup)
        and isinstance(outcome, GroupAnswer)
        and outcome.error == Error.REBALANCE_IN_PROGRESS
    )
    return GroupAnswer(Error.UNKNOWN_MEMBER_ID) if interrupted else outcome


def _one_fewer_late(group: Group, ask: ReceivedJoin, limit: int, decision: Decision) -> Decision:
    member = group.member(ask.member)
    late = group.state is State.PREPARING and member is not None and member.awaiting is None
    return decide(group, ask, limit - 1) if late and limit > 1 else decision


def _one_fewer_at_first(
    group: Group, ask: ReceivedJoin, limit: int, decision: Decision
) -> Decision:
    first = group.state is State.PREPARING and group.initial
    return decide(group, ask, limit - 1) if first and limit > 1 else decision


def _without_late_static_members(effect: Effect) -> Effect:
    came = {
        answer.member for answer in effect.answers if answer.generation == effect.group.generation
    }
    stay = tuple([member for member in effect.group.members if member.id in came])
    if not stay:
        return effect
    answers = tuple(
        [
            replace(one, members=tuple([listed for listed in one.members if listed in came]))
            for one in effect.answers
        ]
    )
    return replace(effect, group=replace(effect.group, members=stay), answers=answers)


def _end_unfinished(before: Group, effect: Effect, now: float) -> Effect:
    if before.state is not State.PREPARING or not effect.group.awaiting_members:
        return effect
    after = complete(effect.group, now)
    return replace(after, answers=(*effect.answers, *after.answers))


def check_sessions_every(ms: int) -> Coordinator:
    """Sessions are looked at only so often: one that ran out meanwhile lasts until then."""

    def running_out(group: Group, member_id: str, now: float) -> Effect:
        look = ceil(now / ms) * ms
        if look == now:
            return remove_member(group, member_id, now)
        members = tuple(
            [
                replace(one, seen=look - one.session_ms) if one.id == member_id else one
                for one in group.members
            ]
        )
        pending = tuple(
            [
                replace(one, since=look - one.session_ms) if one.id == member_id else one
                for one in group.pending
            ]
        )
        return Effect(replace(group, members=members, pending=pending))

    return Coordinator(running_out=running_out)


V, D, C = Expected.VIOLATES, Expected.DEVIATES, Expected.CONFORMS

FAULTS: tuple[GroupFault, ...] = (
    GroupFault(
        "one-member-too-many",
        "GRP-001",
        V,
        "A group takes one member more than its limit.",
        _limit(lambda limit: limit + 1),
    ),
    GroupFault(
        "one-member-too-few",
        "GRP-001",
        V,
        "A group is full one member before its limit.",
        _limit(lambda limit: limit - 1),
    ),
    GroupFault(
        "pending-counted",
        "GRP-005",
        D,
        "Ids that were given out count as members.",
        _measure_by(_with_pending),
    ),
    GroupFault(
        "pending-fills-empty-group",
        "GRP-012",
        D,
        "An empty group gives out no more ids than its limit.",
        _alter_decision(_pending_in_empty),
    ),
    GroupFault(
        "static-counted-twice",
        "GRP-001",
        V,
        "Static members count twice.",
        _measure_by(_static_twice),
    ),
    GroupFault(
        "member-refused",
        "GRP-003",
        V,
        "A member of a full group that joins again is refused.",
        _alter_decision(_refuses_members),
    ),
    GroupFault(
        "waiting-refused",
        "GRP-015",
        D,
        "One who waits and asks again is refused.",
        _alter_decision(_refuses_those_who_wait),
    ),
    GroupFault(
        "no-limit-in-join-phase",
        "GRP-100",
        V,
        "Any number may join while a group rebalances.",
        Coordinator(_ignores_in_join_phase),
    ),
    GroupFault(
        "size-in-join-phase",
        "GRP-009",
        D,
        "In a join phase the group's size counts.",
        _alter_decision(_size_in_join_phase),
    ),
    GroupFault(
        "id-before-size",
        "GRP-004",
        D,
        "A stranger is unknown to a full group.",
        _alter_decision(_id_first),
    ),
    GroupFault(
        "static-in-two-steps",
        "GRP-007",
        V,
        "Static members are given an id first.",
        _alter_decision(_static_in_two_steps),
    ),
    GroupFault(
        "code-of-the-kip",
        "GRP-001",
        V,
        "A refusal has error 77.",
        _refusals(lambda answer: replace(answer, error=KIP_CODE)),
    ),
    GroupFault(
        "refusal-names-member",
        "GRP-002",
        D,
        "A refusal repeats the member id.",
        _refusals(lambda answer: replace(answer, member=MemberId.SENT)),
    ),
    GroupFault(
        "leave-not-counted",
        "GRP-014",
        V,
        "The place of a member that left stays taken.",
        Coordinator(leaving=_leave_forgotten),
    ),
    GroupFault(
        "refused-id-remembered",
        "GRP-006",
        D,
        "An id that was refused can be used later.",
        Coordinator(refusing=_keep_before),
    ),
    GroupFault(
        "refusal-ends-join-phase",
        "GRP-011",
        D,
        "A refusal ends the join phase.",
        Coordinator(refusing=_end_at_once),
    ),
    GroupFault(
        "limit-of-all-groups",
        "GRP-001",
        V,
        "The members of all groups count.",
        Coordinator(seeing=_of_all),
    ),
    GroupFault(
        "no-limit-after-restart",
        "GRP-016",
        V,
        "A group over a new limit stays stable.",
        Coordinator(loading=_not_shrunk),
    ),
    GroupFault(
        "limit-changed-at-run-time",
        "GRP-019",
        V,
        "Size limits can be set at run time.",
        Coordinator(altering=_changeable),
    ),
    GroupFault(
        "limit-refused-by-policy",
        "GRP-160",
        D,
        "A size limit that is to change is refused with POLICY_VIOLATION.",
        Coordinator(altering=_refused_by_policy),
    ),
    GroupFault(
        "null-for-no-members",
        "GRP-022",
        V,
        "A JoinGroup answer without members has a null in their place.",
        Coordinator(altering=_null_members),
    ),
    GroupFault(
        "byte-after-the-answer",
        "GRP-140",
        D,
        "A byte follows the last field of a JoinGroup answer.",
        Coordinator(altering=_trailing),
    ),
    GroupFault(
        "described-with-one-member-more",
        "GRP-151",
        D,
        "A group is described with a member that it does not have.",
        Coordinator(altering=_describe_one_more),
    ),
    GroupFault(
        "generation-up-by-two",
        "GRP-101",
        D,
        "A join phase makes the generation after the next.",
        Coordinator(leading=_skip_a_generation),
    ),
    GroupFault(
        "everybody-leads",
        "GRP-162",
        D,
        "Each member of a new generation is answered as its leader.",
        Coordinator(altering=_answer_all_as_leaders),
    ),
    GroupFault(
        "first-request-answered",
        "GRP-161",
        D,
        "A JoinGroup that another one took the place of is answered with UNKNOWN_MEMBER_ID.",
        Coordinator(prolonging=_answer_replaced),
    ),
    GroupFault(
        "leader-not-listed",
        "GRP-163",
        D,
        "The leader's answer lists the other members alone.",
        Coordinator(altering=_all_but_the_leader),
    ),
    GroupFault(
        "same-metadata-begins-a-phase",
        "GRP-102",
        D,
        "A member that joins again with the metadata that it has waits for a join phase.",
        _alter_decision(_waits_for_another_phase),
    ),
    GroupFault(
        "interrupted-sync-of-unknown-member",
        "GRP-103",
        D,
        "A SyncGroup that a join phase interrupts is UNKNOWN_MEMBER_ID.",
        Coordinator(altering=_answer_unknown_when_interrupted),
    ),
    GroupFault(
        "one-fewer-who-come-late",
        "GRP-010",
        D,
        "To a member that comes late a join phase is full one JoinGroup before the limit.",
        _alter_decision(_one_fewer_late),
    ),
    GroupFault(
        "one-fewer-in-the-initial-delay",
        "GRP-013",
        D,
        "During the initial delay a group is full one JoinGroup before its limit.",
        _alter_decision(_one_fewer_at_first),
    ),
    GroupFault(
        "late-static-member-dropped",
        "GRP-018",
        D,
        "A static member that does not come to a join phase is removed.",
        Coordinator(leading=_without_late_static_members),
    ),
    GroupFault(
        "refusal-cuts-join-phase-short",
        "GRP-155",
        D,
        "A refusal ends the join phase, though members are still to come.",
        Coordinator(refusing=_end_unfinished),
    ),
)

VARIANTS: tuple[GroupFault, ...] = (
    GroupFault(
        "first-request-closed",
        "",
        C,
        "The connection of a JoinGroup that another one took the place of is closed.",
        Coordinator(prolonging=_lose_replaced, altering=_close_lost),
    ),
    GroupFault(
        "last-one-leads", "", C, "The last one who came leads.", Coordinator(leading=_last_leads)
    ),
    GroupFault(
        "sessions-run-out-late",
        "",
        C,
        "Members stay up to three seconds longer.",
        check_sessions_every(3_000),
    ),
    GroupFault(
        "static-place-kept",
        "",
        C,
        "A static member that restarts finds its place.",
        _alter_decision(_keeps_static_places),
    ),
)
