"""Turns: what the clauses about limits look at."""

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from spec.frozen import frozen
from spec.kafka import INT32_MAX, Error
from spec.limits.connections import Addresses, FromAddress, count_others
from spec.limits.dry_run import wanted_of
from spec.limits.listener import Listener
from spec.limits.model import (
    collides,
    count_error,
    counted_partitions,
    has_legal_letters,
    is_legal_length,
    is_no_folder,
    records_of,
    replication_error,
)
from spec.limits.outcomes import TopicEntry, TopicsAnswer
from spec.limits.releases import LimitSemantics
from spec.limits.setting import topic_config_error
from spec.limits.steps import (
    AlterConfigs,
    ConnectionStep,
    CreatePartitions,
    CreateTopics,
    DescribeConfigs,
    DescribeTopics,
    LimitStep,
    ListPartitions,
    Resource,
    TopicsStep,
)
from spec.limits.topic import RequestedTopic, Topic, Topics
from spec.outcomes import Outcome


class TopicProblem(StrEnum):
    """Why a topic can't be made."""

    TWICE = "twice"
    TOTAL = "total"
    RECORDS = "records"
    LENGTH = "length"
    LETTERS = "letters"
    FOLDER = "folder"
    COLLISION = "collision"
    EXISTS = "exists"
    REPLICATION = "replication"
    COUNT = "count"
    CONFIG = "config"

    __hash__ = str.__hash__


OF_ONE = frozenset(TopicProblem) - {TopicProblem.TWICE, TopicProblem.TOTAL, TopicProblem.RECORDS}
"""The reasons that concern a topic alone, whatever else its request names."""


@frozen
class Turn:
    """One request, or one topic of it, the topics that it met, and the response.

    Attributes:
        step: the request.
        topics: the topics before it, by name.
        outcome: the response.
        semantics: the decisions of the release.
        place: which topic of the request this is about; None for the request as a whole.
        entry: its entry of the response; None where it has none, or more than one.
        addresses: the connections before it, by the number of their address.
        listener: those of the scenario's listener before it.
    """

    step: LimitStep
    topics: Topics
    outcome: Outcome
    semantics: LimitSemantics
    place: int | None = None
    entry: TopicEntry | None = None
    addresses: Addresses = field(default_factory=dict)
    listener: Listener = Listener()

    @property
    def address(self) -> FromAddress:
        """The connections, before the step, of the address that it is about."""
        assert isinstance(self.step, ConnectionStep)
        return self.addresses.get(self.step.address, FromAddress())

    @property
    def others_held(self) -> int:
        """The connections of the other addresses before the step."""
        assert isinstance(self.step, ConnectionStep)
        return count_others(self.addresses, self.step.address)

    @property
    def answer(self) -> TopicsAnswer:
        """The response, which is an answer."""
        assert isinstance(self.outcome, TopicsAnswer)
        return self.outcome

    @property
    def response_entry(self) -> TopicEntry:
        """The entry of the response, which there is."""
        assert self.entry is not None
        return self.entry

    @property
    def names(self) -> tuple[str, ...]:
        """The topics that the request names, in its order."""
        assert isinstance(self.step, TopicsStep)
        return names_of(self.step)

    @property
    def name(self) -> str:
        """The topic's name."""
        assert self.place is not None
        return self.names[self.place]

    @property
    def topic_before(self) -> Topic | None:
        """The topic before the request; None where there was none."""
        return self.topics.get(self.name)

    @property
    def every_wanted(self) -> tuple[RequestedTopic, ...]:
        """The topics of a CreateTopics request."""
        assert isinstance(self.step, CreateTopics)
        return wanted_of(self.step.topics)

    @property
    def wanted_topic(self) -> RequestedTopic:
        """The topic of a CreateTopics request."""
        assert self.place is not None
        return self.every_wanted[self.place]

    @property
    def count(self) -> int:
        """The partitions that the topic of a CreatePartitions request is to have."""
        assert isinstance(self.step, CreatePartitions)
        assert self.place is not None
        return self.step.topics[self.place].count

    @property
    def wanted_once(self) -> tuple[RequestedTopic, ...]:
        """The topics that a CreateTopics request names once."""
        return tuple([one for one in self.every_wanted if self.names.count(one.name) == 1])

    @property
    def total(self) -> int:
        """The partitions of a CreateTopics request, of the topics that it names once."""
        return sum(counted_partitions(one, self.semantics) for one in self.wanted_once)

    @property
    def has_unknown_total(self) -> bool:
        """Whether a CreateTopics request has topics of `num.partitions`, which nobody says."""
        return not self.semantics.knows_default_partitions and any(
            one.partitions == -1 for one in self.wanted_once
        )

    @property
    def records(self) -> int:
        """The metadata records of a CreateTopics request: of the topics that nothing speaks
        against.
        """
        return sum(
            records_of(one, self.semantics)
            for one in self.wanted_once
            if not reasons_of_one(one, self.topics, self.semantics)
        )

    @property
    def reasons(self) -> frozenset[TopicProblem]:
        """Why the topic of a CreateTopics request can't be made."""
        found = set(reasons_of_one(self.wanted_topic, self.topics, self.semantics))
        if self.names.count(self.name) > 1:
            found.add(TopicProblem.TWICE)
        if self.total > self.semantics.most_partitions:
            found.add(TopicProblem.TOTAL)
        if self.records > self.semantics.most_records:
            found.add(TopicProblem.RECORDS)
        return frozenset(found)

    @property
    def collides_in_request(self) -> bool:
        """Whether a CreateTopics request names another topic that collides with this one."""
        return collides(self.name, [name for name in self.names if name != self.name])

    @property
    def wraps(self) -> bool:
        """Whether a CreateTopics request has more partitions than 32 bits can hold."""
        return self.total > INT32_MAX

    @property
    def added_partitions(self) -> Mapping[str, int]:
        """The new partitions of each topic of a CreatePartitions request that can grow, by name."""
        assert isinstance(self.step, CreatePartitions)
        found = {}
        for one in self.step.topics:
            known = self.topics.get(one.name.whole)
            if known is not None and one.count > known.partitions:
                found[one.name.whole] = one.count - known.partitions
        return found

    @property
    def alteration(self) -> AlterConfigs:
        """The request, which is an IncrementalAlterConfigs."""
        assert isinstance(self.step, AlterConfigs)
        return self.step

    @property
    def target(self) -> Topic | None:
        """The topic whose configs or partitions a request is about; None where there is none."""
        assert isinstance(self.step, AlterConfigs | DescribeConfigs | ListPartitions)
        of_group = isinstance(self.step, AlterConfigs) and self.step.resource is not Resource.TOPIC
        return None if of_group else self.topics.get(self.step.target.whole)

    def code_of(self, name: str) -> int | None:
        """The error code of a topic; None where it has no entry, or more than one."""
        place = self.names.index(name)
        found = [one.error for one in self.answer.entries if one.topic == place]
        return found[0] if len(found) == 1 else None


def names_of(step: TopicsStep) -> tuple[str, ...]:
    """The topics that a request names, in its order."""
    if isinstance(step, DescribeTopics):
        return tuple([name.whole for name in step.names])
    return tuple([one.name.whole for one in step.topics])


def reasons_of_one(
    wanted: RequestedTopic, topics: Topics, semantics: LimitSemantics
) -> frozenset[TopicProblem]:
    """Why a topic can't be made, whatever else its request names."""
    name = wanted.name
    spoken = {
        TopicProblem.LENGTH: not is_legal_length(name),
        TopicProblem.LETTERS: bool(name) and not has_legal_letters(name),
        TopicProblem.FOLDER: is_no_folder(name),
        TopicProblem.COLLISION: collides(name, topics),
        TopicProblem.EXISTS: name in topics,
        TopicProblem.REPLICATION: replication_error(wanted, semantics) != Error.NONE,
        TopicProblem.COUNT: count_error(wanted) != Error.NONE,
        TopicProblem.CONFIG: topic_config_error(wanted.configs, semantics) != Error.NONE,
    }
    return frozenset([reason for reason, speaks in spoken.items() if speaks])
