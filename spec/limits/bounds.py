"""The ranges of the numbers in scenarios of limits."""

from collections.abc import Mapping

from spec.limits.steps import (
    AlterConfigs,
    Change,
    CloseConnection,
    CloseOnListener,
    CreatePartitions,
    CreateTopics,
    DescribeConfigs,
    DescribeTopics,
    Growth,
    LimitConnections,
    LimitListener,
    ListPartitions,
    Name,
    NewTopic,
    OpenConnection,
    OpenOnListener,
)
from spec.ranges import ACTOR, COUNT, INT32, VERSION, Fields, Range

LENGTH = Range(0, 1_000, "the characters of a name")
ADDRESS = Range(0, 1, "the number of an address")
CONNECTIONS = Range(0, 8, "connections of an address")
ON_LISTENER = Range(1, 8, "connections of a listener")
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
    LimitConnections: {"limit": CONNECTIONS, "address": ADDRESS, "actor": ACTOR},
    OpenConnection: {"address": ADDRESS, "actor": ACTOR},
    CloseConnection: {"address": ADDRESS, "actor": ACTOR},
    LimitListener: {"limit": ON_LISTENER, "actor": ACTOR},
    OpenOnListener: {"actor": ACTOR},
    CloseOnListener: {"actor": ACTOR},
}
