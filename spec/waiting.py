"""The time that a play waits, whatever its subject."""

from collections.abc import Iterable


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
