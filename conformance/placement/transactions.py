"""Transactions of a layout, by the client protocol that every 4.x release still takes (EndTxn v3,
Produce up to v11).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from conformance.cluster import Cluster, error_text
from conformance.ledger import PREFIX
from conformance.placement.coordinated import (
    BATCHED,
    TYPED,
    KeyType,
    coordinated_name,
    coordinator_request,
)
from conformance.placement.problem import PlacementFailed, TookTooLong
from conformance.retries import tries
from spec.kafka import RETRIABLE

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.wire.connection import Connection

TIMEOUT_MS = 600_000
"""Transaction timeout: an open transaction of a layout must stay open while it is asked about."""


@dataclass(slots=True)
class Producer:
    """One transaction's producer.

    Attributes:
        name: transactional id.
        producer_id, epoch: as the coordinator gave them.
        sequence: the next sequence number.
        open: the transaction has not been ended.
    """

    name: str
    producer_id: int
    epoch: int
    sequence: int = 0
    open: bool = True


@dataclass(slots=True)
class Transactions:
    """Transactional ids of this run, used again once their transaction has ended."""

    cluster: Cluster
    connection: Connection
    run: str
    _free: list[str] = field(default_factory=list)
    _made: int = 0
    _coordinated: bool = False

    def reopen(self, cluster: Cluster, connection: Connection) -> None:
        """Continue with a broker that was restarted."""
        self.cluster, self.connection, self._coordinated = cluster, connection, False

    def begin(self, topic: str, partition: int) -> Producer:
        """A producer whose transaction takes in one partition.

        Raises:
            PlacementFailed: the coordinator did not come up, or refused.
        """
        if not self._coordinated:
            self._find_coordinator()
        name = self._free.pop(0) if len(self._free) > 8 else self._new_name()
        value = {
            "transactional_id": name,
            "transaction_timeout_ms": TIMEOUT_MS,
            "producer_id": -1,
            "producer_epoch": -1,
        }
        given = self._until("InitProducerId", 4, value, lambda answer: int(answer["error_code"]))
        producer = Producer(name, given["producer_id"], given["producer_epoch"])
        added = {
            "v3_and_below_transactional_id": name,
            "v3_and_below_producer_id": producer.producer_id,
            "v3_and_below_producer_epoch": producer.epoch,
            "v3_and_below_topics": [{"name": topic, "partitions": [partition]}],
        }
        self._until("AddPartitionsToTxn", 3, added, _added_error)
        return producer

    def end(self, producer: Producer, *, commit: bool) -> None:
        """Commit or abort. The marker may be readable only later."""
        value = {
            "transactional_id": producer.name,
            "producer_id": producer.producer_id,
            "producer_epoch": producer.epoch,
            "committed": commit,
        }
        self._until("EndTxn", 3, value, lambda answer: int(answer["error_code"]))
        producer.open = False
        self._free.append(producer.name)

    def _new_name(self) -> str:
        name = f"{PREFIX}{self.run}-{self._made}"
        self._made += 1
        if not self.cluster.nodes:
            return name
        return coordinated_name(
            self.cluster, f"{name}-", KeyType.TRANSACTION, connection=self.connection
        )

    def _find_coordinator(self) -> None:
        version = self.cluster.version("FindCoordinator", BATCHED - 1, TYPED)
        value = coordinator_request(version, KeyType.TRANSACTION, f"fencepost-{self.run}-0")
        self._until("FindCoordinator", version, value, lambda answer: int(answer["error_code"]))
        self._coordinated = True

    def _until(
        self,
        api: str,
        newest: int,
        value: dict[str, Any],
        error_of: Callable[[dict[str, Any]], int],
    ) -> dict[str, Any]:
        """Ask until the coordinator is ready for it."""
        version = self.cluster.version(api, newest)
        for _ in tries(self.cluster.timeout):
            answer = self.connection.ask(api, version, value)
            error = error_of(answer)
            if not error:
                return answer
            if error not in RETRIABLE:
                break
        raise (TookTooLong if error in RETRIABLE else PlacementFailed)(
            f"expected {api} to succeed, the broker says "
            f"{error_text(error, answer.get('error_message'))}"
        )


def _added_error(answer: dict[str, Any]) -> int:
    results = answer["results_by_topic_v3_and_below"]
    return max(
        (
            int(part["partition_error_code"])
            for topic in results
            for part in topic["results_by_partition"]
        ),
        default=0,
    )
