"""Connections from addresses of a play's own, on a broker that was started here: other loopback
addresses than the one that everything else connects from.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from time import monotonic
from typing import TYPE_CHECKING

from conformance.play.configs import ask_to_alter, describe
from conformance.play.connection import AsyncConnection
from conformance.play.history import Inconclusive
from conformance.play.silence import SILENCE_S, answers_control
from conformance.retries import async_tries
from conformance.wire.config_numbers import BROKER_RESOURCE
from conformance.wire.negotiation import ASK_VERSIONS
from spec.kafka import INT32_MAX, error_name
from spec.limits.connections import PER_ADDRESS, FromAddress
from spec.limits.outcomes import ConnectionsHeld
from spec.limits.steps import CloseConnection, LimitConnections
from spec.outcomes import NotSent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.cluster import Cluster
    from conformance.subjects.limits.patience import Patience
    from spec.limits.steps import ConnectionStep
    from spec.outcomes import Outcome

NOT_OURS = (
    "connection limits are changed only on a broker that is started here, since they go for all "
    "its clients"
)
LOCAL = "127.0.0.1"
"""The address from which everything else connects."""
PER_IP, OVERRIDES = "max.connections.per.ip", "max.connections.per.ip.overrides"
PAUSE_S = 0.02


class CannotLimit(Exception):  # noqa: N818 - it describes the broker
    """The broker's connection limits can't be set."""


def _addresses() -> Iterator[str]:
    """Loopback addresses, 63,000 of them before they repeat."""
    for number in count():
        yield f"127.77.{number // 250 % 252}.{number % 250 + 1}"


class ConnectionLimits:
    """The connection limits of a broker while a run works on it: every address may have
    `PER_ADDRESS` connections, save those with a limit of their own, and the run's own.
    """

    def __init__(self) -> None:
        self._fresh = _addresses()
        self._own: dict[str, int] = {}
        self._turn = asyncio.Lock()
        self._begun = False

    def fresh_address(self) -> str:
        """An address that no other play connects from."""
        return next(self._fresh)

    async def begin(self, cluster: Cluster) -> None:
        """Set the limit of all addresses, after the run's own was made free of it.

        Raises:
            CannotLimit, NoAnswer, MissingApiError, NotConnected: that can't be done.
        """
        async with self._turn:
            if not self._begun:
                await self._set(cluster, OVERRIDES, self._overrides())
                await self._set(cluster, PER_IP, str(PER_ADDRESS))
                self._begun = True

    async def limit(self, cluster: Cluster, address: str, limit: int) -> None:
        """Give an address a limit of its own.

        Raises:
            CannotLimit, NoAnswer, MissingApiError, NotConnected: that can't be done.
        """
        async with self._turn:
            self._own[address] = limit
            await self._set(cluster, OVERRIDES, self._overrides())

    def forget(self, address: str) -> None:
        """Leave out the limit of an address as soon as another one is set."""
        self._own.pop(address, None)

    def _overrides(self) -> str:
        every = {LOCAL: INT32_MAX, **self._own}
        return ",".join([f"{address}:{limit}" for address, limit in every.items()])

    @staticmethod
    async def _set(cluster: Cluster, name: str, value: str) -> None:
        """Set a config of all brokers, and wait until the broker shows it."""
        connection = await AsyncConnection.open(cluster, SILENCE_S)
        every, own = (BROKER_RESOURCE, ""), (BROKER_RESOURCE, str(cluster.node))
        try:
            answer = await ask_to_alter(cluster, connection, every, {name: value}, SILENCE_S)
            if answer["error_code"]:
                refused = error_name(answer["error_code"])
                raise CannotLimit(f"{name}={value} was refused with {refused}")
            async for _ in async_tries(SILENCE_S):
                shown = await describe(cluster, connection, own, (name,), SILENCE_S)
                if [one["value"] for one in shown] == [value]:
                    return
            raise CannotLimit(f"the broker took {name}={value} and does not show it")
        finally:
            connection.close()


@dataclass
class _Address:
    """One address of a play.

    Attributes:
        address: the address.
        held: its connections that answered, in the order in which they were opened.
        limit: its own; None where it has none.
    """

    address: str
    held: list[_Line] = field(default_factory=list)
    limit: int | None = None


@dataclass
class _Line:
    """An open connection."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def answers(self) -> bool:
        """Whether an ApiVersions request is answered; otherwise it is closed, or silent."""
        try:
            self.writer.write(ASK_VERSIONS)
            await self.writer.drain()
            async with asyncio.timeout(SILENCE_S):
                length = int.from_bytes(await self.reader.readexactly(4), "big")
                await self.reader.readexactly(length)
        except (OSError, asyncio.IncompleteReadError, TimeoutError):
            return False
        return True

    async def close(self) -> None:
        """Close it, and wait until that is done here."""
        self.writer.close()
        with suppress(OSError):
            await self.writer.wait_closed()


class PlayedConnections:
    """The connections of one play.

    Args:
        limits: the broker's connection limits; None where they may not be changed.
        patience: with the broker.
    """

    def __init__(self, limits: ConnectionLimits | None, patience: Patience) -> None:
        self._limits = limits
        self._patience = patience
        self._addresses: dict[int, _Address] = {}

    async def do(self, cluster: Cluster, step: ConnectionStep) -> Outcome:
        """Do a step.

        Raises:
            Inconclusive: the broker is gone.
        """
        if self._limits is None:
            return NotSent(NOT_OURS)
        try:
            await self._limits.begin(cluster)
            if step.address not in self._addresses:
                self._addresses[step.address] = _Address(self._limits.fresh_address())
            known = self._addresses[step.address]
            if isinstance(step, LimitConnections):
                await self._limits.limit(cluster, known.address, step.limit)
                known.limit = step.limit
                return ConnectionsHeld(await _count_answering(known))
        except CannotLimit as refused:
            return NotSent(str(refused))
        if isinstance(step, CloseConnection):
            if known.held:
                await known.held.pop().close()
            return ConnectionsHeld(await _count_answering(known))
        return await self._open(cluster, known)

    async def _open(self, cluster: Cluster, known: _Address) -> Outcome:
        """Open one more connection, again and again while it is served, or closed, otherwise than
        expected: a limit that was set, and a connection that was closed, may show late.
        """
        began = monotonic()
        while True:
            try:
                line = await _connect(cluster, known.address)
            except OSError as problem:
                return NotSent(f"nothing connects from {known.address} here: {problem}")
            served = await line.answers()
            answered = await _count_answering(known)
            if not served and not await answers_control(cluster):
                raise Inconclusive("the broker answers no control request")
            expected = answered < FromAddress(limit=known.limit).most
            if served == expected or not self._patience.lasts(monotonic() - began):
                break
            await line.close()
            await asyncio.sleep(PAUSE_S)
        if served:
            known.held.append(line)
        else:
            await line.close()
        return ConnectionsHeld(answered, served)

    async def close(self) -> None:
        """Close all that is open."""
        for known in self._addresses.values():
            for line in known.held:
                await line.close()
            if self._limits is not None:
                self._limits.forget(known.address)


async def _connect(cluster: Cluster, address: str) -> _Line:
    async with asyncio.timeout(SILENCE_S):
        reader, writer = await asyncio.open_connection(
            cluster.host, cluster.port, local_addr=(address, 0)
        )
    return _Line(reader, writer)


async def _count_answering(known: _Address) -> int:
    """How many connections of an address answer; those that do not are held no longer."""
    held = []
    for line in known.held:
        if await line.answers():
            held.append(line)
        else:
            await line.close()
    known.held = held
    return len(held)
