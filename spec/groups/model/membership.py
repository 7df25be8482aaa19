"""The rest of a classic group's life: SyncGroup, Heartbeat, leaving, what runs out, and loading
after a restart.
"""

from collections.abc import Iterator

from spec.frozen import replace
from spec.groups.model.classic import Effect, MemberAnswer, check, complete, rebalance
from spec.groups.model.delays import next_delay
from spec.groups.model.group import Group, Kind, Member, State
from spec.groups.outcomes import Assigned
from spec.kafka import Error


def _error_of(group: Group, member_id: str, instance: str | None, generation: int) -> int:
    """The error of a request by a member of this generation; 0 for none."""
    held = group.instance(instance)
    if held is not None and held.id != member_id:
        return Error.FENCED_INSTANCE_ID
    unknown = group.member(member_id) is None or (instance is not None and held is None)
    if group.state in {State.DEAD, State.EMPTY} or unknown:
        return Error.UNKNOWN_MEMBER_ID
    return 0 if generation == group.generation else Error.ILLEGAL_GENERATION


def sync(
    group: Group, key: int, member_id: str, instance: str | None, generation: int, now: float
) -> Effect:
    """SyncGroup: it waits for the leader's, which makes the group Stable and gives each member its
    assignment. In a Stable group its member has synced with it, but its session is not prolonged
    (seen on 4.3.1).
    """
    error = _error_of(group, member_id, instance, generation)
    member = group.member(member_id)
    if error or member is None:
        return Effect(group, (MemberAnswer(key, error or Error.UNKNOWN_MEMBER_ID),))
    if group.state is State.PREPARING:
        return Effect(group, (MemberAnswer(key, Error.REBALANCE_IN_PROGRESS),))
    if group.state is State.STABLE:
        assigned = Assigned.OWN if member.has_assignment else Assigned.UNKNOWN
        return Effect(_with_sync(group, member), (MemberAnswer(key, assigned=assigned),))
    waiting = waits_to_sync(group, key, member, now)
    if member_id != group.leader:
        return Effect(waiting)
    answers = tuple(
        [
            MemberAnswer(one.syncing, assigned=Assigned.OWN)
            for one in waiting.members
            if one.syncing is not None
        ]
    )
    members = tuple(
        [replace(one, syncing=None, seen=now, has_assignment=True) for one in waiting.members]
    )
    stable = replace(waiting, state=State.STABLE, members=members)
    return Effect(stable if stable.awaits_sync else replace(stable, sync_due=None), answers)


def _with_sync(group: Group, member: Member) -> Group:
    """A Stable group once another of its members has sent SyncGroup; the timer ends with the last.
    Source: GroupMetadataManager.java, `removePendingSyncMember`.
    """
    after = group.with_member(replace(member, synced=True))
    return after if after.awaits_sync else replace(after, sync_due=None)


def waits_to_sync(group: Group, key: int, member: Member, now: float) -> Group:
    """The group while a SyncGroup waits: a follower's for the leader's, the leader's until a broker
    has written the assignment down.
    """
    return group.with_member(replace(member, syncing=key, synced=True, seen=now))


def heartbeat(
    group: Group, key: int, member_id: str, instance: str | None, generation: int, now: float
) -> Effect:
    """Heartbeat: REBALANCE_IN_PROGRESS in a join phase."""
    error = _error_of(group, member_id, instance, generation)
    member = group.member(member_id)
    if error or member is None:
        return Effect(group, (MemberAnswer(key, error or Error.UNKNOWN_MEMBER_ID),))
    refreshed = group.with_member(replace(member, seen=now))
    return Effect(
        refreshed,
        (MemberAnswer(key, Error.REBALANCE_IN_PROGRESS if group.state is State.PREPARING else 0),),
    )


def leave(group: Group, key: int, member_id: str, instance: str | None, now: float) -> Effect:
    """LeaveGroup of one member: its place is free at once (GRP-014).

    An id that was only given out sets off a join phase when it leaves, as a member does, though not
    when it runs out.
    """
    held = group.instance(instance)
    if held is not None and member_id and held.id != member_id:
        return Effect(group, (MemberAnswer(key, Error.FENCED_INSTANCE_ID),))
    wanted = held.id if held is not None else member_id
    known = group.member(wanted) is not None or group.is_pending(wanted)
    if not known or (instance is not None and held is None):
        return Effect(group, (MemberAnswer(key, Error.UNKNOWN_MEMBER_ID),))
    only_given = group.is_settled and group.member(wanted) is None
    after = (
        rebalance(replace(group.without(wanted), freed=True), 0.0, now)
        if only_given
        else remove_member(group, wanted, now)
    )
    return replace(after, answers=(*after.answers, MemberAnswer(key)))


def remove_member(group: Group, member_id: str, now: float) -> Effect:
    """A member or a pending id is gone, by leaving or because it ran out; a join phase that waited
    for nobody else is over.
    """
    member = group.member(member_id)
    answers = (
        ()
        if member is None or member.awaiting is None
        else (MemberAnswer(member.awaiting, Error.UNKNOWN_MEMBER_ID),)
    )
    after = replace(group.without(member_id), freed=True)
    begun = (
        rebalance(after, 0.0, now) if member is not None and group.is_settled else check(after, now)
    )
    return replace(begun, answers=(*answers, *begun.answers))


def join_timer(group: Group, delay_ms: float, now: float) -> Effect:
    """The join phase's time is over. An initial delay is begun again where somebody came meanwhile,
    as long as time is left (GRP-013).
    """
    if group.initial and group.extended and group.delay_left > 0:
        delay, left = next_delay(delay_ms, group.delay_left)
        return Effect(replace(group, extended=False, join_due=now + delay, delay_left=left))
    return complete(replace(group, initial=False), now)


def sync_timer(group: Group, now: float) -> Effect:
    """Members that sent no SyncGroup are removed, and a join phase begins; so it does where only
    the old id of a static member was waited for, which nobody has any more.

    Source: GroupMetadataManager.java, `expirePendingSync`.
    """
    awaited = group.awaits_sync
    late = [member.id for member in group.members if not (member.synced or member.stands_in)]
    for member_id in late:
        group = group.without(member_id)
    group = replace(group, sync_due=None, freed=True)
    if not awaited:
        return Effect(group)
    return rebalance(group, 0.0, now)


def session_deadlines(group: Group) -> Iterator[tuple[float, str]]:
    """When each member and each id that was given out runs out, if nothing more is heard of it."""
    for member in group.members:
        if member.awaiting is None and member.syncing is None:
            yield member.seen + member.session_ms, member.id
    for pending in group.pending:
        yield pending.since + pending.session_ms, pending.id


def load_group(group: Group, limit: int, now: float) -> Group:
    """The group as a restarted broker loads it: one that is over its limit goes into a join phase
    at once (GRP-016).
    """
    if group.kind is not Kind.CLASSIC:
        return replace(group, loaded=True)
    members = tuple(
        [
            replace(
                member,
                seen=now,
                awaiting=None,
                syncing=None,
                synced=True,
                stands_in=False,
                has_assignment=False,
            )
            for member in group.members
        ]
    )
    fresh = replace(group, pending=(), members=members, forgotten=frozenset(), loaded=True)
    if not members:
        return replace(fresh, state=State.EMPTY if group.generation else State.DEAD)
    stable = replace(fresh, state=State.STABLE, join_due=None, sync_due=None)
    return rebalance(stable, 0.0, now).group if len(members) > limit else stable
