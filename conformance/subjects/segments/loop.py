"""The loop over scenarios of segments: batch by batch they are drawn, played side by side, and
judged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.engine.batch_loop import BatchLoop
from generators.segments.histories import altered_histories, edge_histories, segment_histories
from generators.segments.relations import segment_relations
from generators.segments.retention import retention_histories
from spec.segments.initial_log import takes_restart

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from conformance.subjects.segments.player import SegmentBrokerPlayer, SegmentDryRun
    from spec.scenario import Scenario

STRATEGIES = (
    *[segment_histories()] * 3,
    altered_histories(),
    edge_histories(),
    retention_histories(),
)
"""What is drawn, batch by batch in turn; the last two take a broker that can be restarted with
files and settings.
"""

WITHOUT_RESTART = 4
"""How many of the strategies take none."""


class SegmentLoop(BatchLoop):
    """One run on segments; see `Loop`."""

    subject = "segments"
    batch = 32
    player: SegmentBrokerPlayer | SegmentDryRun

    def _worked_examples(self) -> list[Scenario]:
        """The worked examples that can be played here."""
        every = super()._worked_examples()
        return every if self.player.crafts else [one for one in every if not takes_restart(one)]

    def _strategy(self, number: int) -> SearchStrategy[Scenario]:
        strategy = STRATEGIES[number % len(STRATEGIES)]
        restarting = strategy in STRATEGIES[WITHOUT_RESTART:]
        return STRATEGIES[0] if restarting and not self.player.crafts else strategy

    def _relations(self, scenario: Scenario) -> tuple[str, ...]:
        return segment_relations(scenario)
