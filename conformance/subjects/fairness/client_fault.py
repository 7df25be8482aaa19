"""A planted fault of a client, or a legal variant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.faults.planted import Expected
from spec.fairness.dry_run import KAFKA, Client
from spec.frozen import frozen

if TYPE_CHECKING:
    from spec.semantics import Change


@frozen
class ClientFault:
    """A way for a client to be wrong, or different; see `PlantedFault`.

    Attributes:
        client: what decides.
        change: what it decides otherwise by a reading; None where it is as released.
    """

    name: str
    clause: str
    expected: Expected
    summary: str
    client: Client = KAFKA
    change: Change | None = None


def violation(name: str, clause: str, summary: str, client: Client) -> ClientFault:
    """A client that breaks a promise."""
    return ClientFault(name, clause, Expected.VIOLATES, summary, client)


def deviation(
    name: str, clause: str, summary: str, client: Client | None = None, change: Change | None = None
) -> ClientFault:
    """A client that does otherwise than Kafka's."""
    return ClientFault(name, clause, Expected.DEVIATES, summary, client or KAFKA, change)


def variant(name: str, summary: str, client: Client) -> ClientFault:
    """A client that is unusual, and legal."""
    return ClientFault(name, "", Expected.CONFORMS, summary, client)
