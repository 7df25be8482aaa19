"""Each batch that the strategies draw has bytes of exactly its size."""

import pytest

from conformance.subjects.produce.batch_bytes import batch_bytes
from generators.produce.histories import OWN, ROOM
from generators.shapes import GAPS, minimum_size
from spec.produce.steps import Outgoing
from spec.produce.topic import HOUR_MS

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
