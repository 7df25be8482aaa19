"""What a producer under test was given, and what became of each record."""

from collections.abc import Iterator

from spec.fairness.outcomes import ProducedBatch, RecordsSent, ServedProduce
from spec.fairness.steps import SendRecords
from spec.frozen import frozen

DIGITS = 8
"""A value begins with the number of its record, in so many digits."""


@frozen
class Record:
    """A record that the application gives to its producer.

    Attributes:
        number: its place among those of the history, from 0.
        partition: its number in the layout.
        size: bytes of its value.
    """

    number: int
    partition: int
    size: int


def value_of(number: int, size: int) -> str:
    """The value of a record: its number, and what it takes to have a size, with another end than
    that of a value that was cut.
    """
    return f"{number:0{DIGITS}d}".ljust(size - 1, "x").ljust(size, ".")


def number_of(value: str) -> int:
    """The number of the record that has a value; -1 for a value that `value_of` gives no record."""
    digits = value[:DIGITS]
    number = int(digits) if digits.isdecimal() else -1
    return number if number >= 0 and value == value_of(number, len(value)) else -1


def records_of(step: SendRecords, first: int) -> tuple[Record, ...]:
    """The records of a step in the order in which the producer is given them, given the number of
    the first one.
    """
    both = [(partition, size) for size in step.sizes for partition in step.partitions]
    return tuple(
        [
            Record(number, partition, size)
            for number, (partition, size) in enumerate(both, start=first)
        ]
    )


def tries_of(sent: RecordsSent) -> dict[int, list[tuple[ServedProduce, ProducedBatch, int]]]:
    """By record: each request that had it, with its batch and its place in that."""
    found: dict[int, list[tuple[ServedProduce, ProducedBatch, int]]] = {}
    for served, batch in batches_of(sent):
        for place, number in enumerate(batch.records):
            found.setdefault(number, []).append((served, batch, place))
    return found


def batches_of(sent: RecordsSent) -> Iterator[tuple[ServedProduce, ProducedBatch]]:
    """Each batch that was produced, with its request."""
    for served in sent.requests:
        for batch in served.batches:
            yield served, batch
