"""The layout of a segment: what its batches are, with what a layout can't hold left out."""

from hypothesis import given
from hypothesis import strategies as st

from spec.disk.shapes import MARKER_SIZE, Shape, imported_layout
from spec.layout import Batch, Codec, Layout, Marker, Partition, validate
from spec.log import log_of

PLAIN = Shape(100, 100, 90, 1, Codec.NONE, 2, -1, transactional=False, ends=None)


def marker(base: int, producer: int, *, commit: bool) -> Shape:
    return PLAIN._replace(
        base=base,
        last=base,
        size=MARKER_SIZE,
        producer_id=producer,
        transactional=True,
        ends=commit,
    )


def entries(*shapes: Shape) -> tuple[Batch | Marker, ...]:
    partition = imported_layout(shapes).partition
    validate(Layout((partition,)))
    (segment,) = partition.segments
    return segment


def test_the_first_batch_is_at_offset_0_and_gaps_are_kept() -> None:
    second = PLAIN._replace(base=105, last=109, records=3, codec=Codec.ZSTD)
    assert entries(PLAIN, second) == (Batch(90), Batch(90, 3, Codec.ZSTD, gap=4, span=5))


def test_transactions_are_numbered_in_the_order_in_which_they_begin() -> None:
    first = PLAIN._replace(producer_id=7, transactional=True)
    other = first._replace(base=101, last=101, producer_id=8)
    ends = marker(102, 8, commit=True), marker(103, 7, commit=False)
    again = first._replace(base=104, last=104)
    assert entries(first, other, *ends, again) == (
        Batch(90, txn=0),
        Batch(90, txn=1),
        Marker(1, commit=True),
        Marker(0, commit=False),
        Batch(90, txn=2),
    )


def test_a_marker_of_a_transaction_that_began_earlier_is_a_gap() -> None:
    found = imported_layout([marker(100, 7, commit=True), PLAIN._replace(base=101, last=101)])
    assert found.partition.segments == ((Batch(90, gap=1),),)
    assert len(found.notes) == 1


def test_nothing_is_an_empty_layout() -> None:
    assert imported_layout([]).partition == Partition(segments=((),))


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4), st.integers(0, 4)), max_size=30))
def test_offsets_and_sizes_of_the_batches_are_those_of_the_log(
    drawn: list[tuple[int, int, int]],
) -> None:
    shapes, end = [], 50
    for gap, missing, records in drawn:
        base, offsets = end + gap, max(1, records + missing)
        size, count = (61, 0) if records == 0 else (80 + records, records)
        shapes.append(PLAIN._replace(base=base, last=base + offsets - 1, size=size, records=count))
        end = base + offsets
    log = log_of(imported_layout(shapes).partition)
    start = shapes[0].base if shapes else 0
    assert [(one.base + start, one.last + start, one.size) for one in log.batches] == [
        (one.base, one.last, one.size) for one in shapes
    ]
