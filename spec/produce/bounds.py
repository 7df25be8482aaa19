"""Bounds of the fields of the steps of a scenario of produce."""

from collections.abc import Mapping

from spec.kafka import BATCH_HEADER, INT32_MAX
from spec.layout import LARGEST_BATCH
from spec.produce.steps import (
    OLDEST_PRODUCE,
    TOPIC_IDS_SINCE,
    EndOffsets,
    Outgoing,
    Produce,
    ReadBack,
    UseTopic,
)
from spec.produce.topic import TopicSettings
from spec.ranges import ACTOR, ASKED, ONLY_ACTOR, Fields, Range

MOST_RECORDS = 10_000
ACKS = Range(-(2**15), 2**15 - 1, "an int16")

NUMBERS: Mapping[type, Fields] = {
    UseTopic: ONLY_ACTOR,
    TopicSettings: {"max_message_bytes": Range(0, INT32_MAX, "a count of bytes")},
    Outgoing: {
        "partition": ASKED,
        "size": Range(BATCH_HEADER, LARGEST_BATCH, "a count of bytes"),
        "records": Range(1, MOST_RECORDS, "a count of records"),
    },
    Produce: {
        "acks": ACKS,
        "version": Range(OLDEST_PRODUCE, TOPIC_IDS_SINCE, "a version of Produce"),
        "actor": ACTOR,
    },
    EndOffsets: ONLY_ACTOR,
    ReadBack: ONLY_ACTOR,
}
