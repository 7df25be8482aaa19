"""Every small layout with every small question about a limit of records, the smallest first: what an exhaustive search goes through."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from spec.fetch.steps import OWN, Fetch, FetchPartition
from spec.kafka import FULL_EPOCH, INT32_MAX, OLDEST_FETCH
from spec.layout import Batch, Codec, Entry, Layout, Marker, Partition
from spec.max_records.draft import DRAFT_VERSION, limited_to
from spec.scenario import Scenario

SIZE = 120
"""Bytes of each batch: one that three records have with each codec."""
LIMITS = (1, 2, 3, 4)
"""Limits of records."""
CAPS = (INT32_MAX, SIZE + SIZE // 2, 2 * SIZE + SIZE // 2)
"""Limits of bytes of each partition: ample, and in the middle of the second and third batch."""
WAIT_MS = 300
"""How long a question about `min_bytes` may wait."""
OLD_VERSION = 17
"""A Fetch version that every release has."""
MOST_ITEMS = 3
"""Batches in all; a transaction of one batch and its marker counts as one."""

_PLAIN: tuple[tuple[Entry, ...], ...] = tuple([(Batch(SIZE, records),) for records in (1, 2, 3)])
_ZIPPED: tuple[tuple[Entry, ...], ...] = tuple([(Batch(SIZE, 3, codec),) for codec in (Codec.GZIP, Codec.LZ4)])
_THINNED: tuple[tuple[Entry, ...] | str, ...] = ((Batch(SIZE, 2, span=4),), (Batch(61, 0, span=1),))
COMMITTED, ABORTED = "committed", "aborted"
_Item = tuple[Entry, ...] | str
_KINDS: tuple[_Item, ...] = (*_PLAIN, *_ZIPPED, COMMITTED, ABORTED)
_FEW: tuple[_Item, ...] = (*_PLAIN[:2], _ZIPPED[0], COMMITTED)
"""What stands among three batches or more."""


@dataclass(frozen=True, slots=True)
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
        kinds = "plain, gzip, lz4, transactional" + (", thinned, empty" if self.crafted else "") + "; past two, of fewer kinds"
        caps = ", ".join("none" if cap == INT32_MAX else str(cap) for cap in CAPS)
        return (
            f"at most {self.items} batches of {SIZE} bytes and 1 to 3 records ({kinds}) in at most 2 partitions, limits of records "
            f"{LIMITS[0]} to {LIMITS[-1]}, limits of bytes {caps}, both isolation levels, fetch offsets 0 and within the first batch"
        )


def scenarios(bounds: Bounds, limits: Sequence[int] = LIMITS) -> Iterator[Scenario]:
    """Each scenario within the bounds: one fetch of all partitions; the fewest batches first, then the lowest limit."""
    for layout in layouts(bounds):
        for fetch in fetches(layout, limits):
            yield Scenario(layout, (fetch,))


def layouts(bounds: Bounds) -> Iterator[Layout]:
    """Each layout within the bounds, the smallest first."""
    for items in range(1, bounds.items + 1):
        kinds = (_KINDS + _THINNED if bounds.crafted else _KINDS) if items <= 2 else _FEW
        for first in range(items, 0, -1):
            for chosen in product(kinds, repeat=items):
                parts = (chosen[:first], chosen[first:]) if first < items else (chosen,)
                yield Layout(tuple([_partition(part) for part in parts]))


def fetches(layout: Layout, limits: Sequence[int] = LIMITS) -> Iterator[Fetch]:
    """What is asked about a layout."""
    entries = [entry for partition in layout.partitions for entry in partition.entries()]
    first = next(layout.partitions[0].entries())
    offsets = (0, 1) if isinstance(first, Batch) and first.offsets > 1 else (0,)
    isolations = (0, 1) if any(isinstance(entry, Marker) and not entry.commit for entry in entries) else (0,)
    caps = CAPS[: len(entries)]
    for limit, cap, offset, isolation in product(limits, caps, offsets, isolations):
        parts = tuple([FetchPartition(number, offset if not number else 0, cap) for number in range(len(layout.partitions))])
        yield Fetch(parts, isolation=isolation, version=DRAFT_VERSION, extra=limited_to(limit))


def waiting(bounds: Bounds) -> Iterator[Scenario]:
    """The same, of plain batches, asked with more `min_bytes` than a limit of records lets through."""
    for scenario in _simple(bounds):
        fetch = scenario.steps[0]
        assert isinstance(fetch, Fetch)
        wanted = sum(entry.size for partition in scenario.layout.partitions for entry in partition.entries() if isinstance(entry, Batch))
        yield Scenario(scenario.layout, (replace(fetch, min_bytes=wanted, max_wait_ms=WAIT_MS),))


def in_session(bounds: Bounds) -> Iterator[Scenario]:
    """The same in a fetch session: a full request with a limit, then an incremental one without."""
    for scenario in _simple(bounds):
        fetch = scenario.steps[0]
        assert isinstance(fetch, Fetch)
        following = replace(fetch, session=OWN, epoch=1, extra=())
        yield Scenario(scenario.layout, (replace(fetch, epoch=FULL_EPOCH), following))


def by_version(bounds: Bounds) -> Iterator[Scenario]:
    """The same by a version that every release has, the field as a tag that it may know or not; and by the draft's."""
    for scenario in _simple(bounds):
        fetch = scenario.steps[0]
        assert isinstance(fetch, Fetch)
        yield Scenario(scenario.layout, (replace(fetch, version=OLD_VERSION),))
        yield scenario


def without_field(bounds: Bounds) -> Iterator[Scenario]:
    """Plain fetches of every version, then of every small layout without the field."""
    one = Layout((_partition(_PLAIN[:1]),))
    for version in range(OLDEST_FETCH, DRAFT_VERSION + 1):
        yield Scenario(one, (Fetch((FetchPartition(0, 0),), version=version),))
    for scenario in scenarios(bounds, LIMITS[:1]):
        fetch = scenario.steps[0]
        assert isinstance(fetch, Fetch)
        yield Scenario(scenario.layout, (replace(fetch, version=OLD_VERSION, extra=()),))


def _simple(bounds: Bounds) -> Iterator[Scenario]:
    """Layouts of plain batches in one partition."""
    for items in range(1, bounds.items + 1):
        for chosen in product(_PLAIN, repeat=items):
            layout = Layout((_partition(chosen),))
            for limit in LIMITS:
                yield Scenario(layout, (Fetch((FetchPartition(0, 0),), version=DRAFT_VERSION, extra=limited_to(limit)),))


def _partition(items: Sequence[_Item]) -> Partition:
    entries: list[Entry] = []
    for number, item in enumerate(items):
        if isinstance(item, str):
            entries += [Batch(SIZE, 1, txn=number), Marker(number, commit=item == COMMITTED)]
        else:
            entries += item
    return Partition((tuple(entries),))
