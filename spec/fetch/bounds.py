"""Bounds of the fields of the steps of a scenario of fetches."""

from collections.abc import Mapping

from spec.fetch.steps import OWN, DraftField, Fetch, FetchPartition
from spec.kafka import INT32_MAX
from spec.ranges import (
    ACTOR,
    ASKED,
    DIFFERENCE,
    INT8,
    INT32,
    INT64,
    RATE,
    REQUEST_LIMITS,
    TAG_SIZE,
    TIME,
    VERSION,
    Fields,
    Range,
    Words,
)

NUMBERS: Mapping[type, Fields] = {
    FetchPartition: {
        "partition": ASKED,
        "offset": INT64,
        "max_bytes": INT32,
        "leader_epoch": DIFFERENCE,
    },
    DraftField: {"value": INT64},
    Fetch: {
        **REQUEST_LIMITS,
        "isolation": INT8,
        "version": VERSION,
        "replica_id": INT32,
        "session": INT32,
        "epoch": INT32,
        "forgotten": ASKED,
        "unknown_tag": TAG_SIZE,
        "quota": RATE,
        "actor": ACTOR,
        "after_ms": TIME,
    },
}
CONFIGS: Mapping[str, Range] = {"fetch.max.bytes": Range(1024, INT32_MAX, "a count of bytes")}
WORDS: Mapping[type, Words] = {Fetch: {"session": (OWN,)}}
