"""Responses to the steps of a scenario of limits."""

from spec.frozen import frozen
from spec.outcomes import Outcome


@frozen
class TopicEntry:
    """One topic's part of an answer.

    Attributes:
        topic: the place in the request of the first topic of this name; -1 where it was not asked
            for.
        error: error code.
        partitions: how many it has; None where the answer does not say it.
    """

    topic: int
    error: int = 0
    partitions: int | None = None


@frozen
class TopicsAnswer(Outcome):
    """An answer to CreateTopics, CreatePartitions or Metadata that could be decoded: its topics in
    the answer's order.
    """

    entries: tuple[TopicEntry, ...] = ()


@frozen
class ConfigsAltered(Outcome):
    """The error code of an IncrementalAlterConfigs answer for its one resource."""

    error: int = 0


OF_TOPIC, BY_DEFAULT = 1, 5
"""Where a value comes from (`config_source`): set for the topic, or set nowhere."""


@frozen
class Described:
    """One config of a DescribeConfigs answer.

    Attributes:
        config: its name.
        value: None where it has none, or it is not said.
        source: where the value comes from, as the protocol numbers it.
    """

    config: str
    value: str | None
    source: int = BY_DEFAULT


@frozen
class ConfigsDescribed(Outcome):
    """A DescribeConfigs answer for its one topic: error code, and the configs by name."""

    error: int = 0
    configs: tuple[Described, ...] = ()


@frozen
class PartitionPage(Outcome):
    """A DescribeTopicPartitions answer for its one topic.

    Attributes:
        error: error code.
        partitions: their numbers, in the answer's order.
        following: the partition that the cursor of the answer names; None where it has none.
    """

    error: int = 0
    partitions: tuple[int, ...] = ()
    following: int | None = None


@frozen
class ConnectionsHeld(Outcome):
    """The connections of an address after a step about them.

    Attributes:
        answered: how many of those that were open before it, and not closed by it, still answered
            after it.
        served: whether the connection that it opened was answered; otherwise it was closed.
    """

    answered: int = 0
    served: bool = False


@frozen
class ListenerConnections(Outcome):
    """The connections of a listener after a step about them.

    Attributes:
        served: how many answer.
        waiting: how many are neither answered nor closed.
        closed: how many the broker has closed since the step before.
    """

    served: int = 0
    waiting: int = 0
    closed: int = 0
