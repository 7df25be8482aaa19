"""Short forms for the worked examples of the other modules, and the layout that histories of groups
have: one empty partition.
"""

from spec.groups.releases import (
    CLASSIC_LIMIT,
    CONSUMER_LIMIT,
    INITIAL_DELAY,
    SHARE_LIMIT,
    STREAMS_LIMIT,
)
from spec.groups.steps import NEW, DescribeGroup, GroupStep, Heartbeat, JoinGroup, SyncGroup
from spec.layout import Layout, Partition
from spec.scenario import Scenario

NO_RECORDS = Layout((Partition(),))
"""Groups need no records."""


def size_limits(limit: int, delay_ms: int = 0) -> tuple[tuple[str, str], ...]:
    """The broker configs that give every kind of group the same limit."""
    settings = {
        CLASSIC_LIMIT: limit,
        CONSUMER_LIMIT: limit,
        SHARE_LIMIT: limit,
        STREAMS_LIMIT: limit,
        INITIAL_DELAY: delay_ms,
    }
    return tuple([(key, str(value)) for key, value in settings.items()])


def history(*steps: GroupStep, limit: int = 2, delay_ms: int = 0) -> Scenario:
    """A history under one limit for every kind of group."""
    return Scenario(NO_RECORDS, steps, size_limits(limit, delay_ms))


def mixed_history(*steps: GroupStep) -> Scenario:
    """A history of a consumer group that classic members come to: three may be in it, and one in a
    classic group.
    """
    return _between(1, 3, steps)


def upgraded_history(*steps: GroupStep) -> Scenario:
    """A history of a classic group that consumers come to: three may be in it, and two in a
    consumer group.
    """
    return _between(3, 2, steps)


def _between(classic: int, consumer: int, steps: tuple[GroupStep, ...]) -> Scenario:
    limits = {
        CLASSIC_LIMIT: classic,
        CONSUMER_LIMIT: consumer,
        SHARE_LIMIT: 2,
        STREAMS_LIMIT: 2,
        INITIAL_DELAY: 0,
    }
    return Scenario(NO_RECORDS, steps, tuple([(key, str(value)) for key, value in limits.items()]))


def first(actor: int, *, group: int = 0) -> JoinGroup:
    """The first step of a join, by which a dynamic member is given its id."""
    return JoinGroup(actor, NEW, group=group)


def second(
    actor: int, *, parked: bool = True, rebalance_ms: int = 10_000, group: int = 0
) -> JoinGroup:
    """The second step of a join, or a member that joins again."""
    return JoinGroup(actor, parked=parked, rebalance_ms=rebalance_ms, group=group)


def static(
    actor: int, instance: str, *, parked: bool = True, rebalance_ms: int = 10_000, group: int = 0
) -> JoinGroup:
    """A static member that comes, or comes back without its id."""
    return JoinGroup(actor, NEW, instance, parked=parked, rebalance_ms=rebalance_ms, group=group)


def alone(group: int = 0, *, rebalance_ms: int = 10_000) -> tuple[GroupStep, ...]:
    """Actor 0 makes a Stable group of one member."""
    return (
        first(0, group=group),
        second(0, parked=False, rebalance_ms=rebalance_ms, group=group),
        SyncGroup(0, group=group),
    )


def pair(group: int = 0) -> tuple[GroupStep, ...]:
    """Actors 0 and 1 make a Stable group of two members."""
    return (*alone(group), *with_one_more_actor(1, (0,), group=group))


def with_one_more_actor(
    newcomer: int, old: tuple[int, ...], *, group: int = 0, rebalance_ms: int = 10_000
) -> tuple[GroupStep, ...]:
    """One more actor joins a Stable group of these, and it is Stable again."""
    seen = DescribeGroup(newcomer + 1, "PreparingRebalance", len(old) + 1, group=group)
    again = [second(actor, rebalance_ms=rebalance_ms, group=group) for actor in old]
    synced = [SyncGroup(actor, parked=True, group=group) for actor in (*old, newcomer)]
    stable = DescribeGroup(newcomer + 1, "Stable", len(old) + 1, group=group)
    return (
        first(newcomer, group=group),
        second(newcomer, rebalance_ms=rebalance_ms, group=group),
        seen,
        *again,
        *synced,
        stable,
    )


def heartbeats(*actors: int, group: int = 0) -> tuple[GroupStep, ...]:
    """A Heartbeat of each."""
    return tuple([Heartbeat(actor, group=group) for actor in actors])


def static_pair(rebalance_ms: int = 10_000) -> tuple[GroupStep, ...]:
    """Actors 0 and 1 make a Stable group of the instances i0 and i1."""
    again = JoinGroup(0, instance="i0", parked=True, rebalance_ms=rebalance_ms)
    return (
        static(0, "i0", parked=False, rebalance_ms=rebalance_ms),
        SyncGroup(0, instance="i0"),
        static(1, "i1", rebalance_ms=rebalance_ms),
        DescribeGroup(5, "PreparingRebalance", 2),
        again,
        SyncGroup(0, instance="i0", parked=True),
        SyncGroup(1, instance="i1", parked=True),
        DescribeGroup(5, "Stable", 2),
    )
