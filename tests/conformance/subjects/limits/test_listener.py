"""Connections to a listener of a play's own, through a door that keeps them waiting."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from conformance.cli.common import make_codec
from conformance.cluster import reach
from conformance.play.background import Background
from conformance.subjects.limits import listener
from conformance.subjects.limits.history import LimitHistory
from conformance.subjects.limits.listener import AddedListener, AddedListeners
from conformance.subjects.limits.patience import OFTEN, Patience
from spec.judge import judge
from spec.limits.examples import close_listener, history, open_listener, set_listener_limit
from spec.limits.listener import OF_LISTENER
from spec.outcomes import NotSent
from spec.releases import semantics_for
from spec.verdict import Outcome
from tests.conformance.subjects.limits.doors import (
    LOCAL,
    TRIES,
    Tries,
    door_opened,
    outcome_elsewhere,
    pipe,
)

if TYPE_CHECKING:
    from conformance.cluster import Cluster
    from spec.scenario import Scenario

KAFKA = semantics_for("4.3")


@dataclass
class ListenerDoor(AddedListeners):
    """A door before a served model, which serves so many connections at a time.

    Attributes:
        beyond: how many more than its limit it serves.
        late: how often it sees that there is room before it serves a connection that waits.
        mistakes: how many connections it serves beyond its limit before that is in force.
        waits: whether connections beyond the limit wait; otherwise they are closed.
        forgets: whether those that wait are never served.
        closes_excess: whether a lower limit closes what is open.
    """

    beyond: int = 0
    late: int = 0
    mistakes: int = 0
    waits: bool = True
    forgets: bool = False
    closes_excess: bool = False
    target: tuple[str, int] = (LOCAL, 0)
    port: int = 0
    most: int = OF_LISTENER
    open: list[asyncio.StreamWriter] = field(default_factory=list)
    loop: asyncio.AbstractEventLoop | None = None

    def __post_init__(self) -> None:
        super().__init__()

    async def take(self, cluster: Cluster) -> AddedListener:
        """The door itself."""
        del cluster
        return AddedListener("DOOR", self.port)

    async def limit(self, cluster: Cluster, added: AddedListener, limit: int) -> None:
        """Give it another limit, which is in force from now on."""
        del cluster, added
        self.most = limit
        if self.closes_excess and self.loop is not None:
            cut = asyncio.run_coroutine_threadsafe(self._cut(limit), self.loop)
            await asyncio.wrap_future(cut)

    async def _cut(self, limit: int) -> None:
        for writer in self.open[limit:]:
            writer.transport.abort()

    def _has_room(self) -> bool:
        if len(self.open) < self.most + self.beyond:
            return True
        self.mistakes -= 1
        return self.mistakes >= 0

    async def enter(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Let a connection in, keep it waiting, or close it."""
        self.loop = asyncio.get_running_loop()
        try:
            if await self._waits_for_room():
                await self._serve(reader, writer)
        finally:
            writer.close()

    async def _waits_for_room(self) -> bool:
        """Wait until there is room; whether a connection may wait for that."""
        if self._has_room():
            return True
        seen = 0
        while self.waits and (seen <= self.late or self.forgets):
            await asyncio.sleep(0.01)
            seen += self._has_room()
        return self.waits

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.open.append(writer)
        inner_reader, inner_writer = await asyncio.open_connection(*self.target)
        try:
            await asyncio.gather(pipe(reader, inner_writer), pipe(inner_reader, writer))
        finally:
            inner_writer.close()
            self.open.remove(writer)


def broken_clauses(
    door: ListenerDoor, scenario: Scenario, patience: Patience
) -> set[tuple[str, Outcome]]:
    """What is broken where a scenario is played through a door."""
    with door_opened(door) as through:
        door.port = through.port
        cluster = reach(*door.target, make_codec())
        background = Background()
        try:
            played = LimitHistory(cluster, scenario, patience=patience, listeners=door)
            [observation] = background.play([played])
        finally:
            background.close()
    judged = judge(scenario, observation, KAFKA)
    assert judged.verdicts
    return {(verdict.clause, verdict.outcome) for verdict in judged.breaks}


@pytest.fixture
def long_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not expected is waited for too: nothing in the scenario waits for good."""
    monkeypatch.setattr(listener, "UNSERVED_S", 30.0)


ALL = history(
    *open_listener(4),
    close_listener(),
    set_listener_limit(3),
    set_listener_limit(1),
    close_listener(),
    close_listener(),
    close_listener(),
    *open_listener(2),
)


@pytest.mark.parametrize(
    "door",
    [ListenerDoor(), ListenerDoor(late=20), ListenerDoor(mistakes=TRIES - 1)],
    ids=["as Kafka", "late", "limit in force late"],
)
def test_a_door_that_serves_as_many_as_it_may_breaks_nothing(door: ListenerDoor) -> None:
    assert broken_clauses(door, ALL, Patience()) == set()


@pytest.mark.usefixtures("long_look")
def test_one_connection_too_many_is_seen() -> None:
    found = broken_clauses(ListenerDoor(beyond=1), history(*open_listener(3)), Tries())
    assert found == {("LIM-085", Outcome.VIOLATES)}


def test_one_connection_too_few_is_seen() -> None:
    found = broken_clauses(ListenerDoor(beyond=-1), history(*open_listener(2)), Tries())
    assert found == {("LIM-085", Outcome.VIOLATES)}


@pytest.mark.usefixtures("long_look")
def test_a_connection_beyond_the_limit_that_is_closed_deviates() -> None:
    found = broken_clauses(ListenerDoor(waits=False), history(*open_listener(3)), Patience())
    assert found == {("LIM-086", Outcome.DEVIATES)}


def test_a_waiting_connection_that_is_forgotten_is_seen() -> None:
    scenario = history(*open_listener(3), close_listener())
    found = broken_clauses(ListenerDoor(forgets=True), scenario, Patience(ran_out=OFTEN))
    assert found == {("LIM-087", Outcome.DEVIATES)}


def test_a_lower_limit_that_closes_connections_is_seen() -> None:
    scenario = history(*open_listener(2), set_listener_limit(1))
    found = broken_clauses(ListenerDoor(closes_excess=True), scenario, Patience(ran_out=OFTEN))
    assert found == {("LIM-088", Outcome.DEVIATES)}


def test_a_broker_that_is_not_ours_is_given_no_listener() -> None:
    assert isinstance(outcome_elsewhere(history(*open_listener(1))), NotSent)
