"""Record data as an answer brings it, in the terms of an observation: today's batches, older
messages, cut and hostile bytes.
"""

import pytest

from conformance.placement.placed_partition import PlacedPartition
from conformance.play.record_data import read_batches
from conformance.wire.batches import batch_of_size, old_message, restamp
from spec.seen_batch import SeenBatch

FIRST = old_message(39, 1, 10, 1000)
SECOND = old_message(31, 0, 11, 1000)
THIRD = restamp(batch_of_size(100, 2), base_offset=15, partition_leader_epoch=0)
ALL = (SeenBatch(0, 0, 39, 1), SeenBatch(1, 1, 31, 1), SeenBatch(5, 6, 100, 2))


@pytest.fixture
def placed_partition() -> PlacedPartition:
    found = PlacedPartition("topic", bytes(16), 0, base=10, leader_epoch=0, timestamp=1000)
    found.add(10, FIRST, 10, 1, magic=1)
    found.add(11, SECOND, 11, 1, magic=0)
    found.add(15, THIRD, 16, 2)
    return found


def test_old_messages_and_batches_behind_a_hole_are_seen_as_placed(
    placed_partition: PlacedPartition,
) -> None:
    assert read_batches(FIRST + SECOND + THIRD, placed_partition) == (ALL, 0, True, None)


def test_an_old_message_alone_is_seen_though_it_is_shorter_than_a_batch_header(
    placed_partition: PlacedPartition,
) -> None:
    assert read_batches(SECOND, placed_partition) == (ALL[1:2], 0, True, None)


@pytest.mark.parametrize("left", [1, 11, 12, 16, 17, 30])
def test_a_cut_old_message_is_the_head_of_the_next(
    placed_partition: PlacedPartition, left: int
) -> None:
    assert read_batches(FIRST + SECOND[:left], placed_partition) == (ALL[:1], left, True, None)


@pytest.mark.parametrize("left", [12, 17, 60, 61, 99])
def test_a_cut_batch_behind_a_hole_is_the_head_of_the_next(
    placed_partition: PlacedPartition, left: int
) -> None:
    assert read_batches(FIRST + SECOND + THIRD[:left], placed_partition) == (
        ALL[:2],
        left,
        True,
        None,
    )


def test_an_old_message_with_another_content_is_not_intact(
    placed_partition: PlacedPartition,
) -> None:
    other = old_message(39, 0, 10, 1000)
    assert read_batches(other, placed_partition) == (
        (SeenBatch(0, 0, 39, 1, intact=False),),
        0,
        True,
        None,
    )


def test_an_old_message_with_a_wrong_checksum_is_not_intact(
    placed_partition: PlacedPartition,
) -> None:
    damaged = FIRST[:-1] + bytes([FIRST[-1] ^ 1])
    assert read_batches(damaged, placed_partition) == (
        (SeenBatch(0, 0, 39, 1, intact=False),),
        0,
        True,
        None,
    )


def test_a_batch_turned_into_an_old_message_is_not_intact(
    placed_partition: PlacedPartition,
) -> None:
    down = old_message(100, 1, 15, 1000)
    assert read_batches(down, placed_partition) == (
        (SeenBatch(5, 5, 100, 1, intact=False),),
        0,
        True,
        None,
    )


@pytest.mark.parametrize(
    ("at", "value", "said"), [(16, b"\x03", "magic 3"), (8, b"\x00\x00\x00\x05", "length 5")]
)
def test_what_is_no_batch_is_reported(
    placed_partition: PlacedPartition, at: int, value: bytes, said: str
) -> None:
    broken = THIRD[:at] + value + THIRD[at + len(value) :]
    batches, tail, intact, garbled = read_batches(FIRST + broken, placed_partition)
    assert (batches, tail, intact) == (ALL[:1], 100, False)
    assert said in (garbled or "")
