from collections.abc import Iterator
from functools import cache

from conformance.wire.batches import batch_of_size
from generators.compaction import crafted_layouts
from generators.layouts import collect
from spec.canonical import from_json, to_json
from spec.layout import Batch, Layout, Partition, validate
from spec.log import log_of
from tests.generators.shrinking import usually_shrunk

SEED = 7


@cache
def drawn() -> list[Layout]:
    return collect(crafted_layouts(), SEED, 400)


def batches(layout: Layout) -> Iterator[Batch]:
    for partition in layout.partitions:
        for entry in partition.entries():
            assert isinstance(entry, Batch)
            yield entry


def test_a_crafted_layout_is_valid_small_and_survives_json() -> None:
    for layout in drawn():
        validate(layout)
        assert layout.is_crafted
        assert len(layout.partitions) <= 3
        assert from_json(Layout, to_json(layout)) == layout


def test_each_of_its_batches_can_be_written() -> None:
    for shape in {
        batch
        for layout in drawn()
        for batch in batches(layout)
        if batch.records and batch.magic == 2
    }:
        assert len(batch_of_size(shape.size, shape.records, shape.codec.value)) == shape.size


def test_crafted_layouts_have_everything_that_compaction_and_older_releases_leave() -> None:
    found = [batch for layout in drawn() for batch in batches(layout)]
    assert {batch.magic for batch in found} == {0, 1, 2}
    assert any(batch.gap for batch in found)
    assert any(batch.records and batch.span for batch in found)
    assert any(not batch.records and batch.gap for batch in found)
    parts = [part for layout in drawn() for part in layout.partitions]
    assert any(
        isinstance(part.segments[1][0], Batch) and part.segments[1][0].gap
        for part in parts
        if len(part.segments) > 1
    )
    logs = [log_of(part) for part in parts]
    assert any(log.start in log.hole(log.batch_number(log.start)) for log in logs)
    assert any(log.hole(0) for log in logs)


def test_a_fault_at_a_hole_shrinks_to_one_batch_behind_one_missing_offset() -> None:
    found = usually_shrunk(
        crafted_layouts(), 24, lambda layout: any(batch.gap for batch in batches(layout)), 25
    )
    assert found == Layout((Partition(((Batch(100, gap=1),),)),))


def test_a_fault_with_old_messages_shrinks_to_one_of_them() -> None:
    found = usually_shrunk(
        crafted_layouts(),
        24,
        lambda layout: any(batch.magic == 0 for batch in batches(layout)),
        25,
    )
    assert found == Layout((Partition(((Batch(100, magic=0),),)),))
