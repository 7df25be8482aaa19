"""Decisions about group sizes in which releases differ, and the limits that a broker's settings
come to.
"""

from collections.abc import Mapping

from spec.frozen import frozen
from spec.kafka import INT32_MAX

CLASSIC_LIMIT = "group.max.size"
CONSUMER_LIMIT = "group.consumer.max.size"
SHARE_LIMIT = "group.share.max.size"
STREAMS_LIMIT = "group.streams.max.size"
"""Since 4.1; 4.0 takes it for a setting that it does not know."""
INITIAL_DELAY = "group.initial.rebalance.delay.ms"
MIGRATION_POLICY = "group.consumer.migration.policy"
DOWNGRADING = frozenset({"bidirectional", "downgrade"})
"""The policies by which a consumer group may become a classic group, in lower case."""
MIN_SESSION = "group.min.session.timeout.ms"
MAX_SESSION = "group.max.session.timeout.ms"
NAMED_SESSIONS: Mapping[str, str] = {
    "consumer": "group.consumer.session.timeout.ms",
    "share": "group.share.session.timeout.ms",
    "streams": "group.streams.session.timeout.ms",
}
"""How long a member that names itself stays without being heard of, by the kind of its group."""
BROKER_SETTINGS = (
    CLASSIC_LIMIT,
    CONSUMER_LIMIT,
    SHARE_LIMIT,
    STREAMS_LIMIT,
    INITIAL_DELAY,
    MIN_SESSION,
    MAX_SESSION,
    *NAMED_SESSIONS.values(),
)
"""What a broker that can't be started with other settings is judged by, as far as it is known."""

SIZE_LIMITS: Mapping[str, tuple[int, int, int]] = {
    CLASSIC_LIMIT: (1, INT32_MAX, INT32_MAX),
    CONSUMER_LIMIT: (1, INT32_MAX, INT32_MAX),
    SHARE_LIMIT: (1, 1000, 200),
}
"""Least value, greatest value and default of each limit that all releases have (GRP-020)."""


@frozen
class Limits:
    """A broker's settings for groups.

    Attributes:
        classic, consumer, share, streams: members that a group of each kind may have.
        initial_delay_ms: how long the first join phase of an empty group waits for more members.
    """

    classic: int = INT32_MAX
    consumer: int = INT32_MAX
    share: int = 200
    streams: int = INT32_MAX
    initial_delay_ms: int = 0

    def of(self, kind: str) -> int:
        """The limit of a kind of group."""
        return {"consumer": self.consumer, "share": self.share, "streams": self.streams}.get(
            kind, self.classic
        )


def limits_of(config: Mapping[str, str]) -> Limits:
    """The limits that broker configs give; the initial delay is 0 where they do not name it, as
    Fencepost's own brokers have it.
    """

    def number(key: str) -> int:
        return int(config.get(key, SIZE_LIMITS[key][2]))

    streams = int(config.get(STREAMS_LIMIT, INT32_MAX))
    return Limits(
        number(CLASSIC_LIMIT),
        number(CONSUMER_LIMIT),
        number(SHARE_LIMIT),
        streams,
        int(config.get(INITIAL_DELAY, 0)),
    )


@frozen
class GroupSemantics:
    """The model's decisions about group sizes wherever releases differ.

    Attributes:
        seats_known_instance: a static consumer member that left for a moment finds its own place in
            a full group (GRP-034).
        fences_epoch_zero: a member of a consumer or share group that sends epoch 0 again is fenced
            where it is not its last epoch but one (GRP-033): seen on 4.0.2 and 4.1.2, not from
            4.2.2 on.
        streams: there are streams groups (KIP-1071), for more than early access.
        seats_streams_members: a member of a full streams group may send epoch 0 again (GRP-038).
        reassigns_shares: a share member that sends all its fields again is sent its assignment
            again (GRP-156): not by the early access of 4.0.2, from 4.1.2 on.
        first_epoch: the epoch of a consumer or share group with its first member (seen on 4.0.2,
            4.1.2, 4.2.2, 4.3.1 and 4.4.0).
        downgrades: a consumer group that is left to classic members alone becomes a classic group
            where it fits: by default; not on a broker that has, or may have, another
            `group.consumer.migration.policy` (GRP-164).
        broker: those of `BROKER_SETTINGS` that the broker reports or its user gives, with their
            values; a broker that is started for a scenario has the scenario's own ones.
    """

    seats_known_instance: bool = False
    fences_epoch_zero: bool = False
    streams: bool = True
    seats_streams_members: bool = False
    reassigns_shares: bool = True
    first_epoch: int = 2
    downgrades: bool = True
    broker: tuple[tuple[str, int], ...] = ()


GROUP_RELEASES: Mapping[str, GroupSemantics] = {
    "4.0": GroupSemantics(
        fences_epoch_zero=True, streams=False, reassigns_shares=False, first_epoch=1
    ),
    "4.1": GroupSemantics(fences_epoch_zero=True, streams=False, first_epoch=1),
    "4.2": GroupSemantics(first_epoch=1),
    "4.3": GroupSemantics(),
    "4.4": GroupSemantics(seats_known_instance=True, seats_streams_members=True),
}
