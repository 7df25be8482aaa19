"""Waiting until a broker's group coordinator answers."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from conformance.ledger import PREFIX, Kind
from conformance.placement.coordinated import (
    BATCHED,
    KeyType,
    coordinated_name,
    coordinator_request,
)
from conformance.placement.problem import TookTooLong
from conformance.play.history import COMING_UP_S
from conformance.retries import tries
from conformance.wire.single_entry import only
from spec.kafka import COORDINATOR_COMES_UP

if TYPE_CHECKING:
    from conformance.cluster import Cluster

TIMEOUT_MS = 60_000


def make_committed_topic(cluster: Cluster, name: str) -> None:
    """Make the topic that the members of a run commit offsets of, where it is not there yet;
    whether a commit finds it is seen by the commit.

    Raises:
        NoAnswer, NotConnected: the broker is gone.
        MissingApiError: it makes no topics.
    """
    topic = {
        "name": name,
        "num_partitions": 1,
        "replication_factor": -1,
        "assignments": [],
        "configs": [],
    }
    asked = {"topics": [topic], "timeout_ms": TIMEOUT_MS, "validate_only": False}
    cluster.ledger.will_make(Kind.TOPIC, name)
    with cluster.connect() as connection:
        connection.ask("CreateTopics", cluster.version("CreateTopics", 7), asked)


def await_coordinator(cluster: Cluster) -> None:
    """Have the broker make what it keeps groups in, and wait until it answers for a group; where it
    does not come up in time, the histories wait for it themselves, and say so.

    Raises:
        NoAnswer, NotConnected: the broker is gone.
    """
    with suppress(TookTooLong), cluster.connect() as connection:
        name = coordinated_name(cluster, f"{PREFIX}coordinator-", connection=connection)
        version = cluster.version("DescribeGroups", 5)
        for _ in tries(COMING_UP_S):
            finding = cluster.version("FindCoordinator", BATCHED)
            connection.ask(
                "FindCoordinator", finding, coordinator_request(finding, KeyType.GROUP, name)
            )
            asked = {"groups": [name]}
            error = only(
                "DescribeGroups",
                version,
                connection.ask("DescribeGroups", version, asked),
                "groups",
            )["error_code"]
            if error not in COORDINATOR_COMES_UP:
                return
