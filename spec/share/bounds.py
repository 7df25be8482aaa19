"""Bounds of the fields of the steps of a share group's history."""

from collections.abc import Mapping

from spec.ranges import (
    ACTOR,
    ASKED,
    DIFFERENCE,
    IN_LAYOUT,
    INT8,
    INT32,
    INT64,
    ONLY_ACTOR,
    REQUEST_LIMITS,
    TIME,
    VERSION,
    Fields,
    Range,
    Words,
)
from spec.share import steps

_REQUEST = {"epoch": INT32, "skew": DIFFERENCE, "version": VERSION, "actor": ACTOR}

NUMBERS: Mapping[type, Fields] = {
    steps.AcknowledgementBatch: {"first": INT64, "last": INT64, "types": INT8},
    steps.SharePartition: {"partition": ASKED, "max_bytes": INT32},
    steps.ShareFetch: {
        **_REQUEST,
        **REQUEST_LIMITS,
        "max_records": INT32,
        "batch_size": INT32,
        "mode": INT8,
        "forgotten": ASKED,
        "patience_ms": TIME,
        "connection": Range(0, 1, "a connection of a member"),
    },
    steps.ShareAcknowledge: _REQUEST,
    steps.DropConnection: ONLY_ACTOR,
    steps.NameGroup: ONLY_ACTOR,
    steps.FindShareCoordinator: {"partition": IN_LAYOUT, "actor": ACTOR},
    steps.AlterShareGroupOffsets: {"starts": (IN_LAYOUT, INT64), "actor": ACTOR},
    steps.DeleteShareGroupOffsets: ONLY_ACTOR,
    steps.AlterGroupConfig: ONLY_ACTOR,
    steps.RestartBroker: ONLY_ACTOR,
    steps.Pause: {"ms": TIME, "actor": ACTOR},
}
_SETTINGS = {
    "delivery.count.limit": Range(2, 100, "a count of deliveries"),
    "partition.max.record.locks": Range(100, 10_000, "a count of records"),
    "record.lock.duration.ms": Range(1000, 3_600_000, "a time in milliseconds"),
}
_BOUNDED = {
    **_SETTINGS,
    "session.timeout.ms": Range(1, 3_600_000, "a time in milliseconds"),
    "heartbeat.interval.ms": Range(1, 3_600_000, "a time in milliseconds"),
}
CONFIGS: Mapping[str, Range] = {
    **{f"group.share.{limit}": known for limit, known in _SETTINGS.items()},
    **{
        f"group.share.{end}.{limit}": known
        for end in ("min", "max")
        for limit, known in _BOUNDED.items()
    },
}
WORDS: Mapping[type, Words] = {
    steps.ShareFetch: {"epoch": (steps.NEXT,)},
    steps.ShareAcknowledge: {"epoch": (steps.NEXT,)},
}
