"""A broker that does as a script says, in a thread of the test's own process."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from conformance.cli.common import make_codec
from conformance.cluster import Cluster
from conformance.wire.negotiation import ApiVersions

if TYPE_CHECKING:
    import ssl

    from conformance.wire.codec import Request

CODEC = make_codec()
READY_S = 30.0
OFFERED = {
    0: (3, 9),
    1: (4, 17),
    3: (0, 13),
    18: (0, 4),
    21: (0, 2),
    76: (1, 1),
    77: (1, 1),
    78: (1, 2),
    79: (1, 2),
}


@dataclass
class Peer:
    """One connection that a client opened, as the script sees it.

    Attributes:
        number: its place among the connections, in the order in which they were opened.
    """

    number: int
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    heard: list[tuple[int, Request]]

    async def request(self) -> Request:
        """The next request; the end of the script where the client closes."""
        size = int.from_bytes(await self.reader.readexactly(4), "big")
        found = CODEC.decode_request(await self.reader.readexactly(size))
        self.heard.append((self.number, found))
        return found

    def answer(
        self, asked: Request, value: dict[str, Any], *, shift: int = 0, cut: int = 0
    ) -> None:
        """Answer a request; with another correlation id, or without the last bytes, where that is
        wanted.
        """
        frame = CODEC.request(asked.api, asked.version).encode_response(
            asked.correlation_id + shift, value
        )
        data = len(frame).to_bytes(4, "big") + frame
        self.writer.write(data[: len(data) - cut])


Script = Callable[[Peer], Awaitable[None]]


@dataclass
class Scripted:
    """A scripted broker that listens.

    Attributes:
        heard: (connection, request), in the order in which they came.
        opened: how many connections were opened.
    """

    cluster: Cluster
    heard: list[tuple[int, Request]] = field(default_factory=list)
    opened: int = 0


async def answers_versions(peer: Peer) -> None:
    """What a control request is answered with."""
    asked = await peer.request()
    peer.answer(asked, {"error_code": 0, "api_keys": []})


@contextmanager
def broker(script: Script, tls: ssl.SSLContext | None = None) -> Iterator[Scripted]:
    """Serve each connection by the script, until the end of the block."""
    loop, ready, over = asyncio.new_event_loop(), threading.Event(), asyncio.Event()
    found: list[Scripted] = []
    problems: list[BaseException] = []
    connections: set[asyncio.Task[None]] = set()

    async def serve() -> None:
        async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            scripted = found[0]
            scripted.opened += 1
            task = asyncio.current_task()
            assert task is not None
            connections.add(task)
            try:
                await script(Peer(scripted.opened - 1, reader, writer, scripted.heard))
            except (asyncio.IncompleteReadError, ConnectionError):
                pass  # the client is done
            except Exception as problem:  # noqa: BLE001 - it is raised in the test's own thread below
                problems.append(problem)
            finally:
                writer.close()
                with suppress(ConnectionError):
                    await writer.wait_closed()

        server = await asyncio.start_server(connected, "127.0.0.1", 0, ssl=tls)
        port = server.sockets[0].getsockname()[1]
        found.append(
            Scripted(
                Cluster("127.0.0.1", port, CODEC, ApiVersions(0, 4, dict(OFFERED), {}, {}, -1))
            )
        )
        ready.set()
        await over.wait()
        await asyncio.sleep(0.01)  # for what was accepted to have a task
        server.close()
        for task in connections:
            task.cancel()
        await asyncio.gather(*connections, return_exceptions=True)

    def run() -> None:
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            runner.run(serve())

    thread = threading.Thread(target=run, name="scripted broker")
    thread.start()
    try:
        assert ready.wait(READY_S), "the scripted broker did not come up"
        yield found[0]
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join(READY_S)
    assert not problems, problems


async def silent(peer: Peer) -> None:
    """Read and say nothing."""
    while True:
        await peer.request()
