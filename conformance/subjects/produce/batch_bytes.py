"""The bytes of a batch of a given shape and flaw."""

from __future__ import annotations

import hashlib
from itertools import product
from typing import TYPE_CHECKING

from conformance.wire.batch_format import (
    CONTROL,
    CRC_AT,
    HEADER,
    HEADER_SIZE,
    LOG_APPEND_TIME,
    MAGIC_AT,
)
from conformance.wire.batches import (
    CODECS,
    Record,
    batch_of_size,
    encode_batch,
    old_message,
    parse_batches,
    restamp,
)
from conformance.wire.records import encode_records
from conformance.wire.sizing import NoSuchBatchError
from spec.frozen import replace
from spec.layout import Codec
from spec.produce.model.received import even_share
from spec.produce.steps import Flaw

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from spec.produce.steps import Outgoing

LENGTH_AT = 8
SHORT_LENGTH = (13).to_bytes(4, "big")
BYTES_AFTER = bytes(11)
SPARE_BIT = 0x4000
NOT_PACKED = frozenset({Flaw.CODEC_5, Flaw.UNDECODABLE})
"""Flaws of batches whose records are not compressed, whatever the header says."""
HEADERS: tuple[tuple[tuple[bytes, bytes], ...], ...] = ((), ((b"h", b""),))
"""The headers of the last record with which a size can be had."""
OTHERS = (2, 3)
"""Bytes of the other records' values with which one can."""
NOISES = 64
"""Places at which the noise of a compressed batch begins, that are tried for its size."""
ZEROS = (0, 20, 70, 9, 31, 47, 95)
"""Zeros before it."""
CORRECTIONS = 8
"""How often the length of the noise is corrected by the size that it gave."""
LENGTHS = 12
"""Bytes by which the lengths of a record and of its value grow with the value, at most."""
MAGICS = {Flaw.MAGIC_0: 0, Flaw.MAGIC_1: 1}


def batch_bytes(batch: Outgoing, seed: int, timestamp: int, first_producer: int = 0) -> bytes:
    """The bytes for one partition of a Produce request.

    Args:
        batch: their shape.
        seed: different seeds give different records.
        timestamp: of all records, milliseconds.
        first_producer: the id of the producer with number 0.

    Raises:
        NoSuchBatchError: no batch has this shape.
    """
    if batch.flaw in MAGICS:
        return old_message(batch.size, MAGICS[batch.flaw], 0, timestamp)
    if batch.flaw is Flaw.EMPTY:
        return b""
    if batch.flaw is Flaw.HEADER_ONLY:
        return encode_batch([], base_timestamp=timestamp, last_offset_delta=-1)
    made = _sound(batch, seed, timestamp)
    if batch.producer is not None:
        made = restamp(
            made,
            producer_id=first_producer + batch.producer,
            producer_epoch=batch.epoch,
            base_sequence=batch.sequence,
        )
    return FLAWED[batch.flaw](made) if batch.flaw in FLAWED else made


def _sound(batch: Outgoing, seed: int, timestamp: int) -> bytes:
    """A sound batch of that size, in which a flaw can be put."""
    keys = [
        None if index in batch.without_key else f"k{index}".encode()
        for index in range(batch.records)
    ]
    if batch.unpacked:
        return _packed_batch(batch, keys, seed, timestamp)
    if batch.times:
        return _timed_batch(batch, keys, seed, timestamp)
    codec = Codec.NONE if batch.flaw in NOT_PACKED else batch.codec
    made = batch_of_size(
        batch.size,
        batch.records,
        codec.value,
        keys=keys if batch.keyed else None,
        seed=seed,
    )
    base = -1 if batch.flaw is Flaw.NO_TIMESTAMP else timestamp
    return restamp(made, base_timestamp=base)


def _timed_batch(batch: Outgoing, keys: list[bytes | None], seed: int, timestamp: int) -> bytes:
    """A batch whose records have times of their own; the last one fills it up to its size.

    Raises:
        NoSuchBatchError: its size is too small.
    """
    noise = hashlib.shake_128(f"{seed}".encode()).digest(batch.size)
    for header, others in product(HEADERS, OTHERS):
        first = [
            Record(index, time - batch.times[0], key, noise[index : index + others])
            for index, (time, key) in enumerate(zip(batch.times, keys, strict=True))
        ]
        for size in range(batch.size):
            last = replace(first[-1], value=noise[:size], headers=header)
            records = encode_records([*first[:-1], last])
            if len(records) + HEADER_SIZE >= batch.size:
                break
        if len(records) + HEADER_SIZE == batch.size:
            return encode_batch([*first[:-1], last], base_timestamp=timestamp + batch.times[0])
    raise NoSuchBatchError(f"expected a larger batch than {batch.size} bytes for {batch}")


def _packed_batch(batch: Outgoing, keys: list[bytes | None], seed: int, timestamp: int) -> bytes:
    """A compressed batch that has one size as it is, and another with its records unpacked: the
    last value is noise, as much as the first size needs, between zeros. The other records have
    their share of zeros where all are of about one size.

    Raises:
        NoSuchBatchError: none was found.
    """
    noise = hashlib.shake_128(f"{seed}".encode()).digest(batch.size + NOISES)
    share = bytes(even_share(batch))
    for start, zeros, header in product(range(NOISES), ZEROS, HEADERS):
        first = [Record(index, 0, key, noise[:2] + share) for index, key in enumerate(keys)]
        value = _value_size(replace(first[-1], headers=header), first[:-1], batch.unpacked)
        if value is None:
            continue
        zeroed = replace(first[-1], value=bytes(value), headers=header)
        least = len(encode_batch([*first[:-1], zeroed], codec=batch.codec.value))
        count = batch.size - least
        for _ in range(CORRECTIONS):
            if not 0 <= count <= value - zeros:
                break
            padded = (bytes(zeros) + noise[start : start + count]).ljust(value, b"\0")
            last = replace(first[-1], value=padded, headers=header)
            made = encode_batch(
                [*first[:-1], last], codec=batch.codec.value, base_timestamp=timestamp
            )
            if len(made) == batch.size:
                return made
            count += batch.size - len(made)
    raise NoSuchBatchError(
        f"expected a batch that has {batch.size} bytes, and {batch.unpacked} unpacked; none of "
        f"{batch.records} records with codec {batch.codec} was found"
    )


def _value_size(last: Record, first: list[Record], unpacked: int) -> int | None:
    """Bytes of the last record's value with which a batch has so many bytes unpacked; None where no
    value gives them.
    """
    room = unpacked - HEADER_SIZE - len(encode_records(first))
    empty = len(encode_records([replace(last, value=b"")]))
    for size in range(room - empty, max(-1, room - empty - LENGTHS), -1):
        if len(encode_records([replace(last, value=bytes(size))])) == room:
            return size
    return None


def _count(made: bytes) -> int:
    """The header's count of records."""
    found: int = HEADER.unpack_from(made)[-1]
    return found


def _latest(made: bytes) -> int:
    """The header's max timestamp."""
    return parse_batches(made, check_crc=False).batches[0].max_timestamp


def _with_bytes(made: bytes, position: int, changed: bytes) -> bytes:
    """The same with other bytes at a position; its checksum stays as it was."""
    return made[:position] + changed + made[position + len(changed) :]


def _with_larger_count(made: bytes, *, count: int = 0, delta: int = 0) -> bytes:
    """The same with a count of records, and a last offset delta, that are so much more."""
    records = _count(made)
    return restamp(made, records_count=records + count, last_offset_delta=records - 1 + delta)


FLAWED: Mapping[Flaw, Callable[[bytes], bytes]] = {
    Flaw.CRC: lambda made: _with_bytes(made, CRC_AT, bytes([made[CRC_AT] ^ 0xFF])),
    Flaw.MAGIC_3: lambda made: _with_bytes(made, MAGIC_AT, b"\x03"),
    Flaw.SHORT_LENGTH: lambda made: _with_bytes(made, LENGTH_AT, SHORT_LENGTH),
    Flaw.COUNT_ABOVE: lambda made: _with_larger_count(made, count=1, delta=1),
    Flaw.COUNT_BELOW: lambda made: _with_larger_count(made, count=-1, delta=-1),
    Flaw.COUNT_ZERO: lambda made: restamp(made, records_count=0),
    Flaw.DELTA_ABOVE: lambda made: _with_larger_count(made, delta=1),
    Flaw.DELTA_BELOW: lambda made: _with_larger_count(made, delta=-1),
    Flaw.TWO_BATCHES: lambda made: made + made,
    Flaw.CUT: lambda made: made[:-1],
    Flaw.BYTES_AFTER: lambda made: made + BYTES_AFTER,
    Flaw.BASE_OFFSET: lambda made: restamp(made, base_offset=1),
    Flaw.BASE_OFFSET_NEGATIVE: lambda made: restamp(made, base_offset=-1),
    Flaw.CONTROL: lambda made: restamp(made, more_attributes=CONTROL),
    Flaw.TRANSACTIONAL: lambda made: restamp(made, transactional=True),
    Flaw.APPEND_TIME: lambda made: restamp(made, more_attributes=LOG_APPEND_TIME),
    Flaw.SPARE_BIT: lambda made: restamp(made, more_attributes=SPARE_BIT),
    Flaw.CODEC_5: lambda made: restamp(made, more_attributes=5),
    Flaw.UNDECODABLE: lambda made: restamp(made, more_attributes=CODECS.index("gzip")),
    Flaw.NO_SEQUENCE: lambda made: restamp(made, producer_id=0, producer_epoch=0),
    Flaw.MAX_TIMESTAMP_ABOVE: lambda made: restamp(made, max_timestamp=_latest(made) + 999),
    Flaw.MAX_TIMESTAMP_UNSET: lambda made: restamp(made, max_timestamp=-1),
}
"""What makes a flaw of a sound batch."""
