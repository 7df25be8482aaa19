"""The ranges of the numbers in scenarios on several brokers."""

from collections.abc import Mapping

from spec.kafka import INT64_MAX
from spec.ranges import DIFFERENCE, VERSION, Fields, Range
from spec.replication.steps import (
    ALL,
    BROKERS,
    NO_RACK,
    OTHER_RACK,
    STRANGER,
    AskEpochEnd,
    AskLatest,
    ElectLeader,
    KillBroker,
    LookAtBrokers,
    Read,
    StartBroker,
    StopBroker,
    Write,
)

ROLE = Range(0, STRANGER, "the role of a broker")
RACK = Range(NO_RACK, OTHER_RACK, "whose rack is named")
MINIMUM = Range(0, BROKERS, "a number of replicas in sync")
ACKS = Range(ALL, 1, "the acks of a write")
OFFSET = Range(0, INT64_MAX, "an offset")

NUMBERS: Mapping[type, Fields] = {
    LookAtBrokers: {"actor": ROLE, "min_insync_replicas": MINIMUM},
    Write: {"actor": ROLE, "version": VERSION, "acks": ACKS},
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
    StopBroker: {"actor": ROLE},
    KillBroker: {"actor": ROLE},
    StartBroker: {"actor": ROLE},
}
