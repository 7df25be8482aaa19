"""Topics, as the model of a controller sees them."""

from collections.abc import Mapping

from spec.frozen import frozen

DEFAULT = -1
"""Stands for the broker's own number of partitions, or replication factor."""


@frozen
class Topic:
    """A topic that is there.

    Attributes:
        partitions: how many it has.
        configs: (name, value) of those that are set, sorted.
    """

    partitions: int
    configs: tuple[tuple[str, str], ...] = ()


Topics = Mapping[str, Topic]
"""The topics that are there, by name."""


@frozen
class RequestedTopic:
    """A topic that is to be made; see `spec.limits.steps.NewTopic`."""

    name: str
    partitions: int
    replication: int = DEFAULT
    configs: tuple[tuple[str, str], ...] = ()
