"""Steps of a scenario on one partition of a cluster of three brokers.

Brokers are named by their role: 0 leads the partition first, 1 has its other replica, and 2 has
none.
"""

from collections.abc import Iterator

from spec.frozen import frozen
from spec.steps import Step

LEADER, FOLLOWER, STRANGER = 0, 1, 2
"""The roles of the three brokers as a scenario begins."""
REPLICAS = (LEADER, FOLLOWER)
BROKERS = 3
ALL = -1
"""The acks of a write that all replicas in sync acknowledge; 1 is the leader alone."""
NO_RACK, OTHER_RACK = -1, 3
"""Beside the roles: no rack is named, and one that no broker is in."""
EPOCH_SINCE, RACK_SINCE = 9, 11
"""The versions of Fetch that came with the current leader epoch and the rack (KIP-320, KIP-392)."""
FETCH_LEADER_SINCE, PRODUCE_LEADER_SINCE = 16, 10
"""The versions that name the current leader (KIP-951)."""


class ReplicationStep(Step):
    """A step of this subject."""

    __slots__ = ()

    @property
    def subject(self) -> str:
        """The one subject that has it."""
        return "replication"


@frozen
class LookAtBrokers(ReplicationStep):
    """The racks of the brokers and their replica selector are read (Metadata, DescribeConfigs).

    Attributes:
        actor: the role of the broker that is asked.
        min_insync_replicas: `min.insync.replicas` of the partition's topic; 0 for the cluster's
            own, which is not looked at.
    """

    actor: int = LEADER
    min_insync_replicas: int = 0


@frozen
class Write(ReplicationStep):
    """One record is produced; its value is how many were sent before.

    Attributes:
        actor: the role of the broker that is asked.
        version: the request version.
        acks: `ALL`, or 1.
    """

    actor: int = LEADER
    version: int = 12
    acks: int = ALL

    def problems(self) -> Iterator[str]:
        """A record that nobody acknowledges has no answer to judge."""
        if self.acks not in {ALL, 1}:
            yield f"acks: expected {ALL} or 1, found {self.acks}"


@frozen
class Read(ReplicationStep):
    """One Fetch request of a consumer without a session, which waits for data up to its limit.

    Attributes:
        actor: the role of the broker that is asked.
        offset: the fetch offset.
        rack: the role of the broker whose rack is named (v11+), `NO_RACK` or `OTHER_RACK`.
        epoch: the current leader epoch that is sent (v9+), relative to the partition's: 0 is that
            one, 1 a newer, -1 an older one; None: -1 is sent, and no broker checks it.
        version: the request version.
    """

    actor: int = LEADER
    offset: int = 0
    rack: int = NO_RACK
    epoch: int | None = None
    version: int = 16

    def problems(self) -> Iterator[str]:
        """A version can't carry what came after it."""
        if self.rack != NO_RACK and self.version < RACK_SINCE:
            yield f"rack: expected none below version {RACK_SINCE}, found {self.rack}"
        if self.epoch is not None and self.version < EPOCH_SINCE:
            yield f"epoch: expected none below version {EPOCH_SINCE}, found {self.epoch}"


@frozen
class AskLatest(ReplicationStep):
    """A ListOffsets request for the latest offset.

    Attributes:
        actor: the role of the broker that is asked.
        version: the request version.
    """

    actor: int = LEADER
    version: int = 7


@frozen
class AskEpochEnd(ReplicationStep):
    """An OffsetForLeaderEpoch request of a consumer.

    Attributes:
        actor: the role of the broker that is asked.
        epoch: the leader epoch whose end is asked for, relative to the current one.
        version: the request version.
    """

    actor: int = LEADER
    epoch: int = 0
    version: int = 4


@frozen
class ElectLeader(ReplicationStep):
    """The other replica is made the leader: it is put first by AlterPartitionReassignments, and
    elected by ElectLeaders; then it is waited for until every broker knows it.
    """

    actor: int = LEADER


@frozen
class StopBroker(ReplicationStep):
    """A broker is stopped in good order (a controlled shutdown); then it is waited for until every
    other broker names a leader that runs and the replicas in sync without it. Once a scenario.

    Attributes:
        actor: the role of the broker that is stopped.
    """

    actor: int = FOLLOWER


@frozen
class KillBroker(StopBroker):
    """The same of a broker whose process is killed, which the others notice once its session is
    over (`broker.session.timeout.ms`, 9 s by default).
    """


@frozen
class StartBroker(ReplicationStep):
    """The stopped broker is started on its data; then it is waited for until every broker names
    both replicas as in sync.

    Attributes:
        actor: the role of the broker that is started.
    """

    actor: int = FOLLOWER


Outage = StopBroker | StartBroker
"""The steps that stop and start a broker."""
Asked = Write | Read | AskLatest | AskEpochEnd | ElectLeader | StopBroker | StartBroker
"""The steps whose answers the clauses look at."""
