"""The loop over scenarios on several brokers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.engine.batch_loop import BatchLoop
from generators.replication.histories import replication_histories
from generators.replication.relations import replication_relations

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from spec.scenario import Scenario


class ReplicationLoop(BatchLoop):
    """One run; see `Loop`."""

    subject = "replication"
    batch = 16

    def _strategy(self, number: int) -> SearchStrategy[Scenario]:
        del number
        return replication_histories()

    def _relations(self, scenario: Scenario) -> tuple[str, ...]:
        return replication_relations(scenario)
