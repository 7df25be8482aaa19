"""Actions of an administrator on a share group, by the requests that each release has for it."""

from __future__ import annotations

import asyncio
import secrets
import time
from typing import TYPE_CHECKING, Any, TypeVar

from conformance.cluster import error_text
from conformance.ledger import PREFIX, Kind
from conformance.placement.coordinated import SHARED, KeyType, coordinator_request, share_key
from conformance.placement.problem import PlacementFailed, TookTooLong
from conformance.play.configs import ask_to_alter, describe
from conformance.retries import async_tries
from conformance.wire.config_numbers import GROUP_RESOURCE
from conformance.wire.single_entry import only
from spec.kafka import RETRIABLE
from spec.share.outcomes import GroupChanged

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from conformance.cluster import Cluster
    from conformance.placement.placed_partition import Placed, PlacedPartition
    from conformance.play.connection import AsyncConnection
    from spec.share.steps import AlterGroupConfig, AlterShareGroupOffsets

ADMINISTRATION_S = 120.0
"""How long an administrator's request may take: after a restart the share coordinator first loads
what thousands of groups have left.
"""
DYNAMIC_GROUP_CONFIG = 8
AGAIN_S = 0.02
"""How long before a member's next heartbeat, while it waits for its partitions."""
LATER = {"share.auto.offset.reset": "earliest"}
"""A config that every group may have: set of a group that no one is in, to see that what was
changed before is taken up.
"""
JOINING, LEAVING = 0, -1
"""Member epochs."""

Answer = TypeVar("Answer")


async def _await_answer(
    ask: Callable[[], Awaitable[Answer]], passes: Callable[[Answer], bool], limit_s: float
) -> Answer:
    """The answer to a request: it is sent again while its answer is one that passes by itself, up
    to a time limit.
    """
    async for _ in async_tries(limit_s):
        answer = await ask()
        if not passes(answer):
            break
    return answer


async def find_share_coordinator(
    cluster: Cluster, connection: AsyncConnection, group: str, placed_partition: PlacedPartition
) -> GroupChanged:
    """Ask for the coordinator of one share partition, until the answer is one that does not pass by
    itself.
    """
    key = share_key(group, placed_partition.topic_id, placed_partition.partition)
    version = cluster.version("FindCoordinator", SHARED, SHARED)
    value = coordinator_request(version, KeyType.SHARE, key)

    async def ask() -> int:
        answer = await connection.ask("FindCoordinator", version, value, ADMINISTRATION_S)
        return int(only("FindCoordinator", version, answer, "coordinators")["error_code"])

    return GroupChanged(await _await_answer(ask, RETRIABLE.__contains__, cluster.timeout))


async def alter_offsets(
    cluster: Cluster,
    connection: AsyncConnection,
    group: str,
    step: AlterShareGroupOffsets,
    placed: Placed,
) -> GroupChanged:
    """Set start offsets: by AlterShareGroupOffsets (4.2+), or as the broker itself would, by the
    share coordinator's own requests.
    """
    starts = [
        (placed.placed_partitions[number], placed.placed_partitions[number].absolute(start))
        for number, start in step.starts
    ]

    async def ask() -> GroupChanged:
        changed = (
            await _alter_offsets(cluster, connection, group, starts)
            if cluster.offers("AlterShareGroupOffsets")
            else None
        )
        return (
            changed
            if changed is not None
            else await _initialize_offsets(cluster, connection, group, starts)
        )

    return await _await_answer(ask, lambda changed: changed.error in RETRIABLE, cluster.timeout)


async def _alter_offsets(
    cluster: Cluster,
    connection: AsyncConnection,
    group: str,
    starts: Sequence[tuple[PlacedPartition, int]],
) -> GroupChanged | None:
    """The result of AlterShareGroupOffsets; None where it does nothing, as in 4.1."""
    topics: dict[str, list[dict[str, int]]] = {}
    for placed_partition, start in starts:
        topics.setdefault(placed_partition.topic, []).append(
            {"partition_index": placed_partition.partition, "start_offset": start}
        )
    value = {
        "group_id": group,
        "topics": [{"topic_name": name, "partitions": parts} for name, parts in topics.items()],
    }
    answer = await connection.ask(
        "AlterShareGroupOffsets",
        cluster.version("AlterShareGroupOffsets", 0),
        value,
        ADMINISTRATION_S,
    )
    parts = [part for topic in answer["responses"] for part in topic["partitions"]]
    idle = starts and not parts and not answer["error_code"]
    return None if idle else _first_error(answer, *parts)


def _first_error(*parts: Mapping[str, Any]) -> GroupChanged:
    """The first error in the parts of an answer; no error where none has."""
    return next(
        (
            GroupChanged(one["error_code"], one["error_message"] or "")
            for one in parts
            if one["error_code"]
        ),
        GroupChanged(),
    )


async def _initialize_offsets(
    cluster: Cluster,
    connection: AsyncConnection,
    group: str,
    starts: Sequence[tuple[PlacedPartition, int]],
) -> GroupChanged:
    api = (
        "InitializeShareGroupState"
        if cluster.offers("ShareGroupHeartbeat", 1)
        else "WriteShareGroupState"
    )
    topics: dict[bytes, list[dict[str, int]]] = {}
    for placed_partition, start in starts:
        topics.setdefault(placed_partition.topic_id, []).append(
            {"partition": placed_partition.partition, "state_epoch": 0, "start_offset": start}
        )
    value = {
        "group_id": group,
        "topics": [
            {"topic_id": topic_id, "partitions": parts} for topic_id, parts in topics.items()
        ],
    }
    answer = await connection.ask(api, cluster.version(api, 0), value, ADMINISTRATION_S)
    return _first_error(*[part for topic in answer["results"] for part in topic["partitions"]])


async def delete_offsets(
    cluster: Cluster, connection: AsyncConnection, group: str, placed: Placed
) -> GroupChanged:
    """Delete the group's state for all topics of a layout."""
    names = dict.fromkeys(placed_partition.topic for placed_partition in placed.placed_partitions)
    value = {"group_id": group, "topics": [{"topic_name": name} for name in names]}
    answer = await connection.ask(
        "DeleteShareGroupOffsets",
        cluster.version("DeleteShareGroupOffsets", 0),
        value,
        ADMINISTRATION_S,
    )
    return _first_error(answer, *answer["responses"])


async def alter_config(
    cluster: Cluster, connection: AsyncConnection, group: str, step: AlterGroupConfig
) -> GroupChanged:
    """Set group configs or take them away, and wait until the broker shows them: the controller
    answers before the broker has them.

    A later change is waited for too: a broker shows a change before its group coordinator and its
    share partitions know it, and takes up one change after the other.

    Raises:
        TookTooLong: it does not show them within the cluster's time limit.
    """
    changed = await _alter(cluster, connection, group, dict(step.settings))
    if changed.error:
        return changed
    later = f"{PREFIX}later-{secrets.token_hex(8)}"
    cluster.ledger.will_make(Kind.GROUP_CONFIG, later)
    await _alter(cluster, connection, later, LATER)
    return changed


async def _alter(
    cluster: Cluster, connection: AsyncConnection, group: str, wanted: Mapping[str, str | None]
) -> GroupChanged:
    resource = GROUP_RESOURCE, group
    answer = await ask_to_alter(cluster, connection, resource, wanted, ADMINISTRATION_S)
    if answer["error_code"]:
        return _first_error(answer)

    async def ask() -> dict[str, str | None]:
        return await _own_configs(cluster, connection, group, tuple(wanted))

    def lacking(shows: dict[str, str | None]) -> bool:
        return any(shows.get(key) != value for key, value in wanted.items())

    shows = await _await_answer(ask, lacking, cluster.timeout)
    if lacking(shows):
        raise TookTooLong(
            f"expected the broker to show the group configs {wanted}, found {shows}; see its log"
        )
    return GroupChanged()


async def _own_configs(
    cluster: Cluster, connection: AsyncConnection, group: str, keys: tuple[str, ...]
) -> dict[str, str | None]:
    """The values that the group itself has set."""
    shown = await describe(cluster, connection, (GROUP_RESOURCE, group), keys, ADMINISTRATION_S)
    return {
        one["name"]: one["value"] for one in shown if one["config_source"] == DYNAMIC_GROUP_CONFIG
    }


async def join_and_leave(
    cluster: Cluster, connection: AsyncConnection, group: str, member: str, placed: Placed
) -> None:
    """Let a member subscribe until it is assigned the layout's partitions, so that the share
    coordinator knows them (SHR-501).

    Raises:
        TookTooLong: the group did not come up within the cluster's time limit.
        PlacementFailed: the broker refuses the member.
    """
    names = sorted({placed_partition.topic for placed_partition in placed.placed_partitions})
    wanted = {
        (placed_partition.topic_id, placed_partition.partition)
        for placed_partition in placed.placed_partitions
    }
    deadline = time.monotonic() + cluster.timeout
    epoch, assigned = JOINING, set[tuple[bytes, int]]()
    while not wanted <= assigned:
        value = {"group_id": group, "member_id": member, "member_epoch": epoch, "rack_id": None}
        answer = await _heartbeat(
            cluster,
            connection,
            {**value, "subscribed_topic_names": names if epoch == JOINING else None},
        )
        if answer["error_code"] and (
            answer["error_code"] not in RETRIABLE or time.monotonic() > deadline
        ):
            message = error_text(answer["error_code"], answer["error_message"])
            late = answer["error_code"] in RETRIABLE
            raise (TookTooLong if late else PlacementFailed)(
                f"expected to join share group {group}, the broker says {message}; see its log"
            )
        if answer["assignment"] is not None:
            assigned = {
                (one["topic_id"], part)
                for one in answer["assignment"]["topic_partitions"]
                for part in one["partitions"]
            }
        epoch = answer["member_epoch"] or epoch
        if not wanted <= assigned:
            if time.monotonic() > deadline:
                raise TookTooLong(
                    f"expected {len(wanted)} partitions to be assigned in share group {group}, "
                    f"found {len(assigned)}"
                )
            await asyncio.sleep(AGAIN_S)
    await _heartbeat(
        cluster, connection, {"group_id": group, "member_id": member, "member_epoch": LEAVING}
    )


async def _heartbeat(
    cluster: Cluster, connection: AsyncConnection, value: dict[str, Any]
) -> dict[str, Any]:
    return await connection.ask(
        "ShareGroupHeartbeat", cluster.version("ShareGroupHeartbeat", 1), value, ADMINISTRATION_S
    )
