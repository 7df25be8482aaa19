"""Which batches a leader accepts: the checks of a Produce request in the order in which Apache
Kafka makes them.

Source: KafkaApis.scala:396-450, ProduceRequest.java:211-232, UnifiedLog.java:1489-1592 and
LogValidator.java:138-602 of Kafka 4.3.1.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from spec.kafka import CURRENT_MAGIC, Error
from spec.layout import Codec
from spec.produce.model.received import Framing, Received
from spec.produce.steps import TOPIC_IDS_SINCE, ZSTD_SINCE
from spec.produce.topic import TimestampType, TopicSettings

ACKS = (-1, 0, 1)


@dataclass(frozen=True, slots=True)
class Addressed:
    """A batch and the topic of the partition that it is for; None where there is none."""

    received: Received
    topic: TopicSettings | None


Checking = Callable[[Received, TopicSettings], Error]


def check_batch(received: Received, topic: TopicSettings) -> Error:
    """The first check that a single batch of format 2 fails; NONE where it fails none."""
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
    if received.records is None:
        return Error.UNKNOWN_SERVER_ERROR
    if received.records != received.count:
        return Error.INVALID_RECORD
    if received.log_append_time and topic.timestamp_type is TimestampType.APPEND:
        return Error.INVALID_TIMESTAMP
    return Error.NONE


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
    batches: Sequence[Addressed], acks: int, version: int, checking: Checking = check_batch
) -> tuple[Error, ...]:
    """The error of each batch of a request, before it is appended; NONE where it goes to the
    log.
    """
    if any(one.received.framing is Framing.UNREADABLE for one in batches):
        return (Error.CORRUPT_MESSAGE,) * len(batches)
    return tuple([_check_addressed(one, acks, version, checking) for one in batches])


def _check_addressed(one: Addressed, acks: int, version: int, checking: Checking) -> Error:
    if one.topic is None:
        return (
            Error.UNKNOWN_TOPIC_ID
            if version >= TOPIC_IDS_SINCE
            else Error.UNKNOWN_TOPIC_OR_PARTITION
        )
    if error := check_framing(one.received, version):
        return error
    if acks not in ACKS:
        return Error.INVALID_REQUIRED_ACKS
    return checking(one.received, one.topic)
