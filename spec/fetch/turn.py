"""One fetch and its answer side by side with what the logs held: what every relation of this package looks at."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from spec.fetch import reference
from spec.fetch.reference import Read
from spec.fetch.request import Ask, unknown_error
from spec.fetch.session import Admission, Mode
from spec.kafka import DEBUG_REPLICA, READ_COMMITTED, Error
from spec.log import Log, Stored
from spec.observation import FetchAnswer, Outcome, PartitionAnswer
from spec.scenario import Fetch
from spec.semantics import Semantics
from spec.verdict import Side, side


@dataclass(frozen=True)
class Served:
    """One partition of a turn.

    Attributes:
        ask: what was wanted.
        log: its log; None where it does not exist.
        got: what was answered; None where it was left out.
        fault: the error that the ask must give; 0 where it must succeed.
        run: the batches that a read with ample limits could return; empty where there is a fault or nothing to read.
    """

    ask: Ask
    log: Log | None
    got: PartitionAnswer | None
    fault: int
    run: tuple[Stored, ...]

    @cached_property
    def size(self) -> int:
        """Bytes returned."""
        return self.got.size if self.got is not None else 0


@dataclass(frozen=True)
class Turn:
    """One fetch, how it was taken, and what came back.

    Attributes:
        fetch: the request.
        admission: how the session handler takes it.
        semantics: the decisions in force.
        outcome: what came back.
        answer: the same, where it is an answer; an empty one otherwise.
        served: the partitions in service order.
        elapsed_ms: from sending to the outcome.
        reads: what the reference gives for each partition that exists, by number; only clauses of strength `reference` look.
        held_back: whether the reference holds the answer back, for data or for max_wait.
    """

    fetch: Fetch
    admission: Admission
    semantics: Semantics
    outcome: Outcome
    answer: FetchAnswer
    served: tuple[Served, ...]
    elapsed_ms: float = 0.0
    reads: Mapping[int, Read] = field(default_factory=dict)
    held_back: bool = False

    @cached_property
    def answered(self) -> bool:
        """Whether there is an answer to judge."""
        return isinstance(self.outcome, FetchAnswer)

    @cached_property
    def known_version(self) -> bool:
        """Whether the broker answers this request version at all."""
        return self.semantics.oldest_fetch <= self.fetch.version <= self.semantics.newest_fetch

    @cached_property
    def plain(self) -> bool:
        """Whether it is a read by a consumer with a legal isolation level and no negative limit, and was answered."""
        return (
            self.answered
            and self.answer.error == 0
            and self.admission.mode is not Mode.REFUSED
            and 0 <= self.fetch.isolation <= READ_COMMITTED
            and self.fetch.max_bytes >= 0
            and DEBUG_REPLICA <= self.fetch.replica_id < 0
            and all(served.ask.max_bytes >= 0 for served in self.served)
        )

    @cached_property
    def ordered(self) -> bool:
        """Whether the service order is the request's, as it is outside of incremental sessions."""
        return self.admission.mode is not Mode.INCREMENTAL

    @cached_property
    def with_data(self) -> tuple[Served, ...]:
        """The partitions that have something to read, in service order."""
        return tuple([served for served in self.served if served.run])

    @cached_property
    def total(self) -> int:
        """Bytes of records in the answer."""
        return sum([got.size for got in self.answer.partitions])


def turn_of(
    fetch: Fetch,
    admission: Admission,
    semantics: Semantics,
    logs: Mapping[int, Log],
    outcome: Outcome,
    elapsed_ms: float,
    partitions: int | None = None,
) -> Turn:
    """Put a request, its answer and the logs side by side.

    `partitions` is how many there are, where `logs` holds only some of them: a number from there on names none that exists. The
    reference's reads follow from what was seen of the partitions before, or from each other where there is no answer.
    """
    answer = outcome if isinstance(outcome, FetchAnswer) else FetchAnswer()
    told = {got.partition: got for got in answer.partitions}
    served = []
    for ask in admission.asks:
        log = logs.get(ask.partition)
        fault = expected_fault(fetch, ask, log, len(logs) if partitions is None else partitions)
        run = log.readable(ask.offset, fetch.isolation) if log is not None and not fault else ()
        served.append(Served(ask, log, told.get(ask.partition), fault, run))
    took = {number: got.size for number, got in told.items()} if answer is outcome else None
    reads, held_back = _by_reference(fetch, admission, semantics, logs, took)
    held_back = held_back and not any(one.fault and one.log is not None for one in served)
    return Turn(fetch, admission, semantics, outcome, answer, tuple(served), elapsed_ms, reads, held_back)


def _by_reference(
    fetch: Fetch, admission: Admission, semantics: Semantics, logs: Mapping[int, Log], took: Mapping[int, int] | None
) -> tuple[Mapping[int, Read], bool]:
    asks = [ask for ask in admission.asks if ask.partition in logs and not ask.leader_epoch]
    limit = min(fetch.max_bytes, semantics.fetch_max_bytes)
    found = reference.read_all(asks, logs, limit, fetch.isolation, semantics, took)
    reads = {ask.partition: read for ask, read in zip(asks, found, strict=True)}
    held_back = reference.waits(asks, logs, found, min(fetch.min_bytes, limit), fetch.max_wait_ms, fetch.isolation)
    return reads, held_back


def expected_fault(fetch: Fetch, ask: Ask, log: Log | None, partitions: int) -> int:
    """The error code that a partition must answer with, negative limits left out; 0 where it must succeed."""
    if fetch.isolation not in {0, READ_COMMITTED}:
        return Error.UNKNOWN_SERVER_ERROR
    if log is None:
        return unknown_error(ask.partition - partitions, fetch.version)
    if fetch.replica_id >= 0:
        return Error.NOT_LEADER_OR_FOLLOWER
    if ask.leader_epoch:
        return Error.UNKNOWN_LEADER_EPOCH if ask.leader_epoch > 0 else Error.FENCED_LEADER_EPOCH
    return 0 if log.in_range(ask.offset) else Error.OFFSET_OUT_OF_RANGE


def nearest(value: int, fences: tuple[int, ...]) -> Side:
    """The side of the nearest of several fences that a value stands on; of two equally near, the upper."""
    if not fences:
        return Side.NONE
    return side(value, min(fences, key=lambda fence: (abs(fence - value), -fence)))


def sums(batches: tuple[Stored, ...]) -> tuple[int, ...]:
    """Partial sums of batch sizes: the fences of a byte limit."""
    total, found = 0, []
    for batch in batches:
        total += batch.size
        found.append(total)
    return tuple(found)
