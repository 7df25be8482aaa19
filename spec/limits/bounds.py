"""The ranges of the numbers in scenarios of limits."""

from collections.abc import Mapping

from spec.limits.steps import (
    AlterConfigs,
    Change,
    CreatePartitions,
    CreateTopics,
    DescribeConfigs,
    DescribeTopics,
    Growth,
    ListPartitions,
    Name,
    NewTopic,
)
from spec.ranges import ACTOR, COUNT, INT32, VERSION, Fields, Range

LENGTH = Range(0, 1_000, "the characters of a name")
INT16 = Range(-(2**15), 2**15 - 1, "an int16")

NUMBERS: Mapping[type, Fields] = {
    Name: {"length": LENGTH},
    NewTopic: {"partitions": INT32, "replication": INT16},
    CreateTopics: {"version": VERSION, "actor": ACTOR},
    Growth: {"count": INT32},
    CreatePartitions: {"version": VERSION, "actor": ACTOR},
    Change: {},
    AlterConfigs: {"version": VERSION, "actor": ACTOR},
    DescribeConfigs: {"version": VERSION, "actor": ACTOR},
    ListPartitions: {"limit": INT32, "start": COUNT, "version": VERSION, "actor": ACTOR},
    DescribeTopics: {"version": VERSION, "actor": ACTOR},
}
