"""A resource's configs are set, and read, while a scenario is played."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.wire.config_numbers import DELETE, SET
from conformance.wire.single_entry import only

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from conformance.cluster import Cluster
    from conformance.play.connection import AsyncConnection

Resource = tuple[int, str]
"""The type of a resource that has configs, and its name; that of all brokers is empty."""


async def ask_to_alter(
    cluster: Cluster,
    connection: AsyncConnection,
    resource: Resource,
    changes: Mapping[str, str | None],
    within_s: float,
) -> Mapping[str, Any]:
    """Set configs of a resource, or take those away whose value is None; the resource's entry in
    the answer.

    Raises:
        MissingApiError, NoAnswer: the broker has no such request, or does not answer it in so many
            seconds.
    """
    configs = [
        {"name": key, "config_operation": DELETE if value is None else SET, "value": value}
        for key, value in changes.items()
    ]
    kind, name = resource
    altered = {"resource_type": kind, "resource_name": name, "configs": configs}
    version = cluster.version("IncrementalAlterConfigs", 1)
    asked = {"resources": [altered], "validate_only": False}
    answer = await connection.ask("IncrementalAlterConfigs", version, asked, within_s)
    return only("IncrementalAlterConfigs", version, answer, "responses")


async def describe(
    cluster: Cluster,
    connection: AsyncConnection,
    resource: Resource,
    keys: Sequence[str],
    within_s: float,
) -> Sequence[Mapping[str, Any]]:
    """The entries that the broker shows for configs of a resource.

    Raises:
        MissingApiError, NoAnswer: the broker has no such request, or does not answer it in so many
            seconds.
    """
    kind, name = resource
    shown = {"resource_type": kind, "resource_name": name, "configuration_keys": list(keys)}
    version = cluster.version("DescribeConfigs", 4)
    answer = await connection.ask("DescribeConfigs", version, {"resources": [shown]}, within_s)
    found: Sequence[Mapping[str, Any]] = only("DescribeConfigs", version, answer, "results")[
        "configs"
    ]
    return found
