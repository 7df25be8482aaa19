"""Outcomes of a request. None of these is an exception: a peer's misbehaviour is evidence,
not our failure.
"""

from __future__ import annotations

from typing import Any

from spec.frozen import frozen

RAW_KEPT = 1024
"""Bytes of a garbled frame that are kept as evidence."""


@frozen
class Ticket:
    """A request that was sent: its place in the connection's order, and when (monotonic
    seconds).
    """

    correlation_id: int
    api: str
    version: int
    sent_at: float


@frozen
class Answer:
    """A response that could be decoded.

    Attributes:
        value: the decoded body.
        trailing: bytes left over after the body.
        raw_length: bytes of the whole response frame, the 4 bytes of its length not counted.
        sent_at, received_at: monotonic seconds; received is when the last byte was there.
    """

    value: dict[str, Any]
    trailing: int
    raw_length: int
    sent_at: float
    received_at: float


@frozen
class Closed:
    """The peer closed the connection before it answered.

    Attributes:
        reason: how (`end of stream`, `connection reset`, ...).
        received: bytes of an unfinished frame that had come before.
        at: monotonic seconds.
    """

    reason: str
    received: int
    at: float

    def __str__(self) -> str:
        return f"the connection was closed before it came ({self.reason}{_part_of(self.received)})"


@frozen
class Silent:
    """No (complete) answer came in time.

    Attributes:
        waited: seconds.
        received: bytes of an unfinished frame that had come.
        at: monotonic seconds.
    """

    waited: float
    received: int
    at: float

    def __str__(self) -> str:
        return f"none within {self.waited:.1f} s{_part_of(self.received)}"


@frozen
class Garbled:
    """Bytes came that are no answer to the request.

    Attributes:
        reason: what is wrong, with the byte where it shows.
        raw: the first `RAW_KEPT` bytes of the frame.
        at: monotonic seconds.
    """

    reason: str
    raw: bytes
    at: float

    def __str__(self) -> str:
        return f"one that can't be read: {self.reason}"


def _part_of(received: int) -> str:
    return f", after {received} bytes of it" if received else ""


Outcome = Answer | Closed | Silent | Garbled


class NotConnected(Exception):  # noqa: N818 - it describes the peer
    """No connection could be made."""

    def __init__(self, host: str, port: int, reason: str) -> None:
        super().__init__(
            f"expected a broker at {host}:{port}, found none: {reason}; is it running, is the "
            "address right?"
        )
        self.host = host
        self.port = port
        self.reason = reason


class NoAnswer(Exception):  # noqa: N818 - it describes the peer
    """`ask` wanted an answer and another outcome came."""

    def __init__(self, api: str, version: int, outcome: Outcome) -> None:
        super().__init__(f"expected an answer to {api} v{version}, found: {outcome}")
        self.api = api
        self.version = version
        self.outcome = outcome
