"""Topics in requests that take them by their names, or since some version by their ids too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.wire.schema import ZERO_UUID

if TYPE_CHECKING:
    from collections.abc import Iterable

DELETED_BY_ID_SINCE = 6
"""The version of DeleteTopics that came with topic ids."""
TIMEOUT_MS = 30_000


def topics_by_name(names: Iterable[str]) -> list[dict[str, Any]]:
    """The entries of Metadata and DeleteTopics requests for topics of these names."""
    return [{"name": name, "topic_id": ZERO_UUID} for name in names]


def delete_topics_value(version: int, names: Iterable[str]) -> dict[str, Any]:
    """The fields of a DeleteTopics request."""
    by_id = version >= DELETED_BY_ID_SINCE
    named = {"topics": topics_by_name(names)} if by_id else {"topic_names": list(names)}
    return {**named, "timeout_ms": TIMEOUT_MS}
