"""The loop over histories of Fencepost's own consumer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.engine.batch_loop import BatchLoop
from conformance.subjects.fairness.dry_run import ClientDryRun
from generators.fairness.histories import client_histories
from generators.fairness.relations import client_relations

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from spec.scenario import Scenario


class OwnConsumerLoop(BatchLoop):
    """One run with it; see `Loop`."""

    subject = "fairness"
    batch = 16

    def _strategy(self, number: int) -> SearchStrategy[Scenario]:
        del number
        is_dry = isinstance(self.player, ClientDryRun)
        return client_histories(scripted=is_dry, every_kind=is_dry)

    def _relations(self, scenario: Scenario) -> tuple[str, ...]:
        return client_relations(scenario)
