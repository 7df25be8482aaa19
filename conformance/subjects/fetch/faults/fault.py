"""Planted faults: small named changes, each at one seam of the model's answer.

A fetch can be misread, the logs missed, a decision taken otherwise, the session mistaken, or the
answer altered on its way out. Each seam takes one function and gives what answers fetches in the
reference's place; `answering` is the seam for all else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import TYPE_CHECKING, NamedTuple

from spec.fetch.model.answer import answer_fetch
from spec.fetch.model.machine import close_on_unknown_version
from spec.fetch.model.request import fold_asks
from spec.fetch.model.session import on_arrival
from spec.frozen import frozen, replace

if TYPE_CHECKING:
    from conformance.faults.planted import Expected
    from conformance.serve.broker_state import BrokerState
    from spec.fetch.model.machine import Answering, Rejecting, TakingOn
    from spec.fetch.model.request import Ask
    from spec.fetch.model.session import Session
    from spec.fetch.outcomes import FetchAnswer, PartitionAnswer
    from spec.fetch.steps import Fetch, FetchPartition
    from spec.log import Log
    from spec.semantics import Change, Semantics

Answered = tuple["FetchAnswer", "Session | None", float]
Logs = Mapping[int, "Log"]


@frozen
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
        taking_on: what a session becomes when a request arrives.
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
    taking_on: TakingOn = on_arrival

    def plant(self, state: BrokerState) -> None:
        """Make a served model wrong in this way."""
        state.answering = self.answering
        state.taking_on = self.taking_on


class Given(NamedTuple):
    """The arguments that an answer is made from; see `answer_fetch`."""

    fetch: Fetch
    logs: Logs
    own: Session | None
    semantics: Semantics
    partitions: int | None


def answering(answer: Callable[[Given], Answered]) -> Answering:
    """Take the arguments of what answers a fetch as one."""

    @wraps(answer)
    def answering_fetch(
        fetch: Fetch,
        logs: Logs,
        own: Session | None,
        semantics: Semantics,
        partitions: int | None = None,
    ) -> Answered:
        return answer(Given(fetch, logs, own, semantics, partitions))

    return answering_fetch


def misread(change: Callable[[Fetch], Fetch]) -> Answering:
    """The broker takes the request for another one."""
    return answering(lambda given: answer_fetch(*given._replace(fetch=change(given.fetch))))


def misread_part(change: Callable[[FetchPartition], FetchPartition]) -> Answering:
    """The broker takes each partition's entry of a request for another one."""
    return misread(
        lambda fetch: replace(fetch, partitions=tuple([change(part) for part in fetch.partitions]))
    )


def misread_by_log(change: Callable[[FetchPartition, Log], FetchPartition]) -> Answering:
    """The broker takes a partition's entry for another one, in view of what lies there."""

    @answering
    def answer(given: Given) -> Answered:
        parts = tuple(
            [
                change(part, given.logs[part.partition]) if part.partition in given.logs else part
                for part in given.fetch.partitions
            ]
        )
        return answer_fetch(*given._replace(fetch=replace(given.fetch, partitions=parts)))

    return answer


def mistaken(change: Callable[[Fetch, Session | None], tuple[Fetch, Session | None]]) -> Answering:
    """The broker takes the request, or what it remembers of the session, for another one."""

    @answering
    def answer(given: Given) -> Answered:
        taken, remembered = change(given.fetch, given.own)
        return answer_fetch(*given._replace(fetch=taken, own=remembered))

    return answer


def misseen(change: Callable[[Log], Log]) -> Answering:
    """The broker misreads its logs."""

    @answering
    def answer(given: Given) -> Answered:
        logs = {number: change(log) for number, log in given.logs.items()}
        return answer_fetch(*given._replace(logs=logs))

    return answer


def change_decision(change: Change) -> Answering:
    """The broker takes one of the model's decisions otherwise."""
    return answering(lambda given: answer_fetch(*given._replace(semantics=change(given.semantics))))


def change_answer(change: Callable[[Fetch, FetchAnswer], FetchAnswer]) -> Answering:
    """The broker alters its answer at the end; what it remembers of the session stays as it was."""

    @answering
    def answer(given: Given) -> Answered:
        right, session, held_ms = answer_fetch(*given)
        return change(given.fetch, right), session, held_ms

    return answer


def change_part(change: Callable[[Fetch, PartitionAnswer], PartitionAnswer]) -> Answering:
    """The broker alters each partition that it answers without an error."""

    def part(fetch: Fetch, got: PartitionAnswer) -> PartitionAnswer:
        return got if got.error else change(fetch, got)

    return change_answer(
        lambda fetch, answer: replace(
            answer, partitions=tuple([part(fetch, got) for got in answer.partitions])
        )
    )


def change_by_log(change: Callable[[Ask, Log, PartitionAnswer], PartitionAnswer]) -> Answering:
    """The broker alters each partition that the request names, in view of what was asked and of
    what lies there.
    """

    @answering
    def answer(given: Given) -> Answered:
        right, session, held_ms = answer_fetch(*given)
        asks = {
            ask.partition: ask for ask in fold_asks(given.fetch.partitions, given.fetch.version)
        }
        parts = [
            change(asks[got.partition], given.logs[got.partition], got)
            if got.partition in asks and got.partition in given.logs
            else got
            for got in right.partitions
        ]
        return replace(right, partitions=tuple(parts)), session, held_ms

    return answer
