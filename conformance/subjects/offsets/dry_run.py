"""The player of offsets without a broker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.engine.player import Player
from spec.offsets.dry_run import answer_all
from spec.offsets.model import REFERENCE, Broker

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.engine.play_result import Played
    from spec.scenario import Scenario
    from spec.semantics import Semantics


class OffsetDryRun(Player):
    """Plays scenarios of offsets on the model, or on one with a planted fault.

    Args:
        semantics: what it is judged by, and answers by.
        broker: the functions by which the model decides; a planted fault replaces one of them.
    """

    has_older_epochs = True

    def __init__(self, semantics: Semantics, broker: Broker = REFERENCE) -> None:
        super().__init__(semantics)
        self.broker = broker

    def play(self, scenarios: Sequence[Scenario]) -> Iterator[tuple[int, Played]]:
        """Play scenarios."""
        for number, scenario in enumerate(scenarios):
            yield number, self._judge(scenario, answer_all(scenario, self.semantics, self.broker))
