"""The records of a batch as it is kept, with their times."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.wire.batches import decode_records, parse_batches
from conformance.wire.decoding import Malformed
from spec.offsets.timeline import Stamp

if TYPE_CHECKING:
    from spec.log import Stored


def stamps_of(data: bytes, stored: Stored) -> list[Stamp]:
    """The records of a batch with their times; one record where they can't be read."""
    header = parse_batches(data, check_crc=False).batches[0]
    try:
        records = decode_records(data)
    except Malformed:
        return [Stamp(stored.base, header.max_timestamp, stored.segment, stored.base)]
    return [
        Stamp(
            stored.base + record.offset_delta,
            header.max_timestamp
            if header.log_append_time
            else header.base_timestamp + record.timestamp_delta,
            stored.segment,
            stored.base,
        )
        for record in records
    ]
