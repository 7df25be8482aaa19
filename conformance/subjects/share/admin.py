"""What an administrator does to a share group, by the requests that each release has for it."""

from __future__ import annotations

import base64
import threading
import time
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from conformance.cluster import shown
from conformance.placement.problem import PlacementFailed
from conformance.tries import tries
from spec.kafka import RETRIABLE, Error
from spec.share.outcomes import GroupChanged

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from conformance.cluster import Cluster
    from conformance.placement.site import Placed, Site
    from conformance.wire.connection import Connection
    from spec.share.steps import AlterGroupConfig, AlterShareGroupOffsets

GROUP_RESOURCE = 32
SET, DELETE = 0, 1
DYNAMIC_GROUP_CONFIG = 8
GROUP_KEY, SHARE_KEY = 0, 2
SHARE_KEY_SINCE = 6
STATE_TOPIC = "__share_group_state"
AGAIN_S = 0.02
"""How long before a member's next heartbeat, while it waits for its partitions."""
LOADING_S = 300.0
"""How long coordinators may load what thousands of groups have left, on a busy machine."""
JOINING, LEAVING = 0, -1
"""Member epochs."""

Answer = TypeVar("Answer")


def await_coordinators(cluster: Cluster, connection: Connection) -> None:
    """Wait until the group and the share coordinator are there, and have loaded: asking for them is what creates their topics.

    Kafka 4.0 never names its share coordinator to a client; there it will do that the coordinator's topic has a leader.

    Raises:
        PlacementFailed: they do not come up within the cluster's time limit, or are still loading after `LOADING_S`.
    """
    key = _share_key("fencepost", bytes(16), 0)
    _await_no_error(cluster, lambda: _coordinator_error(cluster, connection, GROUP_KEY, "fencepost"))
    if cluster.version("FindCoordinator", SHARE_KEY_SINCE) >= SHARE_KEY_SINCE:
        _await_no_error(
            cluster, lambda: _coordinator_error(cluster, connection, SHARE_KEY, key) and _state_topic_error(cluster, connection)
        )
    if _awaited(lambda: _loading(cluster, connection), bool, LOADING_S):
        raise PlacementFailed(f"expected the coordinators of share groups to have loaded within {LOADING_S:.0f} s; see the broker's log")


def _loading(cluster: Cluster, connection: Connection) -> bool:
    """Whether the group coordinator of a group that no one has, or the share coordinator of a share partition of it, is still loading.

    The summary of the early access has another form; a broker that has none tells nothing.
    """
    found: list[dict[str, Any]] = []
    if cluster.offers("ShareGroupDescribe"):
        asked = {"group_ids": ["fencepost"], "include_authorized_operations": False}
        found += connection.ask("ShareGroupDescribe", cluster.version("ShareGroupDescribe", 1), asked)["groups"]
    if cluster.offers("ShareGroupHeartbeat", 1) and cluster.offers("ReadShareGroupStateSummary"):
        value = {"group_id": "fencepost", "topics": [{"topic_id": bytes(16), "partitions": [{"partition": 0, "leader_epoch": 0}]}]}
        answer = connection.ask("ReadShareGroupStateSummary", cluster.version("ReadShareGroupStateSummary", 0), value)
        found += [part for topic in answer["results"] for part in topic["partitions"]]
    return any(one["error_code"] == Error.COORDINATOR_LOAD_IN_PROGRESS for one in found)


def _share_key(group: str, topic_id: bytes, partition: int) -> str:
    """What the share coordinator of a share partition is asked for by."""
    return f"{group}:{base64.urlsafe_b64encode(topic_id).decode().rstrip('=')}:{partition}"


def _coordinator_error(cluster: Cluster, connection: Connection, kind: int, key: str) -> int:
    value = {"key_type": kind, "coordinator_keys": [key]}
    answer = connection.ask("FindCoordinator", cluster.version("FindCoordinator", 6), value)
    return int(answer["coordinators"][0]["error_code"])


def _state_topic_error(cluster: Cluster, connection: Connection) -> int:
    value = {"topics": [{"name": STATE_TOPIC, "topic_id": bytes(16)}]}
    topic = connection.ask("Metadata", cluster.version("Metadata", 12), value)["topics"][0]
    return int(topic["error_code"] or max(part["error_code"] for part in topic["partitions"]))


def _await_no_error(cluster: Cluster, error_of: Callable[[], int]) -> None:
    if error := _awaited(error_of, RETRIABLE.__contains__, cluster.timeout):
        raise PlacementFailed(f"expected the coordinators of share groups to come up, the broker says {shown(error, '')}; see its log")


def _awaited(ask: Callable[[], Answer], passes: Callable[[Answer], bool], limit_s: float) -> Answer:
    """What a request comes to: it is sent again while its answer is one that passes by itself, up to a time limit."""
    for _ in tries(limit_s):
        answer = ask()
        if not passes(answer):
            break
    return answer


def find_share_coordinator(cluster: Cluster, connection: Connection, group: str, site: Site) -> GroupChanged:
    """Ask for the coordinator of one share partition, until the answer is one that does not pass by itself."""
    key = _share_key(group, site.topic_id, site.partition)
    ask = partial(_coordinator_error, cluster, connection, SHARE_KEY, key)
    return GroupChanged(_awaited(ask, RETRIABLE.__contains__, cluster.timeout))


def alter_offsets(cluster: Cluster, connection: Connection, group: str, step: AlterShareGroupOffsets, placed: Placed) -> GroupChanged:
    """Set start offsets: by AlterShareGroupOffsets (4.2+), or as the broker itself would, by the share coordinator's own requests."""
    starts = [(placed.sites[number], placed.sites[number].absolute(start)) for number, start in step.starts]

    def ask() -> GroupChanged:
        changed = _altered(cluster, connection, group, starts) if cluster.offers("AlterShareGroupOffsets") else None
        return changed if changed is not None else _initialized(cluster, connection, group, starts)

    return _awaited(ask, lambda changed: changed.error in RETRIABLE, cluster.timeout)


def _altered(cluster: Cluster, connection: Connection, group: str, starts: Sequence[tuple[Site, int]]) -> GroupChanged | None:
    """What AlterShareGroupOffsets comes to; None where it does nothing, as in 4.1."""
    topics: dict[str, list[dict[str, int]]] = {}
    for site, start in starts:
        topics.setdefault(site.topic, []).append({"partition_index": site.partition, "start_offset": start})
    value = {"group_id": group, "topics": [{"topic_name": name, "partitions": parts} for name, parts in topics.items()]}
    answer = connection.ask("AlterShareGroupOffsets", cluster.version("AlterShareGroupOffsets", 0), value)
    parts = [part for topic in answer["responses"] for part in topic["partitions"]]
    idle = starts and not parts and not answer["error_code"]
    return None if idle else _first_error(answer, *parts)


def _first_error(*parts: Mapping[str, Any]) -> GroupChanged:
    """What the first part of an answer that has an error says; no error where none has."""
    return next((GroupChanged(one["error_code"], one["error_message"] or "") for one in parts if one["error_code"]), GroupChanged())


def _initialized(cluster: Cluster, connection: Connection, group: str, starts: Sequence[tuple[Site, int]]) -> GroupChanged:
    api = "InitializeShareGroupState" if cluster.offers("ShareGroupHeartbeat", 1) else "WriteShareGroupState"
    topics: dict[bytes, list[dict[str, int]]] = {}
    for site, start in starts:
        topics.setdefault(site.topic_id, []).append({"partition": site.partition, "state_epoch": 0, "start_offset": start})
    value = {"group_id": group, "topics": [{"topic_id": topic_id, "partitions": parts} for topic_id, parts in topics.items()]}
    answer = connection.ask(api, cluster.version(api, 0), value)
    return _first_error(*[part for topic in answer["results"] for part in topic["partitions"]])


def delete_offsets(cluster: Cluster, connection: Connection, group: str, placed: Placed) -> GroupChanged:
    """Delete the group's state for all topics of a layout."""
    names = dict.fromkeys(site.topic for site in placed.sites)
    value = {"group_id": group, "topics": [{"topic_name": name} for name in names]}
    answer = connection.ask("DeleteShareGroupOffsets", cluster.version("DeleteShareGroupOffsets", 0), value)
    return _first_error(answer, *answer["responses"])


def alter_config(cluster: Cluster, connection: Connection, group: str, step: AlterGroupConfig) -> GroupChanged:
    """Set group configs or take them away, and wait until the broker shows them: the controller answers before the broker has them.

    Raises:
        PlacementFailed: it does not show them within the cluster's time limit.
    """
    configs = [{"name": key, "config_operation": DELETE if value is None else SET, "value": value} for key, value in step.settings]
    resource = {"resource_type": GROUP_RESOURCE, "resource_name": group, "configs": configs}
    version = cluster.version("IncrementalAlterConfigs", 1)
    answer = connection.ask("IncrementalAlterConfigs", version, {"resources": [resource], "validate_only": False})["responses"][0]
    if answer["error_code"]:
        return _first_error(answer)
    wanted = dict(step.settings)

    def ask() -> dict[str, str | None]:
        return _told(cluster, connection, group, tuple(wanted))

    def lacking(told: dict[str, str | None]) -> bool:
        return any(told.get(key) != value for key, value in wanted.items())

    told = _awaited(ask, lacking, cluster.timeout)
    if lacking(told):
        raise PlacementFailed(f"expected the broker to show the group configs {wanted}, found {told}; see its log")
    ask()  # the metadata shows them a moment before the group coordinator is told: one round trip more
    return GroupChanged()


def _told(cluster: Cluster, connection: Connection, group: str, keys: tuple[str, ...]) -> dict[str, str | None]:
    """The values that the group itself has set."""
    resource = {"resource_type": GROUP_RESOURCE, "resource_name": group, "configuration_keys": list(keys)}
    result = connection.ask("DescribeConfigs", cluster.version("DescribeConfigs", 4), {"resources": [resource]})["results"][0]
    return {one["name"]: one["value"] for one in result["configs"] if one["config_source"] == DYNAMIC_GROUP_CONFIG}


def join_and_leave(cluster: Cluster, connection: Connection, group: str, member: str, placed: Placed) -> None:
    """Let a member subscribe until it is assigned the layout's partitions, so that the share coordinator knows them (SHR-501).

    Raises:
        PlacementFailed: the group did not come up within the cluster's time limit.
    """
    names = sorted({site.topic for site in placed.sites})
    wanted = {(site.topic_id, site.partition) for site in placed.sites}
    deadline = time.monotonic() + cluster.timeout
    epoch, assigned = JOINING, set[tuple[bytes, int]]()
    while not wanted <= assigned:
        value = {"group_id": group, "member_id": member, "member_epoch": epoch, "rack_id": None}
        answer = _heartbeat(cluster, connection, {**value, "subscribed_topic_names": names if epoch == JOINING else None})
        if answer["error_code"] and (answer["error_code"] not in RETRIABLE or time.monotonic() > deadline):
            message = shown(answer["error_code"], answer["error_message"])
            raise PlacementFailed(f"expected to join share group {group}, the broker says {message}; see its log")
        if answer["assignment"] is not None:
            assigned = {(one["topic_id"], part) for one in answer["assignment"]["topic_partitions"] for part in one["partitions"]}
        epoch = answer["member_epoch"] or epoch
        if not wanted <= assigned:
            if time.monotonic() > deadline:
                raise PlacementFailed(f"expected {len(wanted)} partitions to be assigned in share group {group}, found {len(assigned)}")
            threading.Event().wait(AGAIN_S)
    _heartbeat(cluster, connection, {"group_id": group, "member_id": member, "member_epoch": LEAVING})


def _heartbeat(cluster: Cluster, connection: Connection, value: dict[str, Any]) -> dict[str, Any]:
    return connection.ask("ShareGroupHeartbeat", cluster.version("ShareGroupHeartbeat", 1), value)
