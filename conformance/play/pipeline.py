"""The fast path: independent requests, pipelined over a few connections, their outcomes taken as
they come.

One poll loop on the caller's own thread drives the same connections that histories are played on: a
coroutine and a timer for each request would cost as much as the request itself.
"""

from __future__ import annotations

import select
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

from conformance.wire.outcomes import Answer, Closed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from conformance.cluster import Cluster
    from conformance.wire.codec import Encoded
    from conformance.wire.connection import Connection, Unread
    from conformance.wire.outcomes import Outcome, Ticket

Ask = TypeVar("Ask")
POLL_MS = 1000


@dataclass(slots=True)
class _Lane(Generic[Ask]):
    """One connection, and what is under way on it."""

    connection: Connection
    under_way: deque[Ask] = field(default_factory=deque)


class _Waiting(Generic[Ask]):
    """What is not sent yet; the first of it may be encoded already."""

    def __init__(self, queue: deque[Ask], encode: Callable[[Ask], Encoded]) -> None:
        self._queue = queue
        self._encode = encode
        self._encoded: deque[tuple[Ask, Encoded]] = deque()

    def __len__(self) -> int:
        return len(self._encoded) + len(self._queue)

    def take(self, most: int) -> list[tuple[Ask, Encoded]]:
        """The next ones, so many at the most."""
        self.encode_ahead(most)
        return [self._encoded.popleft() for _ in range(min(most, len(self._encoded)))]

    def encode_ahead(self, count: int) -> None:
        """Have so many encoded, or all."""
        while self._queue and len(self._encoded) < count:
            ask = self._queue.popleft()
            self._encoded.append((ask, self._encode(ask)))


class Pipeline(Generic[Ask]):
    """Sends independent requests.

    Args:
        cluster: whom to ask.
        connections: how many share the requests.
        window: requests under way on one connection.
        silence_s: how long an answer is waited for, since its sending and since the answer before
            it.
    """

    def __init__(
        self, cluster: Cluster, *, connections: int, window: int, silence_s: float
    ) -> None:
        self._cluster = cluster
        self._connections = connections
        self._window = window
        self._silence_s = silence_s
        self._kept: list[Connection] = []

    def close(self) -> None:
        """Close the connections."""
        for connection in self._kept:
            connection.close()
        self._kept.clear()

    def ask(
        self, queue: deque[Ask], encode: Callable[[Ask], Encoded], again: deque[Ask]
    ) -> Iterator[list[tuple[Ask, Ticket, Outcome]]]:
        """Ask all that is in the queue, in whatever order answers come; outcomes that are there at
        the same time come together.

        Where a connection ends, it is the doing of the oldest request without an answer, unless the
        session that the broker granted was over; those behind it are put into `again`, to be asked
        alone. While answers are decoded and the caller looks at outcomes, the broker has the next
        requests already, and those behind them are encoded.

        Args:
            queue: what is asked, each all that its scenario does; empty afterwards.
            encode: encodes the request of one.
            again: filled with what has no outcome.

        Raises:
            NotConnected: the broker is gone.
        """
        lanes = [_Lane[Ask](self._idle()) for _ in range(min(self._connections, len(queue)))]
        try:
            yield from self._drive(lanes, _Waiting(queue, encode), again)
        finally:
            for lane in lanes:
                self._keep(lane.connection)

    def _idle(self) -> Connection:
        """A connection that nothing is under way on. Asking may begin again while an earlier one is
        still under way: it gets others.
        """
        while self._kept:
            connection = self._kept.pop()
            connection.poll_ready()  # it may have been closed for being idle
            if connection.alive and not connection.is_stale:
                return connection
            connection.close()
        return self._cluster.connect(timeout=self._silence_s)

    def _keep(self, connection: Connection) -> None:
        if connection.alive and not connection.pending:
            self._kept.append(connection)
        else:
            connection.close()

    def _drive(
        self, lanes: list[_Lane[Ask]], waiting: _Waiting[Ask], again: deque[Ask]
    ) -> Iterator[list[tuple[Ask, Ticket, Outcome]]]:
        poller = select.poll()
        by_descriptor: dict[int, _Lane[Ask]] = {}

        def begin(lane: _Lane[Ask]) -> None:
            by_descriptor[lane.connection.fileno()] = lane
            poller.register(lane.connection.fileno(), select.POLLIN)
            self._fill(lane, waiting)

        for lane in lanes:
            begin(lane)
        while under_way := sum([len(lane.under_way) for lane in lanes]):
            waiting.encode_ahead(under_way)
            ready = poller.poll(POLL_MS)
            answering = [by_descriptor[descriptor] for descriptor, _ in ready] if ready else lanes
            arrived, ended = self._take_answers(answering, waiting)
            yield arrived
            for lane in ended:
                descriptor = next(
                    number for number, known in by_descriptor.items() if known is lane
                )
                poller.unregister(descriptor)
                del by_descriptor[descriptor]
                again.extend(lane.under_way)
                lane.under_way.clear()
                lane.connection.close()
                if waiting:
                    lane.connection = self._cluster.connect(timeout=self._silence_s)
                    begin(lane)

    def _take_answers(
        self, lanes: list[_Lane[Ask]], waiting: _Waiting[Ask]
    ) -> tuple[list[tuple[Ask, Ticket, Outcome]], list[_Lane[Ask]]]:
        """Take what has arrived on all lanes, and give each its next requests, before the first
        answer is decoded; with the lanes whose connection had ended.

        A broker answers one request of a connection after the other, and many connections at once:
        it does less for each where all have something to do. And to decode many answers, then to
        judge them all, takes less time than to do both by turns.
        """
        came: list[tuple[Ask, Connection, Ticket, Outcome | Unread]] = []
        ended = []
        for lane in lanes:
            if not lane.under_way:
                continue
            connection = lane.connection
            some: Sequence[tuple[Ticket, Outcome | Unread]] = connection.poll_unread()
            if not connection.alive:
                ended.append(lane)
                some = _up_to_the_end(
                    [(ticket, connection.decode(ticket, one)) for ticket, one in some],
                    session_over=connection.is_stale,
                )
            came += [(lane.under_way.popleft(), connection, *one) for one in some]
            self._fill(lane, waiting)
        arrived = [
            (ask, ticket, connection.decode(ticket, one)) for ask, connection, ticket, one in came
        ]
        return arrived, ended

    def _fill(self, lane: _Lane[Ask], waiting: _Waiting[Ask]) -> None:
        """Send what the lane has room for, at once."""
        if not lane.connection.alive:
            return
        some = waiting.take(self._window - len(lane.under_way))
        for ticket in lane.connection.send_together([encoded for _, encoded in some]):
            self._cluster.belongs(ticket, 0)
        lane.under_way.extend([ask for ask, _ in some])


def _up_to_the_end(
    outcomes: Sequence[tuple[Ticket, Outcome]], *, session_over: bool
) -> Sequence[tuple[Ticket, Outcome | Unread]]:
    """The answers of a connection that ended, and the first outcome that is none, unless the broker
    closed the connection since its session was over.
    """
    for number, (_, outcome) in enumerate(outcomes):
        if not isinstance(outcome, Answer):
            excused = session_over and isinstance(outcome, Closed)
            return outcomes[: number + (not excused)]
    return outcomes
