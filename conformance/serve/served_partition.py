"""One partition as it is kept: the model's replica, and the bytes of its batches."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from conformance.serve.record_times import stamps_of
from conformance.serve.segment_keeping import SegmentKeeping, segment_batch
from conformance.wire.batch_format import CRC_AT, LOG_APPEND_TIME, MAGIC_AT
from conformance.wire.batches import (
    control_record,
    decode_records,
    encode_batch,
    parse_batches,
    restamp,
)
from spec.frozen import replace
from spec.kafka import CURRENT_MAGIC, INT32_MAX, MARKER_SIZE, Error
from spec.layout import Codec
from spec.produce.model.received import Framing
from spec.produce.model.seams import Alteration, Leader, StoredForm, keep_producer
from spec.produce.topic import TimestampType, TopicSettings
from spec.replica import (
    Incoming,
    Replica,
    WriteLimits,
    Written,
    append,
    check_sequence,
    delete_records,
    end_transaction,
)
from spec.segments.model import REFERENCE, SegmentRules

if TYPE_CHECKING:
    from collections.abc import Callable

    from spec.log import Log, Stored
    from spec.offsets.timeline import TimedRecord
    from spec.produce.model.received import Received
    from spec.replica import ProducerState

    Sequencing = Callable[[ProducerState, Incoming], Written | None]
    Outliving = Callable[[ProducerState, int], bool]

UNUSED_ATTRIBUTE = 0x4000
"""A bit of a batch's attributes that means nothing."""


@dataclass(slots=True)
class ServedPartition:
    """A partition of a topic.

    Attributes:
        limits: what its topic's configs allow.
        settings: its topic's configs for what is produced.
        replica: the model of it.
        leader_epoch: counted up by each restart.
        segments: its segments with their indexes.
        alteration: the last change of a topic's configs, its own or another's; None before one.
        gone: by segment, the first record with the largest timestamp of those that were let go.
    """

    limits: WriteLimits
    settings: TopicSettings = field(default_factory=TopicSettings)
    replica: Replica = field(default_factory=Replica)
    leader_epoch: int = 0
    alteration: Alteration | None = None
    gone: dict[int, TimedRecord] = field(default_factory=dict)
    segments: SegmentKeeping = field(default_factory=SegmentKeeping)
    _bytes: dict[int, bytes] = field(default_factory=dict)

    @property
    def log(self) -> Log:
        """The readable part of the log."""
        return self.replica.log

    def alter(self, alteration: Alteration, leader: Leader) -> None:
        """Have the settings that this leader takes after a change of a topic's configs."""
        self.alteration = alteration
        self.settings = leader.altered(alteration)

    def count_request(self, leader: Leader) -> None:
        """Take note of an answered Produce request: a leader may take a change late."""
        if self.alteration is not None:
            self.alter(replace(self.alteration, requests=self.alteration.requests + 1), leader)

    def produce(
        self,
        records: bytes,
        received: Received,
        kept: StoredForm,
        now: int,
        sequencing: Sequencing = check_sequence,
        rules: SegmentRules = REFERENCE,
    ) -> Written:
        """Append what is kept of a batch that was checked, unless what its producer sent before
        forbids that.

        Args:
            records: the bytes for the partition.
            received: what the leader sees of them.
            kept: what of them goes into the log.
            now: milliseconds of the broker's clock.
            rules: how segments are kept.
            sequencing: what the leader makes of it in view of what its producer sent before.
        """
        if kept is StoredForm.NOTHING or received.framing is Framing.NONE:
            return Written(base=self.log.end)
        data = records[: received.size or len(records)]
        if kept is StoredForm.GAP:
            self.replica = replace(self.replica, log=_with_gap(self.log))
        data = self._encode(data, received, kept)
        if self._grew(data, received):
            return Written(Error.MESSAGE_TOO_LARGE)
        incoming = _incoming(data, received)
        batch = segment_batch(self.log.end, incoming.records, incoming.size, incoming.max_timestamp)
        limits = replace(self.limits, max_message_bytes=INT32_MAX, segment_bytes=INT32_MAX)
        begins = self.segments.begins(batch, rules)
        replica, written = append(self.replica, incoming, limits, sequencing, begins)
        if not written.error and not written.repeated:
            self.segments.append(batch, rules)
            self._bytes[written.base] = self._stored_batch(data, kept, written.base, now)
        else:
            self.segments.leave_unstored(batch, rules)
        self.replica = replica
        return written

    def _encode(self, data: bytes, received: Received, kept: StoredForm) -> bytes:
        """A batch with its records in the codec of the topic, where that is another one."""
        codec = received.codec
        if codec is None or kept is StoredForm.NOT_ENCODED_AGAIN or not received.records:
            return data
        if not self.settings.encodes_again(codec) or not received.sound:
            return data
        return encoded_again(
            data, self.settings.stored_codec(codec), retimed=kept is StoredForm.RETIMED
        )

    def _grew(self, data: bytes, received: Received) -> bool:
        """Whether a compressor made a batch of it that is too large for its topic."""
        codec = parse_batches(data, check_crc=False).batches[0].codec
        limit = self.settings.max_message_bytes
        return codec not in {"none", received.codec} and len(data) > limit

    def _stored_batch(self, data: bytes, kept: StoredForm, base: int, now: int) -> bytes:
        """A batch as it lies in the log."""
        if data[MAGIC_AT] < CURRENT_MAGIC:
            return base.to_bytes(8, "big") + data[8:]
        if (
            self.settings.timestamp_type is TimestampType.APPEND
            and kept is not StoredForm.UNSTAMPED
        ):
            time = _latest(data) if kept is StoredForm.STAMPED_AS_SENT else now
            data = restamp(data, max_timestamp=time, more_attributes=LOG_APPEND_TIME)
        elif kept is not StoredForm.UNREPAIRED and _needs_repair(data):
            data = restamp(data, max_timestamp=_latest(data), fewer_attributes=LOG_APPEND_TIME)
        if kept is StoredForm.REWRITTEN:
            data = restamp(data, more_attributes=UNUSED_ATTRIBUTE)
        sound = parse_batches(data).batches[0].crc_ok
        made = restamp(data, base_offset=base, partition_leader_epoch=self.leader_epoch)
        if not sound:
            made = made[:CRC_AT] + data[CRC_AT : CRC_AT + 4] + made[CRC_AT + 4 :]
        return made[:-1] + bytes([made[-1] ^ 0xFF]) if kept is StoredForm.DAMAGED else made

    def end_transaction(self, producer: int, epoch: int, *, commit: bool, timestamp: int) -> None:
        """Write the marker that commits or aborts."""
        base = self.log.end
        self.segments.append(segment_batch(base, 1, MARKER_SIZE, timestamp))
        self.replica = end_transaction(
            self.replica, producer, epoch, commit=commit, timestamp=timestamp, limits=self.limits
        )
        self._bytes[base] = encode_batch(
            [control_record(int(commit))],
            base_offset=base,
            base_timestamp=timestamp,
            transactional=True,
            control=True,
            producer_id=producer,
            producer_epoch=epoch,
            partition_leader_epoch=self.leader_epoch,
        )

    def delete_records(self, offset: int, outliving: Outliving = keep_producer) -> Written:
        """Move the log start, and let go of the bytes before it, and of the producers that do not
        outlive their records.
        """
        before = self.log.batches
        moved, written = delete_records(self.replica, offset)
        producers = {
            number: known
            for number, known in moved.producers.items()
            if outliving(known, moved.log.start)
        }
        self.replica = replace(moved, producers=producers)
        self.segments.delete_to(self.log.start)
        first = self.log.batches[0].base if self.log.batches else self.log.end
        for stored in before[: len(before) - len(self.log.batches)]:
            self._remember(stored)
        for base in [base for base in self._bytes if base < first]:
            del self._bytes[base]
        return written

    def _remember(self, stored: Stored) -> None:
        """Remember a batch that is let go, where it holds its segment's largest timestamp."""
        for stamp in stamps_of(self._bytes[stored.base], stored):
            known = self.gone.get(stamp.segment)
            if known is None or (known.time or 0) < (stamp.time or 0):
                self.gone[stamp.segment] = stamp

    def read(self, base: int, size: int) -> bytes:
        """`size` bytes of the log from the batch at or after `base` on."""
        found = bytearray()
        batches = self.log.batches
        for batch in batches[bisect_left(self.log.lasts, base) :]:
            if len(found) >= size:
                break
            found += self._bytes[batch.base]
        return bytes(found[:size])

    def batch(self, base: int) -> bytes:
        """The bytes of the batch with that base offset."""
        return self._bytes[base]


def _latest(data: bytes) -> int:
    """The largest timestamp of a batch's records."""
    base = parse_batches(data, check_crc=False).batches[0].base_timestamp
    return base + max([record.timestamp_delta for record in decode_records(data)], default=0)


def encoded_again(data: bytes, codec: Codec, *, retimed: bool = False) -> bytes:
    """A batch with its records in another codec; `retimed`: all with the time of the first."""
    header = parse_batches(data, check_crc=False).batches[0]
    records = decode_records(data)
    if retimed:
        records = [replace(record, timestamp_delta=0) for record in records]
    return encode_batch(
        records,
        codec=codec.value,
        base_timestamp=header.base_timestamp,
        transactional=header.transactional,
        control=header.control,
        log_append_time=header.log_append_time,
        producer_id=header.producer_id,
        producer_epoch=header.producer_epoch,
        base_sequence=header.base_sequence,
    )


def _needs_repair(data: bytes) -> bool:
    """Whether a header says of a batch's timestamps what its records do not."""
    header = parse_batches(data).batches[0]
    if not header.crc_ok or header.codec is None:
        return False
    return header.log_append_time or header.max_timestamp != _latest(data)


def _incoming(data: bytes, received: Received) -> Incoming:
    """A batch as the model of a replica takes it."""
    batch = parse_batches(data, check_crc=False).batches[0]
    return Incoming(
        size=batch.size,
        records=max(1, received.last_delta + 1),
        max_timestamp=batch.max_timestamp,
        codec=received.codec or Codec.NONE,
        producer=received.producer,
        epoch=received.epoch,
        sequence=received.sequence,
        transactional=received.transactional,
    )


def _with_gap(log: Log) -> Log:
    """The log with an offset left out at its end."""
    return replace(log, end=log.end + 1, stable=log.stable + 1, undecided=log.undecided + 1)
