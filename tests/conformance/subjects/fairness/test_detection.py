"""Every planted fault of a client is caught by its own clause, by plain drawing; every legal
variant passes.
"""

import pytest

from conformance.subjects.fairness.client_fault import ClientFault
from conformance.subjects.fairness.faults import EVERY, FAULTS, VARIANTS
from conformance.subjects.fairness.runner import RUNNER
from tests.conformance.detection import FIRST, expect_caught, expect_fitting_strengths

pytestmark = pytest.mark.usefixtures("drawn_once")

SCENARIOS = 300
VARIANT_SCENARIOS = 96


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_planted_fault_is_caught_by_its_clause(fault: ClientFault) -> None:
    expect_caught(RUNNER, fault, FIRST, SCENARIOS)


@pytest.mark.parametrize("fault", VARIANTS, ids=lambda fault: fault.name)
def test_a_legal_variant_passes(fault: ClientFault) -> None:
    expect_caught(RUNNER, fault, FIRST, VARIANT_SCENARIOS)


def test_what_is_expected_of_a_fault_fits_the_strength_of_its_clause() -> None:
    assert len({fault.name for fault in EVERY}) == len(EVERY)
    expect_fitting_strengths(FAULTS)


def test_a_fault_is_made_small() -> None:
    fault = next(fault for fault in FAULTS if fault.name == "skips-records")
    shrunk = expect_caught(RUNNER, fault, FIRST, SCENARIOS, shrink=True).shrunk
    assert shrunk is not None
    assert len(shrunk.layout.partitions) == 1
    assert len([*shrunk.layout.partitions[0].entries()]) <= 2
