"""The configs of a broker that it is judged by, or that a result shows, by Kafka's names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spec.groups.releases import BROKER_SETTINGS, MIGRATION_POLICY
from spec.limits.releases import LimitSemantics
from spec.offsets.releases import OffsetSemantics
from spec.produce.releases import ProduceSemantics
from spec.share.model.settings import BOUNDED_BY

if TYPE_CHECKING:
    from collections.abc import Mapping

FETCH_MAX_BYTES = "fetch.max.bytes"
SESSION_SLOTS = "max.incremental.fetch.session.cache.slots"
LIMITS = (FETCH_MAX_BYTES, SESSION_SLOTS)
"""The configs that the model needs."""
SHARE_LIMITS = {
    "group.share.partition.max.record.locks": "max_record_locks",
    "group.share.delivery.count.limit": "delivery_count_limit",
    "group.share.record.lock.duration.ms": "lock_duration_ms",
}
"""The broker's limits of share groups, and what the model calls them."""
SHARE_BOUNDS = tuple(
    [f"group.share.{end}.{ending}" for ending in BOUNDED_BY.values() for end in ("min", "max")]
)
"""The broker's bounds of what a group may set."""
METADATA_MAX = "offset.metadata.max.bytes"
NUM_PARTITIONS = "num.partitions"
PARTITION_PAGE = "max.request.partition.size.limit"
REQUEST_MAX_BYTES = "socket.request.max.bytes"
TRANSACTION_MAX_MS = "transaction.max.timeout.ms"
MORE_LIMITS: Mapping[str, tuple[type, str, str]] = {
    METADATA_MAX: (OffsetSemantics, "metadata_max", "knows_metadata_max"),
    NUM_PARTITIONS: (LimitSemantics, "default_partitions", "knows_default_partitions"),
    PARTITION_PAGE: (LimitSemantics, "page", "knows_page"),
    REQUEST_MAX_BYTES: (ProduceSemantics, "request_max_bytes", "knows_request_max"),
    TRANSACTION_MAX_MS: (ProduceSemantics, "transaction_max_ms", "knows_transaction_max"),
}
"""Limits that one decision of the model stands for: whose, its name, and the decision that says
whether the broker reports it, or its user gives it; a broker is not judged at one that nobody says.
"""
QUOTA_SAMPLES, QUOTA_SAMPLE_S = "quota.window.num", "quota.window.size.seconds"
_JUDGED_BY = (*LIMITS, *SHARE_LIMITS, *SHARE_BOUNDS, *MORE_LIMITS, *BROKER_SETTINGS)
GIVEN_LIMITS = (*_JUDGED_BY, QUOTA_SAMPLES, QUOTA_SAMPLE_S)
"""The limits that a facts file may give."""
SHOWN_CONFIGS = (
    *_JUDGED_BY,
    "compression.type",
    "log.index.interval.bytes",
    "log.segment.bytes",
    "message.max.bytes",
    MIGRATION_POLICY,
    QUOTA_SAMPLES,
    QUOTA_SAMPLE_S,
)
"""The configs that may be asked for and shown in a result; no other is ever asked for."""
