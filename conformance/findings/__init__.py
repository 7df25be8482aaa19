"""Known breaks of named systems. A listed break is shown as known and does not fail a run; a listed
break that no longer happens fails it.
"""

from conformance.findings.file import (
    SHIPPED,
    SHIPPED_FINDINGS,
    SHIPPED_OF_CLIENTS,
    FindingsError,
    load_findings,
    read_findings,
)
from conformance.findings.finding import (
    Finding,
    Situation,
    expired_findings,
    stale,
    unexpired_reasons,
    without_reason,
)
from conformance.findings.sightings import Sightings

__all__ = [
    "SHIPPED",
    "SHIPPED_FINDINGS",
    "SHIPPED_OF_CLIENTS",
    "Finding",
    "FindingsError",
    "Sightings",
    "Situation",
    "expired_findings",
    "load_findings",
    "read_findings",
    "stale",
    "unexpired_reasons",
    "without_reason",
]
