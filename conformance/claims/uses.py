"""What each API of Kafka's protocol is asked for: the subjects, groups of clauses and clauses that
can't be tried without it.
"""

from __future__ import annotations

from conformance.claims.scopes import clauses_in
from spec.frozen import frozen

ON_LOGS = ("fetch", "share", "offsets", "produce", "segments", "fairness")
"""The subjects whose scenarios ask about partitions with records."""
CLASSIC = ("groups/size", "groups/static", "groups/join-phase", "groups/session")
"""The groups of clauses about groups of the classic protocol."""
SEVERAL_BROKERS = ("replication",)
LEADER_MOVES = ("REP-004", "REP-103")
"""The clauses that need a leader to move to another broker."""
COMMITS = ("offsets/commit", "fairness/commit")
QUOTAS = ("FET-017",)

FROM_FILES = tuple(
    [
        f"segments/{group}"
        for group in (
            *("files", "index", "log", "timeindex", "txnindex"),
            *("leader-epochs", "producers", "folder"),
        )
    ]
)
"""The groups of clauses about a broker's files, which are read where it was started here alone."""
PLACED_FILES = ("FET-022", "FET-023", "FET-122")
"""The clauses about logs that no Produce request makes (holes, old formats): their files are put
into the data folder of a broker that was started here.
"""

AFTER_RESTARTS = ("GRP-016", "GRP-019", "GRP-037")
"""The clauses about limits that a restart or an alteration would change: neither is done to a
broker that was not started here.
"""


@frozen
class Use:
    """What one API is asked for.

    Attributes:
        api: its name, `Fetch`.
        purpose: what it is asked for, in a few words.
        scopes: subjects, groups of clauses and ids of clauses that can't be tried without it.
        partly: subjects, groups and ids of clauses that lose some scenarios without it, and are
            tried by others.
        since: the first release of Kafka that has it.
    """

    api: str
    purpose: str
    scopes: tuple[str, ...] = ()
    partly: tuple[str, ...] = ()
    since: str = "4.0"

    @property
    def clauses(self) -> frozenset[str]:
        """Ids of the clauses that can't be tried without it."""
        return clauses_in(self.scopes)

    @property
    def clauses_partly(self) -> frozenset[str]:
        """Ids of the clauses that lose scenarios without it."""
        return clauses_in(self.partly) - self.clauses


USES: tuple[Use, ...] = (
    Use("Metadata", "finding topics and leaders", (*ON_LOGS, *SEVERAL_BROKERS, "groups", "limits")),
    Use("CreateTopics", "topics to write to", (*ON_LOGS, *SEVERAL_BROKERS, "limits")),
    Use("DeleteTopics", "removing what was made; without it topics stay"),
    Use("DescribeConfigs", "limits of the broker", ("limits/config",), ("share/config",)),
    Use("IncrementalAlterConfigs", "configs", ("limits/config", "share/config")),
    Use("Produce", "writing records", ON_LOGS),
    Use("ListOffsets", "the ends of a log", ON_LOGS),
    Use("Fetch", "reading records", ("fetch", "produce", "segments", "fairness")),
    Use("DeleteRecords", "logs that begin later", ("offsets/delete",), ("fetch", "share")),
    Use("InitProducerId", "producers", ("produce/producer",), ("fetch", "share", "offsets")),
    Use("AddPartitionsToTxn", "transactions", (), ("fetch", "share", "offsets")),
    Use("EndTxn", "transactions", (), ("fetch", "share", "offsets")),
    Use("FindCoordinator", "coordinators", ("share", "groups", *COMMITS), ("fetch",)),
    Use("AlterClientQuotas", "quotas", QUOTAS),
    Use("DescribeClientQuotas", "quotas", QUOTAS),
    Use(
        "OffsetForLeaderEpoch",
        "ends of leader epochs",
        ("offsets/epoch-end", "replication/epoch-end"),
    ),
    Use("AlterPartitionReassignments", "leaders that move", LEADER_MOVES, SEVERAL_BROKERS),
    Use("ElectLeaders", "leaders that move", LEADER_MOVES, SEVERAL_BROKERS),
    Use("OffsetCommit", "committed offsets", (*COMMITS, "groups/commit")),
    Use("OffsetFetch", "committed offsets", ("offsets/commit", "groups/offset-fetch")),
    Use("ShareFetch", "share groups", ("share",)),
    Use("ShareAcknowledge", "share groups", ("share/acknowledge",), ("share",)),
    Use("ShareGroupHeartbeat", "members of share groups", ("groups/share",), ("share",)),
    Use("AlterShareGroupOffsets", "where a share group starts", (), ("share",), "4.1"),
    Use("DeleteShareGroupOffsets", "offsets of share groups", (), ("share",), "4.1"),
    Use("JoinGroup", "classic groups", CLASSIC),
    Use("SyncGroup", "classic groups", CLASSIC),
    Use("Heartbeat", "classic groups", (), CLASSIC),
    Use("LeaveGroup", "classic groups", (), CLASSIC),
    Use("DescribeGroups", "the state of a group", ("groups",)),
    Use("DeleteGroups", "removing what was made; without it groups stay"),
    Use("ConsumerGroupHeartbeat", "consumer groups", ("groups/consumer", "groups/migration")),
    Use("StreamsGroupHeartbeat", "streams groups", ("groups/streams",), since="4.1"),
    Use("CreatePartitions", "topics that grow", ("limits/grow",)),
    Use("DescribeTopicPartitions", "partitions page by page", ("limits/page",)),
    Use("DescribeLogDirs", "sizes of partitions", ("segments/size",)),
)
"""Every API that a run asks a broker, but ApiVersions."""
