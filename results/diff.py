"""Differences of one run from another: by clause and scenario, what broke newly, was fixed,
changed, and stayed.

Nothing cancels out: one break that is new and one that is gone are two things. A scenario is
compared with itself, by its id; one that only one of the runs played says nothing of a change, but
a kind of break that the other run never saw is marked. A break counts as fixed only where the
later run judged the same clause on the same scenario and it held.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from results.figures import DIVERGING
from results.log import BrokenLine
from spec.events import Event, Judged, RunFinished, RunStarted
from spec.frozen import frozen, replace
from spec.judgement import EVERY_CLAUSE
from spec.known import known_of, plain_facts
from spec.verdict import Outcome, Verdict

BROKEN = tuple(reversed(DIVERGING))
"""The outcomes that are a break, the milder one first."""


class Kind(StrEnum):
    """The fate of a break from the earlier run to the later one."""

    NEW = "new"
    """The later run shows it; the earlier one played the same scenario without it."""
    CHANGED = "changed"
    """Both show a break, with another outcome, another signature, or listed by a finding in one of
    them only.
    """
    UNDECIDED = "undecided"
    """The earlier run shows it; in the later one the clause did not apply to the scenario, or no
    conclusive one.
    """
    FIXED = "fixed"
    """The earlier run shows it; in the later one the clause held on the same scenario."""
    UNCHANGED = "unchanged"
    """Both show the same."""
    ONLY_AFTER = "only_after"
    """The later run shows it, on a scenario that the earlier one did not play."""
    ONLY_BEFORE = "only_before"
    """The earlier run shows it, on a scenario that the later one did not play."""


RULES: tuple[tuple[Kind, Mapping[str, bool]], ...] = (
    (Kind.ONLY_AFTER, {"played_before": False}),
    (Kind.ONLY_BEFORE, {"played_after": False}),
    (Kind.NEW, {"broke_before": False}),
    (Kind.UNCHANGED, {"broke_after": True, "same": True}),
    (Kind.CHANGED, {"broke_after": True}),
    (Kind.FIXED, {"settled_after": True}),
    (Kind.UNDECIDED, {}),
)
"""The fate of a clause that broke on a scenario in one of two runs: the first rule all of whose
facts hold.

The facts: each run played the scenario; the clause broke in it; it broke in the same way in both;
in the later run it held, and nothing left that in doubt.
"""


@frozen
class Break:
    """One clause's break on one scenario of one run."""

    outcome: Outcome
    signature: str
    why: str
    known: str | None

    @property
    def severity(self) -> tuple[bool, int]:
        """An unlisted break outweighs a listed one, a violation a deviation."""
        return self.known is None, BROKEN.index(self.outcome)

    def same_as(self, other: "Break") -> bool:
        """Whether it is the same break, sizes and words left out."""
        return (self.outcome, self.signature, self.known is None) == (
            other.outcome,
            other.signature,
            other.known is None,
        )


@dataclass(slots=True)
class Played:
    """The result of a run on one scenario: the clauses that broke, and those that held. Of several
    plays, the worst counts.
    """

    breaks: dict[str, Break] = field(default_factory=dict)
    held: frozenset[str] = frozenset()
    doubted: frozenset[str] = frozenset()


@dataclass(slots=True)
class RunView:
    """The part of a run that is compared.

    Attributes:
        header: None only where there is no event.
        footer: None where the log was cut short.
        scenarios: by id.
        broken_lines: how many lines of the log can't be read.
    """

    header: RunStarted | None = None
    footer: RunFinished | None = None
    scenarios: dict[str, Played] = field(default_factory=dict)
    broken_lines: int = 0

    @property
    def truncated(self) -> bool:
        """The footer is missing: the run was cut short or is still going."""
        return self.footer is None

    @property
    def kinds(self) -> frozenset[tuple[str, str]]:
        """(clause, signature) of every break in it."""
        return frozenset(
            (clause, one.signature)
            for played in self.scenarios.values()
            for clause, one in played.breaks.items()
        )


@frozen
class Change:
    """One clause on one scenario, in both runs.

    Attributes:
        before, after: the break in each run; None where that run has none.
        worse: it counts: a break that no finding lists is new, or more severe than before, or has a
            signature of its own.
    """

    clause: str
    scenario: str
    kind: Kind
    before: Break | None
    after: Break | None
    worse: bool = False


@frozen
class Diff:
    """Two runs compared.

    Attributes:
        before, after: the runs.
        changes: sorted by clause, kind and scenario; nothing is left out.
        both, only_before, only_after: how many scenarios were played in both runs, or in one of
            them alone.
    """

    before: RunView
    after: RunView
    changes: tuple[Change, ...]
    both: int
    only_before: int
    only_after: int

    @property
    def worse(self) -> tuple[Change, ...]:
        """The changes that count against the later run."""
        return tuple([change for change in self.changes if change.worse])

    @property
    def by_clause(self) -> Mapping[str, Counter[Kind]]:
        """How many changes of each kind each clause has, sorted by clause."""
        found: dict[str, Counter[Kind]] = {}
        for change in self.changes:
            found.setdefault(change.clause, Counter())[change.kind] += 1
        return found

    def count(self, kind: Kind) -> int:
        """How many changes are of this kind."""
        return sum(change.kind is kind for change in self.changes)

    @property
    def differences(self) -> tuple[tuple[str, str, str], ...]:
        """(what, before, after) of each thing about the runs themselves that is not the same."""
        return tuple(
            [
                (name, was, now)
                for (name, was), (_, now) in zip(
                    _about(self.before), _about(self.after), strict=True
                )
                if was != now
            ]
        )


def view(events: Iterable[Event | BrokenLine]) -> RunView:
    """The part of a run's events that is compared, in the order of the log."""
    found = RunView()
    known: dict[tuple[str, str], str] = {}
    for event in events:
        if not isinstance(event, RunFinished | BrokenLine):
            found.footer = None
        if isinstance(event, Judged):
            played = found.scenarios.setdefault(event.scenario, Played())
            _take(played, event.verdicts, known)
        elif isinstance(event, RunStarted):
            found.header = found.header or event
            known.update(known_of(event.facts))
        elif isinstance(event, RunFinished):
            found.footer = event
        elif isinstance(event, BrokenLine):
            found.broken_lines += 1
    return found


def compare(before: RunView, after: RunView) -> Diff:
    """The differences of one run from another."""
    kinds = before.kinds
    changes = []
    for scenario in before.scenarios.keys() | after.scenarios.keys():
        was, now = before.scenarios.get(scenario), after.scenarios.get(scenario)
        for clause in _broken(was) | _broken(now):
            change = _change(clause, scenario, was, now)
            counts = (
                change.kind is not Kind.ONLY_AFTER
                or (clause, change.after.signature if change.after else "") not in kinds
            )
            changes.append(replace(change, worse=_worse(change) and counts))
    order = list(Kind)
    both = len(before.scenarios.keys() & after.scenarios.keys())
    return Diff(
        before,
        after,
        tuple(
            sorted(
                changes,
                key=lambda change: (
                    change.clause,
                    order.index(change.kind),
                    not change.worse,
                    change.scenario,
                ),
            )
        ),
        both,
        len(before.scenarios) - both,
        len(after.scenarios) - both,
    )


def _take(
    played: Played, verdicts: Iterable[Verdict], known: Mapping[tuple[str, str], str]
) -> None:
    held, doubted = set(), set()
    for verdict in verdicts:
        if verdict.outcome in BROKEN:
            found = Break(
                verdict.outcome,
                verdict.signature,
                verdict.why,
                known.get(verdict.kind),
            )
            earlier = played.breaks.get(verdict.clause)
            if earlier is None or (found.severity, found.signature) > (
                earlier.severity,
                earlier.signature,
            ):
                played.breaks[verdict.clause] = found
        elif verdict.outcome is Outcome.CONFORMS:
            held.add(verdict.clause)
        else:
            doubted.add(verdict.clause)
    played.held |= held
    played.doubted |= doubted


def _broken(played: Played | None) -> set[str]:
    return set() if played is None else set(played.breaks)


def _change(clause: str, scenario: str, was: Played | None, now: Played | None) -> Change:
    before = None if was is None else was.breaks.get(clause)
    after = None if now is None else now.breaks.get(clause)
    facts = {
        "played_before": was is not None,
        "played_after": now is not None,
        "broke_before": before is not None,
        "broke_after": after is not None,
        "same": before is not None and after is not None and before.same_as(after),
        "settled_after": now is not None
        and clause in now.held
        and not now.doubted & {clause, EVERY_CLAUSE},
    }
    kind = next(
        kind
        for kind, wanted in RULES
        if all(facts[name] is value for name, value in wanted.items())
    )
    return Change(clause, scenario, kind, before, after)


def _worse(change: Change) -> bool:
    before, after = change.before, change.after
    if after is None or after.known is not None or change.kind is Kind.UNCHANGED:
        return False
    if before is None or after.severity > before.severity:
        return True
    return after.severity == before.severity and after.signature != before.signature


def _about(run: RunView) -> Iterator[tuple[str, str]]:
    header = run.header
    facts = plain_facts(header.facts) if header else {}
    yield "system", header.system if header else ""
    yield "implementation", facts.get("implementation", "")
    yield "kafka", facts.get("kafka.version", "")
    yield "release", header.release if header else ""
    yield "requirement set", header.requirement_set if header else ""
    yield "fencepost", header.fencepost if header else ""
    yield "seed", str(header.seed) if header else ""
    yield (
        "options",
        " ".join(f"{name}={value}" for name, value in sorted(header.options.items()))
        if header
        else "",
    )
