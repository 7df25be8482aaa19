"""The dry run of a scenario of produce: what the model answers to each step."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

from spec.frozen import replace
from spec.kafka import Error
from spec.layout import Layout
from spec.log import log_of
from spec.observation import Exchange, Observation
from spec.outcomes import AppendAnswer, Closed, NotSent, Outcome
from spec.produce.assigned_ids import AssignedIds
from spec.produce.model.acceptance import (
    AddressedBatch,
    check_request,
    check_transaction,
    names_records,
)
from spec.produce.model.coordinator import CurrentProducer, InitProducerRequest, code_in, naming_of
from spec.produce.model.received import Received, incoming_of, received_of
from spec.produce.model.seams import REFERENCE, Alteration, Leader, Reply, StoredForm
from spec.produce.model.stored_size import stored_size
from spec.produce.outcomes import (
    BatchAnswer,
    EndOffsetsAnswer,
    NoAnswer,
    ProduceAnswer,
    ProducerGiven,
    ReadAnswer,
    ReadBatch,
    ReadPartition,
    TimeFound,
    Times,
    TopicChanged,
    TopicReady,
)
from spec.produce.releases import ProduceSemantics
from spec.produce.steps import (
    RECORD_ERRORS_SINCE,
    ChangeTopic,
    EndOffsets,
    Flaw,
    InitProducer,
    LookUpTime,
    Outgoing,
    Produce,
    ReadBack,
    UseTopic,
)
from spec.produce.topic import TimestampType, TopicSettings
from spec.replica import ProducerState, Written, remember
from spec.scenario import Scenario
from spec.semantics import Semantics
from spec.steps import DeleteRecords, Step

STEP_MS = 10
"""Milliseconds between two steps of a dry run."""
FIRST_ID = 1000
"""The first producer id of the model."""
LOG_START_SINCE = 5
"""The Produce version whose answers have the log start offset."""


def answer_all(scenario: Scenario, semantics: Semantics, leader: Leader = REFERENCE) -> Observation:
    """The answers of the model to a scenario of produce."""
    broker = Broker(scenario.layout, semantics.of(ProduceSemantics), leader)
    return Observation(
        tuple(
            [
                Exchange(number, broker.answer(number, step), number, number + 0.5)
                for number, step in enumerate(scenario.steps)
            ]
        )
    )


@dataclass
class Broker:
    """The partitions of a layout on the model.

    Attributes:
        layout: the partitions before the first step.
        semantics: the decisions in force.
        leader: how requests are handled.
    """

    layout: Layout
    semantics: ProduceSemantics
    leader: Leader
    _altered: Alteration = field(
        default_factory=lambda: Alteration(TopicSettings(), TopicSettings())
    )
    _stored: list[tuple[ReadBatch, ...]] = field(init=False)
    _ends: list[int] = field(init=False)
    _producers: dict[tuple[int, int], ProducerState] = field(init=False, default_factory=dict)
    _deleted: dict[int, int] = field(init=False, default_factory=dict)
    _stamps: dict[int, list[tuple[int, int]]] = field(init=False, default_factory=dict)
    """By partition: (offset, time) of each record that the broker stamped."""
    _now: int = field(init=False, default=0)
    """ms since the first log append time."""
    _current: dict[int, CurrentProducer] = field(init=False, default_factory=dict)
    _given: AssignedIds = field(init=False, default_factory=AssignedIds)
    _ids: Iterator[int] = field(init=False, default_factory=lambda: count(FIRST_ID))

    def __post_init__(self) -> None:
        """Lay the partitions out."""
        logs = [log_of(partition) for partition in self.layout.partitions]
        self._ends = [log.end for log in logs]
        self._stored = [() for _ in logs]

    def answer(self, number: int, step: Step) -> Outcome:
        """What comes back of a step."""
        if isinstance(step, UseTopic):
            self._altered = Alteration(step.settings, step.settings)
            return TopicReady()
        if isinstance(step, ChangeTopic):
            self._altered = Alteration(
                self._topic, self._topic.altered_to(step.settings), step.elsewhere
            )
            return TopicChanged()
        if isinstance(step, EndOffsets):
            return EndOffsetsAnswer(tuple(self._ends))
        if isinstance(step, ReadBack):
            return self._read()
        if isinstance(step, InitProducer):
            return self._give(step)
        if isinstance(step, DeleteRecords):
            return self._delete(step)
        if isinstance(step, LookUpTime):
            return self._look_up(step)
        if not isinstance(step, Produce) or step.version > self.semantics.newest_produce:
            return NotSent(f"the model has no such step: {step.name}")
        answer = self._produce(number, step)
        self._altered = replace(self._altered, requests=self._altered.requests + 1)
        return answer

    @property
    def _topic(self) -> TopicSettings:
        return self.leader.altered(self._altered)

    def _give(self, step: InitProducer) -> ProducerGiven:
        producer, epoch = self._given.claimed(step)
        asked = InitProducerRequest(naming_of(step.transactional), step.timeout_ms, producer, epoch)
        known = None if step.transactional is None else self._current.get(step.transactional)
        longest = self.semantics.transaction_max_ms
        error, current = self.leader.giving(known, asked, longest, lambda: next(self._ids))
        if current is None:
            return ProducerGiven(code_in(error, step.version))
        if step.transactional is not None:
            self._current[step.transactional] = current
        return self._given.answered(step, current.producer, current.epoch)

    def _start(self, partition: int) -> int:
        laid = self.layout.partitions[partition].log_start
        return max(laid, self._deleted.get(partition, 0))

    def _delete(self, step: DeleteRecords) -> AppendAnswer:
        if not 0 <= step.offset <= self._ends[step.partition]:
            return AppendAnswer(Error.OFFSET_OUT_OF_RANGE, -1)
        self._deleted[step.partition] = max(self._start(step.partition), step.offset)
        self._producers = {
            key: known
            for key, known in self._producers.items()
            if key[0] != step.partition or self.leader.outliving(known, self._start(step.partition))
        }
        return AppendAnswer(offset=self._start(step.partition))

    def _look_up(self, step: LookUpTime) -> TimeFound:
        start = self._start(step.partition)
        stamps = [one for one in self._stamps.get(step.partition, []) if one[0] >= start]
        if step.after_ms is None:
            times = [time for _, time in stamps]
            asked, found = None, [one for one in stamps if one[1] == max(times)]
        else:
            asked = self._now + step.after_ms
            found = [one for one in stamps if one[1] >= asked]
        return TimeFound(asked, 0, *found[0]) if found else TimeFound(asked)

    def _read(self) -> ReadAnswer:
        return ReadAnswer(
            tuple(
                [
                    ReadPartition(
                        number,
                        0,
                        end,
                        tuple([one for one in stored if one.last >= self._start(number)]),
                    )
                    for number, (end, stored) in enumerate(
                        zip(self._ends, self._stored, strict=True)
                    )
                ]
            )
        )

    def _produce(self, number: int, step: Produce) -> Outcome:
        leader, topic = self.leader, self.leader.configured(self._topic)
        if step.lengths[0] > leader.longest(self.semantics.request_max_bytes):
            return Closed("closed", control_answered=True)
        arrived = [leader.receiving(received_of(batch)) for batch in step.batches]
        addressed = [
            AddressedBatch(received, topic if batch.partition < len(self._ends) else None)
            for received, batch in zip(arrived, step.batches, strict=True)
        ]
        named = step.transactional is not None
        checked = check_request(
            addressed, step.acks, step.version, leader.checking, transactional_id=named
        )
        if named:
            outside = [check_transaction(one, has_partition=False) for one in arrived]
            checked = tuple([one or other for one, other in zip(checked, outside, strict=True)])
        errors = leader.deciding(checked)
        numbers = [batch.partition for batch in step.batches]
        answers = []
        for place, (batch, received, error) in enumerate(
            zip(step.batches, arrived, errors, strict=True)
        ):
            same = [at for at, one in enumerate(numbers) if one == batch.partition]
            if not leader.several.takes(place, same):
                continue
            written = Written(error or leader.insync(step.acks, topic))
            if not written.error:
                written = self._sequence(batch, received)
            if written.repeated:
                first = self._answer(step, batch, received, Error.NONE, written.base)
                answers.append(leader.repeating(first))
                continue
            kept = leader.keeping(received, written.error, step.acks)
            base = self._append((number, place), batch, received, kept)
            answers.append(self._answer(step, batch, received, written.error, base))
        reply = leader.replying(step.acks, tuple([Error(one.error) for one in answers]))
        if reply is Reply.CLOSING:
            return Closed("closed", control_answered=True)
        if reply is Reply.NOTHING:
            return NoAnswer()
        return ProduceAnswer(leader.answering(tuple(answers)))

    def _answer(
        self, step: Produce, batch: Outgoing, received: Received, error: Error, base: int
    ) -> BatchAnswer:
        if error:
            named = names_records(received, self.leader.configured(self._topic), error)
            shown = named if step.version >= RECORD_ERRORS_SINCE else ()
            return BatchAnswer(batch.partition, error).naming(shown)
        exists = batch.partition < len(self.layout.partitions)
        log_start = self._start(batch.partition) if exists else 0
        appended = self._topic.timestamp_type is TimestampType.APPEND
        return BatchAnswer(
            batch.partition,
            base=base,
            append_time=appended,
            appended_ms=self._now if appended else None,
            log_start=log_start if step.version >= LOG_START_SINCE else None,
        )

    def _sequence(self, batch: Outgoing, received: Received) -> Written:
        """What is remembered of a batch's producer makes of it."""
        known = self._producers.get((batch.partition, received.producer))
        found = None
        if known is not None and received.producer >= 0:
            found = self.leader.sequencing(known, incoming_of(received))
        return found or Written()

    def _append(
        self, sent: tuple[int, int], batch: Outgoing, received: Received, kept: StoredForm
    ) -> int:
        """Store what is kept of a batch; its base offset."""
        if batch.partition >= len(self._ends):
            return 0
        base = self._ends[batch.partition] + (kept is StoredForm.GAP)
        if kept is StoredForm.NOTHING:
            return base
        if received.producer >= 0:
            key = batch.partition, received.producer
            incoming = incoming_of(received)
            self._producers[key] = remember(self._producers.get(key), incoming, base)
        self._now = sent[0] * STEP_MS
        if self._topic.timestamp_type is TimestampType.APPEND:
            stamps = [
                (base + number, self.leader.stamping(self._now, self._now + time))
                for number, time in enumerate(batch.record_times)
            ]
            self._stamps.setdefault(batch.partition, []).extend(stamps)
        stored = stored_as(sent, batch, base, self._topic, kept, received)
        self._stored[batch.partition] += (stored,)
        self._ends[batch.partition] = stored.last + 1
        return base


REPAIRED = frozenset({Flaw.APPEND_TIME, Flaw.MAX_TIMESTAMP_ABOVE, Flaw.MAX_TIMESTAMP_UNSET})
"""Flaws of a header that a leader repairs."""


UNUSED_BITS = "unused_bits"
"""The attributes that mean nothing, where a stored batch has others than it was sent with."""
ENCODED_AGAIN = ("codec", UNUSED_BITS, "records")
"""What becomes another where the records of a batch are encoded again."""


def stored_as(
    sent: tuple[int, int],
    batch: Outgoing,
    base: int,
    topic: TopicSettings,
    kept: StoredForm,
    received: Received,
) -> ReadBatch:
    """What is read back of a batch that was stored at an offset."""
    appended = topic.timestamp_type is TimestampType.APPEND and kept is not StoredForm.UNSTAMPED
    again = topic.encodes_again(batch.codec) and kept is not StoredForm.NOT_ENCODED_AGAIN
    times = (*("timestamp_type",) * appended, "max_timestamp")
    altered = (
        *(times if appended or batch.flaw in REPAIRED else ()),
        *(ENCODED_AGAIN if again else ()),
    )
    plain = ReadBatch(
        base,
        base + batch.records - 1,
        _stored_bytes(received, topic) if again else batch.size,
        batch.records,
        sent,
        identical=not altered,
        codec=(topic.stored_codec(batch.codec) if again else batch.codec).value,
        times=_stored_times(appended, kept),
        altered=altered,
    )
    if kept is StoredForm.UNREPAIRED and batch.flaw in REPAIRED and not appended and not again:
        return replace(plain, identical=True, times=Times.OTHER, altered=())
    if kept is StoredForm.DAMAGED:
        return replace(plain, sent=None, sound=False, identical=False)
    if kept is StoredForm.RETIMED and again and not appended and len({*batch.record_times}) > 1:
        return replace(plain, times=Times.CHANGED)
    rewritten = (*altered, UNUSED_BITS)
    return (
        replace(plain, identical=False, altered=rewritten)
        if kept is StoredForm.REWRITTEN
        else plain
    )


def _stored_times(appended: bool, kept: StoredForm) -> Times:
    if not appended:
        return Times.SENT
    return Times.OTHER if kept is StoredForm.STAMPED_AS_SENT else Times.APPENDED


def _stored_bytes(received: Received, topic: TopicSettings) -> int:
    """A size that a batch may have once its records are encoded again: the one nearest to that with
    which it was sent.
    """
    size = stored_size(received, topic)
    return max(size.least, min(received.size, size.most, topic.max_message_bytes))
