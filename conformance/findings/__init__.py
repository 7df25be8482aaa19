"""Known breaks of named systems: what is listed is shown as known and doesn't fail a run; what no
longer happens does.
"""

from conformance.findings.file import SHIPPED, FindingsError, load_findings, read_findings
from conformance.findings.finding import Finding, Situation, expired, known, stale
from conformance.findings.sightings import Sightings

__all__ = [
    "SHIPPED",
    "Finding",
    "FindingsError",
    "Sightings",
    "Situation",
    "expired",
    "known",
    "load_findings",
    "read_findings",
    "stale",
]
