"""A served model in a thread of the test's own process."""

import asyncio
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from conformance.serve.assembly import ModelFault, listening
from conformance.serve.broker_state import BrokerState
from conformance.serve.settings import Settings
from conformance.wire.codec import Request

READY_S = 30.0


@dataclass
class Heard:
    """A served model: its address, and all requests that came so far."""

    host: str = ""
    port: int = 0
    requests: list[Request] = field(default_factory=list)

    @property
    def address(self) -> str:
        """Where clients find it."""
        return f"{self.host}:{self.port}"

    def of(self, api: str) -> list[Request]:
        """The requests of one API, in the order in which they came."""
        return [request for request in self.requests if request.api == api]


@contextmanager
def serving(
    settings: Settings,
    listen: Callable[[Request], None] | None = None,
    planted: ModelFault | None = None,
) -> Iterator[BrokerState]:
    """Serve a model until the end of the block; `listen` is called with each request that comes,
    and `planted` makes it wrong or odd.
    """
    states: list[BrokerState] = []
    ready, over = threading.Event(), asyncio.Event()
    loop = asyncio.new_event_loop()

    async def serve() -> None:
        server = await listening(settings, "127.0.0.1", 0, planted)
        if listen is not None:
            server.heard = listen
        states.append(server.state)
        ready.set()
        await over.wait()
        await server.stop()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    try:
        assert ready.wait(READY_S), "the served model did not come up"
        yield states[0]
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join(READY_S)
        loop.close()


@contextmanager
def hearing(config: Mapping[str, str], kafka: str = "4.3.1") -> Iterator[Heard]:
    """Serve a model until the end of the block, and keep what it hears."""
    requests: list[Request] = []
    with serving(Settings(kafka, config), requests.append) as state:
        yield Heard(state.host, state.port, requests)
