"""Having the members of groups leave, so that the groups can be deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.cluster import MissingApiError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from conformance.cluster import Cluster
    from conformance.wire.connection import Connection

LEAVES = -1
"""The member epoch by which a member that names itself leaves."""
STAYS: dict[str, dict[str, Any]] = {
    "Consumer": {
        "instance_id": None,
        "rack_id": None,
        "rebalance_timeout_ms": -1,
        "subscribed_topic_names": None,
        "subscribed_topic_regex": None,
        "server_assignor": None,
        "topic_partitions": None,
    },
    "Share": {"rack_id": None, "subscribed_topic_names": None},
    "Streams": {
        "endpoint_information_epoch": -1,
        "instance_id": None,
        "rack_id": None,
        "rebalance_timeout_ms": -1,
        "topology": None,
        "active_tasks": None,
        "standby_tasks": None,
        "warmup_tasks": None,
        "process_id": None,
        "user_endpoint": None,
        "client_tags": None,
        "task_offsets": None,
        "task_end_offsets": None,
        "shutdown_application": False,
    },
}
"""The kinds of group whose members name themselves, and a heartbeat that changes nothing."""


def empty_groups(cluster: Cluster, connection: Connection, names: Sequence[str]) -> None:
    """Have all members of these groups leave, whatever kinds of group they are. A broker that lacks
    an API for it, or refuses, keeps them until their sessions are over.

    Raises:
        NoAnswer, NotConnected: the broker is gone.
    """
    for group, members in _classic_members(cluster, connection, names):
        if cluster.offers("LeaveGroup", 3):
            version = cluster.version("LeaveGroup", 5)
            connection.ask("LeaveGroup", version, leave_value(group, members))
    for kind, stays in STAYS.items():
        api = f"{kind}GroupHeartbeat"
        for group, members in _named_members(cluster, connection, kind, names):
            for member in members:
                value = {"group_id": group, "member_id": member, "member_epoch": LEAVES, **stays}
                connection.ask(api, cluster.version(api, 1), value)


def leave_value(group: str, members: Iterable[str]) -> dict[str, Any]:
    """The LeaveGroup request, from version 3 on, by which members of a classic group leave."""
    gone = [{"member_id": one, "group_instance_id": None, "reason": None} for one in members]
    return {"group_id": group, "members": gone}


def _classic_members(
    cluster: Cluster, connection: Connection, names: Sequence[str]
) -> Iterator[tuple[str, list[str]]]:
    if not cluster.offers("DescribeGroups"):
        return
    version = cluster.version("DescribeGroups", 5)
    asked = {"groups": list(names), "include_authorized_operations": False}
    yield from _members(connection.ask("DescribeGroups", version, asked))


def _named_members(
    cluster: Cluster, connection: Connection, kind: str, names: Sequence[str]
) -> Iterator[tuple[str, list[str]]]:
    api = f"{kind}GroupDescribe"
    try:
        version = cluster.version(api, 1)
        cluster.version(f"{kind}GroupHeartbeat", 1)
    except MissingApiError:
        return
    asked = {"group_ids": list(names), "include_authorized_operations": False}
    yield from _members(connection.ask(api, version, asked))


def _members(answer: dict[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """The groups that have members, with their member ids."""
    for group in answer["groups"]:
        if not group["error_code"] and group["members"]:
            yield group["group_id"], [member["member_id"] for member in group["members"]]
