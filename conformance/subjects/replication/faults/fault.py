"""What a planted fault on several brokers is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.faults.planted import Expected
from spec.frozen import frozen
from spec.replication.dry_run import Served
from spec.replication.model import State, answer
from spec.replication.outcomes import ReadResult
from spec.replication.steps import Asked, Read

if TYPE_CHECKING:
    from collections.abc import Callable

    from spec.outcomes import Outcome


@frozen
class ReplicationFault:
    """A way to be wrong about several brokers, or different; see `PlantedFault`."""

    name: str
    clause: str
    expected: Expected
    summary: str
    served: Served


def violates(
    name: str, clause: str, summary: str, answering: Callable[[State, Asked], Outcome]
) -> ReplicationFault:
    """A fault that breaks a promise."""
    return ReplicationFault(name, clause, Expected.VIOLATES, summary, Served(answering))


def deviates(
    name: str, clause: str, summary: str, answering: Callable[[State, Asked], Outcome]
) -> ReplicationFault:
    """A fault that breaks what the reference does."""
    return ReplicationFault(name, clause, Expected.DEVIATES, summary, Served(answering))


def alter_reads(
    change: Callable[[State, Read, ReadResult], ReadResult],
) -> Callable[[State, Asked], Outcome]:
    """Answer reads that are served otherwise."""

    def answering(state: State, step: Asked) -> Outcome:
        found = answer(state, step)
        if isinstance(step, Read) and isinstance(found, ReadResult) and not found.error:
            return change(state, step, found)
        return found

    return answering


def records_from(state: State, step: Read) -> tuple[tuple[int, int], ...]:
    """All records from the fetch offset on."""
    return tuple(enumerate(state.values))[step.offset :]
