"""The planted faults on several brokers, and the legal variants."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.subjects.replication.faults import in_sync, moves

if TYPE_CHECKING:
    from conformance.subjects.replication.faults.fault import ReplicationFault

FAULTS: tuple[ReplicationFault, ...] = (*moves.FAULTS, *in_sync.FAULTS)
VARIANTS: tuple[ReplicationFault, ...] = (*moves.VARIANTS, *in_sync.VARIANTS)
