"""The shapes of a segment's batches, read from its .log; records are not read, only the type of a
marker.
"""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING

from conformance.audit.files import UnreadableError, VanishedError, open_regular_file
from conformance.audit.log_file import End, batches
from conformance.misuse import BadConfiguration
from conformance.wire.sizing import minimum_size
from spec.disk.shapes import Shape
from spec.disk.stored import CURRENT_MAGIC
from spec.layout import Codec

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from conformance.audit.files import Opened
    from spec.disk.stored import StoredBatch

_ATTRIBUTES_AT = 21
_ATTRIBUTES = Struct(">h")
_CODECS = (Codec.NONE, Codec.GZIP, Codec.SNAPPY, Codec.LZ4, Codec.ZSTD)
_TRANSACTIONAL = 0x10
_MARKER_TYPE_AT = 66
_MARKER_TYPE = Struct(">hh")
_ABORT, _COMMIT = 0, 1


def shapes_of(path: Path, most: int) -> Iterator[Shape]:
    """The shapes of at most so many batches of a .log, from its start.

    Raises:
        BadConfiguration: it can't be read, or what is at its start is no batch.
    """
    try:
        with open_regular_file(path) as file:
            for number, found in enumerate(batches(file)):
                if isinstance(found, End) and number == 0:
                    why = "no bytes" if found.remark is None else found.remark[1]
                    raise BadConfiguration(f"expected the .log of a segment at {path}: {why}")
                if isinstance(found, End) or number == most:
                    return
                yield _shape(file, found)
    except VanishedError as gone:
        raise BadConfiguration(f"expected the .log of a segment at {path}, found none") from gone
    except UnreadableError as failed:
        raise BadConfiguration(f"{path}: {failed}") from failed


def nearest_writable_shape(shape: Shape) -> Shape:
    """The same shape, or the nearest one of which a batch can be made here: a compressed batch that
    is smaller than its codec's smallest loses the codec, or becomes as large as that.
    """
    if shape.ends is not None or not shape.records or shape.magic < CURRENT_MAGIC:
        return shape
    least = minimum_size(shape.records, shape.codec.value)
    if shape.size >= least:
        return shape
    if shape.size >= minimum_size(shape.records):
        return shape._replace(codec=Codec.NONE)
    return shape._replace(size=least)


def _shape(file: Opened, batch: StoredBatch) -> Shape:
    attributes = 0
    if batch.magic == CURRENT_MAGIC:
        (attributes,) = _ATTRIBUTES.unpack(
            file.read(batch.position + _ATTRIBUTES_AT, _ATTRIBUTES.size)
        )
    codec = attributes & 7
    return Shape(
        batch.base,
        batch.last,
        batch.size,
        batch.records,
        _CODECS[codec] if codec < len(_CODECS) else Codec.NONE,
        batch.magic,
        batch.producer_id,
        bool(attributes & _TRANSACTIONAL),
        _marker_commits(file, batch) if batch.control else None,
    )


def _marker_commits(file: Opened, batch: StoredBatch) -> bool | None:
    """Whether a control batch commits a transaction or aborts it; None for one of another type."""
    data = file.read(batch.position + _MARKER_TYPE_AT, _MARKER_TYPE.size)
    if len(data) < _MARKER_TYPE.size:
        return None
    _, kind = _MARKER_TYPE.unpack(data)
    return {_ABORT: False, _COMMIT: True}.get(kind)
