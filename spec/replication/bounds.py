"""The ranges of the numbers in scenarios on several brokers."""

from collections.abc import Mapping

from spec.kafka import INT64_MAX
from spec.ranges import DIFFERENCE, VERSION, Fields, Range
from spec.replication.steps import (
    NO_RACK,
    OTHER_RACK,
    STRANGER,
    AskEpochEnd,
    AskLatest,
    ElectLeader,
    LookAtBrokers,
    Read,
    Write,
)

ROLE = Range(0, STRANGER, "the role of a broker")
RACK = Range(NO_RACK, OTHER_RACK, "whose rack is named")
OFFSET = Range(0, INT64_MAX, "an offset")

NUMBERS: Mapping[type, Fields] = {
    LookAtBrokers: {"actor": ROLE},
    Write: {"actor": ROLE, "version": VERSION},
    Read: {
        "actor": ROLE,
        "offset": OFFSET,
        "rack": RACK,
        "epoch": DIFFERENCE,
        "version": VERSION,
    },
    AskLatest: {"actor": ROLE, "version": VERSION},
    AskEpochEnd: {"actor": ROLE, "epoch": DIFFERENCE, "version": VERSION},
    ElectLeader: {"actor": ROLE},
}
