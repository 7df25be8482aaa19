"""One partition as it is kept: the model's replica, and the bytes of its batches."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from conformance.wire.batches import control_record, encode_batch, parse_batches, stamped
from conformance.wire.decoding import Malformed
from spec.kafka import Error
from spec.layout import Codec
from spec.replica import (
    Incoming,
    Replica,
    WriteLimits,
    Written,
    append,
    delete_records,
    end_transaction,
)

if TYPE_CHECKING:
    from spec.log import Log

CURRENT_MAGIC = 2


@dataclass(slots=True)
class Shelf:
    """A partition of a topic.

    Attributes:
        limits: what its topic's configs allow.
        replica: the model of it.
        leader_epoch: counted up by each restart.
    """

    limits: WriteLimits
    replica: Replica = field(default_factory=Replica)
    leader_epoch: int = 0
    _bytes: dict[int, bytes] = field(default_factory=dict)

    @property
    def log(self) -> Log:
        """The readable part of the log."""
        return self.replica.log

    def produce(self, records: bytes | None) -> Written:
        """Take what a Produce request holds for it: one whole batch of format 2 (KIP-98,
        KIP-724).
        """
        incoming = incoming_of(records)
        if isinstance(incoming, Error):
            return Written(incoming)
        replica, written = append(self.replica, incoming, self.limits)
        if not written.error and not written.repeated:
            data = (records or b"")[: incoming.size]
            self._bytes[written.base] = stamped(
                data, base_offset=written.base, partition_leader_epoch=self.leader_epoch
            )
        self.replica = replica
        return written

    def end_transaction(self, producer: int, epoch: int, *, commit: bool, timestamp: int) -> None:
        """Write the marker that commits or aborts."""
        base = self.log.end
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

    def delete_records(self, offset: int) -> Written:
        """Move the log start, and let go of the bytes before it."""
        self.replica, written = delete_records(self.replica, offset)
        first = self.log.batches[0].base if self.log.batches else self.log.end
        for base in [base for base in self._bytes if base < first]:
            del self._bytes[base]
        return written

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


def incoming_of(records: bytes | None) -> Incoming | Error:
    """The batch that some records are, or why they are none that a leader takes."""
    try:
        batches = parse_batches(records or b"").batches
    except Malformed:
        return Error.CORRUPT_MESSAGE
    if len(batches) != 1:
        return Error.INVALID_RECORD
    (batch,) = batches
    if batch.magic != CURRENT_MAGIC or batch.base_offset or batch.control:
        return Error.INVALID_RECORD
    if not batch.crc_ok:
        return Error.CORRUPT_MESSAGE
    if (
        batch.records_count < 1
        or batch.last_offset_delta + 1 != batch.records_count
        or batch.codec is None
    ):
        return Error.INVALID_RECORD
    return Incoming(
        size=batch.size,
        records=batch.records_count,
        max_timestamp=batch.max_timestamp,
        codec=Codec(batch.codec),
        producer=batch.producer_id,
        epoch=batch.producer_epoch,
        sequence=batch.base_sequence,
        transactional=batch.transactional,
    )
