"""Each clause that can be tested is shown to be breakable: a planted fault, a planted deviation or
a wrong answer is named after it.
"""

import pytest

from conformance.drafts import plugs
from conformance.subjects.registry import RUNNERS
from spec.catalogue import catalogue, clause, examples
from spec.fetch.steps import Fetch, FetchPartition
from spec.judge import judge
from spec.layout import Batch, Layout, Partition
from spec.model import answer_all
from spec.releases import semantics_for
from spec.scenario import Scenario
from spec.verdict import Outcome, Strength
from tests.spec.share.mutants import MUTANTS
from tests.spec.share.test_deviations import DEVIATIONS

NOT_PLANTED_YET = {
    *("FET-012", "FET-023"),
    "GRP-154",
}
BROKEN_BY_THE_REFERENCE = ("FET-172", "GRP-008", "GRP-034", "GRP-038")
"""Kafka 4.3 breaks these itself: the reference is their fault, and what is planted beside it could
not be distinguished from the finding.
"""
BEST_EFFORT = ("FET-130", "SHR-144")
"""These promise an attempt only: no answer breaks them."""
EXCEPTIONS = NOT_PLANTED_YET | {*BROKEN_BY_THE_REFERENCE, *BEST_EFFORT}
KAFKA = semantics_for("4.3")
START_IN_OPEN_BATCH = Scenario(
    Layout((Partition(((Batch(100), Batch(100, 2, txn=0)),), log_start=2),)),
    (Fetch((FetchPartition(0, 2),)),),
)
"""The log start lies inside a batch of an open transaction (FET-172)."""


def _named() -> set[str]:
    """The clause of each fault, deviation and wrong answer."""
    faults = [
        *[fault for runner in RUNNERS for fault in (*runner.faults, *runner.dry_faults)],
        *[fault for plug in plugs() for fault in plug.faults],
    ]
    return {one.clause for one in (*faults, *DEVIATIONS, *MUTANTS)}


def test_each_clause_that_can_be_tested_has_a_fault_a_deviation_or_a_wrong_answer() -> None:
    testable = {one.id for one in catalogue().values() if not one.excluded}
    assert testable - _named() == EXCEPTIONS


@pytest.mark.parametrize("clause_id", BROKEN_BY_THE_REFERENCE)
def test_the_reference_breaks_what_has_no_fault_but_itself(clause_id: str) -> None:
    scenarios = [START_IN_OPEN_BATCH, *[one.scenario for one in examples()[clause_id]]]
    broken = {
        (verdict.clause, verdict.outcome)
        for scenario in scenarios
        for verdict in judge(scenario, answer_all(scenario, KAFKA), KAFKA).breaks
    }
    assert (clause_id, Outcome.VIOLATES) in broken


@pytest.mark.parametrize("clause_id", BEST_EFFORT)
def test_a_clause_that_no_answer_breaks_promises_an_attempt_only(clause_id: str) -> None:
    assert clause(clause_id).strength is Strength.BEST_EFFORT
