"""Damage to the files of a log, each for a rule of data folders, and what is no damage.

The model's log is written as files, damaged, and looked at as the files of a broker are.
"""

from __future__ import annotations

import os
import struct
from typing import TYPE_CHECKING

import google_crc32c

from conformance.faults.planted import Expected
from conformance.subjects.segments.faults.fault import CONFORMS, SegmentFault
from conformance.subjects.segments.written_files import damage_files, name
from spec.disk.rules import RULES
from spec.segments.model import SegmentRules, files_of
from spec.verdict import Strength

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conformance.subjects.segments.written_files import Damage
    from spec.segments.model import Segment, SegmentLog
    from spec.segments.outcomes import FilesSeen
    from spec.segments.settings import SegmentSettings

CRC_FROM, CRC_AT = 21, 17
EPOCH_AT, MAGIC_AT, DELTA_AT, COUNT_AT = 12, 16, 23, 57


def patch(path: Path, at: int, data: bytes) -> None:
    """Write some bytes into a file, from a position on."""
    with path.open("r+b") as file:
        file.seek(at)
        file.write(data)


def _starts(segment: Segment) -> list[int]:
    """Where the batches of a segment start, and where the last one ends."""
    found = [0]
    for batch in segment.batches:
        found.append(found[-1] + batch.size)
    return found


def _in_batch(at: int, data: bytes, *, checked: bool = False) -> Damage:
    """Other bytes in the first batch, with the CRC that it has then if it is `checked`."""

    def damage(folder: Path, log: SegmentLog) -> None:
        segment = log.segments[0]
        if not segment.batches:
            return
        path = name(folder, segment, ".log")
        patch(path, at, data)
        if checked:
            content = path.read_bytes()[CRC_FROM : segment.batches[0].size]
            patch(path, CRC_AT, struct.pack(">I", google_crc32c.value(content)))

    return damage


def _repeat_first(folder: Path, log: SegmentLog) -> None:
    """The first batch of a segment comes a second time."""
    segment = log.active
    path = name(folder, segment, ".log")
    if segment.batches:
        patch(path, segment.size, path.read_bytes()[: segment.batches[0].size])


def _far(folder: Path, log: SegmentLog) -> None:
    """The last batch lies too far behind its segment's base."""
    segment = log.active
    if len(segment.batches) < 2:
        return
    path, at = name(folder, segment, ".log"), _starts(segment)[-2]
    patch(path, at + DELTA_AT, struct.pack(">i", 2**31 - 1))
    patch(
        path,
        at + CRC_AT,
        struct.pack(">I", google_crc32c.value(path.read_bytes()[at + CRC_FROM : segment.size])),
    )
    for suffix in (".index", ".timeindex"):
        name(folder, segment, suffix).unlink()


def _past_position(folder: Path, log: SegmentLog) -> None:
    """A hole makes the last .log too long."""
    os.truncate(name(folder, log.active, ".log"), 2**31 + 100)


def _older_epoch(folder: Path, log: SegmentLog) -> None:
    """The first batch has a newer leader epoch than the second."""
    if log.end > 1:
        patch(name(folder, log.segments[0], ".log"), EPOCH_AT, struct.pack(">i", 5))


def _overlapping(folder: Path, log: SegmentLog) -> None:
    """A segment is named by an offset that the one before it has."""
    if len(log.segments) > 1:
        segment = log.segments[1]
        for suffix in (".log", ".index", ".timeindex"):
            old = name(folder, segment, suffix)
            old.rename(old.with_name(f"{segment.base - 1:020d}{suffix}"))


def _index(suffix: str, change: Callable[[bytes, int], bytes], size: int) -> Damage:
    """Another index of a segment: `change` of its entries, and the bytes of one."""

    def damage(folder: Path, log: SegmentLog) -> None:
        for segment in log.segments:
            path = name(folder, segment, suffix)
            count = len(segment.offsets if suffix == ".index" else segment.times)
            content = path.read_bytes()
            entries, rest = content[: count * size], content[count * size :]
            if count > 1:
                path.write_bytes(change(entries, size) + rest)

    return damage


def _swap(entries: bytes, size: int) -> bytes:
    return entries[size : 2 * size] + entries[:size] + entries[2 * size :]


def _move(entries: bytes, size: int) -> bytes:
    """The position of the first entry is one byte too large."""
    offset, position = struct.unpack_from(">ii", entries)
    return struct.pack(">ii", offset, position + 1) + entries[size:]


def _earlier(entries: bytes, size: int) -> bytes:
    """The first timestamp is one below that of its batch."""
    timestamp, offset = struct.unpack_from(">qi", entries)
    return struct.pack(">qi", timestamp - 1, offset) + entries[size:]


def _append_to_closed(suffix: str, more: bytes) -> Damage:
    """Bytes behind the index of each segment but the active one."""

    def damage(folder: Path, log: SegmentLog) -> None:
        for segment in log.segments[:-1]:
            path = name(folder, segment, suffix)
            path.write_bytes(path.read_bytes() + more)

    return damage


def _tear(folder: Path, log: SegmentLog) -> None:
    """A segment that is not the active one ends in part of a batch."""
    for segment in log.segments[:-1]:
        path = name(folder, segment, ".log")
        os.truncate(path, path.stat().st_size - 10)


def _text(file: str, content: str) -> Damage:
    def damage(folder: Path, log: SegmentLog) -> None:
        del log
        (folder / file).write_text(content)

    return damage


def _snapshots(content: Callable[[int], bytes]) -> Damage:
    """Other snapshots: what one holds that is named by an offset."""

    def damage(folder: Path, log: SegmentLog) -> None:
        del log
        for path in folder.glob("*.snapshot"):
            path.write_bytes(content(int(path.stem)))

    return damage


def _of_later_producer(named: int) -> bytes:
    """A snapshot with a producer whose last offset is the one that it is named by."""
    entry = struct.pack(">qhiqiqiq", 1, 0, 0, named, 0, 0, 0, -1)
    body = struct.pack(">i", 1) + entry
    return struct.pack(">hI", 1, google_crc32c.value(body)) + body


def _folder_for_file(folder: Path, log: SegmentLog) -> None:
    """A folder stands where partition.metadata should be."""
    del log
    path = folder / "partition.metadata"
    path.unlink()
    path.mkdir()


def _part_of_a_batch(folder: Path, log: SegmentLog) -> None:
    """The active segment of a running broker ends in part of a batch."""
    path, part = name(folder, log.active, ".log"), struct.pack(">qi", log.end, 88) + bytes(30)
    patch(path, log.active.size, part)


def _in_a_write(log: SegmentLog, settings: SegmentSettings) -> FilesSeen:
    """The files in the midst of a write, but for a preallocated .log: what is not yet written of a
    batch are zeros there.
    """
    looking = files_of if settings.preallocate else damage_files(_part_of_a_batch)
    return looking(log, settings)


def _damage(rule: str, title: str, summary: str, damage: Damage) -> SegmentFault:
    must = RULES[rule].strength is Strength.MUST
    expected = Expected.VIOLATES if must else Expected.DEVIATES
    return SegmentFault(title, rule, expected, summary, SegmentRules(looking=damage_files(damage)))


FAULTS = (
    _damage("SEG-101", "closed-log-torn", "A closed segment ends in part of a batch.", _tear),
    _damage(
        "SEG-102",
        "magic-9",
        "A batch has a format that there is not.",
        _in_batch(MAGIC_AT, b"\x09"),
    ),
    _damage(
        "SEG-103",
        "byte-of-a-batch-lost",
        "A batch does not have the CRC that it states.",
        _in_batch(CRC_AT, b"\0\0\0\0"),
    ),
    _damage("SEG-104", "batch-written-again", "A batch is written a second time.", _repeat_first),
    _damage("SEG-105", "relative-offset-lost", "A relative offset is no int32.", _far),
    _damage("SEG-106", "position-lost", "A position is no int32.", _past_position),
    _damage(
        "SEG-107",
        "more-records-than-offsets",
        "A batch states more records than it has offsets.",
        _in_batch(COUNT_AT, struct.pack(">i", 1000), checked=True),
    ),
    _damage(
        "SEG-108", "leader-epoch-falls", "A leader epoch is below an earlier one.", _older_epoch
    ),
    _damage(
        "SEG-109", "segments-overlap", "A segment begins before the end of another.", _overlapping
    ),
    _damage(
        "SEG-120",
        "index-entry-cut",
        "A closed index ends in part of an entry.",
        _append_to_closed(".index", b"\x01\x02\x03"),
    ),
    _damage(
        "SEG-121",
        "index-entries-swapped",
        "Two entries of an offset index are in another order.",
        _index(".index", _swap, 8),
    ),
    _damage(
        "SEG-122",
        "index-between-batches",
        "An entry of an offset index points between two batches.",
        _index(".index", _move, 8),
    ),
    _damage(
        "SEG-123",
        "closed-index-with-zeros",
        "The time index of a closed segment keeps zeros.",
        _append_to_closed(".timeindex", bytes(12)),
    ),
    _damage(
        "SEG-130",
        "time-entries-swapped",
        "Two entries of a time index are in another order.",
        _index(".timeindex", _swap, 12),
    ),
    _damage(
        "SEG-131",
        "time-of-no-batch",
        "An entry of a time index has a timestamp that its batch has not.",
        _index(".timeindex", _earlier, 12),
    ),
    _damage(
        "SEG-150",
        "leader-epochs-miscounted",
        "A leader-epoch-checkpoint states more lines than it has.",
        _text("leader-epoch-checkpoint", "0\n2\n0 0\n"),
    ),
    _damage(
        "SEG-160",
        "snapshot-of-another-version",
        "A snapshot has a version that there is not.",
        _snapshots(lambda _: struct.pack(">hIi", 2, 0, 0)),
    ),
    _damage(
        "SEG-161",
        "snapshot-of-the-future",
        "A snapshot has a producer whose last offset lies behind it.",
        _snapshots(_of_later_producer),
    ),
    _damage(
        "SEG-172",
        "topic-id-lost",
        "A partition.metadata has no topic id.",
        _text("partition.metadata", "version: 0\n"),
    ),
    _damage(
        "SEG-180",
        "metadata-is-a-folder",
        "A partition.metadata is no plain file.",
        _folder_for_file,
    ),
)

VARIANTS = (
    SegmentFault(
        "active-segment-in-the-midst-of-a-write",
        "",
        CONFORMS,
        "The active segment of a running broker ends in part of a batch.",
        SegmentRules(looking=_in_a_write),
    ),
)
