"""A bench without a broker: the model, or the model with a planted fault, answers in this very process."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn

from conformance.placement.site import Placed
from conformance.run.bench import Bench, Config, Restarts
from conformance.run.played import Played
from spec.answering import answer_all, answer_fetch
from spec.judge import judge
from spec.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spec.answering import Answering
    from spec.layout import Layout
    from spec.scenario import Fetch
    from spec.semantics import Semantics


def _no_cluster(*_: object) -> NoReturn:
    raise TypeError("a rehearsal has no cluster to restart")


class _Shelf:
    """Layouts need no placing here."""

    def place(self, layouts: Sequence[Layout]) -> list[Placed]:
        """The layouts as they are."""
        return [Placed(layout, ()) for layout in layouts]

    def release(self, placed: Placed) -> None:
        """Nothing is to be taken off."""


class Rehearsal(Bench):
    """Plays scenarios on the model, which takes every layout, crafted ones too.

    Args:
        semantics: what it is judged by, and answers by.
        answering: what answers fetches.
    """

    def __init__(self, semantics: Semantics, answering: Answering = answer_fetch) -> None:
        self.semantics = semantics
        self.config: Config = ()
        self.answering = answering
        self.stage = _Shelf()  # type: ignore[assignment]  # it is used for these two verbs alone
        self.restarts = Restarts(_no_cluster, places_files=True)

    def restart(self, config: Config, crafted: Sequence[Layout] = ()) -> list[Placed]:
        """Go on with other settings."""
        limit = int(dict(config).get("fetch.max.bytes", self.semantics.fetch_max_bytes))
        self.semantics, self.config = replace(self.semantics, fetch_max_bytes=limit), config
        return self.place(crafted)

    def place(self, layouts: Sequence[Layout]) -> list[Placed]:
        """The layouts as they are."""
        return self.stage.place(layouts)

    def close(self) -> None:
        """Nothing is open."""

    def ask(self, placed: Sequence[Placed], fetches: Sequence[tuple[int, Fetch]]) -> Iterator[tuple[int, Played]]:
        """Ask fetches about layouts, each named by the layout's number."""
        for number, (index, fetch) in enumerate(fetches):
            yield number, self._rehearsed(Scenario(placed[index].layout, (fetch,), self.config))

    def play(self, scenarios: Sequence[Scenario]) -> Iterator[tuple[int, Played]]:
        """Play scenarios, each on its own layout."""
        for number, scenario in enumerate(scenarios):
            yield number, self._rehearsed(Scenario(scenario.layout, scenario.steps, self.config))

    def begin(self, scenarios: Sequence[Scenario]) -> Iterator[tuple[int, Played]]:
        """The same: nothing is waited for here."""
        return self.play(scenarios)

    def _rehearsed(self, scenario: Scenario) -> Played:
        observation = answer_all(scenario, self.semantics, self.answering)
        return Played(scenario, observation, judge(scenario, observation, self.semantics))
