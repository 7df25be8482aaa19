"""The loop over scenarios of segments: batch by batch they are drawn, played side by side, and
judged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.engine.batch_loop import BatchLoop
from generators.segments.histories import segment_histories
from generators.segments.relations import segment_relations

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from spec.scenario import Scenario

STRATEGY = segment_histories()


class SegmentLoop(BatchLoop):
    """One run on segments; see `Loop`."""

    subject = "segments"
    batch = 32

    def _strategy(self, number: int) -> SearchStrategy[Scenario]:
        del number
        return STRATEGY

    def _relations(self, scenario: Scenario) -> tuple[str, ...]:
        return segment_relations(scenario)
