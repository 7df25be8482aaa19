"""One broker while a run works on it: layouts go up, scenarios are played and judged, layouts come down."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from conformance.engine.live_broker import LiveBroker
from conformance.engine.player import LayoutPlayer
from conformance.placement.crafted import craft, settle
from conformance.placement.problem import PlacementFailed
from conformance.placement.stage import Stage
from conformance.play.background import SIDE_BY_SIDE
from conformance.subjects.fetch.lanes import Lanes
from conformance.subjects.fetch.player import FetchHistory
from conformance.subjects.share.coordinators import await_coordinators
from conformance.subjects.share.player import ShareHistory
from spec.fetch.scenarios import question_of
from spec.scenario import Scenario
from spec.share.releases import ShareSemantics
from spec.share.steps import RestartBroker, ShareStep

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from conformance.cluster import Cluster
    from conformance.engine.played import Played
    from conformance.engine.player import Config
    from conformance.engine.restarts import Restarts
    from conformance.placement.site import Placed
    from conformance.play.history import History
    from spec.fetch.steps import Fetch
    from spec.layout import Layout
    from spec.observation import Observation
    from spec.semantics import Semantics

READY = 96
"""Partitions that are free when the broker restarts, about as many as are taken at once afterwards."""
NO_FILES = "this layout has holes or old formats: it takes a broker that Fencepost starts and can place files for"


class Bench(LayoutPlayer):
    """Plays scenarios on one broker and judges them.

    Args:
        cluster: whom to ask.
        semantics: what it is judged by.
        run: a fresh name for the topics.
        config: the settings that scenarios of this bench need.
        connections: how many share the stateless fetches.
        restarts: how the system is restarted; None where it can't be.
    """

    def __init__(
        self,
        cluster: Cluster,
        semantics: Semantics,
        run: str,
        config: Config = (),
        connections: int = 4,
        restarts: Restarts | None = None,
    ) -> None:
        super().__init__(semantics, config)
        self.broker = LiveBroker(cluster, restarts)
        self.stage = Stage(cluster, run)
        self._connections = connections
        self.lanes = Lanes(cluster, connections=connections)
        self._coordinated = False
        self._has_restarted = False

    @property
    def has_older_epochs(self) -> bool:
        """Whether the broker was restarted here: partitions that were made before have a newer leader epoch since."""
        return self._has_restarted

    @property
    def cluster(self) -> Cluster:
        """Where the broker is reached."""
        return self.broker.cluster

    @property
    def restartable(self) -> bool:
        """Whether the system can be restarted."""
        return self.broker.restartable

    @property
    def crafts(self) -> bool:
        """Whether the system can be restarted with files put into its data folder."""
        return self.broker.places_files

    def restart(self, config: Config, crafted: Sequence[Layout] = ()) -> list[Placed]:
        """Go on with the same topics after a restart with other settings, which lays crafted layouts on the broker by the way.

        What is placed already may not be asked about any more.

        Raises:
            PlacementFailed: the system can't be restarted, or takes no files, or has made something else of them.
        """
        if not self.restartable or (crafted and not self.crafts):
            raise PlacementFailed(NO_FILES)
        coming = craft(self.stage.pool, crafted)
        self.stage.pool.make_ready(READY)
        self.lanes.close()
        self.broker.restart(dict(config), coming.files, otherwise=NO_FILES)
        self._has_restarted = True
        self._limited(config)
        self.stage.reopen(self.cluster)
        self.lanes = Lanes(self.cluster, connections=self._connections)
        self._coordinated = False
        return settle(self.stage.pool, coming)

    def place(self, layouts: Sequence[Layout]) -> list[Placed]:
        """Lay layouts on the broker side by side; crafted ones take a restart, so that nothing may be placed before.

        Raises:
            PlacementFailed: the broker refused a step, did something else than it was asked to, or can't be given files.
        """
        wanted = [layout for layout in layouts if layout.crafted]
        crafted = iter(self.restart(self.config, wanted) if wanted else ())
        plain = iter(self.stage.place([layout for layout in layouts if not layout.crafted]))
        return [next(crafted if layout.crafted else plain) for layout in layouts]

    def release(self, placed: Sequence[Placed]) -> None:
        """Take layouts off the broker."""
        for one in placed:
            self.stage.release(one)

    def reopen(self) -> None:
        """Go on over new connections after a layout could not be laid out."""
        self.stage.reopen(self.cluster)

    def close(self) -> None:
        """Delete the topics that were made and close all connections; there is no restart any more."""
        self.broker.close()
        self.lanes.close()
        self.stage.close()

    def ask(self, placed: Sequence[Placed], fetches: Sequence[tuple[int, Fetch]]) -> Iterator[tuple[int, Played]]:
        """Ask fetches about placed layouts, each named by the layout's number; they come back with their own."""
        asked = [(placed[number], fetch) for number, fetch in fetches]
        for number, observation in self.lanes.ask(asked):
            scenario = Scenario(asked[number][0].layout, (asked[number][1],), self.config)
            yield number, self._judged(scenario, observation)

    def play(self, scenarios: Sequence[Scenario]) -> Iterator[tuple[int, Played]]:
        """Play scenarios, each on its own layout."""
        placed = self.place([scenario.layout for scenario in scenarios])
        yield from self._finished(scenarios, placed, self._observed(list(zip(scenarios, placed, strict=True))))

    def begin(self, scenarios: Sequence[Scenario]) -> Iterator[tuple[int, Played]]:
        """Begin to play histories of share groups at once, so that other work can be done meanwhile; take all that comes of them.

        None of them may restart the broker.
        """
        placed = self.place([scenario.layout for scenario in scenarios])
        self._coordinate()
        histories = [self._history(scenario, one) for scenario, one in zip(scenarios, placed, strict=True)]
        return self._finished(scenarios, placed, enumerate(self.broker.background.play(histories)))

    def _finished(
        self, scenarios: Sequence[Scenario], placed: Sequence[Placed], observed: Iterable[tuple[int, Observation]]
    ) -> Iterator[tuple[int, Played]]:
        """Judge what was observed of scenarios by their numbers, and take their layouts off in the end."""
        with self.lying(placed):
            for number, observation in observed:
                yield number, self._judged(replace(scenarios[number], config=self.config), observation)

    def _observed(self, plays: Sequence[tuple[Scenario, Placed]]) -> Iterator[tuple[int, Observation]]:
        """Play side by side what can be: lone questions first, histories that restart the broker last, over shared restarts."""
        questions = {number: fetch for number, (scenario, _) in enumerate(plays) if (fetch := question_of(scenario)) is not None}
        asked = list(questions)
        for index, observation in self.lanes.ask([(plays[number][1], questions[number]) for number in asked]):
            yield asked[index], observation
        histories = [number for number in range(len(plays)) if number not in questions]
        if any(isinstance(step, ShareStep) for number in histories for step in plays[number][0].steps):
            self._coordinate()
        restarting = [number for number in histories if any(isinstance(step, RestartBroker) for step in plays[number][0].steps)]
        yield from self._together(plays, [number for number in histories if number not in restarting])
        for begin in range(0, len(restarting), SIDE_BY_SIDE):
            some = restarting[begin : begin + SIDE_BY_SIDE]
            yield from self._together(plays, some, self._restarted if self.restartable else None)

    def _together(
        self, plays: Sequence[tuple[Scenario, Placed]], numbers: Sequence[int], restart: Callable[[Config | None], Cluster] | None = None
    ) -> Iterator[tuple[int, Observation]]:
        histories = [self._history(*plays[number]) for number in numbers]
        return zip(numbers, self.broker.background.play(histories, restart), strict=True)

    def _history(self, scenario: Scenario, placed: Placed) -> History:
        if any(isinstance(step, ShareStep) for step in scenario.steps):
            return ShareHistory(self.cluster, scenario, placed, semantics=self.semantics.of(ShareSemantics))
        return FetchHistory(self.cluster, scenario, placed)

    def _coordinate(self) -> None:
        if not self._coordinated and self.cluster.offers("ShareFetch"):
            await_coordinators(self.cluster, self.stage.connection)
        self._coordinated = True

    def _restarted(self, config: Config | None) -> Cluster:
        """Restart the broker in the midst of a scenario, by default as it is."""
        self.restart(self.config if config is None else config)
        self._coordinate()
        return self.cluster
