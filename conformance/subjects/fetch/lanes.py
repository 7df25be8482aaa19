"""Stateless fetches, many at a time: pipelined over a few connections, answers taken as they come.

Four kinds go apart: fetches that are answered at once share connections; those that may wait have one each while they wait, since
a broker answers a connection's requests in order; those that should make the broker close the connection are alone on theirs.
Those under a quota of their own have a connection and a client id each, and are asked again where they come throttled.
Where a shared connection ends, it is the doing of the oldest fetch without an answer; those behind it are asked again, alone.
"""

from __future__ import annotations

import select
import time
from collections import deque
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from conformance.subjects.fetch.answers import Keys, fetch_answer, keys_of
from conformance.subjects.fetch.quotas import QuotaRefusedError, clients_with
from conformance.subjects.fetch.requests import OLDER_EPOCH_UNKNOWN, answerable, fetch_request, older_epoch_missing
from conformance.wire import outcomes
from spec.observation import Exchange, Observation
from spec.outcomes import Closed, Garbled, NotSent, Outcome, Silent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from conformance.cluster import Cluster
    from conformance.placement.site import Placed
    from conformance.wire.connection import Connection
    from conformance.wire.outcomes import Ticket
    from spec.fetch.steps import Fetch

WINDOW = 16
"""Requests in flight on one connection."""
SILENCE_S = 30.0
"""How long after max_wait an answer is given up."""
CONTROL_S = 10.0


@dataclass(slots=True)
class _Ask:
    number: int
    placed: Placed
    keys: Keys
    fetch: Fetch
    alone: bool = False


@dataclass(slots=True)
class _Lane:
    """One connection and what is in flight on it."""

    connection: Connection
    window: int
    queue: deque[_Ask]
    flying: deque[_Ask] = field(default_factory=deque)


@dataclass(frozen=True, slots=True)
class _Flying:
    """A fetch under a quota, sent on a connection of its own."""

    ask: _Ask
    connection: Connection
    ticket: Ticket


class Lanes:
    """Asks stateless fetches about placed layouts.

    Args:
        cluster: whom to ask.
        connections: how many share the fetches that are answered at once.
        waiting: how many fetches may wait side by side.
        window: requests in flight on one connection.
        silence: seconds past max_wait after which an answer is given up.
    """

    def __init__(
        self, cluster: Cluster, *, connections: int = 4, waiting: int = 16, window: int = WINDOW, silence: float = SILENCE_S
    ) -> None:
        self._window = window
        self._cluster = cluster
        self._connections = connections
        self._waiting = waiting
        self._silence = silence
        self._kept: list[Connection] = []

    def close(self) -> None:
        """Close the connections."""
        for connection in self._kept:
            connection.close()
        self._kept.clear()

    def ask(self, questions: Iterable[tuple[Placed, Fetch]]) -> Iterator[tuple[int, Observation]]:
        """Ask them all; each comes back with its number as its answer does."""
        quick: deque[_Ask] = deque()
        slow: deque[_Ask] = deque()
        alone: deque[_Ask] = deque()
        throttled: deque[_Ask] = deque()
        keys: dict[int, Keys] = {}
        for number, (placed, fetch) in enumerate(questions):
            if older_epoch_missing(fetch, placed):
                yield number, _not_sent(OLDER_EPOCH_UNKNOWN)
                continue
            if id(placed) not in keys:
                keys[id(placed)] = keys_of(placed)
            ask = _Ask(number, placed, keys[id(placed)], fetch)
            lot = alone if not answerable(self._cluster, fetch) else slow if fetch.max_wait_ms > 0 else quick
            (lot if fetch.quota is None else throttled).append(ask)
        again: deque[_Ask] = deque()
        try:
            with ExitStack() as stack:
                try:
                    flying = stack.enter_context(self._quoted(throttled))
                except QuotaRefusedError as refused:
                    flying = deque()
                    for ask in throttled:
                        yield ask.number, _not_sent(str(refused))
                yield from self._together(quick, slow, again)
                yield from self._throttled(flying)
            for ask in (*alone, *again):
                yield ask.number, self._alone(ask)
        except outcomes.NotConnected as gone:
            broken = Observation((), broken=f"the broker is gone: {gone}")
            for ask in (*quick, *slow, *throttled, *alone, *again):
                yield ask.number, broken

    def _idle(self) -> Connection:
        """A connection that nothing is in flight on. Asking may begin anew while an earlier one is still under way: it gets others."""
        while self._kept:
            connection = self._kept.pop()
            connection.poll_ready()  # it may have been closed for being idle
            if connection.alive:
                return connection
            connection.close()
        return self._cluster.connect(timeout=self._silence)

    def _keep(self, connection: Connection) -> None:
        if connection.alive and not connection.pending:
            self._kept.append(connection)
        else:
            connection.close()

    def _together(self, quick: deque[_Ask], slow: deque[_Ask], again: deque[_Ask]) -> Iterator[tuple[int, Observation]]:
        queues = [*[quick] * min(self._connections, len(quick)), *[slow] * min(self._waiting, len(slow))]
        lanes = [_Lane(self._idle(), 1 if queue is slow else self._window, queue) for queue in queues]
        try:
            yield from self._driven(lanes, again)
        finally:
            for lane in lanes:
                self._keep(lane.connection)

    def _driven(self, lanes: list[_Lane], again: deque[_Ask]) -> Iterator[tuple[int, Observation]]:
        poller = select.poll()
        by_fd: dict[int, _Lane] = {}
        for lane in lanes:
            by_fd[lane.connection.fileno()] = lane
            poller.register(lane.connection.fileno(), select.POLLIN)
            self._fill(lane)
        while any(lane.flying for lane in lanes):
            ready = poller.poll(1000)
            some = [by_fd[fd] for fd, _ in ready] if ready else lanes
            for lane in some:
                if not lane.flying:
                    continue
                arrived = [(lane.flying.popleft(), *answered) for answered in lane.connection.poll_ready()]
                ended = not lane.connection.alive
                self._fill(lane)  # the broker is at work while whoever asked looks at what arrived
                broken = False
                for ask, ticket, outcome in arrived:
                    if broken:
                        again.append(ask)
                        continue
                    broken = ended and not isinstance(outcome, outcomes.Answer)
                    yield ask.number, self._observed(ask, ticket, outcome)
                if ended:
                    poller.unregister(next(fd for fd, known in by_fd.items() if known is lane))
                    by_fd = {fd: known for fd, known in by_fd.items() if known is not lane}
                    again.extend(lane.flying)
                    lane.flying.clear()
                    if lane.queue:
                        lane.connection.close()
                        lane.connection = self._cluster.connect(timeout=self._silence)
                        by_fd[lane.connection.fileno()] = lane
                        poller.register(lane.connection.fileno(), select.POLLIN)
                        self._fill(lane)

    def _fill(self, lane: _Lane) -> None:
        """Send what the lane has room for, in one go."""
        with lane.connection.together():
            while lane.queue and len(lane.flying) < lane.window and lane.connection.alive:
                ask = lane.queue.popleft()
                lane.flying.append(ask)
                self._send(lane.connection, ask)

    def _send(self, connection: Connection, ask: _Ask) -> Ticket:
        asked = ask.fetch.session if isinstance(ask.fetch.session, int) else 0
        connection.timeout = self._silence + ask.fetch.max_wait_ms / 1000
        return connection.send("Fetch", ask.fetch.version, fetch_request(ask.fetch, ask.placed, asked))

    @contextmanager
    def _quoted(self, asks: Sequence[_Ask]) -> Iterator[deque[_Flying]]:
        """Send those under a quota, each on a connection of its own. Raises QuotaRefusedError."""
        flying: deque[_Flying] = deque()
        if not asks:
            yield flying
            return
        with clients_with(self._cluster, [ask.fetch.quota or 0 for ask in asks]) as names:
            try:
                for ask, name in zip(asks, names, strict=True):
                    connection = self._cluster.connect(timeout=self._silence)
                    connection.client_id = name
                    flying.append(_Flying(ask, connection, self._send(connection, ask)))
                yield flying
            finally:
                for one in flying:
                    one.connection.close()

    def _throttled(self, flying: deque[_Flying]) -> Iterator[tuple[int, Observation]]:
        """What came under a quota, sent again for as long as it comes throttled: the broker takes its time to read it."""
        deadline = time.monotonic() + self._silence
        while flying:
            one = flying[0]
            outcome = one.connection.receive(self._silence)
            flying.popleft()
            throttled = comes_throttled(outcome)
            if throttled and time.monotonic() < deadline:
                flying.append(replace(one, ticket=self._send(one.connection, one.ask)))
                continue
            one.connection.close()
            if throttled:
                yield one.ask.number, _not_sent(f"it came throttled for {self._silence:.0f} s")
            else:
                yield one.ask.number, self._observed(one.ask, one.ticket, outcome)

    def _alone(self, ask: _Ask) -> Observation:
        """One fetch on a connection of its own, so that whatever becomes of the connection is its doing."""
        version = ask.fetch.version
        known = self._cluster.codec.versions("Fetch")
        if version not in known:
            return self._unknown_version(ask)
        with self._cluster.connect(timeout=self._silence) as connection:
            self._send(connection, ask)
            sent = time.monotonic()
            outcome = connection.receive(self._silence + ask.fetch.max_wait_ms / 1000)
            ticket = outcomes.Ticket(0, "Fetch", version, sent)
            return self._observed(ask, ticket, outcome)

    def _unknown_version(self, ask: _Ask) -> Observation:
        """A version that Kafka's definitions do not have (any more, or yet): the nearest's frame, with another number on it."""
        known = self._cluster.codec.versions("Fetch")
        nearest = min(max(ask.fetch.version, known.start), known.stop - 1)
        request = self._cluster.codec.request("Fetch", nearest)
        fetch = ask.fetch
        with self._cluster.connect(timeout=self._silence) as connection:
            frame = bytearray(request.encode(fetch_request(fetch, ask.placed, 0), connection.next_correlation_id, "fencepost"))
            frame[2:4] = fetch.version.to_bytes(2, "big")
            sent = time.monotonic()
            connection.send_frame(request, bytes(frame))
            outcome = connection.receive(self._silence)
            return self._observed(ask, outcomes.Ticket(0, "Fetch", nearest, sent), outcome)

    def _observed(self, ask: _Ask, ticket: Ticket, outcome: outcomes.Outcome) -> Observation:
        sent_at = ticket.sent_at
        if isinstance(outcome, outcomes.Answer):
            asked = ask.fetch.session if isinstance(ask.fetch.session, int) else 0
            try:
                answer: Outcome = fetch_answer(outcome.value, outcome.trailing, ask.placed, ask.keys, own=0, asked=asked)
            except (KeyError, TypeError) as missing:
                answer = Garbled(f"the answer lacks {missing}")
            return Observation((Exchange(0, answer, 0.0, (outcome.received_at - sent_at) * 1000),))
        return Observation((Exchange(0, observed_end(self._cluster, outcome), 0.0, (outcome.at - sent_at) * 1000),))


def _not_sent(reason: str) -> Observation:
    return Observation((Exchange(0, NotSent(reason)),))


def comes_throttled(outcome: outcomes.Outcome) -> bool:
    """Whether an answer is the one that a quota puts off: no partitions, and a throttle time (KIP-219)."""
    return isinstance(outcome, outcomes.Answer) and outcome.value["throttle_time_ms"] > 0 and not outcome.value["responses"]


def observed_end(cluster: Cluster, outcome: outcomes.Closed | outcomes.Silent | outcomes.Garbled) -> Outcome:
    """What is observed where no answer came; a control request says whether the broker is still there."""
    if isinstance(outcome, outcomes.Garbled):
        return Garbled(outcome.reason)
    if isinstance(outcome, outcomes.Closed):
        return Closed(outcome.reason, control_answered=answers_control(cluster))
    return Silent(round(outcome.waited * 1000), control_answered=answers_control(cluster))


def answers_control(cluster: Cluster) -> bool:
    """Whether a plain ApiVersions request on a fresh connection is answered within seconds."""
    try:
        with cluster.connect(timeout=CONTROL_S) as connection:
            connection.ask("ApiVersions", 0, {})
    except (outcomes.NotConnected, outcomes.NoAnswer):
        return False
    return True
