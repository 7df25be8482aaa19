"""Sizes and record counts that a batch can have, and the tables from which they are drawn.

Tables are in the order in which Hypothesis shrinks: an index of 0 is the simplest. None is longer
than 256, since Hypothesis draws evenly only up to there.
"""

from spec.kafka import BATCH_HEADER
from spec.layout import Batch, Codec

SIZES: tuple[int, ...] = (
    *(100,) * 20,
    *(150,) * 2,
    *(200,) * 6,
    *(250,) * 1,
    *(300,) * 5,
    *(350,) * 1,
    *(400,) * 3,
    *(500,) * 3,
    *(600,) * 2,
    *(700,) * 1,
    *(800,) * 2,
    *(900,) * 1,
    *(1000,) * 4,
    *(1200,) * 2,
    *(1500,) * 3,
    *(2000,) * 2,
    *(3000,) * 1,
    *(5000,) * 2,
    *(8000,) * 1,
    *(12000,) * 1,
    *(20000,) * 1,
)
"""Bytes of a batch by slot, ascending."""

STOPS = 18
"""The first so many slots end a partition that has a batch already."""

RECORDS = (1, 1, 2, 3, 5, 8, 20, 50)
CODECS = (
    Codec.NONE,
    Codec.NONE,
    Codec.NONE,
    Codec.GZIP,
    Codec.SNAPPY,
    Codec.LZ4,
    Codec.ZSTD,
    Codec.ZSTD,
)
ODD = (0, 1, -30, 37)
"""The amounts that are added to a round size."""

KINDS = len(RECORDS) * len(CODECS) * len(ODD)

SMALLEST_RECORD = 7
"""Bytes of a record without key, value and headers whose offset delta is below 64 (KIP-98)."""
LARGE_DELTAS = (64, 8192, 1 << 20)
"""Offset deltas from which the delta's varint takes a byte more."""
GAPS = frozenset((126, 8255))
"""Sizes below 1 MiB that no batch of one uncompressed record has: there the record's length varint
grows by a byte.
"""
COMPRESSED_SINGLE = 30
COMPRESSED_OVERHEAD = 40
COMPRESSED_RECORD = 12


def minimum_size(records: int, codec: Codec = Codec.NONE) -> int:
    """Bytes from which on each size can be had by a batch of `records` records, `GAPS` left out.

    Exact for uncompressed batches: 61 and the records without key, value and headers (KIP-98). For
    compressed ones, whose least size is the codec's affair, high enough for each of Kafka's codecs.
    """
    if codec is Codec.NONE:
        return (
            BATCH_HEADER
            + SMALLEST_RECORD * records
            + sum([max(0, records - delta) for delta in LARGE_DELTAS])
        )
    if records == 1:
        return BATCH_HEADER + COMPRESSED_SINGLE
    return BATCH_HEADER + COMPRESSED_OVERHEAD + COMPRESSED_RECORD * records


def batch_of(size: int, kind: int = 0, txn: int | None = None) -> Batch:
    """The batch of a slot's size and a kind (0 to `KINDS` - 1): one uncompressed record of a round
    size for kind 0.

    It gets fewer records where so many don't fit into the size.
    """
    size += ODD[kind // 64]
    codec = CODECS[kind // 8 % 8]
    place = kind % 8
    while place and minimum_size(RECORDS[place], codec) > size:
        place -= 1
    records = RECORDS[place]
    size = max(size, minimum_size(records, codec))
    if records == 1 and codec is Codec.NONE and size in GAPS:
        size += 1
    return Batch(size, records, codec, txn)
