"""What can come back of a step of produce. Offsets are relative to the layout's base."""

from enum import StrEnum

from spec.frozen import frozen, replace
from spec.in_words import in_words
from spec.outcomes import Outcome


@frozen
class TopicReady(Outcome):
    """The layout's partitions belong to such a topic."""


@frozen
class TopicChanged(Outcome):
    """The broker shows the configs to which a topic was altered."""


@frozen
class NoAnswer(Outcome):
    """Nothing came in answer, and the next request on the connection was answered."""


@frozen
class BatchAnswer:
    """The answer on one partition of a Produce request.

    Attributes:
        partition: its number in the layout, those that do not exist included; -1 for one that the
            request did not name.
        error: the error code.
        base: the base offset; None where it is -1.
        append_time: a log append time was given.
        log_start: the log start offset; None where it is -1, or the version has none.
        record_errors: the indices of the records that are named as refused.
        appended_ms: the log append time, ms after the first one of the play; None where none was
            given.
        message: an error message was given for the batch.
        record_messages: the indices of the named records that have an error message of their own.
    """

    partition: int
    error: int = 0
    base: int | None = None
    append_time: bool = False
    log_start: int | None = None
    record_errors: tuple[int, ...] = ()
    appended_ms: int | None = None
    message: bool = False
    record_messages: tuple[int, ...] = ()

    def naming(self, records: tuple[int, ...]) -> "BatchAnswer":
        """It with these records named as refused, and a message for each and for all."""
        return replace(self, record_errors=records, message=bool(records), record_messages=records)


@frozen
class ProduceAnswer(Outcome):
    """The answer to a Produce request; partitions in the order of the layout."""

    partitions: tuple[BatchAnswer, ...] = ()


@frozen
class ProducerGiven(Outcome):
    """The answer to an InitProducerId request.

    Attributes:
        error: the error code.
        producer: the producer id, as the number of the ids that the play had before it; None where
            it is -1.
        epoch: its epoch; None where it is -1.
    """

    error: int = 0
    producer: int | None = None
    epoch: int | None = None


@frozen
class TimeFound(Outcome):
    """What a lookup by time found.

    Attributes:
        asked_ms: the time that was asked for, ms after the first log append time of the play; None
            for the largest timestamp.
        error: the error code.
        offset: the offset; None where it is -1.
        found_ms: the timestamp, as `asked_ms`; None where it is -1.
    """

    asked_ms: int | None = None
    error: int = 0
    offset: int | None = None
    found_ms: int | None = None


@frozen
class EndOffsetsAnswer(Outcome):
    """The latest offset of each partition of the layout; None where there was an error."""

    ends: tuple[int | None, ...]


class Times(StrEnum):
    """The timestamps of a stored batch."""

    SENT = "sent"
    """The type bit is unset, and each record has the time with which it was sent, whose maximum is
    that of the batch.
    """
    APPENDED = "appended"
    """The type bit is set, and the maximum is the time of appending."""
    CHANGED = "changed"
    """The type bit is unset, and a record has another time than it was sent with."""
    OTHER = "other"


@frozen
class ReadBatch:
    """One batch as it was read back.

    Attributes:
        base, last: its first and last offset.
        size: bytes of the whole batch.
        records: the record count of its header.
        sent: (number of the step, place in the request) of the batch whose records it holds, key by
            key and value by value; None where it is none that was sent to this partition.
        sound: its checksum is right.
        identical: from its magic byte on, its bytes are those that were sent.
        altered: where it is not, the fields of its header that are not those that were sent, and
            `records` where the bytes of its records are not; the attributes are taken apart.
        codec: how it is compressed; None for a number that names no codec.
        times: see `Times`.
    """

    base: int
    last: int
    size: int
    records: int
    sent: tuple[int, int] | None
    sound: bool = True
    identical: bool = True
    codec: str | None = "none"
    times: Times = Times.SENT
    altered: tuple[str, ...] = ()

    def __str__(self) -> str:
        """`the batch at offsets 0 to 2 (500 bytes, codec zstd, timestamps as sent)`."""
        times = "as sent" if self.times is Times.SENT else self.times
        said = [f"{self.size} bytes", f"codec {in_words(self.codec)}", f"timestamps {times}"]
        if not self.sound:
            said.append("wrong checksum")
        if self.altered:
            said.append(f"altered: {in_words(self.altered)}")
        return f"the batch at offsets {self.base} to {self.last} ({', '.join(said)})"


@frozen
class ReadPartition:
    """What was read of one partition.

    Attributes:
        partition: its number in the layout.
        error: the error code.
        high_watermark: where the readable part ends.
        batches: the batches from the base of the layout on.
    """

    partition: int
    error: int = 0
    high_watermark: int = 0
    batches: tuple[ReadBatch, ...] = ()


@frozen
class ReadAnswer(Outcome):
    """What was read back, in the order of the layout."""

    partitions: tuple[ReadPartition, ...] = ()
