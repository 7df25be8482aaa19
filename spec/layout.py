"""Layouts: the content of the partitions before the first request.

A layout is a shape: how many records and bytes each batch has, never the bytes themselves. Whoever
places it on a broker derives bytes from the shape. Offsets are relative: a partition's first batch
has base offset 0.
"""

from collections.abc import Iterator
from enum import StrEnum

from spec.frozen import frozen
from spec.kafka import BATCH_HEADER, CURRENT_MAGIC


class Codec(StrEnum):
    """The compression codec of a batch, by the name the config `compression.type` uses."""

    NONE = "none"
    GZIP = "gzip"
    SNAPPY = "snappy"
    LZ4 = "lz4"
    ZSTD = "zstd"

    __hash__ = str.__hash__


@frozen
class Batch:
    """One record batch as stored, or one message of an older format.

    Attributes:
        size: bytes of the whole batch: the 12-byte prefix, the header and the (compressed) records.
            At least 61, and exactly that where it is empty.
        records: how many records it holds; 0 only where compaction emptied it.
        codec: how its records are compressed.
        txn: number of the transaction of this partition that it belongs to; None where it is not
            transactional.
        gap: offsets missing in front of it, left by compaction.
        span: offsets it covers; 0 means one for each record, more where compaction took records
            out.
        magic: 2; 1 or 0 for a message that an older release left in the log (FET-023): one
            uncompressed record.
    """

    size: int
    records: int = 1
    codec: Codec = Codec.NONE
    txn: int | None = None
    gap: int = 0
    span: int = 0
    magic: int = CURRENT_MAGIC

    @property
    def offsets(self) -> int:
        """The number of offsets of the batch, the gap before it left out."""
        return self.span or self.records


@frozen
class Marker:
    """The control batch that ends a transaction: one offset, 78 bytes (KIP-98).

    Attributes:
        txn: number of the transaction it ends.
        commit: True commits, False aborts.
    """

    txn: int
    commit: bool


Entry = Batch | Marker

SMALLEST = {CURRENT_MAGIC: BATCH_HEADER, 1: 34, 0: 26}
"""Bytes of the smallest batch or message of each format: without records, or without key and value.
"""


@frozen
class Partition:
    """One partition's log.

    Attributes:
        segments: its segments in order, each the batches and markers in it. A new segment starts
            with a batch.
        log_start: the log start offset; may lie inside a batch (KIP-107).
    """

    segments: tuple[tuple[Entry, ...], ...] = ((),)
    log_start: int = 0

    def entries(self) -> Iterator[Entry]:
        """All batches and markers in log order."""
        for segment in self.segments:
            yield from segment

    @property
    def has_holes(self) -> bool:
        """Whether offsets are missing, or old formats present, so that only a crafted or compacted
        log can hold it.
        """
        return any(
            isinstance(e, Batch) and (e.gap or e.span or not e.records or e.magic < CURRENT_MAGIC)
            for e in self.entries()
        )


@frozen
class Layout:
    """The partitions that a scenario speaks of, by number from 0."""

    partitions: tuple[Partition, ...]

    @property
    def is_crafted(self) -> bool:
        """Whether some partition can't be written through the Produce API."""
        return any(partition.has_holes for partition in self.partitions)


MOST_PARTITIONS = 1_000
MOST_ENTRIES = 100_000
"""Batches and markers of a layout."""
MOST_RECORDS = 1_000_000
"""Records of a layout: each is made in memory before it is sent."""
MOST_BYTES = 256 * 2**20
"""Bytes of a layout's batches."""
LARGEST_BATCH = 100 * 2**20
"""Bytes: the default of `socket.request.max.bytes`, past which no broker takes a request."""
MOST_OFFSETS = 2**31 - 1
"""Offsets that one gap or span may cover."""
MOST_TRANSACTIONS = 10_000


class LayoutError(ValueError):
    """A layout that no log can have. The message names the partition and the entry."""


def validate(layout: Layout) -> None:
    """Raise LayoutError where the layout contradicts itself, or is larger than one that is laid on
    a broker may be.
    """
    if not layout.partitions:
        raise LayoutError("a layout needs at least one partition")
    for number, partition in enumerate(layout.partitions):
        _validate_partition(f"partition {number}", partition)
    _validate_size(layout)


def _validate_size(layout: Layout) -> None:
    entries = [entry for partition in layout.partitions for entry in partition.entries()]
    batches = [entry for entry in entries if isinstance(entry, Batch)]
    for what, found, most in (
        ("partitions", len(layout.partitions), MOST_PARTITIONS),
        ("segments", sum(len(partition.segments) for partition in layout.partitions), MOST_ENTRIES),
        ("batches and markers", len(entries), MOST_ENTRIES),
        ("records", sum(batch.records for batch in batches), MOST_RECORDS),
        ("bytes", sum(batch.size for batch in batches), MOST_BYTES),
    ):
        if found > most:
            raise LayoutError(
                f"expected at most {most} {what} in a layout, found {found}; make it smaller"
            )


def _validate_partition(where: str, partition: Partition) -> None:
    if not partition.segments:
        raise LayoutError(f"{where}: expected at least one segment (it may be empty), found none")
    open_txns: set[int] = set()
    ended: set[int] = set()
    end = 0
    for index, segment in enumerate(partition.segments):
        if index and (not segment or isinstance(segment[0], Marker)):
            raise LayoutError(
                f"{where}, segment {index}: a segment after the first must start with a batch"
            )
        for entry in segment:
            if isinstance(entry, Marker):
                if entry.txn not in open_txns:
                    raise LayoutError(
                        f"{where}: the marker of transaction {entry.txn} ends a transaction that "
                        "is not open"
                    )
                open_txns.remove(entry.txn)
                ended.add(entry.txn)
                end += 1
                continue
            validate_batch(where, entry)
            if entry.txn is not None:
                if entry.txn in ended:
                    raise LayoutError(
                        f"{where}: a batch of transaction {entry.txn} follows its marker"
                    )
                open_txns.add(entry.txn)
            end += entry.gap + entry.offsets
    if not 0 <= partition.log_start <= end:
        raise LayoutError(
            f"{where}: log_start must be from 0 to the end offset {end}, found "
            f"{partition.log_start}"
        )


def validate_batch(where: str, batch: Batch) -> None:
    """Raise LayoutError where a batch contradicts itself; `where` says which it is."""
    if batch.magic not in SMALLEST:
        raise LayoutError(
            f"{where}: the formats are {', '.join(map(str, SMALLEST))}, found magic {batch.magic}"
        )
    smallest = SMALLEST[batch.magic]
    if batch.size < smallest or batch.records < 0 or batch.gap < 0 or batch.span < 0:
        raise LayoutError(
            f"{where}: a batch has at least {smallest} bytes and no negative counts, found {batch}"
        )
    if (
        batch.size > LARGEST_BATCH
        or batch.records > MOST_RECORDS
        or max(batch.gap, batch.span) > MOST_OFFSETS
    ):
        most = f"{LARGEST_BATCH} bytes, {MOST_RECORDS} records and {MOST_OFFSETS} offsets"
        raise LayoutError(f"{where}: expected a batch of at most {most}, found {batch}")
    if batch.txn is not None and not 0 <= batch.txn < MOST_TRANSACTIONS:
        raise LayoutError(
            f"{where}: expected the number of a transaction from 0 to {MOST_TRANSACTIONS - 1}, "
            f"found {batch.txn}"
        )
    if batch.span and batch.span < batch.records:
        raise LayoutError(
            f"{where}: a batch of {batch.records} records can't span only {batch.span} offsets"
        )
    if not batch.offsets:
        raise LayoutError(f"{where}: an empty batch needs a span of at least one offset")
    if not batch.records and (batch.size != BATCH_HEADER or batch.codec is not Codec.NONE):
        raise LayoutError(
            f"{where}: an empty batch is its header of {BATCH_HEADER} bytes, uncompressed, found "
            f"{batch}"
        )
    if batch.magic < CURRENT_MAGIC and (batch.offsets, batch.records, batch.codec, batch.txn) != (
        1,
        1,
        Codec.NONE,
        None,
    ):
        raise LayoutError(
            f"{where}: a message of format {batch.magic} is one uncompressed record outside of "
            f"transactions, found {batch}"
        )
