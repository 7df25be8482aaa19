"""The planted faults of fetches, and legal variants that must pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.subjects.fetch.faults import (
    holes,
    isolation,
    limits,
    positions,
    requests,
    sessions,
    variants,
    waiting,
)

if TYPE_CHECKING:
    from conformance.subjects.fetch.faults.fault import Fault

FAULTS: tuple[Fault, ...] = (
    *limits.FAULTS,
    *positions.FAULTS,
    *holes.FAULTS,
    *isolation.FAULTS,
    *requests.FAULTS,
    *sessions.FAULTS,
    *waiting.FAULTS,
    *variants.FAULTS,
    *isolation.VARIANTS,
    *requests.VARIANTS,
    *sessions.VARIANTS,
    *waiting.VARIANTS,
    *variants.VARIANTS,
)
"""Those that must be caught first, then the legal variants."""
