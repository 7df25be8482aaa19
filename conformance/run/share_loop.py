"""The loop of share groups: histories are drawn, played side by side and judged; after restarts with low limits, more of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.run import plan as plans
from conformance.run.asking import Origin
from conformance.run.loop import Loop
from generators.layouts import collect
from generators.share_histories import SHORT_LOCKS, expiring_histories, in_known_version, share_histories
from generators.share_relations import share_relations
from spec.events import Note

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hypothesis.strategies import SearchStrategy

    from conformance.run.session import Config
    from spec.events import Event
    from spec.scenario import Scenario


class ShareLoop(Loop):
    """One run on share groups; see `Loop`."""

    subject = "share"

    def _known(self) -> list[Scenario]:
        newest = self.bench.semantics.share.newest_fetch
        return [in_known_version(scenario, newest) for scenario in self._worked()]

    def _shrink_calls(self, _: Origin) -> int:
        return plans.SHARE_SHRINK_CALLS

    def _chunk(self, number: int, *, small: bool) -> Iterator[Event]:
        """Histories; under short locks those in which they run out, which take seconds each and wait side by side."""
        semantics = self.bench.semantics
        strategy = expiring_histories(semantics) if small else share_histories(semantics, self.bench.config)
        yield from self._drawn(strategy, self.plan.seed * 1_000_003 + number, plans.SHARE_HISTORIES)
        yield from self._shrink_pending()

    def _drawn(self, strategy: SearchStrategy[Scenario], seed: int, count: int) -> Iterator[Event]:
        drawn = tuple(collect(strategy, seed, count))
        for index, played in self.bench.play(drawn):
            yield from self._judged(played, "history", share_relations(drawn[index]), Origin(strategy, seed, count, drawn, index, None))

    def _for_later(self) -> int:
        return min(plans.EXPIRING, self.plan.scenarios // plans.EXPIRING_SHARE) if self._restarts else 0

    def _restarted(self) -> Iterator[Event]:
        """Worked examples that need files, and those of each config; the last restart leaves the locks short."""
        crafted = [scenario for scenario in self._known() if scenario.layout.crafted and not scenario.config]
        if self.bench.crafts:
            for _, played in self.bench.play(crafted):
                yield from self._judged(played, "example", (), None)
        others = sorted({scenario.config for scenario in self._known()} - {(), SHORT_LOCKS})
        for config in others:
            yield from self._configured(config)
            yield from self._examples()
        yield from self._configured(SHORT_LOCKS)

    def _configured(self, config: Config) -> Iterator[Event]:
        self.bench.restart(config)
        yield Note(f"restarted with {', '.join([f'{key}={value}' for key, value in config])}, so that these limits can be met")
