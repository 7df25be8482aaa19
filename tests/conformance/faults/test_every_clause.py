"""Each clause that can be tested is shown to be breakable: a planted fault, a planted deviation or
a wrong answer is named after it.
"""

from dataclasses import replace

import pytest

from conformance.drafts import plugs
from conformance.subjects.fetch.faults import FAULTS as FETCH_FAULTS
from conformance.subjects.fetch.faults.fault import change_part
from conformance.subjects.groups.faults.classic import check_sessions_every
from conformance.subjects.registry import RUNNERS
from spec.catalogue import catalogue, clause, examples
from spec.fetch.dry_run import answer_all as answer_fetches
from spec.fetch.model.machine import Answering
from spec.fetch.steps import Fetch, FetchPartition
from spec.groups.dry_run import answer_all as answer_groups
from spec.groups.examples import history
from spec.groups.steps import NEW, DescribeGroup, JoinGroup, WaitFor
from spec.judge import judge
from spec.layout import Batch, Layout, Partition
from spec.model import answer_all
from spec.releases import semantics_for
from spec.scenario import Scenario
from spec.verdict import Outcome, Strength
from tests.spec.share.mutants import MUTANTS
from tests.spec.share.test_deviations import DEVIATIONS

WITH_A_PROMISE = {"FET-012": "FET-011", "FET-023": "FET-070"}
"""Reference clauses that no broker breaks alone, each with the `must` that is broken too: records
are lost, or bytes are not those that are stored. A fault is named after the promise.
"""
SESSION = "GRP-154"
BROKEN_BY_THE_REFERENCE = ("FET-172", "GRP-008", "GRP-034", "GRP-038")
"""Kafka 4.3 breaks these itself: the reference is their fault, and what is planted beside it could
not be distinguished from the finding.
"""
BEST_EFFORT = ("FET-130", "SHR-144")
"""These promise an attempt only: no answer breaks them."""
EXCEPTIONS = {*WITH_A_PROMISE, *BROKEN_BY_THE_REFERENCE, *BEST_EFFORT}
KAFKA = semantics_for("4.3")
START_IN_OPEN_BATCH = Scenario(
    Layout((Partition(((Batch(100), Batch(100, 2, txn=0)),), log_start=2),)),
    (Fetch((FetchPartition(0, 2),)),),
)
"""The log start lies inside a batch of an open transaction (FET-172)."""
START_IN_BATCH = Scenario(
    Layout((Partition(((Batch(150, 5), Batch(100)),), log_start=3),)),
    (Fetch((FetchPartition(0, 3),)),),
)
FIRST_BATCH_LOST = change_part(lambda _, got: replace(got, batches=got.batches[1:]))
CONVERTED = next(one for one in FETCH_FAULTS if one.name == "old-message-converted")


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


@pytest.mark.parametrize(
    ("clause_id", "scenario", "answering"),
    [
        ("FET-012", START_IN_BATCH, FIRST_BATCH_LOST),
        ("FET-023", examples()["FET-023"][0].scenario, CONVERTED.answering),
    ],
)
def test_what_is_never_broken_alone_is_caught_with_its_promise(
    clause_id: str, scenario: Scenario, answering: Answering
) -> None:
    played = answer_fetches(scenario, KAFKA, answering)
    broken = {
        (verdict.clause, verdict.outcome) for verdict in judge(scenario, played, KAFKA).breaks
    }
    assert broken >= {
        (clause_id, Outcome.DEVIATES),
        (WITH_A_PROMISE[clause_id], Outcome.VIOLATES),
    }


def test_a_session_that_lasts_too_long_is_caught_where_a_history_waits_for_it() -> None:
    joins = (JoinGroup(0, NEW, session_ms=1000), JoinGroup(0, session_ms=1000))
    described = DescribeGroup(1, "CompletingRebalance", 1)
    scenario = history(*joins, described, WaitFor(6500, 1), DescribeGroup(1), limit=1)
    assert judge(scenario, answer_groups(scenario, KAFKA), KAFKA).breaks == ()
    later = answer_groups(scenario, KAFKA, check_sessions_every(60_000))
    [broken] = judge(scenario, later, KAFKA).breaks
    assert (broken.clause, broken.outcome) == (SESSION, Outcome.DEVIATES)
