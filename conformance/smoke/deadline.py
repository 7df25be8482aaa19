"""One limit of time for whatever a block waits for."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class OutOfTime(Exception):  # noqa: N818 - it describes what happened
    """The block took too long."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """End the block by `OutOfTime` after so many seconds, wherever it waits; main thread only.

    An alarm that the process had before is lost.
    """

    def end(*_: object) -> None:
        raise OutOfTime

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.001))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
