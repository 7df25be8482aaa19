"""Asking again for what a broker is not ready for yet."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

FIRST_S, LONGEST_S = 0.01, 0.5
"""How long before the next try: twice as long each time, lest the asking keeps a busy broker from getting ready."""


def tries(limit_s: float) -> Iterator[int]:
    """The number of each try, the first one at once, the others after a pause, until the time (seconds) is over."""
    deadline, number, pause = time.monotonic() + limit_s, 0, FIRST_S
    while True:
        yield number
        if time.monotonic() >= deadline:
            return
        threading.Event().wait(pause)
        number, pause = number + 1, min(2 * pause, LONGEST_S)
