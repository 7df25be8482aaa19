"""How soon a question that stands for a fault is asked: within a stated number of scenarios, by
each of three seeds.
"""

import pytest

from conformance.subjects.fetch.faults import FAULTS
from conformance.subjects.fetch.runner import RUNNER
from tests.conformance.detection import SEEDS, expect_caught

pytestmark = pytest.mark.usefixtures("drawn_once")


@pytest.mark.parametrize("seed", [*SEEDS, pytest.param(3, marks=pytest.mark.campaign)])
@pytest.mark.parametrize(
    ("name", "within"),
    [
        ("session-keeps-no-higher-limits", 1000),
        ("session-keeps-no-lower-limits", 1000),
        ("session-keeps-no-later-offsets", 1000),
        ("session-keeps-no-earlier-offsets", 1000),
        ("session-keeps-no-leader-epochs", 1000),
        ("first-batch-counts-up-to-its-limit", 100),
        ("leader-epoch-not-checked-at-first", 500),
        ("last-record-waited-out", 500),
    ],
)
def test_a_fault_is_caught_within_so_many_scenarios(name: str, within: int, seed: int) -> None:
    fault = next(fault for fault in FAULTS if fault.name == name)
    assert expect_caught(RUNNER, fault, seed).scenarios <= within
