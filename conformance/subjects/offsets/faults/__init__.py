"""The planted faults of offsets, and legal variants that must pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.subjects.offsets.faults import (
    committing,
    deleting,
    epochs,
    requests,
    special,
    times,
    variants,
)

if TYPE_CHECKING:
    from conformance.subjects.offsets.faults.fault import OffsetFault

VARIANTS: tuple[OffsetFault, ...] = variants.VARIANTS
FAULTS: tuple[OffsetFault, ...] = (
    *deleting.FAULTS,
    *epochs.FAULTS,
    *committing.FAULTS,
    *requests.FAULTS,
    *special.FAULTS,
    *times.FAULTS,
    *VARIANTS,
)
"""Those that must be caught first, then the legal variants."""
