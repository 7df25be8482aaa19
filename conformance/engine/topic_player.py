"""One broker while a run works on it whose scenarios ask for topics with configs of their own."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from conformance.engine.live_broker import LiveBroker
from conformance.engine.player import Player
from conformance.placement.cluster_watch import ClusterWatch
from conformance.placement.configured_topics import ConfiguredTopics
from conformance.placement.placed_partition import Placed
from conformance.placement.problem import TookTooLong, Unlaid
from conformance.play.history import not_ready

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.cluster import Cluster
    from conformance.engine.play_result import Played
    from conformance.engine.restarts import Restarts
    from conformance.placement.configured_topics import Configs
    from conformance.play.history import History
    from spec.scenario import Scenario
    from spec.semantics import Semantics


class TopicPlayer(Player):
    """Plays scenarios on one broker and judges them, each on partitions of its own.

    Args:
        cluster: the broker.
        semantics: what it is judged by.
        name: what the names of topics are made from.
        restarts: how the system is restarted; None where it can't be.
        use_once: whether no partition is used again.
    """

    def __init__(
        self,
        cluster: Cluster,
        semantics: Semantics,
        name: str,
        restarts: Restarts | None,
        *,
        use_once: bool = False,
    ) -> None:
        super().__init__(semantics)
        self.broker = LiveBroker(cluster, restarts)
        self.topics = ConfiguredTopics(
            *(cluster, name, self.configs_of),
            use_once=use_once,
            alone=self.changes_configs,
            uses_once=self.uses_once,
        )

    @abstractmethod
    def configs_of(self, scenario: Scenario) -> Configs:
        """The configs of the topic that a scenario's partitions belong to."""

    def changes_configs(self, scenario: Scenario) -> bool:
        """Whether a scenario changes the configs of its topic, which no other one has then."""
        del scenario
        return False

    def uses_once(self, scenario: Scenario) -> bool:
        """Whether a scenario takes partitions that none had before."""
        del scenario
        return False

    @abstractmethod
    def _history(self, scenario: Scenario, placed: Placed) -> History | Unlaid:
        """Make what plays a scenario, or say what that lacks."""

    def play(self, scenarios: Sequence[Scenario]) -> Iterator[tuple[int, Played | Unlaid]]:
        """Play scenarios side by side."""
        yield from self._play(scenarios, self.topics.place(scenarios))

    def _play(
        self, scenarios: Sequence[Scenario], placed: Sequence[Placed | Unlaid]
    ) -> Iterator[tuple[int, Played | Unlaid]]:
        """Play those scenarios side by side whose partitions are placed."""
        numbers: list[int] = []
        histories: list[History] = []
        for number, one in enumerate(placed):
            try:
                made = self._history(scenarios[number], one) if isinstance(one, Placed) else one
            except TookTooLong as late:
                yield number, self._judge(scenarios[number], not_ready(str(late)))
                continue
            if isinstance(made, Unlaid):
                yield number, made
            else:
                numbers.append(number)
                histories.append(made)
        since = self.broker.start_watching()
        watch = ClusterWatch(
            self.broker.cluster,
            [
                partition.topic
                for one in placed
                if isinstance(one, Placed)
                for partition in one.placed_partitions
            ],
        )
        for number, observation in zip(
            numbers, list(self.broker.background.play(histories)), strict=True
        ):
            played = self._judge(scenarios[number], observation)
            if played.judgement.breaks:
                standstill_s = self.broker.pulse.standstill_s(since)
                played = played.with_disturbances(standstill_s, watch.change())
            yield number, played
        self.topics.release(scenarios, placed)

    def close(self) -> None:
        """Delete the topics that were made, and end all that is played."""
        self.broker.close()
        self.topics.close()
