"""Steps of a scenario of limits: what an administrator asks of a cluster's topics."""

from collections.abc import Iterator
from enum import StrEnum

from spec.frozen import frozen
from spec.steps import Step

OWN = "fencepost-" + "0" * 12 + "-"
"""Stands for what the names of a scenario's own topics begin with: each play has another such text,
of the same length and without a dot or an underscore.
"""
FILLER = "n"
MOST_MADE = 8
"""Partitions of a topic that a scenario makes; larger ones are only validated."""
MOST_PLACED = 20_000
"""Partitions of a topic that a controller is asked to find replicas for: it does so in memory,
before it compares how many they are.
"""


@frozen
class Name:
    """The name of a topic.

    Attributes:
        text: its letters, after what all names of the scenario begin with.
        length: characters of the whole name, to which it is filled up; 0: as long as it is.
        own: whether it begins as the scenario's names do; a name that does not is only validated.
    """

    text: str
    length: int = 0
    own: bool = True

    @property
    def whole(self) -> str:
        """The name, with `OWN` in place of what the play's names begin with."""
        return self.with_prefix(OWN)

    def with_prefix(self, own: str) -> str:
        """The name, with what the play's names begin with."""
        return ((own if self.own else "") + self.text).ljust(self.length, FILLER)


@frozen
class NewTopic:
    """One topic of a CreateTopics request.

    Attributes:
        name: its name.
        partitions: how many; -1: as many as the broker is configured to.
        replication: its replication factor; -1: the broker's.
        configs: (name, value) of each config that is set.
    """

    name: Name
    partitions: int = 1
    replication: int = -1
    configs: tuple[tuple[str, str], ...] = ()

    @property
    def is_placed(self) -> bool:
        """Whether a controller that takes the name looks for replicas: a replication factor of zero
        or below -1 is refused before.
        """
        return self.replication > 0 or self.replication == -1


class _Step(Step):
    """A step of this subject."""

    __slots__ = ()

    @property
    def subject(self) -> str:
        """The one subject that has it."""
        return "limits"

    @property
    def asked_names(self) -> tuple[Name, ...]:
        """The names that it asks for."""
        return ()

    @property
    def literal_names(self) -> tuple[str, ...]:
        """Those of them that do not begin as the scenario's names do."""
        return tuple([name.whole for name in self.asked_names if not name.own])


@frozen
class CreateTopics(_Step):
    """One CreateTopics request (API key 19).

    Attributes:
        topics: what is created, in request order.
        validate_only: whether it is only asked if that could be done.
        version: the request version.
        actor: which connection sends it.
    """

    topics: tuple[NewTopic, ...]
    validate_only: bool = False
    version: int = 7
    actor: int = 0

    @property
    def asked_names(self) -> tuple[Name, ...]:
        """The names that it asks for."""
        return tuple([topic.name for topic in self.topics])

    def problems(self) -> Iterator[str]:
        """What is really made is small, has a name of its own and harmless configs; what is only
        validated costs a controller little.
        """
        for number, topic in enumerate(self.topics):
            at = f"topics[{number}]"
            if not self.validate_only and not topic.name.own:
                yield f"{at}.name.own: expected true where topics are made, found false"
            harmful = [name for name, _ in topic.configs if name not in HARMLESS]
            if not self.validate_only and harmful:
                yield f"{at}.configs: expected harmless ones where they are set, found {harmful}"
            if not self.validate_only and topic.partitions > MOST_MADE:
                yield (
                    f"{at}.partitions: expected at most {MOST_MADE} where topics are made, found "
                    f"{topic.partitions}"
                )
            if topic.is_placed and topic.partitions > MOST_PLACED:
                yield (
                    f"{at}.partitions: expected at most {MOST_PLACED}, unless the replication "
                    f"factor is 0 or below -1, found {topic.partitions}"
                )


@frozen
class Growth:
    """One topic of a CreatePartitions request.

    Attributes:
        name: its name.
        count: how many partitions it is to have then.
    """

    name: Name
    count: int


@frozen
class CreatePartitions(_Step):
    """One CreatePartitions request (API key 37).

    Attributes:
        topics: what grows, in request order; each topic once.
        validate_only: whether it is only asked if that could be done.
        version: the request version.
        actor: which connection sends it.
    """

    topics: tuple[Growth, ...]
    validate_only: bool = False
    version: int = 3
    actor: int = 0

    @property
    def asked_names(self) -> tuple[Name, ...]:
        """The names that it asks for."""
        return tuple([topic.name for topic in self.topics])

    def problems(self) -> Iterator[str]:
        """What is really made is small; what is only validated costs a controller little."""
        most = MOST_PLACED if self.validate_only else MOST_MADE
        for number, topic in enumerate(self.topics):
            if topic.count > most:
                yield f"topics[{number}].count: expected at most {most}, found {topic.count}"
        names = [topic.name.whole for topic in self.topics]
        if len(set(names)) < len(names):
            yield f"topics: expected each once, found {names}"


@frozen
class DescribeTopics(_Step):
    """One Metadata request (API key 3) that asks for topics by name and creates none.

    Attributes:
        names: which topics, in request order; each once.
        version: the request version.
        actor: which connection sends it.
    """

    names: tuple[Name, ...]
    version: int = 12
    actor: int = 0

    @property
    def asked_names(self) -> tuple[Name, ...]:
        """The names that it asks for."""
        return self.names

    def problems(self) -> Iterator[str]:
        """A topic that is named twice has no one entry."""
        names = [name.whole for name in self.names]
        if len(set(names)) < len(names):
            yield f"names: expected each once, found {names}"


class Resource(StrEnum):
    """What has configs."""

    TOPIC = "topic"
    GROUP = "group"
    BROKERS = "brokers"
    """All brokers of the cluster: what is set is their default."""

    __hash__ = str.__hash__


HARMLESS = frozenset(
    {
        "delete.retention.ms",
        "flush.messages",
        "index.interval.bytes",
        "max.compaction.lag.ms",
        "max.message.bytes",
        "min.compaction.lag.ms",
        "min.insync.replicas",
        "retention.bytes",
        "retention.ms",
        "segment.ms",
    }
)
"""Configs of topics that are really set: none of their values harms the broker of an empty topic,
as a segment.index.bytes of 4 does.
"""


@frozen
class Change:
    """One config of an IncrementalAlterConfigs request.

    Attributes:
        config: its name.
        value: as it is sent; None: it is taken away.
    """

    config: str
    value: str | None = None


@frozen
class AlterConfigs(_Step):
    """One IncrementalAlterConfigs request (API key 44) for one resource.

    Attributes:
        resource: of what.
        target: the name of the topic or group; of all brokers the empty one.
        changes: each config once.
        validate_only: whether it is only asked if that could be done.
        version: the request version.
        actor: which connection sends it.
    """

    resource: Resource
    target: Name
    changes: tuple[Change, ...]
    validate_only: bool = False
    version: int = 1
    actor: int = 0

    @property
    def asked_names(self) -> tuple[Name, ...]:
        """The names that it asks for."""
        return () if self.resource is Resource.BROKERS else (self.target,)

    def problems(self) -> Iterator[str]:
        """Only harmless configs of topics of its own are really set."""
        names = [one.config for one in self.changes]
        if len(set(names)) < len(names):
            yield f"changes: expected each config once, found {names}"
        if self.resource is Resource.BROKERS and self.target != ALL_BROKERS:
            yield f"target: expected the empty one for all brokers, found {self.target.whole!r}"
        if self.validate_only:
            return
        if self.resource is not Resource.TOPIC or not self.target.own:
            yield "validate_only: expected true for other resources than topics of its own"
        if harmful := [name for name in names if name not in HARMLESS]:
            yield f"changes: expected harmless configs where they are set, found {harmful}"


ALL_BROKERS = Name("", own=False)


@frozen
class DescribeConfigs(_Step):
    """One DescribeConfigs request (API key 32) for one topic.

    Attributes:
        target: the topic.
        configs: which; none: all of them.
        version: the request version.
        actor: which connection sends it.
    """

    target: Name
    configs: tuple[str, ...] = ()
    version: int = 4
    actor: int = 0

    @property
    def asked_names(self) -> tuple[Name, ...]:
        """The names that it asks for."""
        return (self.target,)


@frozen
class ListPartitions(_Step):
    """One DescribeTopicPartitions request (API key 75) for one topic.

    Attributes:
        target: the topic.
        limit: the most partitions that are asked for.
        start: the partition that the cursor names; None: no cursor is sent.
        version: the request version.
        actor: which connection sends it.
    """

    target: Name
    limit: int = 2000
    start: int | None = None
    version: int = 0
    actor: int = 0

    @property
    def asked_names(self) -> tuple[Name, ...]:
        """The names that it asks for."""
        return (self.target,)


@frozen
class LimitConnections(_Step):
    """An address of the scenario is given a limit of its own in `max.connections.per.ip.overrides`.

    Attributes:
        limit: how many connections it may have then.
        address: the number of the address.
        actor: unused: each connection is one of its own.
    """

    limit: int
    address: int = 0
    actor: int = 0


@frozen
class OpenConnection(_Step):
    """One more connection is opened from an address of the scenario, and asked something.

    Attributes:
        address: the number of the address.
        actor: unused: each connection is one of its own.
    """

    address: int = 0
    actor: int = 0


@frozen
class CloseConnection(_Step):
    """The client closes the connection of an address that was opened last; it may have none.

    Attributes:
        address: the number of the address.
        actor: unused: each connection is one of its own.
    """

    address: int = 0
    actor: int = 0


@frozen
class LimitListener(_Step):
    """The scenario's listener is given another `max.connections`.

    Attributes:
        limit: how many connections it may have then.
        actor: unused: each connection is one of its own.
    """

    limit: int
    actor: int = 0


@frozen
class OpenOnListener(_Step):
    """One more connection to the scenario's listener is opened, and asked something.

    Attributes:
        actor: unused: each connection is one of its own.
    """

    actor: int = 0


@frozen
class CloseOnListener(_Step):
    """The client closes that connection of the scenario's listener, of those that are served, which
    was opened first; there may be none.

    Attributes:
        actor: unused: each connection is one of its own.
    """

    actor: int = 0


TopicsStep = CreateTopics | CreatePartitions | DescribeTopics
"""The steps whose answer has an entry for each topic."""
ConfigsStep = AlterConfigs | DescribeConfigs
"""The steps about configs."""
ConnectionStep = LimitConnections | OpenConnection | CloseConnection
"""The steps about the connections of an address."""
ListenerStep = LimitListener | OpenOnListener | CloseOnListener
"""The steps about the connections of a listener."""
LimitStep = (
    CreateTopics
    | CreatePartitions
    | DescribeTopics
    | AlterConfigs
    | DescribeConfigs
    | ListPartitions
    | LimitConnections
    | OpenConnection
    | CloseConnection
    | LimitListener
    | OpenOnListener
    | CloseOnListener
)
"""The steps of a scenario of limits."""
