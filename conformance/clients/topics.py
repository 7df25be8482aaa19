"""Topics for clients: each layout on one topic of its own, from offset 0, whose records are known
by their values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.clients.protocol import value_hash
from conformance.placement.deployment import Deployment
from conformance.placement.pool import Pool, Pooled
from conformance.wire.batches import decode_records

if TYPE_CHECKING:
    from conformance.cluster import Cluster
    from conformance.placement.placed_partition import Placed, PlacedPartition
    from spec.layout import Layout


class FreshTopics(Pool):
    """Gives a topic of its own with exactly the partitions that are wanted."""

    def take(self, count: int) -> list[Pooled]:
        """The partitions of a new topic, in their order.

        Raises:
            PlacementFailed: it could not be made.
        """
        taken = self._make_topic(count)
        for pooled in taken:
            self._used[pooled.topic, pooled.partition] = pooled
        return taken

    def give_back(self, topic: str, partition: int, end: int) -> None:
        """Use no partition again: a client reads a topic from its beginning."""
        del end
        self.retire(topic, partition)


class ClientTopics:
    """Lays layouts out for clients.

    Args:
        cluster: the broker.
        name: what the names of topics are made from; fresh on the broker.
    """

    def __init__(self, cluster: Cluster, name: str) -> None:
        self._deployment = Deployment(cluster, name, FreshTopics, distinct=True)

    def place(self, layout: Layout) -> Placed:
        """Lay a layout on a new topic, whose partitions have the layout's numbers.

        Raises:
            PlacementFailed: it can't be laid.
            NoAnswer: the broker is gone.
        """
        return self._deployment.place([layout])[0]

    def release(self, placed: Placed) -> None:
        """Delete the topic."""
        self._deployment.release(placed)
        self._deployment.pool.clean_up(self._deployment.connection)

    def close(self) -> None:
        """Delete what is left, and close the connection."""
        self._deployment.close()


def written_values(partition: PlacedPartition) -> dict[int, str | None]:
    """The hash of the value that was written at each offset of a partition, markers left out."""
    return {
        base + record.offset_delta: value_hash(record.value)
        for base, known in partition.known.items()
        if known.sent
        for record in decode_records(known.sent)
    }
