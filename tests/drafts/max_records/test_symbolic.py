"""The two formulations of a fetch under a limit of records, with numbers that CrossHair solves
for.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drafts.max_records import stream, walk
from drafts.max_records.axes import parse
from spec.fetch.model.request import Ask
from spec.fetch.releases import FetchSemantics
from spec.kafka import INT32_MAX
from tests.spec.test_symbolic import MOST, limits, log, solved

pytestmark = pytest.mark.slow

PROFILES = (
    "default",
    "stop=before",
    "stop=before,oversize=refused",
    "tail=free",
    "tail=left_out",
    "scope=partition",
)


@pytest.mark.parametrize("profile", PROFILES)
def test_two_formulations_of_a_fetch_under_a_limit_of_records_agree(profile: str) -> None:
    readings = parse(profile)

    @settings(solved, max_examples=25)
    @given(
        st.lists(st.tuples(st.integers(1, 1000), st.integers(61, 5000)), min_size=1, max_size=MOST),
        limits,
        st.integers(1, 4000),
    )
    def agree(batches: list[tuple[int, int]], limit: int, most: int) -> None:
        logs, asks = {0: log(batches)}, [Ask(0, 0, INT32_MAX)]
        (read,) = walk.read_all(asks, logs, limit, 0, FetchSemantics(), most, readings).reads
        assert [(read.whole, read.size)] == stream.read_all(asks, logs, limit, 0, most, readings)

    agree()
