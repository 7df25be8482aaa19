"""The loop of share groups: histories are drawn, played side by side and judged; after restarts
with low limits, more of them.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from conformance.engine import plan as plans
from conformance.engine.asking import Ask, Origin, drawn_asks
from conformance.engine.layout_loop import LayoutLoop
from conformance.play.background import SIDE_BY_SIDE
from generators.drawing import parts
from generators.share.histories import (
    FEW_LOCKS,
    SHORT_LOCKS,
    changing_histories,
    compacted_histories,
    expiring_histories,
    in_known_version,
    long_lock_histories,
    restarting_histories,
    session_histories,
    share_histories,
)
from generators.share.relations import share_relations
from spec.events import Note
from spec.frozen import frozen
from spec.scenario import Scenario
from spec.share.releases import ShareSemantics
from spec.share.steps import RestartBroker
from spec.share.waiting import waited_ms

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hypothesis.strategies import SearchStrategy

    from conformance.engine.play_result import Played
    from conformance.engine.player import Config
    from conformance.placement.problem import Unlaid
    from spec.events import Event


LOTS = "lot"
"""Counter: the next lot."""
LAST_CHUNK = 900_000
"""More chunks than any run has: what is drawn after other restarts has seeds of its own from here
on.
"""
CHANGED_CHUNK = LAST_CHUNK - 1
"""That of histories in which a group config changes."""
SESSIONS_CHUNK = LAST_CHUNK - 2
"""That of histories about what a session remembers."""
LOCKS_CHUNK = LAST_CHUNK - 3
"""That of histories about the end of a long lock."""
LONG_LOCKS_S = 60.0
"""How long they may take in all, on a slow broker too."""


@frozen
class _PlayedTogether:
    """Histories that were drawn together and are under way.

    Attributes:
        number: of the lot.
        asks: those that are played, by their numbers in `played`.
        played: what comes of them.
    """

    number: int
    asks: list[Ask]
    played: Iterator[tuple[int, Played | Unlaid]]


class ShareLoop(LayoutLoop):
    """One run on share groups; see `Loop`."""

    subject = "share"

    def _counted_examples(self) -> list[Scenario]:
        newest = self.player.semantics.of(ShareSemantics).newest_fetch
        return [in_known_version(scenario, newest) for scenario in self._worked_examples()]

    def _waited_ms(self, played: Played) -> float:
        return waited_ms(played.scenario, played.observation)

    def _shrink_calls(self, origin: Origin) -> int:
        broken = origin.drawn[origin.index]
        assert isinstance(broken, Scenario)
        restarts = broken.layout.is_crafted or any(
            isinstance(step, RestartBroker) for step in broken.steps
        )
        return plans.RESTARTING_SHRINK_CALLS if restarts else plans.SHARE_SHRINK_CALLS

    def _chunks(self, last: int, *, small: bool) -> Iterator[Event]:
        """Lot by lot; the next one is under way while the slowest history of this one is waited
        for.

        Histories over a restart come first: the more groups a broker has had, the longer it loads
        them afterwards. Those that wait for the end of a long lock are under way beside all others.
        """
        if self._restarts and not small:
            yield from self._part("over a restart", self._over_a_restart)
        if not small:
            yield from self._part("configs changed", self._play_changed_configs)
            yield from self._part("sessions", self._sessions)
        long_locks = None if small else self._long_locks()
        ahead: _PlayedTogether | None = None
        while ahead or not self._is_over(last) or (small and self.counters[LOTS] == 0):
            lot = ahead or self._lot(self.counters[LOTS], last, small=small)
            ahead = None if self._is_over(last) else self._lot(lot.number + 1, last, small=small)
            yield from self._part(f"lot {lot.number}", partial(self._finish_lot, lot))
        if long_locks is not None:
            yield from self._part("long locks", partial(self._judge_lot, long_locks))

    def _long_locks(self) -> _PlayedTogether | None:
        """Histories about the end of a lock under the broker's own configs, where there is no
        restart with `SHORT_LOCKS` for that. A run that is too short for one of each kind, or would
        wait for them longer than it may take, has none.
        """
        strategies = long_lock_histories(self.player.semantics)
        count = min(SIDE_BY_SIDE, self.plan.scenarios // plans.SCENARIOS_PER_SLOW_SHARE_HISTORY)
        is_short = count < len(strategies) or (self.plan.seconds or LONG_LOCKS_S) < LONG_LOCKS_S
        if self._restarts or self._is_done("long locks") or not strategies or is_short:
            return None
        return self._begin_lot(strategies, LOCKS_CHUNK, count)

    def _lot(self, number: int, last: int, *, small: bool) -> _PlayedTogether:
        """Histories, no more than are left to do; under short locks those in which they run out,
        which take seconds each.
        """
        semantics = self.player.semantics
        strategies = (
            expiring_histories(semantics)
            if small
            else (share_histories(semantics, self.player.config),)
        )
        left = plans.SHARE_HISTORIES if self.plan.seconds is not None else max(1, last - self.asked)
        return self._begin_lot(strategies, number, min(plans.SHARE_HISTORIES, left))

    def _begin_lot(
        self, strategies: Sequence[SearchStrategy[Scenario]], number: int, count: int
    ) -> _PlayedTogether:
        seed = self.plan.seed_of(number)
        asks = self._drop_judged(self._drawn_evenly(strategies, seed, count))
        return _PlayedTogether(
            number, asks, self.player.begin([ask.scenario for ask in asks]) if asks else iter(())
        )

    def _drawn_evenly(
        self, strategies: Sequence[SearchStrategy[Scenario]], seed: int, count: int
    ) -> list[Ask]:
        """Histories of several strategies, as many of each as of any other."""
        return [
            ask
            for strategy, some in parts(count, strategies, seed)
            for ask in self._draw(strategy, seed, some)
        ]

    def _draw(self, strategy: SearchStrategy[Scenario], seed: int, count: int) -> list[Ask]:
        return drawn_asks(strategy, seed, count, share_relations)

    def _finish_lot(self, lot: _PlayedTogether) -> Iterator[Event]:
        yield from self._judge_lot(lot)
        self.counters[LOTS] = lot.number + 1

    def _judge_lot(self, lot: _PlayedTogether) -> Iterator[Event]:
        for index, played in lot.played:
            yield from self._judge_or_leave_out(played, lot.asks[index])
        yield from self.small_cases.make()

    def _histories_after_a_restart(self) -> int:
        """How many histories are drawn after each restart with settings other than short locks."""
        return min(
            plans.SHARE_HISTORIES,
            max(
                plans.LEAST_RESTARTED_SHARE_HISTORIES,
                self.plan.scenarios // plans.SCENARIOS_PER_SLOW_SHARE_HISTORY,
            ),
        )

    def _scenarios_after_the_restart(self) -> int:
        if not self._restarts:
            return 0
        return min(
            plans.MOST_EXPIRING_SHARE_HISTORIES,
            self.plan.scenarios // plans.SCENARIOS_PER_SLOW_SHARE_HISTORY,
        )

    def _play_restarted(self) -> Iterator[Event]:
        """Worked examples that need files or a config, histories over holes and under few locks; in
        the end the locks are short.
        """
        if self.player.crafts:
            yield from self._part("crafted", self._play_crafted)
        others = sorted(
            {FEW_LOCKS, *[scenario.config for scenario in self._counted_examples()]}
            - {(), SHORT_LOCKS}
        )
        for number, config in enumerate(others, 1):
            yield from self._part(
                f"settings {number}", partial(self._under, config, LAST_CHUNK + number)
            )
        yield from self._play_configured(SHORT_LOCKS)

    def _under(self, config: Config, chunk: int) -> Iterator[Event]:
        """Worked examples and histories under other settings."""
        yield from self._play_configured(config)
        yield from self._examples()
        yield from self._play_few(
            share_histories(self.player.semantics, config), chunk, self._histories_after_a_restart()
        )

    def _play_crafted(self) -> Iterator[Event]:
        """Worked examples and histories over holes, whose logs one restart puts on the broker."""
        known = [
            scenario
            for scenario in self._counted_examples()
            if scenario.layout.is_crafted and not scenario.config
        ]
        asks = [Ask(scenario, "example") for scenario in known]
        asks += self._draw(
            compacted_histories(self.player.semantics),
            self.plan.seed_of(LAST_CHUNK),
            self._histories_after_a_restart(),
        )
        yield from self._play_and_judge(asks)
        yield from self.small_cases.make()

    def _over_a_restart(self) -> Iterator[Event]:
        """Histories over a restart in their midst, no more than one restart can serve."""
        yield from self._play_few(
            restarting_histories(self.player.semantics),
            LAST_CHUNK,
            min(SIDE_BY_SIDE, self._histories_after_a_restart()),
        )

    def _play_changed_configs(self) -> Iterator[Event]:
        """Histories in which a group config changes, as many of each change."""
        seed = self.plan.seed_of(CHANGED_CHUNK)
        count = min(SIDE_BY_SIDE, self._histories_after_a_restart())
        yield from self._play_and_judge(
            self._drawn_evenly(changing_histories(self.player.semantics), seed, count)
        )
        yield from self.small_cases.make()

    def _sessions(self) -> Iterator[Event]:
        """Histories about what a share session remembers, as many of each kind."""
        seed = self.plan.seed_of(SESSIONS_CHUNK)
        count = min(SIDE_BY_SIDE, self._histories_after_a_restart())
        yield from self._play_and_judge(
            self._drawn_evenly(session_histories(self.player.semantics), seed, count)
        )
        yield from self.small_cases.make()

    def _play_few(
        self, strategy: SearchStrategy[Scenario], chunk: int, count: int
    ) -> Iterator[Event]:
        yield from self._play_and_judge(self._draw(strategy, self.plan.seed_of(chunk), count))
        yield from self.small_cases.make()

    def _play_configured(self, config: Config) -> Iterator[Event]:
        self.player.restart(config)
        yield Note(
            f"restarted with {', '.join([f'{key}={value}' for key, value in config])}, so that "
            "these limits can be met"
        )
