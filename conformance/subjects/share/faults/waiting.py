"""Planted faults of fetches that wait for records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.faults.planted import Expected
from conformance.subjects.share.faults.fault import ShareFault
from spec.frozen import replace

if TYPE_CHECKING:
    from spec.share.model.state import State

VIOLATES, DEVIATES, CONFORMS = Expected.VIOLATES, Expected.DEVIATES, Expected.CONFORMS
UNREPORTED_MS = 60_000
"""By how much a wait that never ends passes its MaxWaitMs: longer than any history."""


def _waits_longer(_: State, after: State, now: float) -> State:
    parked = [
        replace(one, until_ms=one.until_ms + UNREPORTED_MS)
        if one.until_ms <= now + one.fetch.max_wait_ms
        else one
        for one in after.parked
    ]
    return replace(after, parked=tuple(parked))


def _waits_half(_: State, after: State, now: float) -> State:
    parked = [
        replace(one, until_ms=min(one.until_ms, now + one.fetch.max_wait_ms / 2))
        for one in after.parked
    ]
    return replace(after, parked=tuple(parked))


def _notices_no_records(_: frozenset[int], unlocked: frozenset[int]) -> frozenset[int]:
    return unlocked


def _notices_no_locks(changed: frozenset[int], _: frozenset[int]) -> frozenset[int]:
    return changed


FAULTS: tuple[ShareFault, ...] = (
    ShareFault(
        "records-wake-no-share-fetch",
        "SHR-145",
        DEVIATES,
        "A share fetch that waits is answered after its MaxWaitMs though records have come.",
        noticed=_notices_no_records,
    ),
    ShareFault(
        "lock-end-wakes-no-share-fetch",
        "SHR-146",
        DEVIATES,
        "A share fetch that waits is answered after its MaxWaitMs though a lock has run out.",
        noticed=_notices_no_locks,
    ),
    ShareFault(
        "share-wait-never-ends",
        "SHR-143",
        VIOLATES,
        "A share fetch that waits is not answered after its MaxWaitMs.",
        timed=_waits_longer,
    ),
)

VARIANTS: tuple[ShareFault, ...] = (
    ShareFault(
        "share-wait-ends-early",
        "",
        CONFORMS,
        "A share fetch that waits is answered, empty, after half of its MaxWaitMs.",
        timed=_waits_half,
    ),
)
