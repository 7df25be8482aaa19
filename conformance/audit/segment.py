"""A segment: its .log beside its indexes."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from conformance.audit.files import UnreadableError, VanishedError, open_regular_file
from conformance.audit.index_files import ABORTED, OFFSETS, TIMES, Entries, Kind
from conformance.audit.log_file import End, batches
from spec.disk.breaks import Break, Note
from spec.disk.index_walks import NO_POSITION, AbortedWalk, OffsetWalk, TimeWalk
from spec.disk.stored import MOST_RELATIVE, PrecedingBatch, batch_remarks
from spec.disk.texts import epoch_at
from spec.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

    from spec.disk.breaks import Remark
    from spec.disk.index_walks import AbortedEntry, OffsetEntry, TimeEntry
    from spec.disk.stored import StoredBatch
    from spec.disk.texts import EpochStart

E = TypeVar("E")


@frozen
class Segment:
    """One segment to look at.

    Attributes:
        folder: its partition's folder.
        shown: that folder as it is named in breaks.
        base: its base offset.
        open_end: whether it may end in a torn batch, and its indexes in zeros or behind it: the
            last segment of a broker that runs, or stopped uncleanly.
        epochs: the leader epochs of the checkpoint; empty where batches are not held against it.
    """

    folder: Path
    shown: str
    base: int
    open_end: bool
    epochs: tuple[EpochStart, ...] = ()

    def path(self, suffix: str) -> Path:
        """One of its files."""
        return self.folder / f"{self.base:020d}{suffix}"

    def name(self, suffix: str) -> str:
        """One of its files, as it is named in breaks."""
        return f"{self.shown}{self.base:020d}{suffix}"


@dataclass(slots=True)
class PrecedingSegments:
    """What was passed on the way through a partition's segments.

    Attributes:
        last: the last offset so far, -1 for none.
        epoch: the largest leader epoch so far, -1 for none.
        batches: how many batches.
        size: bytes of the .logs.
    """

    last: int = -1
    epoch: int = -1
    batches: int = 0
    size: int = 0


Seen = Break | Note


def audit_segment(segment: Segment, passed: PrecedingSegments) -> Iterator[Seen]:
    """What is wrong with a segment; `passed` is brought up to its end.

    Raises:
        VanishedError: its .log is gone.
    """
    with ExitStack() as stack:
        offsets = yield from _entries(stack, segment, OFFSETS)
        times = yield from _entries(stack, segment, TIMES)
        aborted = yield from _entries(stack, segment, ABORTED)
        log = segment.name(".log")
        try:
            file = stack.enter_context(open_regular_file(segment.path(".log")))
            passed.size += file.size
            walk = _Walk(segment, passed, offsets, times, aborted)
            for found in batches(file):
                if isinstance(found, End):
                    yield from walk.end(found, file.size)
                else:
                    yield from walk.see(found)
        except UnreadableError as failed:
            yield Break("SEG-180", log, 0, str(failed))
        for entries in (offsets, times, aborted):
            if entries is not None:
                name = segment.name(entries.kind.suffix)
                yield from (Break(rule, name, at, what) for at, (rule, what) in entries.remarks)


def _entries(
    stack: ExitStack, segment: Segment, kind: Kind[E]
) -> Generator[Seen, None, Entries[E] | None]:
    """The entries of an index file; None where there is none, which the broker makes again."""
    try:
        file = stack.enter_context(open_regular_file(segment.path(kind.suffix)))
    except VanishedError:
        return None
    except UnreadableError as failed:
        yield Break("SEG-180", segment.name(kind.suffix), 0, str(failed))
        return None
    return Entries(kind, file, segment.base, segment.open_end)


class _Walk:
    """A segment's batches one by one, beside the entries of its indexes."""

    def __init__(
        self,
        segment: Segment,
        passed: PrecedingSegments,
        offsets: Entries[OffsetEntry] | None,
        times: Entries[TimeEntry] | None,
        aborted: Entries[AbortedEntry] | None,
    ) -> None:
        self.segment = segment
        self.passed = passed
        self.log = segment.name(".log")
        self.offsets = OffsetWalk(iter(offsets or ()))
        self.times = TimeWalk(iter(times or ()))
        self.aborted = AbortedWalk(iter(aborted or ()))
        self._epochs_from = segment.epochs[0].start if segment.epochs else None

    def see(self, batch: StoredBatch) -> Iterator[Seen]:
        """What is wrong with a batch, and with the entries that it decides."""
        passed = self.passed
        before = PrecedingBatch(passed.last, passed.epoch, self.segment.base)
        for rule, what in batch_remarks(batch, before):
            yield Break(rule, self.log, batch.position, what)
        if batch.position >= self.offsets.due:
            yield from self._entry_breaks(".index", self.offsets.see(batch))
        if batch.last >= self.times.due:
            yield from self._entry_breaks(".timeindex", self.times.see(batch))
        if batch.last >= self.aborted.due:
            yield from self._entry_breaks(".txnindex", self.aborted.see(batch))
        if self._epochs_from is not None:
            yield from self._epoch_breaks(batch)
        self.times.largest = max(self.times.largest, batch.max_timestamp)
        passed.last = max(passed.last, batch.last)
        passed.epoch = max(passed.epoch, batch.epoch)
        passed.batches += 1

    def _entry_breaks(self, suffix: str, found: Iterator[tuple[int, Remark]]) -> Iterator[Seen]:
        name = self.segment.name(suffix)
        return (Break(rule, name, at, what) for at, (rule, what) in found)

    def _epoch_breaks(self, batch: StoredBatch) -> Iterator[Seen]:
        assert self._epochs_from is not None
        if batch.epoch < 0 or batch.base < self._epochs_from:
            return
        expected = epoch_at(self.segment.epochs, batch.base)
        if batch.epoch != expected:
            what = f"expected leader epoch {expected} at offset {batch.base}, found {batch.epoch}"
            yield Break("SEG-151", self.log, batch.position, what)

    def end(self, end: End, size: int) -> Iterator[Seen]:
        """What is wrong where the batches end."""
        if size > MOST_RELATIVE:
            what = f"expected at most {MOST_RELATIVE} bytes, found {size}"
            yield Break("SEG-106", self.log, MOST_RELATIVE, what)
        followed = self.offsets.due not in {-1, NO_POSITION} and self.offsets.due > end.position
        if end.remark is not None:
            rule, what = end.remark
            if self.segment.open_end and (end.zeros or (end.torn and not followed)):
                left = size - end.position
                yield Note(self.log, f"ends in {left} bytes of no whole batch: {what}")
            else:
                yield Break(rule, self.log, end.position, what)
        elif not self.segment.open_end:
            yield from self._entry_breaks(".index", self.offsets.end())
            yield from self._entry_breaks(".timeindex", self.times.end())
        for walk in (self.offsets, self.times, self.aborted):
            for _ in walk.end():
                pass
