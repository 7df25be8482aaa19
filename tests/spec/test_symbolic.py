"""Fetch and share acquisition with numbers that CrossHair solves for: a boundary that one number in
a million hits is found as well.

The counts of batches are small and the numbers are whatever they may be; what was solved for, and
how far, is in docs/max-records.md.
"""

from collections.abc import Callable
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spec.fetch.model import reference
from spec.fetch.model.request import Ask
from spec.fetch.model.slicing import length_of_read
from spec.fetch.releases import FetchSemantics
from spec.kafka import INT32_MAX
from spec.log import Log, Stored
from spec.share.model import acquire as acquiring
from spec.share.model.acquire import AcquireRequest, acquire
from spec.share.model.counting import new_range_end
from spec.share.model.partition import empty_state
from spec.share.model.records import Lock
from spec.share.model.settings import Settings
from spec.share.releases import ShareSemantics
from spec.share.steps import BATCH_OPTIMIZED, RECORD_LIMIT

pytestmark = pytest.mark.slow

solved = settings(
    backend="crosshair",
    deadline=None,
    database=None,
    max_examples=60,
    suppress_health_check=list(HealthCheck),
)

sizes = st.lists(st.integers(61, INT32_MAX), min_size=1, max_size=3)
counts = st.lists(st.integers(1, 1_000_000), min_size=1, max_size=3)
limits = st.integers(0, INT32_MAX)
MOST = 3
"""Batches in a log."""


def log(batches: list[tuple[int, int]]) -> Log:
    """A log of one segment with batches of these records and sizes; nothing of it is hashed, which
    would settle the numbers.
    """
    stored: list[Stored] = []
    base = position = 0
    for records, size in batches:
        stored.append(Stored(base, base + records - 1, size, records, 0, position))
        base, position = base + records, position + size
    return Log(
        tuple(stored), 0, base, base, lasts=tuple([batch.last for batch in stored]), undecided=base
    )


def read_as_its_formula_says(sizes: list[int], cap: int, limit: int, progress: bool) -> None:
    there = log([(1, size) for size in sizes])
    read = reference.read_one(
        there, Ask(0, 0, cap), min(cap, limit), 0, FetchSemantics(), progress=progress
    )
    assert read.size == length_of_read(sizes[0], sum(sizes), min(cap, limit), progress=progress)
    whole = sum(sizes[: read.whole])
    assert whole <= read.size
    assert read.whole == len(sizes) or read.size < whole + sizes[read.whole]


def test_a_read_is_as_long_as_its_formula_says() -> None:
    solved(given(sizes, limits, limits, st.booleans())(read_as_its_formula_says))()


def acquired(batches: list[int], wanted: int, mode: int) -> int:
    """How many offsets a member of a fresh share partition acquires."""
    there = log([(records, 100) for records in batches])
    known = ShareSemantics()
    limit = Settings(INT32_MAX, known.delivery_count_limit, known.lock_duration_ms)
    found = acquire(
        empty_state(0),
        AcquireRequest(wanted, INT32_MAX, mode, Lock(0)),
        there.batches,
        there,
        limit,
        known,
    )
    last = -1
    for one in found.ranges:
        assert one.first == last + 1
        last = one.last
    assert found.count == last + 1
    return last + 1


def exactly_what_is_wanted(batches: list[int], wanted: int) -> None:
    assert acquired(batches, wanted, RECORD_LIMIT) == min(wanted, sum(batches))


def up_to_the_end_of_the_batch_that_crosses(batches: list[int], wanted: int) -> None:
    """Case M06 for any numbers."""
    got = acquired(batches, wanted, BATCH_OPTIMIZED)
    ends = [sum(batches[: number + 1]) for number in range(len(batches))]
    assert got in ends
    assert got == ends[-1] or got >= wanted
    assert all(end >= got or end < wanted for end in ends)


@pytest.mark.parametrize("rule", [exactly_what_is_wanted, up_to_the_end_of_the_batch_that_crosses])
def test_each_acquire_mode_keeps_to_its_rule(rule: Callable[[list[int], int], None]) -> None:
    solved(given(counts, st.integers(1, INT32_MAX))(rule))()


RARE = 7919
"""A number that no draw at random comes upon."""


def test_a_read_that_is_wrong_at_one_number_is_found() -> None:
    def wrong(first: int, there: int, cap: int, progress: bool) -> int:
        return 0 if cap == there + RARE else length_of_read(first, there, cap, progress)

    with patch.object(reference, "length_of_read", wrong), pytest.raises(AssertionError):
        solved(given(sizes, limits, limits, st.booleans())(read_as_its_formula_says))()


def test_an_acquisition_that_is_wrong_at_one_number_is_found() -> None:
    def wrong(first: int, last: int, wanted: int, batch_last: int) -> int:
        return (
            last
            if wanted == last - first - RARE
            else new_range_end(first, last, wanted, batch_last)
        )

    with patch.object(acquiring, "new_range_end", wrong), pytest.raises(AssertionError):
        solved(given(counts, st.integers(1, INT32_MAX))(up_to_the_end_of_the_batch_that_crosses))()
