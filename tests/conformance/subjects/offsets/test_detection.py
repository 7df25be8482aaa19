"""Every planted fault on offsets is caught by its own clause, by plain drawing; every legal variant
passes; what Apache Kafka breaks is found again without its findings.
"""

import pytest

from conformance.engine.plan import Plan
from conformance.faults.planted import Expected
from conformance.subjects.offsets.dry_run import OffsetDryRun
from conformance.subjects.offsets.faults import FAULTS, VARIANTS
from conformance.subjects.offsets.faults.fault import OffsetFault
from conformance.subjects.offsets.loop import OffsetLoop
from conformance.subjects.offsets.runner import RUNNER
from spec.events import Judged
from spec.releases import semantics_for
from spec.verdict import Outcome
from tests.conformance.detection import FIRST, SEEDS, expect_caught, expect_fitting_strengths

pytestmark = pytest.mark.usefixtures("drawn_once")

SCENARIOS = 1000
VARIANT_SCENARIOS = 200
PLANTED = [fault for fault in FAULTS if fault.expected is not Expected.CONFORMS]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("fault", PLANTED, ids=lambda fault: fault.name)
def test_a_planted_fault_is_caught_by_its_clause(fault: OffsetFault, seed: int) -> None:
    expect_caught(RUNNER, fault, seed, SCENARIOS)


@pytest.mark.parametrize("fault", VARIANTS, ids=lambda fault: fault.name)
def test_a_legal_variant_passes(fault: OffsetFault) -> None:
    expect_caught(RUNNER, fault, FIRST, VARIANT_SCENARIOS)


def test_what_is_expected_of_a_fault_fits_the_strength_of_its_clause() -> None:
    expect_fitting_strengths(PLANTED)


def test_a_fault_is_made_small() -> None:
    fault = next(fault for fault in FAULTS if fault.name == "time-strictly-later")
    shrunk = expect_caught(RUNNER, fault, FIRST, shrink=True).shrunk
    assert shrunk is not None
    assert len(shrunk.steps) <= 2


def test_what_apache_kafka_itself_breaks_is_found_again_without_its_findings() -> None:
    plan = Plan(FIRST, SCENARIOS, examples=False, shrink=False)
    events = OffsetLoop(OffsetDryRun(semantics_for("4.3")), plan, frozenset()).events()
    found = {
        (verdict.clause, verdict.signature)
        for event in events
        if isinstance(event, Judged)
        for verdict in event.verdicts
        if verdict.outcome is Outcome.VIOLATES
    }
    assert found == {
        ("OFF-003", "below log start"),
        ("OFF-004", "deleted record decides"),
        ("OFF-005", "deleted record decides"),
        ("OFF-030", "below log start"),
        ("OFF-030", "deleted record decides"),
        ("OFF-031", "deleted record decides"),
    }
