"""A log of the model as the files that a broker would have of it, to be damaged and looked at."""

from __future__ import annotations

import struct
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import google_crc32c

from conformance.subjects.segments.files import look_at
from conformance.wire.batches import batch_of_size, restamp
from spec.disk.producers import CRC_FROM, HEAD, VERSION
from spec.frozen import frozen
from spec.segments.model import OFFSET_ENTRY, TIME_ENTRY, files_of
from spec.segments.outcomes import FilesSeen

if TYPE_CHECKING:
    from collections.abc import Callable

    from spec.segments.model import Segment, SegmentLog
    from spec.segments.settings import SegmentSettings

    Damage = Callable[[Path, SegmentLog], None]

TIME = 1_700_000_000_000
"""The partition's time, ms."""
METADATA = "version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAQ"


@frozen
class ModelPlace:
    """Where the log of the model lies."""

    base: int = 0
    timestamp: int = TIME


def name(folder: Path, segment: Segment, suffix: str) -> Path:
    """One of a segment's files."""
    return folder / f"{segment.base:020d}{suffix}"


def write(folder: Path, log: SegmentLog, settings: SegmentSettings) -> None:
    """Write the files of a log."""
    for segment in log.segments:
        active = segment is log.active
        taken = settings.segment_bytes if active and settings.preallocate else 0
        name(folder, segment, ".log").write_bytes(_log(segment).ljust(taken, b"\0"))
        offsets = b"".join([struct.pack(">ii", *entry) for entry in segment.offsets])
        times = b"".join([struct.pack(">qi", TIME + at, offset) for at, offset in segment.times])
        for suffix, entries, size in (
            (".index", offsets, OFFSET_ENTRY),
            (".timeindex", times, TIME_ENTRY),
        ):
            room = settings.index_bytes // size * size if active else 0
            name(folder, segment, suffix).write_bytes(entries.ljust(room, b"\0"))
        if segment.base:
            name(folder, segment, ".snapshot").write_bytes(_snapshot())
    (folder / "leader-epoch-checkpoint").write_text("0\n1\n0 0\n")
    (folder / "partition.metadata").write_text(METADATA)


def _log(segment: Segment) -> bytes:
    """The bytes of a segment's batches."""
    return b"".join(
        [
            restamp(
                batch_of_size(batch.size, batch.last - batch.base + 1, "none"),
                base_offset=batch.base,
                base_timestamp=-1 if batch.time is None else TIME + batch.time,
                partition_leader_epoch=0,
            )
            for batch in segment.batches
        ]
    )


def _snapshot() -> bytes:
    """A snapshot of no producers."""
    data = HEAD.pack(VERSION, 0, 0)
    return HEAD.pack(VERSION, google_crc32c.value(data[CRC_FROM:]), 0)


def damage_files(damage: Damage) -> Callable[[SegmentLog, SegmentSettings], FilesSeen]:
    """What is seen of the files of a log once they are damaged; one that has a filler of two
    gigabytes is left as it is.
    """

    def looking(log: SegmentLog, settings: SegmentSettings) -> FilesSeen:
        if log.segments[0].base < 0:
            return files_of(log, settings)
        with tempfile.TemporaryDirectory(prefix="fencepost-files-") as made:
            folder = Path(made) / "written-0"
            folder.mkdir()
            write(folder, log, settings)
            damage(folder, log)
            found = look_at(folder, ModelPlace())
            assert isinstance(found, FilesSeen)
            return found

    return looking
