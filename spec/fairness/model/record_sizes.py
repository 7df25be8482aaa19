"""How many bytes records without key and headers have in a batch of the current format.

Source: DefaultRecord.java and DefaultRecordBatch.java of Kafka 4.3.1.
"""

from collections.abc import Sequence

from spec.kafka import BATCH_HEADER

MOST_OVERHEAD = 21
"""The most bytes of a record's length, attributes, timestamp and offset delta."""
NO_KEY = NO_HEADERS = ATTRIBUTES = 1
"""Bytes of a null key, of no headers and of the attributes."""


def varint_size(number: int) -> int:
    """The bytes of a variable-length number that is not negative."""
    return max(1, ((2 * number).bit_length() + 6) // 7)


def record_size(value: int, delta: int, elapsed_ms: int = 0) -> int:
    """The bytes of a record.

    Args:
        value: bytes of its value.
        delta: its place in the batch, from 0.
        elapsed_ms: its timestamp after the batch's first one.
    """
    body = ATTRIBUTES + varint_size(elapsed_ms) + varint_size(delta) + NO_KEY
    body += varint_size(value) + value + NO_HEADERS
    return varint_size(body) + body


def batch_size(values: Sequence[int]) -> int:
    """The bytes of a batch of records whose values have these sizes, all of one timestamp."""
    return BATCH_HEADER + sum([record_size(value, delta) for delta, value in enumerate(values)])


def estimated_size(value: int) -> int:
    """The bytes that Kafka's producer takes a batch of one record to have at most (AbstractRecords,
    `estimateSizeInBytesUpperBound`).
    """
    return BATCH_HEADER + MOST_OVERHEAD + NO_KEY + varint_size(value) + value + NO_HEADERS
