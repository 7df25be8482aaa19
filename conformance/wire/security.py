"""How a broker is spoken with: over TLS or not, authenticated by SASL or not; and the one way in
which each connection is opened for it.
"""

from __future__ import annotations

import math
import socket
import ssl
import time
from dataclasses import field
from typing import TYPE_CHECKING, NamedTuple

from conformance.wire.authentication import LARGEST_FRAME, authentication
from conformance.wire.outcomes import NotConnected
from conformance.wire.sasl import SaslError
from spec.frozen import frozen

if TYPE_CHECKING:
    from conformance.wire.sasl import Sasl


@frozen
class Security:
    """How a broker's listener is spoken with.

    Attributes:
        ssl_context: for TLS; None for plain text.
        sasl: the mechanism and credentials; None without SASL.
    """

    ssl_context: ssl.SSLContext | None = field(default=None, repr=False)
    sasl: Sasl | None = None

    @property
    def protocol(self) -> str:
        """As `security.protocol` has it."""
        transport = "PLAINTEXT" if self.ssl_context is None else "SSL"
        return transport if self.sasl is None else f"SASL_{transport}"


PLAINTEXT = Security()
"""Plain text, without SASL."""


class NotAuthenticated(NotConnected):
    """A broker is there, and does not take the credentials, or fails to prove its own identity."""

    def __init__(self, host: str, port: int, reason: str, mechanism: str) -> None:
        super().__init__(host, port, reason)
        text = (
            f"expected the broker at {host}:{port} to accept the credentials given by "
            f"--command-config ({mechanism}), found: {reason}; check sasl.mechanism, the "
            "credentials, and whether this listener takes them"
        )
        self.args = (text,)


class Opened(NamedTuple):
    """A connection that requests can be sent on.

    Attributes:
        socket: connected, its TLS handshake and authentication done.
        lasts_s: seconds until the broker ends its session; infinite where it does not.
    """

    socket: socket.socket
    lasts_s: float = math.inf


def open_connection(
    host: str,
    port: int,
    timeout_s: float,
    security: Security = PLAINTEXT,
    source: tuple[str, int] | None = None,
) -> Opened:
    """Open a connection; its socket blocks. `source` is the address to connect from.

    Raises:
        NotConnected: no connection within so many seconds.
        NotAuthenticated: the broker refuses the credentials.
    """
    deadline = time.monotonic() + timeout_s
    try:
        plain = socket.create_connection((host, port), timeout_s, source_address=source)
    except OSError as problem:
        raise NotConnected(host, port, reason_of(problem)) from problem
    found = plain
    try:
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if security.ssl_context is not None:
            found = security.ssl_context.wrap_socket(plain, server_hostname=host)
        lasts_s = math.inf
        if security.sasl is not None:
            lasts_s = _authenticate(found, security.sasl, deadline)
    except SaslError as refused:
        found.close()
        assert security.sasl is not None
        raise NotAuthenticated(host, port, str(refused), security.sasl.mechanism) from refused
    except (OSError, ValueError) as problem:
        found.close()
        raise NotConnected(host, port, reason_of(problem)) from problem
    except BaseException:
        found.close()
        raise
    return Opened(found, lasts_s)


def _authenticate(wire: socket.socket, sasl: Sasl, deadline: float) -> float:
    """Authenticate over a socket; how long the session lasts."""
    steps = authentication(sasl)
    frame = next(steps)
    while True:
        wire.settimeout(_time_left(deadline))
        wire.sendall(len(frame).to_bytes(4, "big") + frame)
        size = int.from_bytes(_exactly(wire, 4, deadline), "big")
        answer = _exactly(wire, checked_size(size), deadline)
        try:
            frame = steps.send(answer)
        except StopIteration as done:
            return float(done.value)


def checked_size(size: int) -> int:
    """The announced length of an answer.

    Raises:
        SaslError: it is none of a broker's.
    """
    if not 4 <= size <= LARGEST_FRAME:
        raise SaslError(
            f"an answer of {size} bytes; the listener may want TLS (security.protocol SASL_SSL)"
        )
    return size


def _time_left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError("timed out")
    return left


def _exactly(wire: socket.socket, size: int, deadline: float) -> bytes:
    parts = bytearray()
    while len(parts) < size:
        wire.settimeout(_time_left(deadline))
        part = wire.recv(size - len(parts))
        if not part:
            raise SaslError(ENDED)
        parts += part
    return bytes(parts)


ENDED = (
    "it closed the connection while it was asked for authentication; the listener may want TLS "
    "(security.protocol SASL_SSL), or be no Kafka broker"
)


def reason_of(problem: Exception) -> str:
    """What went wrong, in the system's words."""
    if isinstance(problem, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted: {problem.verify_message}"
    if isinstance(problem, ssl.SSLError):
        return f"the TLS handshake failed: {problem.reason or problem}"
    if isinstance(problem, OSError):
        return problem.strerror or str(problem) or type(problem).__name__
    return str(problem) or type(problem).__name__
