"""Which partitions the members of consumer and share groups are given, and the epochs that say so
(KIP-848, KIP-932).

All members of a share group share all partitions of the topics that they subscribe to. A consumer
group deals them out one by one, and a member is given what another one had only after that one has
let go of it. Which partition goes to which member is an assignor's choice, here in turn; the
epochs are Kafka's.
"""

from collections.abc import Iterable, Mapping

from spec.frozen import frozen, replace
from spec.groups.model.group import Address, Group, Kind, Member

Topics = tuple[tuple[str, tuple[Address, ...]], ...]
"""The partitions of every topic that there is, by its name."""
WITH_EPOCHS = frozenset({Kind.CONSUMER, Kind.SHARE})
"""The kinds of groups whose epochs and assignments are followed."""


@frozen
class HeartbeatContent:
    """The content of a heartbeat beside the member and its epoch; None where it is as before.

    Attributes:
        topics: the names of the topics that the member subscribes to.
        owned: what it still has.
    """

    topics: frozenset[str] | None = None
    owned: frozenset[Address] | None = None


def assign(
    before: Group,
    after: Group,
    member_id: str,
    brought: HeartbeatContent,
    topics: Topics,
    first_epoch: int,
    *,
    joins: bool,
) -> Group:
    """The group after a heartbeat that was taken, with its epochs and what the sender is given.

    Args:
        before: the group before it.
        after: the group with the members that it has now.
        member_id: who sent it; perhaps no member any more.
        brought: what it carried.
        topics: the topics that there are.
        first_epoch: the epoch of a group with its first member.
        joins: the sender begins again, and has nothing.
    """
    group = _with_predecessors(before, after)
    member = group.member(member_id)
    if member is not None:
        subscribed = member.topics if brought.topics is None else brought.topics
        held = frozenset[Address]() if joins else member.held
        group = group.with_member(replace(member, topics=subscribed, held=held))
    group = with_epoch(before, group, topics, first_epoch)
    member = group.member(member_id)
    return group if member is None else group.with_member(_assign(group, member, brought, topics))


def with_epoch(before: Group, after: Group, topics: Topics, first_epoch: int) -> Group:
    """The group with the next epoch where who is in it, what they subscribe to or what there is to
    subscribe to has changed; a static member's successor changes nothing.
    """
    known = frozenset(
        [
            address
            for name, addresses in topics
            for address in addresses
            if any(name in member.topics for member in after.members)
        ]
    )
    same = _subscriptions(before) == _subscriptions(after) and before.known == known
    epoch = before.epoch or first_epoch - 1
    return replace(after, epoch=epoch if same and before.epoch else epoch + 1, known=known)


def _subscriptions(group: Group) -> Mapping[str, frozenset[str]]:
    """What is subscribed to, by instance id or, of dynamic members, by member id."""
    return {
        f"instance {member.instance}" if member.instance is not None else member.id: member.topics
        for member in group.members
    }


def _with_predecessors(before: Group, after: Group) -> Group:
    """The group whose new static members subscribe to what those did whose places they take."""
    for member in after.members:
        held = before.instance(member.instance)
        if held is not None and before.member(member.id) is None:
            after = after.with_member(replace(member, topics=held.topics))
    return after


def target(group: Group, topics: Topics) -> Mapping[str, frozenset[Address]]:
    """Who is to have what in the end, by member id."""
    goal: dict[str, set[Address]] = {member.id: set() for member in group.members}
    for name, addresses in sorted(topics):
        ids = [member.id for member in group.members if name in member.topics]
        for number, address in enumerate(addresses):
            for one in _takers(ids, number, group.kind):
                goal[one].add(address)
    return {member_id: frozenset(addresses) for member_id, addresses in goal.items()}


def _takers(ids: list[str], number: int, kind: Kind) -> Iterable[str]:
    """The members that are to have the partition of this number."""
    return ids if kind is Kind.SHARE or not ids else [ids[number % len(ids)]]


def _assign(group: Group, member: Member, brought: HeartbeatContent, topics: Topics) -> Member:
    """A member with what it is given now. In a consumer group what it must give up goes first, and
    nothing comes that another one still has.
    """
    goal = target(group, topics)[member.id]
    if group.kind is Kind.CONSUMER:
        owned, assigned = brought.owned, member.assigned
        if assigned is not None and owned is not None and owned <= assigned:
            member = replace(member, held=assigned)
        if assigned is not None and not member.held <= goal:
            return replace(member, assigned=member.held & goal)
        others = [other.held for other in group.members if other.id != member.id]
        goal -= frozenset[Address]().union(*others)
    previous = member.previous if member.epoch == group.epoch else member.epoch
    return replace(member, epoch=group.epoch, previous=previous, held=goal, assigned=goal)
