"""Strategies for logs that compaction has been over, or that an older release began: what no
Produce request can write.
"""

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from generators.layouts import ROLLS, roll_segments, start_places
from spec.frozen import frozen, replace
from spec.kafka import BATCH_HEADER
from spec.layout import Batch, Codec, Layout, Partition
from spec.log import log_of

MOST_BATCHES = 6
MOST_PARTITIONS = 3


@frozen
class Mark:
    """The changes to a batch since it was written.

    Attributes:
        gap: so many offsets in front of it are gone.
        lost: so many of its own records are gone.
        emptied: all of its records are gone.
        magic: the format it was written in.
    """

    gap: int = 0
    lost: int = 0
    emptied: bool = False
    magic: int = 2


MARKS: tuple[Mark, ...] = (
    *(Mark(),) * 5,
    Mark(gap=1),
    Mark(gap=2),
    Mark(gap=7),
    Mark(gap=1000),
    *(Mark(magic=1),) * 3,
    *(Mark(magic=0),) * 2,
    Mark(lost=1),
    Mark(lost=9),
    Mark(emptied=True),
    *(Mark(emptied=True, lost=4),) * 3,
    Mark(gap=3, lost=4),
    Mark(gap=3, emptied=True, lost=9),
    Mark(gap=5, magic=1),
)
"""The possible changes to a batch, the least first."""

SHAPES: tuple[tuple[int, int, Codec], ...] = (
    *((100, 1, Codec.NONE),) * 4,
    *((150, 1, Codec.NONE),) * 2,
    *((200, 1, Codec.NONE),) * 2,
    (300, 1, Codec.NONE),
    (500, 1, Codec.NONE),
    (100, 3, Codec.NONE),
    (200, 8, Codec.NONE),
    (250, 5, Codec.GZIP),
    (250, 5, Codec.SNAPPY),
    (250, 5, Codec.LZ4),
    (250, 5, Codec.ZSTD),
)
"""Bytes, records and codec of a batch, the simplest first."""

UNMOVED = 21
"""Of 32 choices, the last one that leaves the log start at 0."""

_marks = st.integers(0, len(MARKS) - 1)
_shapes = st.integers(0, len(SHAPES) - 1)
_rolls = st.integers(0, len(ROLLS) - 1)
_more = st.integers(0, 9)
_starts = st.integers(0, 31)


def crafted_layouts() -> SearchStrategy[Layout]:
    """Layouts of 1 to 3 partitions of 1 to 6 batches, with holes, thinned and emptied batches, or
    messages of formats 0 and 1.

    At least one batch has such a mark. They shrink towards one batch of 100 bytes that lies behind
    one missing offset.
    """
    return _crafted_layouts()


@st.composite
def _crafted_layouts(draw: st.DrawFn) -> Layout:
    partitions: list[Partition] = []
    while not partitions or (len(partitions) < MOST_PARTITIONS and draw(_more) >= 7):
        partitions.append(_partition(draw))
    layout = Layout(tuple(partitions))
    if layout.is_crafted:
        return layout
    (first, *others), *segments = partitions[0].segments
    assert isinstance(first, Batch)
    marked = replace(partitions[0], segments=((replace(first, gap=1), *others), *segments))
    return Layout((marked, *partitions[1:]))


def _partition(draw: st.DrawFn) -> Partition:
    batches: list[Batch] = []
    while not batches or (len(batches) < MOST_BATCHES and draw(_more) >= 3):
        batches.append(_batch(draw))
    mask = ROLLS[draw(_rolls)] if len(batches) > 1 else 0
    partition = Partition(roll_segments(list(batches), mask))
    slot = draw(_starts)
    if slot > UNMOVED:
        places = _places(partition)
        partition = replace(partition, log_start=places[(slot - UNMOVED - 1) % len(places)])
    return partition


def _batch(draw: st.DrawFn) -> Batch:
    mark = MARKS[draw(_marks)]
    size, records, codec = SHAPES[draw(_shapes)]
    if mark.magic < 2:
        return Batch(size, gap=mark.gap, magic=mark.magic)
    if mark.emptied:
        return Batch(BATCH_HEADER, 0, gap=mark.gap, span=mark.lost + 1)
    return Batch(size, records, codec, gap=mark.gap, span=records + mark.lost if mark.lost else 0)


def _places(partition: Partition) -> list[int]:
    """Where a log start is worth moving to: the last offsets of holes, and where it is worth it in
    any log.
    """
    log = log_of(partition)
    holes = [log.hole(number) for number in range(len(log.batches))]
    return [*[hole[-1] for hole in holes if hole], *start_places(partition)]
