"""The loop over scenarios of limits: batch by batch they are drawn, played side by side, and
judged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.engine.batch_loop import BatchLoop
from conformance.subjects.limits.broker_player import LimitBrokerPlayer
from generators.limits.histories import limit_histories
from generators.limits.relations import limit_relations

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from spec.scenario import Scenario


class LimitLoop(BatchLoop):
    """One run on limits of administration; see `Loop`."""

    subject = "limits"
    batch = 16

    def _strategy(self, number: int) -> SearchStrategy[Scenario]:
        del number
        player = self.player
        limits = not isinstance(player, LimitBrokerPlayer) or player.limits_connections
        return limit_histories(player.semantics, limits_connections=limits)

    def _relations(self, scenario: Scenario) -> tuple[str, ...]:
        return limit_relations(scenario)
