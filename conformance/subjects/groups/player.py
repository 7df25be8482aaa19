"""Histories of groups: each actor is a connection, requests that wait are in flight together, all watched by one thread.

A history stops at a restart of the broker and goes on after it, so that one restart serves many histories.
"""

from __future__ import annotations

import select
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from conformance.cluster import NODE_ID
from conformance.subjects.fetch.lanes import answers_control
from conformance.subjects.groups.requests import NEWEST, group_outcome, group_request
from conformance.tries import tries
from conformance.wire import outcomes
from spec.groups.history import Identities
from spec.groups.outcomes import CodedOutcome, GroupDescribed, Passed
from spec.groups.steps import PATIENCE_MS, AlterBrokerConfig, DescribeGroup, GroupStep, JoinGroup, MemberStep, RestartWith, WaitFor
from spec.kafka import COORDINATOR_COMES_UP
from spec.observation import Exchange, Observation
from spec.outcomes import Closed, Garbled, NotSent, Outcome, Silent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from conformance.cluster import Cluster
    from conformance.wire.connection import Connection
    from spec.scenario import Scenario

SIDE_BY_SIDE = 48
"""Histories played at the same time: they mostly wait."""
AGAIN_S = 0.015
"""Seconds after which a group that is not yet as wanted is described again."""
COMING_UP_S = 30.0
"""How long a coordinator may say that it is coming up."""


class GroupPlayer:
    """One history under way.

    Args:
        cluster: whom to ask.
        scenario: what to ask.
    """

    def __init__(self, cluster: Cluster, scenario: Scenario) -> None:
        self.cluster = cluster
        self.scenario = scenario
        self.broken: str | None = None
        self._prefix = f"fencepost-{uuid.uuid4().hex[:12]}"
        self._who = Identities()
        self._connections: dict[int, Connection] = {}
        self._flying: dict[int, tuple[int, str, float]] = {}
        """By actor: the step that its connection waits for, the member id sent, when it was sent."""
        self._exchanges: dict[int, Exchange] = {}
        self._next = 0
        self._started = time.monotonic()

    def play(self) -> RestartWith | None:
        """Play on, to the next restart, which is given, or to the end."""
        try:
            while self._next < len(self.scenario.steps):
                number, step = self._next, self.scenario.steps[self._next]
                assert isinstance(step, GroupStep), step
                if not self._ready(number, step):
                    break
                if isinstance(step, RestartWith):
                    self._finish()
                    return step
                self._next += 1
                if not self._do(number, step):
                    break
            self._finish()
        except outcomes.NotConnected as gone:
            self.broken = f"the broker is gone: {gone}"
        self._close()
        return None

    def restarted(self, cluster: Cluster, sent: float, answered: float) -> None:
        """Take note of a restart: the cluster after it, and when (monotonic seconds)."""
        self._close()
        self.cluster = cluster
        self._exchanges[self._next] = Exchange(self._next, Passed(), self._ms(sent), self._ms(answered))
        self._next += 1

    def observation(self) -> Observation:
        """What came back."""
        return Observation(tuple([self._exchanges[number] for number in sorted(self._exchanges)]), self.broken)

    def _ready(self, number: int, step: GroupStep) -> bool:
        """Wait for what the step waits for: its actor's last answer, and the step before unless that one is parked."""
        before = self.scenario.steps[number - 1] if number else None
        awaited = [self._flying[step.actor][0]] if step.actor in self._flying else []
        if number and not getattr(before, "parked", False):
            awaited.append(number - 1)
        return all(self._answered(one, PATIENCE_MS / 1000) for one in awaited)

    def _do(self, number: int, step: GroupStep) -> bool:
        """Do one step; whether the history can go on."""
        if isinstance(step, WaitFor):
            sent = time.monotonic()
            self._pump(sent + step.ms / 1000)
            self._exchanges[number] = Exchange(number, Passed(), self._ms(sent), self._ms(time.monotonic()))
            return True
        assert isinstance(step, MemberStep | AlterBrokerConfig)
        if not isinstance(step, DescribeGroup):
            return self._send(number, step)
        deadline = time.monotonic() + step.patience_ms / 1000
        while self._send(number, step) and self._answered(number, PATIENCE_MS / 1000):
            outcome = self._exchanges[number].outcome
            if not isinstance(outcome, GroupDescribed):
                return False
            wanted = (step.state or outcome.state, outcome.members if step.members is None else step.members)
            if (outcome.state, outcome.members) == wanted or time.monotonic() >= deadline:
                return True
            self._pump(time.monotonic() + AGAIN_S)
        return False

    def _send(self, number: int, step: MemberStep | AlterBrokerConfig) -> bool:
        group = f"{self._prefix}-{step.group}" if isinstance(step, MemberStep) else ""
        request = group_request(step, group, self._who, uuid.uuid4().hex[:22], NODE_ID)
        usable = self.cluster.versions.usable(self.cluster.codec, request.api)
        version = request.version if request.version is not None else min(NEWEST[request.api], max(usable, default=-1))
        if version not in usable:
            why = f"the broker does not offer {request.api}" + (f" v{version}" if version >= 0 else "")
            self._exchanges[number] = Exchange(number, NotSent(why), self._ms(time.monotonic()), self._ms(time.monotonic()))
            return False
        connection = self._connections.get(step.actor)
        if connection is None or not connection.alive:
            connection = self._connections[step.actor] = self.cluster.connect(timeout=2 * PATIENCE_MS / 1000)
        sent = time.monotonic()
        connection.send(request.api, version, request.value)
        self._flying[step.actor] = number, request.member, sent
        return True

    def _answered(self, number: int, patience: float) -> bool:
        """Wait for a step's answer; False where none that can be read came."""
        deadline = time.monotonic() + patience
        while any(number == flying for flying, _, _ in self._flying.values()) and time.monotonic() < deadline:
            self._pump(deadline, until=number)
        return number in self._exchanges and isinstance(self._exchanges[number].outcome, CodedOutcome | Passed)

    def _pump(self, deadline: float, until: int | None = None) -> None:
        """Take answers as they come, until a time, or until that of one step is there."""
        while (left := deadline - time.monotonic()) > 0 or until is None:
            watched = {self._connections[actor].fileno(): actor for actor in self._flying}
            poller = select.poll()
            for descriptor in watched:
                poller.register(descriptor, select.POLLIN)
            for descriptor, _ in poller.poll(max(0.0, left) * 1000):
                actor = watched[descriptor]
                for _, outcome in self._connections[actor].poll_ready():
                    self._take(actor, outcome)
            if left <= 0 or (until is not None and not any(until == flying for flying, _, _ in self._flying.values())):
                return

    def _take(self, actor: int, outcome: outcomes.Outcome) -> None:
        number, member, sent = self._flying.pop(actor)
        step = self.scenario.steps[number]
        assert isinstance(step, MemberStep | AlterBrokerConfig), step
        if not isinstance(outcome, outcomes.Answer):
            self._exchanges[number] = Exchange(number, self._ended(outcome), self._ms(sent), self._ms(outcome.at))
            return
        try:
            seen, given = group_outcome(step, member, outcome)
        except (KeyError, IndexError, TypeError) as missing:
            self._exchanges[number] = Exchange(
                number, Garbled(f"the answer lacks {missing}"), self._ms(sent), self._ms(outcome.received_at)
            )
            return
        if isinstance(seen, CodedOutcome) and seen.error in COORDINATOR_COMES_UP:
            if time.monotonic() - self._started > COMING_UP_S:
                self.broken = f"the group coordinator did not come up within {COMING_UP_S:.0f} s: error {seen.error}"
                return
            self._pump(time.monotonic() + AGAIN_S)
            self._send(number, step)
            return
        self._who.answered(step, seen, given)
        self._exchanges[number] = Exchange(number, seen, self._ms(sent), self._ms(outcome.received_at))

    def _ended(self, outcome: outcomes.Closed | outcomes.Silent | outcomes.Garbled) -> Outcome:
        if isinstance(outcome, outcomes.Garbled):
            return Garbled(outcome.reason)
        control = answers_control(self.cluster)
        return Closed(outcome.reason, control) if isinstance(outcome, outcomes.Closed) else Silent(round(outcome.waited * 1000), control)

    def _finish(self) -> None:
        """Wait for what is still under way, each as long as its patience; what is not answered then is silent."""
        flying = sorted(self._flying.values())
        for number, _, _ in flying:
            step = self.scenario.steps[number]
            self._answered(number, (step.patience_ms if isinstance(step, JoinGroup) else PATIENCE_MS) / 1000)
        if not self._flying:
            return
        control, now = answers_control(self.cluster), time.monotonic()
        for number, _, sent in self._flying.values():
            self._exchanges[number] = Exchange(number, Silent(round((now - sent) * 1000), control), self._ms(sent), self._ms(now))
        self._flying.clear()

    def _close(self) -> None:
        for connection in self._connections.values():
            connection.close()
        self._connections.clear()
        self._flying.clear()

    def _ms(self, at: float) -> float:
        return (at - self._started) * 1000


def await_coordinator(cluster: Cluster) -> None:
    """Have the broker make what it keeps groups in, and wait until it answers for a group.

    Raises:
        NoAnswer, NotConnected: the broker is gone, or its coordinator does not come up.
    """
    name = "fencepost-coordinator"
    with cluster.connect() as connection:
        version = cluster.version("DescribeGroups", 5)
        for _ in tries(COMING_UP_S):
            connection.ask("FindCoordinator", cluster.version("FindCoordinator", 4), {"key_type": 0, "coordinator_keys": [name]})
            described = connection.ask("DescribeGroups", version, {"groups": [name], "include_authorized_operations": False})
            error = described["groups"][0]["error_code"]
            if error not in COORDINATOR_COMES_UP:
                return
        raise outcomes.NoAnswer("DescribeGroups", version, outcomes.Garbled(f"error {error}", b"", time.monotonic()))


def play_all(
    cluster: Cluster, scenarios: Sequence[Scenario], restart: Callable[[RestartWith], Cluster] | None
) -> Iterator[tuple[int, Observation]]:
    """Play many histories side by side; those that restart the broker go on after one restart that serves them all.

    Args:
        cluster: whom to ask.
        scenarios: the histories; those with a restart must agree on its settings.
        restart: restarts the broker and reaches it again; None where it can't be.
    """
    players = [GroupPlayer(cluster, scenario) for scenario in scenarios]
    with ThreadPoolExecutor(max_workers=SIDE_BY_SIDE) as pool:
        waiting = list(pool.map(GroupPlayer.play, players))
        while restarts := [step for step in waiting if step is not None]:
            paused = [player for player, step in zip(players, waiting, strict=True) if step is not None]
            if restart is None or any(step != restarts[0] for step in restarts):
                for player in paused:
                    player.broken = "this history restarts the broker, which can't be done here"
                break
            sent = time.monotonic()
            cluster = restart(restarts[0])
            answered = time.monotonic()
            for player in paused:
                player.restarted(cluster, sent, answered)
            resumed = dict(zip(map(id, paused), pool.map(GroupPlayer.play, paused), strict=True))
            waiting = [resumed.get(id(player)) for player in players]
    for number, player in enumerate(players):
        yield number, player.observation()
