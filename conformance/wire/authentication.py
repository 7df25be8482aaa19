"""How a connection is authenticated, in Kafka's own requests: ApiVersions, SaslHandshake and
SaslAuthenticate (KIP-152), without any I/O.

The frames are written out by hand, since this comes before anything else is known of a broker.
"""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING

from conformance.wire.sasl import SaslError
from spec.kafka import Error

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from conformance.wire.sasl import Sasl

API_VERSIONS, SASL_HANDSHAKE, SASL_AUTHENTICATE = 18, 17, 36
HANDSHAKE_VERSION = 1
"""The first one after which tokens travel in SaslAuthenticate."""
FLEXIBLE = 2
"""The version of SaslAuthenticate with tagged fields, and the newest."""
LARGEST_FRAME = 1 << 20
"""The longest answer that is read before a connection is authenticated, in bytes."""
_CLIENT_ID = b"fencepost"


def authentication(sasl: Sasl) -> Generator[bytes, bytes, float]:
    """Authenticate: gives the frames to send, without their lengths, and is sent the broker's.

    Returns:
        How long the session lasts, in seconds; infinite where the broker sets no end (KIP-368).

    Raises:
        SaslError: the broker refuses, with what it said, or answers what can't be read.
    """
    exchange = sasl.exchange()
    versions = _versions((yield _request(API_VERSIONS, 0, b"")))
    if HANDSHAKE_VERSION not in _range(versions, SASL_HANDSHAKE):
        raise SaslError(
            f"the broker has no SaslHandshake v{HANDSHAKE_VERSION}, which Kafka has since 1.0.0"
        )
    usable = [v for v in _range(versions, SASL_AUTHENTICATE) if v <= FLEXIBLE]
    if not usable:
        raise SaslError("the broker has no SaslAuthenticate that is known here")
    version = usable[-1]
    name = sasl.mechanism.encode()
    handshake = struct.pack(">h", len(name)) + name
    _check_handshake((yield _request(SASL_HANDSHAKE, HANDSHAKE_VERSION, handshake)), sasl)
    lifetime_s, said = math.inf, next(exchange)
    while True:
        answer = yield _request(SASL_AUTHENTICATE, version, _token(said, version))
        answered, lifetime_s = _read_authenticated(answer, version, sasl)
        try:
            said = exchange.send(answered)
        except StopIteration:
            return lifetime_s


def _request(api_key: int, version: int, body: bytes) -> bytes:
    """A request whose correlation id is its API key."""
    header = struct.pack(">hhih", api_key, version, api_key, len(_CLIENT_ID)) + _CLIENT_ID
    flexible = api_key == SASL_AUTHENTICATE and version >= FLEXIBLE
    return header + (b"\0" if flexible else b"") + body


def _token(said: bytes, version: int) -> bytes:
    if version >= FLEXIBLE:
        return _varint(len(said) + 1) + said + b"\0"
    return struct.pack(">i", len(said)) + said


class _Reader:
    """Reads an answer; what does not fit raises `SaslError`."""

    def __init__(self, frame: bytes, api_key: int) -> None:
        self._frame, self._at = frame, 0
        if self.number(">i") != api_key:
            raise SaslError("the broker answers another request")

    def number(self, shape: str) -> int:
        return int(struct.unpack(shape, self.take(struct.calcsize(shape)))[0])

    def take(self, size: int) -> bytes:
        end = self._at + size
        if size < 0 or end > len(self._frame):
            raise SaslError("the broker's answer is cut off")
        taken, self._at = self._frame[self._at : end], end
        return taken

    def varint(self) -> int:
        value = 0
        for shift in range(0, 35, 7):
            (part,) = self.take(1)
            value |= (part & 0x7F) << shift
            if part < 0x80:
                return value
        raise SaslError("the broker's answer holds a number that has no end")

    def text(self, *, compact: bool) -> str:
        size = self.varint() - 1 if compact else self.number(">h")
        return "" if size < 0 else self.take(size).decode("utf-8", "replace")


def _versions(frame: bytes) -> Mapping[int, tuple[int, int]]:
    reader = _Reader(frame, API_VERSIONS)
    error, count = reader.number(">h"), reader.number(">i")
    if error or not 0 < count <= len(frame):
        raise SaslError(f"ApiVersions v0 is answered with {_error_text(error)} and {count} entries")
    entries = [[reader.number(">h") for _ in range(3)] for _ in range(count)]
    return {key: (low, high) for key, low, high in entries}


def _range(versions: Mapping[int, tuple[int, int]], api_key: int) -> range:
    low, high = versions.get(api_key, (0, -1))
    return range(low, high + 1)


def _check_handshake(frame: bytes, sasl: Sasl) -> None:
    reader = _Reader(frame, SASL_HANDSHAKE)
    error, count = reader.number(">h"), reader.number(">i")
    offered = [reader.text(compact=False) for _ in range(min(count, len(frame)))]
    if error == Error.UNSUPPORTED_SASL_MECHANISM:
        raise SaslError(
            f"the broker's listener has the mechanisms {', '.join(offered) or 'none'}, not "
            f"{sasl.mechanism}"
        )
    if error == Error.ILLEGAL_SASL_STATE:
        raise SaslError(
            "the broker's listener has no SASL (security.protocol PLAINTEXT or SSL fits it): "
            f"{_error_text(error)}"
        )
    if error:
        raise SaslError(f"the broker answers SaslHandshake with {_error_text(error)}")


def _read_authenticated(frame: bytes, version: int, sasl: Sasl) -> tuple[bytes, float]:
    """What the broker says in the exchange, and how long the session lasts."""
    reader = _Reader(frame, SASL_AUTHENTICATE)
    compact = version >= FLEXIBLE
    if compact:
        _skip_tags(reader)
    error, message = reader.number(">h"), reader.text(compact=compact)
    if error:
        said = f": {sasl.redact(message)}" if message else ""
        raise SaslError(f"the broker says {_error_text(error)}{said}")
    size = reader.varint() - 1 if compact else reader.number(">i")
    said_bytes = reader.take(max(0, size))
    lifetime_ms = reader.number(">q") if version >= 1 else 0
    return said_bytes, lifetime_ms / 1000 if lifetime_ms > 0 else math.inf


def _skip_tags(reader: _Reader) -> None:
    for _ in range(reader.varint()):
        reader.varint()
        reader.take(reader.varint())


def _error_text(error: int) -> str:
    name = Error(error).name if error in {*Error} else "unknown"
    return f"error {error} ({name})"


def _varint(value: int) -> bytes:
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(encoded + bytes([value]))
