"""Records as they lie inside a version 2 batch, and the records that control batches carry."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from conformance.wire.decoding import Malformed
from spec.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterable

ABORT = 0
COMMIT = 1

CONTROL_KEY = struct.Struct(">hh")
CONTROL_VALUE = struct.Struct(">hi")
SMALLEST_RECORD = 7
"""Bytes of a record without key, value and headers: its length, attributes, two deltas, three
lengths.
"""


@frozen
class Record:
    """One record; deltas are relative to its batch's base offset and base timestamp (ms)."""

    offset_delta: int = 0
    timestamp_delta: int = 0
    key: bytes | None = None
    value: bytes | None = b""
    headers: tuple[tuple[bytes, bytes | None], ...] = ()


def control_record(kind: int, coordinator_epoch: int = 0) -> Record:
    """The record of a transaction marker: `kind` is ABORT (0) or COMMIT (1)."""
    return Record(key=CONTROL_KEY.pack(0, kind), value=CONTROL_VALUE.pack(0, coordinator_epoch))


def control_type(record: Record) -> int:
    """The type of a control record: 0 abort, 1 commit; other numbers are other control records.

    Raises:
        Malformed: its key isn't a control record's key.
    """
    if record.key is None or len(record.key) < CONTROL_KEY.size:
        raise Malformed(
            f"control record: expected a key of at least 4 bytes, found {record.key!r}", 0
        )
    return int(CONTROL_KEY.unpack_from(record.key)[1])


def varint(value: int) -> bytes:
    """A signed (zigzag) varint."""
    value = value << 1 ^ value >> 63
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


VARINTS = tuple(varint(each) for each in range(2048))


def small_varint(value: int) -> bytes:
    """`varint`, faster for the lengths that are common."""
    return VARINTS[value] if 0 <= value < len(VARINTS) else varint(value)


def varint_size(value: int) -> int:
    """Bytes that a signed varint takes."""
    if -64 <= value < 64:
        return 1
    return ((value << 1 ^ value >> 63).bit_length() + 6) // 7


def read_varint(data: bytes, position: int, bits: int = 32) -> tuple[int, int]:
    """Read a signed varint of at most `bits` bits: its value and the position after it.

    Raises:
        Malformed: it is longer.
        IndexError: the data ends inside it.
    """
    raw = data[position]
    if raw < 0x80:
        return raw >> 1 ^ -(raw & 1), position + 1
    raw &= 0x7F
    for index in range(1, (bits + 6) // 7):
        byte = data[position + index]
        raw |= (byte & 0x7F) << 7 * index
        if byte < 0x80:
            if raw >> bits:
                break
            return raw >> 1 ^ -(raw & 1), position + index + 1
    raise Malformed(f"a varint of more than {bits} bits", position)


def encode_record(record: Record) -> bytes:
    """One record with its length before it."""
    parts = [b"\0", small_varint(record.timestamp_delta), small_varint(record.offset_delta)]
    for each in (record.key, record.value):
        parts += (b"\x01",) if each is None else (small_varint(len(each)), each)
    parts.append(small_varint(len(record.headers)))
    for name, value in record.headers:
        parts += (small_varint(len(name)), name)
        parts += (b"\x01",) if value is None else (small_varint(len(value)), value)
    body = b"".join(parts)
    return small_varint(len(body)) + body


def encode_records(records: Iterable[Record]) -> bytes:
    """The records of a batch, before compression."""
    return b"".join(map(encode_record, records))


def decode_section(data: bytes, count: int) -> list[Record]:
    """Read the `count` records of a batch from its uncompressed bytes.

    Raises:
        Malformed: the bytes hold fewer or more records, or a length inside one is wrong.
    """
    if not 0 <= count * SMALLEST_RECORD <= len(data):
        raise Malformed(f"the batch claims {count} records in {len(data)} bytes", 0)
    position = 0
    records = []
    try:
        for _ in range(count):
            size, position = read_varint(data, position)
            end = position + size
            if size < SMALLEST_RECORD - 1 or end > len(data):
                raise Malformed(
                    f"a record claims {size} bytes, {len(data) - position} are left", position
                )
            records.append(_record(data, position, end))
            position = end
    except IndexError:
        raise Malformed("the data ends inside a record", len(data)) from None
    if position != len(data):
        raise Malformed(f"{len(data) - position} bytes after the last of {count} records", position)
    return records


def _blob(data: bytes, position: int, end: int, what: str) -> tuple[bytes | None, int]:
    size, position = read_varint(data, position)
    if size == -1:
        return None, position
    if size < 0 or size > end - position:
        raise Malformed(
            f"{what} claims {size} bytes, {end - position} are left in its record", position
        )
    return data[position : position + size], position + size


def _record(data: bytes, position: int, end: int) -> Record:
    timestamp_delta, position = read_varint(data, position + 1, 64)
    offset_delta, position = read_varint(data, position)
    key, position = _blob(data, position, end, "a key")
    value, position = _blob(data, position, end, "a value")
    count, position = read_varint(data, position)
    if count < 0 or count * 2 > end - position:
        raise Malformed(
            f"a record claims {count} headers, {end - position} bytes are left in it", position
        )
    headers = []
    for _ in range(count):
        name, position = _blob(data, position, end, "a header's key")
        if name is None:
            raise Malformed("a header's key is null", position)
        content, position = _blob(data, position, end, "a header's value")
        headers.append((name, content))
    if position != end:
        raise Malformed(
            f"a record's fields end {end - position} bytes before its length says", position
        )
    return Record(offset_delta, timestamp_delta, key, value, tuple(headers))
