"""A bench for histories of groups without a broker: the model, or the model with a planted fault, answers in this very process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.run.bench import Bench
from conformance.run.played import Played
from spec.groups.answering import REFERENCE, Coordinator, answer_all
from spec.judge import judge

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spec.scenario import Scenario
    from spec.semantics import Semantics


class GroupRehearsal(Bench):
    """Plays histories of groups on the model.

    Args:
        semantics: what it is judged by, and answers by.
        coordinator: what decides.
    """

    def __init__(self, semantics: Semantics, coordinator: Coordinator = REFERENCE) -> None:
        self.semantics = semantics
        self.coordinator = coordinator

    def play(self, scenarios: Sequence[Scenario]) -> Iterator[tuple[int, Played]]:
        """Play histories, whatever their settings."""
        for number, scenario in enumerate(scenarios):
            yield number, self.play_one(scenario)

    def play_one(self, scenario: Scenario) -> Played:
        """Play one history."""
        observation = answer_all(scenario, self.semantics, self.coordinator)
        return Played(scenario, observation, judge(scenario, observation, self.semantics))

    def confirmed(self, played: Played) -> Played:
        """The same: the model's clock is never late."""
        return played
