"""Waiting until the coordinators of share groups answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from conformance.cluster import error_text
from conformance.placement.coordinated import (
    SHARE_STATE_TOPIC,
    SHARED,
    KeyType,
    coordinators,
    share_key,
)
from conformance.placement.problem import PlacementFailed, TookTooLong
from conformance.retries import tries
from conformance.wire.single_entry import find_entry, only
from conformance.wire.topic_names import topics_by_name
from spec.kafka import RETRIABLE, Error

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.cluster import Cluster
    from conformance.wire.connection import Connection

_DENIED = {
    Error.TOPIC_AUTHORIZATION_FAILED,
    Error.GROUP_AUTHORIZATION_FAILED,
    Error.CLUSTER_AUTHORIZATION_FAILED,
}
LOADING_S = 300.0
"""How long coordinators may load what thousands of groups have left, on a busy machine."""

Answer = TypeVar("Answer")


def await_coordinators(cluster: Cluster, connection: Connection) -> None:
    """Wait until the group and the share coordinator have loaded. FindCoordinator makes a broker
    create their topics, so it is sent first. If the user may not send it, nothing is waited for,
    and the scenarios report what was denied.

    Kafka 4.0 never names its share coordinator to a client. There it is enough that the
    coordinator's topic has a leader.

    Raises:
        TookTooLong: they do not come up within the cluster's time limit, or are still loading after
            `LOADING_S`.
        PlacementFailed: the broker refuses to name them.
    """
    key = share_key("fencepost", bytes(16), 0)
    _await_no_error(
        cluster, lambda: _coordinator_error(cluster, connection, KeyType.GROUP, "fencepost")
    )
    if cluster.offers("FindCoordinator", SHARED):
        _await_no_error(
            cluster,
            lambda: (
                _coordinator_error(cluster, connection, KeyType.SHARE, key)
                and _state_topic_error(cluster, connection)
            ),
        )
    if _await_answer(lambda: _loading(cluster, connection), bool, LOADING_S):
        raise TookTooLong(
            f"expected the coordinators of share groups to have loaded within {LOADING_S:.0f} s; "
            "see the broker's log"
        )


def _loading(cluster: Cluster, connection: Connection) -> bool:
    """Whether the group coordinator of a group that no one has, or the share coordinator of a share
    partition of it, is still loading.

    The summary of the early access has another form; one that has none says nothing.
    """
    found: list[dict[str, Any]] = []
    if cluster.offers("ShareGroupDescribe"):
        asked = {"group_ids": ["fencepost"], "include_authorized_operations": False}
        found += connection.ask(
            "ShareGroupDescribe", cluster.version("ShareGroupDescribe", 1), asked
        )["groups"]
    if cluster.offers("ShareGroupHeartbeat", 1) and cluster.offers("ReadShareGroupStateSummary"):
        value = {
            "group_id": "fencepost",
            "topics": [
                {"topic_id": bytes(16), "partitions": [{"partition": 0, "leader_epoch": 0}]}
            ],
        }
        answer = connection.ask(
            "ReadShareGroupStateSummary", cluster.version("ReadShareGroupStateSummary", 0), value
        )
        found += [part for topic in answer["results"] for part in topic["partitions"]]
    return any(one["error_code"] == Error.COORDINATOR_LOAD_IN_PROGRESS for one in found)


def _coordinator_error(cluster: Cluster, connection: Connection, kind: KeyType, key: str) -> int:
    found = coordinators(cluster, connection, [key], kind)
    error, _ = find_entry("FindCoordinator", kind.since, found, key)
    return int(error)


def _state_topic_error(cluster: Cluster, connection: Connection) -> int:
    value = {"topics": topics_by_name([SHARE_STATE_TOPIC])}
    version = cluster.version("Metadata", 12)
    topic = only("Metadata", version, connection.ask("Metadata", version, value), "topics")
    led = [part["error_code"] for part in topic["partitions"]]
    return int(topic["error_code"] or max(led, default=Error.LEADER_NOT_AVAILABLE))


def _await_no_error(cluster: Cluster, error_of: Callable[[], int]) -> None:
    error = _await_answer(error_of, RETRIABLE.__contains__, cluster.timeout)
    if error and error not in _DENIED:
        raise (TookTooLong if error in RETRIABLE else PlacementFailed)(
            "expected the coordinators of share groups to come up, the broker says "
            f"{error_text(error, '')}; see its log"
        )


def _await_answer(
    ask: Callable[[], Answer], passes: Callable[[Answer], bool], limit_s: float
) -> Answer:
    """The answer to a request: it is sent again while its answer is one that passes by itself, up
    to a time limit.
    """
    for _ in tries(limit_s):
        answer = ask()
        if not passes(answer):
            break
    return answer
