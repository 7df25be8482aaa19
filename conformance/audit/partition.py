"""A partition's folder: its segments in order, and the small files beside them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import google_crc32c

from conformance.audit.files import UnreadableError, VanishedError, read_small
from conformance.audit.segment import PrecedingSegments, Segment, audit_segment
from spec.disk.breaks import Break, Note
from spec.disk.producers import snapshot_remarks
from spec.disk.texts import leader_epochs, partition_metadata
from spec.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

    from conformance.audit.segment import Seen
    from spec.disk.texts import EpochStart

_SEGMENT = re.compile(r"(\d{20})\.log")
_SNAPSHOT = re.compile(r"(\d{20})\.snapshot")


@frozen
class Bounds:
    """Where a partition's log lies.

    Attributes:
        first: the base offset of its first segment; None where it has none.
        end: the offset behind its last batch, or of its last segment where that is empty.
        passed: what its segments held.
    """

    first: int | None
    end: int
    passed: PrecedingSegments


@frozen
class PartitionFolder:
    """A partition's folder to look at.

    Attributes:
        path: where it is.
        shown: what goes before a file's name in breaks; ends with `/` unless empty.
        clean: whether the broker stopped in good order.
    """

    path: Path
    shown: str
    clean: bool

    def names(self) -> list[str]:
        """The names of its files, sorted; none where it is gone.

        Raises:
            UnreadableError: it can't be listed.
        """
        try:
            return sorted(entry.name for entry in self.path.iterdir())
        except FileNotFoundError:
            return []
        except OSError as failed:
            raise UnreadableError(failed.strerror or str(failed)) from failed


def audit_partition(folder: PartitionFolder) -> Iterator[Seen | Bounds]:
    """Yield what is wrong with a partition, then where its log lies."""
    try:
        names = folder.names()
    except UnreadableError as failed:
        yield Break("SEG-180", folder.shown, 0, str(failed))
        return
    epochs = yield from _small_files(folder, names)
    bases = [int(found[1]) for name in names if (found := _SEGMENT.fullmatch(name))]
    passed = PrecedingSegments()
    for number, base in enumerate(bases):
        last = number == len(bases) - 1
        segment = Segment(
            folder.path,
            folder.shown,
            base,
            open_end=last and not folder.clean,
            epochs=epochs if folder.clean else (),
        )
        if base <= passed.last:
            what = f"expected a base offset above {passed.last}, found {base}"
            yield Break("SEG-109", segment.name(".log"), 0, what)
            passed.last = base - 1
        try:
            yield from audit_segment(segment, passed)
        except VanishedError:
            yield Note(segment.name(".log"), "was removed while it was looked for")
    end = max(passed.last + 1, bases[-1]) if bases else 0
    yield Bounds(bases[0] if bases else None, end, passed)


def _small_files(
    folder: PartitionFolder, names: list[str]
) -> Generator[Seen, None, tuple[EpochStart, ...]]:
    """What is wrong with the files that are read at once; then the leader epochs."""
    epochs: tuple[EpochStart, ...] = ()
    for name in names:
        snapshot = _SNAPSHOT.fullmatch(name)
        if not snapshot and name not in {"leader-epoch-checkpoint", "partition.metadata"}:
            continue
        shown = f"{folder.shown}{name}"
        try:
            data = read_small(folder.path / name)
        except VanishedError:
            continue
        except UnreadableError as failed:
            yield Break("SEG-180", shown, 0, str(failed))
            continue
        if snapshot and not data and not folder.clean:
            yield Note(shown, "is empty: it is being written, or was when the broker ended")
            continue
        if snapshot:
            found = snapshot_remarks(data, int(snapshot[1]), google_crc32c.value)
            yield from (Break(rule, shown, at, what) for at, (rule, what) in found)
            continue
        text = data.decode("utf-8", "backslashreplace")
        if name == "partition.metadata":
            lined = tuple(partition_metadata(text))
        else:
            epochs, lined = leader_epochs(text)
        yield from (Break(rule, shown, line, what) for line, (rule, what) in lined)
    return epochs
