"""What a share partition is taken to be after an answer that the reference would not have given."""

import pytest

from spec.log import log_of
from spec.share.adoption import adopt_ranges
from spec.share.examples import plain
from spec.share.model.partition import ShareState
from spec.share.model.records import Cached, Lock, Record, RecordState
from spec.share.outcomes import Acquired

DONE = Cached(18, 18, (Record(RecordState.ACKNOWLEDGED, 1),))
LOADED_AGAIN = ShareState(2, 18, (DONE,), gap=(2, 18))
"""Loaded after a restart: 18 is done, nothing is known of those before."""


@pytest.mark.parametrize(
    ("last", "gap", "next_offset"),
    [(2, (3, 18), 3), (17, (18, 18), 19), (19, None, 20)],
)
def test_what_was_unknown_behind_an_unexpected_range_still_is(
    last: int, gap: tuple[int, int] | None, next_offset: int
) -> None:
    """Seen on 4.1.2, which begins at 0 there and then delivers 3 to 17 and 19."""
    log = log_of(plain(3, 8, 5, 4))
    found = adopt_ranges(LOADED_AGAIN, (Acquired(0, last),), Lock(0, 0.0), log)
    assert (found.gap, found.next_fetch_offset) == (gap, next_offset)
