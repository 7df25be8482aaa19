"""Every planted fault on limits is caught by its own clause, by plain drawing; every legal variant
passes; nothing is said against the reference.
"""

import pytest

from conformance.engine.plan import Plan
from conformance.subjects.limits.dry_run import LimitDryRun
from conformance.subjects.limits.faults import DRY, FAULTS, VARIANTS
from conformance.subjects.limits.faults.fault import LimitFault
from conformance.subjects.limits.loop import LimitLoop
from conformance.subjects.limits.runner import RUNNER
from generators.limits.relations import all_limit_relations
from spec.events import Judged
from spec.releases import semantics_for
from spec.verdict import Outcome
from tests.conformance.detection import FIRST, SEEDS, expect_caught, expect_fitting_strengths

pytestmark = pytest.mark.usefixtures("drawn_once")

SCENARIOS = 1000


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("fault", [*FAULTS, *DRY], ids=lambda fault: fault.name)
def test_a_planted_fault_is_caught_by_its_clause(fault: LimitFault, seed: int) -> None:
    expect_caught(RUNNER, fault, seed, SCENARIOS)


@pytest.mark.parametrize("fault", VARIANTS, ids=lambda fault: fault.name)
def test_a_legal_variant_passes(fault: LimitFault) -> None:
    expect_caught(RUNNER, fault, FIRST, 100)


def test_what_is_expected_of_a_fault_fits_the_strength_of_its_clause() -> None:
    expect_fitting_strengths((*FAULTS, *DRY))


def test_a_fault_is_made_small() -> None:
    fault = next(fault for fault in FAULTS if fault.name == "name-of-250-taken")
    shrunk = expect_caught(RUNNER, fault, FIRST, shrink=True).shrunk
    assert shrunk is not None
    assert len(shrunk.steps) <= 2


@pytest.mark.parametrize("release", [pytest.param("4.3", marks=pytest.mark.campaign), "4.4"])
def test_the_reference_breaks_nothing_and_every_relation_is_tried(release: str) -> None:
    plan = Plan(FIRST, SCENARIOS, examples=False, shrink=False)
    judged = [
        event
        for event in LimitLoop(LimitDryRun(semantics_for(release)), plan, frozenset()).events()
        if isinstance(event, Judged)
    ]
    outcomes = {verdict.outcome for event in judged for verdict in event.verdicts}
    assert outcomes == {Outcome.CONFORMS}
    tried = {relation for event in judged for relation in event.relations}
    assert tried == all_limit_relations()
