"""Counts over the events of one run, without Spark: what the terminal, JUnit, JSON and the step summary show."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from results.clauses import Clauses, Known, known_of
from results.log import RESUMED, BrokenLine
from spec.canonical import identity, to_json
from spec.events import Event, Judged, LayoutPlaced, Note, ReadingRuledOut, RunFinished, RunStarted, Shrunk
from spec.layout import Layout
from spec.observation import Observation
from spec.scenario import Scenario
from spec.verdict import Outcome, Side, Strength, Verdict

DIVERGING = (Outcome.VIOLATES, Outcome.DEVIATES)
"""Outcomes in which what was seen differs from what the clause says."""


@dataclass(frozen=True, slots=True)
class ClauseCount:
    """One clause over all scenarios of a run. All counts are of scenarios.

    Attributes:
        clause: its id.
        strength: how much it binds; None for a clause that this catalogue does not have.
        below, at, above: exercised scenarios that stood on this side of its fence; one may stand on several.
        conforms: it held.
        deviates, violates: it did not hold, and no finding lists that.
        known: it did not hold, and a finding lists that.
        inconclusive, unsupported: it could not be judged.
        never: the sides that its condition can't arise on.
    """

    clause: str
    strength: Strength | None
    below: int = 0
    at: int = 0
    above: int = 0
    conforms: int = 0
    deviates: int = 0
    violates: int = 0
    known: int = 0
    inconclusive: int = 0
    unsupported: int = 0
    never: Side = Side.NONE

    def short(self, least: int) -> tuple[str, ...]:
        """The sides on which it could stand, and stood in fewer than `least` scenarios."""
        counts = {Side.BELOW: self.below, Side.AT: self.at, Side.ABOVE: self.above}
        return tuple([side.names[0] for side, count in counts.items() if count < least and not side & self.never])

    @property
    def exercised(self) -> int:
        """Scenarios in which its condition arose and it could be judged."""
        return self.conforms + self.deviates + self.violates + self.known


@dataclass(frozen=True, slots=True)
class Instance:
    """One clause's word on one scenario, where that is not `conforms`."""

    clause: str
    scenario: str
    outcome: Outcome
    signature: str
    why: str
    primary: bool
    known: str | None
    elapsed_ms: float


@dataclass(frozen=True, slots=True)
class Cluster:
    """Differences with the same clause and signature.

    Attributes:
        outcome: `violates` or `deviates`.
        count: scenarios that show it.
        primary: those of them in which it explains the other breaks.
        known: the reason of the finding that lists it; None where none does.
        why: expected against found, of the example.
        example: the smallest scenario that shows it, shrunk where that was done; None where its layout was lost.
        observation: what came back for the example.
        shrunk: the example was made as small as it goes.
    """

    clause: str
    signature: str
    outcome: Outcome
    count: int
    primary: int
    known: str | None
    why: str
    example: Scenario | None = None
    observation: Observation | None = None
    shrunk: bool = False

    @property
    def example_id(self) -> str:
        """The example's scenario id; empty where there is none."""
        return identity(self.example) if self.example else ""


@dataclass(frozen=True, slots=True)
class Pace:
    """How a run whose scenarios wait spent its time.

    Attributes:
        per_second: scenarios judged in each second of the run.
        each_ms: how long the play of one took, on average.
        waiting: the share of that in which it waited for what a broker holds back, or for time to pass; from 0 to 1.
        side_by_side: how many were played at a time, on average over the whole run.
    """

    per_second: float
    each_ms: float
    waiting: float
    side_by_side: float


@dataclass(slots=True)
class Part:
    """What was judged since the run began, or since it was last resumed: the footer's seconds are those of this part.

    Attributes:
        scenarios: how many.
        played_ms, waited_ms: how long all their plays took together, and how much of it was waiting, where that is measured.
    """

    scenarios: int = 0
    played_ms: float = 0.0
    waited_ms: float = 0.0

    def add(self, judged: Judged) -> None:
        """Count one more."""
        self.scenarios += 1
        self.played_ms += judged.elapsed_ms
        self.waited_ms += judged.waited_ms


@dataclass(frozen=True, slots=True)
class Summary:
    """One run. `header` is None only where no event was seen.

    Attributes:
        clauses: sorted by id: every clause that had a word, then those of the catalogue that had none.
        clusters: unlisted ones first, violations before deviations, the commonest first.
        instances: everything that is not `conforms`, in the order of the log.
        readings: readings that were ruled out.
        excluded: clauses that can't be tested, with the reason.
        part: what was judged since it was last resumed, or all.
    """

    header: RunStarted | None
    footer: RunFinished | None
    layouts: int
    scenarios: int
    clauses: tuple[ClauseCount, ...]
    clusters: tuple[Cluster, ...]
    instances: tuple[Instance, ...]
    readings: tuple[ReadingRuledOut, ...]
    notes: tuple[str, ...]
    excluded: tuple[tuple[str, str], ...]
    broken_lines: tuple[BrokenLine, ...] = ()
    part: Part = field(default_factory=Part)

    @property
    def pace(self) -> Pace | None:
        """How the run spent its time since it was last resumed; None where it was cut short, or waiting is not measured."""
        if self.footer is None or not self.footer.seconds or not self.part.waited_ms:
            return None
        part, seconds = self.part, self.footer.seconds
        return Pace(
            part.scenarios / seconds, part.played_ms / part.scenarios, part.waited_ms / part.played_ms, part.played_ms / 1000 / seconds
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
class _Found:
    outcome: Outcome
    count: int = 0
    primary: int = 0
    why: str = ""
    size: int = 0
    found: Judged | None = None
    shrunk: Shrunk | None = None


@dataclass(slots=True)
class Tally:
    """Counts events as they come. Feed it live from the run loop, or from a log by `summarise`.

    Attributes:
        known: reasons by clause and signature; those that the header names are added.
        clauses: what is known of the clauses, by id.
    """

    clauses: Clauses
    known: Known = field(default_factory=dict)
    _header: RunStarted | None = None
    _footer: RunFinished | None = None
    _layouts: dict[str, Layout] = field(default_factory=dict)
    _scenarios: int = 0
    _part: Part = field(default_factory=Part)
    _outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)
    _sides: Counter[tuple[str, Side]] = field(default_factory=Counter)
    _found: dict[tuple[str, str], _Found] = field(default_factory=dict)
    _instances: list[Instance] = field(default_factory=list)
    _readings: list[ReadingRuledOut] = field(default_factory=list)
    _notes: list[str] = field(default_factory=list)
    _broken: list[BrokenLine] = field(default_factory=list)

    def add(self, event: Event | BrokenLine) -> None:
        """Take in one event, or one line that is none."""
        match event:
            case Judged():
                self._footer = None
                self._scenarios += 1
                self._part.add(event)
                for verdict in event.verdicts:
                    self._add_verdict(event, verdict)
            case LayoutPlaced():
                self._layouts[event.id] = event.layout
            case Shrunk():
                self._add_shrunk(event)
            case ReadingRuledOut():
                self._readings.append(event)
            case Note():
                self._add_note(event)
            case RunStarted():
                self._header = self._header or event
                self.known = {**known_of(event.facts), **self.known}
            case RunFinished():
                self._footer = event
            case BrokenLine():
                self._broken.append(event)

    def summary(self) -> Summary:
        """What was counted up to now."""
        return Summary(
            header=self._header,
            footer=self._footer,
            layouts=len(self._layouts),
            scenarios=self._scenarios,
            clauses=self._clause_counts(),
            clusters=tuple(sorted(map(self._cluster, self._found), key=_rank)),
            instances=tuple(self._instances),
            readings=tuple(self._readings),
            notes=tuple(self._notes),
            excluded=tuple(sorted((info.id, info.excluded) for info in self.clauses.values() if info.excluded)),
            broken_lines=tuple(self._broken),
            part=replace(self._part),
        )

    def _add_note(self, note: Note) -> None:
        self._notes.append(note.text)
        if note.text.startswith(RESUMED):
            self._part = Part()

    def _add_verdict(self, judged: Judged, verdict: Verdict) -> None:
        outcome = verdict.outcome
        known = self.known.get((verdict.clause, verdict.signature)) if outcome in DIVERGING else None
        self._outcomes[verdict.clause, "known" if known is not None else outcome.value] += 1
        if outcome is Outcome.CONFORMS or outcome in DIVERGING:
            self._sides[verdict.clause, verdict.sides] += 1
        if outcome not in (Outcome.CONFORMS, Outcome.UNEXERCISED):
            self._instances.append(
                Instance(
                    verdict.clause,
                    judged.scenario,
                    outcome,
                    verdict.signature,
                    verdict.why,
                    verdict.primary,
                    known,
                    judged.elapsed_ms,
                )
            )
        if outcome in DIVERGING:
            found = self._found.setdefault((verdict.clause, verdict.signature), _Found(outcome))
            found.count += 1
            found.primary += verdict.primary
            size = len(to_json(self._layouts.get(judged.layout))) + len(to_json(judged.steps))
            if found.found is None or size < found.size:
                found.found, found.size, found.why = judged, size, verdict.why

    def _add_shrunk(self, shrunk: Shrunk) -> None:
        found = self._found.setdefault((shrunk.clause, shrunk.signature), _Found(shrunk.verdict.outcome))
        if found.shrunk is None or len(to_json(shrunk.scenario)) < len(to_json(found.shrunk.scenario)):
            found.shrunk = shrunk

    def _cluster(self, key: tuple[str, str]) -> Cluster:
        found = self._found[key]
        bare = Cluster(*key, found.outcome, found.count, found.primary, self.known.get(key), found.why)
        if found.shrunk:
            smallest = found.shrunk
            why = smallest.verdict.why or found.why
            return replace(bare, why=why, example=smallest.scenario, observation=smallest.observation, shrunk=True)
        if found.found and found.found.layout in self._layouts:
            example = Scenario(self._layouts[found.found.layout], found.found.steps, found.found.config)
            return replace(bare, example=example, observation=found.found.observation)
        return bare

    def _clause_counts(self) -> tuple[ClauseCount, ...]:
        seen = {clause for clause, _ in self._outcomes}
        testable = {clause for clause, info in self.clauses.items() if not info.excluded}
        return tuple([self._clause_count(clause) for clause in sorted(seen | testable, key=lambda c: (c not in seen, c))])

    def _clause_count(self, clause: str) -> ClauseCount:
        info = self.clauses.get(clause)

        def on(side: Side) -> int:
            return sum(count for (of, sides), count in self._sides.items() if of == clause and sides & side)

        def said(outcome: str) -> int:
            return self._outcomes[clause, outcome]

        return ClauseCount(
            clause=clause,
            strength=info.strength if info else None,
            below=on(Side.BELOW),
            at=on(Side.AT),
            above=on(Side.ABOVE),
            conforms=said("conforms"),
            deviates=said("deviates"),
            violates=said("violates"),
            known=said("known"),
            inconclusive=said("inconclusive"),
            unsupported=said("unsupported"),
            never=info.never.sides if info else Side.NONE,
        )


def summarise(events: Iterable[Event | BrokenLine], clauses: Clauses, known: Known | None = None) -> Summary:
    """Count the events of one run, such as `results.log.scan` gives.

    Args:
        events: in the order of the log.
        clauses: the catalogue, for strengths and for the clauses that had no word.
        known: reasons by clause and signature, beside those that the header names.
    """
    tally = Tally(clauses, known or {})
    for event in events:
        tally.add(event)
    return tally.summary()


def _rank(cluster: Cluster) -> tuple[bool, bool, int, str, str]:
    return (
        cluster.known is not None,
        cluster.outcome is not Outcome.VIOLATES,
        -cluster.count,
        cluster.clause,
        cluster.signature,
    )
