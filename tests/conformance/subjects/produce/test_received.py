"""A leader sees in the bytes of a batch what its shape says."""

import pytest

from conformance.serve.receiving import received_from
from conformance.subjects.produce.batch_bytes import batch_bytes
from generators.produce.histories import batch_size
from spec.layout import Codec
from spec.produce.model.received import Framing, received_of
from spec.produce.steps import Flaw, Outgoing
from tests.conformance.subjects.produce.shaped import is_as_shaped

NOW = 1_700_000_000_000


@pytest.mark.parametrize("codec", Codec)
@pytest.mark.parametrize("flaw", Flaw)
def test_the_bytes_of_a_batch_are_seen_as_its_shape_says(flaw: Flaw, codec: Codec) -> None:
    for records in (1, 2, 3):
        size = batch_size(500, "below", 100, records, codec)
        batch = Outgoing(0, size, records, codec, flaw)
        seen, expected = received_from(batch_bytes(batch, 7, NOW), NOW), received_of(batch)
        if expected.framing is Framing.ONE and expected.magic == 2:
            assert is_as_shaped(seen, expected)
        else:
            assert (seen.framing, seen.magic) == (expected.framing, seen.magic)
            assert (seen.magic < 2) == (expected.magic < 2)


@pytest.mark.parametrize("times", [(), (7_200_000, 0, -5)])
@pytest.mark.parametrize("keyless", [(), (0, 2)])
def test_times_and_keys_are_seen(times: tuple[int, ...], keyless: tuple[int, ...]) -> None:
    for size in range(200, 330):
        batch = Outgoing(0, size, 3, times=times, keyed=True, keyless=keyless)
        data = batch_bytes(batch, 7, NOW)
        assert len(data) == size
        assert is_as_shaped(received_from(data, NOW), received_of(batch))


def test_the_bytes_after_a_batch_are_seen() -> None:
    batch = Outgoing(0, 100, flaw=Flaw.BYTES_AFTER)
    assert len(batch_bytes(batch, 1, NOW)) == 111
    assert received_from(batch_bytes(batch, 1, NOW), NOW).bytes_after
