"""What the steps of a share group's history may hold."""

from collections.abc import Mapping

from spec.ranges import ACTOR, ASKED, DIFFERENCE, IN_LAYOUT, INT8, INT32, INT64, ONLY_ACTOR, REQUEST_LIMITS, TIME, VERSION, Fields, Words
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
WORDS: Mapping[type, Words] = {steps.ShareFetch: {"epoch": (steps.NEXT,)}, steps.ShareAcknowledge: {"epoch": (steps.NEXT,)}}
