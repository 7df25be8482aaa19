"""The model of a partition that is written to: what its leader decides for each batch it takes, and
remembers for the next.

A leader keeps more than the log: when the active segment began, which transactions are open, and
the last batches of each idempotent producer. Each operation gives the replica after it; nothing is
changed in place.
"""

from collections.abc import Callable, Mapping
from dataclasses import field

from spec.frozen import frozen, replace
from spec.kafka import INDEX_INTERVAL, INT32_MAX, MARKER_SIZE, Error
from spec.layout import Codec
from spec.log import Aborted, Log, Stored

BATCHES_REMEMBERED = 5
"""Batches of a producer by which a repetition is recognized (KIP-98; ProducerStateEntry.java:35 of
Kafka 4.3.1).
"""


@frozen
class WriteLimits:
    """The limits of one partition.

    Attributes:
        max_message_bytes: `max.message.bytes`, of a whole batch.
        segment_bytes: `segment.bytes`.
        segment_ms: `segment.ms`, without jitter.
    """

    max_message_bytes: int = 1048588
    segment_bytes: int = 1 << 30
    segment_ms: int = 604_800_000


@frozen
class Incoming:
    """A batch as a producer sends it.

    Attributes:
        size: its bytes, the 12-byte prefix included.
        records: how many records it holds, which is also how many offsets it takes.
        max_timestamp: the largest timestamp in it, ms.
        codec: how its records are compressed.
        producer, epoch, sequence: of an idempotent producer; -1 for any other.
        transactional: it is part of its producer's transaction.
    """

    size: int
    records: int
    max_timestamp: int = 0
    codec: Codec = Codec.NONE
    producer: int = -1
    epoch: int = -1
    sequence: int = -1
    transactional: bool = False


@frozen
class ProducerState:
    """The state of an idempotent producer.

    Attributes:
        epoch: its epoch.
        batches: (first sequence, last sequence, base offset) of its last batches, oldest first.
    """

    epoch: int
    batches: tuple[tuple[int, int, int], ...] = ()

    def is_before(self, offset: int) -> bool:
        """Whether the log had all of its records before an offset."""
        if not self.batches:
            return False
        first, last, base = self.batches[-1]
        return base + (last - first) % (INT32_MAX + 1) < offset


@frozen
class Replica:
    """A partition and its leader's memory.

    Attributes:
        log: what can be read.
        segment: number of the active segment.
        segment_size: bytes in it.
        segment_base: its base offset.
        unindexed: bytes in it since the last entry of its offset index.
        began: the largest timestamp of its first batch, from which `segment.ms` counts; None while
            it is empty.
        open: the first offset of each open transaction, by producer id.
        producers: what is remembered of each producer, by its id.
    """

    log: Log = field(default_factory=lambda: Log((), 0, 0, 0))
    segment: int = 0
    segment_size: int = 0
    segment_base: int = 0
    unindexed: int = 0
    began: int | None = None
    open: Mapping[int, int] = field(default_factory=dict)
    producers: Mapping[int, ProducerState] = field(default_factory=dict)


@frozen
class Written:
    """The result of an append: the error, or the offset of its first record; `repeated` where it
    had been written before.
    """

    error: Error = Error.NONE
    base: int = -1
    repeated: bool = False


def append(
    replica: Replica,
    batch: Incoming,
    limits: WriteLimits,
    sequencing: Callable[[ProducerState, Incoming], Written | None] | None = None,
    begins_segment: bool | None = None,
) -> tuple[Replica, Written]:
    """Take a batch to the end of the log: its size is checked first, against max.message.bytes and
    then segment.bytes, after it what its producer may send, by `check_sequence` unless another
    check is given. It begins a new segment where that is given, or where the limits ask for one.
    """
    if batch.size > limits.max_message_bytes:
        return replica, Written(Error.MESSAGE_TOO_LARGE)
    if batch.size > limits.segment_bytes:
        return replica, Written(Error.RECORD_LIST_TOO_LARGE)
    if begins_segment is None:
        rolled = _roll_segment(replica, batch.size, batch.records, batch.max_timestamp, limits)
    else:
        rolled = _new_segment(replica) if begins_segment else replica
    if batch.producer < 0:
        return _store_batch(rolled, batch), Written(base=replica.log.end)
    if batch.sequence < 0:
        return replica, Written(Error.INVALID_RECORD)
    known = replica.producers.get(batch.producer)
    if known is not None and (refused := (sequencing or check_sequence)(known, batch)):
        return rolled, refused
    producers = {**replica.producers, batch.producer: remember(known, batch, replica.log.end)}
    return replace(_store_batch(rolled, batch), producers=producers), Written(base=replica.log.end)


def remember(known: ProducerState | None, batch: Incoming, base: int) -> ProducerState:
    """What is known of a producer after a batch of it was stored at an offset."""
    last = _sequence_after(batch.sequence, batch.records - 1)
    kept = known.batches if known is not None and known.epoch == batch.epoch else ()
    return ProducerState(batch.epoch, (*kept, (batch.sequence, last, base))[-BATCHES_REMEMBERED:])


def check_sequence(known: ProducerState, batch: Incoming) -> Written | None:
    """The repetition or the error that a producer's memory makes of a batch; None where it follows
    in order.
    """
    if batch.epoch < known.epoch:
        return Written(Error.INVALID_PRODUCER_EPOCH)
    if batch.epoch > known.epoch:
        return Written(Error.OUT_OF_ORDER_SEQUENCE_NUMBER) if batch.sequence else None
    last = _sequence_after(batch.sequence, batch.records - 1)
    for first, final, base in known.batches:
        if (first, final) == (batch.sequence, last):
            return Written(base=base, repeated=True)
    if known.batches and batch.sequence != _sequence_after(known.batches[-1][1], 1):
        return Written(Error.OUT_OF_ORDER_SEQUENCE_NUMBER)
    return None


def _sequence_after(sequence: int, count: int) -> int:
    """Sequence numbers wrap from the largest int32 to 0."""
    return (sequence + count) % (INT32_MAX + 1)


def _roll_segment(
    replica: Replica, size: int, offsets: int, timestamp: int, limits: WriteLimits
) -> Replica:
    """The replica with a new active segment, where the batch must not go into the present one:
    by its size, its timestamp or its relative offset. Source: LogSegment.java, shouldRoll, of Kafka
    4.3.1.
    """
    late = replica.began is not None and timestamp - replica.began > limits.segment_ms
    full = replica.segment_size > limits.segment_bytes - size
    far = replica.log.end + offsets - 1 - replica.segment_base > INT32_MAX
    if not replica.segment_size or not (late or full or far):
        return replica
    return _new_segment(replica)


def _new_segment(replica: Replica) -> Replica:
    return replace(
        replica,
        segment=replica.segment + 1,
        segment_size=0,
        segment_base=replica.log.end,
        unindexed=0,
        began=None,
    )


def _store_batch(replica: Replica, batch: Incoming) -> Replica:
    base = replica.log.end
    txn = batch.producer if batch.transactional else None
    stored = Stored(
        base,
        base + batch.records - 1,
        batch.size,
        batch.records,
        replica.segment,
        replica.segment_size,
        txn,
        codec=batch.codec,
    )
    opened = replica.open
    if txn is not None and txn not in opened:
        opened = {**opened, txn: base}
    return _grow(replica, stored, batch.max_timestamp, opened)


def _grow(
    replica: Replica,
    stored: Stored,
    timestamp: int,
    opened: Mapping[int, int],
    aborted: tuple[Aborted, ...] = (),
) -> Replica:
    log = replica.log
    stored = replace(stored, indexed=replica.unindexed > INDEX_INTERVAL)
    end = stored.last + 1
    undecided = min(opened.values(), default=end)
    return replace(
        replica,
        log=replace(
            log,
            batches=(*log.batches, stored),
            lasts=(*log.lasts, stored.last),
            end=end,
            stable=max(undecided, log.start),
            undecided=undecided,
            aborted=(*log.aborted, *aborted),
        ),
        segment_size=replica.segment_size + stored.size,
        unindexed=(0 if stored.indexed else replica.unindexed) + stored.size,
        began=timestamp if replica.began is None else replica.began,
        open=opened,
    )


def end_transaction(
    replica: Replica,
    producer: int,
    epoch: int,
    *,
    commit: bool,
    timestamp: int,
    limits: WriteLimits,
) -> Replica:
    """The replica after the marker that commits or aborts a producer's transaction; a marker comes
    even where nothing was written.
    """
    rolled = _roll_segment(replica, MARKER_SIZE, 1, timestamp, limits)
    end = replica.log.end
    stored = Stored(
        end, end, MARKER_SIZE, 1, rolled.segment, rolled.segment_size, producer, control=True
    )
    opened = {txn: first for txn, first in replica.open.items() if txn != producer}
    aborted = (
        ()
        if commit or producer not in replica.open
        else (Aborted(producer, replica.open[producer], end),)
    )
    known = replica.producers.get(producer, ProducerState(epoch))
    kept = known.batches if known.epoch == epoch else ()
    producers = {**replica.producers, producer: ProducerState(epoch, kept)}
    return replace(_grow(rolled, stored, timestamp, opened, aborted), producers=producers)


def delete_records(replica: Replica, offset: int) -> tuple[Replica, Written]:
    """Move the log start; -1 stands for the high watermark. `base` of the answer is the log start
    then.

    Batches before it can't be read any more and are let go, as retention would do later.
    """
    log = replica.log
    wanted = log.end if offset == -1 else offset
    if not 0 <= wanted <= log.end:
        return replica, Written(Error.OFFSET_OUT_OF_RANGE)
    moved = log.deleted_to(wanted)
    gone = moved.batch_number(moved.start)
    kept = replace(
        moved,
        batches=moved.batches[gone:],
        lasts=moved.lasts[gone:],
        aborted=tuple([aborted for aborted in moved.aborted if aborted.last >= moved.start]),
    )
    return replace(replica, log=kept), Written(base=kept.start)
