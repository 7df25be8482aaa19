"""Bounds of the fields of the steps of a scenario of produce."""

from collections.abc import Mapping

from spec.kafka import BATCH_HEADER, INT32_MAX, INT64_MAX
from spec.layout import LARGEST_BATCH
from spec.produce.steps import (
    EMPTY_ID,
    NEWEST_INIT_PRODUCER,
    OLDEST_PRODUCE,
    TOPIC_IDS_SINCE,
    ChangeTopic,
    EndOffsets,
    InitProducer,
    LookUpTime,
    Outgoing,
    Produce,
    ReadBack,
    UseTopic,
)
from spec.produce.topic import TopicSettings
from spec.ranges import ACTOR, ASKED, IN_LAYOUT, ONLY_ACTOR, Fields, Range

MOST_RECORDS = 10_000
MOST_NAMES = 8
"""Transactional ids of a scenario."""
LONGEST_REQUEST = 2 * LARGEST_BATCH
YEARS_MS = 10**12
"""More than thirty years: far enough for any limit, and far from the end of int64."""
LENGTH_OF_TIME = Range(0, INT64_MAX, "a length of time in milliseconds")
ACKS = Range(-(2**15), 2**15 - 1, "an int16")

NUMBERS: Mapping[type, Fields] = {
    UseTopic: ONLY_ACTOR,
    ChangeTopic: ONLY_ACTOR,
    TopicSettings: {
        "max_message_bytes": Range(0, INT32_MAX, "a count of bytes"),
        "segment_bytes": Range(0, INT32_MAX, "a count of bytes"),
        "min_insync": Range(1, INT32_MAX, "a count of replicas"),
        "max_decompressed": Range(0, INT32_MAX, "a count of bytes"),
        "before_max_ms": LENGTH_OF_TIME,
        "after_max_ms": LENGTH_OF_TIME,
    },
    Outgoing: {
        "partition": ASKED,
        "size": Range(BATCH_HEADER, LARGEST_BATCH, "a count of bytes"),
        "records": Range(1, MOST_RECORDS, "a count of records"),
        "unpacked": Range(0, LARGEST_BATCH, "a count of bytes"),
        "times": Range(-YEARS_MS, YEARS_MS, "milliseconds from now"),
        "keyless": Range(0, MOST_RECORDS - 1, "the index of a record"),
        "producer": ACTOR,
        "epoch": Range(0, 2**15 - 1, "the epoch of a producer"),
        "sequence": Range(0, INT32_MAX, "a sequence number"),
    },
    Produce: {
        "acks": ACKS,
        "length": Range(0, LONGEST_REQUEST, "a count of bytes"),
        "version": Range(OLDEST_PRODUCE, TOPIC_IDS_SINCE, "a version of Produce"),
        "actor": ACTOR,
        "transactional": Range(0, MOST_NAMES - 1, "the number of a transactional id"),
    },
    InitProducer: {
        "transactional": Range(EMPTY_ID, MOST_NAMES - 1, "the number of a transactional id"),
        "timeout_ms": Range(-(2**31), INT32_MAX, "an int32"),
        "version": Range(0, NEWEST_INIT_PRODUCER, "a version of InitProducerId"),
        "actor": ACTOR,
    },
    EndOffsets: ONLY_ACTOR,
    LookUpTime: {
        "partition": IN_LAYOUT,
        "after_ms": Range(-YEARS_MS, YEARS_MS, "milliseconds"),
        "actor": ACTOR,
    },
    ReadBack: ONLY_ACTOR,
}
