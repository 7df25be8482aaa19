"""The player on a cluster of several brokers."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from conformance.cluster import MissingApiError
from conformance.engine.live_broker import LiveBroker
from conformance.engine.player import Player
from conformance.placement.cluster_watch import ClusterWatch
from conformance.placement.problem import LayingStep, PlacementFailed, Unlaid
from conformance.subjects.replication.history import ReplicationHistory
from conformance.subjects.replication.spread import (
    SpreadPartition,
    SpreadPartitions,
    brokers_of,
    seen_from,
    topic_of,
)
from conformance.wire.outcomes import NoAnswer, NotConnected
from spec.replication.steps import KillBroker, LookAtBrokers, StartBroker, StopBroker

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.cluster import Cluster, Node
    from conformance.engine.play_result import Played
    from conformance.engine.restarts import Restarts
    from conformance.play.restarts import Config
    from spec.observation import Observation
    from spec.scenario import Scenario
    from spec.semantics import Semantics


class ReplicationBrokerPlayer(Player):
    """Plays scenarios on three brokers of one cluster and judges them, each on a partition of its
    own.

    Args:
        cluster: whom to ask; it has three brokers or more.
        semantics: what they are judged by.
        name: what the names of topics are made from.
        restarts: how the system is restarted; None where it can't be.
    """

    def __init__(
        self, cluster: Cluster, semantics: Semantics, name: str, restarts: Restarts | None
    ) -> None:
        super().__init__(semantics)
        self.broker = LiveBroker(cluster, restarts)
        self.partitions = SpreadPartitions(cluster, name)

    def unplayable(self, scenario: Scenario) -> str:
        """Why a scenario can't be played here; empty where it can."""
        if _ends_broker(scenario) is None or self.broker.stops_brokers:
            return ""
        return "it stops a broker, and this system is not one whose brokers can be stopped here"

    def play(self, scenarios: Sequence[Scenario]) -> Iterator[tuple[int, Played | Unlaid]]:
        """Play scenarios side by side: those that stop or kill a broker together with the others
        that do the same to the one of the same role.
        """
        groups: dict[StopBroker | None, list[int]] = defaultdict(list)
        for number, scenario in enumerate(scenarios):
            if why := self.unplayable(scenario):
                yield number, Unlaid(scenario.layout, LayingStep.TOPIC, why)
            else:
                groups[_ends_broker(scenario)].append(number)
        for ends, numbers in groups.items():
            role = None if ends is None else ends.actor
            for number, played in self._play(role, [scenarios[one] for one in numbers]):
                yield numbers[number], played

    def _play(
        self, role: int | None, scenarios: Sequence[Scenario]
    ) -> Iterator[tuple[int, Played | Unlaid]]:
        cluster = self.broker.cluster
        stopped = None if role is None else next(n for n in cluster.nodes if n.id != cluster.node)
        laid: list[tuple[int, ReplicationHistory]] = []
        try:
            where = self._partitions(scenarios, role, stopped)
            racks, selector = brokers_of(cluster)
        except (PlacementFailed, MissingApiError) as failed:
            for number, scenario in enumerate(scenarios):
                yield number, Unlaid(scenario.layout, LayingStep.TOPIC, str(failed))
            return
        for number, (scenario, place) in enumerate(zip(scenarios, where, strict=True)):
            if isinstance(place, str):
                yield number, Unlaid(scenario.layout, LayingStep.TOPIC, place)
                continue
            history = ReplicationHistory(
                cluster,
                scenario,
                delay_s=self.broker.pulse.delay_s,
                where=place,
                brokers=seen_from(racks, selector, place),
            )
            laid.append((number, history))
        since = self.broker.start_watching()
        watch = ClusterWatch(cluster) if stopped is None else None
        for (number, history), observation in zip(laid, self._observe(laid, stopped), strict=True):
            played = self._judge(scenarios[number], observation)
            if played.judgement.breaks:
                standstill_s = self.broker.pulse.standstill_s(since)
                change = _change(history) or ("" if watch is None else watch.change())
                played = played.with_disturbances(standstill_s, change)
            yield number, played

    def _observe(
        self, laid: Sequence[tuple[int, ReplicationHistory]], stopped: Node | None
    ) -> list[Observation]:
        """Play histories to their end; the broker that they stop runs again afterwards."""
        histories = [history for _, history in laid]
        if stopped is None:
            return list(self.broker.background.play(histories))
        outages = Outages(self.broker, stopped)
        try:
            return list(self.broker.background.play(histories, outages.change))
        finally:
            outages.end()
            self.partitions.forget()

    def _partitions(
        self, scenarios: Sequence[Scenario], role: int | None, stopped: Node | None
    ) -> list[SpreadPartition | str]:
        """A partition for each scenario, or why there is none."""
        by_minimum: dict[int, list[SpreadPartition]] = {}
        minima = [_minimum(scenario) for scenario in scenarios]
        found: list[SpreadPartition | str] = []
        for minimum in minima:
            try:
                if role is None or stopped is None:
                    found.append(self.partitions.take(minimum))
                    continue
                if minimum not in by_minimum:
                    count = minima.count(minimum)
                    made = self.partitions.around(stopped, role, minimum, count)
                    by_minimum[minimum] = made
                found.append(by_minimum[minimum].pop())
            except PlacementFailed as failed:
                found.append(str(failed))
        return found

    def close(self) -> None:
        """Delete the topics that were made, and end all that is played."""
        self.broker.close()
        self.partitions.close()


class Outages:
    """The broker that histories stop and start together.

    Args:
        broker: the cluster.
        node: which one is stopped.
    """

    def __init__(self, broker: LiveBroker, node: Node) -> None:
        self._broker = broker
        self._node = node
        self._is_stopped = False

    def change(self, asked: Config | None) -> Cluster:
        """Stop, kill or start it, as the step says that the histories have come to."""
        ((name, _),) = asked or ()
        if name == StartBroker().name:
            self.end()
        else:
            self._is_stopped = True
            kills = name == KillBroker().name
            stop = self._broker.kill_broker if kills else self._broker.stop_broker
            stop(self._node.id)
        return self._broker.cluster

    def end(self) -> None:
        """Start it, unless it runs."""
        if self._is_stopped:
            self._broker.start_broker(self._node.id)
            self._is_stopped = False


def _minimum(scenario: Scenario) -> int:
    """The `min.insync.replicas` of the topic that a scenario needs; 0 for the cluster's own."""
    looks = [one for one in scenario.steps if isinstance(one, LookAtBrokers)]
    return looks[0].min_insync_replicas if looks else 0


def _ends_broker(scenario: Scenario) -> StopBroker | None:
    """The step of a scenario that stops or kills a broker; None where it has none."""
    return next((one for one in scenario.steps if isinstance(one, StopBroker)), None)


def _change(history: ReplicationHistory) -> str:
    """Whether the leader of a history's partition moved though no step moved it."""
    where, expected = history.where, history.where.epoch + history.state.epoch
    try:
        with history.cluster.connect() as connection:
            topic = topic_of(history.cluster, connection, where.topic)
    except (NoAnswer, NotConnected, MissingApiError):
        return ""
    found = [
        part["leader_epoch"]
        for part in topic["partitions"]
        if part["partition_index"] == where.partition
    ]
    if found == [expected]:
        return ""
    return (
        f"expected leader epoch {expected} of {where.topic}-{where.partition}, which its scenario "
        f"has made, found {found}: its leader has moved by itself"
    )
