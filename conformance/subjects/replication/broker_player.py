"""The player on a cluster of several brokers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cluster import MissingApiError
from conformance.engine.live_broker import LiveBroker
from conformance.engine.player import Player
from conformance.placement.cluster_watch import ClusterWatch
from conformance.placement.problem import LayingStep, PlacementFailed, Unlaid
from conformance.subjects.replication.player import ReplicationHistory
from conformance.subjects.replication.spread import (
    SpreadPartitions,
    brokers_of,
    seen_from,
    topic_of,
)
from conformance.wire.outcomes import NoAnswer, NotConnected

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.cluster import Cluster
    from conformance.engine.play_result import Played
    from conformance.engine.restarts import Restarts
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

    def play(self, scenarios: Sequence[Scenario]) -> Iterator[tuple[int, Played | Unlaid]]:
        """Play scenarios side by side."""
        cluster = self.broker.cluster
        try:
            histories = self._histories(scenarios)
        except (PlacementFailed, MissingApiError) as failed:
            for number, scenario in enumerate(scenarios):
                yield number, Unlaid(scenario.layout, LayingStep.TOPIC, str(failed))
            return
        since = self.broker.start_watching()
        watch = ClusterWatch(cluster)
        observations = list(self.broker.background.play(histories))
        for number, (history, observation) in enumerate(zip(histories, observations, strict=True)):
            played = self._judge(scenarios[number], observation)
            if played.judgement.breaks:
                standstill_s = self.broker.pulse.standstill_s(since)
                change = _change(history) or watch.change()
                played = played.with_disturbances(standstill_s, change)
            yield number, played

    def close(self) -> None:
        """Delete the topics that were made, and end all that is played."""
        self.broker.close()
        self.partitions.close()

    def _histories(self, scenarios: Sequence[Scenario]) -> list[ReplicationHistory]:
        racks, selector = brokers_of(self.broker.cluster)
        found = []
        for scenario in scenarios:
            where = self.partitions.take()
            brokers = seen_from(racks, selector, where)
            found.append(
                ReplicationHistory(
                    self.broker.cluster,
                    scenario,
                    delay_s=self.broker.pulse.delay_s,
                    where=where,
                    brokers=brokers,
                )
            )
        return found


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
