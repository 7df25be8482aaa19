"""Waiting until a broker's group coordinator answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.ledger import PREFIX
from conformance.placement.coordinated import coordinated_name
from conformance.tries import tries
from conformance.wire.only import only
from conformance.wire.outcomes import Garbled, NoAnswer
from spec.kafka import COORDINATOR_COMES_UP

if TYPE_CHECKING:
    from conformance.cluster import Cluster

COMING_UP_S = 30.0
"""How long a coordinator may say that it is coming up."""


def await_coordinator(cluster: Cluster) -> None:
    """Have the broker make what it keeps groups in, and wait until it answers for a group.

    Raises:
        NoAnswer, NotConnected: the broker is gone, or its coordinator does not come up.
    """
    with cluster.connect() as connection:
        name = coordinated_name(cluster, f"{PREFIX}coordinator-", connection=connection)
        version = cluster.version("DescribeGroups", 5)
        for _ in tries(COMING_UP_S):
            connection.ask(
                "FindCoordinator",
                cluster.version("FindCoordinator", 4),
                {"key_type": 0, "coordinator_keys": [name]},
            )
            asked = {"groups": [name], "include_authorized_operations": False}
            error = only(
                "DescribeGroups",
                version,
                connection.ask("DescribeGroups", version, asked),
                "groups",
            )["error_code"]
            if error not in COORDINATOR_COMES_UP:
                return
        raise NoAnswer("DescribeGroups", version, Garbled(f"error {error}", b"", 0.0))
