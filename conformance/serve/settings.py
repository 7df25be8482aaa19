"""Settings of a served model: the release it stands for, and the configs that it
honours.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from conformance.facts import (
    FETCH_MAX_BYTES,
    METADATA_LEVELS,
    METADATA_MAX,
    MORE_LIMITS,
    NUM_PARTITIONS,
    PARTITION_PAGE,
    REQUEST_MAX_BYTES,
    SESSION_SLOTS,
    SHARE_LIMITS,
    TRANSACTION_MAX_MS,
)
from conformance.misuse import BadConfiguration
from spec.fetch.releases import FetchSemantics
from spec.frozen import frozen
from spec.groups.releases import (
    CLASSIC_LIMIT,
    CONSUMER_LIMIT,
    INITIAL_DELAY,
    SHARE_LIMIT,
    STREAMS_LIMIT,
    Limits,
    limits_of,
)
from spec.produce.topic import Compression, TimestampType, TopicSettings
from spec.releases import semantics_for
from spec.replica import WriteLimits
from spec.segments.settings import SegmentSettings
from spec.share.model.settings import BOUNDED_BY
from spec.share.releases import ShareSemantics

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spec.draft import Drafted
    from spec.semantics import Semantics

CLUSTER_ID = "fencepost-model-0000AA"

MAX_CONNECTIONS = "max.connections"
MIN_SESSION_MS = "group.min.session.timeout.ms"
MAX_SESSION_MS = "group.max.session.timeout.ms"
MAX_DECOMPRESSED = "max.decompressed.message.bytes"
AUTO_CREATE = "auto.create.topics.enable"

BROKER_CONFIGS: Mapping[str, str] = {
    AUTO_CREATE: "true",
    "compression.type": "producer",
    FETCH_MAX_BYTES: "57671680",
    CONSUMER_LIMIT: "2147483647",
    INITIAL_DELAY: "3000",
    MAX_SESSION_MS: "1800000",
    CLASSIC_LIMIT: "2147483647",
    MIN_SESSION_MS: "6000",
    SHARE_LIMIT: "200",
    STREAMS_LIMIT: "2147483647",
    "log.index.interval.bytes": "4096",
    "log.segment.bytes": "1073741824",
    MAX_CONNECTIONS: "1024",
    SESSION_SLOTS: "1000",
    "message.max.bytes": "1048588",
    NUM_PARTITIONS: "1",
    METADATA_MAX: "4096",
    PARTITION_PAGE: "2000",
    REQUEST_MAX_BYTES: "104857600",
    TRANSACTION_MAX_MS: "900000",
}
"""The broker configs of a served model with Kafka's defaults (`max.connections`: our own)."""

TOPIC_CONFIGS: Mapping[str, str] = {
    "cleanup.policy": "delete",
    "compression.type": "producer",
    "index.interval.bytes": "4096",
    "internal.segment.bytes": "1073741824",
    MAX_DECOMPRESSED: "2147483639",
    "max.message.bytes": "1048588",
    "message.timestamp.after.max.ms": "3600000",
    "message.timestamp.before.max.ms": "9223372036854775807",
    "message.timestamp.type": "CreateTime",
    "min.insync.replicas": "1",
    "retention.bytes": "-1",
    "retention.ms": "604800000",
    "segment.bytes": "1073741824",
    "segment.index.bytes": "10485760",
    "segment.jitter.ms": "0",
    "segment.ms": "604800000",
}
"""The topic configs that the model honours, with Kafka's defaults."""

_LEVELS = {release: level for level, release in METADATA_LEVELS.items()}


@frozen
class Settings:
    """How a model is served.

    Attributes:
        kafka: the exact release it stands for, `4.3.1`.
        config: broker configs by name, as given.
        draft: a draft KIP that it has, read in one way; None for a broker as released.
    """

    kafka: str
    config: Mapping[str, str] = field(default_factory=dict)
    draft: Drafted | None = None

    def __post_init__(self) -> None:
        defaults = self.defaults
        for name, value in self.config.items():
            if name not in defaults:
                known = ", ".join(defaults)
                raise BadConfiguration(
                    f"expected a config that the served model has ({known}), found {name!r}; leave "
                    "it out"
                )
            if defaults[name].isdigit() and not value.isdigit():
                raise BadConfiguration(
                    f"expected a whole number from 0 for {name}, found {value!r}; mend it"
                )

    @property
    def release(self) -> str:
        """`4.3`."""
        return ".".join(self.kafka.split(".")[:2])

    @property
    def metadata_level(self) -> int:
        """The level of the feature `metadata.version`."""
        return _LEVELS[self.release]

    @property
    def semantics(self) -> Semantics:
        """The model's decisions, with these limits."""
        max_bytes, slots = self.number(FETCH_MAX_BYTES), self.number(SESSION_SLOTS)
        semantics = semantics_for(self.release).with_decisions(
            FetchSemantics, fetch_max_bytes=max_bytes, session_slots=slots
        )
        for name, (kind, decision, _) in MORE_LIMITS.items():
            semantics = semantics.with_decisions(kind, **{decision: self.number(name)})
        return semantics if self.draft is None else self.draft.change(semantics)

    @property
    def limits(self) -> Limits:
        """The settings of groups."""
        return limits_of(self.configs)

    @property
    def defaults(self) -> dict[str, str]:
        """Every broker config and its default, those of share groups as the release has them."""
        return {**BROKER_CONFIGS, **share_configs(semantics_for(self.release).of(ShareSemantics))}

    @property
    def configs(self) -> dict[str, str]:
        """Every broker config and its value."""
        return {**self.defaults, **self.config}

    def number(self, name: str) -> int:
        """A config's value where it is a whole number."""
        return int(self.configs[name])


def share_configs(semantics: ShareSemantics) -> dict[str, str]:
    """The broker's configs of share groups as a release has them: its limits, and the bounds of
    what a group may set.
    """
    limits = {key: str(getattr(semantics, name)) for key, name in SHARE_LIMITS.items()}
    low = {
        f"group.share.min.{BOUNDED_BY[one.key]}": str(one.low) for one in semantics.group_configs
    }
    high = {
        f"group.share.max.{BOUNDED_BY[one.key]}": str(one.high) for one in semantics.group_configs
    }
    return {**limits, **low, **high}


def write_limits(settings: Settings, topic: Mapping[str, str]) -> WriteLimits:
    """The limits that a topic's configs and the broker's come to; the internal segment size goes
    before the public one (KIP-1030).
    """
    segment = topic.get(
        "internal.segment.bytes", topic.get("segment.bytes", settings.configs["log.segment.bytes"])
    )
    return WriteLimits(
        max_message_bytes=int(
            topic.get("max.message.bytes", settings.configs["message.max.bytes"])
        ),
        segment_bytes=int(segment),
        segment_ms=int(topic.get("segment.ms", TOPIC_CONFIGS["segment.ms"])),
    )


def segment_settings(settings: Settings, topic: Mapping[str, str]) -> SegmentSettings:
    """What a topic's configs and the broker's come to for its segments; nothing is discarded."""
    limits = write_limits(settings, topic)
    configs = {**TOPIC_CONFIGS, **topic}
    return SegmentSettings(
        limits.segment_bytes,
        limits.segment_ms,
        int(configs["segment.index.bytes"]),
        int(configs["index.interval.bytes"]),
    )


def topic_settings(settings: Settings, topic: Mapping[str, str]) -> TopicSettings:
    """What a topic's configs and the broker's come to for the batches that are produced."""
    limit = topic.get("max.message.bytes", settings.configs["message.max.bytes"])
    configs = {**TOPIC_CONFIGS, **topic}
    return TopicSettings(
        int(limit),
        TimestampType(configs["message.timestamp.type"]),
        int(configs["message.timestamp.before.max.ms"]),
        int(configs["message.timestamp.after.max.ms"]),
        "compact" in configs["cleanup.policy"],
        Compression(topic.get("compression.type", settings.configs["compression.type"])),
        int(topic.get("internal.segment.bytes", topic.get("segment.bytes", 0))),
        int(configs["min.insync.replicas"]),
        int(topic.get(MAX_DECOMPRESSED, 0)),
    )


CHOICES: Mapping[str, tuple[str, ...]] = {
    "compression.type": tuple(Compression),
    "message.timestamp.type": tuple(TimestampType),
    "cleanup.policy": ("delete", "compact", "compact,delete", "delete,compact"),
}
"""Topic configs that have one of a few values."""


CONFIGS_REFUSED = "expected configs of topics that this release has, each with a value in its range"
"""The message where a value is refused that the release defines otherwise."""


def config_problem(configs: Mapping[str, str | None]) -> str | None:
    """The error in those of a topic's configs that the model honours; None where there is none."""
    for name, value in configs.items():
        if name not in TOPIC_CONFIGS:
            continue
        if name in CHOICES and value not in {None, *CHOICES[name]}:
            return f"{name}={value}: expected one of {', '.join(CHOICES[name])}"
        if (
            TOPIC_CONFIGS[name].lstrip("-").isdigit()
            and value is not None
            and not value.lstrip("-").isdigit()
        ):
            return f"Invalid value {value} for configuration {name}: expected a whole number"
    return None
