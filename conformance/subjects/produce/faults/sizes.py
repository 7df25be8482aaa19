"""Faults in how large a batch, a record and a request may be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.subjects.produce.faults.fault import (
    DEVIATES,
    VIOLATES,
    ProduceFault,
    change_check,
    replace_code,
)
from spec.frozen import replace
from spec.kafka import INT32_MAX, Error
from spec.produce.model.acceptance import is_record_too_long
from spec.produce.model.seams import Leader

if TYPE_CHECKING:
    from spec.produce.model.received import Received
    from spec.produce.topic import TopicSettings


def _allow_more(topic: TopicSettings) -> TopicSettings:
    return replace(topic, max_message_bytes=min(INT32_MAX, topic.max_message_bytes + 12))


def _one_less(topic: TopicSettings) -> TopicSettings:
    return replace(topic, max_message_bytes=topic.max_message_bytes - 1)


def _checksum_first(received: Received, topic: TopicSettings, error: Error) -> Error:
    del topic
    return error if received.sound else Error.CORRUPT_MESSAGE


FAULTS: tuple[ProduceFault, ...] = (
    ProduceFault(
        "prefix-not-counted",
        "PRO-001",
        VIOLATES,
        "The 12 bytes before a batch's length counts are not measured against max.message.bytes.",
        Leader(configured=_allow_more),
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
        replace_code(Error.MESSAGE_TOO_LARGE, Error.RECORD_LIST_TOO_LARGE),
    ),
    ProduceFault(
        "checksum-before-size",
        "PRO-002",
        DEVIATES,
        "The checksum of a batch is looked at before its size.",
        change_check(_checksum_first),
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
        replace_code(Error.RECORD_LIST_TOO_LARGE, Error.MESSAGE_TOO_LARGE),
    ),
    ProduceFault(
        "long-record-has-other-code",
        "PRO-027",
        DEVIATES,
        "A record that is too long once it is unpacked is answered with MESSAGE_TOO_LARGE.",
        change_check(
            lambda received, topic, error: (
                Error.MESSAGE_TOO_LARGE if is_record_too_long(received, topic) else error
            )
        ),
    ),
    ProduceFault(
        "least-limit-of-records-is-none",
        "PRO-027",
        DEVIATES,
        "max.decompressed.message.bytes=1 limits nothing, as 0 does.",
        change_check(
            lambda received, topic, error: (
                Error.NONE
                if topic.max_decompressed == 1 and is_record_too_long(received, topic)
                else error
            )
        ),
    ),
)
