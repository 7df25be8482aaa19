"""Fetch answers that a quota puts off."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conformance.wire.outcomes import Answer


def comes_throttled(answer: Answer) -> bool:
    """Whether an answer is the one that a quota puts off: no partitions, and a throttle time
    (KIP-219).
    """
    return bool(answer.value["throttle_time_ms"] > 0 and not answer.value["responses"])
