"""Every planted fault of share groups is found by drawn histories alone, and every legal variant
passes.
"""

import pytest

from conformance.subjects.share.fault_kinds import ShareFault
from conformance.subjects.share.faults import FAULTS, VARIANTS
from conformance.subjects.share.runner import RUNNER
from conformance.subjects.share.timer_faults import LOCK_VARIANTS, SESSION_FAULTS, WAIT_FAULTS
from tests.conformance.detection import expect_caught, expect_fitting_strengths

pytestmark = pytest.mark.usefixtures("drawn_once")

SEED = 3


@pytest.mark.parametrize(
    "fault", [*FAULTS, *WAIT_FAULTS, *SESSION_FAULTS], ids=lambda fault: fault.name
)
def test_a_planted_fault_is_found_and_named_by_its_clause(fault: ShareFault) -> None:
    expect_caught(RUNNER, fault, SEED)


@pytest.mark.parametrize("variant", [*VARIANTS, *LOCK_VARIANTS], ids=lambda fault: fault.name)
def test_a_legal_variant_passes(variant: ShareFault) -> None:
    expect_caught(RUNNER, variant, SEED, 32)


def test_there_are_faults_enough_and_each_names_a_clause_of_its_strength() -> None:
    assert len(FAULTS) >= 24
    assert len(VARIANTS) >= 6
    assert len({fault.name for fault in (*FAULTS, *VARIANTS)}) == len(FAULTS) + len(VARIANTS)
    expect_fitting_strengths([*FAULTS, *WAIT_FAULTS, *SESSION_FAULTS])
