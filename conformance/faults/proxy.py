"""A TCP proxy in front of one broker that knows requests and answers apart, delays each answer and
plants faults in some.

Requests go through as they come. An answer is matched to its request by the correlation id. The
proxy speaks plain text only.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
import threading
from collections import Counter, deque
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import TYPE_CHECKING

from conformance.faults.advertised import NAMING, with_address
from conformance.faults.wire import Act, End, Planted, Reply, Send, with_length
from conformance.lifetime import StartsAndStops
from conformance.serve.peers import ORDINARY, Peer
from conformance.wire.connection import MAX_FRAME
from spec.frozen import frozen, replace

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from conformance.wire.codec import Codec

HOST = "127.0.0.1"
_CHUNK = 64 * 1024
_RST_ON_CLOSE = struct.pack("ii", 1, 0)
_REQUEST_HEAD = struct.Struct(">hhi")


@frozen
class Asked:
    """A request that went through.

    Attributes:
        link: number of the connection that it came on, in order of opening.
        correlation_id, api_key, version: as in its header.
        listener: number of the port that it came to.
    """

    link: int
    correlation_id: int
    api_key: int
    version: int
    listener: int = 0


@dataclass(slots=True)
class _Link:
    """One client's connection, the broker's that stands behind it, and what was asked on it and not
    answered yet.
    """

    number: int
    client: asyncio.StreamWriter
    broker: asyncio.StreamWriter
    listener: int = 0
    asked: deque[Asked] = field(default_factory=deque)
    due: asyncio.Queue[tuple[float, tuple[Act, ...]]] = field(default_factory=asyncio.Queue)

    def asked_by(self, frame: bytes) -> Asked | None:
        """The request that a frame answers. What was asked before it has gone unanswered: a Produce
        with acks 0.
        """
        correlation_id = int.from_bytes(frame[:4], "big", signed=True)
        if not any(asked.correlation_id == correlation_id for asked in self.asked):
            return None
        while True:
            asked = self.asked.popleft()
            if asked.correlation_id == correlation_id:
                return asked


class Proxy(StartsAndStops):
    """A proxy that runs in a thread of its own from `start` to `stop`.

    Args:
        to: the broker's host and port.
        codec: Kafka's messages.
        planted: the faults, tried in order on each answer; the first that strikes counts.
        delay: seconds by which each answer is held back; those of pipelined requests are held back
            side by side, and keep their order.
        port: where to listen on the loopback address; 0 for any free port.
        listeners: on how many ports to listen; the others are any free ones.
        peer: how all that is asked and answered is changed besides.

    Attributes:
        opened: how many connections were opened so far.
    """

    def __init__(
        self,
        to: tuple[str, int],
        codec: Codec,
        planted: Sequence[Planted] = (),
        *,
        delay: float = 0.0,
        port: int = 0,
        listeners: int = 1,
        peer: Peer = ORDINARY,
    ) -> None:
        self._to = to
        self._codec = codec
        self._planted = tuple(planted)
        self._delay = delay
        self._peer = peer
        self._delivered = count()
        self._ports = (port, *[0] * (listeners - 1))
        self._answers: Counter[str] = Counter()
        self._struck: Counter[int] = Counter()
        self.opened = 0
        self._loop = asyncio.new_event_loop()
        self._links: set[asyncio.Task[None]] = set()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="fault proxy", daemon=True
        )
        self._servers: list[asyncio.Server] = []

    @property
    def address(self) -> tuple[str, int]:
        """Where clients connect to, once started."""
        return self.addresses[0]

    @property
    def addresses(self) -> tuple[tuple[str, int], ...]:
        """Each address that it listens on, once started."""
        assert self._servers, "expected a started proxy; call start() first"
        names = [server.sockets[0].getsockname() for server in self._servers]
        return tuple([(host, port) for host, port, *_ in names])

    @property
    def struck(self) -> tuple[int, ...]:
        """How many answers each planted fault has struck, in their order."""
        return tuple([self._struck[number] for number in range(len(self._planted))])

    def start(self) -> None:
        """Listen. Raises OSError where the port is taken."""
        self._thread.start()
        for number, port in enumerate(self._ports):
            listening = asyncio.run_coroutine_threadsafe(
                asyncio.start_server(partial(self._accept, number), HOST, port), self._loop
            )
            self._servers.append(listening.result())

    def stop(self) -> None:
        """Close every connection and the port."""
        asyncio.run_coroutine_threadsafe(self._close_connections(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _close_connections(self) -> None:
        for server in self._servers:
            server.close()
        for link in self._links:
            link.cancel()
        await asyncio.gather(*self._links, return_exceptions=True)

    async def _accept(
        self, listener: int, from_client: asyncio.StreamReader, to_client: asyncio.StreamWriter
    ) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._links.add(task)
        try:
            try:
                from_broker, to_broker = await asyncio.open_connection(*self._to)
            except OSError:
                to_client.close()  # a reset could meet the client while it still connects
                return
            link = _Link(self.opened, to_client, to_broker, listener)
            self.opened += 1
            await self._relay(link, from_client, from_broker)
        except OSError:
            _reset(to_client)
        except asyncio.CancelledError:
            return  # by stop(), which is no error; Python 3.11's streams would log it as one
        finally:
            self._links.discard(task)

    async def _relay(
        self, link: _Link, from_client: asyncio.StreamReader, from_broker: asyncio.StreamReader
    ) -> None:
        """Let all flow until one side, or a fault, has ended it."""
        flows = [
            self._requests(link, from_client),
            self._replies(link, from_broker),
            self._deliver(link),
        ]
        tasks = [asyncio.create_task(flow) for flow in flows]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            link.client.close()
            link.broker.close()
            await asyncio.gather(
                *tasks, link.client.wait_closed(), link.broker.wait_closed(), return_exceptions=True
            )

    async def _requests(self, link: _Link, reader: asyncio.StreamReader) -> None:
        """Pass requests on and keep what each was; ends when the client does."""
        async for data, whole in _frames(reader):
            if whole and len(data) >= _REQUEST_HEAD.size:
                api_key, version, correlation_id = _REQUEST_HEAD.unpack_from(data)
                asked = Asked(link.number, correlation_id, api_key, version, link.listener)
                link.asked.append(asked)
                link.broker.write(with_length(self.rewrite_request(asked, data)))
            else:
                link.broker.write(with_length(data) if whole else data)
            await link.broker.drain()

    async def _replies(self, link: _Link, reader: asyncio.StreamReader) -> None:
        """Decide about each answer as it comes; when the broker ends, so does the connection once
        all is delivered.
        """
        async for data, whole in _frames(reader):
            delay, acts = self._decide(link, data) if whole else (0.0, (Send(data),))
            link.due.put_nowait((self._loop.time() + self._delay + delay, acts))
        link.due.put_nowait((self._loop.time() + self._delay, (End(),)))
        await asyncio.Event().wait()

    def _decide(self, link: _Link, frame: bytes) -> tuple[float, tuple[Act, ...]]:
        asked = link.asked_by(frame)
        api = self._codec.api_names.get(asked.api_key) if asked is not None else None
        if asked is None or api is None or asked.version not in self._codec.versions(api):
            return 0.0, (Send(with_length(frame)),)
        reply = Reply(api, asked.version, self._with_own_address(api, asked.version, frame))
        if self._peer is ORDINARY:
            return self.acts(asked, reply)
        if asked.version not in self._peer.offered(api, self._codec.versions(api)):
            return 0.0, (End(),)
        odd = self._peer.answer(self._codec, api, asked.version, reply.frame)
        delay, acts = self.acts(asked, replace(reply, frame=odd))
        return delay + self._peer.delay(next(self._delivered)), acts

    def rewrite_request(self, asked: Asked, frame: bytes) -> bytes:
        """The request that the broker is given; called in the proxy's thread."""
        del asked
        return self._peer.request(self._codec, frame)

    def acts(self, asked: Asked, reply: Reply) -> tuple[float, tuple[Act, ...]]:
        """What is done instead of passing an answer on, and how many seconds later; in the proxy's
        thread.
        """
        del asked
        earlier = self._answers[reply.api]
        self._answers[reply.api] += 1
        for number, planted in enumerate(self._planted):
            if planted.strikes(reply.api, earlier):
                self._struck[number] += 1
                return 0.0, planted.fault(reply, self._codec)
        return 0.0, (Send(with_length(reply.frame)),)

    def _with_own_address(self, api: str, version: int, frame: bytes) -> bytes:
        if api not in NAMING:
            return frame
        request = self._codec.request(api, version)
        correlation_id, decoded = request.decode_response(frame)
        return request.encode_response(correlation_id, with_address(decoded.value, *self.address))

    async def _deliver(self, link: _Link) -> None:
        """Do what is due, when it is; ends with the connection."""
        while True:
            due, acts = await link.due.get()
            await asyncio.sleep(due - self._loop.time())
            for act in acts:
                if isinstance(act, End):
                    if act.reset:
                        _reset(link.client)
                    return
                link.client.write(act.data)
                await link.client.drain()


async def _frames(reader: asyncio.StreamReader) -> AsyncIterator[tuple[bytes, bool]]:
    """Each frame with True; once the stream is no frames any more, its bytes as they come, with
    False.
    """
    while head := await _up_to(reader, 4):
        length = int.from_bytes(head, "big", signed=True)
        if len(head) < 4 or not 0 <= length <= MAX_FRAME:
            yield head, False
            break
        frame = await _up_to(reader, length)
        if len(frame) < length:
            yield head + frame, False
            break
        yield frame, True
    while rest := await _some(reader):
        yield rest, False


async def _up_to(reader: asyncio.StreamReader, count: int) -> bytes:
    """So many bytes, or fewer where the stream ends, by a reset too."""
    try:
        return await reader.readexactly(count)
    except asyncio.IncompleteReadError as ended:
        return ended.partial
    except OSError:
        return b""


async def _some(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.read(_CHUNK)
    except OSError:
        return b""


def _reset(writer: asyncio.StreamWriter) -> None:
    """Close by RST, without sending what is buffered."""
    plain = writer.get_extra_info("socket")
    with contextlib.suppress(OSError):
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RST_ON_CLOSE)
    writer.transport.abort()
