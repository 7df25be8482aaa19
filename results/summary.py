"""Counts over the events of one run, without Spark: what the terminal, JUnit, JSON and the step
summary show.
"""

import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from results.clauses import Clauses
from results.clusters import Cluster, Clusters
from results.coverage import pairs_of
from results.figures import DIVERGING, FIGURES, NAMES, short_sides
from results.log import RESUMED, BrokenLine
from results.not_laid import NotLaidCount, NotLaidKind
from results.score import Score, score
from spec.canonical import identity
from spec.events import (
    Event,
    Flaky,
    Judged,
    LayoutPlaced,
    LeftOut,
    Note,
    NotLaid,
    ReadingCost,
    ReadingRuledOut,
    RunFinished,
    RunStarted,
    Shrunk,
)
from spec.fence import EVERY_SIDE
from spec.flaky import is_too_flaky
from spec.frozen import frozen, replace
from spec.judgement import EVERY_CLAUSE
from spec.known import Known, known_of
from spec.layout import Layout
from spec.reasons import kind_of_reason
from spec.recent import LAYOUTS, Recent
from spec.verdict import Outcome, Side, Strength, Verdict

RECORDED_AGAIN_SINCE = 2
"""The format of event logs since which a layout that was not used for long is recorded again, so
that not all have to be kept.
"""


CONFORMS = Outcome.CONFORMS
"""By a name of this module: on Python 3.11 each look-up in an enum costs more than a comparison."""
UNDECIDED = (Outcome.INCONCLUSIVE, Outcome.UNSUPPORTED)
"""The outcomes of a verdict that could not be given."""


@frozen
class ClauseCount:
    """One clause over all scenarios of a run. All counts are of scenarios.

    Attributes:
        clause: its id.
        strength: how much it binds; None for a clause that this catalogue does not have.
        exercised: its condition arose and it could be judged.
        below, at, above: exercised scenarios that stood on this side of its fence; one may stand on
            several.
        conforms: it held.
        deviates, violates: it did not hold, and no finding lists that.
        known: it did not hold, and a finding lists that.
        inconclusive, unsupported: it could not be judged.
        sides: the sides of its fence that can be met; none where it has no fence.
    """

    clause: str
    strength: Strength | None
    exercised: int = 0
    below: int = 0
    at: int = 0
    above: int = 0
    conforms: int = 0
    deviates: int = 0
    violates: int = 0
    known: int = 0
    inconclusive: int = 0
    unsupported: int = 0
    sides: Side = EVERY_SIDE

    @property
    def figures(self) -> Mapping[str, int]:
        """Its counts by the names of `results.figures`."""
        return {name: getattr(self, name) for name in NAMES}

    @property
    def short(self) -> tuple[str, ...]:
        """The sides on which it could stand, and hardly did."""
        return short_sides(self.figures, self.sides)


@frozen
class Reason:
    """Why verdicts could not be given.

    Attributes:
        outcome: `inconclusive` or `unsupported`.
        why: the reason, as the verdicts have it.
        scenarios: how many scenarios have such a verdict.
        clauses: the clauses that could not be judged, sorted.
    """

    outcome: Outcome
    why: str
    scenarios: int
    clauses: tuple[str, ...]


@frozen
class Pace:
    """How a run whose scenarios wait spent its time.

    Attributes:
        per_second: scenarios judged in each second of the run.
        each_ms: how long the play of one took, on average.
        waiting: the share of that in which it waited for what a broker holds back, or for time to
            pass; from 0 to 1.
        side_by_side: how many were played at a time, on average over the whole run.
    """

    per_second: float
    each_ms: float
    waiting: float
    side_by_side: float


@dataclass(slots=True)
class Part:
    """The scenarios judged since the run began, or since it was last resumed: the footer's seconds
    are those of this part.

    Attributes:
        scenarios: how many.
        played_ms, waited_ms: how long all their plays took together, and how much of it was
            waiting, where that is measured.
    """

    scenarios: int = 0
    played_ms: float = 0.0
    waited_ms: float = 0.0

    def add(self, judged: Judged) -> None:
        """Count one more."""
        self.scenarios += 1
        self.played_ms += judged.elapsed_ms
        self.waited_ms += judged.waited_ms


@frozen
class Summary:
    """One run. `header` is None only where no event was seen.

    Attributes:
        clauses: sorted by id: every clause that applied, then those that count and did not.
        clusters: what diverges; unlisted ones first, violations before deviations, the commonest
            first.
        doubts: what could not be judged, likewise.
        reasons: why verdicts could not be given, the commonest reason first.
        readings: readings that were ruled out.
        excluded: clauses that can't be tested, with the reason.
        part: what was judged since it was last resumed, or all.
        relations: scenarios that stood for each relation of limits.
        pairs: scenarios that stood for two sides of different limits at once.
        costs: what was reported of the costs of a draft.
        flaky: breaks that were not reproduced, in the order of the log.
        known_kinds: the (clause, signature) pairs that findings list.
        not_laid: scenarios that were left out since their layouts could not be laid, by the step
            that failed.
        score: how much of its requirement set was exercised; None where the log does not say what
            counts.
        missing_apis: what a features file claims and was not there, each API once.
    """

    header: RunStarted | None
    footer: RunFinished | None
    layouts: int
    scenarios: int
    clauses: tuple[ClauseCount, ...]
    clusters: tuple[Cluster, ...]
    doubts: tuple[Cluster, ...]
    readings: tuple[ReadingRuledOut, ...]
    notes: tuple[str, ...]
    excluded: tuple[tuple[str, str], ...]
    broken_lines: tuple[BrokenLine, ...] = ()
    part: Part = field(default_factory=Part)
    relations: Mapping[str, int] = field(default_factory=dict)
    pairs: Mapping[tuple[str, str], int] = field(default_factory=dict)
    costs: tuple[ReadingCost, ...] = ()
    reasons: tuple[Reason, ...] = ()
    flaky: tuple[Flaky, ...] = ()
    known_kinds: frozenset[tuple[str, str]] = frozenset()
    score: Score | None = None
    not_laid: tuple[NotLaidKind, ...] = ()
    missing_apis: tuple[LeftOut, ...] = ()

    @property
    def too_flaky(self) -> bool:
        """Whether unlisted breaks that are not reproduced come too often for a strict run."""
        scenarios = {
            identity(one.scenario)
            for one in self.flaky
            if one.clause != EVERY_CLAUSE and one.kind not in self.known_kinds
        }
        return is_too_flaky(len(scenarios), self.scenarios)

    @property
    def too_undecided(self) -> bool:
        """Whether scenarios were inconclusive, and not when played again, too often."""
        undecided = {identity(one.scenario) for one in self.flaky if one.clause == EVERY_CLAUSE}
        return is_too_flaky(len(undecided), self.scenarios)

    @property
    def pace(self) -> Pace | None:
        """How the run spent its time since it was last resumed; None where it was cut short, or
        waiting is not measured.
        """
        if self.footer is None or not self.footer.seconds or not self.part.waited_ms:
            return None
        part, seconds = self.part, self.footer.seconds
        return Pace(
            part.scenarios / seconds,
            part.played_ms / part.scenarios,
            part.waited_ms / part.played_ms,
            part.played_ms / 1000 / seconds,
        )

    @property
    def truncated(self) -> bool:
        """The footer is missing, so the run was cut short or is still going."""
        return self.footer is None

    @property
    def exercised(self) -> int:
        """Verdicts that count: a clause's condition arose and it could be judged."""
        return sum(count.exercised for count in self.clauses)

    def total(self, outcome: str) -> int:
        """The sum of one count, `violates` or `known`, over all clauses."""
        return sum(getattr(count, outcome) for count in self.clauses)


@dataclass(slots=True)
class _Undecided:
    """Why verdicts could not be given: scenarios for each kind of reason, by the reason that came
    first, and for each of its clauses.
    """

    scenarios: Counter[tuple[Outcome, str]] = field(default_factory=Counter)
    clauses: dict[str, Counter[tuple[Outcome, str]]] = field(default_factory=dict)
    _first: dict[str, str] = field(default_factory=dict)

    def add(self, verdicts: Iterable[Verdict]) -> None:
        """Take in what is undecided in one scenario."""
        found = {
            (
                verdict.clause,
                (
                    verdict.outcome,
                    self._first.setdefault(kind_of_reason(verdict.why), verdict.why),
                ),
            )
            for verdict in verdicts
            if verdict.outcome is not CONFORMS and verdict.outcome in UNDECIDED
        }
        self.scenarios.update({reason for _, reason in found})
        for clause, reason in found:
            self.clauses.setdefault(clause, Counter())[reason] += 1

    def reasons(self) -> tuple[Reason, ...]:
        """All of them, the commonest first."""
        reasons = [
            Reason(
                outcome,
                why,
                count,
                tuple(sorted(one for one in self.clauses if (outcome, why) in self.clauses[one])),
            )
            for (outcome, why), count in self.scenarios.items()
        ]
        return tuple(sorted(reasons, key=lambda reason: (-reason.scenarios, reason.why)))


@dataclass(slots=True)
class EventCounter:
    """Counts events as they come. Feed it live from the run loop, or from a log by `summarise`.

    Attributes:
        known: reasons by clause and signature; those that the header names are added.
        clauses: what is known of the clauses, by id.
    """

    clauses: Clauses
    known: Known = field(default_factory=dict)
    _header: RunStarted | None = None
    _footer: RunFinished | None = None
    _layouts: Recent[str, Layout] = field(default_factory=lambda: Recent(2 * LAYOUTS))
    _placed: int = 0
    _scenarios: int = 0
    _part: Part = field(default_factory=Part)
    _verdicts: dict[str, Counter[tuple[Outcome, Side, bool]]] = field(
        default_factory=lambda: defaultdict(Counter)
    )
    _clusters: Clusters = field(default_factory=Clusters)
    _relations: Counter[str] = field(default_factory=Counter)
    _pairs: Counter[tuple[str, str]] = field(default_factory=Counter)
    _costs: list[ReadingCost] = field(default_factory=list)
    _undecided: _Undecided = field(default_factory=_Undecided)
    _readings: list[ReadingRuledOut] = field(default_factory=list)
    _flaky: list[Flaky] = field(default_factory=list)
    _left_out: list[LeftOut] = field(default_factory=list)
    _not_laid: NotLaidCount = field(default_factory=NotLaidCount)
    _notes: list[str] = field(default_factory=list)
    _broken: list[BrokenLine] = field(default_factory=list)

    def add(self, event: Event | BrokenLine) -> None:
        """Take in one event, or one line that is none."""
        self._footer = self._footer if isinstance(event, BrokenLine) else None
        match event:
            case Judged():
                self._add_judged(event)
            case LayoutPlaced():
                self._placed += event.id not in self._layouts
                self._layouts[event.id] = event.layout
            case Shrunk():
                self._clusters.add_shrunk(event)
            case Flaky() | ReadingRuledOut() | ReadingCost() | LeftOut():
                self._keep(event)
            case NotLaid():
                self._not_laid.add(event)
            case Note():
                self._add_note(event)
            case RunStarted():
                self._add_header(event)
            case RunFinished():
                self._footer = event
            case BrokenLine():
                self._broken.append(event)

    def summary(self) -> Summary:
        """The counts up to now."""
        clusters = self._clusters.clusters(self.known)
        counts = self._clause_counts()
        return Summary(
            header=self._header,
            footer=self._footer,
            layouts=self._placed,
            scenarios=self._scenarios,
            clauses=counts,
            clusters=tuple([cluster for cluster in clusters if cluster.outcome in DIVERGING]),
            doubts=tuple([cluster for cluster in clusters if cluster.outcome not in DIVERGING]),
            readings=tuple(self._readings),
            notes=tuple(self._notes),
            excluded=tuple(
                sorted((info.id, info.excluded) for info in self.clauses.values() if info.excluded)
            ),
            broken_lines=tuple(self._broken),
            part=replace(self._part),
            relations=dict(self._relations),
            pairs=dict(self._pairs),
            costs=tuple(self._costs),
            reasons=self._undecided.reasons(),
            flaky=tuple(self._flaky),
            known_kinds=frozenset(self.known),
            score=self._score([count.clause for count in counts if count.exercised]),
            not_laid=self._not_laid.kinds(),
            missing_apis=tuple(
                {one.claimed: one for one in self._left_out if one.claimed}.values()
            ),
        )

    def _score(self, exercised: list[str]) -> Score | None:
        if self._header is None:
            return None
        return score(
            self._header, exercised, self._undecided.clauses, self._left_out, self._scenarios
        )

    def _keep(self, event: Flaky | ReadingRuledOut | ReadingCost | LeftOut) -> None:
        match event:
            case LeftOut():
                self._left_out.append(event)
            case Flaky():
                self._flaky.append(event)
            case ReadingRuledOut():
                self._readings.append(event)
            case ReadingCost():
                self._costs.append(event)

    def _add_header(self, header: RunStarted) -> None:
        self._header = self._header or header
        if header.format < RECORDED_AGAIN_SINCE and not self._layouts:
            self._layouts = Recent(sys.maxsize)
        self.known = {**known_of(header.facts), **self.known}

    def _add_note(self, note: Note) -> None:
        self._notes.append(note.text)
        if note.text.startswith(RESUMED):
            self._part = Part()

    def _add_judged(self, judged: Judged) -> None:
        self._scenarios += 1
        self._part.add(judged)
        self._relations.update(set(judged.relations))
        self._pairs.update(pairs_of(judged.relations))
        self._clusters.add(judged, self._layouts)
        self._undecided.add(judged.verdicts)
        for verdict in judged.verdicts:
            self._add_verdict(verdict)

    def _add_verdict(self, verdict: Verdict) -> None:
        outcome = verdict.outcome
        known = outcome in DIVERGING and verdict.kind in self.known
        self._verdicts[verdict.clause][outcome, verdict.sides, known] += 1

    def _clause_counts(self) -> tuple[ClauseCount, ...]:
        counting = self._header.clauses if self._header is not None else ()
        testable = set(counting) or {
            clause for clause, info in self.clauses.items() if not info.excluded
        }
        every = sorted(
            self._verdicts.keys() | testable,
            key=lambda clause: (clause not in self._verdicts, clause),
        )
        return tuple([self._clause_count(clause) for clause in every])

    def _clause_count(self, clause: str) -> ClauseCount:
        info = self.clauses.get(clause)
        verdicts = self._verdicts.get(clause, Counter()).items()
        fenced = Side.NONE if info is not None and info.fence is None else EVERY_SIDE
        counts = {
            figure.name: sum(
                count
                for (outcome, sides, listed), count in verdicts
                if figure.counts(outcome, sides & fenced, listed=listed)
            )
            for figure in FIGURES
        }
        return ClauseCount(
            clause,
            info.strength if info else None,
            sides=info.sides if info else EVERY_SIDE,
            **counts,
        )


def summarise(
    events: Iterable[Event | BrokenLine], clauses: Clauses, known: Known | None = None
) -> Summary:
    """Count the events of one run, such as `results.log.scan` gives.

    Args:
        events: in the order of the log.
        clauses: the catalogue, for strengths and for the clauses that did not apply.
        known: reasons by clause and signature, beside those that the header names.
    """
    tally = EventCounter(clauses, known or {})
    for event in events:
        tally.add(event)
    return tally.summary()
