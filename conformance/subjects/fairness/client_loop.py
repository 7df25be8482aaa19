"""The loop over histories of clients."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.engine.batch_loop import BatchLoop
from generators.fairness.relations import client_relations
from generators.fairness.scripts import client_scripts

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from spec.scenario import Scenario


class ClientLoop(BatchLoop):
    """One run with a client; see `Loop`."""

    subject = "fairness"
    batch = 8

    def _strategy(self, number: int) -> SearchStrategy[Scenario]:
        del number
        return client_scripts()

    def _relations(self, scenario: Scenario) -> tuple[str, ...]:
        return client_relations(scenario)
