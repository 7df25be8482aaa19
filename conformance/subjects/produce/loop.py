"""The loop over scenarios of produce: batch by batch they are drawn, played side by side, and
judged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.engine.batch_loop import BatchLoop
from generators.produce.histories import (
    produce_histories,
    recompression_histories,
    sequence_histories,
)
from generators.produce.relations import produce_relations

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from spec.scenario import Scenario

STRATEGIES = (
    produce_histories(),
    produce_histories(),
    sequence_histories(),
    recompression_histories(),
)
"""What is drawn, batch by batch in turn."""


class ProduceLoop(BatchLoop):
    """One run on produce; see `Loop`."""

    subject = "produce"
    batch = 32

    def _strategy(self, number: int) -> SearchStrategy[Scenario]:
        return STRATEGIES[number % len(STRATEGIES)]

    def _relations(self, scenario: Scenario) -> tuple[str, ...]:
        return produce_relations(scenario)
