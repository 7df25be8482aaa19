"""What was read back, held against what was sent."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from conformance.play.record_data import TAIL_FROM
from conformance.wire.batch_format import (
    CODEC_BITS,
    CONTROL,
    HEADER_SIZE,
    LOG_APPEND_TIME,
    TRANSACTIONAL,
)
from conformance.wire.batches import decode_records, parse_batches
from conformance.wire.decoding import Malformed
from spec.produce.outcomes import ReadAnswer, ReadBatch, ReadPartition, Times

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conformance.placement.placed_partition import Placed
    from conformance.wire.batches import BatchHeader, Record

SentAs = tuple[int, int]
FIELDS = (
    "last_offset_delta",
    "base_timestamp",
    "max_timestamp",
    "producer_id",
    "producer_epoch",
    "base_sequence",
    "records_count",
)
"""The fields of a header that the checksum covers, the attributes left out."""
ATTRIBUTES = {
    "codec": CODEC_BITS,
    "timestamp_type": LOG_APPEND_TIME,
    "transactional": TRANSACTIONAL,
    "control": CONTROL,
    "unused_bits": 0xFFFF & ~(CODEC_BITS | LOG_APPEND_TIME | TRANSACTIONAL | CONTROL),
}
"""The attributes, by their bits."""
NEAR_MS = 600_000
"""How far the broker's clock may be from ours."""


@dataclass
class SentBatches:
    """The batches that a scenario has sent, by partition.

    Attributes:
        sent: (step, place in the request), bytes, by the partition's number in the layout.
        bases: the base offset with which each was accepted.
    """

    sent: dict[int, list[tuple[SentAs, bytes]]] = field(default_factory=dict)
    bases: dict[SentAs, int] = field(default_factory=dict)

    def add(self, partition: int, sent: SentAs, data: bytes) -> None:
        """Note a batch that is sent."""
        self.sent.setdefault(partition, []).append((sent, data))

    def find(self, partition: int, base: int, data: bytes) -> tuple[SentAs, bytes] | None:
        """The batch with the records of these bytes: the one that was accepted at this offset, if
        it has them.
        """
        known = self.sent.get(partition, [])
        same = [one for one in known if one[1][TAIL_FROM:] == data[TAIL_FROM:]]
        if not same:
            records = _records(data)
            same = [one for one in known if records is not None and _records(one[1]) == records]
        accepted = [one for one in same if self.bases.get(one[0]) == base]
        return next(iter([*accepted, *same]), None)


def _records(data: bytes) -> list[tuple[Any, ...]] | None:
    """Keys, values and headers of a batch's records; None where they can't be read."""
    try:
        return [_content(record) for record in decode_records(data)]
    except Malformed:
        return None


def _content(record: Record) -> tuple[Any, ...]:
    return record.offset_delta, record.key, record.value, record.headers


def read_answer(value: Mapping[str, Any], placed: Placed, batches: SentBatches) -> ReadAnswer:
    """A Fetch answer in the terms of an observation.

    Raises:
        Malformed: the records of a partition are no batches.
    """
    numbers = {
        (one.topic, one.partition): number for number, one in enumerate(placed.placed_partitions)
    }
    found = []
    for topic in value["responses"]:
        for part in topic["partitions"]:
            number = numbers[topic["topic"], part["partition_index"]]
            base = placed.placed_partitions[number].base
            data = bytes(part["records"] or b"")
            found.append(
                ReadPartition(
                    number,
                    part["error_code"],
                    part["high_watermark"] - base,
                    tuple(
                        [
                            _batch(header, data, number, base, batches)
                            for header in parse_batches(data).batches
                        ]
                    ),
                )
            )
    return ReadAnswer(tuple(sorted(found, key=lambda one: one.partition)))


def _batch(
    header: BatchHeader, records: bytes, number: int, base: int, batches: SentBatches
) -> ReadBatch:
    data = records[header.position : header.position + header.size]
    offset = header.base_offset - base
    found = batches.find(number, offset, data)
    altered = () if found is None else _altered_fields(header, data, found[1])
    return ReadBatch(
        offset,
        header.last_offset - base,
        header.size,
        header.records_count,
        None if found is None else found[0],
        sound=bool(header.crc_ok),
        identical=found is not None and found[1][TAIL_FROM : header.size] == data[TAIL_FROM:],
        codec=header.codec,
        times=_times(header, data, None if found is None else found[1]),
        altered=altered,
    )


def _altered_fields(header: BatchHeader, data: bytes, sent: bytes) -> tuple[str, ...]:
    """The fields of a batch's header that are not those that were sent, and `records`."""
    before = parse_batches(sent, check_crc=False).batches[0]
    changed = header.attributes ^ before.attributes
    fields = [
        *[name for name, bits in ATTRIBUTES.items() if changed & bits],
        *[name for name in FIELDS if getattr(header, name) != getattr(before, name)],
    ]
    if data[HEADER_SIZE:] != sent[HEADER_SIZE : before.size]:
        fields.append("records")
    return tuple(fields)


def _times(header: BatchHeader, data: bytes, sent: bytes | None) -> Times:
    if header.log_append_time:
        near = abs(header.max_timestamp - time.time() * 1000) < NEAR_MS
        return Times.APPENDED if near else Times.OTHER
    if sent is None:
        return Times.OTHER
    times = _record_times(sent)
    if header.max_timestamp != max(times):
        return Times.OTHER
    return Times.SENT if _record_times(data) == times else Times.CHANGED


def _record_times(data: bytes) -> list[int]:
    """The time of each record of a batch, milliseconds."""
    base = parse_batches(data, check_crc=False).batches[0].base_timestamp
    return [base + record.timestamp_delta for record in decode_records(data)]
