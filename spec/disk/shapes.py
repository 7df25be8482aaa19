"""The layout that a segment's batches have: sizes and counts alone, nothing of what the records
hold.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from spec.disk.stored import CURRENT_MAGIC
from spec.frozen import frozen
from spec.layout import Batch, Codec, Entry, Marker, Partition

MARKER_SIZE = 78


class Shape(NamedTuple):
    """A stored batch without its records.

    `ends` is whether a control batch commits (True) or aborts (False) a transaction; None for any
    other batch.
    """

    base: int
    last: int
    size: int
    records: int
    codec: Codec
    magic: int
    producer_id: int
    transactional: bool
    ends: bool | None


@frozen
class Imported:
    """What became of a segment.

    Attributes:
        partition: its layout, with the first batch at offset 0.
        notes: what a layout can't hold, and what stands for it.
    """

    partition: Partition
    notes: tuple[str, ...]


@dataclass(slots=True)
class _Reading:
    """How far the batches were read.

    Attributes:
        end: the offset behind the last entry, in the log.
        open: the number of the open transaction of each producer.
        begun: how many transactions there were.
        left_out: control batches that are not there, for the notes.
    """

    end: int
    open: dict[int, int] = field(default_factory=dict)
    begun: int = 0
    left_out: int = 0


def imported_layout(shapes: Iterable[Shape]) -> Imported:
    """The layout of a segment's batches, in their order.

    The marker of a transaction that began in an older segment, and control batches that end none,
    are left out: a gap stands for them. A gap before a marker is moved behind it.
    """
    entries: list[Entry] = []
    reading: _Reading | None = None
    for shape in shapes:
        if reading is None:
            reading = _Reading(shape.base)
        entries.extend(_entries(shape, reading))
    notes = []
    if reading is not None and reading.left_out:
        notes.append(
            f"{reading.left_out} control batches end no transaction that begins here, and are left "
            "out as gaps"
        )
    if reading is not None and reading.open:
        notes.append(f"{len(reading.open)} transactions are still open at the end")
    return Imported(Partition(segments=(tuple(entries),)), tuple(notes))


def _entries(shape: Shape, reading: _Reading) -> Iterator[Entry]:
    """The entry of a batch; none where it is left out."""
    if shape.ends is not None and shape.producer_id in reading.open:
        reading.end += 1
        yield Marker(reading.open.pop(shape.producer_id), shape.ends)
        return
    if shape.ends is not None:
        reading.left_out += 1
        return
    gap = max(0, shape.base - reading.end)
    offsets = shape.last - shape.base + 1
    reading.end = shape.last + 1
    yield Batch(
        shape.size,
        shape.records,
        shape.codec,
        _transaction(shape, reading),
        gap,
        0 if offsets == shape.records else offsets,
        min(shape.magic, CURRENT_MAGIC),
    )


def _transaction(shape: Shape, reading: _Reading) -> int | None:
    """The number of the transaction that a batch belongs to, a new one where it begins it."""
    if not shape.transactional:
        return None
    if shape.producer_id not in reading.open:
        reading.open[shape.producer_id] = reading.begun
        reading.begun += 1
    return reading.open[shape.producer_id]
