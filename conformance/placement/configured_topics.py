"""Topics with the configs that scenarios ask for, whose partitions are used over and over."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from conformance.ledger import NO_LEDGER
from conformance.placement.deployment import CLEAN_UP_S
from conformance.placement.offsets import await_ends, list_offsets, set_log_starts
from conformance.placement.placed_partition import Placed, PlacedPartition
from conformance.placement.pool import OPTIONAL_CONFIG, TOPIC_CONFIG, Pool
from conformance.placement.problem import LayingStep, LeaderAway, PlacementFailed, Unlaid
from conformance.wire.outcomes import NoAnswer, NotConnected

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from conformance.cluster import Cluster
    from conformance.placement.pool import Pooled
    from spec.scenario import Scenario

LEADER_TRIES = 3
"""How often partitions are taken while leaders are away."""
NOT_EMPTY = "expected a layout of empty partitions: batches are written by the scenario's steps"

Configs = tuple[tuple[str, str], ...]
"""Topic configs by Kafka's names."""


class ConfiguredTopics:
    """The topics that were made on a broker, by their configs.

    Args:
        cluster: the broker.
        name: what their names are made from; fresh on the broker.
        configs_of: the configs of the topic that a scenario's partitions belong to.
        use_once: whether no partition is used again: what it holds can't be hidden.
        alone: whether a scenario has a topic of its own, whose configs it changes.
        uses_once: whether that is so of the partitions of a scenario.
    """

    def __init__(
        self,
        cluster: Cluster,
        name: str,
        configs_of: Callable[[Scenario], Configs],
        *,
        use_once: bool = False,
        alone: Callable[[Scenario], bool] = lambda _: False,
        uses_once: Callable[[Scenario], bool] = lambda _: False,
    ) -> None:
        self.cluster = cluster
        self.configs_of = configs_of
        self.uses_once = uses_once
        self._alone = alone
        self._name = name
        self._use_once = use_once
        self._connection = cluster.connect()
        self._pools: dict[tuple[Configs, bool], Pool] = {}

    def place(self, scenarios: Sequence[Scenario]) -> list[Placed | Unlaid]:
        """Give each scenario partitions that are empty, or seem so since all that lies in them was
        deleted; others, where leaders have moved.

        Raises:
            LeaderAway: they are away each time.
            NoAnswer: the broker is gone.
        """
        for _ in range(LEADER_TRIES - 1):
            try:
                return self._place(scenarios)
            except LeaderAway:
                self._connection.close()
                self._connection = self.cluster.connect()
                for pool in self._pools.values():
                    pool.await_leaders(self._connection)
        return self._place(scenarios)

    def _place(self, scenarios: Sequence[Scenario]) -> list[Placed | Unlaid]:
        self._connection.wake()
        placed = [self._place_layout(scenario) for scenario in scenarios]
        starts = {
            (one.topic, one.partition): one.base
            for some in placed
            if isinstance(some, Placed)
            for one in some.placed_partitions
        }
        try:
            set_log_starts(self.cluster, self._connection, starts)
        except LeaderAway:
            raise
        except (PlacementFailed, NoAnswer):
            if self._use_once:
                raise
            self._use_each_once()
            return self._place(scenarios)
        return placed

    def _use_each_once(self) -> None:
        """Take empty partitions alone from now on, over another connection, since the broker does
        not delete records.

        Raises:
            NotConnected, NoAnswer: the broker is gone.
        """
        self._use_once = True
        self._connection.close()
        self._connection = self.cluster.connect()
        for pool in self._pools.values():
            pool.go_on(self.cluster, self._connection)
            pool.use_once()

    def take(self, scenario: Scenario) -> Pooled:
        """An empty partition of the topic that a scenario asks for.

        Raises:
            PlacementFailed: the topic could not be made.
        """
        (taken,) = self._pool_of(scenario).take(1)
        return taken

    def reopen(self, cluster: Cluster) -> None:
        """Continue with a broker that was restarted."""
        self._connection.close()
        self.cluster, self._connection = cluster, cluster.connect()
        for pool in self._pools.values():
            pool.refresh(cluster, self._connection)

    def settle(self, ends: dict[tuple[str, int], int], starts: dict[tuple[str, int], int]) -> None:
        """Wait for the ends of partitions, and move their log starts.

        Raises:
            PlacementFailed: they are others.
        """
        await_ends(self.cluster, self._connection, ends, isolation=0)
        set_log_starts(self.cluster, self._connection, starts)

    def _place_layout(self, scenario: Scenario) -> Placed | Unlaid:
        layout = scenario.layout
        if any(True for partition in layout.partitions for _ in partition.entries()):
            return Unlaid(layout, LayingStep.RECORDS, NOT_EMPTY)
        try:
            pool, count = self._pool_of(scenario), len(layout.partitions)
            taken = pool.take_topic(count) if self._alone(scenario) else pool.take(count)
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

    def _pool_of(self, scenario: Scenario) -> Pool:
        configs, once = self.configs_of(scenario), self.uses_once(scenario)
        if (configs, once) not in self._pools:
            pool = Pool(
                self.cluster,
                self._connection,
                f"{self._name}-{len(self._pools)}",
                {**TOPIC_CONFIG, **dict(configs)},
                optional=OPTIONAL_CONFIG - dict(configs).keys(),
            )
            if once or self._use_once:
                pool.use_once()
            self._pools[configs, once] = pool
        return self._pools[configs, once]

    def release(self, scenarios: Sequence[Scenario], placed: Sequence[Placed | Unlaid]) -> None:
        """Free the partitions of scenarios that are over; those whose end is not known any more are
        not used again.
        """
        used = [
            (self._pool_of(scenario), one.topic, one.partition)
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
