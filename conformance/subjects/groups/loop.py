"""The loop over histories of groups: batch by batch they are drawn, played side by side under one
limit, and judged.
"""

from __future__ import annotations

from collections import defaultdict
from functools import partial
from typing import TYPE_CHECKING

from conformance.engine.asking import Ask, Origin
from conformance.engine.corpus import FAMILY
from conformance.engine.loop import Loop
from generators.drawing import collect
from generators.groups.histories import (
    classic_histories,
    group_relations,
    mixed_histories,
    named_histories,
    restart_histories,
    streams_histories,
    upgraded_histories,
)
from spec.groups.examples import NO_RECORDS
from spec.groups.releases import GroupSemantics
from spec.groups.steps import RestartWith, StreamsGroupHeartbeat
from spec.groups.waiting import waited_ms
from spec.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hypothesis.strategies import SearchStrategy

    from conformance.engine.play_result import Played
    from conformance.engine.player import Config
    from spec.events import Event

BATCH = 48
"""Histories that are drawn and played together."""
BATCHES = "batch"
"""Counter: the next batch."""
SHRINK_CALLS = 25
"""Replays that shrinking one break may take: each takes as long as its history waits."""


def strategies(semantics: GroupSemantics) -> tuple[SearchStrategy[Scenario], ...]:
    """The drawn histories of a release, in turn; those under one limit follow each other, since
    another one takes a restart.
    """
    return (
        classic_histories(2),
        named_histories(2),
        *([streams_histories(2)] if semantics.streams else []),
        classic_histories(2),
        classic_histories(3),
        restart_histories(3, 2),
        classic_histories(2),
        named_histories(2),
        classic_histories(2, 300),
        classic_histories(1),
        mixed_histories(),
        upgraded_histories(),
    )


class GroupLoop(Loop):
    """One run on group sizes; see `Loop`."""

    subject = "groups"

    def _parts(self) -> Iterator[Event]:
        yield from self._report_layout(NO_RECORDS)
        yield from self._part("corpus", self._corpus)
        yield from self._part(
            "examples",
            lambda: self._grouped(list(dict.fromkeys(self._worked_examples())), "example"),
        )
        while not self._is_over(self.plan.scenarios):
            batch = self.counters[BATCHES]
            yield from self._part(f"batch {batch}", partial(self._batch, batch))

    def _corpus(self) -> Iterator[Event]:
        yield from self._report_corpus_notes()
        yield from self._grouped(self._corpus_scenarios(), FAMILY)

    def _grouped(self, scenarios: Sequence[Scenario], family: str) -> Iterator[Event]:
        """Play those together that agree on their settings, in an order that takes few restarts."""
        alike: dict[tuple[Config, tuple[Config, ...]], list[Ask]] = defaultdict(list)
        for scenario in scenarios:
            after = [step.config for step in scenario.steps if isinstance(step, RestartWith)]
            alike[scenario.config, tuple(after)].append(
                Ask(scenario, family, group_relations(scenario))
            )
        fewest_restarts = sorted(
            sorted(alike, key=lambda settings: len(settings[1])),
            key=lambda settings: settings[0],
            reverse=True,
        )
        for settings in fewest_restarts:
            yield from self._play_and_judge(alike[settings])

    def _worked_examples(self) -> list[Scenario]:
        """The worked examples of what the release has."""
        streams = self.player.semantics.of(GroupSemantics).streams
        return [
            one
            for one in super()._worked_examples()
            if streams or not any(isinstance(step, StreamsGroupHeartbeat) for step in one.steps)
        ]

    def _batch(self, number: int) -> Iterator[Event]:
        every = strategies(self.player.semantics.of(GroupSemantics))
        strategy, seed = every[number % len(every)], self.plan.seed_of(number)
        drawn = tuple(collect(strategy, seed, BATCH))
        origins = [Origin(strategy, seed, BATCH, drawn, index, None) for index in range(len(drawn))]
        yield from self._play_and_judge(
            [
                Ask(scenario, "history", group_relations(scenario), origin)
                for scenario, origin in zip(drawn, origins, strict=True)
            ]
        )
        self.counters[BATCHES] = number + 1
        yield from self._shrink_pending()

    def _waited_ms(self, played: Played) -> float:
        return waited_ms(played.scenario, played.observation)

    def _shrink_calls(self, origin: Origin) -> int:
        broken = origin.drawn[origin.index]
        assert isinstance(broken, Scenario)
        return (
            SHRINK_CALLS // 8
            if any(isinstance(step, RestartWith) for step in broken.steps)
            else SHRINK_CALLS
        )
