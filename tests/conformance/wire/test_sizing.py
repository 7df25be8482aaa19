"""A shape becomes a batch of exactly the size asked for."""

import itertools

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from conformance.wire.batches import (
    CODECS,
    CodecName,
    batch_of_size,
    decode_records,
    minimum_size,
    parse_batches,
)

COUNTS = st.sampled_from([1, 2, 3, 5, 10, 40])


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(CODECS),
    COUNTS,
    st.integers(0, 3000) | st.sampled_from([8130, 16300, 70_000]),
    st.integers(0, 3),
)
def test_the_batch_has_the_size_and_the_records_asked_for(
    codec: CodecName, records: int, above: int, seed: int
) -> None:
    size = minimum_size(records, codec) + above
    try:
        batch = batch_of_size(size, records, codec, seed=seed)
    except ValueError:
        assume(False)  # which sizes can't be had is pinned below
        raise
    assert len(batch) == size
    (header,), trailing = parse_batches(batch)
    assert (header.size, header.records_count, header.codec, trailing) == (size, records, codec, 0)
    assert header.crc_ok
    found = decode_records(batch)
    assert [each.offset_delta for each in found] == list(range(records))
    assert header.last_offset_delta == records - 1


def test_every_size_of_a_range_can_be_had_without_compression() -> None:
    for records in (2, 3, 10):
        least = minimum_size(records)
        assert least == 61 + 7 * records
        for size in range(least, least + 400):
            assert len(batch_of_size(size, records)) == size


def refusals(least: int, many: int, records: int, codec: CodecName) -> dict[int, str]:
    """The sizes that can't be had, and what is said about them."""
    refused = {}
    for size in range(least, least + many):
        try:
            batch = batch_of_size(size, records, codec)
        except ValueError as problem:
            refused[size] = str(problem)
        else:
            assert len(batch) == size
    return refused


def test_a_size_that_one_record_cannot_have_is_refused_with_its_neighbours() -> None:
    assert list(refusals(68, 332, 1, "none")) == [126], (
        "a record of 65 bytes doesn't exist: its length takes one byte up to 63 and two from 64"
    )
    with pytest.raises(ValueError, match="the nearest are 125 and 127"):
        batch_of_size(126, 1)


@pytest.mark.parametrize("codec", CODECS[1:])
@pytest.mark.parametrize("records", [1, 3])
def test_nearly_every_size_can_be_had_with_compression(codec: CodecName, records: int) -> None:
    least = minimum_size(records, codec)
    refused = refusals(least, 250, records, codec)
    assert len(refused) <= 4
    assert all(size - least < 10 for size in refused)
    assert all("the nearest are" in text for text in refused.values())


def test_a_size_below_the_minimum_is_refused_with_the_minimum() -> None:
    with pytest.raises(
        ValueError, match="expected a size of at least 82 for 3 records with codec none, found 81"
    ):
        batch_of_size(81, 3)
    with pytest.raises(ValueError, match="expected at least 1 record, found 0"):
        batch_of_size(100, 0)
    with pytest.raises(ValueError, match="expected 3 keys, one for each record, found 1"):
        batch_of_size(100, 3, keys=[b"k"])


def test_the_same_shape_is_the_same_batch_and_another_seed_is_another() -> None:
    for codec in CODECS:
        assert batch_of_size(400, 3, codec) == batch_of_size(400, 3, codec)
        assert batch_of_size(400, 3, codec, seed=1) != batch_of_size(400, 3, codec)


def test_values_are_about_equal_and_hardly_compress() -> None:
    sizes = [len(each.value or b"") for each in decode_records(batch_of_size(1000, 9))]
    assert max(sizes) - min(sizes) <= 12
    raw = sum(len(each.value or b"") for each in decode_records(batch_of_size(20_000, 9, "zstd")))
    assert raw > 19_000


def test_keys_are_kept() -> None:
    keys = [b"a", None, b"long key" * 5]
    for codec, size in itertools.product(CODECS, range(200, 260)):
        try:
            batch = batch_of_size(size, 3, codec, keys=keys)
        except ValueError:
            continue
        assert [each.key for each in decode_records(batch)] == keys
    assert minimum_size(3, keys=tuple(keys)) == 61 + 7 * 3 + 1 + 40


def test_the_largest_default_batch_can_be_made() -> None:
    for codec in CODECS:
        assert len(batch_of_size(1_048_588, 3, codec)) == 1_048_588


def test_times_are_set() -> None:
    header = parse_batches(batch_of_size(200, 2, base_timestamp=77)).batches[0]
    assert (header.base_timestamp, header.max_timestamp) == (77, 77)
