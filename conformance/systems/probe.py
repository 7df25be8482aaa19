"""Asks an address whether a Kafka broker answers there, and which: a few bytes of the protocol,
written out by hand.

It is used before anything else is known about a system, so it needs nothing else to work.
ApiVersions version 0 is old enough for every broker; Metadata is asked in version 4, which
has no tagged fields, or in the one next to it, up to 13, that the broker has.
"""

from __future__ import annotations

import struct
import time
from typing import TYPE_CHECKING

from conformance.systems.base import Refused, Unreachable
from conformance.wire.outcomes import NotConnected
from conformance.wire.security import PLAINTEXT, NotAuthenticated, open_connection
from spec.frozen import frozen

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

    from conformance.wire.security import Security

_METADATA = 3
_PLAIN_METADATA = 4
_NEWEST_METADATA = 13
_FLEXIBLE_METADATA = 9
_API_VERSIONS = (18, 0)
_LONGEST_ANSWER = 16 << 20
_PAUSE_S = 0.02
_ATTEMPT_S = 5.0
_LEAST_S = 0.5


@frozen(slots=False)
class Probe:
    """The description that a broker gives of itself.

    Attributes:
        cluster_id: the cluster's id; empty if it has none.
        brokers: (node id, host, port) of each live broker.
        api_versions: for each api key the lowest and highest version.
    """

    cluster_id: str
    brokers: tuple[tuple[int, str, int], ...]
    api_versions: tuple[tuple[int, int, int], ...]


def probe(
    address: tuple[str, int], security: Security = PLAINTEXT, timeout: float = _ATTEMPT_S
) -> Probe:
    """Asks once, within `timeout` seconds in all, however slowly bytes come.

    Raises:
        Refused: it does not take the credentials.
        Unreachable: nothing listens there, or what answers isn't a Kafka broker.
    """
    deadline = time.monotonic() + timeout
    try:
        with open_connection(*address, timeout, security).socket as wire:
            versions = _read_api_versions(_ask(wire, *_API_VERSIONS, b"", deadline))
            version = _metadata_version(versions)
            answer = _ask(wire, _METADATA, version, _metadata_request(version), deadline)
            cluster_id, brokers = _read_metadata(version, answer)
    except NotAuthenticated as refused:
        raise Refused(str(refused)) from refused
    except (NotConnected, OSError, struct.error, ValueError, UnicodeDecodeError) as failed:
        shown = _in_words(failed)
        raise Unreachable(
            f"expected a Kafka broker at {address[0]}:{address[1]} that answers ApiVersions and "
            f"Metadata, found {shown}; "
            "check the address, whether the broker runs, and whether its listener is plain text, "
            "TLS or SASL (--command-config)"
        ) from failed
    return Probe(cluster_id, brokers, versions)


def _in_words(failed: Exception) -> str:
    match failed:
        case TimeoutError():
            return "no answer: it timed out"
        case NotConnected():
            return failed.reason
        case struct.error() | UnicodeDecodeError():
            return "an answer that can't be read"
        case _:
            return str(failed) or "a connection that failed"


def await_broker(
    address: tuple[str, int],
    *,
    security: Security = PLAINTEXT,
    timeout: float,
    give_up: Callable[[], bool] = lambda: False,
    say: Callable[[str], None] = lambda _: None,
) -> Probe | None:
    """Asks again and again until a broker answers and knows itself to be alive; None when `give_up`
    says so.

    Args:
        address: where.
        security: how it is spoken with.
        timeout: seconds.
        give_up: whether to ask no more.
        say: called once, where the first try failed, with what is waited for.

    Raises:
        Refused: it does not take the credentials; that is not asked again.
        Unreachable: no such answer within `timeout` seconds; the last failure.
    """
    deadline = time.monotonic() + timeout
    said = False
    while True:
        left = deadline - time.monotonic()
        try:
            found = probe(address, security, min(_ATTEMPT_S, max(left, _LEAST_S)))
            if found.brokers:
                return found
            problem = Unreachable(
                f"expected a live broker at {address[0]}:{address[1]}, found one that is still "
                "fenced"
            )
        except Refused:
            raise
        except Unreachable as failed:
            problem = failed
        if give_up():
            return None
        if time.monotonic() > deadline:
            raise problem
        if not said:
            said = True
            say(
                f"waiting for {address[0]}:{address[1]} to answer ApiVersions and Metadata, at "
                f"most {timeout:.0f} s"
            )
        time.sleep(_PAUSE_S)


def _ask(wire: socket.socket, api_key: int, version: int, body: bytes, deadline: float) -> bytes:
    request = struct.pack(">hhih", api_key, version, api_key, 9) + b"fencepost" + body
    wire.sendall(struct.pack(">i", len(request)) + request)
    (length,) = struct.unpack(">i", _read(wire, 4, deadline))
    if not 4 <= length <= _LONGEST_ANSWER:
        raise ValueError(f"an answer of {length} bytes")
    answer = _read(wire, length, deadline)
    if answer[:4] != struct.pack(">i", api_key):
        raise ValueError("an answer to another request")
    return answer[4:]


def _read(wire: socket.socket, length: int, deadline: float) -> bytes:
    parts = bytearray()
    while len(parts) < length:
        left = deadline - time.monotonic()
        try:
            if left <= 0:
                raise TimeoutError
            wire.settimeout(left)
            part = wire.recv(length - len(parts))
        except TimeoutError:
            if not parts:
                raise
            raise ValueError(f"{len(parts)} of {length} bytes of an answer in time") from None
        if not part:
            raise ValueError(f"the connection closed after {len(parts)} of {length} bytes")
        parts += part
    return bytes(parts)


def _read_api_versions(body: bytes) -> tuple[tuple[int, int, int], ...]:
    error, count = struct.unpack_from(">hi", body)
    if error or not 0 < count <= len(body) // 6:
        raise ValueError(f"ApiVersions answered with error code {error} and {count} entries")
    return tuple(
        (entry[0], entry[1], entry[2])
        for entry in struct.iter_unpack(">hhh", body[6 : 6 + 6 * count])
    )


def _metadata_version(versions: tuple[tuple[int, int, int], ...]) -> int:
    """The version that is asked: the plain one where the broker has it, or does not say."""
    for api_key, lowest, highest in versions:
        if api_key != _METADATA:
            continue
        if lowest > min(highest, _NEWEST_METADATA):
            raise ValueError(f"no version of Metadata up to {_NEWEST_METADATA}")
        return min(highest, max(lowest, _PLAIN_METADATA))
    return _PLAIN_METADATA


def _metadata_request(version: int) -> bytes:
    """The end of its header, where that has tags, and its body: no topics, and none is to be
    made. Version 0 names all topics then.
    """
    operations = 0 if version < 8 else 2 if version <= 10 else 1
    flags = bytes((version >= 4) + operations)
    if version >= _FLEXIBLE_METADATA:
        return b"\0" + b"\1" + flags + b"\0"
    return bytes(4) + flags


def _read_metadata(version: int, body: bytes) -> tuple[str, tuple[tuple[int, str, int], ...]]:
    read = _Reader(body, flexible=version >= _FLEXIBLE_METADATA)
    read.tags()
    if version >= 3:
        read.number()  # the throttle time
    brokers = []
    for _ in range(read.length(4)):
        brokers.append((read.number(), read.text(), read.number()))
        if version >= 1:
            read.text()  # the rack
        read.tags()
    return read.text() if version >= 2 else "", tuple(brokers)


class _Reader:
    """Reads fields one after the other, flexible ones (KIP-482) or those of old versions."""

    def __init__(self, body: bytes, *, flexible: bool) -> None:
        self._body = body
        self._flexible = flexible
        self._at = 0

    def number(self) -> int:
        (value,) = struct.unpack_from(">i", self._body, self._at)
        self._at += 4
        return int(value)

    def text(self) -> str:
        """A text; "" where it is null."""
        length = self.length(2)
        if length < 0:
            return ""
        if self._at + length > len(self._body):
            raise ValueError(f"a text of {length} bytes in an answer of {len(self._body)}")
        self._at += length
        return self._body[self._at - length : self._at].decode()

    def length(self, size: int) -> int:
        """The length of a text or an array, which old versions write in so many bytes; -1: null."""
        if self._flexible:
            return self._varint() - 1
        (value,) = struct.unpack_from(">h" if size == 2 else ">i", self._body, self._at)
        self._at += size
        return int(value)

    def tags(self) -> None:
        """Pass over tagged fields; old versions have none."""
        for _ in range(self._varint() if self._flexible else 0):
            self._varint()
            self._at += self._varint()

    def _varint(self) -> int:
        value = shift = 0
        while True:
            if self._at >= len(self._body) or shift > 28:
                raise ValueError("an answer that can't be read")
            byte = self._body[self._at]
            self._at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7
