"""One partition's part of a response: its batches with their bytes, and the ways in which a stage
gives them otherwise.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any

from conformance.wire.batch_format import (
    CODEC_BITS,
    CONTROL,
    HEADER,
    HEADER_SIZE,
    MAGIC_AT,
    PREFIX_SIZE,
)
from conformance.wire.batches import decode_records
from spec.fairness.outcomes import FetchedBatch, FetchedPart, ProducedBatch
from spec.fairness.sending import number_of
from spec.fairness.steps import Damage
from spec.frozen import frozen, replace
from spec.share.outcomes import Acquired

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conformance.placement.placed_partition import PlacedPartition

UNKNOWN_MAGIC = 99


@frozen
class ResponseBatch:
    """A batch, or what there is of one, as a response holds it.

    Attributes:
        number: its place among the partition's batches and markers; None where it is not known.
        seen: what is observed of it.
        data: its bytes.
    """

    number: int | None
    seen: FetchedBatch
    data: bytes


@frozen
class ResponsePart:
    """One partition's part of a response.

    Attributes:
        partition: its number in the layout.
        error: error code.
        batches: in order.
        wire: the part as it was decoded.
    """

    partition: int
    error: int = 0
    batches: tuple[ResponseBatch, ...] = ()
    wire: dict[str, Any] = field(default_factory=dict)

    @property
    def encoded(self) -> dict[str, Any]:
        """The part in the wire's words."""
        records = b"".join([batch.data for batch in self.batches])
        return {**self.wire, "error_code": self.error, "records": records}

    @property
    def seen(self) -> FetchedPart:
        """What is observed of it."""
        return FetchedPart(
            self.partition, self.error, tuple([batch.seen for batch in self.batches])
        )

    def with_error(self, error: int) -> ResponsePart:
        """With an error in place of its records."""
        wire = {**self.wire, "high_watermark": -1, "last_stable_offset": -1}
        wire |= {"log_start_offset": -1, "aborted_transactions": None}
        return replace(self, error=error, batches=(), wire=wire)

    def without_records(self) -> ResponsePart:
        """Without records."""
        return replace(self, batches=(), wire={**self.wire, "aborted_transactions": None})

    def with_damage(self, number: int, damage: Damage) -> ResponsePart:
        """With one batch damaged, where it holds all of it."""
        for place, batch in enumerate(self.batches):
            if batch.number == number and batch.seen.whole:
                before, after = self.batches[:place], self.batches[place + 1 :]
                if damage is Damage.LENGTH:
                    return replace(self, batches=(*before, _shorten(batch)))
                return replace(self, batches=(*before, _spoil(batch, damage), *after))
        return self

    def cut_to(self, size: int) -> ResponsePart:
        """With so many bytes of its first batch at most, and of no other."""
        if not self.batches or size >= self.batches[0].seen.size:
            return self
        first = self.batches[0]
        seen = replace(first.seen, size=size, whole=False)
        return replace(self, batches=(ResponseBatch(first.number, seen, first.data[:size]),))


def staged_part(partition: int, wire: dict[str, Any], placed: PlacedPartition) -> ResponsePart:
    """A part of a response of the broker.

    Args:
        partition: its number in the layout.
        wire: as it was decoded.
        placed: where it lies.
    """
    batches = _batches(wire.get("records") or b"", placed)
    return ResponsePart(partition, wire["error_code"], batches, wire)


def shared_part(partition: int, wire: dict[str, Any], placed: PlacedPartition) -> FetchedPart:
    """A part of a response to a ShareFetch, or to a ShareAcknowledge, which holds no records.

    Args:
        partition: its number in the layout.
        wire: as it was decoded.
        placed: where it lies.
    """
    batches = _batches(wire.get("records") or b"", placed)
    acquired = [
        Acquired(
            one["first_offset"] - placed.base,
            one["last_offset"] - placed.base,
            one["delivery_count"],
        )
        for one in wire.get("acquired_records") or ()
    ]
    return FetchedPart(
        partition,
        wire["error_code"],
        tuple([one.seen for one in batches]),
        tuple(acquired),
        wire.get("acknowledge_error_code", wire["error_code"]),
    )


def produced_batch(
    partition: int, records: bytes, answer: Mapping[str, Any], base: int
) -> ProducedBatch:
    """The batch of a Produce request for a partition, and what it was answered.

    Args:
        partition: its number in the layout.
        records: the batch.
        answer: the partition's part of the response.
        base: the absolute offset of the layout's offset 0.
    """
    values = [record.value or b"" for record in decode_records(records)]
    error = answer["error_code"]
    return ProducedBatch(
        partition,
        len(records),
        tuple([number_of(value.decode(errors="replace")) for value in values]),
        error,
        None if error else answer["base_offset"] - base,
    )


def _batches(records: bytes, placed: PlacedPartition) -> tuple[ResponseBatch, ...]:
    """The batches in some records, and what there is of one at their end."""
    numbers = {base: number for number, base in enumerate(sorted(placed.known))}
    found: list[ResponseBatch] = []
    position = 0
    while position + PREFIX_SIZE <= len(records):
        base = int.from_bytes(records[position : position + 8], "big")
        size = PREFIX_SIZE + int.from_bytes(records[position + 8 : position + 12], "big")
        data = records[position : position + size]
        if len(data) >= HEADER_SIZE:
            header = HEADER.unpack_from(data)
            last, control = base + header[6], bool(header[5] & CONTROL)
        else:
            known = placed.known.get(base)
            last = base if known is None else known.seen.last + placed.base
            control = known is not None and not known.sent
        seen = FetchedBatch(
            base - placed.base,
            last - placed.base,
            control=control,
            size=len(data),
            whole=len(data) == size,
        )
        found.append(ResponseBatch(numbers.get(base), seen, data))
        position += max(size, PREFIX_SIZE)
    return tuple(found)


def _shorten(batch: ResponseBatch) -> ResponseBatch:
    """A batch that ends a byte before its length does."""
    seen = replace(batch.seen, damage=Damage.LENGTH, size=len(batch.data) - 1, whole=False)
    return ResponseBatch(batch.number, seen, batch.data[:-1])


def _spoil(batch: ResponseBatch, damage: Damage) -> ResponseBatch:
    """A batch with one byte otherwise than its checksum, or its reader, expects."""
    data = bytearray(batch.data)
    if damage is Damage.MAGIC:
        data[MAGIC_AT] = UNKNOWN_MAGIC
    else:
        data[_value_at(batch)] ^= 1
    return ResponseBatch(batch.number, replace(batch.seen, damage=damage), bytes(data))


def _value_at(batch: ResponseBatch) -> int:
    """Where a byte of the longest value of an uncompressed batch stands; of another batch, a byte
    in the middle of its records.
    """
    middle = (HEADER_SIZE + len(batch.data)) // 2
    if HEADER.unpack_from(batch.data)[5] & (CODEC_BITS | CONTROL):
        return middle
    value = max([record.value or b"" for record in decode_records(batch.data)], key=len)
    return batch.data.index(value, HEADER_SIZE) + len(value) // 2 if value else middle
