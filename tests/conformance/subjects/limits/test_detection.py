"""Every planted fault on limits is caught by its own clause, by plain drawing; every legal variant
passes; nothing is said against the reference.
"""

from datetime import UTC, datetime

import pytest

from conformance.engine.detecting import detect_planted
from conformance.engine.plan import Plan
from conformance.faults.planted import Expected
from conformance.subjects.limits.dry_run import LimitDryRun
from conformance.subjects.limits.faults import FAULTS, VARIANTS
from conformance.subjects.limits.faults.fault import LimitFault
from conformance.subjects.limits.loop import LimitLoop
from conformance.subjects.limits.runner import RUNNER
from generators.limits.relations import all_limit_relations
from spec.catalogue import clauses_of
from spec.events import Judged
from spec.releases import semantics_for
from spec.verdict import Outcome, Strength

pytestmark = pytest.mark.usefixtures("drawn_once")

SEEDS = (1, 2)
SCENARIOS = 1000
TODAY = datetime.now(UTC).date()


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_planted_fault_is_caught_by_its_clause_under_every_seed(fault: LimitFault) -> None:
    for seed in SEEDS:
        found = detect_planted(RUNNER, fault, seed, TODAY, SCENARIOS, shrink=False)
        assert found.as_expected, (
            f"seed {seed}: expected {fault.clause} to say {fault.expected}, found {found.breaks}"
        )


@pytest.mark.parametrize("fault", VARIANTS, ids=lambda fault: fault.name)
def test_a_legal_variant_passes(fault: LimitFault) -> None:
    found = detect_planted(RUNNER, fault, SEEDS[0], TODAY, 100, shrink=False)
    assert found.as_expected, f"expected no word against it, found {found.breaks}"


def test_what_is_expected_of_a_fault_fits_the_strength_of_its_clause() -> None:
    for fault in FAULTS:
        must = clauses_of("limits")[fault.clause].strength is Strength.MUST
        assert fault.expected is (Expected.VIOLATES if must else Expected.DEVIATES), fault.name


def test_a_fault_is_made_small() -> None:
    fault = next(fault for fault in FAULTS if fault.name == "name-of-250-taken")
    shrunk = detect_planted(RUNNER, fault, SEEDS[0], TODAY, shrink=True).shrunk
    assert shrunk is not None
    assert len(shrunk.steps) <= 2


@pytest.mark.parametrize("release", ["4.3", "4.4"])
def test_the_reference_breaks_nothing_and_every_relation_is_tried(release: str) -> None:
    plan = Plan(SEEDS[0], SCENARIOS, examples=False, shrink=False)
    judged = [
        event
        for event in LimitLoop(LimitDryRun(semantics_for(release)), plan, frozenset()).events()
        if isinstance(event, Judged)
    ]
    outcomes = {verdict.outcome for event in judged for verdict in event.verdicts}
    assert outcomes == {Outcome.CONFORMS}
    tried = {relation for event in judged for relation in event.relations}
    assert tried == all_limit_relations()
