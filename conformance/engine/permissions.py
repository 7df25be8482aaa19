"""Whether the user of a cluster may do all that scenarios do, as the cluster itself says."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from conformance.cluster import MissingApiError
from conformance.ledger import PREFIX
from conformance.placement.coordinated import coordinated_name
from conformance.placement.problem import PlacementFailed
from conformance.wire.outcomes import NoAnswer, NotConnected
from conformance.wire.single_entry import only
from spec.kafka import Error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from conformance.cluster import Cluster
    from conformance.wire.connection import Connection

READ, WRITE, CREATE, DELETE, ALTER, DESCRIBE, CLUSTER_ACTION = 3, 4, 5, 6, 7, 8, 9
DESCRIBE_CONFIGS, ALTER_CONFIGS, IDEMPOTENT_WRITE = 10, 11, 12
"""Operations of ACLs, by the numbers that `authorized_operations` counts them by (KIP-430)."""
CONFIGS = (DESCRIBE_CONFIGS, ALTER_CONFIGS)
ON_TOPICS = (READ, WRITE, CREATE, DELETE, ALTER, DESCRIBE, *CONFIGS)
ON_GROUPS = (READ, DELETE, DESCRIBE, *CONFIGS)
ON_THE_CLUSTER = (CREATE, ALTER, DESCRIBE, CLUSTER_ACTION, *CONFIGS, IDEMPOTENT_WRITE)
NOT_SHOWN = -(2**31)
OPERATIONS = {"Metadata": (8, 12), "DescribeGroups": (3, 5), "DescribeCluster": (0, 1)}
"""The version of each API since which it can show operations, and the newest that is asked."""


@dataclass
class Granted:
    """What a cluster says that the user may do; asked once for each kind of resource.

    Attributes:
        cluster: who is asked.
    """

    cluster: Cluster
    _known: dict[int, bool] = field(default_factory=dict)

    def has(self, codes: Iterable[int]) -> bool:
        """Whether the user may do everything that these error codes of permissions are about.

        It is said of the topics and groups whose names begin with the prefix that a user is given.
        Topics need the cluster's operations too, since scenarios make some. Of what the cluster
        does not show, and of transactional ids, it is not known: False.
        """
        return all(self._has(code) for code in codes)

    def _has(self, code: int) -> bool:
        if code not in self._known:
            shown = _SHOWN.get(code)
            try:
                self._known[code] = shown is not None and shown(self.cluster)
            except (NoAnswer, NotConnected, MissingApiError, PlacementFailed):
                self._known[code] = False
        return self._known[code]


def _on_topics(cluster: Cluster) -> bool:
    with cluster.connect() as connection:
        asked = {"topics": None, "include_topic_authorized_operations": True}
        answer = _ask(cluster, connection, "Metadata", asked)
    ours = [topic for topic in answer["topics"] if (topic["name"] or "").startswith(PREFIX)]
    shown = [topic["topic_authorized_operations"] for topic in ours]
    return bool(shown) and all(_holds(one, ON_TOPICS) for one in shown) and _on_cluster(cluster)


def _on_groups(cluster: Cluster) -> bool:
    name = coordinated_name(cluster, PREFIX)
    with cluster.connect() as connection:
        asked = {"groups": [name], "include_authorized_operations": True}
        version = _version(cluster, "DescribeGroups")
        answer = _ask(cluster, connection, "DescribeGroups", asked)
    found = only("DescribeGroups", version, answer, "groups")
    return _holds(found["authorized_operations"], ON_GROUPS)


def _on_cluster(cluster: Cluster) -> bool:
    with cluster.connect() as connection:
        asked = {"include_cluster_authorized_operations": True}
        answer = _ask(cluster, connection, "DescribeCluster", asked)
    return _holds(answer["cluster_authorized_operations"], ON_THE_CLUSTER)


def _ask(
    cluster: Cluster, connection: Connection, api: str, value: Mapping[str, Any]
) -> dict[str, Any]:
    """Ask in a version that can show operations.

    Raises:
        MissingApiError: the cluster has none.
    """
    return connection.ask(api, _version(cluster, api), value)


def _version(cluster: Cluster, api: str) -> int:
    since, newest = OPERATIONS[api]
    version = cluster.version(api, newest)
    if version < since:
        raise MissingApiError(f"expected {api} v{since} or newer, found v{version}")
    return version


def _holds(shown: int, needed: Iterable[int]) -> bool:
    """Whether a set of operations, one bit for each, has all that are needed."""
    return shown != NOT_SHOWN and all(shown >> one & 1 for one in needed)


_SHOWN: Mapping[int, Callable[[Cluster], bool]] = {
    Error.TOPIC_AUTHORIZATION_FAILED: _on_topics,
    Error.GROUP_AUTHORIZATION_FAILED: _on_groups,
    Error.CLUSTER_AUTHORIZATION_FAILED: _on_cluster,
}
