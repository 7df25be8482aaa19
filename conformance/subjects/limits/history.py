"""Histories of limits: one request after the other, on topics of their own. What a controller has
decided is asked of the broker again until the broker shows it.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from conformance.ledger import PREFIX, Kind
from conformance.placement.pool import FENCED_S
from conformance.play.history import History, Retry
from conformance.play.request import Request
from conformance.play.silence import SILENCE_S
from conformance.subjects.limits.connections import ConnectionLimits, PlayedConnections
from conformance.subjects.limits.listener import AddedListeners, PlayedListener
from conformance.subjects.limits.patience import Patience
from conformance.subjects.limits.requests import (
    answer_of,
    api_of,
    body_of,
    config_answer,
    config_request,
    delete_body,
    names_of,
    page_answer,
    page_request,
)
from conformance.subjects.limits.validating import harms
from conformance.wire.outcomes import Answer
from spec.kafka import Error
from spec.limits.outcomes import (
    OF_TOPIC,
    ConfigsAltered,
    ConfigsDescribed,
    ConnectionsHeld,
    ListenerConnections,
    PartitionPage,
    TopicsAnswer,
)
from spec.limits.steps import (
    OWN,
    AlterConfigs,
    ConfigsStep,
    ConnectionStep,
    CreatePartitions,
    CreateTopics,
    DescribeConfigs,
    DescribeTopics,
    LimitStep,
    ListenerStep,
    ListPartitions,
    NewTopic,
)
from spec.outcomes import NotSent, Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spec.steps import Step

PAUSE_S = 0.02
DELETE_VERSION = 6
GONE = frozenset({Error.NONE, Error.UNKNOWN_TOPIC_OR_PARTITION, Error.INVALID_TOPIC_EXCEPTION})
"""Answers after which a topic is not there, or never could be."""
NOT_READY = frozenset({Error.NOT_CONTROLLER, Error.BROKER_NOT_AVAILABLE})
"""Errors of a controller that is not known, for the moment."""


def own_prefix() -> str:
    """What the names of a play's topics begin with."""
    made = f"{PREFIX}{secrets.token_hex(6)}-"
    assert len(made) == len(OWN)  # a name at the limit of its length stays there
    return made


@dataclass
class LimitHistory(History):
    """A scenario of limits while it is played.

    Attributes:
        ignored: the kinds of request whose ValidateOnly this broker ignores, each with what showed
            it: such a request is not sent where carrying it out would do harm.
        own: what the names of its topics begin with, in the place of `OWN`.
        patience: with the broker, shared by all that is played on it.
        limits: the broker's connection limits; None where they may not be changed.
        listeners: those that are added to the broker; None where none may be.
        connections: those that the scenario is about.
        listener: that of the scenario.
    """

    patience: Patience = field(default_factory=Patience)
    limits: ConnectionLimits | None = None
    listeners: AddedListeners | None = None
    connections: PlayedConnections = field(init=False)
    listener: PlayedListener = field(init=False)
    ignored: Mapping[type[LimitStep], str] = field(default_factory=dict)
    own: str = field(init=False, default_factory=own_prefix)
    _partition_counts: dict[str, int] = field(init=False, default_factory=dict)
    """The number of partitions of each topic that the controller said it made, by name."""
    _topic_configs: dict[str, dict[str, str]] = field(init=False, default_factory=dict)
    """The configs that the controller said it set for each such topic."""
    _to_delete: set[str] = field(init=False, default_factory=set)
    """The names of all topics that may have been made, answered or not."""

    def __post_init__(self) -> None:
        self.connections = PlayedConnections(self.limits, self.patience)
        self.listener = PlayedListener(self.listeners, self.patience)

    def sends(self, step: Step) -> bool:
        """Whether a step is a single request of its actor."""
        return not isinstance(step, ConnectionStep | ListenerStep)

    async def act(self, number: int, step: Step) -> Outcome:
        """Open, close or limit connections."""
        del number
        if isinstance(step, ListenerStep):
            return await self.listener.do(self.cluster, step)
        assert isinstance(step, ConnectionStep)
        return await self.connections.do(self.cluster, step)

    def request(self, step: Step) -> Request | NotSent | None:
        """Make a step's request; None for a step about connections."""
        assert isinstance(step, LimitStep)
        if isinstance(step, ConnectionStep | ListenerStep):
            return None
        if isinstance(step, ConfigsStep):
            api, body = config_request(step, self.own)
        elif isinstance(step, ListPartitions):
            api, body = "DescribeTopicPartitions", page_request(step, self.own)
        else:
            api, body = api_of(step), body_of(step, self.own)
        if step.version not in self.cluster.versions.usable(self.cluster.codec, api):
            return NotSent(f"the broker does not advertise {api} v{step.version}")
        if (evidence := self.ignored.get(type(step))) is not None and harms(step):
            return NotSent(
                f"{evidence}: {api} is not asked to validate what would do harm where it is done"
            )
        if isinstance(step, CreateTopics):
            for name in names_of(step, self.own):
                if name.startswith(self.own):
                    self._to_delete.add(name)
                    self.will_make(Kind.TOPIC, name)
        return Request(api, step.version, body, SILENCE_S)

    def outcome(self, step: Step, request: Request, answer: Answer) -> Outcome:
        """Read an answer, and note what is there now."""
        assert isinstance(step, LimitStep)
        assert not isinstance(step, ConnectionStep | ListenerStep)
        if isinstance(step, ConfigsStep):
            altered = config_answer(step, request.version, answer.value)
            self._note_set(step, altered)
            return altered
        if isinstance(step, ListPartitions):
            return page_answer(request.version, answer.value)
        found = answer_of(step, answer.value, self.own)
        if isinstance(step, CreateTopics | CreatePartitions) and not step.validate_only:
            self._note_made(step, found)
        return found

    def _note_made(self, step: CreateTopics | CreatePartitions, answer: TopicsAnswer) -> None:
        names = names_of(step, self.own)
        for entry in answer.entries:
            if entry.error or entry.topic < 0:
                continue
            topic = step.topics[entry.topic]
            asked = topic.partitions if isinstance(step, CreateTopics) else topic.count  # type: ignore[union-attr]
            self._partition_counts[names[entry.topic]] = entry.partitions or asked
            if isinstance(topic, NewTopic):
                self._topic_configs[names[entry.topic]] = dict(topic.configs)

    def _note_set(self, step: ConfigsStep, outcome: Outcome) -> None:
        if not isinstance(step, AlterConfigs) or step.validate_only:
            return
        known = self._topic_configs.get(step.target.with_prefix(self.own))
        if known is None or not isinstance(outcome, ConfigsAltered) or outcome.error:
            return
        for one in step.changes:
            known.pop(one.config, None)
            if one.value is not None:
                known[one.config] = one.value

    def retry(
        self, step: Step, request: Request, outcome: Outcome, waited_s: float
    ) -> Retry | None:
        """Ask again while the controller is not known, while no broker can be given a partition,
        and until the broker shows what was decided.
        """
        del request
        if isinstance(step, DescribeConfigs) and isinstance(outcome, ConfigsDescribed):
            shown = self._is_described(step, outcome)
            return self._retry_unless(shown, step, waited_s)
        if isinstance(step, ListPartitions) and isinstance(outcome, PartitionPage):
            shown = self._is_listed(step, outcome)
            return self._retry_unless(shown, step, waited_s)
        if not isinstance(outcome, TopicsAnswer):
            return None
        if isinstance(step, DescribeTopics):
            shown = self._is_shown(step, outcome)
            return self._retry_unless(shown, step, waited_s)
        codes = {one.error for one in outcome.entries}
        fenced = isinstance(step, CreateTopics) and _all_brokers_fenced(step, outcome)
        not_ready = bool(codes) and codes <= NOT_READY
        return (
            Retry(step, PAUSE_S, kept=False)
            if (fenced or not_ready) and waited_s < FENCED_S
            else None
        )

    def _retry_unless(self, shown: bool, step: Step, waited_s: float) -> Retry | None:
        """Ask again unless what was decided is shown, while the patience lasts."""
        again = not shown and self.patience.lasts(waited_s)
        return Retry(step, PAUSE_S, kept=False) if again else None

    def _is_shown(self, step: DescribeTopics, answer: TopicsAnswer) -> bool:
        """Whether the broker shows each topic with the controller's number of partitions, and shows
        none where the controller made none.
        """
        expected = [self._partition_counts.get(name) for name in names_of(step, self.own)]
        found = {one.topic: one.partitions for one in answer.entries}
        return all(found.get(place) == count for place, count in enumerate(expected))

    def _is_listed(self, step: ListPartitions, page: PartitionPage) -> bool:
        """Whether a page may be of a topic with the controller's number of partitions: the last
        page ends with the last partition, each other one before it.
        """
        count = self._partition_counts.get(step.target.with_prefix(self.own))
        if count is None or page.error:
            return count is None and bool(page.error)
        start = step.start or 0
        end, is_last = start + len(page.partitions), page.following is None
        return start >= count or (end == count if is_last else end < count)

    def _is_described(self, step: DescribeConfigs, answer: ConfigsDescribed) -> bool:
        """Whether the broker shows the configs that the controller set for a topic, and no others;
        an error where the controller made no such topic.
        """
        given = self._topic_configs.get(step.target.with_prefix(self.own))
        if given is None or answer.error:
            return given is None and bool(answer.error)
        found = {one.config: one.value for one in answer.configs if one.source == OF_TOPIC}
        asked = step.configs or tuple(given)
        return found == {name: given[name] for name in asked if name in given}

    def continues(self, step: Step, outcome: Outcome) -> bool:
        """Continue after each answer, and what was not sent."""
        del step
        answered = (
            TopicsAnswer
            | ConfigsAltered
            | ConfigsDescribed
            | PartitionPage
            | ConnectionsHeld
            | ListenerConnections
        )
        return isinstance(outcome, answered | NotSent)

    async def finish(self) -> None:
        """Close the connections, and delete the topics that may have been made; what is left stays
        in the ledger.
        """
        await self.connections.close()
        await self.listener.close()
        if not self._to_delete:
            return
        connection = await self.connection(0)
        version = self.cluster.version("DeleteTopics", DELETE_VERSION)
        body = delete_body(sorted(self._to_delete), version)
        answered = await connection.send("DeleteTopics", version, body, SILENCE_S).answered
        if isinstance(answered, Answer):
            gone = [
                one["name"]
                for one in answered.value["responses"]
                if one["name"] in self._to_delete and one["error_code"] in GONE
            ]
            self.cluster.ledger.note_removed(Kind.TOPIC, *gone)


def _all_brokers_fenced(step: CreateTopics, answer: TopicsAnswer) -> bool:
    """Whether the controller can give no broker a partition now: it made no topic, and refused a
    replication factor of 1, or the broker's default (-1), as invalid. A fenced broker gets none.
    """
    if not step.validate_only and any(not one.error for one in answer.entries):
        return False
    return any(
        one.error == Error.INVALID_REPLICATION_FACTOR
        and one.topic >= 0
        and step.topics[one.topic].replication in {-1, 1}
        for one in answer.entries
    )
