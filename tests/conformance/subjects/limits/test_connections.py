"""Connections from addresses of a play's own, through a door that counts them by address."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from conformance.cli.common import make_codec
from conformance.cluster import reach
from conformance.play.background import Background
from conformance.serve.settings import Settings
from conformance.subjects.limits.connections import ConnectionLimits
from conformance.subjects.limits.patience import Patience
from conformance.subjects.limits.player import LimitHistory
from spec.frozen import replace
from spec.judge import judge
from spec.limits.connections import PER_ADDRESS
from spec.limits.examples import connect, disconnect, history, limit_connections
from spec.outcomes import NotSent
from spec.releases import semantics_for
from spec.verdict import Outcome
from tests.conformance.serve.listening import serving

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.cluster import Cluster
    from spec.scenario import Scenario

KAFKA = semantics_for("4.3")
TRIES = 5
LOCAL = "127.0.0.1"


@dataclass
class Door(ConnectionLimits):
    """A door before a served model, which counts connections by the address that they come from.

    Attributes:
        beyond: how many more than its limit an address may have.
        late: after how many refusals it notices that a connection was closed.
        closes_excess: whether a lower limit closes what is open.
    """

    beyond: int = 0
    late: int = 0
    closes_excess: bool = False
    target: tuple[str, int] = (LOCAL, 0)
    counted: Counter[str] = field(default_factory=Counter)
    unnoticed: Counter[str] = field(default_factory=Counter)
    refused: int = 0
    open: dict[str, list[asyncio.StreamWriter]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__init__()

    async def begin(self, cluster: Cluster) -> None:
        """Every address has its limit from the start."""

    async def limit(self, cluster: Cluster, address: str, limit: int) -> None:
        """Give an address a limit of its own."""
        del cluster
        self._own[address] = limit
        if self.closes_excess:
            for writer in self.open.get(address, [])[limit:]:
                writer.close()

    async def enter(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Let a connection in, or close it."""
        address = writer.get_extra_info("peername")[0]
        most = self._own.get(address, PER_ADDRESS) + self.beyond
        if address != LOCAL and self.counted[address] >= most:
            self.refused += 1
            if self.refused > self.late:
                self.counted[address] -= self.unnoticed.pop(address, 0)
            writer.close()
            return
        self.counted[address] += 1
        self.open.setdefault(address, []).append(writer)
        inner_reader, inner_writer = await asyncio.open_connection(*self.target)
        try:
            await asyncio.gather(_pipe(reader, inner_writer), _pipe(inner_reader, writer))
        finally:
            inner_writer.close()
        self.open[address].remove(writer)
        if self.late:
            self.unnoticed[address] += 1
        else:
            self.counted[address] -= 1


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Hand on all that comes, until either end is closed."""
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()


@dataclass
class Tries(Patience):
    """Patience for so many tries, however long they take."""

    left: int = TRIES

    def lasts(self, waited_s: float) -> bool:
        """Whether to try again."""
        del waited_s
        self.left -= 1
        return self.left >= 0


@contextmanager
def door_opened(door: Door) -> Iterator[Cluster]:
    """A served model behind a door, as a cluster."""
    ready = threading.Event()
    begun: list[tuple[asyncio.AbstractEventLoop, asyncio.Event, int]] = []

    async def serve() -> None:
        over = asyncio.Event()
        server = await asyncio.start_server(door.enter, LOCAL, 0)
        begun.append((asyncio.get_running_loop(), over, server.sockets[0].getsockname()[1]))
        ready.set()
        await over.wait()
        server.close()

    with serving(Settings("4.3.1")) as state:
        door.target = (state.host, state.port)
        cluster = reach(state.host, state.port, make_codec())
        thread = threading.Thread(target=lambda: asyncio.run(serve()))
        thread.start()
        try:
            assert ready.wait(30)
            yield replace(cluster, port=begun[0][2])
        finally:
            loop, over, _ = begun[0]
            loop.call_soon_threadsafe(over.set)
            thread.join(30)


def broken_clauses(door: Door, scenario: Scenario) -> set[tuple[str, Outcome]]:
    """What is broken where a scenario is played through a door."""
    with door_opened(door) as cluster:
        background = Background()
        try:
            played = LimitHistory(cluster, scenario, patience=Tries(), limits=door)
            [observation] = background.play([played])
        finally:
            background.close()
    judged = judge(scenario, observation, KAFKA)
    assert judged.verdicts
    return {(verdict.clause, verdict.outcome) for verdict in judged.breaks}


ALL = history(
    *connect(3),
    limit_connections(3),
    *connect(2),
    disconnect(),
    *connect(2),
    limit_connections(1),
    *connect(1),
    *connect(3, address=1),
)


@pytest.mark.parametrize("late", [0, 1, TRIES - 1])
def test_a_door_that_notices_late_that_a_connection_was_closed_breaks_nothing(late: int) -> None:
    assert broken_clauses(Door(late=late), history(*connect(2), disconnect(), *connect(1))) == set()


def test_a_door_that_counts_as_kafka_does_breaks_nothing() -> None:
    assert broken_clauses(Door(), ALL) == set()


def test_one_connection_too_many_is_seen() -> None:
    assert broken_clauses(Door(beyond=1), history(*connect(3))) == {("LIM-080", Outcome.VIOLATES)}


def test_one_connection_too_few_is_seen() -> None:
    found = broken_clauses(Door(beyond=-1), history(limit_connections(3), *connect(3)))
    assert found == {("LIM-081", Outcome.VIOLATES)}


def test_a_connection_that_is_closed_for_a_lower_limit_does_not_count_any_more() -> None:
    scenario = history(*connect(2), limit_connections(1), disconnect(), *connect(1))
    assert broken_clauses(Door(closes_excess=True), scenario) == {("LIM-084", Outcome.DEVIATES)}


def test_a_broker_that_is_not_ours_keeps_its_limits() -> None:
    with serving(Settings("4.3.1")) as state:
        background = Background()
        try:
            cluster = reach(state.host, state.port, make_codec())
            [observation] = background.play([LimitHistory(cluster, history(*connect(1)))])
        finally:
            background.close()
    assert isinstance(observation.exchanges[0].outcome, NotSent)
