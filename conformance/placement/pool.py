"""Topics of our own whose partitions are used over and over, each layout on its own offset window.

A window starts at the partition's end. What lies before it is hidden by DeleteRecords, so that the
window is a fresh log whose offsets start elsewhere. Topics are named by the run and a counter, are
never reused by another run, and are deleted at the end.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from conformance.cluster import Cluster, error_text
from conformance.ledger import PREFIX, Kind
from conformance.placement.offsets import list_offsets
from conformance.placement.problem import PlacementFailed, TookTooLong
from conformance.retries import tries
from conformance.wire.single_entry import find_entry, only
from conformance.wire.topic_names import delete_topics_value, topics_by_name
from spec.kafka import RETRIABLE, Error

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from conformance.wire.connection import Connection

PARTITIONS = 32
"""Partitions of one pool topic: more make its creation slow (4 to 25 ms each)."""

FENCED_S = 10.0
"""How long all brokers may be fenced, seconds: none of them can be given a new partition then."""
REPLICAS = 3
"""Replicas of a partition where there are several brokers, at most."""
UNLED_TOPICS = 3
"""New topics of which the broker that is asked leads no partition, after which it is given up."""
_NO_BROKER = {Error.INVALID_REPLICATION_FACTOR, Error.NOT_CONTROLLER}
"""Error codes of a new topic while all brokers are fenced, or while no controller is known."""
_PASSING = _NO_BROKER | RETRIABLE
"""Error codes that say nothing of whether a cluster takes assignments of replicas."""

SEGMENT_MS = 86_400_000
"""A new segment is forced by a timestamp one day past the segment's first."""

TOPIC_CONFIG = {
    "cleanup.policy": "delete",
    "compression.type": "producer",
    "message.timestamp.after.max.ms": str(2**63 - 1),
    "message.timestamp.type": "CreateTime",
    "retention.bytes": "-1",
    "retention.ms": "-1",
    "segment.index.bytes": "65536",
    "segment.ms": str(SEGMENT_MS),
}

OPTIONAL_CONFIG = frozenset({"message.timestamp.after.max.ms", "segment.index.bytes"})
"""Configs that a broker may not know. Without the first, some let no segment be forced, so that a
layout which needs that can't be laid; the second only saves space.
"""


@dataclass(slots=True)
class Pooled:
    """A partition of the pool.

    Attributes:
        topic, topic_id, partition: which.
        leader_epoch: its leader epoch.
        end: its end offset.
        first_timestamp: of the current segment's first batch, which decides when the next segment
            starts.
    """

    topic: str
    topic_id: bytes
    partition: int
    leader_epoch: int
    end: int
    first_timestamp: int


class Pool:
    """The partitions that are free, and the topics made for them.

    Attributes:
        topics: the names of those whose partitions are used over and over.
        refreshed: how often leader epochs were read again after a restart.
    """

    def __init__(
        self,
        cluster: Cluster,
        connection: Connection,
        run: str,
        configs: Mapping[str, str] = TOPIC_CONFIG,
        optional: frozenset[str] = OPTIONAL_CONFIG,
    ) -> None:
        """`run` becomes part of the topics' names, which have these configs; those that are
        optional are left out where the broker does not know them.
        """
        self.cluster = cluster
        self.connection = connection
        self.topics: list[str] = []
        self._alone: list[str] = []
        self.refreshed = 0
        self._run = run
        self._free: list[Pooled] = []
        self._named = 0
        self._reuses = True
        self._assigns = True
        self._configs = dict(configs)
        self._optional = optional
        self._used: dict[tuple[str, int], Pooled] = {}

    def make_ready(self, count: int) -> None:
        """Have so many partitions free, so that what is placed after a restart has had an older
        leader epoch.

        Raises:
            PlacementFailed: a topic could not be made.
        """
        unled = 0
        while len(self._free) < count:
            made = self._make_topic(PARTITIONS)
            self._free += made
            unled = 0 if made else unled + 1
            if unled >= UNLED_TOPICS:
                raise PlacementFailed(
                    f"expected broker {self.cluster.node} to lead some of the partitions of "
                    f"{unled} new topics, found none; name another bootstrap server first"
                )

    def take(self, count: int) -> list[Pooled]:
        """So many partitions, from new topics if need be.

        Raises:
            PlacementFailed: a topic could not be made.
        """
        self.make_ready(count)
        taken, self._free = self._free[:count], self._free[count:]
        for pooled in taken:
            self._used[pooled.topic, pooled.partition] = pooled
        return taken

    def take_topic(self, count: int) -> list[Pooled]:
        """All partitions of a new topic that has so many; none of them is given back.

        Raises:
            PlacementFailed: it could not be made, or another broker leads some of them.
        """
        made = self._make_topic(count, shared=False)
        if len(made) < count:
            raise PlacementFailed(
                f"expected broker {self.cluster.node} to lead {count} partitions of a new topic, "
                f"found {len(made)}; name another bootstrap server first"
            )
        return made

    def give_back(self, topic: str, partition: int, end: int) -> None:
        """A partition is free again, unless another broker leads it; `end` is its end offset."""
        pooled = self._used.pop((topic, partition), None)
        if pooled is None:
            return
        pooled.end = end
        if self._reuses or not end:
            self._free.append(pooled)

    def retire(self, topic: str, partition: int) -> None:
        """A partition is not used again: when its next segment starts is not known."""
        self._used.pop((topic, partition), None)

    def use_once(self) -> None:
        """Use each partition once: what it holds can't be hidden from the next layout."""
        self._reuses = False
        self._free = [pooled for pooled in self._free if not pooled.end]

    def go_on(self, cluster: Cluster, connection: Connection) -> None:
        """Continue over another connection."""
        self.cluster, self.connection = cluster, connection

    def refresh(self, cluster: Cluster, connection: Connection) -> None:
        """Continue with a broker that was restarted: leaders have newer epochs."""
        self.cluster, self.connection = cluster, connection
        self.refreshed += 1
        epochs: dict[tuple[str, int], int] = {}
        for name in self.topics:
            for pooled in self._await_topic(name, PARTITIONS):
                epochs[pooled.topic, pooled.partition] = pooled.leader_epoch
        self._keep_led(epochs)
        for pooled in (*self._free, *self._used.values()):
            key = pooled.topic, pooled.partition
            pooled.leader_epoch = find_entry(
                "Metadata", self.cluster.version("Metadata", 12), epochs, key
            )

    def await_leaders(self, connection: Connection) -> None:
        """Continue over another connection, once all partitions have leaders again, whose epochs
        may be newer.

        Raises:
            TookTooLong: they have none within the cluster's time limit.
        """
        self.connection = connection
        found = [pooled for name in self.topics for pooled in self._await_topic(name, PARTITIONS)]
        epochs = {(one.topic, one.partition): one.leader_epoch for one in found}
        self._keep_led(epochs)
        self.lead(epochs)

    def _keep_led(self, epochs: Mapping[tuple[str, int], int]) -> None:
        """Use those partitions alone that the broker still leads, where there are several."""
        if self.cluster.nodes:
            self._free = [one for one in self._free if (one.topic, one.partition) in epochs]
            self._used = {key: one for key, one in self._used.items() if key in epochs}

    def epochs(self, partitions: Iterable[tuple[str, int]]) -> dict[tuple[str, int], int]:
        """The leader epochs of those of these partitions that are in use, as last read."""
        return {key: self._used[key].leader_epoch for key in partitions if key in self._used}

    def lead(self, epochs: Mapping[tuple[str, int], int]) -> None:
        """Place what comes later under these leader epochs, by (topic, partition)."""
        for pooled in (*self._free, *self._used.values()):
            now = epochs.get((pooled.topic, pooled.partition), -1)
            pooled.leader_epoch = max(pooled.leader_epoch, now)

    def clean_up(self, connection: Connection) -> None:
        """Delete the topics that were made.

        Raises:
            NoAnswer: the broker does not say that it does.
        """
        if names := [*self.topics, *self._alone]:
            delete_topics(self.cluster, connection, names)
            self.topics.clear()
            self._alone.clear()

    def _make_topic(self, partitions: int, *, shared: bool = True) -> list[Pooled]:
        name = f"{PREFIX}{self._run}-{self._named}"
        self._named += 1
        self.cluster.ledger.will_make(Kind.TOPIC, name)
        for _ in tries(FENCED_S):
            made = self._create(name, partitions)
            if made["error_code"] == Error.INVALID_CONFIG and self._optional & {*self._configs}:
                self._configs = {
                    key: value for key, value in self._configs.items() if key not in self._optional
                }
                made = self._create(name, partitions)
            refused = made["error_code"] and made["error_code"] not in _PASSING
            if refused and self.cluster.nodes and self._assigns:
                self._assigns = False
                made = self._create(name, partitions)
            if made["error_code"] not in _NO_BROKER:
                break
        if made["error_code"]:
            raise PlacementFailed(
                f"expected to create topic {name}, the broker says "
                f"{error_text(made['error_code'], made.get('error_message'))}"
            )
        (self.topics if shared else self._alone).append(name)
        return self._await_topic(name, partitions)

    def _create(self, name: str, partitions: int) -> dict[str, Any]:
        """Ask for a topic; its entry of the answer."""
        topic = {
            "name": name,
            "num_partitions": partitions,
            "replication_factor": -1,
            "configs": [{"name": key, "value": value} for key, value in self._configs.items()],
        }
        if self.cluster.nodes and self._assigns:
            topic |= {"num_partitions": -1, "assignments": self._assignments(partitions)}
        version = self.cluster.version("CreateTopics", 7)
        asked = {"topics": [topic], "timeout_ms": 60_000}
        answer = self.connection.ask("CreateTopics", version, asked)
        return only("CreateTopics", version, answer, "topics")

    def _assignments(self, partitions: int) -> list[dict[str, Any]]:
        """Have the broker that is asked lead all partitions, with replicas on others."""
        others = [node.id for node in self.cluster.nodes if node.id != self.cluster.node]
        replicas = [self.cluster.node, *others[: REPLICAS - 1]]
        return [{"partition_index": number, "broker_ids": replicas} for number in range(partitions)]

    def _await_topic(self, name: str, partitions: int) -> list[Pooled]:
        version = self.cluster.version("Metadata", 12)
        for _ in tries(self.cluster.timeout):
            answer = self.connection.ask("Metadata", version, {"topics": topics_by_name([name])})
            found = only("Metadata", version, answer, "topics")
            led = [
                part
                for part in found["partitions"]
                if not part["error_code"] and part["leader_id"] >= 0
            ]
            if (
                not found["error_code"]
                and len(led) == partitions
                and self._can_be_read(name, here := self._led_here(led))
            ):
                now = int(time.time() * 1000)
                return [
                    Pooled(
                        name,
                        found.get("topic_id", bytes(16)),
                        part["partition_index"],
                        part.get("leader_epoch", 0),
                        0,
                        now,
                    )
                    for part in here
                ]
        raise TookTooLong(
            f"expected leaders for {partitions} partitions of {name} within "
            f"{self.cluster.timeout:.0f} s, found {len(led)}"
        )

    def _led_here(self, led: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """The partitions, by their numbers, that the broker that is asked leads; all where it is
        the only one.
        """
        here = [
            part for part in led if not self.cluster.nodes or part["leader_id"] == self.cluster.node
        ]
        return sorted(here, key=lambda part: int(part["partition_index"]))

    def _can_be_read(self, name: str, led: Sequence[dict[str, Any]]) -> bool:
        partitions = [(name, part["partition_index"]) for part in led]
        if not partitions:
            return True
        ends = list_offsets(self.cluster, self.connection, partitions, isolation=0)
        return all(error not in RETRIABLE for error, _ in ends.values())


def delete_topics(
    cluster: Cluster, connection: Connection, names: Sequence[str]
) -> list[dict[str, Any]]:
    """Ask for topics to be deleted; the answer's entry for each.

    Raises:
        MissingApiError: the broker has no DeleteTopics.
        NoAnswer: it does not say that it does.
    """
    version = cluster.version("DeleteTopics", 6)
    answer = connection.ask("DeleteTopics", version, delete_topics_value(version, names))
    return list(answer["responses"])
