"""A topic's configs are changed while a scenario is played."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.cluster import error_text
from conformance.play.configs import ask_to_alter, describe
from conformance.retries import async_tries
from conformance.wire.config_numbers import TOPIC_RESOURCE
from conformance.wire.single_entry import only
from conformance.wire.topic_names import delete_topics_value
from spec.outcomes import NotSent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conformance.cluster import Cluster
    from conformance.play.connection import AsyncConnection

ASK_S = 60.0
"""How long an administrator's request may take, seconds."""
SETTLED = "file.delete.delay.ms"
"""A config that decides nothing of what is asked. It is changed last: a broker shows a change
before its logs have it, and takes up one change after the other.
"""
FIRST_SETTLED = 60_001
SETTLED_WITHIN_S = 2.0
"""How long to wait for that config to be shown, seconds: some brokers take it and never show it."""


async def alter_topic(
    cluster: Cluster,
    connection: AsyncConnection,
    topic: str,
    changes: Mapping[str, str],
    number: int,
) -> NotSent | None:
    """Set configs of a topic, and wait until its partitions have them. `number`: another one for
    each change of the topic.

    Returns:
        What the broker says, where it refuses the change, or does not show it within the cluster's
        time limit.

    Raises:
        MissingApiError, NoAnswer: it has no such requests, or does not answer them.
    """
    last = {SETTLED: str(FIRST_SETTLED + number)}
    refused = await _set(cluster, connection, topic, changes, cluster.timeout)
    if refused is None:
        await _set(cluster, connection, topic, last, min(SETTLED_WITHIN_S, cluster.timeout))
    return refused


async def _set(
    cluster: Cluster,
    connection: AsyncConnection,
    topic: str,
    changes: Mapping[str, str],
    within_s: float,
) -> NotSent | None:
    """Set configs, and wait until they are shown; what the broker says where it refuses, or does
    not show them in time.
    """
    refused = await _alter(cluster, connection, topic, changes)
    if refused is not None:
        return refused
    found = await _await_shown(cluster, connection, topic, changes, within_s)
    if found is not None:
        return NotSent(
            f"expected the broker to show the topic configs {dict(changes)}, found {found}"
        )
    return None


async def make_topic(
    cluster: Cluster, connection: AsyncConnection, name: str, configs: Mapping[str, str]
) -> NotSent | None:
    """Make a topic of one partition; what the broker says, where it refuses."""
    topic = {
        "name": name,
        "num_partitions": 1,
        "replication_factor": -1,
        "configs": [{"name": key, "value": value} for key, value in configs.items()],
    }
    version = cluster.version("CreateTopics", 7)
    asked = {"topics": [topic], "timeout_ms": 60_000}
    answer = await connection.ask("CreateTopics", version, asked, ASK_S)
    return _refusal("a topic", only("CreateTopics", version, answer, "topics"))


async def delete_topic(cluster: Cluster, connection: AsyncConnection, name: str) -> None:
    """Ask for a topic to be deleted."""
    version = cluster.version("DeleteTopics", 6)
    await connection.ask("DeleteTopics", version, delete_topics_value(version, [name]), ASK_S)


def _refusal(what: str, answer: Mapping[str, Any]) -> NotSent | None:
    if not answer["error_code"]:
        return None
    says = error_text(answer["error_code"], answer.get("error_message"))
    return NotSent(f"the broker refuses {what}: {says}")


async def _alter(
    cluster: Cluster, connection: AsyncConnection, topic: str, changes: Mapping[str, str]
) -> NotSent | None:
    resource = TOPIC_RESOURCE, topic
    altered = await ask_to_alter(cluster, connection, resource, changes, ASK_S)
    return _refusal(f"the configs {dict(changes)}", altered)


async def _await_shown(
    cluster: Cluster,
    connection: AsyncConnection,
    topic: str,
    changes: Mapping[str, str],
    limit_s: float,
) -> dict[str, str | None] | None:
    """Wait until the broker shows the configs; what it shows instead at the end of the time."""
    found: dict[str, str | None] = {}
    async for _ in async_tries(limit_s):
        found = await _configs(cluster, connection, topic, tuple(changes))
        if all(found.get(key) == value for key, value in changes.items()):
            return None
    return found


async def _configs(
    cluster: Cluster, connection: AsyncConnection, topic: str, keys: tuple[str, ...]
) -> dict[str, str | None]:
    shown = await describe(cluster, connection, (TOPIC_RESOURCE, topic), keys, ASK_S)
    return {one["name"]: one["value"] for one in shown}
