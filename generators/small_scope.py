"""Every small layout and every small fetch, the smallest first: what an exhaustive search goes
through.
"""

from collections.abc import Iterator, Sequence
from itertools import product

from spec.fetch.releases import FETCH_RELEASES
from spec.fetch.steps import Fetch, FetchPartition
from spec.frozen import frozen
from spec.kafka import INT32_MAX, OLDEST_FETCH
from spec.layout import Batch, Codec, Entry, Layout, Marker, Partition
from spec.scenario import Scenario

SIZE = 120
"""Bytes of each batch: one that three records have with each codec."""
CAPS = (INT32_MAX, SIZE + SIZE // 2, 2 * SIZE + SIZE // 2)
"""Limits of bytes of each partition: ample, and in the middle of the second and third batch."""
OLD_VERSION = 17
"""A Fetch version that every release has."""
NEWEST_FETCH = max(known.newest_fetch for known in FETCH_RELEASES.values())
MOST_ITEMS = 3
"""Batches in all; a transaction of one batch and its marker counts as one."""

_PLAIN: tuple[tuple[Entry, ...], ...] = tuple([(Batch(SIZE, records),) for records in (1, 2, 3)])
_ZIPPED: tuple[tuple[Entry, ...], ...] = tuple(
    [(Batch(SIZE, 3, codec),) for codec in (Codec.GZIP, Codec.LZ4)]
)
_THINNED: tuple[tuple[Entry, ...] | str, ...] = ((Batch(SIZE, 2, span=4),), (Batch(61, 0, span=1),))
COMMITTED, ABORTED = "committed", "aborted"
_Item = tuple[Entry, ...] | str
_KINDS: tuple[_Item, ...] = (*_PLAIN, *_ZIPPED, COMMITTED, ABORTED)
_FEW: tuple[_Item, ...] = (*_PLAIN[:2], _ZIPPED[0], COMMITTED)
"""The entries that stand among three batches or more."""


@frozen
class Bounds:
    """How far a search goes.

    Attributes:
        items: the most batches in all, a transaction counting as one.
        crafted: with layouts that only compaction leaves, which not every system can be given.
    """

    items: int = MOST_ITEMS
    crafted: bool = True

    def __str__(self) -> str:
        """In words, for a message."""
        kinds = (
            "plain, gzip, lz4, transactional"
            + (", thinned, empty" if self.crafted else "")
            + "; past two, of fewer kinds"
        )
        caps = ", ".join("none" if cap == INT32_MAX else str(cap) for cap in CAPS)
        return (
            f"at most {self.items} batches of {SIZE} bytes and 1 to 3 records ({kinds}) in at most "
            "2 partitions, "
            f"limits of bytes {caps}, both isolation levels, fetch offsets 0 and within the first "
            "batch"
        )


def layouts(bounds: Bounds) -> Iterator[Layout]:
    """Each layout within the bounds, the smallest first."""
    for items in range(1, bounds.items + 1):
        kinds = (_KINDS + _THINNED if bounds.crafted else _KINDS) if items <= 2 else _FEW
        for first in range(items, 0, -1):
            for chosen in product(kinds, repeat=items):
                parts = (chosen[:first], chosen[first:]) if first < items else (chosen,)
                yield Layout(tuple([_partition(part) for part in parts]))


def fetches(layout: Layout) -> Iterator[Fetch]:
    """Every small fetch of all partitions of a layout, by a version that every release has."""
    entries = [entry for partition in layout.partitions for entry in partition.entries()]
    first = next(layout.partitions[0].entries())
    offsets = (0, 1) if isinstance(first, Batch) and first.offsets > 1 else (0,)
    isolations = (
        (0, 1) if any(isinstance(entry, Marker) and not entry.commit for entry in entries) else (0,)
    )
    for cap, offset, isolation in product(CAPS[: len(entries)], offsets, isolations):
        parts = tuple(
            [
                FetchPartition(number, offset if not number else 0, cap)
                for number in range(len(layout.partitions))
            ]
        )
        yield Fetch(parts, isolation=isolation, version=OLD_VERSION)


def scenarios(bounds: Bounds) -> Iterator[Scenario]:
    """Each scenario within the bounds: one fetch of all partitions, the fewest batches first."""
    for layout in layouts(bounds):
        for fetch in fetches(layout):
            yield Scenario(layout, (fetch,))


def of_every_version(bounds: Bounds) -> Iterator[Scenario]:
    """A plain fetch of every version up to one that no release has, then each scenario within the
    bounds.
    """
    one = one_partition(_PLAIN[0])
    for version in range(OLDEST_FETCH, NEWEST_FETCH + 2):
        yield Scenario(one, (Fetch((FetchPartition(0, 0),), version=version),))
    yield from scenarios(bounds)


def plain_layouts(bounds: Bounds) -> Iterator[Layout]:
    """Layouts of plain batches of 1 to 3 records in one partition, the smallest first."""
    for items in range(1, bounds.items + 1):
        for chosen in product(_PLAIN, repeat=items):
            yield Layout((_partition(chosen),))


def one_partition(*entries: tuple[Entry, ...]) -> Layout:
    """A layout of one partition that holds these batches."""
    return Layout((_partition(entries),))


def _partition(items: Sequence[_Item]) -> Partition:
    entries: list[Entry] = []
    for number, item in enumerate(items):
        if isinstance(item, str):
            entries += [Batch(SIZE, 1, txn=number), Marker(number, commit=item == COMMITTED)]
        else:
            entries += item
    return Partition((tuple(entries),))
