"""The initial delay of a join phase: a pure function of two times."""


def next_delay(delay_ms: float, left_ms: float) -> tuple[float, float]:
    """How long an empty group's first join phase waits now, and what is left for later delays, ms.

    The delay starts again if a member joined during it, until the longest rebalance timeout of the
    first members is used up (GRP-013).

    Args:
        delay_ms: group.initial.rebalance.delay.ms.
        left_ms: what is left of that rebalance timeout; all of it for the first delay.

    Source: GroupMetadataManager.java 7124-7232 of Kafka 4.3.1.
    """
    delay = min(delay_ms, left_ms)
    return delay, left_ms - delay
