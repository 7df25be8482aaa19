"""The player of groups on a broker: they need settings, not layouts, so the broker is restarted
with those that come next, or asked under its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.engine.live_broker import LiveBroker
from conformance.engine.player import Player
from conformance.ledger import PREFIX
from conformance.placement.cluster_watch import ClusterWatch
from conformance.placement.problem import LayingStep, Unlaid
from conformance.subjects.groups.coordinator import await_coordinator, make_committed_topic
from conformance.subjects.groups.history import GroupHistory
from conformance.subjects.groups.own_settings import own_settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.cluster import Cluster
    from conformance.engine.play_result import Played
    from conformance.engine.player import Config
    from conformance.engine.restarts import Restarts
    from spec.scenario import Scenario
    from spec.semantics import Semantics

SHORT_TIMES = {"group.min.session.timeout.ms": "100"}
"""The configs beside a scenario's own ones, so that sessions can run out soon."""
NO_RESTART = "size limits are read at the start: they take a broker that Fencepost starts itself"


class GroupBrokerPlayer(Player):
    """Plays histories of groups on one broker and judges them.

    Args:
        cluster: whom to ask.
        semantics: what it is judged by.
        name: what the name of its topic is made from, so that others' runs have another one.
        restarts: how the system is restarted; None where it can't be, so that its own settings
            count.
        config: the settings of its histories that it was started with; None where it was not, so
            that a restart comes first.

    Attributes:
        topic: the topic that members commit offsets of.
        own: the settings of a broker that can't be restarted; None of one that can.
    """

    def __init__(
        self,
        cluster: Cluster,
        semantics: Semantics,
        name: str,
        restarts: Restarts | None,
        config: Config | None = None,
    ) -> None:
        super().__init__(semantics)
        self.broker = LiveBroker(cluster, restarts)
        self.topic = f"{PREFIX}{name}-committed"
        self._configured = config
        self.own = own_settings(semantics, cluster.versions) if restarts is None else None
        self._is_ready = False

    def with_settings(self, scenario: Scenario) -> Scenario:
        """A scenario under the broker's own settings, where it has no others."""
        return scenario if self.own is None else self.own.with_settings(scenario)

    def unplayable(self, scenario: Scenario) -> str:
        """Why the broker's own settings do not let a scenario be played; empty where they do."""
        return "" if self.own is None else self.own.unplayable(scenario)

    def play(self, scenarios: Sequence[Scenario]) -> Iterator[tuple[int, Played | Unlaid]]:
        """Play histories side by side; they must agree on their settings, before and after a
        restart.

        They are judged when all are over: judging takes time from those that are under way, which
        wait for timers.

        Raises:
            PlacementFailed: the system can't be restarted.
            NoAnswer, NotConnected: it is gone.
        """
        playable: list[tuple[int, Scenario]] = []
        for number, scenario in enumerate(map(self.with_settings, scenarios)):
            if why := self.unplayable(scenario):
                yield number, Unlaid(scenario.layout, LayingStep.TOPIC, why)
            else:
                playable.append((number, scenario))
        if playable:
            numbers, under_settings = zip(*playable, strict=True)
            for number, played in self._play(under_settings):
                yield numbers[number], played

    def _play(self, scenarios: Sequence[Scenario]) -> Iterator[tuple[int, Played]]:
        if self.own is not None:
            self._make_ready()
        elif scenarios[0].config != self._configured:
            self._restart(scenarios[0].config)
        histories = [
            GroupHistory(self.broker.cluster, scenario, topic=self.topic) for scenario in scenarios
        ]
        restart = self._restart if self.broker.restartable else None
        since = self.broker.start_watching()
        watch = ClusterWatch(self.broker.cluster)
        observed = list(self.broker.background.play(histories, restart))
        standstill_s = self.broker.pulse.standstill_s(since)
        for number, observation in enumerate(observed):
            played = self._judge(scenarios[number], observation)
            if played.judgement.breaks:
                played = played.with_disturbances(standstill_s, watch.change())
            yield number, played

    def close(self) -> None:
        """End all that is played. There is no restart any more."""
        self.broker.close()

    def _make_ready(self) -> None:
        """Once, have the broker make what it keeps groups in."""
        if not self._is_ready:
            await_coordinator(self.broker.cluster)
            make_committed_topic(self.broker.cluster, self.topic)
            self._is_ready = True

    def _restart(self, config: Config | None) -> Cluster:
        config = self._configured if config is None else config
        settings = {**SHORT_TIMES, **dict(config or ())}
        cluster = self.broker.restart(settings, {}, otherwise=NO_RESTART)
        self._configured = config
        await_coordinator(cluster)
        make_committed_topic(cluster, self.topic)
        return cluster
