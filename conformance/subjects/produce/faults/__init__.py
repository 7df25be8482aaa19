"""The planted faults of produce, and legal variants that must pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.subjects.produce.faults import (
    acks,
    alterations,
    answers,
    batches,
    compression,
    producers,
    records,
    sequences,
    sizes,
    stored,
    times,
    variants,
)

if TYPE_CHECKING:
    from conformance.subjects.produce.faults.fault import ProduceFault

VARIANTS: tuple[ProduceFault, ...] = variants.VARIANTS
FAULTS: tuple[ProduceFault, ...] = (
    *sizes.FAULTS,
    *compression.FAULTS,
    *batches.FAULTS,
    *acks.FAULTS,
    *answers.FAULTS,
    *stored.FAULTS,
    *times.FAULTS,
    *records.FAULTS,
    *sequences.FAULTS,
    *alterations.FAULTS,
    *producers.FAULTS,
)
"""Those that must be caught."""
