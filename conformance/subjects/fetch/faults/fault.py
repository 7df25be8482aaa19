"""Planted faults: small named changes, each at one seam of the model's answer.

A fetch can be misread, the logs missed, a decision taken otherwise, the session mistaken, or the
answer altered on its way out. Each seam takes one function and gives what answers fetches in the
reference's place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from spec.fetch.model.answer import answer_fetch
from spec.fetch.model.machine import close_on_unknown_version
from spec.fetch.model.request import folded

if TYPE_CHECKING:
    from conformance.faults.planted import Expected
    from conformance.serve.broker_state import BrokerState
    from spec.fetch.model.machine import Answering, Rejecting
    from spec.fetch.model.request import Ask
    from spec.fetch.model.session import Session
    from spec.fetch.outcomes import FetchAnswer, PartitionAnswer
    from spec.fetch.steps import Fetch, FetchPartition
    from spec.log import Log
    from spec.semantics import Change, Semantics

Answered = tuple["FetchAnswer", "Session | None", float]
Logs = Mapping[int, "Log"]


@dataclass(frozen=True, slots=True)
class Fault:
    """A way for a broker to be wrong, or different.

    Attributes:
        name: how it is chosen, `partition-limit-ignored`.
        clause: the clause that must name it; empty for a legal variant.
        expected: see `Expected`.
        summary: what the broker does, in one sentence.
        answering: what answers a fetch.
        rejecting: what rejects a fetch by its version; a served model looks at versions elsewhere,
            and is not given a fault of it.
        needs: why its smallest case is larger than two partitions of four batches; empty where it
            is not.
    """

    name: str
    clause: str
    expected: Expected
    summary: str
    answering: Answering
    needs: str = ""
    rejecting: Rejecting = close_on_unknown_version

    def plant(self, state: BrokerState) -> None:
        """Make a served model wrong in this way."""
        state.answering = self.answering


def misread(change: Callable[[Fetch], Fetch]) -> Answering:
    """The broker takes the request for another one."""

    def answering(
        fetch: Fetch,
        logs: Logs,
        own: Session | None,
        semantics: Semantics,
        partitions: int | None = None,
    ) -> Answered:
        return answer_fetch(change(fetch), logs, own, semantics, partitions)

    return answering


def misread_part(change: Callable[[FetchPartition], FetchPartition]) -> Answering:
    """The broker takes each partition's entry of a request for another one."""
    return misread(
        lambda fetch: replace(fetch, partitions=tuple([change(part) for part in fetch.partitions]))
    )


def misread_by_log(change: Callable[[FetchPartition, Log], FetchPartition]) -> Answering:
    """The broker takes a partition's entry for another one, in view of what lies there."""

    def answering(
        fetch: Fetch,
        logs: Logs,
        own: Session | None,
        semantics: Semantics,
        partitions: int | None = None,
    ) -> Answered:
        parts = tuple(
            [
                change(part, logs[part.partition]) if part.partition in logs else part
                for part in fetch.partitions
            ]
        )
        return answer_fetch(replace(fetch, partitions=parts), logs, own, semantics, partitions)

    return answering


def mistaken(change: Callable[[Fetch, Session | None], tuple[Fetch, Session | None]]) -> Answering:
    """The broker takes the request, or what it remembers of the session, for another one."""

    def answering(
        fetch: Fetch,
        logs: Logs,
        own: Session | None,
        semantics: Semantics,
        partitions: int | None = None,
    ) -> Answered:
        taken, remembered = change(fetch, own)
        return answer_fetch(taken, logs, remembered, semantics, partitions)

    return answering


def misseen(change: Callable[[Log], Log]) -> Answering:
    """The broker misreads its logs."""

    def answering(
        fetch: Fetch,
        logs: Logs,
        own: Session | None,
        semantics: Semantics,
        partitions: int | None = None,
    ) -> Answered:
        return answer_fetch(
            fetch, {number: change(log) for number, log in logs.items()}, own, semantics, partitions
        )

    return answering


def decided(change: Change) -> Answering:
    """The broker takes one of the model's decisions otherwise."""

    def answering(
        fetch: Fetch,
        logs: Logs,
        own: Session | None,
        semantics: Semantics,
        partitions: int | None = None,
    ) -> Answered:
        return answer_fetch(fetch, logs, own, change(semantics), partitions)

    return answering


def altered(change: Callable[[Fetch, FetchAnswer], FetchAnswer]) -> Answering:
    """The broker alters its answer at the end; what it remembers of the session stays as it was."""

    def answering(
        fetch: Fetch,
        logs: Logs,
        own: Session | None,
        semantics: Semantics,
        partitions: int | None = None,
    ) -> Answered:
        answer, session, held_ms = answer_fetch(fetch, logs, own, semantics, partitions)
        return change(fetch, answer), session, held_ms

    return answering


def altered_part(change: Callable[[Fetch, PartitionAnswer], PartitionAnswer]) -> Answering:
    """The broker alters each partition that it answers without an error."""

    def part(fetch: Fetch, got: PartitionAnswer) -> PartitionAnswer:
        return got if got.error else change(fetch, got)

    return altered(
        lambda fetch, answer: replace(
            answer, partitions=tuple([part(fetch, got) for got in answer.partitions])
        )
    )


def altered_by_log(change: Callable[[Ask, Log, PartitionAnswer], PartitionAnswer]) -> Answering:
    """The broker alters each partition that the request names, in view of what was asked and of
    what lies there.
    """

    def answering(
        fetch: Fetch,
        logs: Logs,
        own: Session | None,
        semantics: Semantics,
        partitions: int | None = None,
    ) -> Answered:
        answer, session, held_ms = answer_fetch(fetch, logs, own, semantics, partitions)
        asks = {ask.partition: ask for ask in folded(fetch.partitions, fetch.version)}
        parts = [
            change(asks[got.partition], logs[got.partition], got)
            if got.partition in asks and got.partition in logs
            else got
            for got in answer.partitions
        ]
        return replace(answer, partitions=tuple(parts)), session, held_ms

    return answering
