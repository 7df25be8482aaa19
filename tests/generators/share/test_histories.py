"""Histories of share groups: the same for a seed, about the fence, and rightly answered by the
model.
"""

import pytest

from generators.drawing import collect_evenly
from generators.layouts import collect, smallest
from generators.share.histories import (
    SHORT_LOCKS,
    expiring_histories,
    in_known_version,
    session_histories,
    share_histories,
)
from generators.share.relations import all_share_relations, share_relations
from spec.catalogue import examples
from spec.judge import judge
from spec.model import answer_all
from spec.releases import semantics_for
from spec.scenario import Scenario
from spec.share.steps import AcknowledgeType, ShareAcknowledge, ShareFetch
from spec.verdict import Outcome

OWN_BREAKS = {"SHR-013", "SHR-127", "SHR-128", "SHR-322", "SHR-003", "SHR-140", "SHR-155"}
"""What the reference itself breaks, in some release."""


def drawn(release: str, count: int = 60, seed: int = 5) -> list[Scenario]:
    return collect(share_histories(semantics_for(release)), seed, count)


def test_the_same_seed_draws_the_same_histories() -> None:
    assert drawn("4.3", 20) == drawn("4.3", 20)


@pytest.mark.parametrize("release", ["4.0", "4.1", "4.2", "4.3", "4.4"])
def test_the_model_answers_what_is_drawn_as_the_clauses_permit(release: str) -> None:
    semantics = semantics_for(release)
    for scenario in drawn(release, 30):
        verdicts = judge(scenario, answer_all(scenario, semantics), semantics).verdicts
        assert {v.clause for v in verdicts if v.outcome is not Outcome.CONFORMS} <= OWN_BREAKS


@pytest.mark.parametrize("release", ["4.1", "4.3"])
def test_a_session_forgets_two_partitions_at_once_and_is_served_neither(release: str) -> None:
    semantics = semantics_for(release)
    drawn_evenly = collect_evenly(session_histories(semantics), 5, 12)
    forgetting = [
        scenario
        for scenario in drawn_evenly
        if any(isinstance(step, ShareFetch) and len(step.forgotten) == 2 for step in scenario.steps)
    ]
    assert len(forgetting) >= 3
    for scenario in drawn_evenly:
        verdicts = judge(scenario, answer_all(scenario, semantics), semantics).verdicts
        assert {v.clause for v in verdicts if v.outcome is not Outcome.CONFORMS} <= OWN_BREAKS


def test_histories_stand_below_at_and_above_the_ends_of_batches() -> None:
    found = {relation for scenario in drawn("4.3", 120) for relation in share_relations(scenario)}
    assert found <= all_share_relations()
    assert {f"max_records={where}-a-batch-end" for where in ("below", "at", "above")} <= found
    assert {f"acknowledge={kind.name.lower()}" for kind in AcknowledgeType} <= found


def test_a_release_is_asked_in_its_own_versions() -> None:
    for release, newest in (("4.0", 0), ("4.1", 1), ("4.4", 2)):
        requests = [
            step
            for one in drawn(release, 20)
            for step in one.steps
            if isinstance(step, ShareFetch | ShareAcknowledge)
        ]
        assert max(step.version for step in requests) == newest


def test_a_history_shrinks_to_what_is_needed_of_it() -> None:
    def releases(scenario: Scenario) -> bool:
        batches = [
            batch
            for s in scenario.steps
            if isinstance(s, ShareAcknowledge)
            for part in s.partitions
            for batch in part.acknowledgements
        ]
        return any(AcknowledgeType.RELEASE in batch.types for batch in batches)

    least = smallest(share_histories(semantics_for("4.3")), 5, 60, releases, 400)
    assert least is not None
    assert len(least.steps) <= 4
    assert len(least.layout.partitions) == 1


def test_histories_in_which_locks_run_out_need_short_locks() -> None:
    assert {
        scenario.config
        for scenario in collect_evenly(expiring_histories(semantics_for("4.3")), 1, 8)
    } == {SHORT_LOCKS}


def test_a_worked_example_is_lowered_to_the_versions_that_a_broker_knows() -> None:
    example = examples()["SHR-126"][0].scenario
    lowered = in_known_version(example, 1)
    assert {step.version for step in lowered.steps if isinstance(step, ShareFetch)} == {1}
    assert in_known_version(example, 2) == example
