"""The records of a batch as it is kept, with their times."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.wire.batches import decode_records, parse_batches
from conformance.wire.decoding import Malformed
from spec.offsets.timeline import TimedRecord
from spec.produce.model.seams import REFERENCE as LEADER

if TYPE_CHECKING:
    from collections.abc import Callable

    from spec.log import Stored


def stamps_of(
    data: bytes, stored: Stored, stamping: Callable[[int, int], int] = LEADER.stamping
) -> list[TimedRecord]:
    """The records of a batch with their times; one record where they can't be read.

    Args:
        data: its bytes.
        stored: where it lies.
        stamping: the time of a record that the broker stamps, see `Leader`.
    """
    header = parse_batches(data, check_crc=False).batches[0]
    try:
        records = decode_records(data)
    except Malformed:
        return [TimedRecord(stored.base, header.max_timestamp, stored.segment, stored.base)]
    return [
        TimedRecord(
            stored.base + record.offset_delta,
            stamping(header.max_timestamp, header.base_timestamp + record.timestamp_delta)
            if header.log_append_time
            else header.base_timestamp + record.timestamp_delta,
            stored.segment,
            stored.base,
        )
        for record in records
    ]
