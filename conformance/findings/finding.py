"""A finding, and how a run's verdicts are held against the findings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spec.frozen import frozen
from spec.verdict import Side

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping
    from datetime import date

STALE_AFTER = 20
"""A finding is stale after so many exercises of its situations without its break."""
STALE_UNSIDED = 200
"""A finding is stale after so many exercises of its clause without its break, where the sides of
the fence are not known.
"""

TO_BE_WRITTEN = "TO BE WRITTEN: why it is so, and why it is accepted"
"""The reason of a finding that a run added to a file."""

ANY_SIDE = Side.BELOW | Side.AT | Side.ABOVE


@frozen
class Situation:
    """Where a break could happen: the clause was exercised on one of these sides of its fence; with
    `Side.NONE` it was exercised at all, as a clause without a fence needs it.
    """

    clause: str
    sides: Side = ANY_SIDE


@frozen
class Finding:
    """A known violation or deviation of a named system and release.

    Attributes:
        clause: the clause's id.
        signature: of the break, as in its verdict.
        releases: the releases that show it, `4.3`, or versions of them, `4.2.0`; empty for any.
        reason: why it is so, and why it is accepted; shown next to the break.
        evidence: where it was seen.
        link: a public issue or commit; empty where there is none.
        expires: the day from which it fails a run again; None: as long as it happens.
        situations: where it could happen; empty: wherever the clause is exercised.
        rare: it happens now and then in its situation, so that a run without it says nothing: it
            is never stale.
        system: who wrote the broker, `apache-kafka`; empty for any.
        file: the name of the file that lists it.
    """

    clause: str
    signature: str
    releases: tuple[str, ...]
    reason: str
    evidence: str
    link: str = ""
    expires: date | None = None
    situations: tuple[Situation, ...] = ()
    rare: bool = False
    system: str = ""
    file: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """The key by which a verdict is matched."""
        return self.clause, self.signature


def unexpired_reasons(findings: Iterable[Finding], on: date) -> Mapping[tuple[str, str], str]:
    """The reason of each finding that hasn't expired, by clause and signature."""
    return {
        finding.key: finding.reason
        for finding in findings
        if finding.expires is None or on < finding.expires
    }


def without_reason(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings whose reason nobody has written yet."""
    return tuple([finding for finding in findings if finding.reason == TO_BE_WRITTEN])


def expired_findings(findings: Iterable[Finding], today: date) -> tuple[Finding, ...]:
    """The findings that expire today or earlier: a run that has one ends with exit code 1."""
    return tuple(
        [
            finding
            for finding in findings
            if finding.expires is not None and finding.expires <= today
        ]
    )


def stale(
    findings: Iterable[Finding],
    happened: Container[tuple[str, str]],
    exercised: Mapping[str, int],
    sided: Mapping[tuple[str, str], int] | None = None,
) -> tuple[Finding, ...]:
    """The findings that did not happen though a run exercised their situations often enough: exit
    code 1.

    Args:
        findings: those that apply.
        happened: (clause, signature) of each break that was seen.
        exercised: in how many scenarios each clause was exercised.
        sided: in how many on each side of its fence, by clause and name of the side
            (`below`, `at`, `above`); None: not known, so that `STALE_UNSIDED` counts instead of
            `STALE_AFTER`.
    """
    return tuple(
        [
            finding
            for finding in findings
            if finding.key not in happened and _had_occasion(finding, exercised, sided)
        ]
    )


def _had_occasion(
    finding: Finding, exercised: Mapping[str, int], sided: Mapping[tuple[str, str], int] | None
) -> bool:
    """Whether the break of a finding could have happened so often that its absence counts."""
    if finding.rare:
        return False
    if sided is None:
        return exercised.get(finding.clause, 0) >= STALE_UNSIDED
    situations = finding.situations or (Situation(finding.clause, Side.NONE),)
    return sum(_exercises(one, exercised, sided) for one in situations) >= STALE_AFTER


def _exercises(
    situation: Situation, exercised: Mapping[str, int], sided: Mapping[tuple[str, str], int]
) -> int:
    """How often a situation arose."""
    if not situation.sides:
        return exercised.get(situation.clause, 0)
    return sum(sided.get((situation.clause, side), 0) for side in situation.sides.names)
