"""Steps of a history of groups: the requests of their members, each on a connection of its own,
and what an administrator does meanwhile.

Steps are sent in their order: a step waits for the answer to the one before it, unless that one is
`parked`, and always for its own actor's last answer. So joins that are parked are in flight
together.
"""

from collections.abc import Iterator

from spec.frozen import frozen
from spec.steps import Step

OWN = "own"
"""As a member id: the id that the actor was given last, in the group that is asked; empty where it
has none.
"""
NEW = "new"
"""As a member id: an empty one; for a group whose members name themselves, a fresh one."""
STRANGER = "stranger"
"""As a member id: one that nobody was given."""

MEMBER_ID_REQUIRED_SINCE = 4
INSTANCE_SINCE = 5
NULL_PROTOCOL_SINCE = 7
PATIENCE_MS = 20_000


class _Step(Step):
    __slots__ = ()

    @property
    def subject(self) -> str:
        return "groups"


@frozen
class JoinGroup(_Step):
    """One JoinGroup request (API key 11) of the protocol type `consumer`, with the one protocol
    `range`.

    Attributes:
        actor: which connection sends it.
        member: `OWN`, `NEW`, `STRANGER`, or the number of another actor, whose id is sent.
        instance: `group.instance.id` (v5+); None for a dynamic member.
        metadata: a number in the protocol's metadata, by which a member changes its subscription.
        session_ms, rebalance_ms: session and rebalance timeout.
        version: the request version, 0 to 9.
        parked: the next step does not wait for its answer.
        patience_ms: how long its answer is waited for when everything else is over.
        group: which of the scenario's groups.
    """

    actor: int = 0
    member: int | str = OWN
    instance: str | None = None
    metadata: int = 0
    session_ms: int = 30_000
    rebalance_ms: int = 10_000
    version: int = 9
    parked: bool = False
    patience_ms: int = PATIENCE_MS
    group: int = 0

    def problems(self) -> Iterator[str]:
        """An instance id before the version that has the field."""
        if self.instance is not None and self.version < INSTANCE_SINCE:
            yield (
                f"instance: expected none before version {INSTANCE_SINCE} of JoinGroup, found one "
                f"in {self.version}"
            )


@frozen
class SyncGroup(_Step):
    """One SyncGroup request (API key 14) with the generation that the actor joined last; a leader
    gives each member that it was answered an assignment of no partitions, which names the
    generation and the member in its user data.

    Attributes:
        actor, member, instance, parked, group: as in `JoinGroup`.
    """

    actor: int = 0
    member: int | str = OWN
    instance: str | None = None
    parked: bool = False
    group: int = 0


@frozen
class Heartbeat(_Step):
    """One Heartbeat request (API key 12) with the generation that the actor joined last; the fields
    are as in `SyncGroup`.
    """

    actor: int = 0
    member: int | str = OWN
    instance: str | None = None
    group: int = 0


@frozen
class LeaveGroup(_Step):
    """One LeaveGroup request (API key 13) for one member.

    Attributes:
        actor, group: as in `JoinGroup`.
        member: as in `JoinGroup`; `NEW` with an instance is what an administrator sends.
        instance: of a static member.
    """

    actor: int = 0
    member: int | str = OWN
    instance: str | None = None
    group: int = 0


@frozen
class DescribeGroup(_Step):
    """DescribeGroups (API key 15), sent again until the group is as wanted or `patience_ms` is
    over; the last answer counts.

    Attributes:
        actor, group: as in `JoinGroup`.
        state: the wanted state; empty for any.
        members: the wanted number of members; None for any.
        patience_ms: how long it is sent again.
    """

    actor: int = 0
    state: str = ""
    members: int | None = None
    patience_ms: int = 3000
    group: int = 0


@frozen
class ConsumerGroupHeartbeat(_Step):
    """One ConsumerGroupHeartbeat (API key 68, v1): the member names itself (KIP-848, KIP-1082).

    Attributes:
        actor, group: as in `JoinGroup`.
        member: `OWN` keeps the actor's id and makes one where it has none; otherwise as in
            `JoinGroup`.
        epoch: `OWN`, or a number that is sent: 0 joins, -1 leaves, -2 leaves a static
            member's place open.
        instance: `group.instance.id`.
        full: every field is sent whatever the epoch, as after an answer that was lost; otherwise
            those alone that a member which joins must send.
    """

    actor: int = 0
    member: int | str = OWN
    epoch: int | str = 0
    instance: str | None = None
    group: int = 0
    full: bool = False


@frozen
class ShareGroupHeartbeat(_Step):
    """One ShareGroupHeartbeat (API key 76); the fields are as in `ConsumerGroupHeartbeat`."""

    actor: int = 0
    member: int | str = OWN
    epoch: int | str = 0
    group: int = 0
    full: bool = False


@frozen
class StreamsGroupHeartbeat(_Step):
    """One StreamsGroupHeartbeat (API key 88, v0) of a topology that reads one topic which is not
    there (KIP-1071).

    Attributes:
        actor, member, epoch, group: as in `ConsumerGroupHeartbeat`.
    """

    actor: int = 0
    member: int | str = OWN
    epoch: int | str = 0
    group: int = 0


@frozen
class AlterBrokerConfig(_Step):
    """IncrementalAlterConfigs on the broker, for one setting.

    Attributes:
        key, value: by Kafka's names.
        actor: which connection sends it.
    """

    key: str
    value: str
    actor: int = 0


@frozen
class RestartWith(_Step):
    """The broker is stopped in good order and started with these settings in place of the
    scenario's.

    Attributes:
        config: broker configs, by Kafka's names.
        actor: a connection that nothing else is under way on.
    """

    config: tuple[tuple[str, str], ...]
    actor: int = 0


@frozen
class WaitFor(_Step):
    """Nothing is sent for so many milliseconds, so that sessions can run out."""

    ms: int
    actor: int = 0


@frozen
class MemberCommit(_Step):
    """One OffsetCommit request (API key 8, v9) of one offset.

    Attributes:
        actor, member, instance, group: as in `JoinGroup`.
        epoch: `OWN` for the member epoch that the actor was answered last, or the generation that
            it joined last where it names no member; otherwise a number that is sent, -1 for none.
    """

    actor: int = 0
    member: int | str = OWN
    epoch: int | str = OWN
    instance: str | None = None
    group: int = 0


@frozen
class MemberOffsetFetch(_Step):
    """One OffsetFetch request (API key 9, v9) for one partition.

    Attributes:
        actor, group: as in `JoinGroup`.
        member: as in `JoinGroup`; an empty id is sent as null.
        epoch: as in `MemberCommit`.
    """

    actor: int = 0
    member: int | str = OWN
    epoch: int | str = OWN
    group: int = 0


NamedStep = ConsumerGroupHeartbeat | ShareGroupHeartbeat | StreamsGroupHeartbeat
"""Heartbeats of members that name themselves."""
MemberStep = (
    JoinGroup
    | SyncGroup
    | Heartbeat
    | LeaveGroup
    | DescribeGroup
    | NamedStep
    | MemberCommit
    | MemberOffsetFetch
)
GroupStep = MemberStep | AlterBrokerConfig | RestartWith | WaitFor
