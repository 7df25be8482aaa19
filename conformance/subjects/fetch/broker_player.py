"""The player of fetches on a broker: lone ones are asked many at a time, histories are played."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.engine.broker_player import BrokerPlayer
from conformance.subjects.fetch.history import FetchHistory
from conformance.subjects.fetch.lanes import Lanes
from spec.fetch.releases import FetchSemantics
from spec.fetch.scenarios import question_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.cluster import Cluster
    from conformance.engine.player import Config
    from conformance.engine.restarts import Restarts
    from conformance.placement.placed_partition import Placed
    from spec.observation import Observation
    from spec.scenario import Scenario
    from spec.semantics import Semantics


class FetchBrokerPlayer(BrokerPlayer):
    """Plays scenarios of fetches and writes on one broker and judges them; see `BrokerPlayer`."""

    def __init__(
        self,
        cluster: Cluster,
        semantics: Semantics,
        run: str,
        config: Config = (),
        restarts: Restarts | None = None,
    ) -> None:
        super().__init__(cluster, semantics, run, config, restarts)
        self.lanes = self._open_lanes()

    def close(self) -> None:
        """Delete the topics that were made and close all connections; there is no restart any
        more.
        """
        self.lanes.close()
        super().close()

    def _note_new_start(self) -> None:
        self.lanes.close()
        self.lanes = self._open_lanes()

    def _open_lanes(self) -> Lanes:
        return Lanes(
            self.cluster,
            delay_s=self.broker.pulse.delay_s,
            knows_quota_window=self.semantics.of(FetchSemantics).knows_quota_window,
        )

    def _observe(
        self, plays: Sequence[tuple[Scenario, Placed]]
    ) -> Iterator[tuple[int, Observation]]:
        """Ask lone fetches first, then play the histories."""
        questions = {
            number: fetch
            for number, (scenario, _) in enumerate(plays)
            if (fetch := question_of(scenario)) is not None
        }
        asked = list(questions)
        for index, observation in self.lanes.ask(
            [(plays[number][1], questions[number]) for number in asked]
        ):
            yield asked[index], observation
        yield from self._together(
            plays, [number for number in range(len(plays)) if number not in questions]
        )

    def _history(self, scenario: Scenario, placed: Placed) -> FetchHistory:
        return FetchHistory(self.cluster, scenario, placed)
