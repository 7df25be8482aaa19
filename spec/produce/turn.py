"""What the clauses about produce look at: a request, one of its batches, or what was read back of
one partition; and what is known of the partitions before it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import field

from spec.frozen import frozen, replace
from spec.kafka import Error
from spec.outcomes import Outcome
from spec.produce.model.coordinator import TransactionalIdKind, naming_of
from spec.produce.model.received import Framing, Received, incoming_of, received_of
from spec.produce.model.stored_size import depends_on_bytes
from spec.produce.outcomes import (
    BatchAnswer,
    NoAnswer,
    ProduceAnswer,
    ProducerGiven,
    ReadPartition,
    TimeFound,
)
from spec.produce.releases import REQUEST_MAX_BYTES, TRANSACTION_MAX_MS
from spec.produce.steps import ZSTD_SINCE, CarriedProducer, Flaw, InitProducer, Outgoing, Produce
from spec.produce.topic import TimestampType, TopicSettings
from spec.replica import Incoming, ProducerState, Written, check_sequence, remember
from spec.verdict import Side, side

_MAY_BE_STORED = frozenset({Error.REQUEST_TIMED_OUT, Error.NOT_ENOUGH_REPLICAS_AFTER_APPEND})
"""Errors by which a leader says that it has a batch, and that others may lack it."""
_LACKS_REPLICAS = frozenset({Error.NOT_ENOUGH_REPLICAS, Error.NOT_ENOUGH_REPLICAS_AFTER_APPEND})
SentAs = tuple[int, int]
"""The number of a step, and a batch's place in its request."""


@frozen
class PossibleBatch:
    """A batch that is stored, or may be.

    Attributes:
        sent: which it is.
        batch: its shape.
        acks: of its request.
        base: its base offset as it was answered; None where nothing was.
        expected: the reference accepts it, whatever its compressor makes of it.
        topic: the configs of its topic when it was sent.
        appended_ms: the log append time that was answered, ms after the first one of the play.
    """

    sent: SentAs
    batch: Outgoing
    acks: int
    base: int | None
    expected: bool
    topic: TopicSettings = field(default_factory=TopicSettings)
    appended_ms: int | None = None

    @property
    def spans(self) -> frozenset[int]:
        """How many offsets it may take: as many as it has records, where its header agrees. Of a
        batch that is wrong in this, and was accepted all the same, no text says which counts, so
        that it may be any number between.
        """
        seen = received_of(self.batch)
        whole = 0 if seen.framing is Framing.NONE else seen.records
        said = [seen.count, seen.last_delta + 1, self.batch.records]
        said += [] if whole is None else [whole]
        return frozenset(range(max(0, min(said)), max(said) + 1))


@frozen
class PartitionState:
    """What is known of a partition.

    Attributes:
        start: its log start offset.
        laid: where it ended before the first step.
        end: the end of what is known to be stored, at least.
        other_ends: further ones that are possible, where the last batch does not say how many
            offsets it takes.
        stored: the batches that were answered without an error.
        refused: those that were answered with one.
        repeated: those that were answered as repetitions of a batch that is stored.
        maybe: those of which nothing was answered, or that the leader alone may have.
        named_twice: of each request that named it more than once, the batches for it, and the base
            offset that was answered without an error.
        producers: what a leader that goes by the reference remembers of each idempotent producer.
        lost: an answer was such that nothing is known of the partition any more.
    """

    start: int
    laid: int
    end: int
    stored: tuple[PossibleBatch, ...] = ()
    refused: tuple[SentAs, ...] = ()
    repeated: tuple[SentAs, ...] = ()
    maybe: tuple[PossibleBatch, ...] = ()
    named_twice: tuple[tuple[tuple[SentAs, ...], int], ...] = ()
    producers: Mapping[int, ProducerState] = field(default_factory=dict)
    lost: bool = False
    other_ends: frozenset[int] = frozenset()

    @property
    def possible_ends(self) -> frozenset[int]:
        """Where the log may end, whichever of the batches without an answer are stored."""
        ends = frozenset({self.end}) | self.other_ends
        for one in self.maybe:
            ends |= {end + count for end in ends for count in one.spans}
        return ends

    def sent_to(self, kind: TimestampType) -> frozenset[SentAs]:
        """The accepted batches that were sent while their topic had this
        `message.timestamp.type`.
        """
        return frozenset([one.sent for one in self.stored if one.topic.timestamp_type is kind])

    def is_repetition(self, batch: Outgoing, base: int | None) -> bool:
        """Whether a batch was answered with the base offset of one that is stored, and has its
        producer, epoch, sequence and record count.
        """
        alike = (batch.producer, batch.epoch, batch.sequence, batch.records)
        return batch.producer is not None and any(
            one.base == base
            and (one.batch.producer, one.batch.epoch, one.batch.sequence, one.batch.records)
            == alike
            for one in self.stored
            if base is not None
        )

    def state_after(
        self, kept: PossibleBatch, incoming: Incoming, answer: BatchAnswer | None
    ) -> "PartitionState":
        """The state after the answer to a batch, as it was observed; None where there was none. A
        repetition that is taken for one leaves nothing.
        """
        if answer is None or answer.error in _MAY_BE_STORED:
            return replace(self, maybe=(*self.maybe, kept))
        if answer.error:
            return replace(self, refused=(*self.refused, kept.sent))
        known = self.producers.get(incoming.producer)
        check = check_sequence(known, incoming) if known is not None else None
        remembered = check is not None and check.repeated and check.base == answer.base
        if remembered or self.is_repetition(kept.batch, answer.base):
            return replace(self, repeated=(*self.repeated, kept.sent))
        if answer.base is None or answer.base < self.end:
            return replace(self, lost=True)
        if check is not None and known is not None and known.is_before(self.start):
            known = None  # it was forgotten with its records
        producers = self.producers
        if incoming.producer >= 0:
            now = remember(known, incoming, answer.base)
            producers = {**producers, incoming.producer: now}
        stored = (*self.stored, replace(kept, base=answer.base, appended_ms=answer.appended_ms))
        ends = frozenset([answer.base + count for count in kept.spans])
        both = (kept,) if kept.batch.flaw is Flaw.TWO_BATCHES else ()
        maybe = (*self.maybe, *both)
        return replace(
            self,
            stored=stored,
            end=min(ends),
            other_ends=ends - {min(ends)},
            maybe=maybe,
            producers=producers,
        )

    def after_several(
        self, some: Sequence[PossibleBatch], answer: BatchAnswer | None
    ) -> "PartitionState":
        """The state after one answer to several batches of a request: which of them are stored is
        not said.
        """
        state = replace(self, maybe=(*self.maybe, *some))
        if answer is None or answer.error or answer.base is None:
            return state
        named = (tuple([one.sent for one in some]), answer.base)
        return replace(state, named_twice=(*self.named_twice, named))


@frozen
class Sending:
    """A request and what came of it.

    Attributes:
        step: the request.
        outcome: what came.
        partitions: how many the layout has.
        expected: the errors that the reference gives, in the order of the request.
        undecided: whether the shape of a batch of it leaves open if it is accepted.
        limit: `socket.request.max.bytes` of the broker; None where it is not known.
    """

    step: Produce
    outcome: Outcome
    partitions: int
    expected: tuple[Error, ...]
    undecided: bool = False
    limit: int | None = REQUEST_MAX_BYTES

    @property
    def where(self) -> Side | None:
        """On which side of the broker's limit its length is; None where that is not known."""
        least, most = self.step.lengths
        if self.limit is None:
            return None
        if least > self.limit:
            return Side.ABOVE
        return side(most, self.limit) if least == most or most < self.limit else None

    @property
    def may_be_too_long(self) -> bool:
        """Whether a broker may close its connection since it is too long; where its limit is not
        known, each request may be that is made long on purpose.
        """
        if self.limit is None:
            return bool(self.step.length) or self.step.lengths[1] > REQUEST_MAX_BYTES
        return self.step.lengths[1] > self.limit

    @property
    def answer(self) -> ProduceAnswer | None:
        """The answer, where one came."""
        return self.outcome if isinstance(self.outcome, ProduceAnswer) else None

    @property
    def fails_whole(self) -> bool:
        """Whether a batch is unreadable, or transactional though the request is not, or names no
        codec in an old version, so that a broker may fail the whole request; or the request names a
        transactional id.
        """
        named = self.step.transactional is not None
        return self.unreadable or self.transactional or self.without_codec or named

    @property
    def without_codec(self) -> bool:
        """Whether a batch names a codec that does not exist, in a version whose codecs are looked
        at early.
        """
        return self.step.version < ZSTD_SINCE and any(
            one.flaw is Flaw.CODEC_5 and one.partition < self.partitions
            for one in self.step.batches
        )

    @property
    def unreadable(self) -> bool:
        """Whether a batch has a length or a format that none can have."""
        return any(received_of(one).framing is Framing.UNREADABLE for one in self.step.batches)

    @property
    def transactional(self) -> bool:
        """Whether a batch is transactional though the request is not."""
        named = self.step.transactional is not None
        return not named and any(one.flaw is Flaw.TRANSACTIONAL for one in self.step.batches)

    def names_twice(self, partition: int) -> bool:
        """Whether several batches of it are for one partition."""
        return [one.partition for one in self.step.batches].count(partition) > 1

    @property
    def silent(self) -> bool:
        """Whether nothing came and the connection stays open."""
        return isinstance(self.outcome, NoAnswer)


@frozen
class Attempt:
    """One batch of a request, and the answer on it.

    Attributes:
        sending: the request.
        batch: its shape.
        received: what the leader sees of it.
        topic: the configs of its topic.
        error: the error that the reference gives.
        checked: the error of its own bytes, before its sequence is looked at.
        before: its partition before it; None where there is no such partition.
        answer: the answer on its partition.
    """

    sending: Sending
    batch: Outgoing
    received: Received
    topic: TopicSettings
    error: Error
    checked: Error
    before: PartitionState | None
    answer: BatchAnswer

    @property
    def code(self) -> int:
        """The error code that was answered."""
        return self.answer.error

    @property
    def judged_alone(self) -> bool:
        """Whether its own bytes decide about it: its partition exists, its request has an `acks`
        that there is, no batch of the request makes the whole unreadable, its shape decides, and
        its topic does not lack replicas.
        """
        return (
            self.before is not None
            and not self.is_undecided
            and not self.lacks_replicas
            and self.sending.step.acks in {-1, 0, 1}
            and not self.sending.fails_whole
        )

    @property
    def is_undecided(self) -> bool:
        """Whether what its shape leaves open decides about it: what a compressor makes of it."""
        return not self.error and depends_on_bytes(self.received, self.topic)

    @property
    def lacks_replicas(self) -> bool:
        """Whether it was refused since its topic asks for more replicas in sync than one."""
        asked = self.topic.min_insync > 1 and self.sending.step.acks == -1
        return asked and self.code in _LACKS_REPLICAS

    def has(self, *flaws: Flaw) -> bool:
        """Whether it is judged alone and has one of these flaws."""
        return self.judged_alone and self.batch.flaw in flaws

    @property
    def sequence(self) -> Written | None:
        """What the reference makes of a sound batch of an idempotent producer that it remembers: an
        error, a repetition, or a batch that follows (neither); None for any other batch.
        """
        known = self.producer_state
        if known is None or not self.judged_alone or self.checked:
            return None
        return check_sequence(known, incoming_of(self.received)) or Written()

    @property
    def producer_state(self) -> ProducerState | None:
        """What a leader remembers of its producer; None where that is nothing, or is not known."""
        if self.before is None or self.batch.producer is None:
            return None
        if any(one.batch.producer == self.batch.producer for one in self.before.maybe):
            return None
        return self.before.producers.get(self.received.producer)

    @property
    def has_no_record_left(self) -> bool:
        """Whether all that its producer has stored is deleted: a leader may know it no more."""
        known = self.producer_state
        return known is not None and self.before is not None and known.is_before(self.before.start)

    @property
    def repeats(self) -> bool:
        """Whether it repeats a batch that is stored."""
        return self.sequence is not None and self.sequence.repeated

    @property
    def is_remembered_longer(self) -> bool:
        """Whether it is answered as the repetition of a batch that the reference remembers no more;
        a leader may remember more of them.
        """
        before = self.before
        return (
            before is not None
            and not self.code
            and before.is_repetition(self.batch, self.answer.base)
        )

    @property
    def neighbour_refused(self) -> bool:
        """Whether the reference refuses another batch of the request."""
        others = zip(self.sending.step.batches, self.sending.expected, strict=True)
        return any(error for batch, error in others if batch.partition != self.batch.partition)


@frozen
class Reading:
    """What was read back of a partition, or where it was said to end.

    Attributes:
        state: what is known of it.
        end: where it ends, by ListOffsets or as the high watermark of a Fetch; None where that was
            answered with an error.
        read: what was fetched; None where its end alone was looked up.
    """

    state: PartitionState
    end: int | None
    read: ReadPartition | None = None


@frozen
class Search:
    """A lookup by time and what it found.

    Attributes:
        state: what is known of its partition.
        topic: the configs of its topic.
        found: the answer, without an error.
    """

    state: PartitionState
    topic: TopicSettings
    found: TimeFound

    @property
    def times(self) -> tuple[tuple[range, int], ...] | None:
        """The offsets and the log append time of each batch, all of which are known; None where
        they are not, or records were deleted: then deleted ones may decide (OFF-004).
        """
        state = self.state
        unsure = state.lost or state.maybe or state.other_ends or state.named_twice
        if unsure or state.start or state.laid or self.topic.timestamp_type is TimestampType.CREATE:
            return None
        times = []
        for one in state.stored:
            if one.base is None or one.appended_ms is None:
                return None
            times.append((range(one.base, one.base + one.batch.records), one.appended_ms))
        return tuple(times)


@frozen
class InitProducerExchange:
    """An InitProducerId request and the answer to it.

    Attributes:
        step: the request.
        answer: what came.
        pairs: the producers and epochs that answers for its transactional id had before, each once.
        carried: the pair that the request carried by which the last of them was given; None where
            it carried none.
        producers: all that were given in the scenario so far.
        longest_ms: `transaction.max.timeout.ms` of the broker; None where it is not known.
    """

    step: InitProducer
    answer: ProducerGiven
    pairs: tuple[tuple[int, int], ...] = ()
    carried: tuple[int, int] | None = None
    producers: frozenset[int] = frozenset()
    longest_ms: int | None = TRANSACTION_MAX_MS

    @property
    def naming(self) -> TransactionalIdKind:
        """How it names its transactional id."""
        return naming_of(self.step.transactional)

    @property
    def has_legal_timeout(self) -> bool:
        """Whether its transaction timeout is one that a transaction may have, as the answer says
        where the limit is not known.
        """
        if self.longest_ms is None:
            refused = self.answer.error == Error.INVALID_TRANSACTION_TIMEOUT
            return self.step.timeout_ms > 0 and not refused
        return 0 < self.step.timeout_ms <= self.longest_ms

    @property
    def pair(self) -> tuple[int, int] | None:
        """The producer and epoch that were given; None where there was an error."""
        answer = self.answer
        if answer.error or answer.producer is None or answer.epoch is None:
            return None
        return answer.producer, answer.epoch

    @property
    def claims_last(self) -> bool:
        """Whether it carries the pair of the last answer."""
        return bool(self.pairs) and self.step.claim is CarriedProducer.NOW

    @property
    def is_retry(self) -> bool:
        """Whether it carries the pair by which the last one was given."""
        before = self.step.claim is CarriedProducer.BEFORE and len(self.pairs) > 1
        return before and self.carried == self.pairs[-2]

    @property
    def claims_wrongly(self) -> bool:
        """Whether it carries a pair that is neither the last one nor that of a retry."""
        if (
            self.naming is not TransactionalIdKind.NAMED
            or not self.pairs
            or not self.has_legal_timeout
        ):
            return False
        if self.step.claim is CarriedProducer.BEFORE:
            return len(self.pairs) > 1 and not self.is_retry
        return self.step.claim in {CarriedProducer.NEWER, CarriedProducer.OTHER}


@frozen
class Turn:
    """One thing for the clauses to look at; the others are None."""

    sending: Sending | None = None
    attempt: Attempt | None = None
    reading: Reading | None = None
    initiation: InitProducerExchange | None = None
    search: Search | None = None

    @property
    def request(self) -> Sending:
        """The request, of a turn that is one."""
        assert self.sending is not None
        return self.sending

    @property
    def sent_batch(self) -> Attempt:
        """The batch, of a turn that is one."""
        assert self.attempt is not None
        return self.attempt

    @property
    def read_back(self) -> Reading:
        """What was read back, of a turn that is that."""
        assert self.reading is not None
        return self.reading

    @property
    def given(self) -> InitProducerExchange:
        """The InitProducerId request, of a turn that is one."""
        assert self.initiation is not None
        return self.initiation


ALONE = (
    "It is looked at in the answer on a batch of which its own bytes decide: its partition exists, "
    "the acks of its request are -1, 0 or 1, no batch of the request fails all of it (PRO-066, "
    "PRO-045, PRO-117), and its topic does not lack replicas in sync. What its size is as it is "
    "stored, or as it is unpacked, must not depend on a compressor where a limit lies between."
)
"""The condition `Attempt.judged_alone` in words."""
FIRST = "Where more is wrong with the batch, it is looked at where Apache Kafka notices this first."
"""The condition that the reference gives the error which a clause is about, in words."""


def of_search(turn: Turn) -> bool:
    """Whether a turn is a lookup by time."""
    return turn.search is not None


def of_initiation(turn: Turn) -> bool:
    """Whether a turn is an InitProducerId request."""
    return turn.initiation is not None


def of_request(turn: Turn) -> bool:
    """Whether a turn is a request."""
    return turn.sending is not None


def of_batch(turn: Turn) -> bool:
    """Whether a turn is a batch that was answered."""
    return turn.attempt is not None


def of_reading(turn: Turn) -> bool:
    """Whether a turn is what was read back."""
    return turn.reading is not None
