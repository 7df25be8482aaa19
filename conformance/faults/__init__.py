"""Planted faults: the ways in which a served model can be wrong, by name, and legal variants that must pass."""

from __future__ import annotations

from conformance.faults import max_records
from conformance.misuse import BadConfiguration
from conformance.subjects.fetch.faults import holes as fetch_holes
from conformance.subjects.fetch.faults import isolation as fetch_isolation
from conformance.subjects.fetch.faults import limits as fetch_limits
from conformance.subjects.fetch.faults import positions as fetch_positions
from conformance.subjects.fetch.faults import requests as fetch_requests
from conformance.subjects.fetch.faults import sessions as fetch_sessions
from conformance.subjects.fetch.faults import variants as fetch_variants
from conformance.subjects.fetch.faults import waiting as fetch_waiting
from conformance.subjects.fetch.faults.fault import Expected, Fault
from conformance.subjects.share import faults as share_faults
from conformance.subjects.share.fault import ShareFault

__all__ = ["FAULTS", "SHARE_FAULTS", "Expected", "Fault", "ShareFault", "UnknownFaultError", "find", "subject_of"]

FAULTS: tuple[Fault, ...] = (
    *fetch_limits.FAULTS,
    *fetch_positions.FAULTS,
    *fetch_holes.FAULTS,
    *fetch_isolation.FAULTS,
    *fetch_requests.FAULTS,
    *fetch_sessions.FAULTS,
    *fetch_waiting.FAULTS,
    *fetch_variants.FAULTS,
    *fetch_isolation.VARIANTS,
    *fetch_sessions.VARIANTS,
    *fetch_waiting.VARIANTS,
    *fetch_variants.VARIANTS,
)
SHARE_FAULTS: tuple[ShareFault, ...] = (*share_faults.FAULTS, *share_faults.VARIANTS)


class UnknownFaultError(BadConfiguration):
    """No fault has that name: wrong use."""


def find(name: str) -> Fault | ShareFault:
    """The fault of that name. Raises UnknownFaultError."""
    every: list[Fault | ShareFault] = [*FAULTS, *SHARE_FAULTS, *max_records.FAULTS, *max_records.NO_PROFILE, *max_records.VARIANTS]
    for fault in every:
        if fault.name == name:
            return fault
    raise UnknownFaultError(f"expected the name of a planted fault, found {name!r}; `fencepost serve --list-faults` shows them")


def subject_of(fault: Fault | ShareFault) -> str:
    """The subject whose clauses can tell a fault: of another one it shows nothing."""
    if isinstance(fault, ShareFault):
        return "share"
    return "fetch" if fault in FAULTS else "max_records"
