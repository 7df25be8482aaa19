"""Scenarios of limits while they are played: one request after the other, on their own topics."""

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
    assert len(made) == len(OWN)
    return made


@dataclass
class LimitHistory(History):
    """A scenario of limits while it is played.

    Attributes:
        ignored: by kind of request, what shows that the broker does what it is only to validate:
            one that would do harm is not sent.
        own: what the names of its topics begin with.
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
    _there: dict[str, int] = field(init=False, default_factory=dict)
    """The partitions of each topic that was made, as answered."""
    _set: dict[str, dict[str, str]] = field(init=False, default_factory=dict)
    """The configs of each such topic that were set, as answered."""
    _named: set[str] = field(init=False, default_factory=set)
    """The names of all topics that may have been made."""

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
        if (ignored := self.ignored.get(type(step))) is not None and harms(step):
            return NotSent(
                f"{ignored}: {api} is not asked to validate what would do harm where it is done"
            )
        if isinstance(step, CreateTopics):
            for name in names_of(step, self.own):
                if name.startswith(self.own):
                    self._named.add(name)
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
            self._there[names[entry.topic]] = entry.partitions or asked
            if isinstance(topic, NewTopic):
                self._set[names[entry.topic]] = dict(topic.configs)

    def _note_set(self, step: ConfigsStep, outcome: Outcome) -> None:
        if not isinstance(step, AlterConfigs) or step.validate_only:
            return
        known = self._set.get(step.target.with_prefix(self.own))
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
            return self._unless(shown, step, waited_s)
        if isinstance(step, ListPartitions) and isinstance(outcome, PartitionPage):
            shown = self._is_listed(step, outcome)
            return self._unless(shown, step, waited_s)
        if not isinstance(outcome, TopicsAnswer):
            return None
        if isinstance(step, DescribeTopics):
            shown = self._is_shown(step, outcome)
            return self._unless(shown, step, waited_s)
        codes = {one.error for one in outcome.entries}
        asleep = isinstance(step, CreateTopics) and _all_fenced(step, outcome)
        not_ready = bool(codes) and codes <= NOT_READY
        return (
            Retry(step, PAUSE_S, kept=False)
            if (asleep or not_ready) and waited_s < FENCED_S
            else None
        )

    def _unless(self, shown: bool, step: Step, waited_s: float) -> Retry | None:
        """Ask again unless what was decided is shown, while the patience lasts."""
        again = not shown and self.patience.lasts(waited_s)
        return Retry(step, PAUSE_S, kept=False) if again else None

    def _is_shown(self, step: DescribeTopics, answer: TopicsAnswer) -> bool:
        """Whether the broker shows each topic as the controller said that it is."""
        expected = [self._there.get(name) for name in names_of(step, self.own)]
        found = {one.topic: one.partitions for one in answer.entries}
        return all(found.get(place) == count for place, count in enumerate(expected))

    def _is_listed(self, step: ListPartitions, page: PartitionPage) -> bool:
        """Whether a page may be one of a topic as the controller said that it is."""
        count = self._there.get(step.target.with_prefix(self.own))
        if count is None or page.error:
            return count is None and bool(page.error)
        start, end = step.start or 0, (step.start or 0) + len(page.partitions)
        return start >= count or (end == count if page.following is None else end < count)

    def _is_described(self, step: DescribeConfigs, answer: ConfigsDescribed) -> bool:
        """Whether the broker shows what was set for a topic."""
        given = self._set.get(step.target.with_prefix(self.own))
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
        if not self._named:
            return
        connection = await self.connection(0)
        version = self.cluster.version("DeleteTopics", DELETE_VERSION)
        body = delete_body(sorted(self._named), version)
        answered = await connection.send("DeleteTopics", version, body, SILENCE_S).answered
        if isinstance(answered, Answer):
            gone = [
                one["name"]
                for one in answered.value["responses"]
                if one["name"] in self._named and one["error_code"] in GONE
            ]
            self.cluster.ledger.note_removed(Kind.TOPIC, *gone)


def _all_fenced(step: CreateTopics, answer: TopicsAnswer) -> bool:
    """Whether no topic was made, and one could not be only since no broker can be given a partition
    now: a replication factor of one, or the broker's own, was refused.
    """
    if not step.validate_only and any(not one.error for one in answer.entries):
        return False
    return any(
        one.error == Error.INVALID_REPLICATION_FACTOR
        and one.topic >= 0
        and step.topics[one.topic].replication in {-1, 1}
        for one in answer.entries
    )
