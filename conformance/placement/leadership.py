"""Whether partitions still have the leader epochs that they had when layouts were placed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.wire.outcomes import NoAnswer, NotConnected
from conformance.wire.topic_names import topics_by_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from conformance.cluster import Cluster
    from conformance.placement.placed_partition import Placed
    from conformance.placement.pool import Pool

Epochs = dict[tuple[str, int], int]
"""Leader epochs by (topic, partition); -1 of one that has no leader."""


def leader_epochs(cluster: Cluster, topics: Sequence[str]) -> Epochs:
    """Read the leader epochs of topics over a connection of its own: the others may be in use.

    Raises:
        NotConnected: the broker is not reached.
        NoAnswer: it does not answer Metadata.
    """
    version = cluster.version("Metadata", 12)
    value = {"topics": topics_by_name(topics)}
    with cluster.connect() as connection:
        answer = connection.ask("Metadata", version, value)
    return {
        (topic["name"], part["partition_index"]): (
            part.get("leader_epoch", 0) if part["leader_id"] >= 0 else -1
        )
        for topic in answer["topics"] or ()
        for part in topic["partitions"] or ()
    }


class Leadership:
    """The leader epochs of some placed layouts while scenarios are played on them.

    The epochs that they began with are kept: a scenario may have been answered before a change that
    is noticed only by the verdict on an earlier one.
    """

    def __init__(self, pool: Pool, placed: Iterable[Placed]) -> None:
        """`pool` has the partitions of the layouts."""
        self._pool = pool
        self._restarts = pool.refreshed
        self._began = {
            (placed_partition.topic, placed_partition.partition): placed_partition.leader_epoch
            for one in placed
            for placed_partition in one.placed_partitions
        }

    def change(self, cluster: Cluster, placed: Placed) -> str:
        """Read the leader epochs of a layout's partitions again, and note them for what is asked
        later.

        Returns:
            What changed since the layouts were placed; empty where nothing did, or where the broker
            can't be asked.
        """
        if self._restarts != self._pool.refreshed:
            self._restarts = self._pool.refreshed
            self._began.update(self._pool.epochs(self._began))
        try:
            found = leader_epochs(
                cluster,
                sorted({placed_partition.topic for placed_partition in placed.placed_partitions}),
            )
        except (NoAnswer, NotConnected):
            return ""
        changes = []
        for placed_partition in placed.placed_partitions:
            key = placed_partition.topic, placed_partition.partition
            before, now = self._began[key], found.get(key)
            if now is None or now == before:
                continue
            found_now = "no leader" if now < 0 else f"leader epoch {now}"
            changes.append(
                f"expected leader epoch {before} of a partition as when its layout was placed, "
                f"found {found_now}: as where a broker was fenced"
            )
            if now >= 0:
                placed_partition.leader_epoch = now
        if changes:
            self._pool.lead(found)
        return changes[0] if changes else ""
