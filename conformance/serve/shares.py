"""The share groups of a served model: `spec.share` by the real clock, with each group's partitions and members under numbers of its own."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from conformance.serve.clock import now_ms
from spec.log import Log
from spec.outcomes import Closed
from spec.share.model.machine import ShareMachine, Stepped, share_machine
from spec.share.model.seams import REFERENCE, Sharing
from spec.share.model.state import PartitionState, State
from spec.share.steps import OPENING_EPOCH, DropConnection, RestartBroker

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
UNANSWERED = Closed("its connection was lost while it waited")
"""Stands for the answer to a fetch that is not waited for any more."""
UNKNOWN_TOPICS = 1 << 40
"""Partitions of unknown topics have numbers from here on, unknown partitions of known topics numbers below 0, as `spec.share` has it."""


def _meant(number: int) -> There:
    return There.TOPIC if number < 0 else There.NOTHING if number >= UNKNOWN_TOPICS else There.PARTITION


@dataclass(slots=True)
class ShareHall:
    """One share group.

    Attributes:
        state: its state by `spec`.
        addresses: what each partition's number stands for.
        actors: the number of each member id.
        connections: by member's number, the task that serves the connection on which its session was opened.
        outcomes: answers that are still to be sent, by the key of their request.
        last_key: the key of the last step.
    """

    state: State = field(default_factory=lambda: State((), ()))
    addresses: dict[int, Address] = field(default_factory=dict)
    actors: dict[str, int] = field(default_factory=dict)
    connections: dict[int, asyncio.Task[None] | None] = field(default_factory=dict)
    outcomes: dict[int, Outcome] = field(default_factory=dict)
    last_key: int = 0
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
        for member, session in self.state.sessions:
            renamed = tuple([number if one == known else one for one in session.partitions])
            self.state = self.state.with_session(member, replace(session, partitions=renamed))
        return number

    def _new_number(self, there: There) -> int:
        if there is not There.PARTITION:
            return UNKNOWN_TOPICS + len(self.addresses) if there is There.NOTHING else -1 - len(self.addresses)
        self.state = replace(self.state, logs=(*self.state.logs, NOTHING_SEEN), partitions=(*self.state.partitions, PartitionState()))
        return len(self.state.logs) - 1

    def refresh(self, world: World) -> None:
        """See the logs as they are now."""
        for topic_id, partition in list(self._numbers):
            number = number_of(world, self, topic_id, partition)
            log = log_at(world, topic_id, partition)
            if log is not None:
                self.state = self.state.with_log(number, log)


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


def _machine(world: World) -> ShareMachine:
    """The machine of share groups under the broker's settings of now."""
    return share_machine(world.settings.semantics, world.settings.config, world.shares.sharing)


def apply_step(world: World, hall: ShareHall, step: Step) -> Outcome:
    """Let a step that no one waits for happen to a group now; its outcome."""
    return hall.outcomes.pop(_take(world, hall, step))


def _take(world: World, hall: ShareHall, step: Step) -> int:
    """Let a step happen to a group now; its key, under which its outcome is kept once there is one."""
    key = hall.last_key = hall.last_key + 1
    _advance(world, hall)
    _keep(world, hall, _machine(world).take(hall.state, key, step, now_ms()))
    return key


def _advance(world: World, hall: ShareHall) -> None:
    """Let what is due by now happen to a group: locks run out, and fetches look at logs that have changed, or are answered at last."""
    before = hall.state
    hall.refresh(world)
    machine = _machine(world)
    if hall.state.parked:
        _keep(world, hall, machine.notice_logs(hall.state, before, now_ms()))
    _keep(world, hall, machine.ring(hall.state, now_ms()))


def _keep(world: World, hall: ShareHall, stepped: Stepped) -> None:
    """Keep the state and the replies; requests that wait for theirs are woken."""
    hall.state = stepped.state
    hall.outcomes |= dict(stepped.replies)
    if stepped.replies:
        world.changed()


async def ask(world: World, hall: ShareHall, step: ShareRequest) -> Outcome:
    """The answer to a member's request. A fetch that has too little to read waits until it has more, or its MaxWaitMs is over."""
    session = hall.state.session(step.actor)
    key = _take(world, hall, step)
    if step.epoch == OPENING_EPOCH and hall.state.session(step.actor) != session:
        hall.connections[step.actor] = asyncio.current_task()
    try:
        while key not in hall.outcomes and any(one.number == key for one in hall.state.parked):
            await world.change(max(0.0, _machine(world).due(hall.state) - now_ms()) / 1000)
            _advance(world, hall)
    finally:
        hall.state = replace(hall.state, parked=tuple([one for one in hall.state.parked if one.number != key]))
    return hall.outcomes.pop(key, UNANSWERED)


def lose_connection(world: World, connection: asyncio.Task[None]) -> None:
    """A connection is gone, and with it the sessions that were opened on it, and the fetches that wait on it."""
    for hall in world.shares.halls.values():
        for actor in [actor for actor, task in hall.connections.items() if task is connection]:
            del hall.connections[actor]
            apply_step(world, hall, DropConnection(actor))


def restart(world: World) -> None:
    """What a restart leaves of share groups: what was written."""
    for hall in world.shares.halls.values():
        hall.connections.clear()
        apply_step(world, hall, RestartBroker())
