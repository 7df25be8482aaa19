"""One connection to a broker: requests are pipelined, every request gets exactly one outcome, in
order.

The socket never blocks: one thread can use `receive` (which waits, at most until a deadline) on one
connection, or drive many through a selector with `poll_ready` (or `poll_unread`, to decode later).
What the peer does is never raised.
"""

from __future__ import annotations

import math
import select
import ssl
import time
from collections import deque
from typing import TYPE_CHECKING, Any, Self

from conformance.wire.decoding import Malformed
from conformance.wire.definitions import DefinitionError
from conformance.wire.frames import BadLength, Frames
from conformance.wire.outcomes import (
    RAW_KEPT,
    Answer,
    Closed,
    Garbled,
    NoAnswer,
    Outcome,
    Silent,
    Ticket,
)
from conformance.wire.security import PLAINTEXT, open_connection, reason_of
from spec.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from conformance.wire.codec import Codec, Encoded, RequestCodec
    from conformance.wire.security import Opened, Security
    from conformance.wire.transcript import Transcript

MAX_FRAME = 64 * 1024 * 1024
READ_SIZE = 64 * 1024
LARGEST_READ = 1024 * 1024
LARGEST_ID = 0x7FFFFFFF
SESSION_USED = 0.85
"""The share of an authenticated session after which its connection is authenticated again, or
another one is opened: Kafka's clients authenticate again after that much of it at the least.
"""

WANTS = (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError)

monotonic = time.monotonic


@frozen
class Unread:
    """The frame of a response that is not decoded yet.

    Attributes:
        request: what it answers.
        frame: its bytes, the length left out.
        at: when its last byte was there, monotonic seconds.
    """

    request: RequestCodec
    frame: bytes
    at: float


class Connection:
    """A pipelined client connection.

    Args:
        host, port: the broker.
        codec: what encodes and decodes.
        client_id: sent with every request.
        timeout: seconds that a connect, or the wait for one answer, may take.
        max_frame: the longest response frame to read, in bytes; a longer one is `Garbled` before
            any of it is read.
        security: whether it speaks TLS, and how it is authenticated.
        connected: a connection to the broker that is open already; None to connect here.
        transcript: takes note of what is sent and answered; None for nobody.

    Raises:
        NotConnected: no connection within `timeout`, or the broker refuses the credentials.
    """

    def __init__(
        self,
        host: str,
        port: int,
        codec: Codec,
        *,
        client_id: str = "fencepost",
        timeout: float = 10.0,
        max_frame: int = MAX_FRAME,
        security: Security = PLAINTEXT,
        connected: Opened | None = None,
        transcript: Transcript | None = None,
    ) -> None:
        self.codec = codec
        self._transcript = transcript
        self._number = 0 if transcript is None else transcript.new_connection()
        self.client_id = client_id
        self.timeout = timeout
        self._peer = (host, port)
        self._security = security
        self._tls = security.ssl_context is not None
        self._max_frame = max_frame
        self._pending: deque[tuple[Ticket, RequestCodec]] = deque()
        self._closed = False
        self._next_id = 0
        self._open(connected)

    def _open(self, connected: Opened | None = None) -> None:
        opened = connected or open_connection(*self._peer, self.timeout, self._security)
        opened.socket.setblocking(False)
        self._socket = opened.socket
        self.begin_session(opened.lasts_s)
        self._frames = Frames(self._max_frame)
        self._unsent = bytearray()
        self._abandoned: deque[int] = deque()
        self._ended: tuple[str, int] | None = None
        self._progress_at = self._received_at = monotonic()
        self._readable = select.poll()
        self._readable.register(self._socket, select.POLLIN)
        self._both = select.poll()
        self._both.register(self._socket, select.POLLIN | select.POLLOUT)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; what is pending gets no outcome."""
        self._closed = True
        self._socket.close()

    def fileno(self) -> int:
        """The socket's descriptor, for selectors."""
        return self._socket.fileno()

    @property
    def pending(self) -> int:
        """Requests sent whose outcome hasn't been given yet."""
        return len(self._pending)

    @property
    def wants_write(self) -> bool:
        """Whether bytes are waiting to be sent: a selector should then watch for writability
        too.
        """
        return bool(self._unsent) and self._ended is None

    @property
    def alive(self) -> bool:
        """Whether further requests can be answered, as far as is known."""
        return self._ended is None and not self._closed

    @property
    def is_stale(self) -> bool:
        """Whether the session that the broker granted is nearly over (`connections.max.reauth.ms`):
        it closes a connection that sends a request afterwards.
        """
        return monotonic() > self._fresh_until

    def begin_session(self, lasts_s: float) -> None:
        """Take note that the broker grants a session of so many seconds from now on."""
        self._fresh_until = monotonic() + lasts_s * SESSION_USED

    # Sending

    def send(
        self, api: str, version: int, value: Mapping[str, Any], *, answered: bool = True
    ) -> Ticket:
        """Send a request without waiting for its answer.

        Args:
            api: such as `Fetch`.
            version: the API's version.
            value: the request as the codec takes it.
            answered: False for a request that gets no answer (Produce with acks 0).

        Raises:
            EncodeError, DefinitionError: the request can't be made.
            ValueError: this connection was closed by us.
        """
        request = self.codec.request(api, version)
        return self.send_frame(
            request, request.encode(value, self._next_id, self.client_id), answered=answered
        )

    def send_frame(self, request: RequestCodec, frame: bytes, *, answered: bool = True) -> Ticket:
        """Send a frame made elsewhere (crafted bytes, say), whose correlation id must be
        `next_correlation_id`.
        """
        ticket = self._enqueue(request, frame, answered=answered)
        self._flush()
        return ticket

    def send_together(self, requests: Iterable[Encoded]) -> list[Ticket]:
        """Send requests that were encoded before, and hand them to the socket at once.

        Raises:
            ValueError: this connection was closed by us.
        """
        tickets = [
            self._enqueue(one.request, one.frame(self._next_id, self.client_id)) for one in requests
        ]
        self._flush()
        return tickets

    def _enqueue(self, request: RequestCodec, frame: bytes, *, answered: bool = True) -> Ticket:
        """Put a frame behind what is still to be sent."""
        if self._closed:
            raise ValueError(
                "expected an open connection, found one that was closed here; open another"
            )
        ticket = Ticket(self._next_id, request.api, request.version, monotonic())
        self._next_id = 0 if self._next_id == LARGEST_ID else self._next_id + 1
        if answered:
            self._pending.append((ticket, request))
        if self._transcript is not None:
            self._transcript.note_request(self._number, ticket, self._readable_value(frame))
        if self._ended is None:
            self._unsent += len(frame).to_bytes(4, "big")
            self._unsent += frame
        return ticket

    def _readable_value(self, frame: bytes) -> dict[str, Any] | None:
        """The fields of a request frame; None where it is crafted otherwise than Kafka's
        definitions have it.
        """
        try:
            return self.codec.decode_request(frame).body.value
        except (Malformed, DefinitionError):
            return None

    @property
    def next_correlation_id(self) -> int:
        """The correlation id that the next request has to carry."""
        return self._next_id

    def _flush(self) -> None:
        """Send what the socket takes now."""
        while self._unsent and self._ended is None:
            try:
                sent = self._socket.send(self._unsent)
            except WANTS:
                return
            except OSError as problem:
                self._read()  # an answer may have come before the peer closed
                self._end(reason_of(problem))
                return
            if sent == len(self._unsent):
                self._unsent = bytearray()
            else:
                del self._unsent[:sent]

    # Receiving

    def receive(self, timeout: float | None = None) -> Outcome:
        """Wait for the outcome of the oldest pending request.

        After `Silent` the request is given up: an answer that comes later is dropped.

        Args:
            timeout: seconds from now; the connection's own where None.

        Raises:
            ValueError: nothing is pending, or this connection was closed by us.
        """
        if not self._pending:
            raise ValueError(
                "expected a request whose outcome is still to come, found none; send one first"
            )
        if self._closed:
            raise ValueError(
                "expected an open connection, found one that was closed here; open another"
            )
        timeout = self.timeout if timeout is None else timeout
        deadline = monotonic() + timeout
        while True:
            outcome = self._take()
            if outcome is not None:
                return self.decode(*outcome)
            left = deadline - monotonic()
            if left <= 0:
                return self._give_up(timeout - left)[1]
            self._wait(left)

    def give_up(self) -> Silent:
        """Wait no longer for the oldest pending request: it is silent, and an answer that comes
        later is dropped.

        Raises:
            IndexError: nothing is pending.
        """
        return self._give_up(monotonic() - self._pending[0][0].sent_at)[1]

    def ask(
        self, api: str, version: int, value: Mapping[str, Any], *, timeout: float | None = None
    ) -> dict[str, Any]:
        """Send a request and give its answer's value; a connection that the broker closed as idle
        is opened again first.

        Raises:
            NoAnswer: any other outcome.
            NotConnected: it was closed as idle, and can't be opened again.
            ValueError: other requests are pending.
        """
        if self._pending:
            raise ValueError(
                f"expected no pending requests, found {len(self._pending)}; receive their outcomes "
                "first"
            )
        self.wake()
        self.send(api, version, value)
        outcome = self.receive(timeout)
        if isinstance(outcome, Answer):
            return outcome.value
        raise NoAnswer(api, version, outcome)

    def wake(self) -> None:
        """Open the connection again where the broker closed it as idle (`connections.max.idle.ms`,
        ten minutes by default), or where its session is about to end.

        Raises:
            NotConnected: it can't be opened.
        """
        known_alive = self.alive and not self._pending
        if known_alive and (self.is_stale or (self._read() and not self.alive)):
            self._socket.close()
            self._open()

    def poll_ready(self) -> list[tuple[Ticket, Outcome]]:
        """Send and read what can be sent and read now, without waiting; give the outcomes that are
        known.

        A request is `Silent` when the connection's timeout has passed since it was sent and since
        the last answer.
        """
        return [(ticket, self.decode(ticket, came)) for ticket, came in self.poll_unread()]

    def poll_unread(self) -> list[tuple[Ticket, Outcome | Unread]]:
        """The same, with the answers as they came; `decode` decodes one."""
        if self._closed:
            return []
        self._flush()
        if self._ended is None:
            self._read()
        ready: list[tuple[Ticket, Outcome | Unread]] = []
        while self._pending:
            outcome = self._take()
            if outcome is None:
                waited = monotonic() - max(self._progress_at, self._pending[0][0].sent_at)
                if waited < self.timeout:
                    break
                outcome = self._give_up(waited)
            ready.append(outcome)
        return ready

    def _wait(self, seconds: float) -> None:
        """Wait until something can be read (or sent) and do it, or until the time is over."""
        if self._tls and self._read():
            return
        poller = self._both if self._unsent else self._readable
        if poller.poll(math.ceil(seconds * 1000)):
            if self._unsent:
                self._flush()
            self._read()

    def _read(self) -> bool:
        """Read what is there; whether there was anything (an end counts)."""
        got = False
        while self._ended is None:
            wanted = min(LARGEST_READ, max(READ_SIZE, self._frames.missing()))
            try:
                data = self._socket.recv(wanted)
            except WANTS:
                return got
            except OSError as problem:
                self._end(reason_of(problem))
                return True
            if not data:
                self._end("end of stream")
                return True
            got = True
            self._received_at = monotonic()
            self._frames.feed(data)
            if len(data) < wanted and not self._tls:
                return got
            if self._frames.buffered >= self._frames.max_frame:
                return got
        return got

    def _end(self, reason: str) -> None:
        if self._ended is None:
            self._ended = (reason, self._frames.buffered)
            self._unsent.clear()

    def _take(self) -> tuple[Ticket, Outcome | Unread] | None:
        """The outcome of the oldest pending request if it is known by now, an answer as it came."""
        while True:
            try:
                frame = self._frames.next()
            except BadLength as problem:
                ticket, _ = self._pending.popleft()
                head = self._frames.head
                self._break(str(problem))
                return ticket, Garbled(str(problem), head, monotonic())
            if frame is None:
                if self._ended is None:
                    return None
                ticket, _ = self._pending.popleft()
                return ticket, Closed(*self._ended, monotonic())
            now = self._progress_at = self._received_at
            if (
                self._abandoned
                and int.from_bytes(frame[:4], "big", signed=True) == self._abandoned[0]
            ):
                self._abandoned.popleft()
                continue
            ticket, request = self._pending.popleft()
            found = int.from_bytes(frame[:4], "big", signed=True)
            if len(frame) < 4 or found != ticket.correlation_id:
                reason = f"correlation id {found}, expected {ticket.correlation_id}"
                if len(frame) < 4:
                    reason = f"a frame of {len(frame)} bytes, too short for a correlation id"
                self._break(reason)
                return ticket, Garbled(reason, frame[:RAW_KEPT], now)
            return ticket, Unread(request, frame, now)

    def decode(self, ticket: Ticket, came: Outcome | Unread) -> Outcome:
        """The outcome of a request, its answer decoded."""
        if not isinstance(came, Unread):
            return came
        try:
            _, decoded = came.request.decode_response(came.frame)
        except Malformed as problem:
            return Garbled(str(problem), came.frame[:RAW_KEPT], came.at)
        if self._transcript is not None:
            self._transcript.note_response(ticket, decoded.value, came.at)
        return Answer(decoded.value, decoded.trailing, len(came.frame), ticket.sent_at, came.at)

    def _break(self, reason: str) -> None:
        """The stream can't be trusted any more: the other pending requests see it closed."""
        self._end(f"closed here after {reason}")
        self._frames = Frames(self._max_frame)
        self._socket.close()

    def _give_up(self, waited: float) -> tuple[Ticket, Silent]:
        ticket, _ = self._pending.popleft()
        self._abandoned.append(ticket.correlation_id)
        return ticket, Silent(waited, self._frames.buffered, monotonic())
