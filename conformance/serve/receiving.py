"""The bytes for a partition of a Produce request, as a leader sees them."""

from __future__ import annotations

from conformance.wire.batch_format import (
    CODEC_BITS,
    CURRENT_MAGIC,
    HEADER_SIZE,
    MAGIC_AT,
    PREFIX_SIZE,
    SMALLEST_LENGTH,
)
from conformance.wire.batches import BatchHeader, parse_batches
from conformance.wire.compression import CODECS, Undecodable, decompress
from conformance.wire.decoding import Malformed
from conformance.wire.records import Record, decode_section, read_varint
from spec.layout import Codec
from spec.produce.model.received import Framing, Received

UNKNOWN = Received().longest
NO_TIMESTAMP = -1
LARGEST_RECORDS = 256 * 2**20
"""Bytes that the records of a batch may unpack to."""


def received_from(records: bytes | None, now: int) -> Received:
    """What a leader sees of the bytes for a partition at a time, ms.

    Source: ByteBufferLogInputStream.java:66-87 of Kafka 4.3.1.
    """
    data = records or b""
    size = _first_size(data)
    if size is None:
        return Received(Framing.UNREADABLE)
    if not 0 < size <= len(data):
        magic = data[MAGIC_AT] if len(data) > MAGIC_AT else CURRENT_MAGIC
        return Received(Framing.NONE, magic=magic)
    after = data[size:]
    following = _first_size(after)
    several = following is None or 0 < following <= len(after)
    framing = Framing.SEVERAL if several else Framing.ONE
    if data[MAGIC_AT] < CURRENT_MAGIC:
        return Received(framing, size, magic=data[MAGIC_AT])
    if size < HEADER_SIZE:
        return Received(framing, size, codec=None)
    (header,) = parse_batches(data[:size]).batches
    unpacked = _unpack(header, data[HEADER_SIZE:size])
    count, found = _records(unpacked)
    times = [header.base_timestamp + record.timestamp_delta for record in found]
    return Received(
        framing,
        size,
        unpacked=None if unpacked is None else HEADER_SIZE + len(unpacked),
        base_offset=header.base_offset,
        sound=bool(header.crc_ok),
        codec=None if header.codec is None else Codec(header.codec),
        count=header.records_count,
        last_delta=header.last_offset_delta,
        records=count,
        control=header.control,
        log_append_time=header.log_append_time,
        transactional=header.transactional,
        producer=header.producer_id,
        epoch=header.producer_epoch,
        sequence=header.base_sequence,
        lies=bool(times) and header.max_timestamp != max(times),
        keyless=tuple([index for index, record in enumerate(found) if record.key is None]),
        times=tuple([None if time == NO_TIMESTAMP else time - now for time in times]),
        longest=_longest(unpacked),
        bytes_after=bool(after) and not several,
    )


def _first_size(data: bytes) -> int | None:
    """Bytes that the first batch says it has, 0 where there is too little to say; None where it has
    a length or a format that none can have.
    """
    if len(data) < PREFIX_SIZE:
        return 0
    length = int.from_bytes(data[PREFIX_SIZE - 4 : PREFIX_SIZE], "big", signed=True)
    if length < SMALLEST_LENGTH:
        return None
    if len(data) <= MAGIC_AT:
        return 0
    return None if data[MAGIC_AT] > CURRENT_MAGIC else length + PREFIX_SIZE


def _unpack(header: BatchHeader, section: bytes) -> bytes | None:
    """The records of a batch, uncompressed; None where that can't be done."""
    number = header.attributes & CODEC_BITS
    if number >= len(CODECS):
        return None
    try:
        return decompress(CODECS[number], section, most=LARGEST_RECORDS)
    except Undecodable:
        return None


def _records(unpacked: bytes | None) -> tuple[int | None, list[Record]]:
    """How many records a batch holds, and these; -1 where they can't be separated, None where they
    can't be unpacked.
    """
    if unpacked is None:
        return None, []
    try:
        found = decode_section(unpacked, _count_records(unpacked))
    except (Malformed, IndexError):
        return -1, []
    return len(found), found


def _longest(unpacked: bytes | None) -> tuple[int, int]:
    """Bytes of the longest record as its length counts them, twice; what is unknown where the
    records can't be separated.
    """
    longest = position = 0
    try:
        while unpacked and position < len(unpacked):
            size, position = read_varint(unpacked, position)
            if size < 0:
                return UNKNOWN
            longest, position = max(longest, size), position + size
    except (Malformed, IndexError):
        return UNKNOWN
    return longest, longest


def _count_records(data: bytes) -> int:
    """How many records follow each other in some bytes, by their lengths."""
    position = count = 0
    while position < len(data):
        size, position = read_varint(data, position)
        if size < 0:
            raise Malformed(f"a record of {size} bytes", position)
        position += size
        count += 1
    return count
