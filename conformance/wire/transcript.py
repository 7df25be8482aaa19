"""What was sent over some connections and answered, in the order of sending, so that it can be sent
again by something else.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from conformance.wire.outcomes import Ticket

CREDENTIALS = frozenset(("SaslHandshake", "SaslAuthenticate"))
"""APIs whose requests are in no transcript."""


@dataclass(slots=True, eq=False)
class Asked:
    """One request.

    Attributes:
        connection: the number of its connection in the transcript.
        ticket: its API, version and time of sending.
        value: the request's fields; None where it is no request of Kafka's definitions.
        step: the number of the scenario's step that sends it; None for what prepares a step.
        answer: the response's fields; None where none came, or none that can be read.
        ended_at: when the answer was there, in seconds of the monotonic clock; None until then.
    """

    connection: int
    ticket: Ticket
    value: dict[str, Any] | None
    step: int | None = None
    answer: dict[str, Any] | None = None
    ended_at: float | None = None


@dataclass(slots=True, eq=False)
class Transcript:
    """The requests of all connections that were opened with it, until it is closed."""

    asked: list[Asked] = field(default_factory=list)
    _connections: int = 0
    _closed: bool = False

    def new_connection(self) -> int:
        """The number of a connection that is opened."""
        self._connections += 1
        return self._connections - 1

    def note_request(self, connection: int, ticket: Ticket, value: dict[str, Any] | None) -> None:
        """Take note of a request, unless it carries credentials."""
        if not self._closed and ticket.api not in CREDENTIALS:
            self.asked.append(Asked(connection, ticket, value))

    def note_response(self, ticket: Ticket, value: dict[str, Any], at: float) -> None:
        """Take note of the response to a request."""
        for one in reversed(self.asked):
            if one.ticket is ticket:
                one.answer, one.ended_at = value, at
                return

    def belongs(self, ticket: Ticket, step: int) -> None:
        """Take note of the step that a request belongs to."""
        for one in reversed(self.asked):
            if one.ticket is ticket:
                one.step = step
                return

    def close(self) -> None:
        """Take note of nothing more."""
        self._closed = True
