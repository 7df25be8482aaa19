"""Responses to a Fetch request.

Offsets are relative to the layout's base in each partition; one that the wire gave as -1 is None.
"""

from spec.fact import at_once, early_fact
from spec.frozen import frozen
from spec.outcomes import Outcome
from spec.seen_batch import SeenBatch


@frozen(slots=False)
@at_once
class PartitionAnswer:
    """One partition's part of a Fetch answer.

    Attributes:
        partition: its number in the layout; a number past the layout's for the partition that does
            not exist; -1 where it was not asked for at all.
        error: error code.
        high_watermark, last_stable_offset, log_start_offset: relative; None where the wire said -1.
        aborted: (transaction number, first offset) of each aborted transaction listed, None for a
            null list; transaction -1 for a producer id that the layout does not know.
        batches: the complete batches in its records.
        tail: bytes after the last complete batch: the head of a batch that was cut.
        tail_intact: those bytes are the head of the batch that lies next in the log.
        null_records: the records field was null, which is not the same as empty.
        preferred_replica: -1 or a node.
        diverging: the diverging epoch tag was present.
        garbled: why the records could not be read; None where they could.
    """

    partition: int
    error: int = 0
    high_watermark: int | None = None
    last_stable_offset: int | None = None
    log_start_offset: int | None = None
    aborted: tuple[tuple[int, int], ...] | None = None
    batches: tuple[SeenBatch, ...] = ()
    tail: int = 0
    tail_intact: bool = True
    null_records: bool = False
    preferred_replica: int = -1
    diverging: bool = False
    garbled: str | None = None

    @early_fact
    def size(self) -> int:
        """Bytes of records, a cut tail included."""
        return sum([batch.size for batch in self.batches], self.tail)


@frozen
class FetchAnswer(Outcome):
    """A Fetch answer that could be decoded.

    Attributes:
        error: top-level error code (v7+; 0 before).
        session: 0; 1 the scenario's own session id; 2 a session id not seen before in this
            scenario; -1 the id that was asked with, where that was neither 0 nor the scenario's
            own.
        partitions: the answered partitions in the answer's order.
        throttle_ms: `throttle_time_ms`.
        trailing: bytes after the end of the message.
        unknown_tags: tags that the message definition does not have.
        nulls: the fields that were null though they must have a value; they are empty here.
    """

    error: int = 0
    session: int = 0
    partitions: tuple[PartitionAnswer, ...] = ()
    throttle_ms: int = 0
    trailing: int = 0
    unknown_tags: tuple[int, ...] = ()
    nulls: tuple[str, ...] = ()
