"""One broker while a run works on it: layouts go up, scenarios are played and judged, layouts come
down.
"""

from __future__ import annotations

from abc import abstractmethod
from contextlib import suppress
from itertools import chain
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from conformance.engine.live_broker import LiveBroker
from conformance.engine.play_result import LEADER_CHANGED, LOG_START_MOVED
from conformance.engine.player import LayoutPlayer
from conformance.placement.cluster_watch import ClusterWatch
from conformance.placement.crafted import craft, settle
from conformance.placement.deployment import Deployment
from conformance.placement.laying import Laying
from conformance.placement.leadership import Leadership
from conformance.placement.log_starts import log_start_change
from conformance.placement.problem import (
    LayingStep,
    LeaderAway,
    PlacementFailed,
    TookTooLong,
    Unlaid,
)
from conformance.play.background import SIDE_BY_SIDE
from conformance.play.history import not_ready
from conformance.retries import tries
from spec.frozen import replace
from spec.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from conformance.cluster import Cluster
    from conformance.engine.play_result import Played
    from conformance.engine.player import Config
    from conformance.engine.restarts import Restarts
    from conformance.placement.placed_partition import Placed
    from conformance.play.history import History
    from spec.fetch.steps import Fetch
    from spec.layout import Layout
    from spec.observation import Observation
    from spec.semantics import Semantics

READY = 96
"""Partitions that are free when the broker restarts, about as many as are taken at once afterwards.
"""
NO_FILES = (
    "this layout has holes or old formats: it takes a broker that Fencepost starts and can place "
    "files for"
)


class _Begun(NamedTuple):
    """How the broker was when some scenarios began.

    Attributes:
        since: the moment, of the monotonic clock.
        leadership: the leader epochs of their partitions.
        others: the other brokers of its cluster.
    """

    since: float
    leadership: Leadership
    others: ClusterWatch


class _Plays:
    """Scenarios with the layouts that they are played on.

    Attributes:
        pairs: each scenario whose layout was laid, with its place.
        numbers: their numbers among all scenarios.
        unlaid: the others, by their numbers.
    """

    def __init__(self, scenarios: Sequence[Scenario], laid: Sequence[Placed | Unlaid]) -> None:
        self.pairs: list[tuple[Scenario, Placed]] = []
        self.numbers: list[int] = []
        self.unlaid: list[tuple[int, Unlaid]] = []
        for number, (scenario, one) in enumerate(zip(scenarios, laid, strict=True)):
            if isinstance(one, Unlaid):
                self.unlaid.append((number, one))
            else:
                self.pairs.append((scenario, one))
                self.numbers.append(number)


class BrokerPlayer(LayoutPlayer):
    """Plays scenarios on one broker and judges them; what a subject adds is in its own folder.

    Args:
        cluster: whom to ask.
        semantics: what it is judged by.
        run: a fresh name for the topics.
        config: the settings that this player's scenarios need.
        restarts: how the system is restarted; None where it can't be.
    """

    def __init__(
        self,
        cluster: Cluster,
        semantics: Semantics,
        run: str,
        config: Config = (),
        restarts: Restarts | None = None,
    ) -> None:
        super().__init__(semantics, config)
        self.broker = LiveBroker(cluster, restarts)
        self.deployment = Deployment(cluster, run)
        self._laying = Laying(self.deployment)
        self._has_restarted = False

    @property
    def has_older_epochs(self) -> bool:
        """Whether the broker was restarted here: partitions that were made before have a newer
        leader epoch since.
        """
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

    def restart(self, config: Config, crafted: Sequence[Layout] = ()) -> list[Placed | Unlaid]:
        """Continue with the same topics after a restart with other settings, which lays crafted
        layouts on the broker too.

        What is placed already may not be asked about any more.

        Raises:
            PlacementFailed: the system can't be restarted, or takes no files.
        """
        if not self.restartable or (crafted and not self.crafts):
            raise PlacementFailed(NO_FILES)
        coming = craft(self.deployment.pool, crafted)
        self.deployment.pool.make_ready(READY)
        self.broker.restart(dict(config), coming.files, otherwise=NO_FILES)
        self._has_restarted = True
        self._judge_by_settings(config)
        self.deployment.reopen(self.cluster)
        self._note_new_start()
        return settle(self.deployment.pool, coming)

    def place(self, layouts: Sequence[Layout]) -> list[Placed]:
        """Lay layouts on the broker side by side; crafted ones take a restart, so that nothing may
        be placed before.

        Raises:
            PlacementFailed: the broker refused a step, did something else than it was asked to, or
            can't be given files.
        """
        placed = []
        for laid in self.lay(layouts):
            if isinstance(laid, Unlaid):
                raise PlacementFailed(laid.why)
            placed.append(laid)
        return placed

    def lay(self, layouts: Sequence[Layout]) -> list[Placed | Unlaid]:
        """Lay layouts on the broker side by side, but those that can't be laid; crafted ones take a
        restart, so that nothing may be placed before.

        Raises:
            LeaderAway: leaders stay away.
            NotConnected, NoAnswer: the broker is gone.
        """
        wanted = [layout for layout in layouts if layout.is_crafted]
        crafted = iter(self._lay_crafted(wanted) if wanted else ())
        plain = iter(self._lay_plain([layout for layout in layouts if not layout.is_crafted]))
        return [next(crafted if layout.is_crafted else plain) for layout in layouts]

    def _lay_crafted(self, layouts: Sequence[Layout]) -> list[Placed | Unlaid]:
        try:
            return self.restart(self.config, layouts)
        except PlacementFailed as failed:
            return [Unlaid(layout, LayingStep.FILES, str(failed)) for layout in layouts]

    def _lay_plain(self, layouts: Sequence[Layout]) -> list[Placed | Unlaid]:
        """Lay layouts on the broker; again, while leaders are away.

        Raises:
            LeaderAway: they stay away.
        """
        for _ in tries(self.cluster.timeout):
            try:
                return self._lay_awake(layouts)
            except LeaderAway as away:
                failed = away
                self.deployment.reconnect()
        raise failed

    def _lay_awake(self, layouts: Sequence[Layout]) -> list[Placed | Unlaid]:
        """Lay layouts on the broker; once more those that could not be laid while it stood still,
        which says nothing of what they need.

        Raises:
            LeaderAway: leaders are away.
        """
        since = monotonic()
        laid = self._laying.lay(layouts)
        unlaid = [one.layout for one in laid if isinstance(one, Unlaid)]
        if not unlaid or not self.broker.pulse.standstill_s(since):
            return laid
        self._laying.forget()
        try:
            again = iter(self._laying.lay(unlaid))
        except LeaderAway:
            return laid
        return [next(again) if isinstance(one, Unlaid) else one for one in laid]

    def release(self, placed: Sequence[Placed]) -> None:
        """Take layouts off the broker."""
        self._laying.release(placed)

    def reopen(self) -> None:
        """Continue over new connections after a layout could not be laid out."""
        self.deployment.reopen(self.cluster)

    def close(self) -> None:
        """Delete the topics that were made, unless the broker is thrown away as one that Fencepost
        can restart is, and close all connections; there is no restart any more.
        """
        thrown_away = self.restartable
        self.broker.close()
        self.deployment.close(delete=not thrown_away)

    def ask(
        self, placed: Sequence[Placed], fetches: Sequence[tuple[int, Fetch]]
    ) -> Iterator[tuple[int, Played]]:
        """Ask fetches about placed layouts, each named by the layout's number; they come back with
        their own.
        """
        plays = [
            (Scenario(placed[number].layout, (fetch,), self.config), placed[number])
            for number, fetch in fetches
        ]
        began = self._note_beginning(placed)
        for number, observation in self._observe(plays):
            played = self._judge(plays[number][0], observation)
            yield number, self._with_disturbances(played, plays[number][1], began)

    def play(self, scenarios: Sequence[Scenario]) -> Iterator[tuple[int, Played | Unlaid]]:
        """Play scenarios, each on its own layout."""
        plays = _Plays(scenarios, self.lay([scenario.layout for scenario in scenarios]))
        yield from plays.unlaid
        began = self._note_beginning([placed for _, placed in plays.pairs])
        yield from self._judge_and_release(plays, began, self._observe(plays.pairs))

    def begin(self, scenarios: Sequence[Scenario]) -> Iterator[tuple[int, Played | Unlaid]]:
        """Begin to play histories at once, so that other work can be done meanwhile; take all that
        comes of them.

        None of them may restart the broker.
        """
        plays = _Plays(scenarios, self.lay([scenario.layout for scenario in scenarios]))
        began = self._note_beginning([placed for _, placed in plays.pairs])
        observed = self._together(plays.pairs, range(len(plays.pairs)))
        return chain(plays.unlaid, self._judge_and_release(plays, began, observed))

    def _judge_and_release(
        self, plays: _Plays, began: _Begun, observed: Iterable[tuple[int, Observation]]
    ) -> Iterator[tuple[int, Played]]:
        """Judge what was observed of scenarios by their place in the pairs, and take their layouts
        off in the end.
        """
        placed = [one for _, one in plays.pairs]
        with self.lying(placed):
            for place, observation in observed:
                scenario = replace(plays.pairs[place][0], config=self.config)
                played = self._judge(scenario, observation)
                led = self._with_disturbances(played, placed[place], began)
                yield plays.numbers[place], led

    def _note_beginning(self, placed: Sequence[Placed]) -> _Begun:
        """Note how the broker is, since scenarios begin on these layouts."""
        return _Begun(
            self.broker.start_watching(),
            Leadership(self.deployment.pool, placed),
            ClusterWatch(self.cluster),
        )

    def _with_disturbances(self, played: Played, placed: Placed, began: _Begun) -> Played:
        """The same; where it breaks a clause, with how long the broker stood still since then, and
        inconclusive where its partitions' leader epochs are not those any more that it is judged
        by, other brokers of its cluster came or went, or their logs begin later.

        A broker that was away for a while, and fenced, comes back under newer ones; one that takes
        its own retention deletes what was placed.
        """
        if not played.judgement.breaks and played.observation.broken is None:
            return played
        if change := began.leadership.change(self.cluster, placed) or began.others.change():
            return played.as_moved(change, LEADER_CHANGED)
        if change := log_start_change(self.cluster, placed, played.scenario):
            return played.as_moved(change, LOG_START_MOVED)
        return replace(played, standstill_s=self.broker.pulse.standstill_s(began.since))

    def _observe(
        self, plays: Sequence[tuple[Scenario, Placed]]
    ) -> Iterator[tuple[int, Observation]]:
        """Play side by side what can be; histories that restart the broker come last, over restarts
        that they share.
        """
        restarting = [
            number for number, (scenario, _) in enumerate(plays) if self._restarts(scenario)
        ]
        yield from self._together(
            plays, [number for number in range(len(plays)) if number not in restarting]
        )
        for begin in range(0, len(restarting), SIDE_BY_SIDE):
            some = restarting[begin : begin + SIDE_BY_SIDE]
            yield from self._together(
                plays, some, self._restart_midway if self.restartable else None
            )

    def _together(
        self,
        plays: Sequence[tuple[Scenario, Placed]],
        numbers: Sequence[int],
        restart: Callable[[Config | None], Cluster] | None = None,
    ) -> Iterator[tuple[int, Observation]]:
        """Begin to play some of the scenarios."""
        if not numbers:
            return iter(())
        try:
            self._get_ready()
            histories = [self._history(*plays[number]) for number in numbers]
        except TookTooLong as late:
            return iter([(number, not_ready(str(late))) for number in numbers])
        for history in histories:
            history.delay_s = self.broker.pulse.delay_s
        return zip(numbers, self.broker.background.play(histories, restart), strict=True)

    @abstractmethod
    def _history(self, scenario: Scenario, placed: Placed) -> History:
        """Make what plays a scenario."""

    def _get_ready(self) -> None:
        """Get the broker ready for histories."""

    def _note_new_start(self) -> None:
        """Take note that the broker was restarted: its connections are gone."""

    def _restarts(self, scenario: Scenario) -> bool:
        """Whether a scenario restarts the broker in its midst."""
        del scenario
        return False

    def _restart_midway(self, config: Config | None) -> Cluster:
        """Restart the broker in the midst of a scenario, by default as it is."""
        self.restart(self.config if config is None else config)
        with suppress(TookTooLong):  # the histories say so
            self._get_ready()
        return self.cluster
