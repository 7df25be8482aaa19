"""The loop over scenarios on several brokers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.engine.batch_loop import BatchLoop
from generators.replication.histories import outage_histories, replication_histories
from generators.replication.relations import replication_relations
from spec.replication.examples import play_on_brokers
from spec.replication.steps import FOLLOWER, LEADER, KillBroker, StopBroker

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from spec.scenario import Scenario


PERIOD = 12
OUTAGES: dict[int, StopBroker] = {
    1: StopBroker(FOLLOWER),
    4: KillBroker(LEADER),
    7: KillBroker(FOLLOWER),
    10: StopBroker(LEADER),
}
"""In which batches of so many a broker is stopped or killed, the one of the same role in all
histories: an outage takes seconds, and the histories of a batch have it together.
"""


class ReplicationLoop(BatchLoop):
    """One run; see `Loop`."""

    subject = "replication"
    batch = 16

    def _strategy(self, number: int) -> SearchStrategy[Scenario]:
        ends = OUTAGES.get(number % PERIOD)
        if ends is None or self.player.unplayable(play_on_brokers(ends)):
            return replication_histories()
        return outage_histories(ends)

    def _relations(self, scenario: Scenario) -> tuple[str, ...]:
        return replication_relations(scenario)
