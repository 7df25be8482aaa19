"""Each batch that the strategies draw has bytes of exactly its size."""

import pytest

from conformance.serve.receiving import received_from
from conformance.subjects.produce.batch_bytes import batch_bytes
from generators.produce.histories import OWN, PACKED, ROOM, UNPACKED
from generators.shapes import GAPS, minimum_size
from spec.kafka import BATCH_HEADER
from spec.layout import Codec
from spec.produce.model.received import received_of
from spec.produce.steps import Outgoing
from spec.produce.topic import HOUR_MS
from tests.conformance.subjects.produce.shaped import is_as_shaped

PACKERS = tuple([codec for codec in Codec if codec is not Codec.NONE])
NOW = 1_800_000_000_000
TIMES = (2 * HOUR_MS, -24 * HOUR_MS)


@pytest.mark.parametrize("time", TIMES)
@pytest.mark.parametrize("keyed", [False, True])
@pytest.mark.parametrize("records", [1, 2, 3, 8])
def test_a_batch_whose_records_have_times_can_be_had_in_each_size(
    records: int, keyed: bool, time: int
) -> None:
    least = minimum_size(records) + ROOM + OWN * records
    for size in range(least, least + 120):
        if records == 1 and size in GAPS:
            continue
        for times in ((time,) + (0,) * (records - 1), (0,) * (records - 1) + (time,)):
            batch = Outgoing(0, size, records, times=times, keyed=keyed, keyless=(records - 1,))
            assert len(batch_bytes(batch, 1, NOW)) == size


@pytest.mark.parametrize("codec", PACKERS)
@pytest.mark.parametrize("records", [1, 2, 3, 8])
def test_a_compressed_batch_has_its_size_and_the_one_it_unpacks_to(
    codec: Codec, records: int
) -> None:
    shapes = [(PACKED, unpacked) for unpacked in UNPACKED]
    shapes += [(501, 498)] if codec in {Codec.GZIP, Codec.LZ4} and records < 3 else []
    if codec in {Codec.GZIP, Codec.LZ4} and records == 1:
        shapes += [(400, BATCH_HEADER + 2 + size) for size in (500, 999, 1000, 1001, 3000)]
    if records == 8:
        shapes.append((400, 4000))
    for seed in range(10):
        for size, unpacked in shapes:
            batch = Outgoing(0, size, records, codec, unpacked=unpacked)
            made = batch_bytes(batch, seed, NOW)
            assert len(made) == size
            assert is_as_shaped(received_from(made, NOW), received_of(batch))
