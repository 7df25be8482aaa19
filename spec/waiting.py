"""The time that a play waits, and that a slow machine is given, whatever the subject."""

from collections.abc import Iterable

DELAY_FACTOR = 2
"""On a busy machine an answer may be later by this many times the measured delay of a plain
request: what is judged passes through more hands than that.
"""

EARLY_MS = 15.0
"""How much earlier than its longest wait an answer may come that was held back until then: the
broker's timer ticks, and clocks are read at both ends.
"""


def with_delay(time_ms: float, delay_ms: float) -> float:
    """A time after which something is late, in milliseconds, on a machine that delays a plain
    request by `delay_ms` (see `Observation`).
    """
    return time_ms + DELAY_FACTOR * delay_ms


def covered_ms(spans: Iterable[tuple[float, float]]) -> float:
    """The milliseconds that at least one of these spans covers.

    Args:
        spans: (begin, end) in milliseconds since the scenario's start, in any order; they may
            overlap.
    """
    total, reached = 0.0, 0.0
    for begun, ended in sorted(spans):
        total += max(0.0, ended - max(begun, reached))
        reached = max(reached, ended)
    return total
