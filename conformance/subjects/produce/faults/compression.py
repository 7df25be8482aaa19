"""Faults in how a batch is compressed, unpacked and measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.subjects.produce.faults.fault import (
    DEVIATES,
    VIOLATES,
    ProduceFault,
    change_check,
    misread,
    replace_code,
    store_differently,
)
from spec.kafka import Error
from spec.layout import Codec
from spec.produce.model.seams import StoredForm
from spec.produce.model.stored_size import stored_size

if TYPE_CHECKING:
    from spec.produce.model.received import Received
    from spec.produce.topic import TopicSettings


def _measure_only_stored(received: Received, topic: TopicSettings, error: Error) -> Error:
    """The size as sent is not measured: a batch that is too large as it is sent is taken if it is
    small enough once it is stored.
    """
    stored = stored_size(received, topic)
    fits = stored.most <= topic.max_message_bytes < received.size
    return Error.NONE if error is Error.MESSAGE_TOO_LARGE and fits else error


def _measure_only_sent(received: Received, topic: TopicSettings, error: Error) -> Error:
    """The size as stored is not measured: a batch is taken if it is small enough as it is sent."""
    sent_fits = received.size <= topic.max_message_bytes
    return Error.NONE if error is Error.MESSAGE_TOO_LARGE and sent_fits else error


FAULTS: tuple[ProduceFault, ...] = (
    ProduceFault(
        "codec-of-the-producer-kept",
        "PRO-020",
        VIOLATES,
        "A batch is stored with the codec with which it was sent, whatever compression.type is.",
        store_differently(StoredForm.NOT_ENCODED_AGAIN, lambda _, error: not error),
    ),
    ProduceFault(
        "unpacked-size-not-measured",
        "PRO-022",
        VIOLATES,
        "The size of a batch is measured before its records are unpacked, and not after.",
        change_check(_measure_only_sent),
    ),
    ProduceFault(
        "sent-size-not-measured",
        "PRO-021",
        DEVIATES,
        "The size of a batch is measured after its records are unpacked, and not before.",
        change_check(_measure_only_stored),
    ),
    ProduceFault(
        "any-size-stored",
        "PRO-122",
        VIOLATES,
        "A batch may have any size.",
        change_check(
            lambda _, __, error: Error.NONE if error is Error.MESSAGE_TOO_LARGE else error
        ),
    ),
    ProduceFault(
        "times-lost-in-compression",
        "PRO-134",
        VIOLATES,
        "Where a leader compresses the records of a batch, all get the time of the first.",
        store_differently(StoredForm.RETIMED, lambda _, error: not error),
    ),
    ProduceFault(
        "unused-bit-set",
        "PRO-136",
        DEVIATES,
        "A leader sets an unused bit in the attributes of each batch.",
        store_differently(StoredForm.REWRITTEN, lambda _, error: not error),
    ),
    ProduceFault(
        "zstd-in-each-version",
        "PRO-025",
        VIOLATES,
        "A batch that is compressed by zstd is taken in each version.",
        replace_code(Error.UNSUPPORTED_COMPRESSION_TYPE, Error.NONE),
    ),
    ProduceFault(
        "zstd-is-unsupported-version",
        "PRO-125",
        DEVIATES,
        "A batch that is compressed by zstd is answered with UNSUPPORTED_VERSION below version 7.",
        replace_code(Error.UNSUPPORTED_COMPRESSION_TYPE, Error.UNSUPPORTED_VERSION),
    ),
    ProduceFault(
        "unknown-codec-is-corrupt",
        "PRO-017",
        DEVIATES,
        "A batch whose records can't be unpacked is answered with CORRUPT_MESSAGE.",
        misread(lambda received: received.records is None, sound=False, codec=Codec.NONE),
    ),
    ProduceFault(
        "unknown-codec-fails-alone",
        "PRO-117",
        DEVIATES,
        "A batch that names codec 5 is refused alone in each version.",
        misread(lambda received: received.codec is None, codec=Codec.GZIP),
    ),
)
