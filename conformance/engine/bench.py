"""One broker while a run works on it: layouts go up, scenarios are played and judged, layouts come down."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from conformance.engine.player import LayoutPlayer
from conformance.placement.crafted import craft, settle
from conformance.placement.problem import PlacementFailed
from conformance.placement.stage import Stage
from conformance.play.background import Background
from conformance.subjects.fetch.lanes import Lanes
from conformance.subjects.fetch.player import FetchHistory
from conformance.subjects.share import player as shares
from conformance.subjects.share.admin import await_coordinators
from conformance.subjects.share.restarts import play_over_restart
from spec.fetch.scenarios import question_of
from spec.scenario import Scenario
from spec.share.releases import ShareSemantics
from spec.share.steps import RestartBroker, ShareStep

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from conformance.cluster import Cluster
    from conformance.engine.played import Played
    from conformance.engine.player import Config
    from conformance.engine.restarts import Restarts
    from conformance.placement.site import Placed
    from spec.fetch.steps import Fetch
    from spec.layout import Layout
    from spec.observation import Observation
    from spec.semantics import Semantics

READY = 96
"""Partitions that are free when the broker restarts, about as many as are taken at once afterwards."""


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
        self.cluster = cluster
        self.stage = Stage(cluster, run)
        self.restarts = restarts
        self._connections = connections
        self.lanes = Lanes(cluster, connections=connections)
        self.background = Background()
        self._coordinated = False
        self._has_restarted = False

    @property
    def has_older_epochs(self) -> bool:
        """Whether the broker was restarted here: partitions that were made before have a newer leader epoch since."""
        return self._has_restarted

    @property
    def restartable(self) -> bool:
        """Whether the system can be restarted."""
        return self.restarts is not None

    @property
    def crafts(self) -> bool:
        """Whether the system can be restarted with files put into its data folder."""
        return self.restarts is not None and self.restarts.places_files

    def restart(self, config: Config, crafted: Sequence[Layout] = ()) -> list[Placed]:
        """Go on with the same topics after a restart with other settings, which lays crafted layouts on the broker by the way.

        What is placed already may not be asked about any more.

        Raises:
            PlacementFailed: the system can't be restarted, or takes no files, or has made something else of them.
        """
        if self.restarts is None or (crafted and not self.restarts.places_files):
            raise PlacementFailed("this layout has holes or old formats: it takes a broker that Fencepost starts and can place files for")
        coming = craft(self.stage.pool, crafted)
        self.stage.pool.make_ready(READY)
        self.lanes.close()
        self.cluster = self.restarts.restart(dict(config), coming.files)
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
        self.background.close()
        if self.restarts is not None:
            self.restarts.end()
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
        under_way = shares.play_all(self.cluster, list(zip(scenarios, placed, strict=True)), self.semantics.of(ShareSemantics))
        return self._finished(scenarios, placed, enumerate(under_way))

    def _finished(
        self, scenarios: Sequence[Scenario], placed: Sequence[Placed], observed: Iterable[tuple[int, Observation]]
    ) -> Iterator[tuple[int, Played]]:
        """Judge what was observed of scenarios by their numbers, and take their layouts off in the end."""
        with self.lying(placed):
            for number, observation in observed:
                yield number, self._judged(replace(scenarios[number], config=self.config), observation)

    def _observed(self, plays: Sequence[tuple[Scenario, Placed]]) -> Iterator[tuple[int, Observation]]:
        """Play side by side what can be; those that restart the broker come last."""
        questions = {number: fetch for number, (scenario, _) in enumerate(plays) if (fetch := question_of(scenario)) is not None}
        shared = [number for number, (scenario, _) in enumerate(plays) if any(isinstance(s, ShareStep) for s in scenario.steps)]
        fetching = [number for number in range(len(plays)) if number not in {*questions, *shared}]
        restarting = [number for number, (scenario, _) in enumerate(plays) if any(isinstance(s, RestartBroker) for s in scenario.steps)]
        sharing = [number for number in range(len(plays)) if number not in {*questions, *fetching, *restarting}]
        asked = list(questions)
        for index, observation in self.lanes.ask([(plays[number][1], questions[number]) for number in asked]):
            yield asked[index], observation
        if fetching:
            histories = [FetchHistory(self.cluster, *plays[number]) for number in fetching]
            yield from zip(fetching, self.background.play(histories), strict=True)
        if sharing or restarting:
            self._coordinate()
        if sharing:
            found = shares.play_all(self.cluster, [plays[number] for number in sharing], self.semantics.of(ShareSemantics))
            yield from zip(sharing, found, strict=True)
        if self.restarts is None:
            yield from [(number, shares.play(self.cluster, *plays[number], self.semantics.of(ShareSemantics))) for number in restarting]
        else:
            yield from self._over_restarts(plays, restarting)

    def _over_restarts(self, plays: Sequence[tuple[Scenario, Placed]], numbers: Sequence[int]) -> Iterator[tuple[int, Observation]]:
        """Those that restart the broker once wait for one restart together; the others go one by one."""
        once = [number for number in numbers if sum(isinstance(step, RestartBroker) for step in plays[number][0].steps) == 1]
        for begin in range(0, len(once), shares.SIDE_BY_SIDE):
            some = once[begin : begin + shares.SIDE_BY_SIDE]
            found = play_over_restart(self.cluster, [plays[number] for number in some], self.semantics.of(ShareSemantics), self._restarted)
            yield from zip(some, found, strict=True)
        for number in [number for number in numbers if number not in once]:
            yield number, shares.play(self.cluster, *plays[number], self.semantics.of(ShareSemantics), self._restarted)

    def _coordinate(self) -> None:
        if not self._coordinated and self.cluster.offers("ShareFetch"):
            await_coordinators(self.cluster, self.stage.connection)
        self._coordinated = True

    def _restarted(self) -> Cluster:
        """The broker after it was restarted as it is, in the midst of a scenario."""
        self.restart(self.config)
        self._coordinate()
        return self.cluster
