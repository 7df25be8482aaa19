"""The dry run of a producer's history: what Kafka's producer does, in virtual time, writing to one
broker.

Source: KafkaProducer.java, RecordAccumulator.java and Sender.java of Kafka 4.3.1.
"""

from collections.abc import Callable, Sequence

from spec.fairness.model.record_sizes import batch_size, estimated_size
from spec.fairness.outcomes import (
    ProducedBatch,
    RecordsSent,
    SentRecord,
    ServedProduce,
    StepDone,
)
from spec.fairness.releases import ComparedSize, FairnessSemantics, OversizeBatch
from spec.fairness.sending import Record, records_of
from spec.fairness.steps import (
    CloseClient,
    Idle,
    LimitMessages,
    SendRecords,
    StartClient,
)
from spec.fairness.virtual_play import ROUND_TRIP_MS, play_through
from spec.frozen import frozen, replace
from spec.kafka import Error
from spec.log import logs_of
from spec.observation import Observation
from spec.outcomes import NotSent, Outcome
from spec.scenario import Scenario
from spec.semantics import Semantics
from spec.steps import Step

NO_READING = NotSent("a producer reads nothing")
DEFAULT_MESSAGE_LIMIT = 1_048_588
"""The default of `max.message.bytes`."""
RecordBatch = tuple[Record, ...]


@frozen
class ProducerOptions:
    """What a producer goes by; see `StartClient`."""

    batch_size: int = 16_384
    max_request_size: int = 1_048_576


def producer_options_of(step: StartClient) -> ProducerOptions:
    """The options that a producer is given, and the defaults of those that it is not.

    Source: ProducerConfig.java of Kafka 4.3.1.
    """
    default = ProducerOptions()
    given = step.batch_size, step.max_request_size
    return ProducerOptions(
        default.batch_size if given[0] is None else max(1, given[0]),
        default.max_request_size if given[1] is None else given[1],
    )


def is_admitted(record: Record, options: ProducerOptions, semantics: FairnessSemantics) -> bool:
    """Whether a record is sent at all."""
    counted = (
        estimated_size(record.size)
        if semantics.compared_size is ComparedSize.UPPER_BOUND
        else batch_size([record.size])
    )
    return counted <= options.max_request_size


def fill_batches(records: RecordBatch, most: int) -> tuple[RecordBatch, ...]:
    """The records of one partition in batches of so many bytes at most; a larger record has one of
    its own.
    """
    found: list[RecordBatch] = []
    for record in records:
        longer = (*found[-1], record) if found else (record,)
        if found and batch_size([one.size for one in longer]) <= most:
            found[-1] = longer
        else:
            found.append((record,))
    return tuple(found)


def fill_request(waiting: Sequence[RecordBatch], most: int) -> int:
    """How many of the batches that come first, one of each partition, a request takes."""
    total = 0
    for count, batch in enumerate(waiting):
        total += batch_size([one.size for one in batch])
        if count and total > most:
            return count
    return len(waiting)


def split(batch: RecordBatch, options: ProducerOptions) -> tuple[RecordBatch, ...]:
    """The parts of a batch that was too large: each at most half of it, or one record."""
    del options
    return fill_batches(batch, batch_size([one.size for one in batch]) // 2)


def as_sent(sent: RecordsSent) -> RecordsSent:
    """What is reported to the application."""
    return sent


@frozen
class ProducerClient:
    """What decides what a producer does; each part can be another's, or have a planted fault.

    Attributes:
        optioned: what it goes by, given its options.
        admitting: whether it sends a record at all.
        batching: how it puts the records of a partition into batches, given their largest size.
        requesting: how many of the batches that wait a request takes, given its largest size.
        sending: what it sends of the records of a step.
        splitting: what it makes of a batch of several records that was too large.
        returning: what it reports in place of what it should.
    """

    optioned: Callable[[StartClient], ProducerOptions] = producer_options_of
    admitting: Callable[[Record, ProducerOptions, FairnessSemantics], bool] = is_admitted
    batching: Callable[[RecordBatch, int], tuple[RecordBatch, ...]] = fill_batches
    requesting: Callable[[Sequence[RecordBatch], int], int] = fill_request
    sending: Callable[[RecordBatch], RecordBatch] = lambda records: records
    splitting: Callable[[RecordBatch, ProducerOptions], tuple[RecordBatch, ...]] = split
    returning: Callable[[RecordsSent], RecordsSent] = as_sent


PRODUCER = ProducerClient()
"""Kafka's own producer, as the model has it."""


def answer_produces(
    scenario: Scenario, semantics: Semantics, client: ProducerClient = PRODUCER
) -> Observation:
    """What a producer returns to each step, in order."""
    return play_through(scenario, _Play(scenario, semantics, client))


class _Play:
    """A history under way."""

    def __init__(self, scenario: Scenario, semantics: Semantics, client: ProducerClient) -> None:
        self.rules, self.client = semantics.of(FairnessSemantics), client
        self.options = ProducerOptions()
        self.limit = DEFAULT_MESSAGE_LIMIT
        self.ends = {number: log.end for number, log in logs_of(scenario.layout).items()}
        self.given = 0
        self.now = 0.0
        self.results: dict[int, SentRecord] = {}
        self.requests: list[ServedProduce] = []

    def outcome(self, step: Step) -> Outcome:
        """What a step leads to."""
        match step:
            case StartClient():
                self.options = self.client.optioned(step)
            case SendRecords():
                return self._send(step)
            case LimitMessages():
                self.limit = step.size
            case Idle():
                self.now += step.idle_ms
            case CloseClient():
                pass
            case _:
                return NO_READING
        return StepDone()

    def _send(self, step: SendRecords) -> RecordsSent:
        """Put records into batches, and send these until each has an answer for good."""
        records = records_of(step, self.given)
        self.given += len(records)
        self.results, self.requests = {}, []
        admitted = []
        for one in records:
            if self.client.admitting(one, self.options, self.rules):
                admitted.append(one)
            else:
                self._refuse(one)
        most = min(self.options.batch_size, self.options.max_request_size)
        waiting = {
            partition: [
                *self.client.batching(
                    self.client.sending(
                        tuple([one for one in admitted if one.partition == partition])
                    ),
                    most,
                )
            ]
            for partition in step.partitions
        }
        while any(waiting.values()):
            self._request(waiting)
        sent = RecordsSent(
            tuple([self.results.get(one.number, SentRecord()) for one in records]),
            tuple(self.requests),
        )
        return self.client.returning(sent)

    def _request(self, waiting: dict[int, list[RecordBatch]]) -> None:
        """One request with its answer: what it has is no longer waiting, or in smaller batches."""
        first = [batches[0] for batches in waiting.values() if batches]
        count = self.client.requesting(first, self.options.max_request_size)
        produced = []
        for batch in first[:count]:
            partition = batch[0].partition
            waiting[partition].pop(0)
            answered = self._answer(batch)
            produced.append(answered)
            if not answered.error:
                for place, one in enumerate(batch):
                    self.results[one.number] = SentRecord((answered.offset or 0) + place)
            elif len(batch) > 1 and self.rules.oversize_batch is OversizeBatch.SPLIT:
                waiting[partition][:0] = self.client.splitting(batch, self.options)
            else:
                for one in batch:
                    self._refuse(one)
        answered_ms = self.now + ROUND_TRIP_MS
        self.requests.append(ServedProduce(tuple(produced), self.now, answered_ms))
        self.now = answered_ms

    def _answer(self, batch: RecordBatch) -> ProducedBatch:
        """What the broker answers for a batch, which it stores unless that is too large."""
        partition, size = batch[0].partition, batch_size([one.size for one in batch])
        numbers = tuple([one.number for one in batch])
        if size > self.limit:
            return ProducedBatch(partition, size, numbers, int(Error.MESSAGE_TOO_LARGE))
        offset = self.ends[partition]
        self.ends[partition] += len(batch)
        return ProducedBatch(partition, size, numbers, 0, offset)

    def _refuse(self, record: Record) -> None:
        self.results[record.number] = replace(SentRecord(), error=Error.MESSAGE_TOO_LARGE.name)
