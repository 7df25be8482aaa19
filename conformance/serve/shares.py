"""The share groups of a served model: `spec.share` by the real clock, with each group's partitions and members under numbers of its own."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import inf
from typing import TYPE_CHECKING

from conformance.serve.clock import now_ms
from spec.log import Log
from spec.share.hidden import passed
from spec.share.model.reply import REFERENCE, Sharing, acquired_nothing, joined, reply, resumed
from spec.share.model.state import Slot, loaded
from spec.share.model.state import World as ShareWorld
from spec.share.outcomes import ShareFetchAnswer
from spec.share.releases import ShareSemantics
from spec.share.steps import FINAL_EPOCH, OPENING_EPOCH, DropConnection, RestartBroker, ShareAcknowledge, ShareFetch

if TYPE_CHECKING:
    from conformance.serve.world import World
    from spec.outcomes import Outcome
    from spec.share.model.session import ShareRequest
    from spec.steps import Step

Address = tuple[bytes, int]
"""Topic id and partition."""


class There(StrEnum):
    """How much of what an address names exists."""

    PARTITION = "partition"
    TOPIC = "topic"
    NOTHING = "nothing"


NOTHING_SEEN = Log((), 0, 0, 0)
UNKNOWN_TOPICS = 1 << 40
"""Partitions of unknown topics have numbers from here on, unknown partitions of known topics numbers below 0, as `spec.share` has it."""


def _meant(number: int) -> There:
    return There.TOPIC if number < 0 else There.NOTHING if number >= UNKNOWN_TOPICS else There.PARTITION


@dataclass(slots=True)
class ShareHall:
    """One share group.

    Attributes:
        world: its state by `spec`.
        addresses: what each partition's number stands for.
        actors: the number of each member id.
        connections: by member's number, the task that serves the connection on which its session was opened.
    """

    world: ShareWorld = field(default_factory=lambda: ShareWorld((), ()))
    addresses: dict[int, Address] = field(default_factory=dict)
    actors: dict[str, int] = field(default_factory=dict)
    connections: dict[int, asyncio.Task[None] | None] = field(default_factory=dict)
    _numbers: dict[Address, int] = field(default_factory=dict)

    def actor(self, member_id: str) -> int:
        """A member's number, the same each time."""
        return self.actors.setdefault(member_id, len(self.actors))

    def number(self, address: Address, there: There) -> int:
        """A partition's number, the same for as long as so much of it exists; sessions that know it by an old one are told."""
        known = self._numbers.get(address)
        if known is not None and _meant(known) is there:
            return known
        number = self._new_number(there)
        self.addresses[number], self._numbers[address] = address, number
        for member, session in self.world.sessions:
            renamed = tuple([number if one == known else one for one in session.partitions])
            self.world = self.world.with_session(member, replace(session, partitions=renamed))
        return number

    def _new_number(self, there: There) -> int:
        if there is not There.PARTITION:
            return UNKNOWN_TOPICS + len(self.addresses) if there is There.NOTHING else -1 - len(self.addresses)
        self.world = replace(self.world, logs=(*self.world.logs, NOTHING_SEEN), slots=(*self.world.slots, Slot()))
        return len(self.world.logs) - 1

    def refresh(self, world: World) -> None:
        """See the logs as they are now."""
        for topic_id, partition in list(self._numbers):
            number = number_of(world, self, topic_id, partition)
            log = log_at(world, topic_id, partition)
            if log is not None:
                self.world = self.world.with_log(number, log)

    def due_ms(self) -> float:
        """When the next lock runs out."""
        return min([lock.to_ms for _, lock in self.world.locks()], default=inf)


@dataclass(slots=True)
class Shares:
    """All share groups of a served model; `sharing` is how they are handled, where a fault is planted."""

    sharing: Sharing = REFERENCE
    halls: dict[str, ShareHall] = field(default_factory=dict)

    def hall(self, group_id: str) -> ShareHall:
        """A group."""
        return self.halls.setdefault(group_id, ShareHall())


def log_at(world: World, topic_id: bytes, partition: int) -> Log | None:
    """The log of a partition; None where it does not exist."""
    topic = world.topic(topic_id=topic_id)
    return topic.shelves[partition].log if topic is not None and 0 <= partition < len(topic.shelves) else None


def number_of(world: World, hall: ShareHall, topic_id: bytes, partition: int) -> int:
    """The number of a partition in a group."""
    if log_at(world, topic_id, partition) is not None:
        return hall.number((topic_id, partition), There.PARTITION)
    return hall.number((topic_id, partition), There.NOTHING if world.topic(topic_id=topic_id) is None else There.TOPIC)


def take(world: World, hall: ShareHall, step: Step) -> Outcome:
    """Let a step happen to a group now; what it is answered with."""
    sharing, broker, now = world.shares.sharing, world.settings.config, now_ms()
    semantics = world.settings.semantics
    semantics = semantics.having(sharing.decided(semantics.of(ShareSemantics)))
    hall.refresh(world)
    met = passed(hall.world, now, semantics, broker)
    if isinstance(step, ShareFetch):
        session = met.session(step.actor)
        wanted = {part.partition for part in step.partitions} | set(session.partitions if session is not None else ())
        met = loaded(met, wanted, met.settings(semantics, broker))
    outcome, after = reply(met, sharing.misread(step), now, now, semantics, broker)
    hall.world = sharing.remembered(after)
    return outcome


async def asked(world: World, hall: ShareHall, step: ShareRequest) -> Outcome:
    """The answer to a member's request. A fetch that acquires nothing is held back until it does, or `max_wait_ms` has passed."""
    met, began = hall.world.session(step.actor), now_ms()
    outcome = take(world, hall, step)
    opened = hall.world.session(step.actor)
    if step.epoch == OPENING_EPOCH and opened != met:
        hall.connections[step.actor] = asyncio.current_task()
    if isinstance(step, ShareAcknowledge) or step.epoch == FINAL_EPOCH or any(part.acknowledgements for part in step.partitions):
        world.changed()
    if isinstance(step, ShareFetch) and step.epoch != FINAL_EPOCH and isinstance(outcome, ShareFetchAnswer):
        until, first = began + step.max_wait_ms, outcome
        while acquired_nothing(outcome) and now_ms() < until and hall.world.session(step.actor) == opened:
            await world.change(max(0.0, min(until, hall.due_ms()) - now_ms()) / 1000)
            hall.world, again = resumed(hall.world, step, met)
            outcome = take(world, hall, again)
        if outcome is not first and isinstance(outcome, ShareFetchAnswer):
            outcome = joined(first, outcome)
    return world.shares.sharing.altered(step, outcome)


def lost(world: World, connection: asyncio.Task[None]) -> None:
    """A connection is gone, and with it the sessions that were opened on it."""
    for hall in world.shares.halls.values():
        for actor in [actor for actor, task in hall.connections.items() if task is connection]:
            del hall.connections[actor]
            take(world, hall, DropConnection(actor))
            world.changed()


def restarted(world: World) -> None:
    """What a restart leaves of share groups: what was written."""
    for hall in world.shares.halls.values():
        hall.connections.clear()
        take(world, hall, RestartBroker())
