"""Events of the share groups of a served model: `spec.share` by the real clock."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from conformance.serve.clock import now_ms
from conformance.serve.share_groups import Existence, ServedShareGroup
from spec.frozen import replace
from spec.outcomes import Closed
from spec.share.model.machine import ShareMachine, ShareStepResult, share_machine
from spec.share.steps import OPENING_EPOCH, DropConnection, RestartBroker

if TYPE_CHECKING:
    from conformance.serve.broker_state import BrokerState
    from spec.log import Log
    from spec.outcomes import Outcome
    from spec.share.model.session import ShareRequest
    from spec.steps import Step

UNANSWERED = Closed("its connection was lost while it waited")
"""Stands for the answer to a fetch that is not waited for any more."""


def refresh(state: BrokerState, served: ServedShareGroup) -> None:
    """Let a group see the logs as they are now."""
    for topic_id, partition in served.known_addresses:
        number = number_of(state, served, topic_id, partition)
        log = log_at(state, topic_id, partition)
        if log is not None:
            served.state = served.state.with_log(number, log)


def log_at(state: BrokerState, topic_id: bytes, partition: int) -> Log | None:
    """The log of a partition; None where it does not exist."""
    topic = state.topic(topic_id=topic_id)
    return (
        topic.partitions[partition].log
        if topic is not None and 0 <= partition < len(topic.partitions)
        else None
    )


def number_of(state: BrokerState, served: ServedShareGroup, topic_id: bytes, partition: int) -> int:
    """The number of a partition in a group."""
    if log_at(state, topic_id, partition) is not None:
        return served.number((topic_id, partition), Existence.PARTITION)
    return served.number(
        (topic_id, partition),
        Existence.NOTHING if state.topic(topic_id=topic_id) is None else Existence.TOPIC,
    )


def _machine(state: BrokerState) -> ShareMachine:
    """The machine of share groups under the broker's settings of now."""
    return share_machine(state.settings.semantics, state.settings.config, state.shares.sharing)


def apply_step(state: BrokerState, served: ServedShareGroup, step: Step) -> Outcome:
    """Let a step that no one waits for happen to a group now; its outcome."""
    return served.outcomes.pop(_take(state, served, step))


def _take(state: BrokerState, served: ServedShareGroup, step: Step) -> int:
    """Let a step happen to a group now; its key, under which its outcome is kept once there is
    one.
    """
    key = served.last_key = served.last_key + 1
    _advance(state, served)
    _keep(state, served, _machine(state).take(served.state, key, step, now_ms()))
    return key


def _advance(state: BrokerState, served: ServedShareGroup) -> None:
    """Let what is due by now happen to a group: locks run out, and fetches look at logs that have
    changed, or are answered at last.
    """
    before = served.state
    refresh(state, served)
    machine = _machine(state)
    if served.state.parked:
        _keep(state, served, machine.notice_logs(served.state, before, now_ms()))
    _keep(state, served, machine.fire(served.state, now_ms()))


def _keep(state: BrokerState, served: ServedShareGroup, stepped: ShareStepResult) -> None:
    """Keep the state and the replies; requests that wait for theirs are woken."""
    served.state = stepped.state
    served.outcomes |= dict(stepped.replies)
    if stepped.replies:
        state.wake_waiting()


async def ask(state: BrokerState, served: ServedShareGroup, step: ShareRequest) -> Outcome:
    """The answer to a member's request. A fetch that has too little to read waits until it has
    more, or its MaxWaitMs is over.
    """
    session = served.state.session(step.actor)
    key = _take(state, served, step)
    if step.epoch == OPENING_EPOCH and served.state.session(step.actor) != session:
        served.connections[step.actor] = asyncio.current_task()
    try:
        while key not in served.outcomes and any(one.number == key for one in served.state.parked):
            await state.change(max(0.0, _machine(state).due(served.state) - now_ms()) / 1000)
            _advance(state, served)
    finally:
        served.state = replace(
            served.state, parked=tuple([one for one in served.state.parked if one.number != key])
        )
    return served.outcomes.pop(key, UNANSWERED)


def lose_connection(state: BrokerState, connection: asyncio.Task[None]) -> None:
    """A connection is gone, and with it the sessions that were opened on it, and the fetches that
    wait on it.
    """
    for served in state.shares.served_groups.values():
        for actor in [actor for actor, task in served.connections.items() if task is connection]:
            del served.connections[actor]
            apply_step(state, served, DropConnection(actor))


def forget_connections(state: BrokerState) -> None:
    """Forget who opened sessions: a broker that stops gives back nothing that a member holds."""
    for served in state.shares.served_groups.values():
        served.connections.clear()


def restart(state: BrokerState) -> None:
    """Restart: keep of share groups what was written."""
    for served in state.shares.served_groups.values():
        apply_step(state, served, RestartBroker())
