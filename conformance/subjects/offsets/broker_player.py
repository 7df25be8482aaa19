"""The player of offsets on a broker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.engine.broker_player import BrokerPlayer
from conformance.subjects.offsets.history import OffsetHistory

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.cluster import Cluster
    from conformance.engine.player import Config
    from conformance.engine.restarts import Restarts
    from conformance.placement.placed_partition import Placed
    from conformance.placement.problem import Unlaid
    from spec.layout import Layout
    from spec.scenario import Scenario
    from spec.semantics import Semantics


class OffsetBrokerPlayer(BrokerPlayer):
    """Plays scenarios of offsets on one broker and judges them; see `BrokerPlayer`.

    Each partition is used once: a record that another layout deleted still decides some lookups by
    time.
    """

    def __init__(
        self,
        cluster: Cluster,
        semantics: Semantics,
        run: str,
        config: Config = (),
        restarts: Restarts | None = None,
    ) -> None:
        super().__init__(cluster, semantics, run, config, restarts)
        self.deployment.pool.use_once()

    def restart(self, config: Config, crafted: Sequence[Layout] = ()) -> list[Placed | Unlaid]:
        """Continue after a restart; see `BrokerPlayer.restart`."""
        laid = super().restart(config, crafted)
        self.deployment.pool.use_once()
        return laid

    def _history(self, scenario: Scenario, placed: Placed) -> OffsetHistory:
        return OffsetHistory(self.cluster, scenario, placed)
