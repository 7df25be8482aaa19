"""Asking again for what a broker is not ready for yet."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

FIRST_S, LONGEST_S = 0.002, 0.5
"""How long before the next try: twice as long each time, so that the asking does not keep a busy
broker from getting ready.
"""


def tries(limit_s: float) -> Iterator[None]:
    """One try after the other, the first at once, the others after a pause, until the time
    (seconds) is over.
    """
    deadline, pause = time.monotonic() + limit_s, FIRST_S
    while True:
        yield
        if time.monotonic() >= deadline:
            return
        threading.Event().wait(pause)
        pause = min(2 * pause, LONGEST_S)


async def async_tries(limit_s: float) -> AsyncIterator[None]:
    """Give the same tries to a coroutine."""
    deadline, pause = time.monotonic() + limit_s, FIRST_S
    while True:
        yield
        if time.monotonic() >= deadline:
            return
        await asyncio.sleep(pause)
        pause = min(2 * pause, LONGEST_S)
