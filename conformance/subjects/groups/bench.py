"""A bench for histories of groups: they need settings, not layouts, so the broker is restarted with those that come next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.engine.player import Player
from conformance.placement.problem import PlacementFailed
from conformance.subjects.groups.player import await_coordinator, play_all
from spec.groups.steps import RestartWith

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.cluster import Cluster
    from conformance.engine.played import Played
    from conformance.engine.player import Config
    from conformance.engine.restarts import Restarts
    from spec.scenario import Scenario
    from spec.semantics import Semantics

SHORT_TIMES = {"group.min.session.timeout.ms": "100"}
"""What every bench sets beside a scenario's own configs, so that sessions can run out soon."""


class GroupBench(Player):
    """Plays histories of groups on one broker and judges them.

    Args:
        cluster: whom to ask.
        semantics: what it is judged by.
        restarts: how the system is restarted; None where it can't be, so that nothing can be played.
        config: the settings of its histories that it was started with; None where it was not, so that a restart comes first.
    """

    def __init__(self, cluster: Cluster, semantics: Semantics, restarts: Restarts | None, config: Config | None = None) -> None:
        super().__init__(semantics)
        self.cluster = cluster
        self.restarts = restarts
        self._configured = config

    def play(self, scenarios: Sequence[Scenario]) -> Iterator[tuple[int, Played]]:
        """Play histories side by side; they must agree on their settings, before and after a restart.

        Raises:
            PlacementFailed: the system can't be restarted.
            NoAnswer, NotConnected: it is gone.
        """
        if not scenarios:
            return
        self._configure(scenarios[0].config)
        for number, observation in play_all(self.cluster, scenarios, self._restart if self.restarts is not None else None):
            yield number, self._judged(scenarios[number], observation)

    def close(self) -> None:
        """There is no restart any more."""
        if self.restarts is not None:
            self.restarts.end()

    def _configure(self, config: Config) -> None:
        if config != self._configured:
            self._restart(RestartWith(config))

    def _restart(self, step: RestartWith) -> Cluster:
        if self.restarts is None:
            raise PlacementFailed("size limits are read at the start: they take a broker that Fencepost starts itself")
        self.cluster = self.restarts.restart({**SHORT_TIMES, **dict(step.config)}, {})
        self._configured = step.config
        await_coordinator(self.cluster)
        return self.cluster
