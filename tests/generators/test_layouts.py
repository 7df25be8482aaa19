import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import accumulate, count, pairwise
from time import perf_counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.wire import sizing
from generators.layouts import collect, large_layouts, layouts, smallest
from generators.shapes import CODECS, GAPS, KINDS, RECORDS, SIZES, batch_of, minimum_size
from spec.canonical import from_json, to_json
from spec.kafka import MARKER_SIZE
from spec.layout import Batch, Codec, Entry, Layout, Marker, Partition, validate
from spec.log import log_of
from tests.generators.shrinking import usually_shrunk

SEED = 7


@cache
def drawn() -> list[Layout]:
    return collect(layouts(), SEED, 600)


def entries(layout: Layout) -> Iterator[Entry]:
    for partition in layout.partitions:
        yield from partition.entries()


def batches(layout: Layout) -> list[Batch]:
    return [entry for entry in entries(layout) if isinstance(entry, Batch)]


def size(layout: Layout) -> int:
    return sum(entry.size if isinstance(entry, Batch) else MARKER_SIZE for entry in entries(layout))


def shrunk(diverges: Callable[[Layout], bool]) -> Layout | None:
    return usually_shrunk(layouts(), 600, diverges, 550)


def plain(*sizes: int) -> Partition:
    return Partition((tuple([Batch(each) for each in sizes]),))


def test_the_least_uncompressed_size_is_the_writers() -> None:
    for records in range(1, 200):
        assert minimum_size(records) == sizing.minimum_size(records, "none")


@pytest.mark.parametrize("codec", list(Codec))
def test_each_size_from_the_least_on_can_be_written(codec: Codec) -> None:
    for records in sorted(set(RECORDS)):
        least = minimum_size(records, codec)
        assert least >= sizing.minimum_size(records, codec.value)
        for wanted in set(range(least, least + 60)) - (
            GAPS if records == 1 and codec is Codec.NONE else set()
        ):
            assert len(sizing.batch_of_size(wanted, records, codec.value)) == wanted


@pytest.mark.parametrize("gap", sorted(GAPS))
def test_a_gap_is_a_size_that_no_single_record_has(gap: int) -> None:
    with pytest.raises(ValueError, match="nearest"):
        sizing.batch_of_size(gap, 1)


def test_each_batch_of_the_tables_can_be_written() -> None:
    shapes = {batch_of(each, kind) for each in set(SIZES) for kind in range(KINDS)}
    assert {shape.codec for shape in shapes} == set(CODECS)
    for shape in shapes:
        assert len(sizing.batch_of_size(shape.size, shape.records, shape.codec.value)) == shape.size


@settings(max_examples=200, deadline=None, database=None)
@given(layouts())
def test_a_layout_is_valid_small_and_survives_json(layout: Layout) -> None:
    validate(layout)
    assert 1 <= len(layout.partitions) <= 8
    assert all(
        sum(isinstance(entry, Batch) for entry in part.entries()) <= 8 for part in layout.partitions
    )
    assert size(layout) <= 60_000
    assert not layout.is_crafted
    assert from_json(Layout, to_json(layout)) == layout


def test_layouts_have_everything_that_a_log_can_have_without_compaction() -> None:
    assert len(drawn()) == len(set(drawn())) == 600
    assert {len(layout.partitions) for layout in drawn()} == set(range(1, 9))
    found = [batch for layout in drawn() for batch in batches(layout)]
    assert {batch.codec for batch in found} == set(Codec)
    assert {batch.records for batch in found} == set(RECORDS)
    markers = [
        entry for layout in drawn() for entry in entries(layout) if isinstance(entry, Marker)
    ]
    assert {marker.commit for marker in markers} == {True, False}
    logs = [(part, log_of(part)) for layout in drawn() for part in layout.partitions]
    assert any(log.stable < log.end for _, log in logs)
    assert any(len(part.segments) > 2 for part, _ in logs)
    assert any(0 < log.start == log.end for _, log in logs)
    assert any(
        any(batch.base < log.start <= batch.last for batch in log.batches) for _, log in logs
    )
    assert any(not log.batches for _, log in logs)


def test_transactions_interleave() -> None:
    def interleaved(part: Partition) -> bool:
        numbers = [
            entry.txn
            for entry in part.entries()
            if isinstance(entry, Batch) and entry.txn is not None
        ]
        return any(
            one != two and one in numbers[at + 2 :]
            for at, (one, two) in enumerate(pairwise(numbers))
        )

    assert any(interleaved(part) for layout in drawn() for part in layout.partitions)


def test_most_layouts_are_small() -> None:
    assert sum(len(layout.partitions) <= 3 for layout in drawn()) > len(drawn()) * 0.6
    assert sum(size(layout) <= 20_000 for layout in drawn()) > len(drawn()) * 0.6


def test_what_is_not_wanted_is_not_drawn() -> None:
    for layout in collect(layouts(2, transactions=False, rolls=False), SEED, 300):
        assert len(layout.partitions) <= 2
        assert all(isinstance(entry, Batch) and entry.txn is None for entry in entries(layout))
        assert all(len(part.segments) == 1 for part in layout.partitions)


@pytest.mark.parametrize("number", [0, 9])
def test_a_partition_count_out_of_range_is_refused(number: int) -> None:
    with pytest.raises(ValueError, match=f"from 1 to 8, found {number}"):
        layouts(number)


@pytest.mark.parametrize("around", [300, 1024, 10_000, 40_000])
def test_large_layouts_straddle_the_limit(around: int) -> None:
    sides = set()
    for layout in collect(large_layouts(around), SEED, 150):
        validate(layout)
        for batch in batches(layout):
            assert len(sizing.batch_of_size(batch.size, batch.records)) == batch.size
        sums = accumulate(batch.size for batch in batches(layout))
        near = [total - around for total in sums if abs(total - around) <= 50]
        assert near
        sides.update(near)
    assert {-1, 0, 1} <= sides


@pytest.mark.parametrize("around", [299, 40_001])
def test_a_limit_that_is_not_worth_drawing_around_is_refused(around: int) -> None:
    with pytest.raises(ValueError, match=str(around)):
        large_layouts(around)


def test_the_rate_of_drawing(capsys: pytest.CaptureFixture[str]) -> None:
    started = perf_counter()
    found = collect(layouts(), SEED + 1, 300)
    with capsys.disabled():
        sys.stdout.write(f"\n{len(found) / (perf_counter() - started):.0f} layouts a second\n")
    assert len(found) == 300


def test_collecting_is_the_same_for_the_same_seed_and_another_for_another() -> None:
    assert collect(layouts(), SEED, 100) == collect(layouts(), SEED, 100)
    assert collect(layouts(), SEED, 100) != collect(layouts(), SEED + 1, 100)


def test_collecting_ends_where_a_strategy_has_no_more() -> None:
    assert sorted(collect(st.integers(0, 4), SEED, 10)) == [0, 1, 2, 3, 4]
    assert collect(st.integers(), SEED, 0) == []


@pytest.mark.system
def test_the_stream_does_not_depend_on_what_is_loaded() -> None:
    code = (
        "import conformance.cli.run, conformance.subjects.registry, results.report; "
        "from generators.layouts import collect, layouts; from spec.canonical import to_json; "
        "print(*map(to_json, collect(layouts(), 7, 300)))"
    )
    fresh = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert fresh.stdout.split() == [to_json(layout) for layout in collect(layouts(), 7, 300)]


def test_what_always_diverges_shrinks_to_one_batch_of_a_hundred_bytes() -> None:
    assert shrunk(lambda layout: True) == Layout((plain(100),))


def test_a_large_batch_and_two_partitions_shrink_to_exactly_that() -> None:
    found = shrunk(
        lambda layout: (
            len(layout.partitions) >= 2 and any(batch.size > 150 for batch in batches(layout))
        )
    )
    assert found in (Layout((plain(200), plain(100))), Layout((plain(100), plain(200))))


def test_a_codec_shrinks_to_one_batch_of_it() -> None:
    found = shrunk(lambda layout: any(batch.codec is Codec.ZSTD for batch in batches(layout)))
    assert found == Layout((Partition(((Batch(100, codec=Codec.ZSTD),),)),))


@pytest.mark.campaign
def test_an_aborted_transaction_shrinks_to_one_batch_and_its_marker() -> None:
    found = shrunk(
        lambda layout: any(
            isinstance(entry, Marker) and not entry.commit for entry in entries(layout)
        )
    )
    assert found == Layout((Partition(((Batch(100, txn=0), Marker(0, commit=False)),)),))


@pytest.mark.campaign
def test_an_open_transaction_shrinks_to_one_batch() -> None:
    found = shrunk(
        lambda layout: any(log_of(part).stable < log_of(part).end for part in layout.partitions)
    )
    assert found == Layout((Partition(((Batch(100, txn=0),),)),))


@pytest.mark.campaign
def test_segments_shrink_to_one_batch_each() -> None:
    found = shrunk(lambda layout: any(len(part.segments) > 2 for part in layout.partitions))
    assert found == Layout((Partition(((Batch(100),), (Batch(100),), (Batch(100),))),))


@pytest.mark.campaign
def test_a_log_start_inside_a_batch_shrinks_to_one_batch_of_two_records() -> None:
    def inside(part: Partition) -> bool:
        log = log_of(part)
        return any(batch.base < log.start <= batch.last for batch in log.batches)

    found = shrunk(lambda layout: any(map(inside, layout.partitions)))
    assert found == Layout((replace(Partition(((Batch(100, 2),),)), log_start=1),))


def test_shrinking_asks_about_a_value_once_and_keeps_to_its_budget() -> None:
    asked: list[Layout] = []

    def diverges(layout: Layout) -> bool:
        asked.append(layout)
        return sum(batch.size for batch in batches(layout)) > 1000

    found = smallest(layouts(), SEED, 600, diverges, 40)
    assert found is not None
    assert sum(batch.size for batch in batches(found)) > 1000
    assert len(asked) == len(set(asked)) <= 40


def test_the_search_goes_through_what_was_collected() -> None:
    wanted = drawn()[300]
    asked: list[Layout] = []

    def diverges(layout: Layout) -> bool:
        asked.append(layout)
        return layout == wanted

    assert smallest(layouts(), SEED, 600, diverges, 550) == wanted
    assert asked[:301] == drawn()[:301]


def test_known_verdicts_cost_nothing() -> None:
    known = dict.fromkeys(drawn()[:300], False) | {drawn()[300]: True}
    asked: list[Layout] = []

    def diverges(layout: Layout) -> bool:
        asked.append(layout)
        return False

    assert smallest(layouts(), SEED, 600, diverges, 0, known) == drawn()[300]
    assert not asked


def test_nothing_that_diverges_is_nothing_found() -> None:
    assert smallest(layouts(), SEED, 50, lambda layout: False, 1000) is None
    assert smallest(layouts(), SEED, 50, lambda layout: True, 0) is None
    assert smallest(layouts(), SEED, 0, lambda layout: True, 9) is None


def test_what_the_question_raises_is_raised() -> None:
    def diverges(layout: Layout) -> bool:
        raise ConnectionError("the broker is gone")

    with pytest.raises(ConnectionError, match="gone"):
        shrunk(diverges)


def test_a_broker_that_changes_its_mind_does_not_make_drawing_flaky() -> None:
    """X04: no strategy asks a broker, and an answer is remembered."""
    turn = count()

    def fickle(layout: Layout) -> bool:
        return next(turn) % 3 == 2

    first = shrunk(fickle)
    second = shrunk(fickle)
    assert isinstance(first, Layout)
    assert isinstance(second, Layout)
    assert collect(layouts(), SEED, 600) == drawn()
