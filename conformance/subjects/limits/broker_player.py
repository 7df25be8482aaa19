"""The player of limits on a broker: what it needs it makes itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.engine.live_broker import LiveBroker
from conformance.engine.player import Player
from conformance.placement.cluster_watch import ClusterWatch
from conformance.subjects.limits.connections import ConnectionLimits
from conformance.subjects.limits.history import LimitHistory
from conformance.subjects.limits.listener import AddedListeners
from conformance.subjects.limits.patience import OFTEN, Patience
from conformance.subjects.limits.validating import LOOKS, validation_ignored

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from conformance.cluster import Cluster
    from conformance.engine.play_result import Played
    from conformance.engine.restarts import Restarts
    from spec.limits.steps import LimitStep
    from spec.observation import Observation
    from spec.scenario import Scenario
    from spec.semantics import Semantics


class LimitBrokerPlayer(Player):
    """Plays scenarios of limits on one broker and judges them.

    Args:
        cluster: whom to ask.
        semantics: what it is judged by.
        restarts: how the system is restarted; None where it can't be.
    """

    def __init__(self, cluster: Cluster, semantics: Semantics, restarts: Restarts | None) -> None:
        super().__init__(semantics)
        self.broker = LiveBroker(cluster, restarts)
        self._patience = Patience()
        self._limits = None if self.broker.data is None else ConnectionLimits()
        self._listeners = None if self.broker.data is None else AddedListeners()
        self._ignored: Mapping[type[LimitStep], str] | None = None

    @property
    def limits_connections(self) -> bool:
        """Whether the broker's connection limits may be changed: it was started here, as a program
        that sees loopback addresses as they are.
        """
        return self._limits is not None

    def play(self, scenarios: Sequence[Scenario]) -> Iterator[tuple[int, Played]]:
        """Play scenarios side by side, each on topics of its own; before the first ones, look
        whether the broker only validates where it is to.
        """
        since = self.broker.start_watching()
        if self._ignored is None:
            self._ignored = validation_ignored(self._observe(LOOKS, {}, Patience(OFTEN)))
        watch = ClusterWatch(self.broker.cluster)
        for number, observation in enumerate(
            self._observe(scenarios, self._ignored, self._patience)
        ):
            played = self._judge(scenarios[number], observation)
            if played.judgement.breaks:
                standstill_s = self.broker.pulse.standstill_s(since)
                played = played.with_disturbances(standstill_s, watch.change())
            yield number, played

    def _observe(
        self,
        scenarios: Sequence[Scenario],
        ignored: Mapping[type[LimitStep], str],
        patience: Patience,
    ) -> list[Observation]:
        histories = [
            LimitHistory(
                self.broker.cluster,
                scenario,
                patience=patience,
                ignored=ignored,
                limits=self._limits,
                listeners=self._listeners,
            )
            for scenario in scenarios
        ]
        return list(self.broker.background.play(histories))

    def close(self) -> None:
        """End all that is played."""
        self.broker.close()
