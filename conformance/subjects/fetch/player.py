"""Scenarios with more than one step: each actor has a connection, each step waits for the earlier ones of its actor."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from conformance.play.log_steps import append, delete
from conformance.subjects.fetch.answers import Keys, fetch_answer, keys_of
from conformance.subjects.fetch.lanes import SILENCE_S, answerable, observed_end
from conformance.subjects.fetch.requests import OLDER_EPOCH_UNKNOWN, fetch_request, older_epoch_missing
from conformance.wire import outcomes
from spec.observation import AppendAnswer, Exchange, FetchAnswer, Garbled, NotSent, Observation, Outcome
from spec.scenario import OWN, Append, DeleteRecords, Fetch, LogStep

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.cluster import Cluster
    from conformance.placement.site import Placed
    from conformance.wire.connection import Connection
    from spec.scenario import Scenario, Step

SIDE_BY_SIDE = 16
"""Histories played at the same time: they mostly wait."""


@dataclass(slots=True)
class _Play:
    """One history under way."""

    cluster: Cluster
    scenario: Scenario
    placed: Placed
    keys: Keys
    started: float = 0.0
    session: int = 0
    stopped: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)
    exchanges: dict[int, Exchange] = field(default_factory=dict)


def play(cluster: Cluster, scenario: Scenario, placed: Placed) -> Observation:
    """Play one history. What the broker does is in the observation; a broker that is gone makes it `broken`."""
    run = _Play(cluster, scenario, placed, keys_of(placed))
    by_actor: dict[int, list[int]] = {}
    for number, step in enumerate(scenario.steps):
        by_actor.setdefault(step.actor, []).append(number)
    try:
        connections = {actor: cluster.connect(timeout=SILENCE_S) for actor in by_actor}
    except outcomes.NotConnected as gone:
        return Observation((), broken=f"the broker is gone: {gone}")
    run.started = time.monotonic()
    try:
        others = [
            threading.Thread(target=_act, args=(run, connections[actor], numbers), daemon=True)
            for actor, numbers in by_actor.items()
            if actor != scenario.steps[0].actor
        ]
        for thread in others:
            thread.start()
        first = scenario.steps[0].actor
        _act(run, connections[first], by_actor[first])
        for thread in others:
            thread.join()
        if run.session and connections[first].alive:
            _close_session(run, connections[first])
    finally:
        for connection in connections.values():
            connection.close()
    exchanges = [
        run.exchanges.get(number, Exchange(number, NotSent("an earlier step ended the scenario"))) for number in range(len(scenario.steps))
    ]
    sent = [exchange for exchange in exchanges if not isinstance(exchange.outcome, NotSent) or exchange.step in run.exchanges]
    return Observation(tuple(sent))


def play_all(cluster: Cluster, plays: Sequence[tuple[Scenario, Placed]]) -> Iterator[tuple[int, Observation]]:
    """Play many histories side by side, each on its own layout; each comes back with its number."""
    if len(plays) == 1:
        yield 0, play(cluster, *plays[0])
        return
    with ThreadPoolExecutor(max_workers=SIDE_BY_SIDE) as pool:
        yield from enumerate(pool.map(lambda one: play(cluster, *one), plays))


def _act(run: _Play, connection: Connection, numbers: Sequence[int]) -> None:
    for number in numbers:
        step = run.scenario.steps[number]
        early = run.started + (step.after_ms / 1000 if isinstance(step, LogStep) else 0) - time.monotonic()
        if early > 0:
            threading.Event().wait(early)
        if run.stopped:
            return
        sent = time.monotonic()
        outcome = _step(run, connection, step)
        answered = time.monotonic()
        exchange = Exchange(number, outcome, (sent - run.started) * 1000, (answered - run.started) * 1000)
        with run.lock:
            run.exchanges[number] = exchange
        if not isinstance(outcome, FetchAnswer | AppendAnswer) or (isinstance(outcome, AppendAnswer) and outcome.error):
            run.stopped = True


def _step(run: _Play, connection: Connection, step: Step) -> Outcome:
    if isinstance(step, Fetch):
        return _fetch(run, connection, step)
    if isinstance(step, Append):
        return append(run.cluster, connection, step, run.placed.sites[step.partition], run.lock)
    if isinstance(step, DeleteRecords):
        return delete(run.cluster, connection, step, run.placed.sites[step.partition])
    return NotSent(f"{type(step).__name__} is a step of share groups, which their own player sends")


def _fetch(run: _Play, connection: Connection, step: Fetch) -> Outcome:
    if not answerable(run.cluster, step):
        return NotSent(f"the broker does not advertise Fetch v{step.version}")
    if step.quota is not None:
        return NotSent("a quota of its own goes with a lone fetch outside of any session")
    if older_epoch_missing(step, run.placed):
        return NotSent(OLDER_EPOCH_UNKNOWN)
    asked = run.session if step.session == OWN else int(step.session)
    connection.send("Fetch", step.version, fetch_request(step, run.placed, asked))
    outcome = connection.receive(SILENCE_S + step.max_wait_ms / 1000)
    if not isinstance(outcome, outcomes.Answer):
        return observed_end(run.cluster, outcome)
    try:
        answer = fetch_answer(outcome.value, outcome.trailing, run.placed, run.keys, own=run.session, asked=asked)
    except (KeyError, TypeError) as missing:
        return Garbled(f"the answer lacks {missing}")
    if answer.session == 2:
        run.session = outcome.value["session_id"]
    return answer


def _close_session(run: _Play, connection: Connection) -> None:
    """Free the session's slot: the broker has few."""
    value = {"max_wait_ms": 0, "min_bytes": 0, "session_id": run.session, "session_epoch": -1, "topics": []}
    connection.send("Fetch", 12, value)
    connection.receive(SILENCE_S)
