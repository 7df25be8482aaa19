"""What happens to the share groups of a served model: `spec.share` by the real clock."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from conformance.serve.clock import now_ms
from conformance.serve.share_halls import ShareHall, There
from spec.outcomes import Closed
from spec.share.model.machine import ShareMachine, ShareStepped, share_machine
from spec.share.steps import OPENING_EPOCH, DropConnection, RestartBroker

if TYPE_CHECKING:
    from conformance.serve.world import World
    from spec.log import Log
    from spec.outcomes import Outcome
    from spec.share.model.session import ShareRequest
    from spec.steps import Step

UNANSWERED = Closed("its connection was lost while it waited")
"""Stands for the answer to a fetch that is not waited for any more."""


def refresh(world: World, hall: ShareHall) -> None:
    """Let a group see the logs as they are now."""
    for topic_id, partition in hall.known_addresses:
        number = number_of(world, hall, topic_id, partition)
        log = log_at(world, topic_id, partition)
        if log is not None:
            hall.state = hall.state.with_log(number, log)


def log_at(world: World, topic_id: bytes, partition: int) -> Log | None:
    """The log of a partition; None where it does not exist."""
    topic = world.topic(topic_id=topic_id)
    return (
        topic.shelves[partition].log
        if topic is not None and 0 <= partition < len(topic.shelves)
        else None
    )


def number_of(world: World, hall: ShareHall, topic_id: bytes, partition: int) -> int:
    """The number of a partition in a group."""
    if log_at(world, topic_id, partition) is not None:
        return hall.number((topic_id, partition), There.PARTITION)
    return hall.number(
        (topic_id, partition),
        There.NOTHING if world.topic(topic_id=topic_id) is None else There.TOPIC,
    )


def _machine(world: World) -> ShareMachine:
    """The machine of share groups under the broker's settings of now."""
    return share_machine(world.settings.semantics, world.settings.config, world.shares.sharing)


def apply_step(world: World, hall: ShareHall, step: Step) -> Outcome:
    """Let a step that no one waits for happen to a group now; its outcome."""
    return hall.outcomes.pop(_take(world, hall, step))


def _take(world: World, hall: ShareHall, step: Step) -> int:
    """Let a step happen to a group now; its key, under which its outcome is kept once there is
    one.
    """
    key = hall.last_key = hall.last_key + 1
    _advance(world, hall)
    _keep(world, hall, _machine(world).take(hall.state, key, step, now_ms()))
    return key


def _advance(world: World, hall: ShareHall) -> None:
    """Let what is due by now happen to a group: locks run out, and fetches look at logs that have
    changed, or are answered at last.
    """
    before = hall.state
    refresh(world, hall)
    machine = _machine(world)
    if hall.state.parked:
        _keep(world, hall, machine.notice_logs(hall.state, before, now_ms()))
    _keep(world, hall, machine.ring(hall.state, now_ms()))


def _keep(world: World, hall: ShareHall, stepped: ShareStepped) -> None:
    """Keep the state and the replies; requests that wait for theirs are woken."""
    hall.state = stepped.state
    hall.outcomes |= dict(stepped.replies)
    if stepped.replies:
        world.changed()


async def ask(world: World, hall: ShareHall, step: ShareRequest) -> Outcome:
    """The answer to a member's request. A fetch that has too little to read waits until it has
    more, or its MaxWaitMs is over.
    """
    session = hall.state.session(step.actor)
    key = _take(world, hall, step)
    if step.epoch == OPENING_EPOCH and hall.state.session(step.actor) != session:
        hall.connections[step.actor] = asyncio.current_task()
    try:
        while key not in hall.outcomes and any(one.number == key for one in hall.state.parked):
            await world.change(max(0.0, _machine(world).due(hall.state) - now_ms()) / 1000)
            _advance(world, hall)
    finally:
        hall.state = replace(
            hall.state, parked=tuple([one for one in hall.state.parked if one.number != key])
        )
    return hall.outcomes.pop(key, UNANSWERED)


def lose_connection(world: World, connection: asyncio.Task[None]) -> None:
    """A connection is gone, and with it the sessions that were opened on it, and the fetches that
    wait on it.
    """
    for hall in world.shares.halls.values():
        for actor in [actor for actor, task in hall.connections.items() if task is connection]:
            del hall.connections[actor]
            apply_step(world, hall, DropConnection(actor))


def restart(world: World) -> None:
    """What a restart leaves of share groups: what was written."""
    for hall in world.shares.halls.values():
        hall.connections.clear()
        apply_step(world, hall, RestartBroker())
