"""The ranges of the numbers in scenarios of offsets."""

from collections.abc import Mapping

from spec.kafka import INT64_MAX
from spec.offsets.steps import (
    AppendTimed,
    Commit,
    ListOffsets,
    Lookup,
    OffsetCommit,
    OffsetFetch,
    OffsetForLeaderEpoch,
)
from spec.ranges import ACTOR, ASKED, DIFFERENCE, IN_LAYOUT, INT8, INT64, VERSION, Fields, Range

TIMES = Range(-(2**40), 2**40, "milliseconds around the partition's time")
OFFSET = Range(0, INT64_MAX, "an offset")
LENGTH = Range(0, 100_000, "the characters of a commit's metadata")
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
    Commit: {"partition": ASKED, "offset": OFFSET, "length": LENGTH},
    OffsetCommit: {"version": VERSION, "actor": ACTOR},
    OffsetFetch: {"partitions": ASKED, "version": VERSION, "actor": ACTOR},
    ListOffsets: {"isolation": INT8, "version": VERSION, "actor": ACTOR},
}
