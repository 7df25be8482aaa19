"""Answers to a share group's requests. Offsets are relative to the layout's base in
each partition.
"""

from spec.frozen import frozen
from spec.outcomes import Outcome
from spec.seen_batch import SeenBatch


@frozen
class Acquired:
    """A range of offsets that an answer says the member has acquired, each for the same time.

    Attributes:
        first, last: its ends, both included; an inverted range stands as it came.
        count: the delivery count.
    """

    first: int
    last: int
    count: int = 1


@frozen
class ShareAnswerPartition:
    """One partition's part of a ShareFetch answer.

    Attributes:
        partition: its number in the layout, as asked; -1 where it was not asked for at all.
        error: error code of the fetch.
        acknowledge_error: error code of the acknowledgements sent along.
        acquired: the acquired ranges in the answer's order.
        batches: the complete batches in its records.
        tail: bytes after the last complete batch.
        tail_intact: those bytes are the head of the batch that lies next in the log.
        null_records: the records field was null.
        garbled: why the records could not be read; None where they could.
    """

    partition: int
    error: int = 0
    acknowledge_error: int = 0
    acquired: tuple[Acquired, ...] = ()
    batches: tuple[SeenBatch, ...] = ()
    tail: int = 0
    tail_intact: bool = True
    null_records: bool = False
    garbled: str | None = None


@frozen
class ShareFetchAnswer(Outcome):
    """A ShareFetch answer that could be decoded.

    Attributes:
        epoch: the share session epoch that the request carried on the wire.
        error: top-level error code.
        partitions: the answered partitions in the answer's order.
        lock_timeout_ms: AcquisitionLockTimeoutMs (v1+); None before.
        throttle_ms: `throttle_time_ms`.
        trailing: bytes after the end of the message.
        unknown_tags: tags that the message definition does not have.
        nulls: the fields that were null though they must have a value; they are empty here.
    """

    epoch: int = 0
    error: int = 0
    partitions: tuple[ShareAnswerPartition, ...] = ()
    lock_timeout_ms: int | None = None
    throttle_ms: int = 0
    trailing: int = 0
    unknown_tags: tuple[int, ...] = ()
    nulls: tuple[str, ...] = ()


@frozen
class ShareAcknowledgeAnswer(Outcome):
    """A ShareAcknowledge answer that could be decoded.

    Attributes:
        epoch: the share session epoch that the request carried on the wire.
        error: top-level error code.
        partitions: (partition, error code) in the answer's order.
        lock_timeout_ms: AcquisitionLockTimeoutMs (v2+); None before.
        throttle_ms, trailing, unknown_tags, nulls: as in `ShareFetchAnswer`.
    """

    epoch: int = 0
    error: int = 0
    partitions: tuple[tuple[int, int], ...] = ()
    lock_timeout_ms: int | None = None
    throttle_ms: int = 0
    trailing: int = 0
    unknown_tags: tuple[int, ...] = ()
    nulls: tuple[str, ...] = ()


@frozen
class GroupChanged(Outcome):
    """An administrator's request was answered.

    Attributes:
        error: its first error code, of whichever level; 0 where all went well.
        message: the broker's error message, for the reader.
    """

    error: int = 0
    message: str = ""


@frozen
class Done(Outcome):
    """A step that nobody answers was done: a pause is over, a connection closed, the broker up
    again.
    """
