"""The entries of index files, read in constant memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from struct import Struct
from typing import TYPE_CHECKING, Generic, TypeVar

from spec.disk.index_walks import (
    AbortedEntry,
    OffsetEntry,
    TimeEntry,
    aborted_order,
    offset_order,
    time_order,
)
from spec.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conformance.audit.files import Opened
    from spec.disk.breaks import Remark

E = TypeVar("E")
_ENTRIES_AT_A_TIME = 4096


@frozen
class Kind(Generic[E]):
    """A kind of index file.

    Attributes:
        suffix: of its files.
        packing: of an entry.
        make: an entry of its place, its segment's base offset and its numbers.
        order: what is wrong with an entry behind the one before it.
        preallocated: whether it is made longer than its entries, with zeros.
    """

    suffix: str
    packing: Struct
    make: Callable[[int, int, tuple[int, ...]], E]
    order: Callable[[E | None, E, int], Remark | None]
    preallocated: bool = True


OFFSETS: Kind[OffsetEntry] = Kind(
    ".index",
    Struct(">ii"),
    lambda at, base, found: OffsetEntry(at, base + found[0], found[1]),
    offset_order,
)
TIMES: Kind[TimeEntry] = Kind(
    ".timeindex",
    Struct(">qi"),
    lambda at, base, found: TimeEntry(at, found[0], base + found[1]),
    time_order,
)
ABORTED: Kind[AbortedEntry] = Kind(
    ".txnindex",
    Struct(">hqqqq"),
    lambda at, _, found: AbortedEntry(at, found[0], found[1], found[2], found[3]),
    aborted_order,
    preallocated=False,
)


@dataclass(slots=True)
class Entries(Generic[E]):
    """The entries of an index file, one by one; what is wrong with the file is gathered.

    Attributes:
        kind: of the file.
        file: the file.
        base: the base offset of its segment.
        zeros_allowed: whether zeros may follow its entries.
        remarks: where and what was found wrong so far.
    """

    kind: Kind[E]
    file: Opened
    base: int
    zeros_allowed: bool
    remarks: list[tuple[int, Remark]] = field(default_factory=list)

    def __iter__(self) -> Iterator[E]:
        """The entries that are in order; one that is not ends them.

        Raises:
            UnreadableError: the disk refuses.
        """
        size = self.kind.packing.size
        before: E | None = None
        for at, numbers in self._numbers():
            if self.kind.preallocated and not any(numbers) and self._is_tail(at):
                return
            entry = self.kind.make(at, self.base, numbers)
            remark = self.kind.order(before, entry, self.base)
            if remark is not None:
                self.remarks.append((at, remark))
                return
            yield entry
            before = entry
        if self.file.size % size:
            whole = self.file.size // size * size
            found = f"expected entries of {size} bytes, found {self.file.size - whole} left"
            self.remarks.append((whole, ("SEG-120", found)))

    def _numbers(self) -> Iterator[tuple[int, tuple[int, ...]]]:
        packing = self.kind.packing
        whole = self.file.size // packing.size * packing.size
        for start in range(0, whole, packing.size * _ENTRIES_AT_A_TIME):
            part = self.file.read(start, min(whole - start, packing.size * _ENTRIES_AT_A_TIME))
            usable = len(part) // packing.size * packing.size
            for offset in range(0, usable, packing.size):
                yield start + offset, packing.unpack_from(part, offset)

    def _is_tail(self, at: int) -> bool:
        """Whether a zero entry begins the preallocated rest; a lone one may be an entry of
        timestamp 0.
        """
        behind = self.file.first_not_zero(at)
        if behind is not None:
            return False
        alone = at == 0 and self.file.size == self.kind.packing.size
        if not self.zeros_allowed and not alone:
            left = self.file.size - at
            self.remarks.append((at, ("SEG-123", f"expected the end, found {left} zero bytes")))
        return True
