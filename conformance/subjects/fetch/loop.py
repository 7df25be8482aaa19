"""The loop of fetch: chunk by chunk, layouts are drawn and placed, their fence points asked,
histories played.
"""

from __future__ import annotations

import random
import time
from functools import partial
from typing import TYPE_CHECKING

from conformance.engine import plan as plans
from conformance.engine.asking import Ask, Origin, drawn_asks
from conformance.engine.layout_loop import LayoutLoop
from conformance.placement.problem import Unlaid
from generators.compaction import crafted_layouts
from generators.fetch.aiming import Aim
from generators.fetch.fences import choose, sample
from generators.fetch.histories import history_relations, session_histories, waiting_histories
from generators.fetch.limit_questions import past_broker_limit
from generators.layouts import collect, large_layouts, layout_past, layouts
from spec.events import Event, Note
from spec.fetch.releases import FetchSemantics
from spec.fetch.steps import Fetch
from spec.layout import Layout
from spec.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping, Sequence

    from hypothesis.strategies import SearchStrategy

    from conformance.engine.play_result import Played
    from conformance.engine.player import Config, LayoutPlayer
    from conformance.engine.shrinking import Shrinker
    from conformance.placement.placed_partition import Placed
    from generators.fetch.fences import Question

CHUNK, BARREN = "chunk", "barren"
"""Counters: the next chunk, and the chunks running in which nothing could be asked."""
LARGE = "past fetch.max.bytes"
"""The part of a run that meets the broker's own limit where it can't be restarted."""
CRAFTED = "crafted"
"""The part of a run on crafted layouts."""


class FetchLoop(LayoutLoop):
    """One run on fetch; see `Loop`."""

    subject = "fetch"

    def __init__(
        self, player: LayoutPlayer, plan: plans.Plan, known: frozenset[tuple[str, str]]
    ) -> None:
        super().__init__(player, plan, known)
        self._aim = Aim(plan.clauses, self.counters) if plan.clauses else None

    def _parts(self) -> Iterator[Event]:
        yield from super()._parts()
        if not self._restarts and self._has_room_for_large_layout:
            yield from self._part(LARGE, self._play_past_broker_limit)

    @property
    def _has_room_for_large_layout(self) -> bool:
        """Whether the run is long enough for the layout that its broker's limit takes."""
        limit = self.player.semantics.of(FetchSemantics).fetch_max_bytes
        long = self.plan.seconds is not None or (
            self.plan.scenarios >= plans.SCENARIOS_WITH_LARGE_LAYOUT
        )
        return long and plans.TRIED_BYTES <= limit <= plans.LARGEST_FETCH_MAX_BYTES

    def _play_past_broker_limit(self) -> Iterator[Event]:
        """Ask for more than the broker's `fetch.max.bytes` as it is, unless the way to the broker
        is slow.
        """
        decisions = self.player.semantics.of(FetchSemantics)
        limit = decisions.fetch_max_bytes
        layout = layout_past(limit)
        asks = [
            Ask(Scenario(layout, (question.fetch,)), "question", question.relations)
            for question in past_broker_limit(decisions)
        ]
        wanted = self._drop_judged([ask for ask in asks if self._is_wanted(ask.scenario)])
        if not wanted:
            return
        began = time.monotonic()
        self.player.release(
            list(_lying(self.player.lay([layout_past(plans.TRIED_BYTES)])).values())
        )
        took = time.monotonic() - began
        if took > plans.TRIED_SECONDS:
            yield Note(
                f"fetch.max.bytes={limit} is not met: laying {plans.TRIED_BYTES} bytes took "
                f"{took:.1f} s, expected at most {plans.TRIED_SECONDS:g} s"
            )
            return
        laid = self.player.lay([layout])
        left = yield from self._asks_on_laid(wanted, laid)
        placed = _lying(laid)
        with self.player.lying([*placed.values()]):
            for one in placed.values():
                yield from self._report_layout(one.layout)
            for ask, played in self._ask(left, placed):
                yield from self._judge(played, ask)

    def _chunks(self, last: int, *, small: bool) -> Iterator[Event]:
        while not self._is_over(last) or (small and self.counters[CHUNK] == 0):
            number = self.counters[CHUNK]
            yield from self._part(f"chunk {number}", partial(self._chunk, number, small=small))
        yield from self._note_given_up()

    def _is_over(self, last: int) -> bool:
        return self.counters[BARREN] >= plans.BARREN_CHUNKS or super()._is_over(last)

    def _note_given_up(self) -> Iterator[Event]:
        """Say so where a part of the run ended since nothing more was found to ask."""
        if self.counters[BARREN] >= plans.BARREN_CHUNKS:
            names = ", ".join(sorted(self.plan.clauses))
            yield Note(
                f"nothing drawn in {self.counters[BARREN]} chunks running could exercise {names} "
                "here: that part of the run ended early"
            )
        self.counters[BARREN] = 0

    def _scenarios_after_the_restart(self) -> int:
        """How many scenarios are kept for after the restart."""
        share = self.plan.scenarios // plans.SCENARIOS_PER_RESTARTED_FETCH
        return share + self._crafted_count() * plans.CRAFTED_QUESTIONS if self._restarts else 0

    def _crafted_count(self) -> int:
        """How many crafted layouts there are: in a short run no more than its share allows, but
        one.
        """
        if not self.player.crafts:
            return 0
        share = (
            self.plan.scenarios // plans.SCENARIOS_PER_RESTARTED_FETCH // plans.CRAFTED_QUESTIONS
        )
        return plans.CRAFTED if self.plan.seconds is not None else min(plans.CRAFTED, max(1, share))

    def _play_restarted(self) -> Iterator[Event]:
        """Restart with small limits; the same restart gives the broker crafted layouts, unless
        those were asked about before.
        """
        config = (("fetch.max.bytes", str(plans.SMALL_FETCH_MAX_BYTES)),)
        if self._is_done(CRAFTED):
            self.player.restart(config)
        yield from self._part(CRAFTED, partial(self._play_crafted, config))

    def _play_crafted(self, config: Config) -> Iterator[Event]:
        """All answers are in before the first is judged, since a break that depends on the clock is
        played again, by a restart.
        """
        seed = self.plan.seed_of(0)
        strategy = crafted_layouts()
        drawn = tuple(collect(strategy, seed, self._crafted_count()))
        known = (
            [scenario for scenario in self._counted_examples() if scenario.layout.is_crafted]
            if self.player.crafts
            else []
        )
        laid = self.player.restart(config, [*[scenario.layout for scenario in known], *drawn])
        yield Note(
            f"restarted with fetch.max.bytes={plans.SMALL_FETCH_MAX_BYTES}, so that the broker's "
            "own limit can be met"
        )
        if not drawn:
            yield Note(
                "no layouts with holes or old formats: this system takes no files, so their "
                "clauses are not exercised"
            )
        asks = [
            Ask(Scenario(scenario.layout, (step,)), "example", layout=number)
            for number, scenario in enumerate(known)
            for step in scenario.steps
            if isinstance(step, Fetch)
        ]
        asks += self._questions(strategy, seed, drawn, "crafted", 0, before=len(known))
        left = yield from self._asks_on_laid(self._drop_judged(asks), laid)
        placed = _lying(laid)
        with self.player.lying([*placed.values()]):
            for one in placed.values():
                yield from self._report_layout(one.layout)
            answered = list(self._ask(left, placed))
        for ask, played in answered:
            yield from self._judge(played, ask)
        yield from self.small_cases.make()

    def _counted_examples(self) -> list[Scenario]:
        """The worked examples of all clauses that count."""
        return [scenario for scenario in self._worked_examples() if self._is_wanted(scenario)]

    def _is_wanted(self, scenario: Scenario) -> bool:
        return self._aim is None or bool(self._aim.meets(scenario, self.player.semantics))

    def _chunk(self, number: int, *, small: bool) -> Iterator[Event]:
        before = self.scenarios + self.not_laid
        seed = self.plan.seed_of(number)
        limit = self.player.semantics.of(FetchSemantics).fetch_max_bytes
        strategy = large_layouts(limit) if small and number % 2 else layouts()
        drawn = tuple(collect(strategy, seed, plans.CHUNK))
        left = self._drop_judged(self._questions(strategy, seed, drawn, "question", number))
        laid = self.player.lay(drawn) if left else []
        left = yield from self._asks_on_laid(left, laid)
        placed = _lying(laid)
        with self.player.lying([*placed.values()]):
            for one in placed.values():
                yield from self._report_layout(one.layout)
            for ask, played in self._ask(left, placed):
                yield from self._judge(played, ask)
        if self._aim is not None or number % plans.HISTORIES_EVERY == 0:
            yield from self._histories(seed)
        barren = self.scenarios + self.not_laid == before
        self.counters[BARREN] = self.counters[BARREN] + 1 if barren else 0
        self.counters[CHUNK] = number + 1
        yield from self.small_cases.make()

    def _asks_on_laid(
        self, asks: Sequence[Ask], laid: Sequence[Placed | Unlaid]
    ) -> Generator[Event, None, list[Ask]]:
        """Those about layouts that were laid; the others are left out."""
        left = []
        for ask in asks:
            one = laid[ask.layout]
            if isinstance(one, Unlaid):
                yield from self._leave_out(one, ask)
            else:
                left.append(ask)
        return left

    def _ask(
        self, asks: Sequence[Ask], placed: Mapping[int, Placed]
    ) -> Iterator[tuple[Ask, Played]]:
        """Ask about placed layouts; about an older leader epoch only where there was one."""
        asks = [
            ask for ask in asks if not _older_epoch(ask) or _had_older_epochs(placed[ask.layout])
        ]
        places = {number: place for place, number in enumerate(placed)}
        fetches = [
            (places[ask.layout], fetch)
            for ask in asks
            for fetch in ask.scenario.steps
            if isinstance(fetch, Fetch)
        ]
        for index, played in self.player.ask([*placed.values()], fetches):
            yield asks[index], played

    def _questions(
        self,
        strategy: SearchStrategy[Layout],
        seed: int,
        drawn: tuple[Layout, ...],
        family: str,
        turn: int,
        *,
        before: int = 0,
    ) -> list[Ask]:
        """Questions worth asking about layouts that were drawn together; `before` others are placed
        before them.
        """
        rng = random.Random(f"{self.plan.seed} {turn}")  # noqa: S311 - choosing questions, not secrets
        return [
            Ask(
                Scenario(layout, (question.fetch,)),
                family,
                question.relations,
                Origin(strategy, seed, len(drawn), drawn, index, question),
                before + index,
            )
            for index, layout in enumerate(drawn)
            for question in self._choose_questions(layout, turn, rng)
        ]

    def _choose_questions(self, layout: Layout, turn: int, rng: random.Random) -> list[Question]:
        asked = sample(
            layout, self.player.semantics, turn, older_epochs=self.player.has_older_epochs
        )
        count = plans.CRAFTED_QUESTIONS if layout.is_crafted else plans.QUESTIONS
        if self._aim is not None:
            return self._aim.choose(layout, asked, self.player.semantics, count, rng)
        return choose(asked, self.counters, count, rng)

    def _histories(self, seed: int) -> Iterator[Event]:
        """All side by side, those that wait first, so that the others are played meanwhile.

        With an aim more are drawn, and those that would exercise none of its clauses are left out.
        """
        lots = 1 if self._aim is None else plans.AIMED_LOTS
        asks: list[Ask] = []
        for strategy, count in (
            (waiting_histories(self.player.semantics), plans.WAITING * lots),
            (session_histories(self.player.semantics), plans.SESSIONS * lots),
        ):
            drawn = drawn_asks(strategy, seed, count, history_relations)
            asks += [ask for ask in drawn if self._is_wanted(ask.scenario)]
        yield from self._play_and_judge(asks)

    def _smallest_play(self, shrinker: Shrinker, origin: Origin) -> Played | None:
        """The smallest layout, or history, that breaks in the same way."""
        if origin.question is None:
            return super()._smallest_play(shrinker, origin)
        crafted = self.player.crafts and any(
            isinstance(one, Layout) and one.is_crafted for one in origin.drawn
        )
        known = dict.fromkeys(origin.drawn[: origin.index], False)
        drawing = origin.strategy, origin.seed, origin.count
        return shrinker.layout(self.player, *drawing, origin.question, known, crafted=crafted)  # type: ignore[arg-type]


def _older_epoch(ask: Ask) -> bool:
    """Whether a partition is asked for with an older leader epoch than the current one."""
    fetches = [step for step in ask.scenario.steps if isinstance(step, Fetch)]
    epochs = [part.leader_epoch for fetch in fetches for part in fetch.partitions]
    return any(epoch is not None and epoch < 0 for epoch in epochs)


def _lying(laid: Sequence[Placed | Unlaid]) -> dict[int, Placed]:
    """The layouts that were laid, by their numbers."""
    return {number: one for number, one in enumerate(laid) if not isinstance(one, Unlaid)}


def _had_older_epochs(placed: Placed) -> bool:
    return all(placed_partition.leader_epoch > 0 for placed_partition in placed.placed_partitions)
