"""Faults in when a change of a topic's configs holds, and for which topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.subjects.produce.faults.fault import VIOLATES, ProduceFault
from spec.frozen import replace
from spec.produce.model.seams import Leader, take_alteration
from spec.produce.topic import TopicSettings

if TYPE_CHECKING:
    from collections.abc import Callable

    from spec.produce.model.seams import Alteration


def _change_alteration(change: Callable[[Alteration, TopicSettings], TopicSettings]) -> Leader:
    """The leader comes to other configs than a change of its topic asks for."""
    return Leader(
        altered=lambda alteration: (
            alteration.before
            if alteration.elsewhere
            else change(alteration, take_alteration(alteration))
        )
    )


def _keep_setting(name: str) -> Leader:
    """The leader keeps a config as it was."""
    return _change_alteration(
        lambda change, after: replace(after, **{name: getattr(change.before, name)})
    )


def _late(change: Alteration, after: TopicSettings) -> TopicSettings:
    return after if change.requests else change.before


def _no_higher(change: Alteration, after: TopicSettings) -> TopicSettings:
    lower = min(change.before.max_message_bytes, after.max_message_bytes)
    return replace(after, max_message_bytes=lower)


def _no_lower(change: Alteration, after: TopicSettings) -> TopicSettings:
    higher = max(change.before.max_message_bytes, after.max_message_bytes)
    return replace(after, max_message_bytes=higher)


def _others_by_default(change: Alteration, after: TopicSettings) -> TopicSettings:
    same = {
        name: getattr(TopicSettings(), name)
        for name in TopicSettings.__dataclass_fields__
        if getattr(after, name) == getattr(change.before, name)
    }
    return replace(after, **same)


FAULTS: tuple[ProduceFault, ...] = (
    ProduceFault(
        "altered-configs-ignored",
        "PRO-001",
        VIOLATES,
        "The configs that a topic was made with stand.",
        _change_alteration(lambda change, _: change.before),
    ),
    ProduceFault(
        "altered-configs-taken-late",
        "PRO-001",
        VIOLATES,
        "The first request after a change of a topic's configs is taken by the ones before it.",
        _change_alteration(_late),
    ),
    ProduceFault(
        "configs-of-another-topic-taken",
        "PRO-001",
        VIOLATES,
        "A change of one topic's configs holds for all topics.",
        Leader(altered=lambda change: change.after),
    ),
    ProduceFault(
        "one-change-sets-the-others-back",
        "PRO-001",
        VIOLATES,
        "A change of one config of a topic sets the others to their defaults.",
        _change_alteration(_others_by_default),
    ),
    ProduceFault(
        "raised-message-size-not-taken",
        "PRO-001",
        VIOLATES,
        "A max.message.bytes that is raised holds for new topics alone.",
        _change_alteration(_no_higher),
    ),
    ProduceFault(
        "lowered-message-size-not-taken",
        "PRO-001",
        VIOLATES,
        "A max.message.bytes that is lowered holds for new topics alone.",
        _change_alteration(_no_lower),
    ),
    ProduceFault(
        "altered-timestamp-type-not-taken",
        "PRO-034",
        VIOLATES,
        "A message.timestamp.type that is altered holds for new topics alone.",
        _keep_setting("timestamp_type"),
    ),
    ProduceFault(
        "altered-limit-behind-not-taken",
        "PRO-132",
        VIOLATES,
        "A message.timestamp.before.max.ms that is altered holds for new topics alone.",
        _keep_setting("before_max_ms"),
    ),
    ProduceFault(
        "altered-limit-ahead-not-taken",
        "PRO-030",
        VIOLATES,
        "A message.timestamp.after.max.ms that is altered holds for new topics alone.",
        _keep_setting("after_max_ms"),
    ),
    ProduceFault(
        "altered-compression-not-taken",
        "PRO-020",
        VIOLATES,
        "A compression.type that is altered holds for new topics alone.",
        _keep_setting("compression"),
    ),
    ProduceFault(
        "altered-cleanup-policy-not-taken",
        "PRO-026",
        VIOLATES,
        "Whether a topic is compacted is what it was when it was made.",
        _keep_setting("compacted"),
    ),
)
