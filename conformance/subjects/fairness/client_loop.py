"""The loop over histories of clients."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.engine.batch_loop import BatchLoop
from conformance.subjects.fairness.client_player import ClientPlayer
from generators.fairness.producers import producer_histories
from generators.fairness.relations import client_relations
from generators.fairness.scripts import client_scripts
from generators.fairness.shares import share_histories
from spec.fairness.client_kind import client_kind_of
from spec.fairness.steps import ClientKind

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from spec.scenario import Scenario


class ClientLoop(BatchLoop):
    """One run with a client; see `Loop`."""

    subject = "fairness"
    batch = 8

    def _strategy(self, number: int) -> SearchStrategy[Scenario]:
        del number
        match self._kind:
            case ClientKind.SHARE_CONSUMER:
                return share_histories()
            case ClientKind.PRODUCER:
                return producer_histories()
        return client_scripts()

    def _worked_examples(self) -> list[Scenario]:
        return [one for one in super()._worked_examples() if client_kind_of(one) is self._kind]

    @property
    def _kind(self) -> ClientKind:
        """What kind of client it is."""
        assert isinstance(self.player, ClientPlayer)
        return self.player.kind

    def _relations(self, scenario: Scenario) -> tuple[str, ...]:
        return client_relations(scenario)
