"""Whether a broker, or the machine it shares with the suite, stood still or was slow: a plain
request is sent over a connection of its own, again and again.

What was late while nothing at all was answered says nothing of the clause that it would break, and
what takes its time on a slow machine is given more of it. A request is late from when it was due,
so that the suite's own delays count too.
"""

from __future__ import annotations

import math
import select
import threading
from collections import deque
from time import monotonic
from typing import TYPE_CHECKING

from conformance.wire.outcomes import Answer, NotConnected

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.cluster import Cluster
    from conformance.wire.connection import Connection

STALL_S = 2.0
"""From how long on a plain request without an answer is a standstill, seconds."""
PULSE_S = 0.25
"""Time from an answer to the next request, and between looks at whether to end, seconds."""
LOST_S = 10.0
"""From how long on a plain request is asked again over another connection, seconds: the broker may
have lost the answer to this one alone, which must not excuse all that is late from then on.
"""
NOTED_S = 0.1
"""The shortest delay that is kept, seconds: a quiet machine shows none."""
KEPT = 1024
"""Delays that are kept: only those of what is being played are asked for."""
_CONNECT_S = 1.0


class Pulse:
    """Watches one broker on a thread of its own.

    Args:
        cluster: gives the broker to ask; another one after a restart.
    """

    def __init__(self, cluster: Callable[[], Cluster]) -> None:
        self._cluster = cluster
        self._thread: threading.Thread | None = None
        self._over = threading.Event()
        self._delays: deque[tuple[float, float]] = deque(maxlen=KEPT)
        self._due = math.inf
        """When the request under way was due to be sent; infinite where none is."""

    def start(self) -> None:
        """Begin to watch, unless it does already."""
        if self._thread is None:
            self._over.clear()
            self._thread = threading.Thread(target=self._watch, name="pulse", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """End the watching, and wait for its thread."""
        thread, self._thread = self._thread, None
        self._over.set()
        if thread is not None:
            thread.join()

    def standstill_s(self, since: float) -> float:
        """The longest standstill that ended, or lasts, after a moment of the monotonic clock, in
        seconds; 0 where there was none.
        """
        longest = self.delay_s(since)
        return longest if longest >= STALL_S else 0.0

    def delay_s(self, since: float) -> float:
        """The longest delay of a plain request that ended, or lasts, after a moment of the
        monotonic clock, in seconds; 0 where none was as long as `NOTED_S`.
        """
        spans = [*self._delays, (self._due, monotonic())]
        longest = max([end - due for due, end in spans if end > since], default=0.0)
        return longest if longest >= NOTED_S else 0.0

    def _watch(self) -> None:
        while not self._over.is_set():
            try:
                with self._cluster().connect(timeout=_CONNECT_S) as connection:
                    connection.timeout = math.inf
                    due = monotonic()
                    while self._send_pulse(connection, due):
                        due = monotonic() + PULSE_S
                        if self._over.wait(PULSE_S):
                            break
            except NotConnected:
                pass  # a broker that is gone, or restarts, is not one that stands still
            self._due = math.inf
            self._over.wait(PULSE_S)

    def _send_pulse(self, connection: Connection, due: float) -> bool:
        """Ask once, as was due then; whether there was an answer within `LOST_S`."""
        poller = select.poll()
        poller.register(connection.fileno(), select.POLLIN)
        asked, self._due = monotonic(), due
        connection.send("ApiVersions", 0, {})
        while not self._over.is_set():
            poller.poll(PULSE_S * 1000)
            for _, outcome in connection.poll_ready():
                if not isinstance(outcome, Answer):
                    return False
                if outcome.received_at - due >= NOTED_S:
                    self._delays.append((due, outcome.received_at))
                self._due = math.inf
                return True
            if (now := monotonic()) - asked >= LOST_S:
                self._delays.append((due, now))
                return False
        return False
