"""The dry run of a share consumer's history: what Kafka's share consumer does, in virtual time,
reading from one broker whose group has no other member.

It acknowledges by the ShareFetch of the next poll, or by a ShareAcknowledge where a commit awaits
it. Source: ShareConsumerImpl.java and ShareFetchCollector.java of Kafka 4.3.1.
"""

from collections.abc import Callable
from itertools import groupby

from spec.fairness.model.options import Options, options_of
from spec.fairness.model.share_server import (
    ShareRequest,
    ShareServer,
    end_locks,
    serve,
    share_server,
)
from spec.fairness.model.visible import visible
from spec.fairness.outcomes import (
    Acknowledged,
    AskedPart,
    ClientError,
    CommitReturned,
    Delivered,
    FetchedPart,
    PollReturned,
    ServedFetch,
    StepDone,
)
from spec.fairness.releases import ExcessRecords, FairnessSemantics
from spec.fairness.steps import (
    AcknowledgeRecords,
    AcquireMode,
    CloseClient,
    CommitPositions,
    EndLocks,
    Idle,
    Poll,
    StartClient,
    SubscribeTopics,
)
from spec.fairness.virtual_play import ROUND_TRIP_MS, play_through
from spec.frozen import frozen, replace
from spec.kafka import READ_UNCOMMITTED, Error
from spec.log import Log, logs_of
from spec.observation import Observation
from spec.outcomes import AppendAnswer, NotSent, Outcome
from spec.scenario import Scenario
from spec.semantics import Semantics
from spec.share.steps import BATCH_OPTIMIZED, RECORD_LIMIT, AcknowledgeType
from spec.steps import Append, DeleteRecords, Step

NO_POSITION = NotSent("a share consumer has no positions, and no partitions of its own")
MODES = {AcquireMode.BATCH_OPTIMIZED: BATCH_OPTIMIZED, AcquireMode.RECORD_LIMIT: RECORD_LIMIT}


@frozen
class ShareOptions:
    """What a share consumer sends of its options; see `Options`."""

    options: Options
    mode: int


@frozen
class Batch:
    """What was acquired of a batch of the log, as far as it was not delivered.

    Attributes:
        partition: its number in the layout.
        offsets: the records in it, in order.
        gaps: the offsets without a record.
        deliveries: the delivery count.
    """

    partition: int
    offsets: tuple[int, ...]
    gaps: tuple[int, ...]
    deliveries: int


Acknowledgements = tuple[tuple[int, int, int], ...]
"""What is acknowledged, as (partition, offset, type)."""
Collecting = Callable[
    [tuple[Batch, ...], int, FairnessSemantics], tuple[tuple[Batch, ...], tuple[Batch, ...]]
]
"""What a poll takes of the batches that are held, and what is left, given its limit."""


def share_options_of(step: StartClient) -> ShareOptions:
    """The options that a share consumer sends."""
    mode = BATCH_OPTIMIZED if step.acquire_mode is None else MODES[step.acquire_mode]
    return ShareOptions(options_of(step), mode)


def collect_batches(
    held: tuple[Batch, ...], most: int, semantics: FairnessSemantics
) -> tuple[tuple[Batch, ...], tuple[Batch, ...]]:
    """Whole batches until there are so many records; by the other reading no more than these."""
    taken: list[Batch] = []
    left = [*held]
    count = 0
    while left and count < most:
        batch = left.pop(0)
        room = most - count
        if semantics.excess_records is ExcessRecords.NEXT_POLLS and len(batch.offsets) > room:
            left.insert(0, replace(batch, offsets=batch.offsets[room:]))
            batch = replace(batch, offsets=batch.offsets[:room], gaps=())
        taken.append(batch)
        count += len(batch.offsets)
    return tuple(taken), tuple(left)


def as_returned(returned: PollReturned) -> PollReturned:
    """What a poll returns."""
    return returned


def as_reported(errors: tuple[ClientError, ...]) -> tuple[ClientError, ...]:
    """The errors that a commit reports."""
    return errors


def as_said(acknowledged: Acknowledgements) -> Acknowledgements:
    """What is sent of what was acknowledged."""
    return acknowledged


@frozen
class ShareClient:
    """What decides what a share consumer does; each part can be another's, or have a planted fault.

    Attributes:
        optioned: what it sends of its options.
        collecting: what a poll takes of what was acquired.
        sending: what it sends of what is acknowledged.
        returning: what a poll returns in place of what it should.
        reporting: what a commit reports of the errors with which its acknowledgements were
            answered.
    """

    optioned: Callable[[StartClient], ShareOptions] = share_options_of
    collecting: Collecting = collect_batches
    sending: Callable[[Acknowledgements], Acknowledgements] = as_said
    returning: Callable[[PollReturned], PollReturned] = as_returned
    reporting: Callable[[tuple[ClientError, ...]], tuple[ClientError, ...]] = as_reported


SHARE_CONSUMER = ShareClient()
"""Kafka's own share consumer, as the model has it."""


def answer_shares(
    scenario: Scenario, semantics: Semantics, client: ShareClient = SHARE_CONSUMER
) -> Observation:
    """What a share consumer returns to each step, in order."""
    return play_through(scenario, _Play(scenario, semantics, client))


class _Play:
    """A history under way."""

    def __init__(self, scenario: Scenario, semantics: Semantics, client: ShareClient) -> None:
        self.semantics, self.client = semantics, client
        self.rules = semantics.of(FairnessSemantics)
        self.server: ShareServer = share_server(logs_of(scenario.layout), 0)
        self.options = ShareOptions(Options(), BATCH_OPTIMIZED)
        self.explicit = any(isinstance(one, AcknowledgeRecords) for one in scenario.steps)
        self.held: tuple[Batch, ...] = ()
        self.last: tuple[Batch, ...] = ()
        self.pending: Acknowledgements = ()
        self.epoch = 0
        self.now = 0.0
        self.fetches: list[ServedFetch] = []

    def outcome(self, step: Step) -> Outcome:
        """What a step leads to."""
        self.fetches = []
        match step:
            case StartClient():
                self.options = self.client.optioned(step)
                self.server = replace(self.server, isolation=step.isolation)
            case Poll():
                return self._poll(step)
            case AcknowledgeRecords():
                self._acknowledge(AcknowledgeType[step.way.name])
                return StepDone(self._commit(), tuple(self.fetches))
            case CommitPositions():
                self._accept_last()
                return CommitReturned((), self._commit(), tuple(self.fetches))
            case EndLocks():
                self.server = end_locks(self.server, self.semantics)
            case Append() | DeleteRecords():
                return self._write(step)
            case Idle():
                self.now += step.idle_ms
            case SubscribeTopics() | CloseClient():
                pass
            case _:
                return NO_POSITION
        return StepDone((), tuple(self.fetches))

    def _accept_last(self) -> None:
        if not self.explicit:
            self._acknowledge(AcknowledgeType.ACCEPT)

    def _acknowledge(self, way: AcknowledgeType) -> None:
        """What the last poll returned is acknowledged, and what is no record in it called a
        gap.
        """
        self.pending += tuple(
            [(one.partition, offset, way) for one in self.last for offset in one.offsets]
            + [(one.partition, at, AcknowledgeType.GAP) for one in self.last for at in one.gaps]
        )
        self.last = ()

    def _poll(self, step: Poll) -> Outcome:
        """Deliver what was acquired, or fetch until there is something or the time is over."""
        self._accept_last()
        deadline = self.now + step.timeout_ms
        most = self.options.options.max_poll_records
        while True:
            self.last, self.held = self.client.collecting(self.held, most, self.rules)
            if any(one.offsets for one in self.last) or self.now >= deadline:
                break
            self._fetch(deadline)
        records = tuple(
            [
                Delivered(one.partition, offset, deliveries=one.deliveries)
                for one in self.last
                for offset in one.offsets
            ]
        )
        return self.client.returning(PollReturned(records, (), tuple(self.fetches)))

    def _fetch(self, deadline: float) -> None:
        options = self.options.options
        parts = self._exchange(
            ShareRequest(
                max_records=options.max_poll_records,
                max_bytes=options.fetch_max_bytes,
                min_bytes=options.fetch_min_bytes,
                max_wait_ms=options.max_wait_ms,
                mode=self.options.mode,
            )
        )
        found = [
            one
            for part in parts
            for one in _acquired_batches(part, self.server.logs[part.partition])
        ]
        self.held += tuple(found)
        if not found:
            self.now = min(deadline, self.now + options.max_wait_ms)

    def _commit(self) -> tuple[ClientError, ...]:
        """Send what is acknowledged, and wait for the answer; the errors that are reported."""
        parts = self._exchange(ShareRequest()) if self.pending else ()
        return self.client.reporting(
            tuple(
                [
                    ClientError(Error(part.refused).name, part.partition)
                    for part in parts
                    if part.refused
                ]
            )
        )

    def _exchange(self, request: ShareRequest) -> tuple[FetchedPart, ...]:
        """Send a request with all that is acknowledged and not sent; the parts of its response."""
        sent, self.pending = self.client.sending(self.pending), ()
        request = replace(request, acknowledged=_ranges(sent), epoch=self.epoch)
        self.server, parts = serve(self.server, request, self.semantics, self.now)
        asked = tuple([AskedPart(number) for number in self.server.logs])
        self.fetches.append(
            ServedFetch(
                asked=asked if request.max_records is not None else (),
                parts=parts,
                epoch=request.epoch,
                max_wait_ms=request.max_wait_ms,
                min_bytes=request.min_bytes,
                max_bytes=request.max_bytes,
                max_records=request.max_records,
                acquire_mode=None if request.max_records is None else request.mode,
                acknowledged=request.acknowledged,
                asked_ms=self.now,
                answered_ms=self.now + ROUND_TRIP_MS,
            )
        )
        self.epoch += 1
        self.now += ROUND_TRIP_MS
        return parts

    def _write(self, step: Append | DeleteRecords) -> AppendAnswer:
        log = self.server.logs[step.partition]
        if isinstance(step, Append):
            written, offset = log.with_batch(step.batch), log.end
        else:
            written = log.deleted_to(step.offset)
            offset = written.start
        self.server = replace(self.server, logs={**self.server.logs, step.partition: written})
        return AppendAnswer(0, offset)


def _acquired_batches(part: FetchedPart, log: Log) -> list[Batch]:
    """The batches that a response says were acquired, each as far as it was."""
    records = {*visible(log, READ_UNCOMMITTED).certain}
    found = []
    for one in part.acquired:
        for _, offsets in groupby(range(one.first, one.last + 1), log.batch_number):
            both = [*offsets]
            there = tuple([offset for offset in both if offset in records])
            gaps = tuple([offset for offset in both if offset not in records])
            found.append(Batch(part.partition, there, gaps, one.count))
    return found


def _ranges(acknowledged: Acknowledgements) -> tuple[Acknowledged, ...]:
    """What is acknowledged in the wire's words: a range with one type for neighbours of one
    type.
    """
    found = []
    numbered = enumerate(sorted({(one[0], one[1]): one[2] for one in acknowledged}.items()))
    for (partition, kind, _), run in groupby(
        numbered, key=lambda one: (one[1][0][0], one[1][1], one[1][0][1] - one[0])
    ):
        offsets = [place[1] for _, (place, _) in run]
        found.append(Acknowledged(partition, offsets[0], offsets[-1], (kind,)))
    return tuple(found)
