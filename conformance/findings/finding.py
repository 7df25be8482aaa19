"""A finding, and how a run's verdicts are held against the findings."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from spec.verdict import Outcome, Side

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import date

    from spec.verdict import Verdict

STALE_AFTER = 20
"""Exercises of its situation, without the break, after which a finding is stale."""

ANY_SIDE = Side.BELOW | Side.AT | Side.ABOVE


@dataclass(frozen=True, slots=True)
class Situation:
    """Where a break could happen: a clause was exercised on one of these sides of its fence."""

    clause: str
    sides: Side = ANY_SIDE


@dataclass(frozen=True, slots=True)
class Finding:
    """A known violation or deviation of a named system and release.

    Attributes:
        clause: the clause's id.
        signature: the break's, as verdicts have it.
        system: who wrote the broker, `apache-kafka`.
        releases: the releases that show it, `4.3`.
        reason: why it is so, and why it is accepted; shown next to the break.
        evidence: where it was seen.
        link: a public issue or commit; empty where there is none.
        expires: the last day on which it counts as known; None: as long as it happens.
        situations: where it could happen; by default wherever the clause is exercised.
        source: the file that lists it.
    """

    clause: str
    signature: str
    system: str
    releases: tuple[str, ...]
    reason: str
    evidence: str
    link: str = ""
    expires: date | None = None
    situations: tuple[Situation, ...] = ()
    source: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """What a verdict is matched by."""
        return self.clause, self.signature


@dataclass(slots=True)
class Sightings:
    """How often each clause was exercised on each set of sides, and how often each break was seen, in one run."""

    exercised: Counter[tuple[str, Side]] = field(default_factory=Counter)
    happened: Counter[tuple[str, str]] = field(default_factory=Counter)

    def see(self, verdicts: Iterable[Verdict]) -> None:
        """Count one scenario's verdicts."""
        for verdict in verdicts:
            if verdict.outcome in {Outcome.VIOLATES, Outcome.DEVIATES}:
                self.happened[verdict.clause, verdict.signature] += 1
            if verdict.outcome in {Outcome.VIOLATES, Outcome.DEVIATES, Outcome.CONFORMS}:
                self.exercised[verdict.clause, verdict.sides] += 1

    def times(self, situation: Situation) -> int:
        """How often a situation arose."""
        return sum(count for (clause, sides), count in self.exercised.items() if clause == situation.clause and sides & situation.sides)


def known(findings: Sequence[Finding], on: date) -> Mapping[tuple[str, str], str]:
    """The reason of each finding that hasn't expired, by clause and signature."""
    return {finding.key: finding.reason for finding in findings if finding.expires is None or on <= finding.expires}


def expired(findings: Sequence[Finding], on: date) -> tuple[Finding, ...]:
    """The findings whose last day is over: a run that has one ends with exit code 1."""
    return tuple(finding for finding in findings if finding.expires is not None and finding.expires < on)


def stale(findings: Sequence[Finding], sightings: Sightings) -> tuple[Finding, ...]:
    """The findings that did not happen though their situation arose at least `STALE_AFTER` times: exit code 1."""
    return tuple(
        finding
        for finding in findings
        if not sightings.happened[finding.key]
        and sum(sightings.times(situation) for situation in finding.situations or (Situation(finding.clause),)) >= STALE_AFTER
    )
