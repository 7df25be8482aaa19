"""The common part of the subjects' loops: each play is judged, counted and reported, and each new
kind of break is shrunk.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, ClassVar

from conformance.claims.features import LOG_STARTS, TRANSACTIONS
from conformance.engine import plan as plans
from conformance.engine.corpus import FAMILY
from conformance.engine.doubts import Doubts
from conformance.engine.left_out import LeftOutClauses, would_exercise
from conformance.engine.missing_permission import lacking_permission
from conformance.engine.play_result import (
    DISTURBED,
    UNANSWERED_ONCE,
    Played,
    broken,
    cut_short_reason,
    impossible,
)
from conformance.engine.readiness import Readiness
from conformance.engine.small_cases import SHRUNK, SmallCases
from conformance.placement.problem import LayingStep, PlacementFailed, Unlaid
from conformance.wire.outcomes import NoAnswer, NotConnected
from spec.canonical import identity, scenario_identity, to_json
from spec.catalogue import examples
from spec.events import (
    Cursor,
    Event,
    Judged,
    LayoutPlaced,
    Note,
    NotLaid,
    ReadingRuledOut,
)
from spec.recent import LAYOUTS, Recent
from spec.requirements import requirement_set

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from conformance.engine.asking import Ask, Origin
    from conformance.engine.player import Player
    from conformance.engine.resume_point import BreakKind
    from conformance.engine.shrinking import Shrinker
    from spec.layout import Layout
    from spec.scenario import Scenario

LAYOUTS_AT_HAND = 128
"""Layouts whose canonical form is kept, since what is asked about one of them comes in a row."""
APIS_OF_STEP = {LayingStep.TRANSACTION: TRANSACTIONS, LayingStep.LOG_START: LOG_STARTS}
"""The APIs that a step of laying needs, where not every broker has them."""


class Lost(Exception):  # noqa: N818 - it describes what happened
    """The broker, or the way to it, was lost: the run ends there."""


class Loop(ABC):
    """One run on one player; iterate over `events`.

    A subject's loop gives its parts in `_parts`, and plays by `_play_and_judge`, or in its own way
    with `_judge_or_leave_out`.

    After each part a `Cursor` says where the run stands. A run that is resumed leaves out the parts
    that are done, and of the part that was cut off what was judged.

    Args:
        player: the broker.
        plan: what to do.
        known: (clause, signature) of the findings, which are not shrunk.

    Attributes:
        layouts: how many were placed.
        scenarios, from_corpus: how many were judged, of those that are drawn and of those of the
            corpus.
        not_laid: how many were left out since their layouts could not be laid, without those of the
            corpus.
        asked: how many were asked for, without those of the corpus.
        counters: what the plan of the run depends on; each cursor holds what has changed of it.
        doubts: settles what counts of a play whose breaks may be the clock's or the network's.
        small_cases: makes one small case of each kind of break.
    """

    subject: ClassVar[str]

    def __init__(self, player: Player, plan: plans.Plan, known: frozenset[BreakKind]) -> None:
        self.player = player
        self.plan = plan
        self.known = known
        before = plan.before
        self.layouts = len(before.layouts)
        self.scenarios = before.scenarios
        self.not_laid = before.not_laid
        self.asked = self.scenarios + self.not_laid
        self.from_corpus = before.from_corpus
        self.counters: Counter[str] = Counter(before.counters)
        self.started = time.monotonic()
        self._done = set(before.parts)
        self._reported_counters = dict(before.counters)
        self._already: dict[str, list[Judged]] = defaultdict(list)
        for judged in before.judged:
            self._already[judged.scenario].append(judged)
        self._unlaid_before = Counter(before.unlaid)
        self._ruled_out = set(before.ruled_out)
        self._placed_ids: Recent[str, None] = Recent(LAYOUTS)
        for layout in before.layouts[-LAYOUTS:]:
            self._placed_ids[layout] = None
        self._forms: Recent[Layout, tuple[str, str]] = Recent(LAYOUTS_AT_HAND)
        self.doubts = Doubts(player, plan, known, lambda: self.seconds)
        self.small_cases = SmallCases(plan, known, lambda: self.seconds, self._smallest_play)
        self._left_out = LeftOutClauses()
        self._readiness = Readiness()
        self._unlaid_why: dict[LayingStep, str] = {}

    def events(self) -> Iterator[Event]:
        """All events between the header and the footer.

        Raises:
            Lost: the broker is gone; what was judged before stands.
        """
        try:
            yield from self._part("start", lambda: iter(()), corpus=self._corpus_ids())
            yield from self._parts()
            yield from self.small_cases.report_left()
            yield from self._report_unplayable_examples()
            for omission in self.player.omissions:
                yield Note(f"{omission.times} times: {omission.reason}")
        except (PlacementFailed, NoAnswer, NotConnected) as failed:
            raise Lost(str(failed)) from failed

    @property
    def judged(self) -> int:
        """How many scenarios were judged."""
        return self.scenarios + self.from_corpus

    @property
    def failed(self) -> bool:
        """A run fails by its verdicts alone."""
        return False

    @property
    def seconds(self) -> float:
        """How long the run has taken, over all its resumptions."""
        return self.plan.before.seconds + time.monotonic() - self.started

    @abstractmethod
    def _parts(self) -> Iterator[Event]:
        """The parts of a run, one after the other."""

    def _part(
        self, name: str, part: Callable[[], Iterator[Event]], *, corpus: tuple[str, ...] = ()
    ) -> Iterator[Event]:
        """Do a part of the run, unless that was done before the run was cut off, and say where the
        run stands then.
        """
        if name in self._done:
            return
        yield from part()
        self._end_where_nothing_gets_ready()
        for omission in self.player.omissions:
            yield from self._left_out.clauses(omission.reason, omission.clauses)
        if left := sum(map(len, self._already.values())):
            yield Note(
                f"resumed: {left} scenarios that were judged before the run was cut off are not "
                "asked in the same part any more"
            )
        self._already.clear()
        self._unlaid_before.clear()
        self._done.add(name)
        changed = [
            (key, value)
            for key, value in sorted(self.counters.items())
            if self._reported_counters.get(key) != value
        ]
        self._reported_counters.update(changed)
        yield Cursor(
            name,
            self.scenarios,
            self.from_corpus,
            round(self.seconds, 3),
            tuple(changed),
            corpus,
            self.not_laid,
        )

    def _is_done(self, name: str) -> bool:
        """Whether a part was done before the run was cut off."""
        return name in self._done

    def _is_over(self, last: int) -> bool:
        """Whether so many scenarios have been asked for, or the time is over."""
        if self.plan.seconds is not None:
            return self.seconds >= self.plan.seconds
        return self.asked >= last

    def _worked_examples(self) -> list[Scenario]:
        """The worked examples of the subject's clauses."""
        every = (
            [example.scenario for some in examples().values() for example in some]
            if self.plan.examples
            else []
        )
        return [scenario for scenario in every if scenario.subject == self.subject]

    def _corpus_ids(self) -> tuple[str, ...]:
        """Ids of the scenarios of the corpus that this run tries, which were settled when it
        began.
        """
        before = self.plan.before.corpus
        return (
            tuple([identity(scenario) for scenario in self.plan.corpus.scenarios])
            if before is None
            else before
        )

    def _report_unplayable_examples(self) -> Iterator[Event]:
        """Name the clauses whose worked examples can't be played here."""
        if not self.plan.examples:
            return
        for clause in requirement_set(self.subject, self.player.semantics.release).clauses:
            for example in examples().get(clause, ()):
                if why := self._unplayable(example.scenario):
                    yield from self._left_out.clauses(why, [clause])

    def _unplayable(self, scenario: Scenario) -> str:
        """Why a worked example can't be played here; empty where it can."""
        return self.player.unplayable(scenario)

    def _corpus_scenarios(self) -> list[Scenario]:
        """The scenarios of the corpus that this run tries, as far as they are still kept."""
        kept = {identity(scenario): scenario for scenario in self.plan.corpus.scenarios}
        return [kept[one] for one in self._corpus_ids() if one in kept]

    def _report_corpus_notes(self) -> Iterator[Event]:
        for note in self.plan.corpus.notes:
            yield Note(note)
        if gone := len(self._corpus_ids()) - len(self._corpus_scenarios()):
            yield Note(
                f"corpus: {gone} scenarios that were to be tried when the run began are kept no "
                "more, and left out"
            )

    def _drop_judged(self, asks: Sequence[Ask]) -> list[Ask]:
        """The scenarios that were not judged before the run was cut off; the others are counted as
        they were judged then.
        """
        self.asked += sum(ask.family != FAMILY for ask in asks)
        if not self._already and not self._unlaid_before:
            return list(asks)
        left = []
        for ask in asks:
            scenario = self.player.with_settings(ask.scenario)
            _, form = self._form(scenario.layout)
            id_ = scenario_identity(form, to_json(scenario.steps), to_json(scenario.config))
            judged = self._already.get(id_)
            if self._unlaid_before[id_]:
                self._unlaid_before[id_] -= 1
                self.not_laid += ask.family != FAMILY
            elif judged:
                self._take_over(judged.pop(), ask)
            else:
                left.append(ask)
        return left

    def _play_and_judge(self, asks: Sequence[Ask]) -> Iterator[Event]:
        """Play and judge what was not judged before."""
        left = self._drop_judged(asks)
        if not left:
            return
        for index, played in self.player.play([ask.scenario for ask in left]):
            yield from self._judge_or_leave_out(played, left[index])
        self._end_where_nothing_gets_ready()

    def _judge_or_leave_out(self, played: Played | Unlaid, ask: Ask) -> Iterator[Event]:
        """Judge a play, or say that it could not be played since its layout could not be laid, or
        one of its batches not be made.
        """
        if isinstance(played, Unlaid):
            yield from self._leave_out(played, ask)
        elif why := impossible(played):
            unmade = Unlaid(played.scenario.layout, LayingStep.BATCH, why)
            yield from self._leave_out(unmade, ask)
        elif why := lacking_permission(played, self.player.semantics, self.plan.granted):
            forbidden = Unlaid(played.scenario.layout, LayingStep.PERMISSION, why)
            yield from self._leave_out(forbidden, ask)
        else:
            yield from self._judge(played, ask)

    def _leave_out(self, unlaid: Unlaid, ask: Ask) -> Iterator[Event]:
        """Count a scenario whose layout could not be laid, and name its clauses with the reason."""
        self.not_laid += ask.family != FAMILY
        scenario = self.player.with_settings(ask.scenario)
        clauses = would_exercise(scenario, self.player.semantics)
        if self.plan.clauses:
            clauses &= self.plan.clauses
        unclaimed = not self.plan.claims.has(*APIS_OF_STEP.get(unlaid.step, ()))
        named = tuple(sorted(clauses))
        yield NotLaid(scenario, ask.family, unlaid.step, unlaid.why, named, unclaimed)
        yield from self._report_lacking(unlaid, clauses)
        why = self._unlaid_why.setdefault(unlaid.step, f"not laid, {unlaid.step}: {unlaid.why}")
        yield from self._left_out.clauses(why, clauses)

    def _report_lacking(self, unlaid: Unlaid, clauses: frozenset[str]) -> Iterator[Event]:
        """Name once what is claimed and failed for several layouts, each laid alone."""
        apis = APIS_OF_STEP.get(unlaid.step, ())
        claims = self.plan.claims
        if unlaid.hopeless and claims.file and apis and claims.has(*apis):
            reason = claims.lacking(apis[0], f"but {unlaid.step} fails")
            yield from self._left_out.clauses(reason, clauses, claimed=apis[0])

    def _take_over(self, judged: Judged, ask: Ask) -> None:
        """Count what was judged before the run was cut off, and make small what it broke."""
        self._count(ask.family)
        for verdict in judged.verdicts:
            self.small_cases.note(judged.scenario, verdict, ask.origin)

    def _count(self, family: str) -> None:
        if family == FAMILY:
            self.from_corpus += 1
        else:
            self.scenarios += 1

    def _form(self, layout: Layout) -> tuple[str, str]:
        """A layout's id and its canonical form."""
        found = self._forms.get(layout)
        if found is None:
            found = self._forms[layout] = identity(layout), to_json(layout)
        return found

    def _report_layout(self, layout: Layout) -> Iterator[Event]:
        layout_id, _ = self._form(layout)
        if layout_id in self._placed_ids:
            return
        self._placed_ids[layout_id] = None
        self.layouts += 1
        yield LayoutPlaced(layout_id, layout)

    def _judge(self, played: Played, ask: Ask) -> Iterator[Event]:
        began = time.monotonic()
        if played.judgement.breaks:
            played = yield from self.doubts.settle(played)
        self._readiness.see(played, began)
        scenario = played.scenario
        yield from self._report_layout(scenario.layout)
        layout_id, form = self._form(scenario.layout)
        scenario_id = scenario_identity(form, to_json(scenario.steps), to_json(scenario.config))
        verdicts = self.plan.counted(played.judgement.verdicts)
        breaks = [v for v in verdicts if v.outcome in SHRUNK]
        self._count(ask.family)
        yield Judged(
            scenario=scenario_id,
            layout=layout_id,
            family=ask.family,
            steps=scenario.steps,
            verdicts=verdicts,
            config=scenario.config,
            relations=ask.relations,
            observation=played.observation if breaks else None,
            elapsed_ms=round(
                max((e.answered_ms for e in played.observation.exchanges), default=0.0), 3
            ),
            waited_ms=round(self._waited_ms(played), 3),
        )
        for clause, reading, fits in played.judgement.readings:
            if not fits and (clause, reading) not in self._ruled_out:
                self._ruled_out.add((clause, reading))
                yield ReadingRuledOut(
                    clause,
                    reading,
                    scenario,
                    f"what was observed does not fit the reading '{reading}'",
                    played.observation,
                )
        if why := broken(played):
            raise Lost(why)
        if why := cut_short_reason(played):
            yield from self._left_out.scenario(why, scenario, self.player.semantics, verdicts)
        for doubt in [v for v in breaks if v.signature in {UNANSWERED_ONCE, *DISTURBED}]:
            yield Note(f"scenario {scenario_id} is inconclusive: {doubt.why}")
        for verdict in breaks:
            self.small_cases.note(scenario_id, verdict, ask.origin)

    def _end_where_nothing_gets_ready(self) -> None:
        """Say that what was played side by side is over.

        Raises:
            Lost: what the broker lacks has lasted too long already.
        """
        if why := self._readiness.lasting(time.monotonic()):
            raise Lost(why)

    def _smallest_play(self, shrinker: Shrinker, origin: Origin) -> Played | None:
        """The smallest history that breaks in the same way, by as many replays as it may take."""
        known = dict.fromkeys(origin.drawn[: origin.index], False)
        drawing = origin.strategy, origin.seed, origin.count
        return shrinker.history(self.player, *drawing, known, self._shrink_calls(origin))  # type: ignore[arg-type]

    def _shrink_calls(self, _: Origin) -> int:
        """Replays that shrinking a break in a history may take."""
        return plans.SHRINK_CALLS

    def _waited_ms(self, _: Played) -> float:
        """How much of a play was waiting, where that is measured."""
        return 0.0
