"""The player of several brokers without any."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.engine.player import Player
from spec.replication.dry_run import REFERENCE, Served, answer_all

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.engine.play_result import Played
    from spec.scenario import Scenario
    from spec.semantics import Semantics


class ReplicationDryRun(Player):
    """Plays scenarios on the model, or on brokers that answer otherwise.

    Args:
        semantics: what they are judged by.
        served: how the brokers answer.
    """

    def __init__(self, semantics: Semantics, served: Served = REFERENCE) -> None:
        super().__init__(semantics)
        self.served = served

    def play(self, scenarios: Sequence[Scenario]) -> Iterator[tuple[int, Played]]:
        """Play scenarios."""
        for number, scenario in enumerate(scenarios):
            yield number, self._judge(scenario, answer_all(scenario, self.semantics, self.served))
