"""What the loops over all subjects share: what is played is judged, counted and told, and what breaks is made small."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

from conformance.engine import plan as plans
from conformance.engine.corpus import FAMILY
from conformance.engine.played import SEEN_ONCE, Played, broken
from conformance.engine.shrinking import Shrinker
from conformance.placement.problem import PlacementFailed
from conformance.wire.outcomes import NoAnswer, NotConnected
from spec.canonical import identity, scenario_identity, to_json
from spec.catalogue import examples
from spec.events import Event, Judged, LayoutPlaced, Note, ReadingRuledOut, Shrunk
from spec.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.engine.asking import Origin
    from conformance.engine.player import Player
    from spec.layout import Layout
    from spec.scenario import Scenario


class Lost(Exception):  # noqa: N818 - it describes what happened
    """The broker, or the way to it, was lost: the run ends there."""


class Loop(ABC):
    """One run on one bench; iterate over `events`.

    Args:
        bench: the broker.
        plan: what to do.
        known: (clause, signature) of the findings, which are not shrunk.
    """

    subject: ClassVar[str]

    def __init__(self, bench: Player, plan: plans.Plan, known: frozenset[tuple[str, str]]) -> None:
        self.bench = bench
        self.plan = plan
        self.known = known
        self.layouts = 0
        self.scenarios = plan.skip_scenarios
        self.from_corpus = plan.skip_corpus
        self.started = time.monotonic()
        self._shrunk: set[tuple[str, str]] = set()
        self._ruled_out = set(plan.ruled_out)
        self._layout_ids: dict[Layout, tuple[str, str]] = {}
        self._pending: list[tuple[str, Verdict, Origin]] = []

    @classmethod
    def chunks_of(cls, layouts: int, histories: int) -> int:
        """The chunks that were done, by the layouts that were asked about and the histories that were played."""
        del histories
        return layouts // plans.CHUNK

    def events(self) -> Iterator[Event]:
        """All events between the header and the footer.

        Raises:
            Lost: the broker is gone; what was judged before stands.
        """
        try:
            yield from self._parts()
        except (PlacementFailed, NoAnswer, NotConnected) as failed:
            raise Lost(str(failed)) from failed

    @abstractmethod
    def _parts(self) -> Iterator[Event]:
        """The parts of a run, one after the other."""

    def _over(self, last: int) -> bool:
        """Whether so many scenarios have been judged, or the time is over."""
        if self.plan.seconds is not None:
            return time.monotonic() - self.started >= self.plan.seconds
        return self.scenarios >= last

    def _worked(self) -> list[Scenario]:
        """The worked examples of the subject's clauses."""
        every = [example.scenario for some in examples().values() for example in some] if self.plan.examples else []
        return [scenario for scenario in every if scenario.subject == self.subject]

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
            shrinker = Shrinker(verdict.clause, verdict.signature)
            least = self._least(shrinker, origin)
            if least is None:
                yield Note(f"{verdict.clause} '{verdict.signature}' was not seen again while shrinking {found}")
                continue
            same = [v for v in least.judgement.verdicts if (v.clause, v.signature) == (verdict.clause, verdict.signature)]
            yield Shrunk(verdict.clause, verdict.signature, found, least.scenario, same[0], least.observation, shrinker.calls)

    def _least(self, shrinker: Shrinker, origin: Origin) -> Played | None:
        """The smallest history that breaks in the same way, by as many replays as it may take."""
        known = dict.fromkeys(origin.drawn[: origin.index], False)
        drawing = origin.strategy, origin.seed, origin.count
        return shrinker.history(self.bench, *drawing, known, self._shrink_calls(origin))  # type: ignore[arg-type]

    def _shrink_calls(self, _: Origin) -> int:
        """Replays that shrinking a break in a history may take."""
        return plans.SHRINK_CALLS

    def _waited_ms(self, _: Played) -> float:
        """How much of a play was waiting, where that is measured."""
        return 0.0
