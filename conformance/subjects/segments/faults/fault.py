"""A planted fault of segments: a change at one seam of the model's keeper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from conformance.faults.planted import Expected

if TYPE_CHECKING:
    from spec.segments.model import Keeper

VIOLATES, DEVIATES, CONFORMS = Expected.VIOLATES, Expected.DEVIATES, Expected.CONFORMS


@dataclass(frozen=True, slots=True)
class SegmentFault:
    """A way to keep segments wrongly, or differently; see `PlantedFault`."""

    name: str
    clause: str
    expected: Expected
    summary: str
    keeper: Keeper
