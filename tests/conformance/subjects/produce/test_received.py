"""A leader sees in the bytes of a batch what its shape says."""

import pytest

from conformance.serve.receiving import received_from
from conformance.subjects.produce.batch_bytes import batch_bytes
from generators.produce.histories import batch_size
from spec.layout import Codec
from spec.produce.model.received import Framing, received_of
from spec.produce.steps import Flaw, Outgoing

NOW = 1_700_000_000_000


@pytest.mark.parametrize("codec", Codec)
@pytest.mark.parametrize("flaw", Flaw)
def test_the_bytes_of_a_batch_are_seen_as_its_shape_says(flaw: Flaw, codec: Codec) -> None:
    for records in (1, 2, 3):
        size = batch_size(500, "below", 100, records, codec)
        batch = Outgoing(0, size, records, codec, flaw)
        seen, expected = received_from(batch_bytes(batch, 7, NOW)), received_of(batch)
        if expected.framing is Framing.ONE and expected.magic == 2:
            assert seen == expected
        else:
            assert (seen.framing, seen.magic) == (expected.framing, seen.magic)
            assert (seen.magic < 2) == (expected.magic < 2)


def test_the_bytes_after_a_batch_are_seen() -> None:
    batch = Outgoing(0, 100, flaw=Flaw.BYTES_AFTER)
    assert len(batch_bytes(batch, 1, NOW)) == 111
    assert received_from(batch_bytes(batch, 1, NOW)).bytes_after
