"""The entries of partitions in requests and responses, which stand under those of their topics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Numbering = Callable[[Mapping[str, Any], int], int | None]
    """The number in the layout of a partition of a topic entry; None for another one."""


def change_partitions(
    value: Mapping[str, Any],
    change: Callable[[Mapping[str, Any], dict[str, Any]], dict[str, Any]],
    topics: str = "topics",
) -> dict[str, Any]:
    """The same request or response with each partition's entry changed.

    Args:
        value: its fields.
        change: makes the entry of a topic's entry and of the partition's.
        topics: the field that has the topics.
    """
    return {
        **value,
        topics: [
            {**topic, "partitions": [change(topic, part) for part in topic["partitions"]]}
            for topic in value[topics]
        ],
    }
