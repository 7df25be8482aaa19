"""A served model in a thread of the test's own process, which keeps what it hears."""

import asyncio
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from conformance.serve.assembly import listening
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
def hearing(config: Mapping[str, str], kafka: str = "4.3.1") -> Iterator[Heard]:
    """Serve a model until the end of the block."""
    heard, ready = Heard(), threading.Event()
    loop = asyncio.new_event_loop()
    over = asyncio.Event()

    async def serve() -> None:
        server = await listening(Settings(kafka, config), "127.0.0.1", 0, None)
        server.heard = heard.requests.append
        heard.host, heard.port = server.state.host, server.state.port
        ready.set()
        await over.wait()
        await server.stop()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    try:
        assert ready.wait(READY_S), "the served model did not come up"
        yield heard
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join(READY_S)
        loop.close()
