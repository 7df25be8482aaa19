"""Planted faults of produce, each a change at one seam of a leader, and legal variants that must
pass.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from conformance.faults.planted import Expected
from spec.kafka import INT32_MAX, INT64_MAX, Error
from spec.layout import Codec
from spec.produce.model.acceptance import check_batch, is_record_too_long, wrong_keys
from spec.produce.model.received import Framing
from spec.produce.model.seams import REFERENCE, Kept, Leader, Reply, Several, reply_to
from spec.produce.model.stored_size import stored_size
from spec.replica import Written, check_sequence

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.serve.broker_state import BrokerState
    from spec.produce.model.received import Received
    from spec.produce.outcomes import BatchAnswer
    from spec.produce.topic import TopicSettings
    from spec.replica import Incoming, Remembered

VIOLATES, DEVIATES, CONFORMS = Expected.VIOLATES, Expected.DEVIATES, Expected.CONFORMS


@dataclass(frozen=True, slots=True)
class ProduceFault:
    """A way for a leader to be wrong, or different; see `PlantedFault`."""

    name: str
    clause: str
    expected: Expected
    summary: str
    leader: Leader

    def plant(self, state: BrokerState) -> None:
        """Make a served model wrong in this way."""
        state.leader = self.leader


def _misread(when: Callable[[Received], bool], **fields: Any) -> Leader:
    """The leader sees other fields of some batches than they have."""
    return Leader(
        receiving=lambda received: replace(received, **fields) if when(received) else received
    )


def _coded(old: Error, new: Error) -> Leader:
    """The leader answers another code."""
    return Leader(deciding=lambda errors: tuple([new if one is old else one for one in errors]))


def _checked(
    change: Callable[[Received, TopicSettings, Error], Error],
) -> Leader:
    """The leader comes to another result of its checks."""
    return Leader(
        checking=lambda received, topic: change(received, topic, check_batch(received, topic))
    )


def _answered(change: Callable[[BatchAnswer], BatchAnswer]) -> Leader:
    """The leader alters the answer on each batch."""
    return Leader(answering=lambda answers: tuple([change(one) for one in answers]))


def _kept(kept: Kept, when: Callable[[Received, Error], bool]) -> Leader:
    """The leader keeps something else of some batches."""
    return Leader(
        keeping=lambda received, error, acks: (
            kept if when(received, error) else REFERENCE.keeping(received, error, acks)
        )
    )


def _more_allowed(topic: TopicSettings) -> TopicSettings:
    return replace(topic, max_message_bytes=min(INT32_MAX, topic.max_message_bytes + 12))


def _one_less(topic: TopicSettings) -> TopicSettings:
    return replace(topic, max_message_bytes=topic.max_message_bytes - 1)


def _checksum_first(received: Received, topic: TopicSettings, error: Error) -> Error:
    del topic
    return error if received.sound else Error.CORRUPT_MESSAGE


def _of_records(received: Received) -> bool:
    return received.framing is Framing.ONE and received.records not in {0, received.count}


def _counts_disagree(received: Received) -> bool:
    return _of_records(received) or received.last_delta + 1 != received.count


def _neighbours_too(errors: tuple[Error, ...]) -> tuple[Error, ...]:
    first = next((error for error in errors if error), Error.NONE)
    return tuple([error or first for error in errors])


def _base_anyway(answer: BatchAnswer) -> BatchAnswer:
    return replace(answer, base=0) if answer.error else answer


def _as_accepted(answer: BatchAnswer, **fields: Any) -> BatchAnswer:
    return answer if answer.error else replace(answer, **fields)


def _sequenced(
    change: Callable[[Remembered, Incoming, Written | None], Written | None],
) -> Leader:
    """The leader makes something else of a batch in view of what it remembers of its producer."""
    return Leader(
        sequencing=lambda known, batch: change(known, batch, check_sequence(known, batch))
    )


def _never_wraps(known: Remembered, batch: Incoming, found: Written | None) -> Written | None:
    past = bool(known.batches) and known.batches[-1][1] == INT32_MAX
    follows = found is None and batch.epoch == known.epoch
    return Written(Error.OUT_OF_ORDER_SEQUENCE_NUMBER) if past and follows else found


def _keys_are_asked_for(received: Received, topic: TopicSettings, error: Error) -> Error:
    return Error.INVALID_REQUEST if error and wrong_keys(received, topic) else error


def _smaller_is_enough(received: Received, topic: TopicSettings, error: Error) -> Error:
    """A batch that is too large as it is sent is taken if it is small enough once it is stored."""
    stored = stored_size(received, topic)
    fits = stored.most <= topic.max_message_bytes < received.size
    return Error.NONE if error is Error.MESSAGE_TOO_LARGE and fits else error


def _only_sent_size(received: Received, topic: TopicSettings, error: Error) -> Error:
    sent_fits = received.size <= topic.max_message_bytes
    return Error.NONE if error is Error.MESSAGE_TOO_LARGE and sent_fits else error


def _never_grows_past(received: Received, topic: TopicSettings, error: Error) -> Error:
    straddles = stored_size(received, topic).straddles(topic.max_message_bytes)
    return Error.MESSAGE_TOO_LARGE if straddles and not error else error


def _lacking(topic: TopicSettings) -> Error:
    return Error.NOT_ENOUGH_REPLICAS if topic.min_insync > 1 else Error.NONE


FAULTS = (
    ProduceFault(
        "prefix-not-counted",
        "PRO-001",
        VIOLATES,
        "The 12 bytes before a batch's length counts are not measured against max.message.bytes.",
        Leader(configured=_more_allowed),
    ),
    ProduceFault(
        "limit-itself-refused",
        "PRO-001",
        VIOLATES,
        "A batch of exactly max.message.bytes is refused.",
        Leader(configured=_one_less),
    ),
    ProduceFault(
        "size-has-other-code",
        "PRO-101",
        DEVIATES,
        "A batch that is too large is answered with RECORD_LIST_TOO_LARGE.",
        _coded(Error.MESSAGE_TOO_LARGE, Error.RECORD_LIST_TOO_LARGE),
    ),
    ProduceFault(
        "checksum-before-size",
        "PRO-002",
        DEVIATES,
        "The checksum of a batch is looked at before its size.",
        _checked(_checksum_first),
    ),
    ProduceFault(
        "requests-of-any-length",
        "PRO-050",
        VIOLATES,
        "A request may be as long as it likes.",
        Leader(longest=lambda _: INT32_MAX),
    ),
    ProduceFault(
        "segment-size-has-other-code",
        "PRO-003",
        DEVIATES,
        "A batch that is larger than a segment is answered with MESSAGE_TOO_LARGE.",
        _coded(Error.RECORD_LIST_TOO_LARGE, Error.MESSAGE_TOO_LARGE),
    ),
    ProduceFault(
        "long-record-has-other-code",
        "PRO-027",
        DEVIATES,
        "A record that is too long once it is unpacked is answered with MESSAGE_TOO_LARGE.",
        _checked(
            lambda received, topic, error: (
                Error.MESSAGE_TOO_LARGE if is_record_too_long(received, topic) else error
            )
        ),
    ),
    ProduceFault(
        "replicas-matter-to-the-leader-alone",
        "PRO-054",
        VIOLATES,
        "min.insync.replicas counts for acks=1 too.",
        Leader(insync=lambda acks, topic: _lacking(topic) if acks == 1 else Error.NONE),
    ),
    ProduceFault(
        "more-replicas-than-there-are",
        "PRO-055",
        DEVIATES,
        "A topic needs as many replicas in sync as it says, also if it has fewer.",
        Leader(insync=lambda acks, topic: _lacking(topic) if acks == -1 else Error.NONE),
    ),
    ProduceFault(
        "first-batch-of-a-partition-taken",
        "PRO-023",
        DEVIATES,
        "Of several batches for one partition of a request, the first is stored and answered.",
        Leader(several=Several.FIRST),
    ),
    ProduceFault(
        "each-batch-of-a-partition-answered",
        "PRO-165",
        DEVIATES,
        "Of several batches for one partition of a request, each is stored and answered.",
        Leader(several=Several.EACH),
    ),
    ProduceFault(
        "codec-of-the-producer-kept",
        "PRO-020",
        VIOLATES,
        "A batch is stored with the codec with which it was sent, whatever compression.type is.",
        _kept(Kept.NOT_ENCODED_AGAIN, lambda _, error: not error),
    ),
    ProduceFault(
        "unpacked-size-not-measured",
        "PRO-022",
        VIOLATES,
        "The size of a batch is measured before its records are unpacked, and not after.",
        _checked(_only_sent_size),
    ),
    ProduceFault(
        "sent-size-not-measured",
        "PRO-021",
        DEVIATES,
        "The size of a batch is measured after its records are unpacked, and not before.",
        _checked(_smaller_is_enough),
    ),
    ProduceFault(
        "any-size-stored",
        "PRO-122",
        VIOLATES,
        "A batch may have any size.",
        _checked(lambda _, __, error: Error.NONE if error is Error.MESSAGE_TOO_LARGE else error),
    ),
    ProduceFault(
        "times-lost-in-compression",
        "PRO-134",
        VIOLATES,
        "Where a leader compresses the records of a batch, all get the time of the first.",
        _kept(Kept.RETIMED, lambda _, error: not error),
    ),
    ProduceFault(
        "unused-bit-set",
        "PRO-136",
        DEVIATES,
        "A leader sets an unused bit in the attributes of each batch.",
        _kept(Kept.REWRITTEN, lambda _, error: not error),
    ),
    ProduceFault(
        "checksum-ignored",
        "PRO-060",
        VIOLATES,
        "A batch with a wrong checksum is accepted.",
        _misread(lambda received: not received.sound, sound=True),
    ),
    ProduceFault(
        "old-formats-accepted",
        "PRO-011",
        VIOLATES,
        "Messages of formats 0 and 1 are accepted.",
        _misread(lambda received: received.magic < 2, magic=2),
    ),
    ProduceFault(
        "old-format-is-corrupt",
        "PRO-111",
        DEVIATES,
        "A message of format 0 or 1 is answered with CORRUPT_MESSAGE.",
        _misread(lambda received: received.magic < 2, magic=2, sound=False),
    ),
    ProduceFault(
        "unreadable-fails-alone",
        "PRO-066",
        DEVIATES,
        "An unreadable batch is refused with INVALID_RECORD, and its neighbours are accepted.",
        _misread(lambda received: received.framing is Framing.UNREADABLE, framing=Framing.NONE),
    ),
    ProduceFault(
        "two-batches-taken",
        "PRO-010",
        DEVIATES,
        "The first of two batches for a partition is accepted.",
        _misread(lambda received: received.framing is Framing.SEVERAL, framing=Framing.ONE),
    ),
    ProduceFault(
        "two-batches-are-corrupt",
        "PRO-110",
        DEVIATES,
        "Two batches for a partition are answered with CORRUPT_MESSAGE.",
        _misread(
            lambda received: received.framing is Framing.SEVERAL,
            framing=Framing.ONE,
            sound=False,
        ),
    ),
    ProduceFault(
        "nothing-is-corrupt",
        "PRO-014",
        DEVIATES,
        "A partition without a whole batch is answered with CORRUPT_MESSAGE.",
        _misread(
            lambda received: received.framing is Framing.NONE,
            framing=Framing.ONE,
            sound=False,
        ),
    ),
    ProduceFault(
        "base-offset-ignored",
        "PRO-012",
        DEVIATES,
        "A batch whose base offset is not 0 is accepted.",
        _misread(lambda received: received.base_offset != 0, base_offset=0),
    ),
    ProduceFault(
        "counts-are-corrupt",
        "PRO-013",
        DEVIATES,
        "A batch whose counts disagree is answered with CORRUPT_MESSAGE.",
        _misread(_counts_disagree, sound=False),
    ),
    ProduceFault(
        "control-batches-accepted",
        "PRO-016",
        DEVIATES,
        "A producer may write control batches.",
        _misread(lambda received: received.control, control=False),
    ),
    ProduceFault(
        "bytes-after-refused",
        "PRO-015",
        DEVIATES,
        "A batch that is followed by other bytes is refused.",
        Leader(
            receiving=lambda received: (
                replace(received, framing=Framing.NONE) if received.bytes_after else received
            )
        ),
    ),
    ProduceFault(
        "no-answer-for-the-leader-alone",
        "PRO-061",
        VIOLATES,
        "A request with acks=1 is not answered.",
        Leader(
            replying=lambda acks, errors: Reply.CLOSING if acks == 1 else reply_to(acks, errors)
        ),
    ),
    ProduceFault(
        "answers-without-acks",
        "PRO-070",
        VIOLATES,
        "A request with acks=0 is answered.",
        Leader(replying=lambda *_: Reply.ANSWER),
    ),
    ProduceFault(
        "error-without-acks-kept-quiet",
        "PRO-118",
        DEVIATES,
        "A request with acks=0 leaves the connection open, whatever becomes of it.",
        Leader(replying=lambda acks, _: Reply.ANSWER if acks else Reply.NOTHING),
    ),
    ProduceFault(
        "any-acks",
        "PRO-018",
        VIOLATES,
        "Each acks is as good as another.",
        _coded(Error.INVALID_REQUIRED_ACKS, Error.NONE),
    ),
    ProduceFault(
        "acks-are-an-invalid-request",
        "PRO-119",
        DEVIATES,
        "Acks that there are not are answered with INVALID_REQUEST.",
        _coded(Error.INVALID_REQUIRED_ACKS, Error.INVALID_REQUEST),
    ),
    ProduceFault(
        "unknown-partition-accepted",
        "PRO-019",
        VIOLATES,
        "A batch for a partition that does not exist is answered without an error.",
        _coded(Error.UNKNOWN_TOPIC_OR_PARTITION, Error.NONE),
    ),
    ProduceFault(
        "unknown-partition-is-invalid",
        "PRO-120",
        DEVIATES,
        "A batch for a partition that does not exist is answered with INVALID_PARTITIONS.",
        _coded(Error.UNKNOWN_TOPIC_OR_PARTITION, Error.INVALID_PARTITIONS),
    ),
    ProduceFault(
        "three-records-refused",
        "PRO-067",
        VIOLATES,
        "A sound batch of three records is refused.",
        _checked(
            lambda received, _, error: (
                Error.INVALID_RECORD if received.records == received.count == 3 else error
            )
        ),
    ),
    ProduceFault(
        "neighbours-refused",
        "PRO-053",
        VIOLATES,
        "Where one batch of a request is refused, all are.",
        Leader(deciding=_neighbours_too),
    ),
    ProduceFault(
        "last-partition-not-answered",
        "PRO-065",
        VIOLATES,
        "The answer lacks the last of several partitions.",
        Leader(answering=lambda answers: answers[:-1] if len(answers) > 1 else answers),
    ),
    ProduceFault(
        "append-time-always-given",
        "PRO-062",
        VIOLATES,
        "The answer has a log append time on a topic with CreateTime, too.",
        _answered(lambda answer: _as_accepted(answer, append_time=True)),
    ),
    ProduceFault(
        "append-time-never-given",
        "PRO-062",
        VIOLATES,
        "The answer has no log append time on a topic with LogAppendTime either.",
        _answered(lambda answer: _as_accepted(answer, append_time=False)),
    ),
    ProduceFault(
        "log-start-not-given",
        "PRO-063",
        VIOLATES,
        "The log start offset of an answer is -1.",
        _answered(lambda answer: replace(answer, log_start=None)),
    ),
    ProduceFault(
        "refused-with-offset",
        "PRO-064",
        DEVIATES,
        "The answer on a refused batch has base offset 0.",
        _answered(_base_anyway),
    ),
    ProduceFault(
        "last-offset-answered",
        "PRO-024",
        VIOLATES,
        "The answer has the offset of the last record of a batch of several.",
        Leader(
            answering=lambda answers: tuple(
                [_as_accepted(one, base=(one.base or 0) + 1) for one in answers]
            )
        ),
    ),
    ProduceFault(
        "base-always-zero",
        "PRO-106",
        VIOLATES,
        "The base offset of each answer is that of the first batch of the log.",
        _answered(lambda answer: _as_accepted(answer, base=0)),
    ),
    ProduceFault(
        "refused-is-stored",
        "PRO-052",
        VIOLATES,
        "A batch that is too large is answered with an error, and stored all the same.",
        _kept(Kept.AS_SENT, lambda _, error: error is Error.MESSAGE_TOO_LARGE),
    ),
    ProduceFault(
        "accepted-is-lost",
        "PRO-152",
        VIOLATES,
        "Nothing of an accepted batch of three records is stored.",
        _kept(Kept.NOTHING, lambda received, error: received.records == 3 and not error),
    ),
    ProduceFault(
        "stored-damaged",
        "PRO-068",
        VIOLATES,
        "The last byte of a batch of two records is stored as another one.",
        _kept(Kept.DAMAGED, lambda received, error: received.records == 2 and not error),
    ),
    ProduceFault(
        "offset-left-out",
        "PRO-051",
        DEVIATES,
        "An offset is left out before each batch.",
        _kept(Kept.GAP, lambda _, error: not error),
    ),
    ProduceFault(
        "lost-without-acks",
        "PRO-069",
        DEVIATES,
        "A request with acks=0 is dropped.",
        Leader(
            keeping=lambda received, error, acks: (
                REFERENCE.keeping(received, error, acks) if acks else Kept.NOTHING
            )
        ),
    ),
    ProduceFault(
        "stored-rewritten",
        "PRO-124",
        DEVIATES,
        "An unused bit is set in the attributes of each batch.",
        _kept(Kept.REWRITTEN, lambda _, error: not error),
    ),
    ProduceFault(
        "zstd-in-each-version",
        "PRO-025",
        VIOLATES,
        "A batch that is compressed by zstd is taken in each version.",
        _coded(Error.UNSUPPORTED_COMPRESSION_TYPE, Error.NONE),
    ),
    ProduceFault(
        "zstd-is-unsupported-version",
        "PRO-125",
        DEVIATES,
        "A batch that is compressed by zstd is answered with UNSUPPORTED_VERSION below version 7.",
        _coded(Error.UNSUPPORTED_COMPRESSION_TYPE, Error.UNSUPPORTED_VERSION),
    ),
    ProduceFault(
        "unknown-codec-is-corrupt",
        "PRO-017",
        DEVIATES,
        "A batch whose records can't be unpacked is answered with CORRUPT_MESSAGE.",
        _misread(lambda received: received.records is None, sound=False, codec=Codec.NONE),
    ),
    ProduceFault(
        "unknown-codec-fails-alone",
        "PRO-117",
        DEVIATES,
        "A batch that names codec 5 is refused alone in each version.",
        _misread(lambda received: received.codec is None, codec=Codec.GZIP),
    ),
    ProduceFault(
        "sequence-not-needed",
        "PRO-040",
        DEVIATES,
        "A batch with a producer id needs no sequence.",
        _misread(lambda received: received.sequence < 0, producer=-1),
    ),
    ProduceFault(
        "transactional-without-id",
        "PRO-045",
        DEVIATES,
        "A transactional batch needs no transactional id.",
        _misread(lambda received: received.transactional, transactional=False),
    ),
    ProduceFault(
        "append-time-bit-refused",
        "PRO-033",
        DEVIATES,
        "A batch that says that its timestamps are the broker's is refused by each topic.",
        _checked(
            lambda received, _, error: (
                error or (Error.INVALID_TIMESTAMP if received.log_append_time else error)
            )
        ),
    ),
    ProduceFault(
        "max-timestamp-not-repaired",
        "PRO-032",
        DEVIATES,
        "A max timestamp that is not that of the records is stored as it was sent.",
        _kept(Kept.UNREPAIRED, lambda _, error: not error),
    ),
    ProduceFault(
        "append-time-not-stored",
        "PRO-034",
        VIOLATES,
        "A topic with the broker's times stores those of its producers.",
        _kept(Kept.UNSTAMPED, lambda _, error: not error),
    ),
    ProduceFault(
        "no-limit-ahead",
        "PRO-030",
        VIOLATES,
        "A record may be as far ahead as it likes.",
        Leader(configured=lambda topic: replace(topic, after_max_ms=INT64_MAX)),
    ),
    ProduceFault(
        "no-limit-behind",
        "PRO-132",
        VIOLATES,
        "A record may be as old as it likes.",
        Leader(configured=lambda topic: replace(topic, before_max_ms=INT64_MAX)),
    ),
    ProduceFault(
        "wrong-time-is-invalid-record",
        "PRO-130",
        DEVIATES,
        "A batch with a record too far ahead is answered with INVALID_RECORD.",
        _coded(Error.INVALID_TIMESTAMP, Error.INVALID_RECORD),
    ),
    ProduceFault(
        "no-time-is-too-old",
        "PRO-133",
        DEVIATES,
        "A timestamp of -1 is taken for a time long ago.",
        _checked(
            lambda received, _, error: Error.INVALID_TIMESTAMP if None in received.times else error
        ),
    ),
    ProduceFault(
        "keys-not-needed",
        "PRO-026",
        VIOLATES,
        "A compacted topic takes records without keys.",
        Leader(configured=lambda topic: replace(topic, compacted=False)),
    ),
    ProduceFault(
        "missing-key-is-invalid-request",
        "PRO-126",
        DEVIATES,
        "A record without a key is answered with INVALID_REQUEST.",
        _checked(_keys_are_asked_for),
    ),
    ProduceFault(
        "record-before-named",
        "PRO-031",
        VIOLATES,
        "The record errors of an answer are one record off.",
        _answered(
            lambda answer: replace(
                answer, record_errors=tuple([index + 1 for index in answer.record_errors])
            )
        ),
    ),
    ProduceFault(
        "first-wrong-record-named",
        "PRO-131",
        DEVIATES,
        "The record errors of an answer name the first record that is wrong.",
        _answered(lambda answer: replace(answer, record_errors=answer.record_errors[:1])),
    ),
    ProduceFault(
        "wrong-max-timestamp-refused",
        "PRO-135",
        DEVIATES,
        "A header that says a wrong max timestamp is refused.",
        _checked(
            lambda received, _, error: error or (Error.INVALID_RECORD if received.lies else error)
        ),
    ),
    ProduceFault(
        "sequence-does-not-wrap",
        "PRO-046",
        VIOLATES,
        "No sequence number follows 2147483647.",
        _sequenced(_never_wraps),
    ),
    ProduceFault(
        "unknown-producer-begins-low",
        "PRO-140",
        DEVIATES,
        "A producer that is not known may not begin with the last sequence numbers.",
        _checked(
            lambda received, _, error: (
                error
                or (Error.UNKNOWN_PRODUCER_ID if received.sequence >= INT32_MAX - 1 else error)
            )
        ),
    ),
    ProduceFault(
        "repetition-stored",
        "PRO-041",
        VIOLATES,
        "A batch that comes twice is stored twice.",
        _sequenced(lambda _, __, found: None if found and found.repeated else found),
    ),
    ProduceFault(
        "repetition-without-time",
        "PRO-144",
        DEVIATES,
        "The answer on a batch that comes twice is that on any other.",
        Leader(repeating=lambda answer: answer),
    ),
    ProduceFault(
        "repetition-refused",
        "PRO-141",
        DEVIATES,
        "A batch that comes twice is answered with DUPLICATE_SEQUENCE_NUMBER.",
        _sequenced(
            lambda _, __, found: (
                Written(Error.DUPLICATE_SEQUENCE_NUMBER) if found and found.repeated else found
            )
        ),
    ),
    ProduceFault(
        "gap-accepted",
        "PRO-042",
        VIOLATES,
        "A producer may leave sequence numbers out.",
        _sequenced(
            lambda known, batch, found: (
                None if found and found.error and batch.epoch == known.epoch else found
            )
        ),
    ),
    ProduceFault(
        "gap-is-invalid-record",
        "PRO-142",
        DEVIATES,
        "A sequence that neither follows nor repeats is answered with INVALID_RECORD.",
        _sequenced(
            lambda known, batch, found: (
                Written(Error.INVALID_RECORD)
                if found and found.error and batch.epoch == known.epoch
                else found
            )
        ),
    ),
    ProduceFault(
        "older-epoch-accepted",
        "PRO-043",
        VIOLATES,
        "A producer may use an older epoch.",
        _sequenced(lambda known, batch, found: None if batch.epoch < known.epoch else found),
    ),
    ProduceFault(
        "older-epoch-is-fenced",
        "PRO-143",
        DEVIATES,
        "A batch of an older epoch is answered with PRODUCER_FENCED.",
        _sequenced(
            lambda known, batch, found: (
                Written(Error.PRODUCER_FENCED) if batch.epoch < known.epoch else found
            )
        ),
    ),
    ProduceFault(
        "new-epoch-begins-anywhere",
        "PRO-044",
        DEVIATES,
        "A newer epoch may begin with any sequence number.",
        _sequenced(lambda known, batch, found: None if batch.epoch > known.epoch else found),
    ),
)

VARIANTS: tuple[ProduceFault, ...] = (
    ProduceFault(
        "produce-answered-in-reverse",
        "",
        CONFORMS,
        "The partitions of an answer come in another order.",
        Leader(answering=lambda answers: answers[::-1]),
    ),
    ProduceFault(
        "compressor-grows-records",
        "",
        CONFORMS,
        "The compressor of a topic makes every batch larger than its limit that it may.",
        _checked(_never_grows_past),
    ),
)
