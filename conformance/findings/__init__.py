"""Known breaks of named systems: what is listed is shown as known and doesn't fail a run; what no longer happens does."""

from conformance.findings.file import FindingsProblem, load_findings, read_findings
from conformance.findings.finding import Finding, Sightings, expired, known, stale

__all__ = ["Finding", "FindingsProblem", "Sightings", "expired", "known", "load_findings", "read_findings", "stale"]
