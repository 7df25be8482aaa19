"""Which batches a leader accepts: the checks of a Produce request in the order in which Apache
Kafka makes them.

Source: KafkaApis.scala:396-450, ProduceRequest.java:211-232, UnifiedLog.java:1489-1592 and
LogValidator.java:138-602 of Kafka 4.3.1.
"""

from collections.abc import Callable, Sequence

from spec.frozen import frozen
from spec.kafka import CURRENT_MAGIC, Error
from spec.layout import Codec
from spec.produce.model.received import Framing, Received
from spec.produce.model.stored_size import stored_size
from spec.produce.steps import ZSTD_SINCE
from spec.produce.topic import TimestampType, TopicSettings

ACKS = (-1, 0, 1)


@frozen
class AddressedBatch:
    """A batch and what it is for.

    Attributes:
        received: the batch.
        topic: the configs of the topic of its partition; None where there is no such partition.
        by_unknown_id: it names its topic by an id that none has.
    """

    received: Received
    topic: TopicSettings | None
    by_unknown_id: bool = False


Checking = Callable[[Received, TopicSettings], Error]


def check_batch(received: Received, topic: TopicSettings) -> Error:
    """The first check that a single batch of format 2 fails; NONE where it fails none."""
    return _check_header(received, topic) or _check_records(received, topic)


def _check_header(received: Received, topic: TopicSettings) -> Error:
    """The first check that a batch fails before its records are looked at one by one."""
    if received.base_offset:
        return Error.INVALID_RECORD
    if received.size > topic.max_message_bytes:
        return Error.MESSAGE_TOO_LARGE
    if not received.sound:
        return Error.CORRUPT_MESSAGE
    if received.codec is None:
        return Error.UNKNOWN_SERVER_ERROR
    if received.count < 1 or received.last_delta + 1 != received.count or received.control:
        return Error.INVALID_RECORD
    if received.producer >= 0 and received.sequence < 0:
        return Error.INVALID_RECORD
    if received.records is None:
        return Error.UNKNOWN_SERVER_ERROR
    if received.records != received.count:
        return Error.INVALID_RECORD
    return Error.NONE


def _check_records(received: Received, topic: TopicSettings) -> Error:
    """The first check that the records of a batch fail, or its size once it is stored."""
    if is_record_too_long(received, topic):
        return Error.INVALID_RECORD
    if wrong_times(received, topic):
        return Error.INVALID_TIMESTAMP
    if wrong_keys(received, topic):
        return Error.INVALID_RECORD
    stored = stored_size(received, topic).least
    if stored > topic.max_message_bytes:
        return Error.MESSAGE_TOO_LARGE
    return Error.RECORD_LIST_TOO_LARGE if 0 < topic.segment_bytes < stored else Error.NONE


def is_record_too_long(received: Received, topic: TopicSettings) -> bool:
    """Whether a compressed batch has a record that is too long once it is unpacked."""
    packed = received.codec is not Codec.NONE
    return packed and 0 < topic.max_decompressed < received.longest[0]


def wrong_keys(received: Received, topic: TopicSettings) -> tuple[int, ...]:
    """The indices of the records that lack a key which their topic needs."""
    return received.keyless if topic.compacted else ()


def wrong_times(received: Received, topic: TopicSettings) -> tuple[int, ...]:
    """The indices of the records whose time their topic does not allow; of a record without a key
    that it needs, no time is looked at.
    """
    without = wrong_keys(received, topic)
    return tuple(
        [
            index
            for index, time in enumerate(received.times)
            if index not in without and _is_wrong(time, received, topic)
        ]
    )


def _is_wrong(time: int | None, received: Received, topic: TopicSettings) -> bool:
    if topic.timestamp_type is TimestampType.APPEND:
        return received.log_append_time
    return time is not None and not -topic.before_max_ms <= time <= topic.after_max_ms


def wrong_records(received: Received, topic: TopicSettings) -> tuple[int, ...]:
    """The indices of the records that are named where a batch is refused for its records."""
    return tuple(sorted([*wrong_keys(received, topic), *wrong_times(received, topic)]))


RECORD_ERRORS = frozenset({Error.INVALID_TIMESTAMP, Error.INVALID_RECORD})


def names_records(received: Received, topic: TopicSettings, error: Error) -> tuple[int, ...]:
    """The indices of the records that the answer names, by the error of the batch: those for which
    it was refused, if it was sound.
    """
    sound = not _check_header(received, topic) and not is_record_too_long(received, topic)
    return wrong_records(received, topic) if error in RECORD_ERRORS and sound else ()


def check_framing(received: Received, version: int) -> Error:
    """The first check of the bytes for a partition, before anything else is looked at."""
    if received.framing is Framing.NONE or received.magic < CURRENT_MAGIC:
        return Error.INVALID_RECORD
    if received.codec is Codec.ZSTD and version < ZSTD_SINCE:
        return Error.UNSUPPORTED_COMPRESSION_TYPE
    if received.framing is Framing.SEVERAL:
        return Error.INVALID_RECORD
    return Error.NONE


def check_request(
    batches: Sequence[AddressedBatch],
    acks: int,
    version: int,
    checking: Checking = check_batch,
    *,
    transactional_id: bool = False,
) -> tuple[Error, ...]:
    """The error of each batch of a request, before it is appended; NONE where it goes to the
    log. `transactional_id`: the request names one; whether its transaction has the partitions is
    not asked here (`check_transaction`).
    """
    if any(one.received.framing is Framing.UNREADABLE for one in batches):
        return (Error.CORRUPT_MESSAGE,) * len(batches)
    if not transactional_id and any(one.received.transactional for one in batches):
        return (Error.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,) * len(batches)
    if version < ZSTD_SINCE and any(_has_no_codec(one) for one in batches):
        return (Error.UNKNOWN_SERVER_ERROR,) * len(batches)
    return tuple([_check_addressed(one, acks, version, checking) for one in batches])


def check_transaction(received: Received, *, has_partition: bool) -> Error:
    """What a batch of a request with a transactional id, of a version in which it does not make its
    partition part of the transaction, has for an error; `has_partition`: that is part of it.

    Source: KIP-890, AddPartitionsToTxnManager.java of Kafka 4.3.1.
    """
    outside = received.transactional and not has_partition
    return Error.INVALID_TXN_STATE if outside else Error.NONE


def _has_no_codec(one: AddressedBatch) -> bool:
    """Whether a batch for a partition that exists names a codec that does not: Apache Kafka looks
    at the codecs of old versions while it sorts the partitions.
    """
    received = one.received
    whole = received.framing is not Framing.NONE and received.magic == CURRENT_MAGIC
    return one.topic is not None and whole and received.codec is None


def _check_addressed(one: AddressedBatch, acks: int, version: int, checking: Checking) -> Error:
    if one.topic is None:
        return Error.UNKNOWN_TOPIC_ID if one.by_unknown_id else Error.UNKNOWN_TOPIC_OR_PARTITION
    if error := check_framing(one.received, version):
        return error
    if acks not in ACKS:
        return Error.INVALID_REQUIRED_ACKS
    return checking(one.received, one.topic)
