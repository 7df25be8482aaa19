"""A connection for coroutines: the wire's `Connection`, watched by the event loop that plays."""

from __future__ import annotations

import asyncio
import contextlib
import math
import socket
import ssl
from collections import deque
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

from conformance.wire.authentication import authentication
from conformance.wire.outcomes import Answer, NoAnswer, NotConnected, Outcome, Ticket
from conformance.wire.sasl import SaslError
from conformance.wire.security import ENDED, NotAuthenticated, Opened, checked_size
from spec.kafka import error_name

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from conformance.cluster import Cluster
    from conformance.wire.codec import RequestCodec
    from conformance.wire.connection import Connection
    from conformance.wire.sasl import Sasl

    Asks = Callable[[str, int, Mapping[str, Any]], Awaitable[dict[str, Any]]]

Done = TypeVar("Done")

NEWEST_SASL = {"SaslHandshake": 1, "SaslAuthenticate": 2}
"""The newest version of each API of an authentication that is asked."""

IDLE_S = 1.0
"""A connection that is closed after so long without a request was closed for being idle
(`connections.max.idle.ms`), not for what was sent on it.
"""
SLACK_S = 0.001
"""By how much a timer of the event loop may be early."""


@dataclass(slots=True, eq=False)
class Sent:
    """A request on its way.

    Attributes:
        ticket: its place on the connection, and when it was sent.
        answered: what becomes of it.
        read: called with the outcome as soon as it is there, before anything else is sent.
        deadline: when it is given up, in seconds of the monotonic clock.
        timer: what gives it up then.
    """

    ticket: Ticket
    answered: asyncio.Future[Outcome]
    read: Callable[[Outcome], None] | None = None
    deadline: float = math.inf
    timer: asyncio.TimerHandle | None = None


class AsyncConnection:
    """A pipelined connection: any number of requests may be under way; each gets one outcome, in
    the order of sending.

    It is the wire's connection, so that decoding is as bounded and outcomes are the same. While no
    request is under way it is not watched: that the broker closed it shows on the next request.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._loop = asyncio.get_running_loop()
        self._descriptor = connection.fileno()
        self._waiting: deque[Sent] = deque()
        self._watched = self._blocked = False
        self._used_at = monotonic()
        connection.timeout = math.inf  # deadlines are those of the requests

    @classmethod
    async def open(
        cls, cluster: Cluster, timeout_s: float, client_id: str | None = None
    ) -> AsyncConnection:
        """Connect to a broker; requests carry the client id, by default the suite's.

        Raises:
            NotConnected: no connection within so many seconds.
        """
        connection = cluster.connect(connected=await _connect(cluster, timeout_s))
        connection.client_id = client_id or connection.client_id
        return cls(connection)

    @property
    def alive(self) -> bool:
        """Whether further requests can be answered, as far as is known."""
        return self._connection.alive

    @property
    def is_stale(self) -> bool:
        """Whether its session is nearly over, see `Connection.is_stale`."""
        return self._connection.is_stale

    @property
    def closed_as_idle(self) -> bool:
        """Whether the broker has closed it while no request was under way, nor had been for
        `IDLE_S`.
        """
        idle = not self._waiting and monotonic() - self._used_at >= IDLE_S
        if idle and self.alive:
            self._connection.poll_ready()
        return idle and not self.alive

    async def renew(self, cluster: Cluster, timeout_s: float) -> None:
        """Authenticate again where the session is nearly over (KIP-368) and no request is under
        way.

        Raises:
            NotAuthenticated: the broker refuses the credentials.
            NoAnswer: it does not answer.
            MissingApiError: it has no SASL.
        """
        sasl = cluster.security.sasl
        if sasl is None or not self.is_stale or self._waiting:
            return
        lasts_s = await renewal(cluster, sasl, partial(self.ask, timeout_s=timeout_s))
        self._connection.begin_session(lasts_s)

    def close(self) -> None:
        """Close the connection; a request under way gets no outcome, and who waits for it is
        cancelled.
        """
        self._unwatch()
        self._connection.close()
        for sent in self._waiting:
            sent.answered.cancel()
            if sent.timer is not None:
                sent.timer.cancel()
        self._waiting.clear()

    def send(
        self,
        api: str,
        version: int,
        value: Mapping[str, Any],
        within_s: float,
        read: Callable[[Outcome], None] | None = None,
    ) -> Sent:
        """Send a request, which is given up after so many seconds.

        A version that Kafka's definitions lack has the fields of the nearest one that they have.
        """
        codec = self._connection.codec
        known = codec.versions(api)
        request = codec.request(api, min(max(version, known.start), known.stop - 1))
        frame = request.encode(
            value, self._connection.next_correlation_id, self._connection.client_id
        )
        if version not in known:
            frame = frame[:2] + version.to_bytes(2, "big", signed=True) + frame[4:]
        return self.send_frame(request, frame, within_s, read)

    def send_frame(
        self,
        request: RequestCodec,
        frame: bytes,
        within_s: float,
        read: Callable[[Outcome], None] | None = None,
    ) -> Sent:
        """Send a frame made elsewhere, see `Connection.send_frame`."""
        if not self._watched:
            self._watched = True
            self._loop.add_reader(self._descriptor, self._ready)
        ticket = self._connection.send_frame(request, frame)
        sent = Sent(ticket, self._loop.create_future(), read)
        self._waiting.append(sent)
        self.expire(sent, within_s)
        if not self._connection.alive:
            self._loop.call_soon(self._ready)
        self._watch_writes()
        return sent

    def expire(self, sent: Sent, within_s: float) -> None:
        """Give a request up within so many seconds from now, unless it is to be given up
        earlier.
        """
        deadline = monotonic() + within_s
        if deadline < sent.deadline and not sent.answered.done():
            if sent.timer is not None:
                sent.timer.cancel()
            sent.deadline, sent.timer = deadline, self._loop.call_at(deadline, self._ready)

    async def ask(
        self, api: str, version: int, value: Mapping[str, Any], timeout_s: float
    ) -> dict[str, Any]:
        """Send a request and give its answer's value.

        Raises:
            NoAnswer: any other outcome.
        """
        outcome = await self.send(api, version, value, timeout_s).answered
        if isinstance(outcome, Answer):
            return outcome.value
        raise NoAnswer(api, version, outcome)

    def _ready(self) -> None:
        """Take what can be taken now, and give up what is overdue."""
        for _, outcome in self._connection.poll_ready():
            self._settle(outcome)
        now = monotonic() + SLACK_S
        while self._waiting and self._waiting[0].deadline <= now:
            self._settle(self._connection.give_up())
        if not self._waiting or not self._connection.alive:
            self._unwatch()
        else:
            self._watch_writes()

    def _settle(self, outcome: Outcome) -> None:
        sent = self._waiting.popleft()
        self._used_at = monotonic()
        if sent.timer is not None:
            sent.timer.cancel()
        if sent.answered.done():
            return
        try:
            if sent.read is not None:
                sent.read(outcome)
        except Exception as failed:  # noqa: BLE001 - it is raised where the outcome is waited for
            sent.answered.set_exception(failed)
        else:
            sent.answered.set_result(outcome)

    def _watch_writes(self) -> None:
        blocked = self._connection.wants_write
        if blocked and not self._blocked:
            self._loop.add_writer(self._descriptor, self._ready)
        elif self._blocked and not blocked:
            self._loop.remove_writer(self._descriptor)
        self._blocked = blocked

    def _unwatch(self) -> None:
        if self._watched:
            self._loop.remove_reader(self._descriptor)
        if self._blocked:
            self._loop.remove_writer(self._descriptor)
        self._watched = self._blocked = False


async def _connect(cluster: Cluster, timeout_s: float) -> Opened:
    """Open a connection to the first of the host's addresses that takes it.

    The name is resolved on the spot: it was when the cluster was reached.
    """
    problem = "the host has no address"
    try:
        async with asyncio.timeout(timeout_s):
            addresses = socket.getaddrinfo(cluster.host, cluster.port, type=socket.SOCK_STREAM)
            for family, kind, protocol, _, address in addresses:
                try:
                    return await _open_socket(
                        socket.socket(family, kind, protocol), address, cluster
                    )
                except OSError as failed:
                    problem = failed.strerror or str(failed)
    except TimeoutError:
        problem = f"no connection within {timeout_s:.0f} s"
    except OSError as failed:
        problem = failed.strerror or str(failed)
    raise NotConnected(cluster.host, cluster.port, problem)


async def _open_socket(plain: socket.socket, address: Any, cluster: Cluster) -> Opened:
    opened, lasts_s = plain, math.inf
    try:
        plain.setblocking(False)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        await asyncio.get_running_loop().sock_connect(plain, address)
        if cluster.security.ssl_context is not None:
            opened = cluster.security.ssl_context.wrap_socket(
                plain, server_hostname=cluster.host, do_handshake_on_connect=False
            )
            await _when_ready(opened, opened.do_handshake)
        if cluster.security.sasl is not None:
            lasts_s = await authenticate(
                cluster, partial(_send_all, opened), partial(_receive_exactly, opened)
            )
    except BaseException:
        opened.close()
        raise
    return Opened(opened, lasts_s)


async def authenticate(
    cluster: Cluster,
    send: Callable[[bytes], Awaitable[None]],
    receive: Callable[[int], Awaitable[bytes]],
) -> float:
    """Authenticate a connection that was opened to a broker with SASL; how many seconds its session
    lasts.

    Args:
        cluster: whose credentials count.
        send: sends all of some bytes.
        receive: receives exactly so many bytes.

    Raises:
        NotAuthenticated: the broker refuses the credentials.
        OSError: the connection ended.
    """
    sasl = cluster.security.sasl
    assert sasl is not None
    steps = authentication(sasl)
    try:
        frame = await asyncio.to_thread(next, steps)  # it may have to fetch a token
        while True:
            await send(len(frame).to_bytes(4, "big") + frame)
            size = checked_size(int.from_bytes(await receive(4), "big"))
            frame = steps.send(await receive(size))
    except StopIteration as done:
        return float(done.value)
    except SaslError as refused:
        raise NotAuthenticated(
            cluster.host, cluster.port, str(refused), sasl.mechanism
        ) from refused


async def renewal(cluster: Cluster, sasl: Sasl, ask: Asks) -> float:
    """Authenticate again over a connection that is in use; how many seconds its session lasts then.

    Args:
        cluster: whose broker it is.
        sasl: the credentials.
        ask: asks the broker by an API, its version and the fields of the request.

    Raises:
        NotAuthenticated: the broker refuses the credentials.
        NoAnswer: it does not answer.
        MissingApiError: it has no SASL.
    """
    try:
        exchange = sasl.exchange()
        said = await asyncio.to_thread(next, exchange)  # it may have to fetch a token
        await _sasl_answer(ask, cluster, "SaslHandshake", {"mechanism": sasl.mechanism})
        while True:
            answer = await _sasl_answer(ask, cluster, "SaslAuthenticate", {"auth_bytes": said})
            said = exchange.send(answer["auth_bytes"])
    except StopIteration:
        return float(answer.get("session_lifetime_ms") or math.inf) / 1000
    except SaslError as refused:
        raise NotAuthenticated(
            cluster.host, cluster.port, str(refused), sasl.mechanism
        ) from refused


async def _sasl_answer(
    ask: Asks, cluster: Cluster, api: str, value: dict[str, Any]
) -> dict[str, Any]:
    """Ask a question of an authentication.

    Raises:
        SaslError: the broker answers with an error.
    """
    answer = await ask(api, cluster.version(api, NEWEST_SASL[api]), value)
    if answer["error_code"]:
        raise SaslError(f"the broker answers {api} with {error_name(answer['error_code'])}")
    return answer


async def _send_all(wire: socket.socket, data: bytes) -> None:
    while data:
        data = data[await _when_ready(wire, partial(wire.send, data), writes=True) :]


async def _receive_exactly(wire: socket.socket, size: int) -> bytes:
    parts = bytearray()
    while len(parts) < size:
        part = await _when_ready(wire, partial(wire.recv, size - len(parts)))
        if not part:
            raise SaslError(ENDED)
        parts += part
    return bytes(parts)


async def _when_ready(
    wire: socket.socket, act: Callable[[], Done], *, writes: bool = False
) -> Done:
    """Do what a socket that never blocks may not be ready for yet."""
    loop, descriptor = asyncio.get_running_loop(), wire.fileno()
    while True:
        turn = asyncio.Event()
        try:
            return act()
        except ssl.SSLWantReadError:
            loop.add_reader(descriptor, turn.set)
        except ssl.SSLWantWriteError:
            loop.add_writer(descriptor, turn.set)
        except BlockingIOError:
            (loop.add_writer if writes else loop.add_reader)(descriptor, turn.set)
        try:
            await turn.wait()
        finally:
            with contextlib.suppress(ValueError):
                loop.remove_reader(descriptor)
                loop.remove_writer(descriptor)
