"""A group as far as its size depends on it. Times are milliseconds; a request that waits is known
by its number.
"""

from enum import StrEnum

from spec.frozen import frozen, replace

UNKNOWN_GENERATION = -2
"""The generation of a consumer group that became a classic one: its epoch, which is not followed,
until a join phase shows the next.
"""


Address = tuple[bytes, int]
"""Topic id and partition."""


class Kind(StrEnum):
    """Which protocol a group goes by."""

    NONE = "none"
    CLASSIC = "classic"
    CONSUMER = "consumer"
    SHARE = "share"
    STREAMS = "streams"


class State(StrEnum):
    """The states of a classic group, by Kafka's names."""

    DEAD = "Dead"
    EMPTY = "Empty"
    PREPARING = "PreparingRebalance"
    COMPLETING = "CompletingRebalance"
    STABLE = "Stable"


@frozen
class Member:
    """One member.

    Attributes:
        id: its member id.
        instance: `group.instance.id`; None for a dynamic member.
        metadata: what it subscribes to.
        session_ms, rebalance_ms: its timeouts.
        seen: when it was heard of last.
        awaiting: the JoinGroup that waits for the join phase to end; None where none does.
        syncing: the SyncGroup that waits for the leader's; None where none does.
        synced: whether it has sent its SyncGroup in this generation.
        stands_in: it took the place of a static member that had not sent its SyncGroup, whose id is
            still waited for.
        has_assignment: the leader of this generation has given its id an assignment, and the
            broker was not restarted since.
        gone: a static member of a consumer group that left with epoch -2, whose place is kept.
        classic: a member of a consumer group that goes by the classic protocol.
        carried: such a one that was in the classic group which the group was, and has not joined
            since.
        epoch: the member epoch that it was answered last, in a consumer or share group.
        previous: the one before that; 0 where it has had no other.
        topics: the names that it subscribes to there.
        held: what it may be working on there.
        assigned: the assignment that it was sent last there; None where it was sent none.
    """

    id: str
    instance: str | None = None
    metadata: int = 0
    session_ms: int = 30_000
    rebalance_ms: int = 10_000
    seen: float = 0.0
    awaiting: int | None = None
    syncing: int | None = None
    synced: bool = False
    stands_in: bool = False
    has_assignment: bool = False
    gone: bool = False
    classic: bool = False
    carried: bool = False
    epoch: int = 0
    previous: int = 0
    topics: frozenset[str] = frozenset()
    held: frozenset[Address] = frozenset()
    assigned: frozenset[Address] | None = None


@frozen
class Pending:
    """An id that was given out with MEMBER_ID_REQUIRED and has not joined yet (KIP-394)."""

    id: str
    session_ms: int
    since: float


@frozen
class Group:
    """One group.

    Attributes:
        kind: which protocol it goes by.
        state: of a classic group.
        generation: its generation id; of an upgraded group, the last that it had;
            `UNKNOWN_GENERATION` where it is not known.
        members: in the order in which they came.
        pending: ids given out.
        forgotten: ids that were given out, or members', and taken back by a refusal for size.
        leader: the leader's id; empty for none.
        initial: the join phase began with an empty group, so that only the delay ends it.
        extended: a member came since that delay began, so that it is begun again.
        delay_left: what of the first rebalance timeout is left for further delays.
        join_due: when the join phase ends at the latest; None outside of one.
        sync_due: when members that have not sent SyncGroup are removed; None outside of that phase.
        freed: what happened last was that a member left or ran out.
        loaded: it was loaded after a restart and no join phase was completed since.
        epoch: of a consumer or share group, how often its members or what they subscribe to have
            changed; see `epochs`.
        known: the partitions that its members subscribe to, as it saw them last.
    """

    kind: Kind = Kind.NONE
    state: State = State.DEAD
    generation: int = 0
    members: tuple[Member, ...] = ()
    pending: tuple[Pending, ...] = ()
    forgotten: frozenset[str] = frozenset()
    leader: str = ""
    initial: bool = False
    extended: bool = False
    delay_left: float = 0.0
    join_due: float | None = None
    sync_due: float | None = None
    freed: bool = False
    loaded: bool = False
    epoch: int = 0
    known: frozenset[Address] = frozenset()

    @property
    def size(self) -> int:
        """Members, without those that were only given an id."""
        return len(self.members)

    @property
    def awaiting_members(self) -> int:
        """Members whose JoinGroup waits."""
        return sum([member.awaiting is not None for member in self.members])

    @property
    def is_settled(self) -> bool:
        """Whether a classic group is Stable or CompletingRebalance."""
        return self.state in {State.STABLE, State.COMPLETING}

    @property
    def awaits_sync(self) -> bool:
        """Whether the SyncGroup of some member id is waited for."""
        return any(not member.synced or member.stands_in for member in self.members)

    @property
    def all_joined(self) -> bool:
        """Whether nobody is waited for any more."""
        return not self.pending and self.awaiting_members == self.size

    def member(self, member_id: str) -> Member | None:
        """The member of this id."""
        return next((member for member in self.members if member.id == member_id), None)

    def instance(self, instance: str | None) -> Member | None:
        """The static member of this instance id."""
        return next(
            (
                member
                for member in self.members
                if instance is not None and member.instance == instance
            ),
            None,
        )

    def is_pending(self, member_id: str) -> bool:
        """Whether this id was given out and has not joined."""
        return any(pending.id == member_id for pending in self.pending)

    def with_member(self, changed: Member, old_id: str | None = None) -> "Group":
        """The same with one member in another state, in its old place."""
        wanted = changed.id if old_id is None else old_id
        return replace(
            self,
            members=tuple([changed if member.id == wanted else member for member in self.members]),
        )

    def waiting_for_new_ids(self) -> "Group":
        """The same where the SyncGroups of static members that came back are waited for by their
        new ids alone.
        """
        members = [replace(member, stands_in=False) for member in self.members]
        return replace(self, members=tuple(members))

    def without(self, member_id: str) -> "Group":
        """The same without a member or pending id."""
        return replace(
            self,
            members=tuple([member for member in self.members if member.id != member_id]),
            pending=tuple([pending for pending in self.pending if pending.id != member_id]),
        )
