"""Every planted fault on several brokers is caught by its own clause, by plain drawing; every legal
variant passes.
"""

from datetime import UTC, datetime

import pytest

from conformance.engine.detecting import detect_planted
from conformance.faults.planted import Expected
from conformance.subjects.replication.faults import FAULTS, VARIANTS
from conformance.subjects.replication.faults.fault import ReplicationFault
from conformance.subjects.replication.runner import RUNNER
from spec.catalogue import clauses_of
from spec.replication.steps import ElectLeader
from spec.verdict import Strength

pytestmark = pytest.mark.usefixtures("drawn_once")

SEEDS = (1, 2)
SCENARIOS = 1000
VARIANT_SCENARIOS = 300
TODAY = datetime.now(UTC).date()


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_planted_fault_is_caught_by_its_clause_under_every_seed(fault: ReplicationFault) -> None:
    for seed in SEEDS:
        found = detect_planted(RUNNER, fault, seed, TODAY, SCENARIOS, shrink=False)
        assert found.as_expected, (
            f"seed {seed}: expected {fault.clause} to say {fault.expected}, found {found.breaks}"
        )


@pytest.mark.parametrize("fault", VARIANTS, ids=lambda fault: fault.name)
def test_a_legal_variant_passes(fault: ReplicationFault) -> None:
    found = detect_planted(RUNNER, fault, SEEDS[0], TODAY, VARIANT_SCENARIOS, shrink=False)
    assert found.as_expected, f"expected no clause against it, found {found.breaks}"


def test_what_is_expected_of_a_fault_fits_the_strength_of_its_clause() -> None:
    for fault in FAULTS:
        must = clauses_of("replication")[fault.clause].strength is Strength.MUST
        assert fault.expected is (Expected.VIOLATES if must else Expected.DEVIATES), fault.name


def test_a_fault_is_made_small() -> None:
    fault = next(fault for fault in FAULTS if fault.name == "leader-epoch-stays")
    shrunk = detect_planted(RUNNER, fault, SEEDS[1], TODAY, shrink=True).shrunk
    assert shrunk is not None
    assert [type(step) for step in shrunk.steps[1:]] == [ElectLeader]
