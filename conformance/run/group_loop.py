"""The loop over histories of groups: batch by batch they are drawn, played side by side under one limit, and judged."""

from __future__ import annotations

import time
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from conformance.placement.problem import PlacementFailed
from conformance.run import plan as plans
from conformance.run.corpus import FAMILY
from conformance.run.loop import Lost
from conformance.run.session import SEEN_ONCE, broken
from conformance.wire.outcomes import NoAnswer, NotConnected
from generators.drawing import collect, smallest
from generators.group_histories import classic_histories, group_relations, named_histories, restart_histories
from spec.canonical import identity
from spec.catalogue import examples
from spec.events import Event, Judged, LayoutPlaced, Note, Shrunk
from spec.groups.examples import NO_RECORDS
from spec.groups.steps import RestartWith
from spec.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hypothesis.strategies import SearchStrategy

    from conformance.run.session import Config, Played
    from spec.scenario import Scenario
    from spec.semantics import Semantics
    from spec.verdict import Verdict

BATCH = 48
"""Histories that are drawn and played together."""
SHRINK_CALLS = 25
"""Replays that shrinking one break may take: each takes as long as its history waits."""


class Plays(Protocol):
    """What plays histories: a bench, or a rehearsal of one."""

    semantics: Semantics

    def play(self, scenarios: Sequence[Scenario]) -> Iterator[tuple[int, Played]]:
        """Play histories that agree on their settings."""
        ...

    def play_one(self, scenario: Scenario) -> Played:
        """Play one history."""
        ...

    def confirmed(self, played: Played) -> Played:
        """The same, once what may have been the clock's doing was seen again."""
        ...


@dataclass(frozen=True, slots=True)
class _Origin:
    """Where a broken history was drawn: see `conformance.run.asking.Origin`."""

    strategy: SearchStrategy[Scenario]
    seed: int
    drawn: tuple[Scenario, ...]
    index: int


def strategies() -> tuple[SearchStrategy[Scenario], ...]:
    """What is drawn, in turn; those under one limit follow each other, since another one takes a restart."""
    return (
        classic_histories(2),
        named_histories(2),
        classic_histories(2),
        classic_histories(3),
        restart_histories(3, 2),
        classic_histories(2),
        named_histories(2),
        classic_histories(2, 300),
        classic_histories(1),
    )


class GroupLoop:
    """One run on one bench; iterate over `events`.

    Args:
        bench: the broker.
        plan: what to do.
        known: (clause, signature) of the findings, which are not shrunk.
    """

    def __init__(self, bench: Plays, plan: plans.Plan, known: frozenset[tuple[str, str]]) -> None:
        self.bench = bench
        self.plan = plan
        self.known = known
        self.layouts = 0
        self.scenarios = plan.skip_scenarios
        self.from_corpus = plan.skip_corpus
        self.started = time.monotonic()
        self._layout = identity(NO_RECORDS)
        self._shrunk: set[tuple[str, str]] = set()
        self._pending: list[tuple[str, Verdict, _Origin]] = []

    def events(self) -> Iterator[Event]:
        """All events between the header and the footer.

        Raises:
            Lost: the broker is gone; what was judged before stands.
        """
        try:
            self.layouts += 1
            yield LayoutPlaced(self._layout, NO_RECORDS)
            if not self.plan.skip_scenarios:
                for note in self.plan.corpus.notes:
                    yield Note(note)
                yield from self._grouped(self.plan.corpus.scenarios, FAMILY)
                if self.plan.examples:
                    yield from self._examples()
            batch = self.scenarios // BATCH
            while not self._over():
                yield from self._batch(batch)
                batch += 1
        except (PlacementFailed, NoAnswer, NotConnected) as failed:
            raise Lost(str(failed)) from failed

    def _examples(self) -> Iterator[Event]:
        """The catalogue's worked examples: each clause is met once whatever is drawn."""
        every = [e.scenario for some in examples().values() for e in some]
        yield from self._grouped(list(dict.fromkeys([scenario for scenario in every if scenario.subject == "groups"])), "example")

    def _over(self) -> bool:
        if self.plan.seconds is not None:
            return time.monotonic() - self.started >= self.plan.seconds
        return self.scenarios >= self.plan.scenarios

    def _grouped(self, scenarios: Sequence[Scenario], family: str) -> Iterator[Event]:
        """Play those together that agree on their settings, in an order that takes few restarts."""
        alike: dict[tuple[Config, tuple[Config, ...]], list[Scenario]] = defaultdict(list)
        for scenario in scenarios:
            after = [step.config for step in scenario.steps if isinstance(step, RestartWith)]
            alike[scenario.config, tuple(after)].append(scenario)
        fewest_restarts = sorted(sorted(alike, key=lambda settings: len(settings[1])), key=lambda settings: settings[0], reverse=True)
        for settings in fewest_restarts:
            for _, played in self.bench.play(alike[settings]):
                yield from self._judged(played, family, None)

    def _batch(self, number: int) -> Iterator[Event]:
        every = strategies()
        strategy, seed = every[number % len(every)], self.plan.seed * 1_000_003 + number
        drawn = tuple(collect(strategy, seed, BATCH))
        for index, played in self.bench.play(drawn):
            yield from self._judged(played, "history", _Origin(strategy, seed, drawn, index))
        yield from self._shrink_pending()

    def _judged(self, played: Played, family: str, origin: _Origin | None) -> Iterator[Event]:
        if played.judgement.breaks:
            played = self.bench.confirmed(played)
        scenario = played.scenario
        verdicts = tuple(
            [v for v in played.judgement.verdicts if not self.plan.clauses or v.clause in self.plan.clauses or v.clause == "*"]
        )
        breaks = [v for v in verdicts if v.outcome in {Outcome.VIOLATES, Outcome.DEVIATES, Outcome.INCONCLUSIVE}]
        if family == FAMILY:
            self.from_corpus += 1
        else:
            self.scenarios += 1
        found = identity(scenario)
        yield Judged(
            scenario=found,
            layout=self._layout,
            family=family,
            steps=scenario.steps,
            verdicts=verdicts,
            config=scenario.config,
            relations=group_relations(scenario),
            observation=played.observation if breaks else None,
            elapsed_ms=round(max((e.answered_ms for e in played.observation.exchanges), default=0.0), 3),
        )
        if why := broken(played):
            raise Lost(why)
        for lost in [v for v in breaks if v.signature == SEEN_ONCE]:
            yield Note(f"scenario {found} is inconclusive: {lost.why}; see whether the network or the broker loses connections")
        for verdict in breaks:
            key = verdict.clause, verdict.signature
            if verdict.primary and origin is not None and key not in self.known and key not in self._shrunk:
                self._shrunk.add(key)
                self._pending.append((found, verdict, origin))

    def _shrink_pending(self) -> Iterator[Event]:
        pending, self._pending = self._pending, []
        for found, verdict, origin in pending:
            if not self.plan.shrink or len(self._shrunk) > plans.SHRINKS:
                continue
            best: dict[Scenario, Played] = {}

            def diverges(scenario: Scenario, best: dict[Scenario, Played] = best, verdict: Verdict = verdict) -> bool:
                played = self.bench.play_one(scenario)
                if played.broke(verdict.clause, verdict.signature):
                    best[scenario] = played
                return scenario in best

            known = dict.fromkeys(origin.drawn[: origin.index], False)
            calls = SHRINK_CALLS if not any(isinstance(s, RestartWith) for s in origin.drawn[origin.index].steps) else SHRINK_CALLS // 8
            least = best.get(smallest(origin.strategy, origin.seed, len(origin.drawn), diverges, calls, known=known) or origin.drawn[0])
            if least is None:
                yield Note(f"{verdict.clause} '{verdict.signature}' was not seen again while shrinking {found}")
                continue
            same = [v for v in least.judgement.verdicts if (v.clause, v.signature) == (verdict.clause, verdict.signature)]
            yield Shrunk(verdict.clause, verdict.signature, found, least.scenario, same[0], least.observation, len(best))
