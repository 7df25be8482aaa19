"""A planted fault of segments: a change at one seam of the model's rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.faults.planted import Expected
from spec.frozen import frozen, replace
from spec.segments.model import REFERENCE

if TYPE_CHECKING:
    from conformance.serve.broker_state import BrokerState
    from spec.segments.model import SegmentRules

VIOLATES, DEVIATES, CONFORMS = Expected.VIOLATES, Expected.DEVIATES, Expected.CONFORMS


@frozen
class SegmentFault:
    """A way to keep segments wrongly, or differently; see `PlantedFault`."""

    name: str
    clause: str
    expected: Expected
    summary: str
    rules: SegmentRules

    @property
    def is_served(self) -> bool:
        """Whether it changes what a served model has of segments alone: their bytes, and where they
        begin. Which batches are accepted is decided by the model of produce there.
        """
        same = replace(
            REFERENCE,
            rolling=self.rules.rolling,
            rolling_unstored=self.rules.rolling_unstored,
            sizing=self.rules.sizing,
        )
        return self.rules == same

    def plant(self, state: BrokerState) -> None:
        """Make a served model wrong in this way."""
        state.segment_rules = self.rules
