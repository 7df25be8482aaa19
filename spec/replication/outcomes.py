"""Responses to the steps of a scenario on several brokers.

Offsets are the partition's own, which is new. Leader epochs are relative to the one that it began
with, brokers are named by their roles.
"""

from spec.frozen import frozen
from spec.outcomes import Outcome

NO_BROKER, UNKNOWN_BROKER = -1, 9
"""No broker is named; one that is none of the three is."""


@frozen
class Brokers(Outcome):
    """What the brokers say of themselves.

    Attributes:
        racks: the rack of each role's broker; empty where it has none.
        selector: the `replica.selector.class` of the leader, empty where it has none; None where it
            is not shown.
    """

    racks: tuple[str, ...] = ()
    selector: str | None = None


@frozen
class NamedLeader:
    """The current leader that an answer names.

    Attributes:
        broker: its role, or `UNKNOWN_BROKER`.
        epoch: the leader epoch.
        reachable: whether the answer has an endpoint of it, with the address that Metadata gives.
    """

    broker: int
    epoch: int
    reachable: bool = True


@frozen
class WriteAnswer(Outcome):
    """The one partition of a Produce answer.

    Attributes:
        error: error code.
        offset: the base offset; None where the wire said -1.
        leader: the current leader that it names; None where it names none.
    """

    error: int = 0
    offset: int | None = None
    leader: NamedLeader | None = None


@frozen
class ReadResult(Outcome):
    """The one partition of a Fetch answer.

    Attributes:
        error: error code.
        high_watermark: as the answer gives it; None where the wire said -1.
        records: (offset, value) of each record.
        preferred: the role of the preferred read replica, `NO_BROKER` or `UNKNOWN_BROKER`.
        leader: the current leader that it names; None where it names none.
    """

    error: int = 0
    high_watermark: int | None = None
    records: tuple[tuple[int, int], ...] = ()
    preferred: int = NO_BROKER
    leader: NamedLeader | None = None


@frozen
class LatestAnswer(Outcome):
    """The one partition of a ListOffsets answer: error code and offset, None where it has none."""

    error: int = 0
    offset: int | None = None


@frozen
class EpochEnd(Outcome):
    """The one partition of an OffsetForLeaderEpoch answer.

    Attributes:
        error: error code.
        epoch: the leader epoch; None where the wire said -1.
        offset: its end offset; None where the wire said -1.
    """

    error: int = 0
    epoch: int | None = None
    offset: int | None = None


@frozen
class Moved(Outcome):
    """The leader that every broker names afterwards.

    Attributes:
        leader: its role.
        epoch: the leader epoch.
    """

    leader: int
    epoch: int


@frozen
class Replicas(Outcome):
    """What every running broker names once a broker was stopped or started: the leader, its epoch,
    and the replicas in sync.

    Attributes:
        leader: its role.
        epoch: the leader epoch.
        in_sync: the roles of the replicas in sync, sorted.
    """

    leader: int
    epoch: int
    in_sync: tuple[int, ...]


@frozen
class NotMoved(Outcome):
    """The leader that was asked for was not elected, or was not known to all brokers in time.

    Attributes:
        reason: what was expected and found.
    """

    reason: str

    def __str__(self) -> str:
        """Its reason."""
        return self.reason
