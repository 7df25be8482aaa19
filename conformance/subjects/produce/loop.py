"""The loop over scenarios of produce: batch by batch they are drawn, played side by side, and
judged.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from conformance.engine.asking import Ask, Origin
from conformance.engine.corpus import FAMILY
from conformance.engine.loop import Loop
from generators.drawing import collect
from generators.produce.histories import produce_histories, sequence_histories
from generators.produce.relations import produce_relations

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spec.events import Event

BATCH = 32
"""Scenarios that are drawn and played together."""
STRATEGIES = (produce_histories(), produce_histories(), sequence_histories())
"""What is drawn, batch by batch in turn."""
BATCHES = "batch"
"""Counter: the next batch."""


class ProduceLoop(Loop):
    """One run on produce; see `Loop`."""

    subject = "produce"

    def _parts(self) -> Iterator[Event]:
        yield from self._part("corpus", self._corpus)
        yield from self._part("examples", self._examples)
        while not self._is_over(self.plan.scenarios):
            number = self.counters[BATCHES]
            yield from self._part(f"batch {number}", partial(self._batch, number))

    def _corpus(self) -> Iterator[Event]:
        yield from self._report_corpus_notes()
        kept = self._corpus_scenarios()
        yield from self._play_and_judge([Ask(one, FAMILY, produce_relations(one)) for one in kept])

    def _examples(self) -> Iterator[Event]:
        worked = dict.fromkeys(self._worked_examples())
        yield from self._play_and_judge(
            [Ask(one, "example", produce_relations(one)) for one in worked]
        )

    def _batch(self, number: int) -> Iterator[Event]:
        strategy, seed = STRATEGIES[number % len(STRATEGIES)], self.plan.seed_of(number)
        drawn = tuple(collect(strategy, seed, BATCH))
        yield from self._play_and_judge(
            [
                Ask(
                    scenario,
                    "history",
                    produce_relations(scenario),
                    Origin(strategy, seed, BATCH, drawn, index, None),
                )
                for index, scenario in enumerate(drawn)
            ]
        )
        self.counters[BATCHES] = number + 1
        yield from self._shrink_pending()
