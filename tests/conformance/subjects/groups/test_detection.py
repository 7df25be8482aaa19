"""Every planted fault on group sizes is caught by its own clause, by plain drawing; every legal
variant passes.
"""

import pytest

from conformance.engine.plan import Plan
from conformance.subjects.groups.dry_run import GroupDryRun
from conformance.subjects.groups.faults import FAULTS, VARIANTS
from conformance.subjects.groups.faults.fault import GroupFault
from conformance.subjects.groups.loop import GroupLoop
from conformance.subjects.groups.runner import RUNNER
from generators.drawing import collect
from generators.groups.migrating import mixed_histories, upgraded_histories
from spec.catalogue import examples
from spec.events import Shrunk
from spec.groups.dry_run import answer_all
from spec.groups.releases import GroupSemantics
from spec.judge import judge
from spec.releases import semantics_for
from tests.conformance.detection import FIRST, expect_caught, expect_fitting_strengths

pytestmark = pytest.mark.usefixtures("drawn_once")

VARIANT_SCENARIOS = 100
FOUND_AGAIN_WITHIN = 480
"""Drawn histories: each kind comes up once."""
SMALL = 6


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_planted_fault_is_caught_by_its_clause(fault: GroupFault) -> None:
    expect_caught(RUNNER, fault, FIRST)


@pytest.mark.parametrize("fault", VARIANTS, ids=lambda fault: fault.name)
def test_a_legal_variant_passes(fault: GroupFault) -> None:
    expect_caught(RUNNER, fault, FIRST, VARIANT_SCENARIOS)


@pytest.mark.parametrize("name", ["upgrades-nobody", "downgrades-nobody"])
def test_a_broker_that_changes_no_protocol_passes_where_groups_could_change_it(name: str) -> None:
    changes_none = semantics_for("4.3").with_decisions(GroupSemantics, downgrades=False)
    variant = next(one for one in (*FAULTS, *VARIANTS) if one.name == name)
    for strategy in (mixed_histories(), upgraded_histories()):
        for scenario in collect(strategy, FIRST, VARIANT_SCENARIOS):
            assert (
                judge(
                    scenario, answer_all(scenario, changes_none, variant.coordinator), changes_none
                ).breaks
                == ()
            ), scenario.steps


def test_what_apache_kafka_itself_breaks_is_found_again_without_its_findings() -> None:
    plan = Plan(FIRST, FOUND_AGAIN_WITHIN, examples=False)
    events = list(GroupLoop(GroupDryRun(semantics_for("4.3")), plan, frozenset()).events())
    found = {
        (event.clause, event.signature): event.scenario
        for event in events
        if isinstance(event, Shrunk)
    }
    assert found.keys() == {
        ("GRP-008", "instance refused"),
        ("GRP-034", "instance refused"),
        ("GRP-038", "member refused"),
    }
    assert len(found["GRP-034", "instance refused"].steps) <= SMALL
    assert len(found["GRP-038", "member refused"].steps) <= SMALL


def test_a_fault_is_made_small() -> None:
    fault = next(fault for fault in FAULTS if fault.name == "one-consumer-too-many")
    shrunk = expect_caught(RUNNER, fault, FIRST, shrink=True).shrunk
    assert shrunk is not None
    assert len(shrunk.steps) <= 4


def test_what_is_expected_of_a_fault_fits_the_strength_of_its_clause() -> None:
    expect_fitting_strengths(FAULTS)


def test_there_are_enough_faults_and_variants_each_with_a_name_of_its_own() -> None:
    assert len(FAULTS) >= 14
    assert len(VARIANTS) >= 4
    assert len({fault.name for fault in (*FAULTS, *VARIANTS)}) == len(FAULTS) + len(VARIANTS)


def test_a_client_that_is_given_the_generation_counts_as_a_member() -> None:
    """Otherwise a group that stays stable over a new limit is taken for a smaller one."""
    [fault] = [fault for fault in FAULTS if fault.name == "no-limit-after-restart"]
    over = next(example for example in examples()["GRP-016"] if "three" in example.title)
    played = GroupDryRun(semantics_for("4.3"), fault.coordinator).play_one(over.scenario)
    assert played.broke("GRP-016", "no rebalance")
