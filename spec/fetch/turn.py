"""One fetch and its answer side by side with what the logs held: what every relation of this
package looks at.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import field
from itertools import accumulate

from spec.fact import at_once, early_fact, fact
from spec.fetch.model import reference
from spec.fetch.model.read import Read
from spec.fetch.model.request import Ask, unknown_error
from spec.fetch.model.session import Admission, Mode
from spec.fetch.outcomes import FetchAnswer, PartitionAnswer
from spec.fetch.releases import FetchSemantics
from spec.fetch.steps import Fetch
from spec.frozen import frozen, replace
from spec.kafka import DEBUG_REPLICA, READ_COMMITTED, Error
from spec.log import NOTHING, Log, Stored
from spec.outcomes import Outcome
from spec.semantics import Semantics
from spec.verdict import ABOVE, NO_SIDE, Side, side

REFUSED, INCREMENTAL = Mode.REFUSED, Mode.INCREMENTAL
"""By names of this module: on Python 3.11 each look-up in an enum costs more than a comparison."""

DECIDED_BY_POSITION = frozenset([Error.NONE, Error.OFFSET_OUT_OF_RANGE])
"""The errors of a partition where its offset alone decides."""


@frozen
class Served:
    """One partition of a turn.

    Attributes:
        ask: what was wanted.
        log: its log; None where it does not exist.
        got: what was answered; None where it was left out.
        fault: the error that the ask must give; 0 where it must succeed.
        run: the batches that a read with ample limits could return; empty where there is a fault or
            nothing to read.
        fences: the partial sums of their sizes: the fences of a byte limit.
        there: bytes of the run.
        ends_early: the run ends with its segment, and more that may be read lies in the next one.
        moments: the log as the reported offsets may have been taken from it, one after the other,
            immediately before it was read: the oldest first, the one that was read last.
        limit: the smaller of its own limit and the request's, bytes.
        size: bytes returned.
        whole: the number of whole batches returned.
        limit_side: the side of the nearest of the fences that the limit stands on.
    """

    ask: Ask
    log: Log | None
    got: PartitionAnswer | None
    fault: int
    run: tuple[Stored, ...]
    fences: tuple[int, ...]
    there: int
    ends_early: bool
    moments: tuple[Log, ...]
    limit: int
    size: int
    whole: int
    limit_side: Side

    @property
    def reported_log(self) -> Log | None:
        """The log when the first of the reported offsets was taken."""
        return self.moments[0] if self.moments else None

    @property
    def tail(self) -> int:
        """Bytes returned behind the last whole batch."""
        return self.got.tail if self.got is not None else 0


@frozen(slots=False)
@at_once
class Turn:
    """One fetch, how it was taken, and what came back.

    Attributes:
        fetch: the request.
        admission: how the session handler takes it.
        semantics: the decisions in force.
        outcome: what came back.
        answer: the same, where it is an answer to a known version; an empty one otherwise: a
            request of another version is to be rejected in whatever way.
        served: the partitions in service order; none where the version is not known. The next
            five hold some of them, in that order.
        unknown: those that do not exist.
        with_data: those that have something to read.
        answered_with_data: of these, those that were answered, with their answers.
        located: those that exist and were answered, and whose position decides (no epoch, replica
            or isolation fault), with their logs and answers.
        read: of these, those that were read without error, as they had to be.
        elapsed_ms: from sending to the outcome.
        delay_ms: the longest delay that was measured meanwhile, see `Observation`.
        reads: what the reference gives for each partition that exists, by number; only clauses of
            strength `reference` look.
        held_back: whether the reference holds the answer back, for data or for max_wait.
    """

    fetch: Fetch
    admission: Admission
    semantics: FetchSemantics
    outcome: Outcome
    answer: FetchAnswer
    served: Sequence[Served]
    unknown: Sequence[Served]
    with_data: Sequence[Served]
    answered_with_data: Sequence[tuple[Served, PartitionAnswer]]
    located: Sequence[tuple[Served, Log, PartitionAnswer]]
    read: Sequence[tuple[Served, Log, PartitionAnswer]]
    elapsed_ms: float = 0.0
    delay_ms: float = 0.0
    reads: Mapping[int, Read] = field(default_factory=dict)
    held_back: bool = False

    @property
    def as_reference(self) -> bool:
        """No break of a fetch is passed over where histories are compared."""
        return False

    @early_fact
    def is_answered(self) -> bool:
        """Whether there is an answer to judge."""
        return isinstance(self.outcome, FetchAnswer)

    @early_fact
    def known_version(self) -> bool:
        """Whether the broker answers this request version at all."""
        return self.semantics.oldest_fetch <= self.fetch.version <= self.semantics.newest_fetch

    @early_fact
    def has_negative_limit(self) -> bool:
        """Whether the request's limit is below 0, or that of a partition which it reads."""
        return min([served.limit for served in self.served], default=self.fetch.max_bytes) < 0

    @early_fact
    def is_refused(self) -> bool:
        """Whether the session handler is to refuse the request."""
        return self.admission.mode is REFUSED

    @early_fact
    def is_throttled(self) -> bool:
        """Whether the answer has a throttle time and nothing else: the client is to ask again
        (KIP-219).
        """
        return self.answer.throttle_ms > 0 and not self.answer.partitions

    @early_fact
    def plain(self) -> bool:
        """See `PLAIN`."""
        fetch = self.fetch
        return (
            self.is_answered
            and self.answer.error == 0
            and not self.is_throttled
            and not self.is_refused
            and 0 <= fetch.isolation <= READ_COMMITTED
            and not self.has_negative_limit
            and DEBUG_REPLICA <= fetch.replica_id < 0
        )

    @early_fact
    def is_in_request_order(self) -> bool:
        """Whether the service order is the request's, as it is outside of incremental sessions."""
        return self.admission.mode is not INCREMENTAL

    @property
    def order(self) -> list[int]:
        """The answered partitions in the answer's order."""
        return [got.partition for got in self.answer.partitions]

    @early_fact
    def in_service_order(self) -> bool:
        """Whether the answer has each partition that is to be read once, in service order."""
        return self.order == [served.ask.partition for served in self.served]

    @early_fact
    def failed_partitions(self) -> tuple[PartitionAnswer, ...]:
        """The answered partitions with an error."""
        return tuple([got for got in self.answer.partitions if got.error])

    @fact
    def compared_partitions(self) -> tuple[tuple[Served, Read, int], ...]:
        """The partitions with data, each with what the reference gives after what was seen of those
        before it.

        Last is what these left of the request's limit (and the broker's). Only clauses of strength
        `reference` look.
        """
        found = []
        left = min(self.fetch.max_bytes, self.semantics.fetch_max_bytes)
        for served in self.with_data:
            if served.ask.partition in self.reads:
                found.append((served, self.reads[served.ask.partition], left))
                left = max(0, left - served.size)
        return tuple(found)

    @property
    def first_with_bytes(self) -> tuple[Served, ...]:
        """The partitions of which one may be the first that returned bytes, and so return a first
        batch above a limit: the first in the order of service, and the first in the answer.

        They differ where a broker answers in another order than it serves, which only
        `reference` clauses speak of.
        """
        if not self.total:
            return ()
        answered = next(got for got in self.answer.partitions if got.size)
        firsts = [served for served in self.served if served.got is answered]
        firsts += [served for served in self.served if served.size][:1]
        return tuple(firsts)

    @fact
    def readable_bytes(self) -> int:
        """Bytes that could be read at once, in all partitions, with ample limits."""
        return sum([served.there for served in self.served])

    def with_first_batch(self, limit: int) -> int:
        """The most bytes that an answer may hold: `limit`, or a single first batch above it."""
        if self.total <= limit:
            return limit
        return max([limit, *[first.run[0].size for first in self.first_with_bytes if first.run]])

    @early_fact
    def total(self) -> int:
        """Bytes of records in the answer."""
        return sum([got.size for got in self.answer.partitions])


PLAIN = (
    "It is looked at in the answer to a consumer (replica id -1 or -2), with an isolation level of "
    "0 or 1 and limits of 0 or more, that has no top-level error and is not throttled: "
    "`throttle_time_ms` above 0 and no entries at all."
)
"""The condition `plain` in words."""
WITH_SESSION = (
    "It is looked at in answers to requests of v7 or later with an isolation level of 0 or 1."
)
"""The condition of clauses about sessions in words."""


def plain(turn: Turn) -> bool:
    """See `Turn.plain`: the condition under which most clauses arise."""
    return turn.plain


def plain_with_later_data(turn: Turn) -> bool:
    """Whether a plain read found data in more than one partition."""
    return turn.plain and len(turn.with_data) > 1


def names_unknown(turn: Turn) -> bool:
    """Whether a partition is named that does not exist."""
    return bool(turn.unknown)


def has_failed(turn: Turn) -> bool:
    """Whether a partition was answered with an error."""
    return bool(turn.failed_partitions)


def turn_of(
    fetch: Fetch,
    admission: Admission,
    semantics: Semantics,
    logs: Mapping[int, Log],
    outcome: Outcome,
    elapsed_ms: float,
    partitions: int | None = None,
    moments: Mapping[int, tuple[Log, ...]] | None = None,
    delay_ms: float = 0.0,
) -> Turn:
    """Put a request, its answer and the logs side by side.

    `partitions` is how many there are, where `logs` holds only some of them: a number from there on
    names none that exists. The reference's reads follow from what was seen of the partitions
    before, or from each other where there is no answer. `moments` holds the logs as they were
    immediately before they were read, and as they were read, where these may differ. `delay_ms` is
    what was measured meanwhile.
    """
    decisions = _under_quota(fetch, semantics.of(FetchSemantics))
    answer = outcome if isinstance(outcome, FetchAnswer) else FetchAnswer()
    answered = answer_by_partition(answer)
    took = {number: got.size for number, got in answered.items()} if answer is outcome else None
    reads, held_back = _by_reference(fetch, admission, decisions, logs, took)
    before = moments or {}
    count = len(logs) if partitions is None else partitions
    known_version = decisions.oldest_fetch <= fetch.version <= decisions.newest_fetch
    served, unknown, with_data, answered_with_data, located, read = [], [], [], [], [], []
    for ask in admission.asks:
        log = logs.get(ask.partition)
        fault = expected_fault(fetch, ask, log, count)
        held_back = held_back and not (fault and log is not None)
        if not known_version:
            continue
        run = NOTHING if log is None or fault else log.run(ask.offset, fetch.isolation)
        got = answered.get(ask.partition)
        limit = min(ask.max_bytes, fetch.max_bytes)
        one = Served(
            ask,
            log,
            got,
            fault,
            run.batches,
            run.fences,
            run.size,
            run.ends_early,
            before.get(ask.partition, () if log is None else (log,)),
            limit,
            0 if got is None else got.size,
            0 if got is None else len(got.batches),
            side_of_nearest(limit, run.fences),
        )
        served.append(one)
        if log is None:
            unknown.append(one)
        elif got is not None and fault in DECIDED_BY_POSITION:
            located.append((one, log, got))
            if not got.error and not fault:
                read.append((one, log, got))
        if run.batches:
            with_data.append(one)
            if got is not None:
                answered_with_data.append((one, got))
    return Turn(
        fetch,
        admission,
        decisions,
        outcome,
        answer if known_version else FetchAnswer(),
        served,
        unknown,
        with_data,
        answered_with_data,
        located,
        read,
        elapsed_ms,
        delay_ms,
        reads,
        held_back,
    )


def answer_by_partition(answer: FetchAnswer) -> Mapping[int, PartitionAnswer]:
    """What was answered for each partition; of several entries, as a broker may give that answers
    each mention of a partition, the one with most bytes.
    """
    answered = {got.partition: got for got in answer.partitions}
    if len(answered) == len(answer.partitions):
        return answered
    by_size = sorted(answer.partitions, key=lambda got: got.size)
    return {got.partition: got for got in by_size}


def _under_quota(fetch: Fetch, decisions: FetchSemantics) -> FetchSemantics:
    """A quota lowers what an answer may hold as the broker's own limit does
    (KafkaApis.scala:735-744 of Kafka 4.3.1).
    """
    if fetch.quota is None:
        return decisions
    return replace(
        decisions,
        fetch_max_bytes=min(decisions.fetch_max_bytes, fetch.quota * decisions.quota_window_s),
    )


def _by_reference(
    fetch: Fetch,
    admission: Admission,
    semantics: FetchSemantics,
    logs: Mapping[int, Log],
    took: Mapping[int, int] | None,
) -> tuple[Mapping[int, Read], bool]:
    existing = [ask for ask in admission.asks if ask.partition in logs]
    asks = [ask for ask in existing if not ask.leader_epoch]
    limit = min(fetch.max_bytes, semantics.fetch_max_bytes)
    if existing and existing[0].leader_epoch:
        limit = max(
            0, limit
        )  # what a partition returns is taken off the limit, down to 0, though it is an error
    if semantics.hook is not None:
        changed = semantics.hook.read(fetch, admission, asks, logs, limit, semantics)
        if changed is not None:
            reads = dict(zip([ask.partition for ask in asks], changed.reads, strict=True))
            return reads, changed.held_back
    found = reference.read_all(asks, logs, limit, fetch.isolation, semantics, took)
    reads = dict(zip([ask.partition for ask in asks], found, strict=True))
    if fetch.max_wait_ms <= 0:
        return reads, False
    least = min(fetch.min_bytes, limit)
    return reads, reference.waits(asks, logs, found, least, fetch.max_wait_ms, fetch.isolation)


def expected_fault(fetch: Fetch, ask: Ask, log: Log | None, partitions: int) -> int:
    """The error code that a partition must answer with, negative limits left out; 0 where it must
    succeed.
    """
    if not 0 <= fetch.isolation <= READ_COMMITTED:
        return Error.UNKNOWN_SERVER_ERROR
    if log is None:
        return unknown_error(ask.partition - partitions, fetch.version)
    if ask.leader_epoch:
        return Error.UNKNOWN_LEADER_EPOCH if ask.leader_epoch > 0 else Error.FENCED_LEADER_EPOCH
    if fetch.replica_id >= 0:
        return Error.NOT_LEADER_OR_FOLLOWER
    return 0 if log.in_range(ask.offset) else Error.OFFSET_OUT_OF_RANGE


def side_of_nearest(value: int, fences: tuple[int, ...]) -> Side:
    """The side of the nearest of several fences, in ascending order, that a value stands on; of two
    equally near, the upper.
    """
    if not fences:
        return NO_SIDE
    upper = bisect_left(fences, value)
    if upper == len(fences):
        return ABOVE
    nearer_below = upper and value - fences[upper - 1] < fences[upper] - value
    return ABOVE if nearer_below else side(value, fences[upper])


def partial_sums(batches: tuple[Stored, ...]) -> tuple[int, ...]:
    """Partial sums of batch sizes: the fences of a byte limit."""
    return tuple(accumulate([batch.size for batch in batches]))
