"""Every planted fault of a client is caught by its own clause, by plain drawing; every legal variant
passes.
"""

from datetime import UTC, datetime

import pytest

from conformance.engine.detecting import detect_planted
from conformance.faults.planted import Expected
from conformance.subjects.fairness.client_fault import ClientFault
from conformance.subjects.fairness.faults import EVERY, FAULTS, VARIANTS
from conformance.subjects.fairness.runner import RUNNER
from spec.catalogue import clauses_of
from spec.verdict import Strength

pytestmark = pytest.mark.usefixtures("drawn_once")

SEED = 1
SCENARIOS = 300
VARIANT_SCENARIOS = 96
TODAY = datetime.now(UTC).date()


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_planted_fault_is_caught_by_its_clause(fault: ClientFault) -> None:
    found = detect_planted(RUNNER, fault, SEED, TODAY, SCENARIOS, shrink=False)
    assert found.as_expected, f"expected {fault.clause} to say {fault.expected}, found {found}"


@pytest.mark.parametrize("fault", VARIANTS, ids=lambda fault: fault.name)
def test_a_legal_variant_passes(fault: ClientFault) -> None:
    found = detect_planted(RUNNER, fault, SEED, TODAY, VARIANT_SCENARIOS, shrink=False)
    assert found.as_expected, f"expected nothing against it, found {found.breaks}"


def test_what_is_expected_of_a_fault_fits_the_strength_of_its_clause() -> None:
    assert len({fault.name for fault in EVERY}) == len(EVERY)
    for fault in FAULTS:
        must = clauses_of("fairness")[fault.clause].strength is Strength.MUST
        assert fault.expected is (Expected.VIOLATES if must else Expected.DEVIATES), fault.name


def test_a_fault_is_made_small() -> None:
    fault = next(fault for fault in FAULTS if fault.name == "skips-records")
    shrunk = detect_planted(RUNNER, fault, SEED, TODAY, SCENARIOS, shrink=True).shrunk
    assert shrunk is not None
    assert len(shrunk.layout.partitions) == 1
    assert len([*shrunk.layout.partitions[0].entries()]) <= 2
