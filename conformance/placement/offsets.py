"""Where partitions begin and end: asked, awaited, moved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cluster import error_text
from conformance.placement.problem import LeaderAway, PlacementFailed, TookTooLong
from conformance.retries import tries
from conformance.wire.single_entry import find_entry
from spec.kafka import LEADER_MOVES, RETRIABLE, Error

if TYPE_CHECKING:
    from conformance.cluster import Cluster
    from conformance.wire.connection import Connection

LATEST, EARLIEST = -1, -2
"""Timestamps by which ListOffsets is asked for the end and for the log start of a partition."""
DELETING_MS = 20_000
"""How long a broker may take to delete records everywhere; one that has not by then does not say
that a leader is away.
"""
_PASSING = {0} | RETRIABLE | LEADER_MOVES
"""Error codes after which the end of a partition is worth another question."""


def list_offsets(
    cluster: Cluster,
    connection: Connection,
    partitions: list[tuple[str, int]],
    *,
    isolation: int,
    timestamp: int = LATEST,
) -> dict[tuple[str, int], tuple[int, int]]:
    """The (error, offset) of each partition: its end, which is the high watermark or under
    isolation 1 the last stable offset; or its log start, where that is the timestamp.

    Raises:
        NoAnswer: the answer leaves a partition out, or none came.
    """
    by_topic: dict[str, list[dict[str, int]]] = {}
    for topic, partition in partitions:
        entry = {"partition_index": partition, "current_leader_epoch": -1, "timestamp": timestamp}
        by_topic.setdefault(topic, []).append(entry)
    value = {
        "replica_id": -1,
        "isolation_level": isolation,
        "topics": [{"name": name, "partitions": parts} for name, parts in by_topic.items()],
    }
    version = cluster.version("ListOffsets", 7)
    answer = connection.ask("ListOffsets", version, value)
    found = {
        (topic["name"], part["partition_index"]): (part["error_code"], part["offset"])
        for topic in answer["topics"]
        for part in topic["partitions"]
    }
    return {key: find_entry("ListOffsets", version, found, key) for key in partitions}


def await_ends(
    cluster: Cluster,
    connection: Connection,
    expected: dict[tuple[str, int], int],
    *,
    isolation: int,
) -> None:
    """Wait until the partitions' end (or last stable) offsets are as expected: EndTxn answers
    before its markers are there.

    Raises:
        TookTooLong: they are not within the cluster's time limit.
        PlacementFailed: the broker refuses to say, at once.
    """
    late = late_ends(cluster, connection, expected, isolation=isolation, limit_s=cluster.timeout)
    for key, found in late.items():
        raise TookTooLong(other_end(key, expected[key], isolation, (0, found)))


def late_ends(
    cluster: Cluster,
    connection: Connection,
    expected: dict[tuple[str, int], int],
    *,
    isolation: int,
    limit_s: float,
) -> dict[tuple[str, int], int]:
    """Wait for the partitions' end (or last stable) offsets; those that are still others after so
    many seconds, as the broker reports them.

    Raises:
        PlacementFailed: the broker refuses to say.
    """
    if not expected:
        return {}
    late = dict.fromkeys(expected, (0, -1))
    for _ in tries(limit_s):
        found = list_offsets(cluster, connection, list(late), isolation=isolation)
        late = {key: found[key] for key in late if found[key] != (0, expected[key])}
        if not late or any(error not in _PASSING for error, _ in late.values()):
            break
    for key, (error, offset) in late.items():
        if error:
            raise PlacementFailed(other_end(key, expected[key], isolation, (error, offset)))
    return {key: offset for key, (_, offset) in late.items()}


def other_end(key: tuple[str, int], expected: int, isolation: int, found: tuple[int, int]) -> str:
    """What is wrong where a partition's (error, end) is another one than expected."""
    return (
        f"expected {key} to end at {expected} (isolation {isolation}), found (error, offset) "
        f"{found}"
    )


def set_log_starts(
    cluster: Cluster, connection: Connection, starts: dict[tuple[str, int], int]
) -> None:
    """Move the partitions' log start offsets by DeleteRecords; 0 is where they are.

    Raises:
        LeaderAway: a partition has no leader for the moment.
        PlacementFailed: the broker says no, or names another offset.
    """
    wanted = {key: offset for key, offset in starts.items() if offset > 0}
    if not wanted:
        return
    by_topic: dict[str, list[dict[str, int]]] = {}
    for (topic, partition), offset in wanted.items():
        by_topic.setdefault(topic, []).append({"partition_index": partition, "offset": offset})
    value = {
        "topics": [{"name": name, "partitions": parts} for name, parts in by_topic.items()],
        "timeout_ms": DELETING_MS,
    }
    version = cluster.version("DeleteRecords", 2)
    answer = connection.ask("DeleteRecords", version, value)
    moved = {
        (topic["name"], part["partition_index"]): part
        for topic in answer["topics"]
        for part in topic["partitions"]
    }
    for key, expected in wanted.items():
        part = find_entry("DeleteRecords", version, moved, key)
        if part["error_code"] or part["low_watermark"] != expected:
            found = f"{part['low_watermark']}, {error_text(part['error_code'], '')}"
            passes = part["error_code"] in (LEADER_MOVES | RETRIABLE) - {Error.REQUEST_TIMED_OUT}
            raise (LeaderAway if passes else PlacementFailed)(
                f"expected the log start of {key[0]} at {expected}, found {found}"
            )
