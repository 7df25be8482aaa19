"""Fresh names of groups and transactional ids whose coordinator is the broker that is asked."""

from __future__ import annotations

import base64
import secrets
from enum import IntEnum
from typing import TYPE_CHECKING, Any

from conformance.cluster import error_text
from conformance.placement.problem import PlacementFailed, TookTooLong
from conformance.retries import tries
from spec.kafka import RETRIABLE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.cluster import Cluster
    from conformance.wire.connection import Connection

AT_ONCE = 32
"""Names that are asked about in one request."""
SHARED = 6
"""The first version of FindCoordinator that knows share coordinators."""
BATCHED = 4
"""The first version of FindCoordinator that takes several names."""
TYPED = 1
"""The first version of FindCoordinator that says what it asks about: before, groups alone."""
MOST_TRIES = 16
SHARE_STATE_TOPIC = "__share_group_state"
"""Where share coordinators keep the state of share partitions."""


class KeyType(IntEnum):
    """What FindCoordinator is asked about."""

    GROUP = 0
    TRANSACTION = 1
    SHARE = 2

    @property
    def since(self) -> int:
        """The first version of FindCoordinator that can ask about it."""
        return {KeyType.GROUP: 0, KeyType.TRANSACTION: TYPED, KeyType.SHARE: SHARED}[self]


def coordinated_name(
    cluster: Cluster,
    prefix: str,
    kind: KeyType = KeyType.GROUP,
    connection: Connection | None = None,
) -> str:
    """A fresh name with a prefix. Where the cluster has several brokers, it is one whose
    coordinator is the broker that is asked, so that all of a scenario is on one broker.

    Args:
        cluster: where the name is used.
        prefix: what it begins with.
        kind: what it names.
        connection: to the broker, nothing pending; None to open one.

    Raises:
        TookTooLong: no coordinator comes up within the cluster's time limit.
        PlacementFailed: none of many names has this broker.
        NoAnswer, NotConnected: the broker is gone.
    """
    if not cluster.nodes:
        return _fresh(prefix)
    if connection is not None:
        return _here(cluster, connection, prefix, kind)
    with cluster.connect() as own:
        return _here(cluster, own, prefix, kind)


def share_key(group: str, topic_id: bytes, partition: int) -> str:
    """The key by which the share coordinator of a share partition is found."""
    return f"{group}:{base64.urlsafe_b64encode(topic_id).decode().rstrip('=')}:{partition}"


def coordinators(
    cluster: Cluster, connection: Connection, names: Sequence[str], kind: KeyType
) -> dict[str, tuple[int, int]]:
    """The (error, node id) of each name's coordinator, as the broker says.

    Raises:
        NoAnswer, NotConnected: the broker is gone.
    """
    version = cluster.version("FindCoordinator", max(BATCHED, kind.since), kind.since)
    if version >= BATCHED:
        value = coordinator_request(version, kind, *names)
        answers = connection.ask("FindCoordinator", version, value)["coordinators"]
        return {one["key"]: (one["error_code"], one["node_id"]) for one in answers}
    found = {}
    for name in names:
        one = connection.ask("FindCoordinator", version, coordinator_request(version, kind, name))
        found[name] = (one["error_code"], one["node_id"])
    return found


def coordinator_request(version: int, kind: KeyType, *names: str) -> dict[str, Any]:
    """The FindCoordinator request for names, before version 4 for one name alone."""
    if version >= BATCHED:
        return {"key_type": int(kind), "coordinator_keys": [*names]}
    (name,) = names
    return {"key": name, "key_type": int(kind)} if version >= TYPED else {"key": name}


def _here(cluster: Cluster, connection: Connection, prefix: str, kind: KeyType) -> str:
    asked = 0
    error = 0
    for _ in tries(cluster.timeout):
        names = [_fresh(prefix) for _ in range(AT_ONCE)]
        found = coordinators(cluster, connection, names, kind)
        for name, (error, node) in found.items():
            if not error and node == cluster.node:
                return name
            if error and error not in RETRIABLE:
                return name  # whoever uses it is refused too, and says so
        asked += not error
        if asked >= MOST_TRIES:
            break
    what = "group" if kind is KeyType.GROUP else "transactional id"
    if error:
        raise TookTooLong(
            f"expected a {what} whose coordinator is broker {cluster.node}, found "
            f"{error_text(error, '')} within {cluster.timeout:.0f} s"
        )
    raise PlacementFailed(
        f"expected a {what} whose coordinator is broker {cluster.node}, found none among many "
        "names (other brokers coordinate all); name another bootstrap server first"
    )


def _fresh(prefix: str) -> str:
    return f"{prefix}{secrets.token_hex(8)}"
