"""Strategies for layouts. Only shapes are drawn, with few choices each, so that drawing is fast and
shrinking short.
"""

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from generators.drawing import collect, smallest
from generators.numbers import below
from generators.shapes import GAPS, KINDS, SIZES, STOPS, batch_of, minimum_size
from spec.frozen import frozen, replace
from spec.kafka import MARKER_SIZE
from spec.layout import Batch, Codec, Entry, Layout, Marker, Partition
from spec.log import log_of

__all__ = ["collect", "large_layouts", "layouts", "minimum_size", "smallest"]

MOST_BATCHES = 8
MOST_BYTES = 50_000
"""Of a whole layout, so that placing one stays cheap; past it only small batches follow."""
ROUND = 100

MORE = 10
LAST = 3
"""Of `MORE` choices after a partition, the first so many make it the last one."""

ROLLS = (
    0,
    0b10,
    0b100,
    0b1000,
    0b1_0000,
    0b110,
    0b1010,
    0b1100,
    0b101_0100,
    0b100_1000,
    0b1000_1000,
    0b1111_1110,
)
"""Where a partition's log rolls: bit i is a new segment in front of entry i."""


@frozen
class Features:
    """The features of a layout beyond plain batches.

    Attributes:
        kinds: 0 all batches hold one uncompressed record; 1 one kind for each partition; 2 one for
            each batch.
        starts: log start offsets are moved.
        txns: some batches are transactional.
        rolls: logs have several segments.
        equal: all batches are as large as the first.
        edge: a segment begins with the oldest transaction that stays open (FET-016).
    """

    kinds: int = 0
    starts: bool = False
    txns: bool = False
    rolls: bool = False
    equal: bool = False
    edge: bool = False


FEATURES: tuple[Features, ...] = (
    *(Features(),) * 9,
    *(Features(equal=True),) * 3,
    *(Features(kinds=1),) * 6,
    *(Features(kinds=2),) * 6,
    *(Features(starts=True),) * 2,
    *(Features(kinds=1, starts=True),) * 3,
    *(Features(txns=True),) * 3,
    *(Features(kinds=2, txns=True),) * 3,
    *(Features(rolls=True, equal=True),) * 3,
    *(Features(txns=True, rolls=True, edge=True),) * 2,
    *(Features(rolls=True),) * 3,
    *(Features(kinds=2, rolls=True),) * 1,
    *(Features(txns=True, starts=True),) * 1,
    *(Features(kinds=2, txns=True, starts=True),) * 4,
    *(Features(txns=True, rolls=True),) * 1,
    *(Features(kinds=2, starts=True, txns=True, rolls=True),) * 1,
)


@frozen
class Role:
    """A batch's place in transactions: which of two producers wrote it, and which of their
    transactions end after it.
    """

    writer: int | None = None
    ends: tuple[tuple[int, bool], ...] = ()


ROLES: tuple[Role, ...] = (
    *(Role(),) * 4,
    *(Role(0, ((0, True),)),) * 2,
    *(Role(0, ((0, False),)),) * 3,
    *(Role(0),) * 3,
    Role(1, ((1, True),)),
    Role(1, ((1, False),)),
    Role(1),
    Role(None, ((0, True),)),
    Role(None, ((0, False),)),
    Role(None, ((1, False), (0, True))),
    Role(0, ((1, True), (0, False))),
)

ENDINGS = (True, False, False, None, None)
"""How transactions that are open at the end of the log end: committed, aborted, or not at all."""

_more = st.integers(0, MORE - 1)
_slots = st.integers(0, len(SIZES) - 1)
_kinds = below(KINDS)
_roles = st.integers(0, len(ROLES) - 1)
_endings = st.integers(0, len(ENDINGS) - 1)
_rolls = st.integers(0, len(ROLLS) - 1)
_starts = st.integers(0, 31)

Draw = st.DrawFn


@st.composite
def _layouts(
    draw: Draw, most: int, features: tuple[Features, ...], picks: SearchStrategy[int]
) -> Layout:
    chosen = features[draw(picks)]
    room = MOST_BYTES
    equal: list[int] = []
    partitions: list[Partition] = []
    while not partitions or (len(partitions) < most and draw(_more) >= LAST):
        partition, spent = _partition(draw, chosen, room, equal)
        partitions.append(partition)
        room -= spent
    return Layout(tuple(partitions))


def layouts(
    max_partitions: int = 8, *, transactions: bool = True, rolls: bool = True
) -> SearchStrategy[Layout]:
    """Layouts of 1 to `max_partitions` partitions (mostly up to 3) of 0 to 8 batches, together at
    most some 60 kB.

    They shrink towards one partition with one batch of 100 bytes that holds one uncompressed
    record.

    Args:
        max_partitions: 1 to 8.
        transactions: whether transactional batches and markers are drawn: committed, aborted, open
            and interleaved ones.
        rolls: whether logs of several segments are drawn.

    Raises:
        ValueError: `max_partitions` is out of range.
    """
    if not 1 <= max_partitions <= 8:
        raise ValueError(f"expected max_partitions from 1 to 8, found {max_partitions}")
    kept = tuple(
        [each for each in FEATURES if (transactions or not each.txns) and (rolls or not each.rolls)]
    )
    return _layouts(max_partitions, kept, st.integers(0, len(kept) - 1))


class _Transactions:
    """The transactions of one partition while its batches are drawn; at most one is open for each
    of two writers.
    """

    def __init__(self) -> None:
        self.open: dict[int, int] = {}
        self.begun = 0

    def join(self, writer: int | None) -> int | None:
        """The number of the transaction that the writer has open, a new one if need be; None for no
        writer.
        """
        if writer is None:
            return None
        if writer not in self.open:
            self.open[writer] = self.begun
            self.begun += 1
        return self.open[writer]

    def end(self, ends: tuple[tuple[int, bool], ...]) -> list[Marker]:
        """The markers that end the writers' transactions, where they have any."""
        return [
            Marker(self.open.pop(writer), commit) for writer, commit in ends if writer in self.open
        ]


def _partition(
    draw: Draw, features: Features, room: int, equal: list[int]
) -> tuple[Partition, int]:
    """One partition and the bytes in it; `equal` holds the size that all batches of the layout
    have, once that is drawn.
    """
    entries, spent = _entries(draw, features, room, equal)
    partition = Partition((tuple(entries),))
    if features.rolls and len(entries) > 1:
        mask = ROLLS[draw(_rolls)]
        if features.edge:
            mask |= 1 << _first_undecided(partition)
        partition = Partition(roll_segments(entries, mask))
    if features.starts and entries and (slot := draw(_starts)):
        places = start_places(partition)
        log = log_of(partition)
        places += [place for place in places if log.undecided < place < log.end] * 4
        partition = replace(partition, log_start=places[(slot - 1) % len(places)])
    return partition, spent


def _entries(
    draw: Draw, features: Features, room: int, equal: list[int]
) -> tuple[list[Entry], int]:
    kind = draw(_kinds) if features.kinds == 1 else 0
    entries: list[Entry] = []
    txns = _Transactions()
    spent = 0
    for number in range(MOST_BATCHES):
        slot = draw(_slots)
        if number and slot < STOPS:
            break
        if features.kinds == 2:
            kind = draw(_kinds)
        if number == 0 and kind == KINDS - 1:
            break
        if features.equal and not equal:
            equal.append(SIZES[slot])
        size = equal[0] if features.equal else SIZES[slot]
        role = ROLES[draw(_roles)] if features.txns else ROLES[0]
        batch = batch_of(size if spent + size <= room else ROUND, kind, txns.join(role.writer))
        ended = txns.end(role.ends)
        entries += [batch, *ended]
        spent += batch.size + MARKER_SIZE * len(ended)
    stays_open = features.starts or features.edge  # a log start can pass it (FET-172)
    ending = ENDINGS[draw(_endings)] if txns.open and not stays_open else None
    if ending is not None:
        entries += txns.end(tuple([(writer, ending) for writer in txns.open]))
    return entries, spent


def _first_undecided(partition: Partition) -> int:
    """Number of the entry at which the oldest open transaction begins; past all where none is."""
    log = log_of(partition)
    return log.batch_number(log.undecided)


def roll_segments(entries: list[Entry], mask: int) -> tuple[tuple[Entry, ...], ...]:
    """The entries cut into segments where the mask says so and a batch stands there."""
    segments: list[list[Entry]] = [[]]
    for number, entry in enumerate(entries):
        if number and mask >> number & 1 and isinstance(entry, Batch):
            segments.append([])
        segments[-1].append(entry)
    return tuple([tuple(segment) for segment in segments])


def start_places(partition: Partition) -> list[int]:
    """Where a log start is worth moving to, ascending: the base, middle and last offset of each
    batch but 0, and the end.
    """
    log = log_of(partition)
    places = {log.end}
    for batch in log.batches:
        places |= {batch.base, batch.last, (batch.base + batch.last) // 2}
    return sorted(places - {0})


OFFS = (0, -1, 1, -11, 12, 50, -50)
"""How far the fence of a large layout lies from the limit, in bytes."""

_offs = st.integers(0, len(OFFS) - 1)
_pieces = st.integers(1, 8)
_cuts = st.integers(0, 15)
_extras = st.integers(0, 3)


def large_layouts(around: int) -> SearchStrategy[Layout]:
    """Layouts in which a partial sum of batches, within a partition or across several, lies close
    below, at or above `around`.

    Args:
        around: a limit in bytes, 300 to 40,000, as a broker's `fetch.max.bytes` of 1024 (FET-018).

    Raises:
        ValueError: `around` is out of range.
    """
    if not 300 <= around <= 40_000:
        raise ValueError(
            f"expected a limit from 300 to 40000 bytes to draw layouts around, found {around}"
        )
    return _large_layouts(around)


LARGE_BATCH = 1_000_000
"""Bytes of a batch that the default `max.message.bytes` lets through."""


def layout_past(limit: int) -> Layout:
    """Two partitions, each of which holds a little more than half of `limit` bytes.

    Args:
        limit: a broker's `fetch.max.bytes`, from 2,000,000 on.
    """
    batches = (Batch(LARGE_BATCH),) * (limit // (2 * LARGE_BATCH) + 1)
    return Layout((Partition((batches,)),) * 2)


@st.composite
def _large_layouts(draw: Draw, around: int) -> Layout:
    total = around + OFFS[draw(_offs)]
    pieces = min(draw(_pieces), total // 80)
    cut = draw(_cuts)
    extra = draw(_extras)
    uneven = draw(_cuts) if pieces > 1 else 0
    sizes = [total // pieces] * pieces
    shift = min(uneven * 10, sizes[0] - 80)
    sizes[0] -= shift
    sizes[-1] += shift + total - sum(sizes) - shift
    batches = [Batch(size, 2 if size in GAPS else 1, Codec.NONE) for size in sizes]
    more = [Batch(ROUND)] * extra
    runs = (
        [batches]
        if cut % 4 == 0 or pieces == 1
        else [batches[: cut % pieces], batches[cut % pieces :]]
    )
    if cut >= 8 and len(runs) == 1:
        runs.append(more)
    else:
        runs[-1] = runs[-1] + more
    return Layout(tuple([Partition((tuple(run),)) for run in runs]))
