"""The loop: chunk by chunk, layouts are drawn and placed, their fence points asked, histories played, answers judged."""

from __future__ import annotations

import random
import time
from collections import Counter
from typing import TYPE_CHECKING

from conformance.placement.problem import PlacementFailed
from conformance.run import plan as plans
from conformance.run.asking import Ask, Origin
from conformance.run.corpus import FAMILY
from conformance.run.played import SEEN_ONCE, Played, broken
from conformance.run.shrinking import Shrinker
from conformance.wire.outcomes import NoAnswer, NotConnected
from generators.aiming import Aim
from generators.compaction import crafted_layouts
from generators.fences import choose, sample
from generators.histories import history_relations, session_histories, waiting_histories
from generators.layouts import collect, large_layouts, layouts
from spec.canonical import identity, scenario_identity, to_json
from spec.catalogue import examples
from spec.events import Event, Judged, LayoutPlaced, Note, ReadingRuledOut, Shrunk
from spec.layout import Layout
from spec.scenario import Fetch
from spec.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from hypothesis.strategies import SearchStrategy

    from conformance.placement.site import Placed
    from conformance.run.bench import Bench
    from generators.fences import Question
    from spec.scenario import Scenario


class Lost(Exception):  # noqa: N818 - it describes what happened
    """The broker, or the way to it, was lost: the run ends there."""


class Loop:
    """One run on one bench; iterate over `events`.

    Args:
        bench: the broker.
        plan: what to do.
        known: (clause, signature) of the findings, which are not shrunk.
    """

    subject = "fetch"

    def __init__(self, bench: Bench, plan: plans.Plan, known: frozenset[tuple[str, str]]) -> None:
        self.bench = bench
        self.plan = plan
        self.known = known
        self.layouts = 0
        self.scenarios = plan.skip_scenarios
        self.from_corpus = plan.skip_corpus
        self.started = time.monotonic()
        self._seen: Counter[str] = Counter()
        self._aim = Aim(plan.clauses) if plan.clauses else None
        self._barren = 0
        self._rng = random.Random(plan.seed)  # noqa: S311 - choosing questions, not secrets
        self._shrunk: set[tuple[str, str]] = set()
        self._ruled_out: set[tuple[str, str]] = set()
        self._layout_ids: dict[Layout, tuple[str, str]] = {}
        self._pending: list[tuple[str, Verdict, Origin]] = []

    def events(self) -> Iterator[Event]:
        """All events between the header and the footer.

        Raises:
            Lost: the broker is gone; what was judged before stands.
        """
        try:
            if not self.plan.skip_chunks:
                for note in self.plan.corpus.notes:
                    yield Note(note)
                yield from self._corpus()
                yield from self._examples()
            chunk = yield from self._chunks(self.plan.skip_chunks, self.plan.scenarios - self._for_later(), small=False)
            yield from self._given_up()
            if self._restarts:
                yield from self._restarted()
                yield from self._corpus()
                yield from self._examples()
                yield from self._chunks(chunk, self.plan.scenarios, small=True)
                yield from self._given_up()
        except (PlacementFailed, NoAnswer, NotConnected) as failed:
            raise Lost(str(failed)) from failed

    def _chunks(self, number: int, last: int, *, small: bool) -> Generator[Event, None, int]:
        """Chunk by chunk until so many scenarios have been judged, or the time is over; the number of the chunk that would come next."""
        while not self._over(last) or (small and number == 0):
            yield from self._chunk(number, small=small)
            number += 1
        return number

    @property
    def _restarts(self) -> bool:
        return self.plan.restart and self.bench.restarts is not None

    def _for_later(self) -> int:
        """How many scenarios are kept for after the restart."""
        share = self.plan.scenarios // plans.RESTARTED_SHARE
        return share + self._crafted() * plans.CRAFTED_QUESTIONS if self._restarts else 0

    def _crafted(self) -> int:
        """How many crafted layouts there are: in a short run no more than its share allows, but one."""
        if not self.bench.crafts:
            return 0
        share = self.plan.scenarios // plans.RESTARTED_SHARE // plans.CRAFTED_QUESTIONS
        return plans.CRAFTED if self.plan.seconds is not None else min(plans.CRAFTED, max(1, share))

    def _restarted(self) -> Iterator[Event]:
        """Restart with small limits; the same restart gives the broker crafted layouts.

        All answers are in before the first is judged, since a break that hangs on the clock is played again, by a restart.
        """
        seed = self.plan.seed_of(0)
        strategy = crafted_layouts()
        drawn = tuple(collect(strategy, seed, self._crafted()))
        known = [scenario for scenario in self._known() if scenario.layout.crafted] if self.bench.crafts else []
        placed = self.bench.restart(
            (("fetch.max.bytes", str(plans.SMALL_FETCH_MAX_BYTES)),), [*[scenario.layout for scenario in known], *drawn]
        )
        yield Note(f"restarted with fetch.max.bytes={plans.SMALL_FETCH_MAX_BYTES}, so that the broker's own limit can be met")
        if not drawn:
            yield Note("no layouts with holes or old formats: this system takes no files, so their clauses are not exercised")
        asks = [Ask(number, step, "example") for number, scenario in enumerate(known) for step in scenario.steps if isinstance(step, Fetch)]
        asks += self._questions(strategy, seed, drawn, "crafted", 0, placed[len(known) :], before=len(known))
        try:
            for one in placed:
                yield from self._placed(one.layout)
            answered = list(self.bench.ask(placed, [(ask.number, ask.fetch) for ask in asks]))
        finally:
            for one in placed:
                self.bench.stage.release(one)
        for index, played in answered:
            yield from self._judged(played, asks[index].family, asks[index].relations, asks[index].origin)
        yield from self._shrink_pending()

    def _over(self, last: int) -> bool:
        if self._barren >= plans.BARREN_CHUNKS:
            return True
        if self.plan.seconds is not None:
            return time.monotonic() - self.started >= self.plan.seconds
        return self.scenarios >= last

    def _given_up(self) -> Iterator[Event]:
        """Say so where a part of the run ended since nothing more was found to ask."""
        if self._barren >= plans.BARREN_CHUNKS:
            names = ", ".join(sorted(self.plan.clauses))
            yield Note(f"nothing drawn in {self._barren} chunks running could exercise {names} here: that part of the run ended early")
        self._barren = 0

    def _corpus(self) -> Iterator[Event]:
        """What once broke a clause is tried before all else; nothing that is drawn later hangs on it."""
        for scenario in self.plan.corpus.scenarios:
            if scenario.config != self.bench.config or (scenario.layout.crafted and not self.bench.crafts):
                continue
            try:
                played = self.bench.play_one(scenario)
            except (PlacementFailed, ValueError) as failed:
                yield Note(f"corpus: scenario {identity(scenario)} could not be laid out here and is left out: {failed}")
                self.bench.stage.reopen(self.bench.cluster)
                continue
            yield from self._judged(played, FAMILY, (), None)

    def _examples(self) -> Iterator[Event]:
        """The catalogue's worked examples come first: each clause is met once whatever is drawn."""
        wanted = [scenario for scenario in self._known() if scenario.config == self.bench.config and not scenario.layout.crafted]
        for _, played in self.bench.play(wanted):
            yield from self._judged(played, "example", (), None)

    def _known(self) -> list[Scenario]:
        """The worked examples of all clauses that count."""
        return [scenario for scenario in self._worked() if self._wanted(scenario)]

    def _worked(self) -> list[Scenario]:
        """The worked examples of the subject's clauses."""
        every = [example.scenario for some in examples().values() for example in some] if self.plan.examples else []
        return [scenario for scenario in every if scenario.subject == self.subject]

    def _shrink_calls(self, _: Origin) -> int:
        """Replays that shrinking a break in a history may take."""
        return plans.SHRINK_CALLS

    def _waited_ms(self, _: Played) -> float:
        """How much of a play was waiting, where that is measured."""
        return 0.0

    def _chunk(self, number: int, *, small: bool) -> Iterator[Event]:
        before = self.scenarios
        seed = self.plan.seed_of(number)
        limit = self.bench.semantics.fetch_max_bytes
        strategy = large_layouts(limit) if small and number % 2 else layouts()
        drawn = tuple(collect(strategy, seed, plans.CHUNK))
        placed = self.bench.stage.place(drawn)
        try:
            for one in placed:
                yield from self._placed(one.layout)
            asks = self._questions(strategy, seed, drawn, "question", number, placed)
            for index, played in self.bench.ask(placed, [(ask.number, ask.fetch) for ask in asks]):
                yield from self._judged(played, asks[index].family, asks[index].relations, asks[index].origin)
        finally:
            for one in placed:
                self.bench.stage.release(one)
        if self._aim is not None or number % plans.HISTORIES_EVERY == 0:
            yield from self._histories(seed)
        self._barren = 0 if self.scenarios > before else self._barren + 1
        yield from self._shrink_pending()

    def _questions(
        self,
        strategy: SearchStrategy[Layout],
        seed: int,
        drawn: tuple[Layout, ...],
        family: str,
        turn: int,
        placed: Sequence[Placed],
        *,
        before: int = 0,
    ) -> list[Ask]:
        """What is worth asking about layouts that were drawn and `placed` together; `before` others were placed before them."""
        older = [all(site.leader_epoch > 0 for site in one.sites) for one in placed]
        return [
            Ask(
                before + index,
                question.fetch,
                family,
                question.relations,
                Origin(strategy, seed, len(drawn), drawn, index, question),
            )
            for index, layout in enumerate(drawn)
            for question in self._chosen(layout, turn, older_epochs=older[index])
        ]

    def _chosen(self, layout: Layout, turn: int, *, older_epochs: bool) -> list[Question]:
        asked = sample(layout, self.bench.semantics, turn, older_epochs=older_epochs)
        count = plans.CRAFTED_QUESTIONS if layout.crafted else plans.QUESTIONS
        if self._aim is not None:
            return self._aim.choose(layout, asked, self.bench.semantics, count, self._rng)
        return choose(asked, self._seen, count, self._rng)

    def _wanted(self, scenario: Scenario) -> bool:
        return self._aim is None or bool(self._aim.meets(scenario, self.bench.semantics))

    def _histories(self, seed: int) -> Iterator[Event]:
        """All side by side, those that wait first, so that the others are played meanwhile.

        With an aim more are drawn, and those that would exercise none of its clauses are left out.
        """
        lots = 1 if self._aim is None else plans.AIMED_LOTS
        origins: list[tuple[Scenario, Origin]] = []
        for strategy, count in (
            (waiting_histories(self.bench.semantics), plans.WAITING * lots),
            (session_histories(self.bench.semantics), plans.SESSIONS * lots),
        ):
            drawn = tuple(collect(strategy, seed, count))
            wanted = [(index, scenario) for index, scenario in enumerate(drawn) if self._wanted(scenario)]
            origins += [(scenario, Origin(strategy, seed, count, drawn, index, None)) for index, scenario in wanted]
        for index, played in self.bench.play([scenario for scenario, _ in origins]):
            scenario, origin = origins[index]
            yield from self._judged(played, "history", history_relations(scenario), origin)

    def _placed(self, layout: Layout) -> Iterator[Event]:
        if layout not in self._layout_ids:
            text = to_json(layout)
            self._layout_ids[layout] = (identity(layout), text)
            self.layouts += 1
            yield LayoutPlaced(self._layout_ids[layout][0], layout)

    def _judged(self, played: Played, family: str, relations: tuple[str, ...], origin: Origin | None) -> Iterator[Event]:
        if played.judgement.breaks:
            played = self.bench.confirmed(played)
        scenario = played.scenario
        yield from self._placed(scenario.layout)
        layout_id, layout_json = self._layout_ids[scenario.layout]
        scenario_id = scenario_identity(layout_json, to_json(scenario.steps), to_json(scenario.config))
        verdicts = self._counted(played.judgement.verdicts)
        breaks = [v for v in verdicts if v.outcome in {Outcome.VIOLATES, Outcome.DEVIATES, Outcome.INCONCLUSIVE}]
        if family == FAMILY:
            self.from_corpus += 1
        else:
            self.scenarios += 1
        yield Judged(
            scenario=scenario_id,
            layout=layout_id,
            family=family,
            steps=scenario.steps,
            verdicts=verdicts,
            config=scenario.config,
            relations=relations,
            observation=played.observation if breaks else None,
            elapsed_ms=round(max((e.answered_ms for e in played.observation.exchanges), default=0.0), 3),
            waited_ms=round(self._waited_ms(played), 3),
        )
        for clause, reading, fits in played.judgement.readings:
            if not fits and (clause, reading) not in self._ruled_out:
                self._ruled_out.add((clause, reading))
                yield ReadingRuledOut(clause, reading, scenario, f"what was observed does not fit the reading '{reading}'")
        if why := broken(played):
            raise Lost(why)
        for lost in [v for v in breaks if v.signature == SEEN_ONCE]:
            yield Note(f"scenario {scenario_id} is inconclusive: {lost.why}; see whether the network or the broker loses connections")
        for verdict in breaks:
            key = verdict.clause, verdict.signature
            if key not in self.known and key not in self._shrunk and origin is not None and verdict.primary:
                self._shrunk.add(key)
                self._pending.append((scenario_id, verdict, origin))

    def _counted(self, verdicts: tuple[Verdict, ...]) -> tuple[Verdict, ...]:
        if not self.plan.clauses:
            return verdicts
        return tuple([v for v in verdicts if v.clause in self.plan.clauses or v.clause == "*"])

    def _shrink_pending(self) -> Iterator[Event]:
        """Shrink what broke in this chunk, once its layouts are off the broker."""
        pending, self._pending = self._pending, []
        for found, verdict, origin in pending:
            if not self.plan.shrink or len(self._shrunk) > plans.SHRINKS:
                continue
            shrinker = Shrinker(self.bench, verdict.clause, verdict.signature)
            known = dict.fromkeys(origin.drawn[: origin.index], False)
            if origin.question is not None:
                crafted = self.bench.crafts and any(isinstance(one, Layout) and one.crafted for one in origin.drawn)
                drawing = origin.strategy, origin.seed, origin.count
                least = shrinker.layout(*drawing, origin.question, known, crafted=crafted)  # type: ignore[arg-type]
            else:
                least = shrinker.history(origin.strategy, origin.seed, origin.count, known, self._shrink_calls(origin))  # type: ignore[arg-type]
            if least is None:
                yield Note(f"{verdict.clause} '{verdict.signature}' was not seen again while shrinking {found}")
                continue
            same = [v for v in least.judgement.verdicts if (v.clause, v.signature) == (verdict.clause, verdict.signature)]
            yield Shrunk(verdict.clause, verdict.signature, found, least.scenario, same[0], least.observation, shrinker.calls)
