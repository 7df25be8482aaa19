"""Connections to a listener of a play's own, on a broker that was started here: it is added while
the broker runs, so that its limit goes for no one else.
"""

from __future__ import annotations

import asyncio
import socket
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING

from conformance.play.configs import ask_to_alter, describe
from conformance.play.connection import AsyncConnection
from conformance.play.history import Inconclusive
from conformance.play.silence import SILENCE_S, answers_control
from conformance.retries import async_tries
from conformance.subjects.limits.connections import LOCAL, NOT_OURS, PAUSE_S, CannotLimit
from conformance.wire.config_numbers import BROKER_RESOURCE
from conformance.wire.negotiation import ASK_VERSIONS
from spec.frozen import frozen
from spec.kafka import INT32_MAX, error_name
from spec.limits.dry_run import listener_step
from spec.limits.listener import OF_LISTENER, Listener, ListenerRules
from spec.limits.outcomes import ListenerConnections
from spec.limits.steps import CloseOnListener, LimitListener, OpenOnListener
from spec.outcomes import NotSent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conformance.cluster import Cluster
    from conformance.subjects.limits.patience import Patience
    from spec.limits.steps import ListenerStep
    from spec.outcomes import Outcome

LISTENERS, PROTOCOLS = "listeners", "listener.security.protocol.map"
UNLIMITED = INT32_MAX
UNSERVED_S = 0.2
"""How long an answer is waited for that is not expected."""


@frozen
class AddedListener:
    """A listener that was added to a broker.

    Attributes:
        name: its name.
        port: its port on the loopback address.
    """

    name: str
    port: int

    def config(self, name: str) -> str:
        """The name of a config of this listener alone."""
        return f"listener.name.{self.name.lower()}.{name}"


class AddedListeners:
    """The listeners that are added to a broker while a run works on it: each play has one, and
    gives it back.
    """

    def __init__(self) -> None:
        self._made: list[AddedListener] = []
        self._free: list[AddedListener] = []
        self._turn = asyncio.Lock()
        self._first: Mapping[str, str] | None = None
        self._changes = 0

    async def take(self, cluster: Cluster) -> AddedListener:
        """A listener that no other play has, with a limit of `OF_LISTENER`.

        Raises:
            CannotLimit, NoAnswer, MissingApiError, NotConnected: there can't be one.
        """
        async with self._turn:
            found = self._free.pop() if self._free else await self._add(cluster)
        await self.limit(cluster, found, OF_LISTENER)
        return found

    def give_back(self, listener: AddedListener) -> None:
        """Leave a listener to the next play: none of this one's connections is open any more."""
        self._free.append(listener)

    async def limit(self, cluster: Cluster, added: AddedListener, limit: int) -> None:
        """Give a listener another limit, and wait until it is in force: a broker shows a config
        before its listeners have it, and gives them one change after the other.

        Raises:
            CannotLimit, NoAnswer, MissingApiError, NotConnected: that can't be done.
        """
        await _set(cluster, {added.config("max.connections"): str(limit)})
        self._changes += 1
        rate = str(UNLIMITED - self._changes)
        await _set(cluster, {added.config("max.connection.creation.rate"): rate})

    async def _add(self, cluster: Cluster) -> AddedListener:
        if self._first is None:
            self._first = await _read_configs(cluster, (LISTENERS, PROTOCOLS))
        added = AddedListener(f"LIMITED{len(self._made)}", _free_port())
        every = [*self._made, added]
        places = [f"{one.name}://{LOCAL}:{one.port}" for one in every]
        protocols = [f"{one.name}:PLAINTEXT" for one in every]
        await _set(
            cluster,
            {
                PROTOCOLS: ",".join([self._first[PROTOCOLS], *protocols]),
                LISTENERS: ",".join([self._first[LISTENERS], *places]),
            },
        )
        self._made.append(added)
        return added


def _free_port() -> int:
    with socket.socket() as one:
        one.bind((LOCAL, 0))
        return int(one.getsockname()[1])


async def _read_configs(cluster: Cluster, names: tuple[str, ...]) -> Mapping[str, str]:
    """The values of configs of the broker."""
    connection = await AsyncConnection.open(cluster, SILENCE_S)
    own = (BROKER_RESOURCE, str(cluster.node))
    try:
        shown = await describe(cluster, connection, own, names, SILENCE_S)
    finally:
        connection.close()
    found = {one["name"]: one["value"] for one in shown}
    missing = [name for name in names if not found.get(name)]
    if missing:
        raise CannotLimit(f"the broker does not show its {missing[0]}")
    return found


async def _set(cluster: Cluster, changes: Mapping[str, str | None]) -> None:
    """Set configs of the broker, and wait until it shows them."""
    connection = await AsyncConnection.open(cluster, SILENCE_S)
    own = (BROKER_RESOURCE, str(cluster.node))
    try:
        answer = await ask_to_alter(cluster, connection, own, changes, SILENCE_S)
        if answer["error_code"]:
            refused = error_name(answer["error_code"])
            raise CannotLimit(f"{', '.join(changes)} was refused with {refused}")
        async for _ in async_tries(SILENCE_S):
            shown = await describe(cluster, connection, own, tuple(changes), SILENCE_S)
            if {one["name"]: one["value"] for one in shown} == changes:
                return
        raise CannotLimit(f"the broker took {', '.join(changes)} and does not show it")
    finally:
        connection.close()


class _Line:
    """A connection to the listener, on which a request was sent.

    Attributes:
        closed: whether the broker closed it.
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._first = asyncio.create_task(self._ask())
        self.closed = False

    @property
    def served(self) -> bool:
        """Whether its first request was answered."""
        return self._first.done() and not self.closed

    async def look(self, within_s: float) -> None:
        """See whether its first request is answered, or it is closed, within so many seconds."""
        await asyncio.wait({self._first}, timeout=within_s)
        self.closed = self._first.done() and not self._first.result()

    async def ask_again(self) -> None:
        """See whether it still answers."""
        try:
            async with asyncio.timeout(SILENCE_S):
                self.closed = not await self._ask()
        except TimeoutError:
            self.closed = True

    async def _ask(self) -> bool:
        """Whether a request is answered; otherwise the connection is closed."""
        try:
            self._writer.write(ASK_VERSIONS)
            await self._writer.drain()
            length = int.from_bytes(await self._reader.readexactly(4), "big")
            await self._reader.readexactly(length)
        except (OSError, asyncio.IncompleteReadError):
            return False
        return True

    async def close(self) -> None:
        """Close it, and wait until that is done here."""
        self._first.cancel()
        self._writer.close()
        with suppress(OSError):
            await self._writer.wait_closed()


class PlayedListener:
    """The listener of one play, and its connections.

    Args:
        added: the listeners of the broker; None where none may be added.
        patience: with the broker.
    """

    def __init__(self, added: AddedListeners | None, patience: Patience) -> None:
        self._added = added
        self._patience = patience
        self._listener: AddedListener | None = None
        self._known = Listener()
        self._lines: list[_Line] = []

    async def do(self, cluster: Cluster, step: ListenerStep) -> Outcome:
        """Do a step.

        Raises:
            Inconclusive: the broker is gone.
        """
        if self._added is None:
            return NotSent(NOT_OURS)
        try:
            if self._listener is None:
                self._listener = await self._added.take(cluster)
            if isinstance(step, LimitListener):
                await self._added.limit(cluster, self._listener, step.limit)
        except CannotLimit as refused:
            return NotSent(str(refused))
        _, expected = listener_step(self._known, step, ListenerRules())
        if isinstance(step, CloseOnListener):
            await self._close_first()
        elif isinstance(step, OpenOnListener):
            await self._open(cluster, self._listener)
        seen = await self._settle(cluster, self._listener, expected.served)
        self._known = Listener(seen.served, seen.waiting, expected.limit)
        return seen

    async def _open(self, cluster: Cluster, listener: AddedListener) -> None:
        """Open one more connection, as soon as the listener is there.

        Raises:
            Inconclusive: it is not there in time.
        """
        async for _ in async_tries(SILENCE_S):
            with suppress(OSError):
                streams = await asyncio.open_connection(cluster.host, listener.port)
                self._lines.append(_Line(*streams))
                return
        raise Inconclusive(f"the listener {listener.name} that was added takes no connection")

    async def _close_first(self) -> None:
        """Close the connection that was opened first, of those that are served."""
        for line in self._lines:
            if line.served:
                self._lines.remove(line)
                await line.close()
                return

    async def _close_newest(self) -> None:
        """Close the connection that was opened last, of those that are served: an answer may come
        only in a later step.
        """
        line = [line for line in self._lines if line.served][-1]
        self._lines.remove(line)
        await line.close()

    async def _settle(
        self, cluster: Cluster, listener: AddedListener, expected: int
    ) -> ListenerConnections:
        """The connections once as many are served as expected, or the patience has run out. One
        that is served beyond the limit is closed meanwhile, and opened again.
        """
        began = monotonic()
        closed = 0
        while True:
            closed += await self._look()
            served = sum(line.served for line in self._lines)
            if served == expected:
                break
            if not await answers_control(cluster):
                raise Inconclusive("the broker answers no control request")
            if not self._patience.lasts(monotonic() - began):
                break
            if served > expected:
                await self._close_newest()
                await self._open(cluster, listener)
            await asyncio.sleep(PAUSE_S)
        return ListenerConnections(served, len(self._lines) - served, closed)

    async def _look(self) -> int:
        """See which connections are served, all of them after the last one was; how many of them
        the broker has closed.
        """
        waiting = [line for line in self._lines if not line.served]
        await asyncio.gather(*[line.look(UNSERVED_S) for line in waiting])
        for line in self._lines:
            if line.served:
                await line.ask_again()
        lost = [line for line in self._lines if line.closed]
        self._lines = [line for line in self._lines if not line.closed]
        for line in lost:
            await line.close()
        return len(lost)

    async def close(self) -> None:
        """Close all that is open, and give the listener back."""
        for line in self._lines:
            await line.close()
        self._lines = []
        if self._added is not None and self._listener is not None:
            self._added.give_back(self._listener)
            self._listener = None
