"""Topics with the configs that scenarios ask for, whose partitions are used over and over."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from conformance.ledger import NO_LEDGER
from conformance.placement.deployment import CLEAN_UP_S
from conformance.placement.offsets import list_offsets, set_log_starts
from conformance.placement.placed_partition import Placed, PlacedPartition
from conformance.placement.pool import TOPIC_CONFIG, Pool
from conformance.placement.problem import LayingStep, PlacementFailed, Unlaid
from conformance.wire.outcomes import NoAnswer, NotConnected
from spec.produce.steps import UseTopic
from spec.produce.topic import TopicSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.cluster import Cluster
    from spec.scenario import Scenario

NOT_EMPTY = "expected a layout of empty partitions: batches are written by steps of produce"


def settings_of(scenario: Scenario) -> TopicSettings:
    """The configs of the topic that a scenario's partitions belong to."""
    first = scenario.steps[0]
    return first.settings if isinstance(first, UseTopic) else TopicSettings()


class Topics:
    """The topics that were made on a broker, by their configs.

    Args:
        cluster: the broker.
        name: what their names are made from; fresh on the broker.
    """

    def __init__(self, cluster: Cluster, name: str) -> None:
        self.cluster = cluster
        self._name = name
        self._connection = cluster.connect()
        self._pools: dict[TopicSettings, Pool] = {}

    def place(self, scenarios: Sequence[Scenario]) -> list[Placed | Unlaid]:
        """Give each scenario partitions that are empty, or seem so since all that lies in them was
        deleted.

        Raises:
            NoAnswer: the broker is gone.
        """
        self._connection.wake()
        placed = [self._placed(scenario) for scenario in scenarios]
        starts = {
            (one.topic, one.partition): one.base
            for some in placed
            if isinstance(some, Placed)
            for one in some.placed_partitions
        }
        set_log_starts(self.cluster, self._connection, starts)
        return placed

    def _placed(self, scenario: Scenario) -> Placed | Unlaid:
        layout = scenario.layout
        if any(True for partition in layout.partitions for _ in partition.entries()):
            return Unlaid(layout, LayingStep.RECORDS, NOT_EMPTY)
        try:
            taken = self._pool(settings_of(scenario)).take(len(layout.partitions))
        except PlacementFailed as failed:
            return Unlaid(layout, LayingStep.TOPIC, str(failed))
        partitions = [
            PlacedPartition(
                one.topic,
                one.topic_id,
                one.partition,
                one.end,
                one.leader_epoch,
                one.first_timestamp,
            )
            for one in taken
        ]
        return Placed(layout, tuple(partitions))

    def _pool(self, settings: TopicSettings) -> Pool:
        if settings not in self._pools:
            self._pools[settings] = Pool(
                self.cluster,
                self._connection,
                f"{self._name}-{len(self._pools)}",
                {**TOPIC_CONFIG, **dict(settings.configs)},
            )
        return self._pools[settings]

    def release(self, scenarios: Sequence[Scenario], placed: Sequence[Placed | Unlaid]) -> None:
        """Free the partitions of scenarios that are over; those whose end is not known any more are
        not used again.
        """
        used = [
            (self._pool(settings_of(scenario)), one.topic, one.partition)
            for scenario, some in zip(scenarios, placed, strict=True)
            if isinstance(some, Placed)
            for one in some.placed_partitions
        ]
        ends = list_offsets(
            self.cluster,
            self._connection,
            [(topic, number) for _, topic, number in used],
            isolation=0,
        )
        for pool, topic, number in used:
            error, end = ends[topic, number]
            if error:
                pool.retire(topic, number)
            else:
                pool.give_back(topic, number, end)

    def close(self) -> None:
        """Delete the topics, unless a ledger lists them, and close the connection."""
        self._connection.close()
        if self.cluster.ledger is not NO_LEDGER or not self._pools:
            return
        with (
            suppress(NoAnswer, NotConnected),
            self.cluster.connect(timeout=CLEAN_UP_S) as connection,
        ):
            for pool in self._pools.values():
                pool.clean_up(connection)
