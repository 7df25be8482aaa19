"""Every planted fault of share groups is found by drawn histories alone, and every legal variant
passes.
"""

from datetime import date

import pytest

from conformance.engine.detecting import detect_planted
from conformance.faults.planted import Expected
from conformance.subjects.share.fault_kinds import ShareFault
from conformance.subjects.share.faults import FAULTS, VARIANTS
from conformance.subjects.share.runner import RUNNER
from conformance.subjects.share.timer_faults import LOCK_VARIANTS, SESSION_FAULTS, WAIT_FAULTS
from spec.catalogue import clause

pytestmark = pytest.mark.usefixtures("drawn_once")

DAY = date(2026, 11, 1)


@pytest.mark.parametrize(
    "fault", [*FAULTS, *WAIT_FAULTS, *SESSION_FAULTS], ids=lambda fault: fault.name
)
def test_a_planted_fault_is_found_and_named_by_its_clause(fault: ShareFault) -> None:
    found = detect_planted(RUNNER, fault, 3, DAY)
    assert found.as_expected, (
        f"expected {fault.clause} to say {fault.expected}, found {found.breaks}"
    )


@pytest.mark.parametrize("variant", [*VARIANTS, *LOCK_VARIANTS], ids=lambda fault: fault.name)
def test_a_legal_variant_passes(variant: ShareFault) -> None:
    found = detect_planted(RUNNER, variant, 3, DAY, 32)
    assert found.as_expected, f"expected no word against it, found {found.breaks}"


def test_there_are_faults_enough_and_each_names_a_clause_of_its_strength() -> None:
    assert len(FAULTS) >= 24
    assert len(VARIANTS) >= 6
    assert len({fault.name for fault in (*FAULTS, *VARIANTS)}) == len(FAULTS) + len(VARIANTS)
    for fault in FAULTS:
        assert (clause(fault.clause).strength.value == "must") is (
            fault.expected is Expected.VIOLATES
        )
