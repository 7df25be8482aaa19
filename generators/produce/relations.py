"""What a scenario of produce has tried, by its data alone."""

from collections.abc import Iterator

from spec.kafka import INT32_MAX
from spec.layout import Codec
from spec.produce.model.coordinator import TransactionalIdKind, naming_of
from spec.produce.steps import (
    CarriedProducer,
    ChangeTopic,
    Flaw,
    InitProducer,
    LookUpTime,
    Outgoing,
    Produce,
    UseTopic,
)
from spec.produce.topic import Compression, TimestampType, TopicSettings
from spec.scenario import Scenario
from spec.steps import DeleteRecords, Step
from spec.verdict import side

SIDES = ("below", "at", "above")
CHANGED = ("timestamp_type", "before_max_ms", "after_max_ms", "compacted", "compression")
"""Configs of a topic that a step changes, beside max.message.bytes."""
ACKS = {-1: "all", 0: "none", 1: "leader"}


def produce_relations(scenario: Scenario) -> tuple[str, ...]:
    """The names of what a scenario has tried, each once, sorted."""
    return tuple(sorted({*_relations(scenario)}))


def _relations(scenario: Scenario) -> Iterator[str]:
    topic = TopicSettings()
    for step in scenario.steps:
        if isinstance(step, UseTopic):
            topic = step.settings
            yield f"timestamps={topic.timestamp_type}"
            yield f"compression={topic.compression}"
        elif isinstance(step, ChangeTopic):
            yield from _change_relations(topic, step)
            topic = step.settings_after(topic)
        elif isinstance(step, Produce):
            yield f"acks={ACKS.get(step.acks, 'other')}"
            yield f"batches={'one' if len(step.batches) == 1 else 'several'}"
            numbers = [batch.partition for batch in step.batches]
            if len({*numbers}) < len(numbers):
                yield "partition=twice"
            if topic.min_insync > 1:
                yield f"two-in-sync={ACKS.get(step.acks, 'other')}"
            flaws = [batch.flaw is not Flaw.NONE for batch in step.batches]
            if len(flaws) > 1 and any(flaws) and not all(flaws):
                yield "flaw=beside-sound"
            for batch in step.batches:
                if batch.producer is not None:
                    yield f"sequence={'wraps' if batch.sequence >= INT32_MAX - 1 else 'plain'}"
                    yield f"epoch={'first' if not batch.epoch else 'later'}"
                yield from _batch_relations(batch, topic)
        else:
            yield from _look_relations(step)


def _look_relations(step: Step) -> Iterator[str]:
    if isinstance(step, LookUpTime):
        asked = "largest" if step.after_ms is None else side(step.after_ms, 0).names[0]
        yield f"time={asked}"
    elif isinstance(step, DeleteRecords):
        yield "deleted=some"
    elif isinstance(step, InitProducer):
        yield f"transactional-id={naming_of(step.transactional)}"
        yield f"claim={step.claim}"


def _change_relations(topic: TopicSettings, step: ChangeTopic) -> Iterator[str]:
    if step.elsewhere:
        yield "changed=elsewhere"
        return
    before, after = topic.max_message_bytes, step.settings.max_message_bytes
    if before != after:
        yield f"changed={'raised' if before < after else 'lowered'}"
    for name in CHANGED:
        if getattr(topic, name) != getattr(step.settings, name):
            yield f"changed={name}"


def _batch_relations(batch: Outgoing, topic: TopicSettings) -> Iterator[str]:
    (where,) = side(batch.size, topic.max_message_bytes).names
    if batch.flaw in {Flaw.NONE, Flaw.CRC}:
        yield f"{'size' if batch.flaw is Flaw.NONE else 'size-damaged'}={where}"
    if batch.unpacked and topic.compression is Compression.UNCOMPRESSED:
        yield f"unpacked={side(batch.unpacked, topic.max_message_bytes).names[0]}"
    if topic.segment_bytes:
        yield f"segment={side(batch.size, topic.segment_bytes).names[0]}"
    if batch.times:
        yield f"ahead={side(max(batch.times), topic.after_max_ms).names[0]}"
        yield f"behind={side(-min(batch.times), topic.before_max_ms).names[0]}"
    if topic.compacted:
        yield f"keyless={'some' if batch.without_key else 'none'}"
    yield f"flaw={batch.flaw}"
    yield f"codec={batch.codec}"


def all_produce_relations() -> frozenset[str]:
    """Every relation that a scenario can have."""
    return frozenset(
        [
            *[f"timestamps={kind}" for kind in TimestampType],
            *[f"compression={kind}" for kind in Compression],
            *[f"unpacked={where}" for where in SIDES],
            *[f"acks={kind}" for kind in (*ACKS.values(), "other")],
            *[f"changed={what}" for what in ("elsewhere", "raised", "lowered", *CHANGED)],
            "batches=one",
            "batches=several",
            "flaw=beside-sound",
            "partition=twice",
            *[f"two-in-sync={kind}" for kind in ACKS.values()],
            *[f"segment={where}" for where in SIDES],
            *[f"transactional-id={naming}" for naming in TransactionalIdKind],
            *[f"claim={claim}" for claim in CarriedProducer],
            *[f"time={asked}" for asked in (*SIDES, "largest")],
            "deleted=some",
            "sequence=wraps",
            "sequence=plain",
            "epoch=first",
            "epoch=later",
            *[f"{what}={where}" for what in ("ahead", "behind") for where in ("below", "above")],
            "keyless=some",
            "keyless=none",
            *[f"{what}={where}" for what in ("size", "size-damaged") for where in SIDES],
            *[f"flaw={flaw}" for flaw in Flaw],
            *[f"codec={codec}" for codec in Codec],
        ]
    )
