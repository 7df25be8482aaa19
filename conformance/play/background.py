"""The event loop that plays: on a thread of its own, so that what is under way continues while the
caller judges.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from concurrent.futures import Future
from queue import SimpleQueue
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

from conformance.play.restarts import Restarted, SharedRestart

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator, Sequence

    from conformance.cluster import Cluster
    from conformance.play.history import History
    from conformance.play.restarts import Config
    from spec.observation import Observation

    Restart = Callable[[Config | None], Cluster]

SIDE_BY_SIDE = 48
"""Histories played at the same time: they mostly wait."""

SWITCH_S = 0.0005
"""How long the judge may hold the interpreter while an answer waits to be read: Python's own 5 ms
are longer than an answer takes.
"""

Value = TypeVar("Value")

_Begun = tuple[threading.Thread, asyncio.AbstractEventLoop]


class _Haste:
    """Lets threads take turns every `SWITCH_S`, for as long as any event loop plays."""

    def __init__(self) -> None:
        self._playing = 0
        self._before = 0.0

    def begin(self) -> None:
        """One more event loop plays."""
        if not self._playing:
            self._before = sys.getswitchinterval()
            sys.setswitchinterval(SWITCH_S)
        self._playing += 1

    def end(self) -> None:
        """One of them has ended."""
        self._playing -= 1
        if not self._playing:
            sys.setswitchinterval(self._before)


_HASTE = _Haste()


class Background:
    """Plays histories side by side. It begins with the first of them, and its thread ends when it
    is closed.

    A restart of the broker is done by the caller's thread, while it waits for an observation. An
    interrupt comes to that thread alone, so the event loop is made by its own.
    """

    def __init__(self) -> None:
        self._begun: _Begun | None = None

    def close(self) -> None:
        """End all that is under way, at once, and the thread."""
        begun, self._begun = self._begun, None
        if begun is not None:
            thread, loop = begun
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            _HASTE.end()

    def play(
        self,
        histories: Sequence[History],
        restart: Restart | None = None,
        side_by_side: int = SIDE_BY_SIDE,
    ) -> Iterator[Observation]:
        """Begin to play histories, at once; their observations come back in this order.

        Where histories restart the broker, it is restarted once all of them have come to it, or
        ended.

        Args:
            histories: what is played.
            restart: restarts the broker with a config (None: the one that it has), and reaches it
                again.
            side_by_side: how many are played at the same time; those that wait for a restart are
                not counted.
        """
        loop, queue = self._running(), SimpleQueue[_Queued]()
        playing = asyncio.run_coroutine_threadsafe(
            _play(histories, restart is not None, side_by_side, queue), loop
        )
        return _observations(queue, len(histories), restart, playing.cancel)

    def wait(self, work: Coroutine[None, None, Value]) -> Value:
        """Do some work on the event loop; what comes of it."""
        doing = asyncio.run_coroutine_threadsafe(work, self._running())
        try:
            return doing.result()
        finally:
            doing.cancel()

    def _running(self) -> asyncio.AbstractEventLoop:
        if self._begun is None:
            loop: Future[asyncio.AbstractEventLoop] = Future()
            thread = threading.Thread(target=_run, args=(loop,), name="player", daemon=True)
            thread.start()
            begun = thread, loop.result()
            _HASTE.begin()
            self._begun = begun
        return self._begun[1]


def play_alone(history: History) -> Observation:
    """Play one history that restarts nothing, on the caller's own thread."""
    return asyncio.run(history.play())


def _run(begun: Future[asyncio.AbstractEventLoop]) -> None:
    """Run an event loop until it is stopped, then cancel what is left and close it."""
    with asyncio.Runner() as runner:
        loop = runner.get_loop()
        begun.set_result(loop)
        loop.run_forever()


class _Asked:
    """A restart that is asked for, by the event loop of the caller's thread."""

    def __init__(self, config: Config | None) -> None:
        self._config = config
        self._loop = asyncio.get_running_loop()
        self.restarted: asyncio.Future[Restarted] = self._loop.create_future()

    def do(self, restart: Restart) -> None:
        """Restart the broker."""
        began = monotonic()
        cluster = restart(self._config)
        self._loop.call_soon_threadsafe(
            self.restarted.set_result, Restarted(cluster, began, monotonic())
        )


_Queued = tuple[int, "Observation"] | _Asked | BaseException


def _observations(
    queue: SimpleQueue[_Queued], count: int, restart: Restart | None, cancel: Callable[[], bool]
) -> Iterator[Observation]:
    """Give observations in their order, and restart the broker where that is asked for."""
    early: dict[int, Observation] = {}
    try:
        for number in range(count):
            while number not in early:
                one = queue.get()
                if isinstance(one, BaseException):
                    raise one
                if isinstance(one, _Asked):
                    assert restart is not None
                    one.do(restart)
                else:
                    early[one[0]] = one[1]
            yield early.pop(number)
    finally:
        cancel()


async def _play(
    histories: Sequence[History], restarts: bool, side_by_side: int, queue: SimpleQueue[_Queued]
) -> None:
    """Play histories side by side, and report what comes of each."""
    slots = asyncio.Semaphore(side_by_side)

    async def restarted(config: Config | None) -> Restarted:
        asked = _Asked(config)
        queue.put(asked)
        return await asked.restarted

    shared = SharedRestart(len(histories), restarted, slots) if restarts else None

    async def one(number: int, history: History) -> None:
        history.restart = shared
        async with slots:
            observation = await history.play()
        queue.put((number, observation))
        if shared is not None:
            await shared.leave()

    try:
        async with asyncio.TaskGroup() as group:
            for number, history in enumerate(histories):
                group.create_task(one(number, history))
    except BaseException as failed:
        queue.put(failed)
        raise
