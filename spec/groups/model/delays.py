"""The initial delay of a join phase: a pure function of two times."""


def first_delay(delay_ms: float, rebalance_ms: float) -> tuple[float, float]:
    """How long an empty group's first join phase waits at first, and what is left for later delays,
    ms: the whole delay, even where the members' rebalance timeout is shorter (seen on 4.0.2 and
    4.3.1).

    Args:
        delay_ms: group.initial.rebalance.delay.ms.
        rebalance_ms: the longest rebalance timeout of the first members.

    Source: GroupMetadataManager.java 7124-7232 of Kafka 4.3.1.
    """
    return delay_ms, max(rebalance_ms - delay_ms, 0)


def next_delay(delay_ms: float, left_ms: float) -> tuple[float, float]:
    """How long an empty group's first join phase waits further, and what is left then, ms.

    The delay starts again if a member joined during it, until the longest rebalance timeout of the
    first members is used up (GRP-013).

    Args:
        delay_ms: group.initial.rebalance.delay.ms.
        left_ms: what is left of that rebalance timeout.

    Source: GroupMetadataManager.java 7124-7232 of Kafka 4.3.1.
    """
    delay = min(delay_ms, left_ms)
    return delay, left_ms - delay
