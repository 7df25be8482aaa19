"""Whether the brokers of a cluster, and who coordinates its groups, are still those of before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.wire.outcomes import NoAnswer, NotConnected
from conformance.wire.topic_names import topics_by_name
from spec.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from conformance.cluster import Cluster

INTERNAL_TOPICS = ("__consumer_offsets", "__transaction_state", "__share_group_state")
"""The topics whose leaders are coordinators; a new leader is a coordinator that has moved."""
PEER_S = 2.0
"""How long another broker may take to accept a connection, seconds."""


@frozen
class _State:
    """What Metadata says: the live brokers, and the leader epochs of partitions."""

    live: frozenset[int]
    epochs: Mapping[tuple[str, int], int]


class ClusterWatch:
    """Notes how a cluster of several brokers is when scenarios begin on it. A single broker has no
    others that could go, or that leaders could move to.
    """

    def __init__(self, cluster: Cluster, topics: Iterable[str] = ()) -> None:
        """`cluster` is where the scenarios are played, `topics` those whose leaders matter beside
        the coordinators.
        """
        self._cluster = cluster
        self._topics = (*sorted({*topics}), *INTERNAL_TOPICS)
        self._began = _state(cluster, self._topics) if cluster.nodes else None

    def change(self) -> str:
        """Say what changed since; empty where nothing did, or where it can't be asked."""
        if self._began is None:
            return ""
        found = _state(self._cluster, self._topics)
        if found is None:
            return ""
        if found.live != self._began.live:
            return (
                f"expected the live brokers {_node_list(self._began.live)} as when the scenario "
                f"began, found {_node_list(found.live)}"
            )
        for key, before in self._began.epochs.items():
            now = found.epochs.get(key, before)
            if now != before:
                return (
                    f"expected leader epoch {before} of {key[0]}-{key[1]} as when the scenario "
                    f"began, found {now}: a leader or a coordinator has moved"
                )
        return self._unreachable()

    def _unreachable(self) -> str:
        """Say which broker takes no connection: for some seconds one that is dead is still named
        as live.
        """
        for node in self._cluster.nodes:
            try:
                self._cluster.at(node).connect(timeout=PEER_S).close()
            except NotConnected as failed:
                return f"expected broker {node.id} to take a connection, found: {failed.reason}"
        return ""


def _state(cluster: Cluster, names: Iterable[str]) -> _State | None:
    topics = topics_by_name(names)
    try:
        with cluster.connect(timeout=PEER_S) as connection:
            answer = connection.ask("Metadata", cluster.version("Metadata", 12), {"topics": topics})
    except (NoAnswer, NotConnected):
        return None
    epochs = {
        (topic["name"], part["partition_index"]): part.get("leader_epoch", 0)
        for topic in answer["topics"] or ()
        for part in topic["partitions"] or ()
    }
    return _State(frozenset(one["node_id"] for one in answer["brokers"]), epochs)


def _node_list(nodes: frozenset[int]) -> str:
    return ", ".join(str(node) for node in sorted(nodes)) or "none"
