"""Faults of the timers of a classic group: a session, a join phase or the wait for SyncGroups that
ends early, a session that never ends, or is not prolonged by what should prolong it.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from conformance.faults.planted import Expected
from conformance.subjects.groups.faults.fault import GroupFault
from spec.frozen import replace
from spec.groups.model.group import State
from spec.groups.model.membership import load_group
from spec.groups.model.timers import Timer, TimerKind, timers
from spec.groups.seams import Coordinator
from spec.groups.steps import Heartbeat, JoinGroup, SyncGroup

if TYPE_CHECKING:
    from collections.abc import Callable

    from spec.groups.model.classic import Effect
    from spec.groups.model.group import Group
    from spec.groups.steps import GroupStep


def _move_timers(kind: TimerKind, move: Callable[[Group, Timer], float]) -> Coordinator:
    """Timers of one kind fire at another time."""

    def timing(group: Group) -> tuple[Timer, ...]:
        return tuple(
            [
                replace(timer, at=move(group, timer)) if timer.kind is kind else timer
                for timer in timers(group)
            ]
        )

    return Coordinator(timing=timing)


def _at_half(group: Group, timer: Timer) -> float:
    """After half of its time, as far as that is known."""
    member = group.member(timer.member)
    if timer.kind is TimerKind.SESSION:
        return timer.at - (member.session_ms / 2 if member is not None else 0.0)
    return timer.at - max([one.rebalance_ms for one in group.members], default=0) / 2


def _by_the_shortest(group: Group, timer: Timer) -> float:
    """After the shortest rebalance timeout of the members, not the longest."""
    timeouts = [member.rebalance_ms for member in group.members]
    return timer.at - (max(timeouts) - min(timeouts)) if timeouts else timer.at


def _never(_: Group, __: Timer) -> float:
    return inf


def _prolongs_nothing(
    kind: type[GroupStep], states: frozenset[State] = frozenset(State)
) -> Coordinator:
    """A kind of request prolongs no session while the group is in some states."""

    def prolonging(step: GroupStep, before: Group, effect: Effect) -> Effect:
        if not isinstance(step, kind) or before.state not in states:
            return effect
        seen = {member.id: member.seen for member in before.members}
        members = [
            replace(member, seen=seen.get(member.id, member.seen))
            for member in effect.group.members
        ]
        return replace(effect, group=replace(effect.group, members=tuple(members)))

    return Coordinator(prolonging=prolonging)


def _keeps_timeout(step: GroupStep, before: Group, effect: Effect) -> Effect:
    """A JoinGroup raises no session timeout."""
    old = {member.id: member.session_ms for member in before.members}
    members = [
        replace(member, session_ms=min(member.session_ms, old.get(member.id, member.session_ms)))
        if isinstance(step, JoinGroup)
        else member
        for member in effect.group.members
    ]
    return replace(effect, group=replace(effect.group, members=tuple(members)))


def _keeps_sessions(step: GroupStep, before: Group, effect: Effect) -> Effect:
    """A JoinGroup lowers no session timeout."""
    old = {member.id: member.session_ms for member in before.members}
    members = [
        replace(member, session_ms=max(member.session_ms, old.get(member.id, member.session_ms)))
        if isinstance(step, JoinGroup)
        else member
        for member in effect.group.members
    ]
    return replace(effect, group=replace(effect.group, members=tuple(members)))


def _waits_for_new_ids(_: GroupStep, __: Group, effect: Effect) -> Effect:
    return replace(effect, group=effect.group.waiting_for_new_ids())


def _keeps_rebalances(choose: Callable[[int, int], int]) -> Coordinator:
    """Of the rebalance timeout that a member had and the one that it joins again with, one is
    chosen; a phase that this begins lasts as long as what was chosen says.
    """

    def prolonging(step: GroupStep, before: Group, effect: Effect) -> Effect:
        if not isinstance(step, JoinGroup) or not effect.group.members:
            return effect
        old = {member.id: member.rebalance_ms for member in before.members}
        after = effect.group
        kept = [
            replace(one, rebalance_ms=choose(old.get(one.id, one.rebalance_ms), one.rebalance_ms))
            for one in after.members
        ]
        later = max([one.rebalance_ms for one in kept]) - max(
            [one.rebalance_ms for one in after.members]
        )
        group = replace(
            after,
            members=tuple(kept),
            join_due=_due(before.join_due, after.join_due, later),
            sync_due=_due(before.sync_due, after.sync_due, later),
        )
        return replace(effect, group=group)

    return Coordinator(prolonging=prolonging)


def _due(before: float | None, after: float | None, later: float) -> float | None:
    """The end of a phase; of one that has begun now, so much later."""
    return after if after is None or after == before else after + later


def _loaded_for_ever(group: Group, limit: int, now: float) -> Group:
    """A group that a restarted broker loads, whose sessions never end."""
    after = load_group(group, limit, now)
    members = [replace(member, seen=inf) for member in after.members]
    return replace(after, members=tuple(members))


D = Expected.DEVIATES

FAULTS: tuple[GroupFault, ...] = (
    GroupFault(
        "session-ends-early",
        "GRP-150",
        D,
        "A session ends after half of its time.",
        _move_timers(TimerKind.SESSION, _at_half),
    ),
    GroupFault(
        "session-never-ends",
        "GRP-154",
        D,
        "A member that is silent stays.",
        _move_timers(TimerKind.SESSION, _never),
    ),
    GroupFault(
        "heartbeat-prolongs-nothing",
        "GRP-151",
        D,
        "A Heartbeat prolongs no session.",
        _prolongs_nothing(Heartbeat),
    ),
    GroupFault(
        "heartbeat-in-a-join-phase-prolongs-nothing",
        "GRP-150",
        D,
        "A Heartbeat prolongs no session while members join.",
        _prolongs_nothing(Heartbeat, frozenset({State.PREPARING})),
    ),
    GroupFault(
        "heartbeat-before-the-syncs-prolongs-nothing",
        "GRP-150",
        D,
        "A Heartbeat prolongs no session while the leader's SyncGroup is waited for.",
        _prolongs_nothing(Heartbeat, frozenset({State.COMPLETING})),
    ),
    GroupFault(
        "sync-prolongs-nothing",
        "GRP-151",
        D,
        "A SyncGroup prolongs no session.",
        _prolongs_nothing(SyncGroup),
    ),
    GroupFault(
        "join-prolongs-nothing",
        "GRP-151",
        D,
        "A JoinGroup of a member prolongs no session.",
        _prolongs_nothing(JoinGroup),
    ),
    GroupFault(
        "raised-session-timeout-not-taken",
        "GRP-150",
        D,
        "A member that joins again with a longer session timeout keeps the one that it had.",
        Coordinator(prolonging=_keeps_timeout),
    ),
    GroupFault(
        "lowered-session-timeout-not-taken",
        "GRP-154",
        D,
        "A member that joins again with a shorter session timeout keeps the one that it had.",
        Coordinator(prolonging=_keeps_sessions),
    ),
    GroupFault(
        "loaded-session-never-ends",
        "GRP-154",
        D,
        "A member that a restarted broker has loaded stays, though it is silent.",
        Coordinator(loading=_loaded_for_ever),
    ),
    GroupFault(
        "raised-rebalance-timeout-not-taken",
        "GRP-155",
        D,
        "A member that joins again with a longer rebalance timeout keeps the one that it had.",
        _keeps_rebalances(min),
    ),
    GroupFault(
        "join-phase-ends-early",
        "GRP-155",
        D,
        "A join phase ends after half of its time.",
        _move_timers(TimerKind.JOIN, _at_half),
    ),
    GroupFault(
        "join-phase-by-the-shortest",
        "GRP-155",
        D,
        "A join phase lasts as long as the shortest rebalance timeout of its members.",
        _move_timers(TimerKind.JOIN, _by_the_shortest),
    ),
    GroupFault(
        "sync-phase-ends-early",
        "GRP-151",
        D,
        "Members that send no SyncGroup are removed after half of the time.",
        _move_timers(TimerKind.SYNC, _at_half),
    ),
    GroupFault(
        "sync-phase-by-the-shortest",
        "GRP-151",
        D,
        "Members that send no SyncGroup are removed after the shortest rebalance timeout.",
        _move_timers(TimerKind.SYNC, _by_the_shortest),
    ),
)
VARIANTS: tuple[GroupFault, ...] = (
    GroupFault(
        "lowered-rebalance-timeout-not-taken",
        "",
        Expected.CONFORMS,
        "A member that joins again with a shorter rebalance timeout keeps the one that it had: "
        "nothing bounds how late a phase may end.",
        _keeps_rebalances(max),
    ),
    GroupFault(
        "waits-for-a-restarted-member",
        "",
        Expected.CONFORMS,
        "A static member that comes back in a Stable group before it has sent SyncGroup is waited "
        "for by its new id, not by the old one.",
        Coordinator(prolonging=_waits_for_new_ids),
    ),
)
