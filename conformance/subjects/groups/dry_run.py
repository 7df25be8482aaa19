"""The player of groups without a broker: the model, or the model with a planted fault,
answers in this very process.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.engine.player import Player
from spec.groups.dry_run import answer_all
from spec.groups.seams import REFERENCE, Coordinator

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.engine.play_result import Played
    from spec.scenario import Scenario
    from spec.semantics import Semantics


class GroupDryRun(Player):
    """Plays histories of groups on the model.

    Args:
        semantics: what it is judged by, and answers by.
        coordinator: what decides.
    """

    def __init__(self, semantics: Semantics, coordinator: Coordinator = REFERENCE) -> None:
        super().__init__(semantics)
        self.coordinator = coordinator

    def play(self, scenarios: Sequence[Scenario]) -> Iterator[tuple[int, Played]]:
        """Play histories, whatever their settings."""
        for number, scenario in enumerate(scenarios):
            yield (
                number,
                self._judge(scenario, answer_all(scenario, self.semantics, self.coordinator)),
            )
