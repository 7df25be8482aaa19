"""Record batches of format version 2, written and read to the byte.

Layout (61 bytes, then the records): base offset int64, length int32 (of what follows it), partition
leader epoch int32, magic int8, CRC-32C uint32 (of what follows it), attributes int16, last offset
delta int32, base and max timestamp int64 each, producer id int64, producer epoch int16, base
sequence int32, number of records int32. A batch's size here is always the whole of it, the 12 bytes
before the length's own count included, as `max.message.bytes` counts it. Source: KIP-98;
DefaultRecordBatch in Apache Kafka 4.3.1. Sets of the older message formats 0 and 1 are only walked.
"""

from __future__ import annotations

import zlib
from struct import Struct as Packing
from typing import TYPE_CHECKING, NamedTuple

import google_crc32c

from conformance.wire.compression import CODECS, CodecName, Undecodable, compress, decompress
from conformance.wire.decoding import Malformed
from conformance.wire.records import decode_section, encode_records

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.wire.records import Record

HEADER = Packing(">qiibIhiqqqhii")
HEADER_SIZE = 61
PREFIX_SIZE = 12
"""Bytes of base offset and length, which the length doesn't count."""

CRC_AT = 17
AFTER_CRC = 21
BEFORE_CRC = Packing(">qiibI")
TAIL = Packing(">hiqqqhii")
SMALLEST_LENGTH = 14
"""A length below this is corrupt in every format version (LegacyRecord.RECORD_OVERHEAD_V0)."""

CODEC_BITS = 0x07
LOG_APPEND_TIME = 0x08
TRANSACTIONAL = 0x10
CONTROL = 0x20

LEGACY = Packing(">qiIbb")
LEGACY_CRC_FROM = 16
NULL_KEY = b"\xff\xff\xff\xff"
MAGIC_AT = 16
CURRENT_MAGIC = 2


class BatchHeader(NamedTuple):
    """A batch's header as it lies in some record data, at `position`.

    For the older formats (magic 0 and 1) `records_count` and the producer's fields are -1 and the
    offset is that of the message (for a compressed one: of its last inner message). `crc_ok` is
    None where it wasn't checked.
    """

    position: int
    base_offset: int
    length: int
    partition_leader_epoch: int
    magic: int
    crc: int
    attributes: int
    last_offset_delta: int
    base_timestamp: int
    max_timestamp: int
    producer_id: int
    producer_epoch: int
    base_sequence: int
    records_count: int
    crc_ok: bool | None

    @property
    def size(self) -> int:
        """Bytes of the whole batch."""
        return self.length + PREFIX_SIZE

    @property
    def last_offset(self) -> int:
        """The last offset that the batch covers."""
        return self.base_offset + self.last_offset_delta

    @property
    def codec(self) -> CodecName | None:
        """The codec, None for a number that names none."""
        number = self.attributes & CODEC_BITS
        return CODECS[number] if number < len(CODECS) else None

    @property
    def log_append_time(self) -> bool:
        """Whether timestamps are the broker's."""
        return bool(self.attributes & LOG_APPEND_TIME)

    @property
    def transactional(self) -> bool:
        """Whether the batch is part of a transaction."""
        return bool(self.attributes & TRANSACTIONAL)

    @property
    def control(self) -> bool:
        """Whether it is a control batch."""
        return bool(self.attributes & CONTROL)


class ParsedRecords(NamedTuple):
    """The complete batches in some record data, and the bytes of an incomplete one after them."""

    batches: tuple[BatchHeader, ...]
    trailing: int


def encode_batch(
    records: Sequence[Record],
    *,
    codec: CodecName = "none",
    base_offset: int = 0,
    base_timestamp: int = 0,
    transactional: bool = False,
    control: bool = False,
    log_append_time: bool = False,
    producer_id: int = -1,
    producer_epoch: int = -1,
    base_sequence: int = -1,
    partition_leader_epoch: int = -1,
    max_timestamp: int | None = None,
    last_offset_delta: int | None = None,
    records_count: int | None = None,
) -> bytes:
    """One batch. What is None is what the records say; giving it makes a header that may lie about
    them.
    """
    attributes = CODECS.index(codec)
    attributes |= (
        LOG_APPEND_TIME * log_append_time | TRANSACTIONAL * transactional | CONTROL * control
    )
    if max_timestamp is None:
        max_timestamp = base_timestamp + max((each.timestamp_delta for each in records), default=0)
    if last_offset_delta is None:
        last_offset_delta = records[-1].offset_delta if records else 0
    tail = TAIL.pack(
        attributes,
        last_offset_delta,
        base_timestamp,
        max_timestamp,
        producer_id,
        producer_epoch,
        base_sequence,
        len(records) if records_count is None else records_count,
    )
    section = compress(codec, encode_records(records))
    return assemble(base_offset, partition_leader_epoch, tail, section)


def assemble(base_offset: int, partition_leader_epoch: int, tail: bytes, section: bytes) -> bytes:
    """A batch from the packed fields after the CRC and the (compressed) records."""
    crc = google_crc32c.extend(google_crc32c.value(tail), section)
    length = HEADER_SIZE - PREFIX_SIZE + len(section)
    return b"".join(
        (
            BEFORE_CRC.pack(base_offset, length, partition_leader_epoch, CURRENT_MAGIC, crc),
            tail,
            section,
        ),
    )


def restamp(
    batch: bytes,
    *,
    base_offset: int | None = None,
    base_timestamp: int | None = None,
    producer_id: int | None = None,
    producer_epoch: int | None = None,
    base_sequence: int | None = None,
    transactional: bool | None = None,
    partition_leader_epoch: int | None = None,
    last_offset_delta: int | None = None,
    records_count: int | None = None,
    max_timestamp: int | None = None,
    more_attributes: int = 0,
    fewer_attributes: int = 0,
) -> bytes:
    """The same batch with some header fields replaced and a right CRC; its size stays the same.

    A new `base_timestamp` shifts all timestamps, the header's max timestamp too, unless there is a
    new one. `more_attributes` are bits that are set, `fewer_attributes` such as are taken away.
    """
    (
        offset,
        _,
        epoch,
        _,
        _,
        attributes,
        delta,
        base_time,
        max_time,
        producer,
        producer_age,
        sequence,
        count,
    ) = HEADER.unpack_from(batch)
    if base_timestamp is not None:
        max_time += base_timestamp - base_time
        base_time = base_timestamp
    if transactional is not None:
        attributes = attributes | TRANSACTIONAL if transactional else attributes & ~TRANSACTIONAL
    tail = TAIL.pack(
        (attributes | more_attributes) & ~fewer_attributes,
        delta if last_offset_delta is None else last_offset_delta,
        base_time,
        max_time if max_timestamp is None else max_timestamp,
        producer if producer_id is None else producer_id,
        producer_age if producer_epoch is None else producer_epoch,
        sequence if base_sequence is None else base_sequence,
        count if records_count is None else records_count,
    )
    return assemble(
        offset if base_offset is None else base_offset,
        epoch if partition_leader_epoch is None else partition_leader_epoch,
        tail,
        batch[HEADER_SIZE:],
    )


def parse_batches(data: bytes, *, check_crc: bool = True) -> ParsedRecords:
    """Walk the headers of the batches in some record data; the last one may be cut short, as in a
    fetch answer.

    Raises:
        Malformed: a length that no format version allows, or an unknown magic.
    """
    batches = []
    position = 0
    end = len(data)
    unpack = HEADER.unpack_from
    while end - position >= HEADER_SIZE:
        fields = unpack(data, position)
        length = fields[1]
        stop = position + PREFIX_SIZE + length
        if fields[3] != CURRENT_MAGIC or length < HEADER_SIZE - PREFIX_SIZE:
            header = parse_unusual(data, position, check_crc=check_crc)
            if header is None:
                break
            batches.append(header)
            position = stop
            continue
        if stop > end:
            break
        crc_ok = (
            google_crc32c.value(data[position + AFTER_CRC : stop]) == fields[4]
            if check_crc
            else None
        )
        batches.append(BatchHeader._make((position, *fields, crc_ok)))
        position = stop
    while position < end:
        header = parse_unusual(data, position, check_crc=check_crc)
        if header is None:
            break
        batches.append(header)
        position += header.size
    return ParsedRecords(tuple(batches), end - position)


def parse_unusual(data: bytes, position: int, *, check_crc: bool = True) -> BatchHeader | None:
    """Classify bytes that are shorter than a version 2 header, or aren't one: None where it is
    incomplete.

    Raises:
        Malformed: a length that no format version allows, or an unknown magic.
    """
    left = len(data) - position
    if left < PREFIX_SIZE:
        return None
    length = int.from_bytes(data[position + 8 : position + PREFIX_SIZE], "big", signed=True)
    if length < SMALLEST_LENGTH:
        raise Malformed(f"batch length {length}, the smallest is {SMALLEST_LENGTH}", position + 8)
    if left <= MAGIC_AT:
        return None
    magic = data[position + MAGIC_AT]
    if magic > CURRENT_MAGIC:
        raise Malformed(f"magic {magic}, expected 0, 1 or 2", position + MAGIC_AT)
    if magic == CURRENT_MAGIC and length < HEADER_SIZE - PREFIX_SIZE:
        raise Malformed(f"batch length {length} with magic 2, the smallest is 49", position + 8)
    if length > left - PREFIX_SIZE:
        return None
    return _message(data, position, check_crc=check_crc)


def _message(data: bytes, position: int, *, check_crc: bool) -> BatchHeader:
    """A message of format 0 or 1, of at least 26 bytes."""
    offset, length, crc, magic, attributes = LEGACY.unpack_from(data, position)
    timestamp = -1
    if magic == 1 and length >= SMALLEST_LENGTH + 8:
        timestamp = int.from_bytes(data[position + 18 : position + 26], "big", signed=True)
    crc_ok = None
    if check_crc:
        crc_ok = (
            zlib.crc32(data[position + LEGACY_CRC_FROM : position + PREFIX_SIZE + length]) == crc
        )
    return BatchHeader(
        position,
        offset,
        length,
        -1,
        magic,
        crc,
        attributes,
        0,
        timestamp,
        timestamp,
        -1,
        -1,
        -1,
        -1,
        crc_ok,
    )


def old_message(size: int, magic: int, offset: int, timestamp: int) -> bytes:
    """A message of format 0 or 1 of exactly `size` bytes (its first 12 included), uncompressed and
    without a key.

    Format 0 has no timestamp. Source: LegacyRecord of Apache Kafka 4.3.1.

    Args:
        size: at least 26 in format 0, 34 in format 1.
        magic: 0 or 1.
        offset: its offset.
        timestamp: milliseconds.

    Raises:
        ValueError: it has no room for an empty value, or is of another format.
    """
    if magic not in {0, 1}:
        raise ValueError(f"expected format 0 or 1, found {magic}")
    fields = bytes((magic, 0)) + (timestamp.to_bytes(8, "big") if magic else b"") + NULL_KEY
    room = size - LEGACY_CRC_FROM - len(fields) - 4
    if room < 0:
        raise ValueError(
            f"expected at least {size - room} bytes for a message of format {magic}, found {size}"
        )
    body = fields + room.to_bytes(4, "big") + bytes(index % 251 for index in range(room))
    return (
        offset.to_bytes(8, "big")
        + (size - PREFIX_SIZE).to_bytes(4, "big")
        + zlib.crc32(body).to_bytes(4, "big")
        + body
    )


def decode_records(batch: bytes, *, max_decompressed: int = 64 * 1024 * 1024) -> list[Record]:
    """The records of one complete version 2 batch.

    Args:
        batch: the batch, from its base offset to its last byte; more bytes after it are not looked
            at.
        max_decompressed: the most bytes that its records may unpack to.

    Raises:
        Malformed: the batch is incomplete, of another format, damaged, or unpacks to more.
    """
    if len(batch) < HEADER_SIZE:
        raise Malformed(f"a batch header takes {HEADER_SIZE} bytes, {len(batch)} are here", 0)
    fields = HEADER.unpack_from(batch)
    length, magic, attributes, count = fields[1], fields[3], fields[5], fields[12]
    if magic != CURRENT_MAGIC:
        raise Malformed(f"magic {magic}, expected 2", MAGIC_AT)
    if not HEADER_SIZE <= length + PREFIX_SIZE <= len(batch):
        raise Malformed(f"the batch claims {length + PREFIX_SIZE} bytes, {len(batch)} are here", 8)
    number = attributes & CODEC_BITS
    if number >= len(CODECS):
        raise Malformed(f"codec {number}, expected 0 to {len(CODECS) - 1}", AFTER_CRC)
    try:
        section = decompress(
            CODECS[number], batch[HEADER_SIZE : length + PREFIX_SIZE], most=max_decompressed
        )
    except Undecodable as problem:
        raise Malformed(f"records: {problem}", HEADER_SIZE) from None
    return decode_section(section, count)
