"""The ranges of the numbers in scenarios of offsets."""

from collections.abc import Mapping

from spec.offsets.steps import AppendTimed, ListOffsets, Lookup, OffsetForLeaderEpoch
from spec.ranges import ACTOR, ASKED, DIFFERENCE, IN_LAYOUT, INT8, INT64, VERSION, Fields, Range

TIMES = Range(-(2**40), 2**40, "milliseconds around the partition's time")
VALUE = Range(0, 10_000, "the bytes of a value")

NUMBERS: Mapping[type, Fields] = {
    AppendTimed: {"partition": IN_LAYOUT, "times": TIMES, "value_size": VALUE, "actor": ACTOR},
    Lookup: {"partition": ASKED, "timestamp": INT64, "leader_epoch": DIFFERENCE},
    OffsetForLeaderEpoch: {
        "partition": IN_LAYOUT,
        "epoch": DIFFERENCE,
        "current": DIFFERENCE,
        "version": VERSION,
        "actor": ACTOR,
    },
    ListOffsets: {"isolation": INT8, "version": VERSION, "actor": ACTOR},
}
