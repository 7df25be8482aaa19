"""The player of limits without a broker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.engine.player import Player
from spec.limits.dry_run import answer_all
from spec.limits.model import REFERENCE, Controller

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.engine.play_result import Played
    from spec.scenario import Scenario
    from spec.semantics import Semantics


class LimitDryRun(Player):
    """Plays scenarios of limits on the model, or on one with a planted fault.

    Args:
        semantics: what it is judged by, and answers by.
        controller: what decides.
    """

    def __init__(self, semantics: Semantics, controller: Controller = REFERENCE) -> None:
        super().__init__(semantics)
        self.controller = controller

    def play(self, scenarios: Sequence[Scenario]) -> Iterator[tuple[int, Played]]:
        """Play scenarios without a broker."""
        for number, scenario in enumerate(scenarios):
            answers = answer_all(scenario, self.semantics, self.controller)
            yield number, self._judge(scenario, answers)
