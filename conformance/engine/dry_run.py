"""A player without a broker: the model, or the model with a planted fault, answers in this very
process.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.engine.player import LayoutPlayer
from conformance.placement.placed_partition import Placed
from spec.fetch.dry_run import answer_all
from spec.fetch.model.answer import answer_fetch
from spec.fetch.model.machine import close_on_unknown_version
from spec.fetch.model.session import on_arrival
from spec.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.engine.play_result import Played
    from conformance.engine.player import Config
    from conformance.placement.problem import Unlaid
    from spec.fetch.model.machine import Answering, Rejecting, TakingOn
    from spec.fetch.steps import Fetch
    from spec.layout import Layout
    from spec.observation import Observation
    from spec.semantics import Semantics


class DryRun(LayoutPlayer):
    """Plays scenarios on the model, which takes every layout, crafted ones too.

    Args:
        semantics: what it is judged by, and answers by.
        answering: what answers fetches.
        rejecting: what rejects a fetch by its version.
        taking_on: what a session becomes when a request arrives.
    """

    has_older_epochs = True
    restartable = True
    crafts = True

    def __init__(
        self,
        semantics: Semantics,
        answering: Answering = answer_fetch,
        rejecting: Rejecting = close_on_unknown_version,
        taking_on: TakingOn = on_arrival,
    ) -> None:
        super().__init__(semantics)
        self.answering = answering
        self.rejecting = rejecting
        self.taking_on = taking_on

    def restart(self, config: Config, crafted: Sequence[Layout] = ()) -> list[Placed | Unlaid]:
        """Continue with other settings."""
        self._judge_by_settings(config)
        return self.lay(crafted)

    def place(self, layouts: Sequence[Layout]) -> list[Placed]:
        """The layouts as they are: they need no placing here."""
        return [Placed(layout, ()) for layout in layouts]

    def release(self, placed: Sequence[Placed]) -> None:
        """Nothing is to be taken off."""

    def reopen(self) -> None:
        """Nothing is open."""

    def ask(
        self, placed: Sequence[Placed], fetches: Sequence[tuple[int, Fetch]]
    ) -> Iterator[tuple[int, Played]]:
        """Ask fetches about layouts, each named by the layout's number."""
        for number, (index, fetch) in enumerate(fetches):
            yield number, self._played_dry(Scenario(placed[index].layout, (fetch,), self.config))

    def play(self, scenarios: Sequence[Scenario]) -> Iterator[tuple[int, Played]]:
        """Play scenarios, each on its own layout."""
        for number, scenario in enumerate(scenarios):
            yield (
                number,
                self._played_dry(
                    Scenario(scenario.layout, scenario.steps, self.config, scenario.subject)
                ),
            )

    def begin(self, scenarios: Sequence[Scenario]) -> Iterator[tuple[int, Played]]:
        """The same: nothing is waited for here."""
        return self.play(scenarios)

    def _played_dry(self, scenario: Scenario) -> Played:
        return self._judge(scenario, self._answer_all(scenario))

    def _answer_all(self, scenario: Scenario) -> Observation:
        return answer_all(scenario, self.semantics, self.answering, self.rejecting, self.taking_on)
