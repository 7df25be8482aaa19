"""Everything that a served model keeps between requests."""

from __future__ import annotations

import asyncio
import uuid
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from conformance.facts import NUM_PARTITIONS
from conformance.serve.groups import Groups
from conformance.serve.peers import ORDINARY, Peer
from conformance.serve.segment_keeping import SegmentKeeping
from conformance.serve.served_partition import ServedPartition
from conformance.serve.settings import (
    Settings,
    segment_settings,
    topic_settings,
    write_limits,
)
from conformance.serve.share_groups import Shares
from conformance.serve.transactions import Coordinator
from spec.fetch.model.answer import answer_fetch
from spec.fetch.model.session import on_arrival
from spec.groups.machine import GroupMachine
from spec.limits.model import REFERENCE as CONTROLLER
from spec.limits.releases import LimitSemantics
from spec.limits.topic import Topic as KnownTopic
from spec.produce.model.seams import REFERENCE as LEADER
from spec.produce.model.seams import Alteration
from spec.segments.model import REFERENCE as SEGMENT_RULES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spec.fetch.model.machine import Answering, TakingOn
    from spec.fetch.model.session import Session
    from spec.limits.model import Controller
    from spec.limits.topic import Topics
    from spec.log import Log
    from spec.produce.model.seams import Leader
    from spec.segments.model import SegmentRules

Key = tuple[str | bytes, int]
"""A topic's name or id, and a partition."""

MADE_UP = 1 << 40
"""The numbers of partitions that do not exist start here, so that they stay what they are while
topics come and go.
"""


@dataclass(slots=True)
class Topic:
    """A topic and its partitions."""

    name: str
    id: bytes
    partitions: list[ServedPartition]
    configs: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class OpenSession:
    """A fetch session that is open: see `spec.fetch.model.session.Session`; when it was used last,
    in seconds.
    """

    session: Session
    used: float


@dataclass(slots=True)
class BrokerState:
    """The state of a served model, with its clock and its address.

    Attributes:
        settings: what it was started with.
        host, port: the address that clients are given.
        answering: what answers a fetch: the reference, or one with a planted fault.
        taking_on: what a session becomes when a request arrives, likewise.
        leader: how Produce requests are handled: as by the reference, or with a planted fault.
        segment_rules: how segments are kept, likewise.
        controller: how topics are made, likewise.
        peer: how answers go over the wire: as Kafka's do, or oddly.
    """

    settings: Settings
    host: str = "127.0.0.1"
    port: int = 0
    answering: Answering = answer_fetch
    taking_on: TakingOn = on_arrival
    leader: Leader = LEADER
    segment_rules: SegmentRules = SEGMENT_RULES
    controller: Controller = CONTROLLER
    peer: Peer = ORDINARY
    topics: dict[str, Topic] = field(default_factory=dict)
    sessions: dict[int, OpenSession] = field(default_factory=dict)
    coordinator: Coordinator = field(default_factory=Coordinator)
    groups: Groups = field(default_factory=Groups)
    shares: Shares = field(default_factory=Shares)
    committed: dict[str, dict[tuple[str, int], tuple[int, int, str | None]]] = field(
        default_factory=dict
    )
    _numbers: dict[Key, int] = field(default_factory=dict)
    _keys: dict[int, Key] = field(default_factory=dict)
    _next: int = 0
    _made_up: int = MADE_UP
    _last_id: int = 1
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        """Handle groups as the release does."""
        self.groups.machine = GroupMachine(self.settings.semantics)

    @property
    def limit_semantics(self) -> LimitSemantics:
        """The model's decisions about topics."""
        return self.settings.semantics.of(LimitSemantics)

    def known_topics(self) -> Topics:
        """The topics as the model of a controller sees them."""
        return {
            name: KnownTopic(len(topic.partitions), tuple(sorted(topic.configs.items())))
            for name, topic in self.topics.items()
        }

    def create(self, name: str, partitions: int) -> int:
        """Make a topic of so many partitions (-1: `num.partitions`) that no one asked for; the
        error code, 0 where it was made.
        """
        error = self.controller.naming(name, self.known_topics())
        if not error:
            default = self.settings.number(NUM_PARTITIONS)
            self.make(name, default if partitions == -1 else partitions)
        return error

    def make(self, name: str, partitions: int, configs: Mapping[str, str] | None = None) -> None:
        """Make a topic, whose name may stand and is free."""
        topic = Topic(name, self._new_id(), [], dict(configs or {}))
        self.topics[name] = topic
        self.grow(topic, partitions)

    def _new_id(self) -> bytes:
        if not self.peer.numbers_topics:
            return uuid.uuid4().bytes
        self._last_id += 1
        return self._last_id.to_bytes(16, "big")

    def grow(self, topic: Topic, count: int) -> None:
        """Give a topic so many partitions; those beyond are taken away."""
        del topic.partitions[count:]
        limits = write_limits(self.settings, topic.configs)
        settings = topic_settings(self.settings, topic.configs)
        kept = segment_settings(self.settings, topic.configs)
        topic.partitions += [
            ServedPartition(limits, settings, segments=SegmentKeeping(kept))
            for _ in range(count - len(topic.partitions))
        ]

    def configure(self, topic: Topic, configs: dict[str, str]) -> None:
        """Set a topic's configs."""
        before = topic_settings(self.settings, topic.configs)
        after = topic_settings(self.settings, configs)
        topic.configs = configs
        for served in topic.partitions:
            served.limits = write_limits(self.settings, configs)
            served.segments.alter(segment_settings(self.settings, configs))
        for other in self.topics.values() if after != before else ():
            for served in other.partitions:
                elsewhere = other is not topic
                served.alter(Alteration(served.settings, after, elsewhere), self.leader)

    def delete(self, topic: Topic) -> None:
        """Take a topic away."""
        del self.topics[topic.name]
        self._numbers = {
            key: number
            for key, number in self._numbers.items()
            if key[0] not in {topic.name, topic.id}
        }
        self._keys = {
            number: key
            for number, key in self._keys.items()
            if key[0] not in {topic.name, topic.id}
        }
        self.wake_waiting()

    def topic(self, name: str = "", topic_id: bytes = b"") -> Topic | None:
        """A topic by its name, or where that is empty by its id."""
        if name:
            return self.topics.get(name)
        return next((topic for topic in self.topics.values() if topic.id == topic_id), None)

    def partition(self, name: str, partition: int) -> ServedPartition | None:
        """A partition; None where there is none."""
        topic = self.topics.get(name)
        return (
            topic.partitions[partition]
            if topic is not None and 0 <= partition < len(topic.partitions)
            else None
        )

    def number(self, topic: str | bytes, partition: int) -> int:
        """A partition's number by its topic's name or id, the same each time.

        One that does not exist gets a number from `MADE_UP` on: odd steps where its topic exists,
        even ones where it does not, as `spec.fetch.model.request.unknown_error` distinguishes them.
        """
        found = self.topic(topic) if isinstance(topic, str) else self.topic(topic_id=topic)
        exists = found is not None and 0 <= partition < len(found.partitions)
        known = self._numbers.get((topic, partition))
        if known is not None and (known < MADE_UP) == exists:
            return known
        if found is not None and exists:
            number, self._next = self._next, self._next + 1
            self._keys[number] = found.name, partition
            self._numbers[found.name, partition] = self._numbers[found.id, partition] = number
            return number
        self._made_up += 2
        number = self._made_up - (found is not None)
        self._keys[number] = topic, partition
        self._numbers[topic, partition] = number
        return number

    def key(self, number: int) -> Key:
        """The (topic name, or id where no such topic was known, partition) that a number stands
        for.
        """
        return self._keys.get(number, ("", -1))

    def log(self, number: int) -> Log | None:
        """The log of a partition by its number; None where it does not exist."""
        topic, partition = self.key(number)
        served = self.partition(topic, partition) if isinstance(topic, str) else None
        return served.log if served is not None else None

    def wake_waiting(self) -> None:
        """Wake every request that waits for something to happen."""
        self._changed.set()
        self._changed = asyncio.Event()

    async def change(self, seconds: float) -> None:
        """Wait until something happens, at most so many seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._changed.wait()

    def restart(self, settings: Settings) -> None:
        """Restart: keep topics under new leader epochs, and no sessions."""
        self.settings = settings
        self.sessions.clear()
        self.groups.restart(settings.limits)
        for topic in self.topics.values():
            self.configure(topic, topic.configs)
            for served in topic.partitions:
                served.leader_epoch += 1
