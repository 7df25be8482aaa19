"""A bench for histories of groups: they need settings, not layouts, so the broker is restarted with those that come next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.placement.problem import PlacementFailed
from conformance.play.group_histories import await_coordinator, play_all
from conformance.run.session import REPLAYS, Played
from spec.catalogue import TIMED
from spec.groups.steps import RestartWith
from spec.judge import judge

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.cluster import Cluster
    from conformance.run.session import Config, Restarts
    from spec.scenario import Scenario
    from spec.semantics import Semantics

SHORT_TIMES = {"group.min.session.timeout.ms": "100"}
"""What every bench sets beside a scenario's own configs, so that sessions can run out soon."""


class GroupBench:
    """Plays histories of groups on one broker and judges them.

    Args:
        cluster: whom to ask.
        semantics: what it is judged by.
        restarts: how the system is restarted; None where it can't be, so that nothing can be played.
    """

    def __init__(self, cluster: Cluster, semantics: Semantics, restarts: Restarts | None) -> None:
        self.cluster = cluster
        self.semantics = semantics
        self.config: Config | None = None
        self.restarts = restarts

    def close(self) -> None:
        """Nothing is kept open."""

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
            yield number, Played(scenarios[number], observation, judge(scenarios[number], observation, self.semantics))

    def play_one(self, scenario: Scenario) -> Played:
        """Play one history."""
        return next(iter(self.play([scenario])))[1]

    def confirmed(self, played: Played) -> Played:
        """The same, but a break that hangs on the clock, or on an answer that did not come, counts only when a replay shows it again."""
        late = [verdict for verdict in played.judgement.breaks if verdict.clause in TIMED]
        unanswered = played.unanswered
        if not unanswered and (not late or len(late) < len(played.judgement.breaks)):
            return played
        for _ in range(REPLAYS):
            again = self.play_one(played.scenario)
            if any(again.broke(verdict.clause, verdict.signature) for verdict in played.judgement.breaks):
                return again
        return played.inconclusive(f"{unanswered}; not once in {REPLAYS} replays") if unanswered else again

    def _configure(self, config: Config) -> None:
        if config != self.config:
            self._restart(RestartWith(config))

    def _restart(self, step: RestartWith) -> Cluster:
        if self.restarts is None:
            raise PlacementFailed("size limits are read at the start: they take a broker that Fencepost starts itself")
        self.cluster = self.restarts.restart({**SHORT_TIMES, **dict(step.config)}, {})
        self.config = step.config
        await_coordinator(self.cluster)
        return self.cluster
