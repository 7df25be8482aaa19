"""The record of each clause in a run, and the findings that it shows to be stale."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from conformance.findings.finding import Finding, expired_findings, stale
from spec.verdict import Outcome, Side, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

VIOLATES, DEVIATES = Outcome.VIOLATES, Outcome.DEVIATES
"""By names of this module: on Python 3.11 each look-up in an enum costs more than a comparison."""


class Sightings:
    """The record of a run so far, by which stale findings are recognized.

    Attributes:
        happened: the kinds of break that were seen.
    """

    def __init__(self) -> None:
        self.happened: set[tuple[str, str]] = set()
        self._seen: Counter[tuple[str, Side]] = Counter()

    def see(self, verdicts: Sequence[Verdict]) -> None:
        """Take in what one scenario's verdicts say."""
        self._seen.update([(verdict.clause, verdict.sides) for verdict in verdicts])
        self.happened.update(
            [
                verdict.kind
                for verdict in verdicts
                if verdict.outcome is VIOLATES or verdict.outcome is DEVIATES
            ]
        )

    @property
    def exercised(self) -> Counter[str]:
        """How many verdicts there were on each clause."""
        found: Counter[str] = Counter()
        for (clause, _), count in self._seen.items():
            found[clause] += count
        return found

    @property
    def sided(self) -> Counter[tuple[str, str]]:
        """How many of them by clause and side of its fence."""
        found: Counter[tuple[str, str]] = Counter()
        for (clause, sides), count in self._seen.items():
            for side in sides.names:
                found[clause, side] += count
        return found

    def problems(self, findings: tuple[Finding, ...], today: date) -> tuple[str, ...]:
        """A message for each finding that has expired, or did not happen though there was occasion
        enough: each fails the run.
        """
        past = [
            f"{_finding_label(one)} expired on {one.expires}; mend it or set another day"
            for one in expired_findings(findings, today)
        ]
        unseen = stale(findings, self.happened, self.exercised, sided=self.sided)
        return (
            *past,
            *[
                f"{_finding_label(one)} is stale: it did not happen any more; take it out"
                for one in unseen
            ],
        )


def _finding_label(finding: Finding) -> str:
    return f"finding {finding.clause} '{finding.signature}' ({finding.file})"
