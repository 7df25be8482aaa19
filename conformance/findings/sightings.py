"""The record of each clause in a run, and the findings that it shows to be stale."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from conformance.findings.finding import Finding, expired_findings, stale
from spec.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date


class Sightings:
    """The record of a run so far, by which stale findings are recognized."""

    def __init__(self) -> None:
        self.happened: set[tuple[str, str]] = set()
        self.exercised: Counter[str] = Counter()
        self.sided: Counter[tuple[str, str]] = Counter()

    def see(self, verdicts: Iterable[Verdict]) -> None:
        """Take in what one scenario's verdicts say."""
        for verdict in verdicts:
            if verdict.outcome in {Outcome.VIOLATES, Outcome.DEVIATES}:
                self.happened.add(verdict.kind)
            self.exercised[verdict.clause] += 1
            for side in verdict.sides.names:
                self.sided[verdict.clause, side] += 1

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
