"""The common part of the loops whose scenarios are drawn batch by batch, each batch a part."""

from __future__ import annotations

from abc import abstractmethod
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from conformance.engine.asking import Ask, drawn_asks
from conformance.engine.corpus import FAMILY
from conformance.engine.loop import Loop

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hypothesis.strategies import SearchStrategy

    from spec.events import Event
    from spec.scenario import Scenario

BATCHES = "batch"
"""Counter: the next batch."""


class BatchLoop(Loop):
    """A run on one subject, whose scenarios are drawn, played and judged in batches; see `Loop`.

    Attributes:
        batch: how many scenarios are drawn and played together, at most.
    """

    batch: ClassVar[int]

    @abstractmethod
    def _strategy(self, number: int) -> SearchStrategy[Scenario]:
        """What a batch is drawn from."""

    def _batch_size(self) -> int:
        """How many scenarios each batch of this run has."""
        return self.batch

    @abstractmethod
    def _relations(self, scenario: Scenario) -> tuple[str, ...]:
        """The relations of limits that a scenario is about."""

    def _parts(self) -> Iterator[Event]:
        yield from self._part("corpus", self._corpus)
        yield from self._part("examples", self._examples)
        yield from self._play_drawn()

    def _corpus(self) -> Iterator[Event]:
        yield from self._report_corpus_notes()
        yield from self._play_known(self._corpus_scenarios(), FAMILY)

    def _examples(self) -> Iterator[Event]:
        yield from self._play_known(list(dict.fromkeys(self._worked_examples())), "example")

    def _play_known(self, scenarios: Sequence[Scenario], family: str) -> Iterator[Event]:
        """Play scenarios that were not drawn now."""
        yield from self._play_and_judge(
            [Ask(scenario, family, self._relations(scenario)) for scenario in scenarios]
        )

    def _play_drawn(self) -> Iterator[Event]:
        """All batches of the run."""
        yield from self._batches(self.plan.scenarios)

    def _batches(self, last: int) -> Iterator[Event]:
        """Batch by batch, until so many scenarios were asked for."""
        while not self._is_over(last):
            number = self.counters[BATCHES]
            yield from self._part(f"batch {number}", partial(self._batch, number))

    def _batch(self, number: int) -> Iterator[Event]:
        strategy, seed = self._strategy(number), self.plan.seed_of(number)
        count = self._batch_size()
        yield from self._play_and_judge(drawn_asks(strategy, seed, count, self._relations))
        self.counters[BATCHES] = number + 1
        yield from self.small_cases.make()
