"""The player of share groups on a broker, which need their coordinators, and may restart the
broker.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from conformance.engine.broker_player import BrokerPlayer
from conformance.subjects.share.coordinators import await_coordinators
from conformance.subjects.share.history import ShareHistory
from conformance.subjects.share.patience import Patience, with_short_patience
from conformance.wire.outcomes import Closed, NoAnswer
from spec.share.releases import ShareSemantics
from spec.share.steps import RestartBroker

if TYPE_CHECKING:
    from conformance.engine.play_result import Played
    from conformance.engine.player import Omission
    from conformance.placement.placed_partition import Placed
    from spec.observation import Observation
    from spec.scenario import Scenario


class ShareBrokerPlayer(BrokerPlayer):
    """Plays histories of share groups on one broker and judges them; see `BrokerPlayer`."""

    _coordinated = False

    @cached_property
    def _patience(self) -> Patience:
        return Patience()

    @property
    def omissions(self) -> tuple[Omission, ...]:
        """The patient fetches that were given up early."""
        return self._patience.omissions

    def play_one(self, scenario: Scenario) -> Played:
        """Play one scenario, with all its patience."""
        with self._patience.whole():
            return super().play_one(scenario)

    def with_shorter_waits(self, scenario: Scenario) -> Scenario:
        """The same with fetches that are patient for no longer than SHR-155 needs."""
        return with_short_patience(scenario)

    def _judge(self, scenario: Scenario, observation: Observation) -> Played:
        played = super()._judge(scenario, observation)
        self._patience.see(played)
        return played

    def _get_ready(self) -> None:
        """Wait once, after each start of the broker, until the coordinators answer; what a broker
        lacks that closes the connection instead, the histories say.
        """
        if not self._coordinated and self.cluster.offers("ShareFetch"):
            try:
                await_coordinators(self.cluster, self.deployment.connection)
            except NoAnswer as unanswered:
                if not isinstance(unanswered.outcome, Closed):
                    raise
        self._coordinated = True

    def _note_new_start(self) -> None:
        self._coordinated = False

    def _restarts(self, scenario: Scenario) -> bool:
        return any(isinstance(step, RestartBroker) for step in scenario.steps)

    def _history(self, scenario: Scenario, placed: Placed) -> ShareHistory:
        return ShareHistory(
            self.cluster,
            scenario,
            placed,
            semantics=self.semantics.of(ShareSemantics),
            patience=self._patience.of_history(),
        )
