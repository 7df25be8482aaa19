"""The loop over histories of clients."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.engine.batch_loop import BatchLoop
from conformance.subjects.fairness.client_player import ClientPlayer
from generators.fairness.relations import client_relations
from generators.fairness.scripts import client_scripts
from generators.fairness.shares import share_histories
from spec.fairness.share_dry_run import is_shared
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
        return share_histories() if self._shares else client_scripts()

    def _worked_examples(self) -> list[Scenario]:
        return [one for one in super()._worked_examples() if is_shared(one) is self._shares]

    @property
    def _shares(self) -> bool:
        """Whether the client is a share consumer."""
        assert isinstance(self.player, ClientPlayer)
        return self.player.kind is ClientKind.SHARE_CONSUMER

    def _relations(self, scenario: Scenario) -> tuple[str, ...]:
        return client_relations(scenario)
