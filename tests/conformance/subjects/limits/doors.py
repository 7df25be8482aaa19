"""Doors before a served model, which let connections in, keep them waiting or close them."""

from __future__ import annotations

import asyncio
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from conformance.cli.common import make_codec
from conformance.cluster import reach
from conformance.play.background import Background
from conformance.serve.settings import Settings
from conformance.subjects.limits.history import LimitHistory
from conformance.subjects.limits.patience import Patience
from spec.frozen import replace
from tests.conformance.serve.listening import serving

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.cluster import Cluster
    from spec.outcomes import Outcome
    from spec.scenario import Scenario

TRIES = 5
LOCAL = "127.0.0.1"


class Door(Protocol):
    """What decides about the connections that come to a door.

    Attributes:
        target: the served model behind it.
    """

    target: tuple[str, int]

    async def enter(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Let a connection in, or close it."""


async def pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
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
    """A served model behind a door, as a cluster that is reached through the door."""
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


def outcome_elsewhere(scenario: Scenario) -> Outcome:
    """The outcome of a scenario's first step on a broker whose limits may not be changed."""
    with serving(Settings("4.3.1")) as state:
        background = Background()
        try:
            cluster = reach(state.host, state.port, make_codec())
            [observation] = background.play([LimitHistory(cluster, scenario)])
        finally:
            background.close()
    return observation.exchanges[0].outcome
