"""The loop over scenarios of offsets: on the broker as it is, and after a restart, by which
partitions have had an older leader epoch.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from conformance.engine.asking import Ask, Origin
from conformance.engine.corpus import FAMILY
from conformance.engine.loop import Loop
from conformance.subjects.offsets.broker_player import OffsetBrokerPlayer
from generators.drawing import collect
from generators.offsets.histories import offset_histories
from generators.offsets.relations import offset_relations
from spec.events import Event, Note

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.engine.plan import Plan
    from conformance.subjects.offsets.dry_run import OffsetDryRun
    from spec.scenario import Scenario

BATCH = 16
"""Scenarios that are drawn and played together."""
BATCHES = "batch"
"""Counter: the next batch."""
AFTER_THE_RESTART = 4
"""One scenario in so many is played after the restart."""


class OffsetLoop(Loop):
    """One run on offsets; see `Loop`."""

    subject = "offsets"
    player: OffsetBrokerPlayer | OffsetDryRun

    def __init__(
        self,
        player: OffsetBrokerPlayer | OffsetDryRun,
        plan: Plan,
        known: frozenset[tuple[str, str]],
    ) -> None:
        super().__init__(player, plan, known)

    def _parts(self) -> Iterator[Event]:
        yield from self._part("corpus", self._corpus)
        yield from self._part("examples", self._examples)
        player = self.player
        if isinstance(player, OffsetBrokerPlayer) and self._restarts(player):
            last = self.plan.scenarios - self.plan.scenarios // AFTER_THE_RESTART
            yield from self._batches(last)
            player.restart(player.config)
            yield Note("restarted, so that partitions have had an older leader epoch")
        yield from self._batches(self.plan.scenarios)

    def _restarts(self, player: OffsetBrokerPlayer) -> bool:
        return self.plan.restart and player.restartable and self.plan.seconds is None

    def _corpus(self) -> Iterator[Event]:
        yield from self._report_corpus_notes()
        yield from self._play_and_judge(
            [Ask(one, FAMILY, offset_relations(one)) for one in self._corpus_scenarios()]
        )

    def _examples(self) -> Iterator[Event]:
        wanted = list(dict.fromkeys(self._worked_examples()))
        yield from self._play_and_judge(
            [Ask(one, "example", offset_relations(one)) for one in wanted]
        )

    def _batches(self, last: int) -> Iterator[Event]:
        while not self._is_over(last):
            number = self.counters[BATCHES]
            yield from self._part(f"batch {number}", partial(self._batch, number))

    def _batch(self, number: int) -> Iterator[Event]:
        older = self.player.has_older_epochs
        strategy = offset_histories(self.player.semantics, older_epochs=older)
        seed = self.plan.seed_of(number)
        drawn: tuple[Scenario, ...] = tuple(collect(strategy, seed, BATCH))
        yield from self._play_and_judge(
            [
                Ask(
                    scenario,
                    "history",
                    offset_relations(scenario),
                    Origin(strategy, seed, BATCH, drawn, index, None),
                )
                for index, scenario in enumerate(drawn)
            ]
        )
        self.counters[BATCHES] = number + 1
        yield from self._shrink_pending()
