"""The settings in force for a group: its own configs, where it has some, over the broker's."""

import re
from collections.abc import Mapping

from spec.frozen import frozen
from spec.kafka import READ_COMMITTED, READ_UNCOMMITTED
from spec.share.releases import BOOLEAN, WORDS, GroupConfigBounds, ShareSemantics

BOUNDED_BY = {
    "share.record.lock.duration.ms": "record.lock.duration.ms",
    "share.session.timeout.ms": "session.timeout.ms",
    "share.heartbeat.interval.ms": "heartbeat.interval.ms",
    "share.delivery.count.limit": "delivery.count.limit",
    "share.partition.max.record.locks": "partition.max.record.locks",
}
"""The broker's bounds of a group config are `group.share.min.` and `group.share.max.` with this
ending.
"""


@frozen
class Settings:
    """The settings of a group at one moment.

    Attributes:
        max_record_locks: most offsets in flight in one share partition.
        delivery_count_limit: most deliveries of one record.
        lock_duration_ms: how long an acquired record is held for its member.
        isolation: 0 read_uncommitted, 1 read_committed.
        reset: `share.auto.offset.reset`.
        renew: whether locks may be renewed.
    """

    max_record_locks: int
    delivery_count_limit: int
    lock_duration_ms: int
    isolation: int = READ_UNCOMMITTED
    reset: str = "latest"
    renew: bool = True


def settings_of(
    semantics: ShareSemantics, broker: Mapping[str, str], group: Mapping[str, str]
) -> Settings:
    """The settings of a group, given the broker's configs that the scenario names and the group's
    own.

    Source: KIP-932 (group configs override the broker's), KIP-1240.
    """

    def number(key: str, default: int) -> int:
        return int(group.get(f"share.{key}", broker.get(f"group.share.{key}", default)))

    return Settings(
        max_record_locks=number("partition.max.record.locks", semantics.max_record_locks),
        delivery_count_limit=number("delivery.count.limit", semantics.delivery_count_limit),
        lock_duration_ms=number("record.lock.duration.ms", semantics.lock_duration_ms),
        isolation=READ_COMMITTED
        if group.get("share.isolation.level") == "read_committed"
        else READ_UNCOMMITTED,
        reset=group.get("share.auto.offset.reset", "latest"),
        renew=group.get("share.renew.acknowledge.enable", "true").strip().lower() == "true",
    )


def bounds_of(
    key: str, semantics: ShareSemantics, broker: Mapping[str, str]
) -> GroupConfigBounds | None:
    """The values that a numeric group config takes on this broker; None where the release does not
    know the key.
    """
    for known in semantics.group_configs:
        if known.key == key:
            least, greatest = [f"group.share.{end}.{BOUNDED_BY[key]}" for end in ("min", "max")]
            return GroupConfigBounds(
                key,
                int(broker.get(least, known.low)),
                int(broker.get(greatest, known.high)),
                known.knows_low or least in broker,
                known.knows_high or greatest in broker,
            )
    return None


def is_accepted(
    key: str, value: str, semantics: ShareSemantics, broker: Mapping[str, str]
) -> bool | None:
    """Whether a group config is taken; None where the catalogue does not say (durations with a
    relation to others, `by_duration:`), or nobody says the broker's bound that decides.

    Source: GroupConfig.java of Kafka 4.3.1; KIP-1240 for the keys that are new in 4.3.
    """
    if key in WORDS:
        if key not in semantics.group_words:
            return False
        word = value.strip().lower() if WORDS[key] == BOOLEAN else value
        return None if word.lower().startswith("by_duration") else word in WORDS[key]
    bounds = bounds_of(key, semantics, broker)
    if bounds is None:
        return None if key.startswith("share.") and key not in BOUNDED_BY else False
    number = whole_number(value)
    if number is None:
        return False
    if number < bounds.low:
        return False if bounds.knows_low else None
    if number > bounds.high:
        return False if bounds.knows_high else None
    return True if bounds.knows_low and bounds.knows_high else None


def whole_number(value: str) -> int | None:
    """The number that a config's value is; None for what Java takes for none: `1_0`, `--1`, an
    empty text.
    """
    return int(value) if re.fullmatch(r"\s*[+-]?[0-9]+\s*", value) else None
