"""A restart of the broker as an event: histories that are played together wait for it, and continue
after it.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from spec.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from conformance.cluster import Cluster

Config = tuple[tuple[str, str], ...]
"""Broker configs by Kafka's names."""


@frozen
class Restarted:
    """A restart that is over: the cluster after it, and when it began and ended, in seconds of the
    monotonic clock.
    """

    cluster: Cluster
    began: float
    ended: float


class CannotRestart(Exception):  # noqa: N818 - it describes the system
    """The histories' restart can't be had."""


class SharedRestart:
    """Restarts the broker each time all histories that are still played have come to a restart.

    Args:
        histories: how many are played together.
        restart: restarts the broker with a config, None for the one that it has, and reaches it
            again.
        slots: how many may be played at the same time; who waits for a restart leaves its slot to
            another.
    """

    def __init__(
        self,
        histories: int,
        restart: Callable[[Config | None], Awaitable[Restarted]],
        slots: asyncio.Semaphore,
    ) -> None:
        self._playing = histories
        self._restart = restart
        self._slots = slots
        self._arrived: list[tuple[Config | None, asyncio.Future[Restarted]]] = []

    async def wait(self, config: Config | None) -> Restarted:
        """Wait for the others, and for the restart.

        Raises:
            CannotRestart: others wait for a restart with another config.
        """
        after: asyncio.Future[Restarted] = asyncio.get_running_loop().create_future()
        self._arrived.append((config, after))
        self._slots.release()
        try:
            await self._restart_once_all_are_there()
            return await after
        finally:
            await self._slots.acquire()

    async def leave(self) -> None:
        """One history has ended: the others don't wait for it any more."""
        self._playing -= 1
        await self._restart_once_all_are_there()

    async def _restart_once_all_are_there(self) -> None:
        if not self._arrived or len(self._arrived) < self._playing:
            return
        arrived, self._arrived = self._arrived, []
        configs = {config for config, _ in arrived}
        if len(configs) > 1:
            for _, after in arrived:
                after.set_exception(
                    CannotRestart(
                        "histories that are played together restart the broker with different "
                        "settings"
                    )
                )
            return
        restarted = await self._restart(configs.pop())
        for _, after in arrived:
            after.set_result(restarted)
