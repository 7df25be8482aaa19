"""Names whose coordinator is the broker that is asked, and what counts as a change of a cluster, on
a cluster of three brokers whose answers are written here.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self, cast

import pytest

from conformance.cluster import Cluster, Node
from conformance.placement.cluster_watch import ClusterWatch
from conformance.placement.coordinated import KeyType, coordinated_name
from conformance.placement.problem import PlacementFailed
from conformance.subjects.replication.spread import SpreadPartitions
from conformance.wire.outcomes import NotConnected
from spec.kafka import Error

NODES = tuple([Node(number, "h", number) for number in (1, 2, 3)])


@dataclass
class Written:
    """A cluster, asked at its first broker, whose state a test writes.

    Attributes:
        live: ids of the live brokers.
        epochs: leader epochs of the partitions of the topic of groups.
        refuses: the broker that takes no connection; 0 for none.
        here: of how many names one is coordinated by the first broker; 0 for none.
        error: what FindCoordinator answers for every name.
    """

    live: tuple[int, ...] = (1, 2, 3)
    epochs: tuple[int, ...] = (0, 0)
    refuses: int = 0
    here: int = 3
    error: int = 0
    nodes: tuple[Node, ...] = NODES
    node: int = 1
    timeout: float = 0.0
    asked: list[str] = field(default_factory=list)

    def at(self, node: Node) -> "Written":
        if node.id == self.refuses:
            return Written(refuses=-1)
        return self

    def connect(self, timeout: float | None = None) -> Self:
        del timeout
        if self.refuses == -1:
            raise NotConnected("h", 3, "Connection refused")
        return self

    def version(self, api: str, newest: int, oldest: int = 0) -> int:
        del api, oldest
        return newest

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def close(self) -> None:
        pass

    def ask(self, api: str, version: int, value: Mapping[str, Any]) -> dict[str, Any]:
        del version
        if api == "FindCoordinator":
            self.asked += value["coordinator_keys"]
            return {
                "coordinators": [
                    {
                        "key": key,
                        "error_code": self.error,
                        "node_id": 1 if self.here and not (number + 1) % self.here else 2,
                    }
                    for number, key in enumerate(value["coordinator_keys"])
                ]
            }
        parts = [
            {"partition_index": number, "leader_epoch": epoch}
            for number, epoch in enumerate(self.epochs)
        ]
        return {
            "brokers": [{"node_id": number} for number in self.live],
            "topics": [{"name": "__consumer_offsets", "partitions": parts}],
        }


def name(written: Written, kind: KeyType = KeyType.GROUP) -> str:
    return coordinated_name(cast("Cluster", written), "fencepost-", kind)


def test_a_name_is_one_that_the_broker_coordinates() -> None:
    written = Written()
    assert name(written) == written.asked[2]
    assert name(written, KeyType.TRANSACTION).startswith("fencepost-")


def test_a_lone_broker_is_asked_nothing() -> None:
    written = Written(nodes=())
    assert name(written) != name(written)
    assert written.asked == []


def test_a_name_that_may_not_be_asked_about_is_given_all_the_same() -> None:
    written = Written(error=Error.GROUP_AUTHORIZATION_FAILED)
    assert name(written) == written.asked[0]


def test_a_broker_that_coordinates_nothing_is_said() -> None:
    with pytest.raises(PlacementFailed, match="coordinator is broker 1, found none among many"):
        name(Written(here=0))


def test_a_broker_that_is_gone_ends_a_run_that_needs_all() -> None:
    partitions = SpreadPartitions(cast("Cluster", Written(refuses=3)), "run")
    with pytest.raises(NotConnected, match="Connection refused"):
        partitions.take()


@pytest.mark.parametrize(
    ("live", "epochs", "refuses", "said"),
    [
        ((1, 2, 3), (0, 0), 0, ""),
        ((1, 2), (0, 0), 0, "live brokers 1, 2, 3 .* found 1, 2"),
        ((1, 2, 3), (0, 1), 0, "leader epoch 0 of __consumer_offsets-1 .* found 1"),
        ((1, 2, 3), (0, 0), 3, "broker 3 to take a connection, found: Connection refused"),
    ],
)
def test_what_changes_in_a_cluster_is_said(
    live: tuple[int, ...], epochs: tuple[int, ...], refuses: int, said: str
) -> None:
    written = Written()
    watch = ClusterWatch(cast("Cluster", written))
    written.live, written.epochs, written.refuses = live, epochs, refuses
    change = watch.change()
    assert bool(change) == bool(said)
    assert re.search(said, change), change
