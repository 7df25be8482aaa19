"""Batches of an exact size: the shapes that generators draw, turned into bytes.

The bytes follow from the shape alone (a hash fills the values), so that the same shape is the same
batch everywhere.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from conformance.wire.batch_format import HEADER_SIZE, TAIL, assemble
from conformance.wire.compression import CODECS, CodecName, compress
from conformance.wire.records import Record, encode_record, encode_records, varint_size
from spec.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Sequence

SMALL = 64 * 1024
"""Batches up to this size are kept by the thousand, larger ones by the handful."""

VARIANTS = tuple(
    (header, zeros) for zeros in (0, 1, 2, 3, 5, 8, 12, 17, 24, 40) for header in (None, 1, 2, 4)
)
"""(Length of a header's key, zeros at the value's end) of the last record: the ways that a
compressed size is tried.
"""

STEPS = 6
"""Compressions tried for each variant, each corrected by the one before."""


class NoSuchBatchError(ValueError):
    """No batch has this shape; the text says which sizes are near."""


def batch_of_size(
    size: int,
    records: int,
    codec: CodecName = "none",
    *,
    keys: Sequence[bytes | None] | None = None,
    seed: int = 0,
    base_timestamp: int = 0,
) -> bytes:
    """A legal batch of exactly `size` bytes (its first 12 included) with `records` records.

    All records have the batch's base timestamp; `stamped` sets the producer's fields and the times.

    Args:
        size: bytes, at least `minimum_size(records, codec, keys=keys)`.
        records: at least 1.
        codec: a batch's records compress hardly at all: their values are noise.
        keys: one for each record; all null where None.
        seed: different seeds give different values.
        base_timestamp: milliseconds.

    Raises:
        NoSuchBatchError: no such batch exists, or none was found; the text names the nearest sizes
        found.
    """
    cached = _small if size <= SMALL else _large
    return cached(size, records, codec, None if keys is None else tuple(keys), seed, base_timestamp)


@lru_cache(maxsize=1024)
def minimum_size(
    records: int, codec: CodecName = "none", *, keys: tuple[bytes | None, ...] | None = None
) -> int:
    """Bytes of the smallest batch with so many records that `batch_of_size` makes: all values
    empty, no headers.
    """
    shape = _Shape.of(records, keys)
    return HEADER_SIZE + len(compress(codec, encode_records(shape.fill(shape.least, b""))))


@lru_cache(maxsize=2048)
def _small(
    size: int,
    records: int,
    codec: CodecName,
    keys: tuple[bytes | None, ...] | None,
    seed: int,
    base_timestamp: int,
) -> bytes:
    return _make(size, records, codec, keys, seed, base_timestamp)


@lru_cache(maxsize=16)
def _large(
    size: int,
    records: int,
    codec: CodecName,
    keys: tuple[bytes | None, ...] | None,
    seed: int,
    base_timestamp: int,
) -> bytes:
    return _make(size, records, codec, keys, seed, base_timestamp)


def _make(
    size: int,
    records: int,
    codec: CodecName,
    keys: tuple[bytes | None, ...] | None,
    seed: int,
    base_timestamp: int,
) -> bytes:
    shape = _Shape.of(records, keys)
    wanted = size - HEADER_SIZE
    least = minimum_size(records, codec, keys=keys)
    if size < least:
        raise NoSuchBatchError(
            f"expected a size of at least {least} for {records} records with codec {codec}, found "
            f"{size}"
        )
    noise = hashlib.shake_128(f"{seed}/{records}".encode()).digest(max(16, wanted + 1024))
    section = (
        _plain(shape, wanted, noise) if codec == "none" else _pack(shape, wanted, codec, noise)
    )
    tail = TAIL.pack(
        CODECS.index(codec), records - 1, base_timestamp, base_timestamp, -1, -1, -1, records
    )
    return assemble(0, -1, tail, section)


def _plain(shape: _Shape, wanted: int, noise: bytes) -> bytes:
    filled = shape.fill(wanted, noise)
    section = encode_records(filled)
    if len(section) == wanted:
        return section
    near = sorted(
        {
            len(encode_records(shape.fill(wanted + each, noise)))
            for each in (-1, 1)
            if wanted + each >= shape.least
        }
    )
    raise _unreachable(shape, wanted, "none", near)


def _unreachable(
    shape: _Shape, wanted: int, codec: CodecName, near: Sequence[int]
) -> NoSuchBatchError:
    nearest = " and ".join(str(HEADER_SIZE + each) for each in near)
    return NoSuchBatchError(
        f"expected a size that {len(shape.keys)} records with codec {codec} can have, found "
        f"{HEADER_SIZE + wanted}; "
        f"the nearest are {nearest}"
    )


def _pack(shape: _Shape, wanted: int, codec: CodecName, noise: bytes) -> bytes:
    """Search the last record's value for the compressed size; the other records are filled first
    and stay as they are.

    Their share is what would be fair if nothing could be compressed, and less where that leaves too
    little to the last.
    """
    search = _Search(codec, wanted, noise)
    count = len(shape.keys)
    share = max(0, (wanted - shape.least) // count)
    for each in dict.fromkeys(
        (share, share * 7 // 8, share // 2, share // 8, 0) if count > 1 else (0,)
    ):
        section = search.run(shape.head(each, noise), count - 1, shape.keys[-1])
        if section is not None:
            return section
    below = max((size for size in search.found if size < wanted), default=None)
    above = min((size for size in search.found if size > wanted), default=None)
    raise _unreachable(shape, wanted, codec, [size for size in (below, above) if size is not None])


@dataclass
class _Search:
    """A bounded search for one compressed size.

    Noise grows by one byte for one byte, so a difference is taken off at once; where that would go
    back and forth over a size that can't be hit so, bytes that do compress are mixed in, and a
    header's key is made longer.
    """

    codec: CodecName
    wanted: int
    noise: bytes
    found: set[int] = field(default_factory=set)

    def run(self, head: bytes, index: int, key: bytes | None) -> bytes | None:
        """The compressed section of `head` and a last record such that its size is the one wanted,
        if that is found.
        """
        size = 0
        for header, zeros in VARIANTS:
            tried: set[int] = set()
            while size not in tried and len(tried) < STEPS:
                tried.add(size)
                noise = self.noise[-size + zeros :] if size > zeros else b""
                headers = () if header is None else ((b"h" * header, b""),)
                last = Record(index, 0, key, noise + bytes(min(zeros, size)), headers)
                section = compress(self.codec, head + encode_record(last))
                difference = self.wanted - len(section)
                if difference == 0:
                    return section
                self.found.add(len(section))
                if size == 0 and difference < 0 and not zeros and header is None:
                    return None
                size = max(0, size + difference)
        return None


@frozen
class _Shape:
    """Records whose keys are given and whose values are to be filled."""

    keys: tuple[bytes | None, ...]
    least: int

    @classmethod
    def of(cls, records: int, keys: tuple[bytes | None, ...] | None) -> _Shape:
        if records < 1:
            raise ValueError(f"expected at least 1 record, found {records}")
        if keys is None:
            return _keyless(records)
        if len(keys) != records:
            raise ValueError(f"expected {records} keys, one for each record, found {len(keys)}")
        return cls(keys, sum(_total(_body(index, key)) for index, key in enumerate(keys)))

    def head(self, share: int, noise: bytes) -> bytes:
        """All records but the last, each at most `share` bytes longer than with an empty value."""
        sizes = [_value_size(_body(index, key), share) for index, key in enumerate(self.keys[:-1])]
        return encode_records(self._records(sizes, noise))

    def fill(self, wanted: int, noise: bytes) -> list[Record]:
        """Records that take `wanted` bytes together, where that can be; otherwise one byte less.
        Values are about equal.
        """
        keys = self.keys
        share = (wanted - self.least) // len(keys)
        sizes = [_value_size(_body(index, key), share) for index, key in enumerate(keys[:-1])]
        bodies = [_body(index, key) for index, key in enumerate(keys)]
        spent = sum(_total(body + _growth(size)) for body, size in zip(bodies, sizes, strict=False))
        fitted = _fit(bodies[-1], wanted - spent)
        if fitted is None and sizes and sizes[-1] > 1:
            spent -= _total(bodies[-2] + _growth(sizes[-1]))
            sizes[-1] -= 1
            spent += _total(bodies[-2] + _growth(sizes[-1]))
            fitted = _fit(bodies[-1], wanted - spent)
        size, header = fitted or _fit(bodies[-1], wanted - spent - 1) or (0, None)
        made = self._records([*sizes, size], noise)
        if header is not None:
            last = made[-1]
            made[-1] = Record(last.offset_delta, 0, last.key, last.value, ((b"h" * header, b""),))
        return made

    def _records(self, sizes: Sequence[int], noise: bytes) -> list[Record]:
        made = []
        position = 0
        for index, size in enumerate(sizes):
            made.append(Record(index, 0, self.keys[index], noise[position : position + size]))
            position += size
        return made


@lru_cache(maxsize=256)
def _keyless(records: int) -> _Shape:
    return _Shape((None,) * records, sum(_total(_body(index, None)) for index in range(records)))


def _body(index: int, key: bytes | None) -> int:
    """Bytes of a record with an empty value and no headers, its length not counted."""
    return 4 + varint_size(index) + (1 if key is None else varint_size(len(key)) + len(key))


def _growth(size: int) -> int:
    """Bytes that a value of `size` bytes takes more than an empty one."""
    return size + varint_size(size) - 1


def _total(body: int) -> int:
    return body + varint_size(body)


def _value_size(body: int, share: int) -> int:
    """The largest value that makes a record at most `share` bytes longer."""
    size = max(0, share)
    limit = _total(body) + share
    while size > 0 and _total(body + _growth(size)) > limit:
        size -= 1
    return size


def _fit(body: int, wanted: int) -> tuple[int, int | None] | None:
    """Value size, and length of one header's key (None: no header), that make a record take
    `wanted` bytes.
    """
    for whole in range(wanted - 1, wanted - 6, -1):
        if whole >= body and _total(whole) == wanted:
            for header in (None, 0, 1, 2):
                room = whole - body - (0 if header is None else header + 2)
                for size in range(room, max(-1, room - 5), -1):
                    if _growth(size) == room:
                        return size, header
    return None
