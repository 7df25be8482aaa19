"""Partitions of our own with two replicas, spread over the brokers of a cluster."""

from __future__ import annotations

from contextlib import suppress
from itertools import permutations
from typing import TYPE_CHECKING, Any

from conformance.cluster import MissingApiError, Node, error_text
from conformance.ledger import NO_LEDGER, PREFIX, Kind
from conformance.placement.deployment import CLEAN_UP_S
from conformance.placement.pool import delete_topics
from conformance.placement.problem import PlacementFailed, TookTooLong
from conformance.retries import tries
from conformance.wire.config_numbers import BROKER_RESOURCE
from conformance.wire.outcomes import NoAnswer, NotConnected
from conformance.wire.schema import ZERO_UUID
from conformance.wire.single_entry import only
from conformance.wire.topic_names import topics_by_name
from spec.frozen import frozen
from spec.kafka import RETRIABLE, Error
from spec.replication.outcomes import Brokers
from spec.replication.steps import BROKERS, REPLICAS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.cluster import Cluster
    from conformance.wire.connection import Connection

PARTITIONS = 24
"""Partitions of one topic."""
MINIMUM = "min.insync.replicas"
SELECTOR = "replica.selector.class"
LATEST = -1
SETTLED_S = 5.0
"""How long the replicas of new partitions may take to know their leader epochs, seconds."""
EPOCHS_SINCE = 7
"""The version of Metadata that came with leader epochs (KIP-320)."""
_PASSING = RETRIABLE | {Error.INVALID_REPLICATION_FACTOR, Error.NOT_CONTROLLER}


@frozen
class SpreadPartition:
    """An empty partition.

    Attributes:
        topic, topic_id, partition: which; the id is `ZERO_UUID` where Metadata gives none.
        nodes: the brokers by their roles.
        epoch: its leader epoch.
    """

    topic: str
    topic_id: bytes
    partition: int
    nodes: tuple[Node, ...]
    epoch: int

    def role_of(self, node: int) -> int | None:
        """The role of a node; None of one that has none."""
        return next((role for role, one in enumerate(self.nodes) if one.id == node), None)


class SpreadPartitions:
    """Topics whose partitions have their leader and their other replica on brokers by turns.

    Args:
        cluster: at least three brokers.
        name: what the names of topics are made from.
    """

    def __init__(self, cluster: Cluster, name: str) -> None:
        self.cluster = cluster
        self._name = name
        self._topics: list[str] = []
        self._free: dict[int, list[SpreadPartition]] = {}

    def take(self, minimum: int = 0) -> SpreadPartition:
        """A partition that nobody has used, of a topic with this `min.insync.replicas`; 0 for the
        cluster's own.

        Raises:
            PlacementFailed: it could not be made.
            MissingApiError: the cluster lacks what it takes.
            NoAnswer, NotConnected: a broker is gone.
        """
        if not self._free.get(minimum):
            metadata_version(self.cluster)
            arranged = [self._roles(number) for number in range(PARTITIONS)]
            self._free[minimum] = self._make(minimum, arranged)
        return self._free[minimum].pop(0)

    def around(self, node: Node, role: int, minimum: int, count: int) -> list[SpreadPartition]:
        """Some partitions that nobody has used in which a broker has a role.

        Raises:
            PlacementFailed, MissingApiError, NoAnswer, NotConnected: as for `take`.
        """
        orders = [one for one in permutations(self.cluster.nodes, BROKERS) if one[role] == node]
        return self._make(minimum, [orders[number % len(orders)] for number in range(count)])

    def forget(self) -> None:
        """Give none of those that are made already: their leaders have moved."""
        self._free.clear()

    def close(self) -> None:
        """Delete the topics that were made, unless a ledger lists them."""
        if self.cluster.ledger is not NO_LEDGER or not self._topics:
            return
        with (
            suppress(NoAnswer, NotConnected, MissingApiError),
            self.cluster.connect(timeout=CLEAN_UP_S) as connection,
        ):
            delete_topics(self.cluster, connection, self._topics)

    def _roles(self, number: int) -> tuple[Node, ...]:
        nodes = self.cluster.nodes
        return tuple([nodes[(number + role) % len(nodes)] for role in range(BROKERS)])

    def _make(self, minimum: int, arranged: Sequence[tuple[Node, ...]]) -> list[SpreadPartition]:
        """Make a topic whose partitions have these brokers in the order of their roles."""
        for node in self.cluster.nodes:
            self._await_connection(node)
        metadata_version(self.cluster)
        name = f"{PREFIX}{self._name}-spread-{len(self._topics)}"
        self.cluster.ledger.will_make(Kind.TOPIC, name)
        assignments = [
            {
                "partition_index": number,
                "broker_ids": [nodes[role].id for role in REPLICAS],
            }
            for number, nodes in enumerate(arranged)
        ]
        topic = {
            "name": name,
            "num_partitions": -1,
            "replication_factor": -1,
            "assignments": assignments,
            "configs": [{"name": MINIMUM, "value": str(minimum)}] if minimum else [],
        }
        version = self.cluster.version("CreateTopics", 7)
        with self.cluster.connect() as connection:
            for _ in tries(self.cluster.timeout):
                answer = connection.ask(
                    "CreateTopics", version, {"topics": [topic], "timeout_ms": 60_000}
                )
                made = only("CreateTopics", version, answer, "topics")
                if made["error_code"] not in _PASSING:
                    break
        if made["error_code"]:
            raise PlacementFailed(
                f"expected to create topic {name} with replicas on chosen brokers, the broker says "
                f"{error_text(made['error_code'], made.get('error_message'))}"
            )
        self._topics.append(name)
        *_, found = [self._known_to(node, name, arranged) for node in self.cluster.nodes]
        for node in self.cluster.nodes:
            self._await_served(node, found)
        return [
            SpreadPartition(
                name,
                found.get("topic_id", ZERO_UUID),
                part["partition_index"],
                arranged[part["partition_index"]],
                part["leader_epoch"],
            )
            for part in sorted(found["partitions"], key=_number)
        ]

    def _await_connection(self, node: Node) -> None:
        """Wait until a broker takes a connection: one may be restarting.

        Raises:
            NotConnected: it does not within the cluster's time.
        """
        for _ in tries(self.cluster.timeout):
            try:
                self.cluster.at(node).connect().close()
            except NotConnected as failed:
                gone = failed
            else:
                return
        raise gone

    def _known_to(
        self, node: Node, name: str, arranged: Sequence[tuple[Node, ...]]
    ) -> dict[str, Any]:
        """What a broker says of a topic once it knows it whole, with all replicas in sync.

        Raises:
            TookTooLong: it does not within the cluster's time.
        """
        with self.cluster.at(node).connect() as connection:
            for _ in tries(self.cluster.timeout):
                found = topic_of(self.cluster, connection, name)
                parts = found["partitions"]
                if len(parts) == len(arranged) and all(
                    _is_as_assigned(one, arranged) for one in parts
                ):
                    return found
        raise TookTooLong(
            f"expected broker {node.id} to know the leaders and the replicas of {len(arranged)} "
            f"partitions of {name} within {self.cluster.timeout:.0f} s, found {len(parts)}"
        )

    def _await_served(self, node: Node, topic: dict[str, Any]) -> None:
        """Wait until a broker knows the leader epoch of each partition that it has a replica of:
        Metadata may be ahead of what it does. One that does not is judged as it is.
        """
        version = self.cluster.version("ListOffsets", 7)
        parts = [
            {
                "partition_index": part["partition_index"],
                "current_leader_epoch": part["leader_epoch"] + 1,
                "timestamp": LATEST,
            }
            for part in topic["partitions"]
            if node.id in part["replica_nodes"]
        ]
        asked = {
            "replica_id": -1,
            "isolation_level": 0,
            "topics": [{"name": topic["name"], "partitions": parts}],
        }
        with self.cluster.at(node).connect() as connection:
            for _ in tries(SETTLED_S):
                answer = connection.ask("ListOffsets", version, asked)
                codes = [
                    part["error_code"] for one in answer["topics"] for part in one["partitions"]
                ]
                if {*codes} == {Error.UNKNOWN_LEADER_EPOCH}:
                    return


def _is_as_assigned(part: dict[str, Any], arranged: Sequence[tuple[Node, ...]]) -> bool:
    wanted = [arranged[part["partition_index"]][role].id for role in REPLICAS]
    return bool(part["leader_id"] == wanted[0] and {*part["isr_nodes"]} == {*wanted})


def metadata_version(cluster: Cluster) -> int:
    """The version of Metadata that is asked: one that gives leader epochs.

    Raises:
        MissingApiError: the cluster has none.
    """
    version = cluster.version("Metadata", 12)
    if version < EPOCHS_SINCE:
        raise MissingApiError(
            f"expected Metadata v{EPOCHS_SINCE} or newer, which gives leader epochs, found at most "
            f"v{version}"
        )
    return version


def topic_of(cluster: Cluster, connection: Connection, name: str) -> dict[str, Any]:
    """What a broker says of a topic.

    Raises:
        NoAnswer: it does not answer Metadata.
        MissingApiError: its Metadata gives no leader epochs.
    """
    version = metadata_version(cluster)
    asked = {"topics": topics_by_name([name])}
    return only("Metadata", version, connection.ask("Metadata", version, asked), "topics")


def brokers_of(cluster: Cluster) -> tuple[dict[int, str], str | None]:
    """The racks of the brokers by their ids, and the replica selector; None where it is not shown.

    Raises:
        NoAnswer, NotConnected: the broker is gone.
    """
    with cluster.connect() as connection:
        answer = connection.ask("Metadata", cluster.version("Metadata", 12), {"topics": []})
        racks = {one["node_id"]: one.get("rack") or "" for one in answer["brokers"]}
        return racks, _selector(cluster, connection)


def _selector(cluster: Cluster, connection: Connection) -> str | None:
    if not cluster.offers("DescribeConfigs", 1):
        return None
    resource = {
        "resource_type": BROKER_RESOURCE,
        "resource_name": str(cluster.node),
        "configuration_keys": [SELECTOR],
    }
    version = cluster.version("DescribeConfigs", 4)
    answer = connection.ask("DescribeConfigs", version, {"resources": [resource]})
    found = only("DescribeConfigs", version, answer, "results")
    values = [one["value"] for one in found["configs"] if one["name"] == SELECTOR]
    return values[0] or "" if values and not found["error_code"] else None


def seen_from(racks: dict[int, str], selector: str | None, where: SpreadPartition) -> Brokers:
    """The brokers by the roles that they have for a partition."""
    return Brokers(tuple([racks.get(node.id, "") for node in where.nodes]), selector)


def _number(part: dict[str, Any]) -> int:
    return int(part["partition_index"])
