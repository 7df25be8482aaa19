"""The bytes of a batch of a given shape and flaw."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.wire.batch_format import CONTROL, CRC_AT, HEADER, MAGIC_AT
from conformance.wire.batches import batch_of_size, encode_batch, old_message, stamped
from spec.produce.steps import Flaw

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from spec.produce.steps import Outgoing

LENGTH_AT = 8
SHORT_LENGTH = (13).to_bytes(4, "big")
BYTES_AFTER = bytes(11)
MAGICS = {Flaw.MAGIC_0: 0, Flaw.MAGIC_1: 1}


def batch_bytes(batch: Outgoing, seed: int, timestamp: int) -> bytes:
    """The bytes for one partition of a Produce request.

    Args:
        batch: their shape.
        seed: different seeds give different records.
        timestamp: of all records, milliseconds.

    Raises:
        NoSuchBatchError: no batch has this shape.
    """
    if batch.flaw in MAGICS:
        return old_message(batch.size, MAGICS[batch.flaw], 0, timestamp)
    if batch.flaw is Flaw.EMPTY:
        return b""
    if batch.flaw is Flaw.HEADER_ONLY:
        return encode_batch([], base_timestamp=timestamp, last_offset_delta=-1)
    made = batch_of_size(batch.size, batch.records, batch.codec.value, seed=seed)
    return _flawed(stamped(made, base_timestamp=timestamp), batch.flaw)


def _flawed(made: bytes, flaw: Flaw) -> bytes:
    """A sound batch with a flaw put into it."""
    return FLAWED[flaw](made) if flaw in FLAWED else made


def _count(made: bytes) -> int:
    """The header's count of records."""
    found: int = HEADER.unpack_from(made)[-1]
    return found


def _with_bytes(made: bytes, position: int, changed: bytes) -> bytes:
    """The same with other bytes at a position; its checksum stays as it was."""
    return made[:position] + changed + made[position + len(changed) :]


def _counted(made: bytes, *, count: int = 0, delta: int = 0) -> bytes:
    """The same with a count of records, and a last offset delta, that are so much more."""
    records = _count(made)
    return stamped(made, records_count=records + count, last_offset_delta=records - 1 + delta)


FLAWED: Mapping[Flaw, Callable[[bytes], bytes]] = {
    Flaw.CRC: lambda made: _with_bytes(made, CRC_AT, bytes([made[CRC_AT] ^ 0xFF])),
    Flaw.MAGIC_3: lambda made: _with_bytes(made, MAGIC_AT, b"\x03"),
    Flaw.SHORT_LENGTH: lambda made: _with_bytes(made, LENGTH_AT, SHORT_LENGTH),
    Flaw.COUNT_ABOVE: lambda made: _counted(made, count=1, delta=1),
    Flaw.COUNT_BELOW: lambda made: _counted(made, count=-1, delta=-1),
    Flaw.COUNT_ZERO: lambda made: stamped(made, records_count=0),
    Flaw.DELTA_ABOVE: lambda made: _counted(made, delta=1),
    Flaw.DELTA_BELOW: lambda made: _counted(made, delta=-1),
    Flaw.TWO_BATCHES: lambda made: made + made,
    Flaw.CUT: lambda made: made[:-1],
    Flaw.BYTES_AFTER: lambda made: made + BYTES_AFTER,
    Flaw.BASE_OFFSET: lambda made: stamped(made, base_offset=1),
    Flaw.CONTROL: lambda made: stamped(made, more_attributes=CONTROL),
}
"""What makes a flaw of a sound batch."""
