"""What the worked examples about limits are made of."""

from spec.layout import Layout, Partition
from spec.limits.steps import (
    ALL_BROKERS,
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
    Resource,
)
from spec.scenario import Scenario
from spec.steps import Step

NO_RECORDS = Layout((Partition(),))
"""Limits of administration need no records."""
SHORT = (("retention.ms", "1"),)
"""One config of a topic."""


def history(*steps: Step) -> Scenario:
    """What an administrator asks, one request after the other."""
    return Scenario(NO_RECORDS, steps, subject="limits")


def create(text: str, partitions: int = 1, replication: int = -1) -> CreateTopics:
    """Make one topic."""
    return CreateTopics((NewTopic(Name(text), partitions, replication),))


def validate(*partitions: int, configs: tuple[tuple[str, str], ...] = ()) -> CreateTopics:
    """Ask whether topics of so many partitions each could be made, each with these configs."""
    topics = [
        NewTopic(Name(f"t{number}"), count, configs=configs)
        for number, count in enumerate(partitions)
    ]
    return CreateTopics(tuple(topics), validate_only=True)


def create_named(text: str, length: int = 0, *, own: bool = True) -> CreateTopics:
    """Ask whether a topic of this name could be made."""
    return CreateTopics((NewTopic(Name(text, length, own)),), validate_only=True)


def grow(text: str, count: int, *, validate_only: bool = False) -> CreatePartitions:
    """Have one topic have so many partitions."""
    return CreatePartitions((Growth(Name(text), count),), validate_only)


def look(*texts: str) -> DescribeTopics:
    """Look at topics."""
    return DescribeTopics(tuple([Name(text) for text in texts]))


def alter(
    text: str, *settings: tuple[str, str | None], validate_only: bool = False
) -> AlterConfigs:
    """Set configs of one topic; None takes one away."""
    changes = tuple([Change(*one) for one in settings])
    return AlterConfigs(Resource.TOPIC, Name(text), changes, validate_only)


def alter_group(*settings: tuple[str, str | None]) -> AlterConfigs:
    """Ask whether configs of a group could be set."""
    changes = tuple([Change(*one) for one in settings])
    return AlterConfigs(Resource.GROUP, Name("g"), changes, validate_only=True)


def alter_brokers(*settings: tuple[str, str | None]) -> AlterConfigs:
    """Ask whether configs of all brokers could be set."""
    changes = tuple([Change(*one) for one in settings])
    return AlterConfigs(Resource.BROKERS, ALL_BROKERS, changes, validate_only=True)


def describe(text: str, *names: str) -> DescribeConfigs:
    """Look at configs of one topic, by default at all."""
    return DescribeConfigs(Name(text), names)


def pages(text: str, *asked: tuple[int, int | None]) -> tuple[ListPartitions, ...]:
    """Ask for partitions of one topic: each time at most so many, from a cursor on or without."""
    return tuple([ListPartitions(Name(text), limit, start) for limit, start in asked])


def limit_connections(limit: int, address: int = 0) -> LimitConnections:
    """Give an address a limit of its own."""
    return LimitConnections(limit, address)


def connect(times: int = 1, address: int = 0) -> tuple[OpenConnection, ...]:
    """Open so many connections from an address, one after the other."""
    return (OpenConnection(address),) * times


def disconnect(address: int = 0) -> CloseConnection:
    """Close the connection of an address that was opened last."""
    return CloseConnection(address)


def open_listener(times: int = 1) -> tuple[OpenOnListener, ...]:
    """Open so many connections to the listener, one after the other."""
    return (OpenOnListener(),) * times


def close_listener() -> CloseOnListener:
    """Close the connection of the listener that was opened first."""
    return CloseOnListener()


def set_listener_limit(limit: int) -> LimitListener:
    """Give the listener another limit."""
    return LimitListener(limit)
