"""The files of a partition, read while its broker runs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Protocol, TypeVar

from conformance.audit.files import UnreadableError, VanishedError, open_regular_file
from conformance.audit.folder import audit_folder
from conformance.audit.index_files import OFFSETS, TIMES, Entries, Kind
from conformance.audit.log_file import End, batches
from conformance.misuse import BadConfiguration
from spec.disk.breaks import Break
from spec.outcomes import NotSent
from spec.segments.kinds import applicable_rules
from spec.segments.outcomes import FileBreak, FilesSeen, SegmentBatch, SegmentFiles

if TYPE_CHECKING:
    from pathlib import Path

E = TypeVar("E")
_LOG = re.compile(r"(\d{20})\.log")


class LayoutPlace(Protocol):
    """Where a layout lies: what offsets and times are relative to."""

    @property
    def base(self) -> int:
        """The absolute offset of its offset 0."""
        ...

    @property
    def timestamp(self) -> int:
        """The partition's time, ms."""
        ...


def look_at(folder: Path, where: LayoutPlace) -> FilesSeen | NotSent:
    """The files of a partition's folder: what they hold, and which rules they break."""
    try:
        names = sorted(entry.name for entry in folder.iterdir())
        broken = tuple(
            [
                FileBreak(one.rule, f"{one.file}:{one.position}: {one.what}")
                for one in audit_folder(folder)
                if isinstance(one, Break)
            ]
        )
    except (OSError, BadConfiguration) as failed:
        return NotSent(f"the partition's folder can't be read: {failed}")
    bases = [int(found[1]) for name in names if (found := _LOG.fullmatch(name))]
    segments = [
        one
        for base in bases
        if (one := _segment(folder, base, where, active=base == bases[-1])) is not None
    ]
    looked = applicable_rules(
        segments,
        epochs="leader-epoch-checkpoint" in names,
        snapshots=any(name.endswith(".snapshot") for name in names),
        metadata="partition.metadata" in names,
    )
    known = {*looked, *[one.rule for one in broken]}
    return FilesSeen(tuple(segments), tuple(sorted(known)), broken)


def _segment(folder: Path, base: int, where: LayoutPlace, *, active: bool) -> SegmentFiles | None:
    """One segment; None where it is gone, or can't be read. One that is not active has indexes; one
    whose index is gone was discarded meanwhile.
    """
    found = []
    try:
        with open_regular_file(folder / f"{base:020d}.log") as file:
            size, log_size = 0, file.size
            for one in batches(file):
                if isinstance(one, End):
                    break
                size = one.position + one.size
                time = None if one.max_timestamp < 0 else one.max_timestamp - where.timestamp
                found.append(
                    SegmentBatch(one.base - where.base, one.last - where.base, one.size, time)
                )
    except (VanishedError, UnreadableError):
        return None
    try:
        offsets, index_size = _entries(folder, base, OFFSETS)
        times, time_index_size = _entries(folder, base, TIMES)
    except VanishedError:
        if not active:
            return None
        offsets, times, index_size, time_index_size = [], [], 0, 0
    return SegmentFiles(
        base - where.base,
        size,
        tuple(found),
        tuple([(one.offset - base, one.position) for one in offsets]),
        tuple([(one.timestamp - where.timestamp, one.offset - base) for one in times]),
        index_size,
        time_index_size,
        log_size,
    )


def _entries(folder: Path, base: int, kind: Kind[E]) -> tuple[list[E], int]:
    """The entries of an index, and the bytes of its file; none where it can't be read.

    Raises:
        VanishedError: there is none.
    """
    try:
        with open_regular_file(folder / f"{base:020d}{kind.suffix}") as file:
            return list(Entries(kind, file, base, zeros_allowed=True)), file.size
    except UnreadableError:
        return [], 0
