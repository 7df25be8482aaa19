"""Every planted fault is caught, by its own clause and by a small case; every legal variant
passes.
"""

import pytest

from conformance.engine.detecting import Detection, detect_planted
from conformance.faults.planted import Expected, UnknownFaultError
from conformance.subjects.fetch.faults import FAULTS as SERVED
from conformance.subjects.fetch.faults.fault import Fault
from conformance.subjects.fetch.faults.versions import FAULTS as OF_VERSIONS
from conformance.subjects.fetch.runner import RUNNER
from conformance.subjects.registry import find_fault
from spec.catalogue import catalogue
from tests.conformance.detection import FIRST, TODAY, expect_caught, expect_fitting_strengths

pytestmark = pytest.mark.usefixtures("drawn_once")

FAULTS = (*SERVED, *OF_VERSIONS)
PLANTED = [fault for fault in FAULTS if fault.expected is not Expected.CONFORMS]
SEEDS = (FIRST, 2, 3)
"""Where shrinking ends in a large case under one seed, another one is tried."""
RARE = frozenset({"session-starves-one"})
"""Caught under two of the three seeds."""
MOST_PARTITIONS, MOST_BATCHES = 2, 4
VARIANT_SCENARIOS = 400


@pytest.mark.parametrize("fault", PLANTED, ids=lambda fault: fault.name)
def test_a_planted_fault_is_caught_by_its_clause(fault: Fault) -> None:
    seeds = SEEDS if fault.name in RARE else (FIRST,)
    found = [detect_planted(RUNNER, fault, seed, TODAY, shrink=False) for seed in seeds]
    assert any(one.as_expected for one in found), (
        f"expected {fault.clause} to say {fault.expected} under one of the seeds {seeds}, "
        f"found {[dict(one.breaks) for one in found]}"
    )


@pytest.mark.campaign
@pytest.mark.parametrize("fault", PLANTED, ids=lambda fault: fault.name)
def test_a_planted_fault_is_caught_by_its_clause_and_made_small(fault: Fault) -> None:
    small = False
    for seed in SEEDS:
        found = detect_planted(RUNNER, fault, seed, TODAY)
        assert found.as_expected or fault.name in RARE, (
            f"seed {seed}: expected {fault.clause} to say {fault.expected}, found {found.breaks}"
        )
        small = found.as_expected and is_small(fault, found)
        if small:
            break
    assert small, f"expected a small case under one of the seeds {SEEDS}, found {found.shrunk}"


def is_small(fault: Fault, found: Detection) -> bool:
    """Whether the case of a fault is small; one that `needs` something has a size of its own."""
    if found.shrunk is None:
        return False
    partitions = found.shrunk.layout.partitions
    batches = sum(len(segment) for partition in partitions for segment in partition.segments)
    return bool(fault.needs) or (len(partitions) <= MOST_PARTITIONS and batches <= MOST_BATCHES)


@pytest.mark.parametrize(
    "fault", [f for f in FAULTS if f.expected is Expected.CONFORMS], ids=lambda fault: fault.name
)
def test_a_legal_variant_passes_both_ways(fault: Fault) -> None:
    expect_caught(RUNNER, fault, FIRST, VARIANT_SCENARIOS, shrink=None)


def test_names_are_used_once_and_clauses_exist() -> None:
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)
    for fault in FAULTS:
        assert (fault.clause in catalogue()) == (fault.expected is not Expected.CONFORMS), (
            fault.name
        )


def test_what_is_expected_of_a_fault_fits_the_strength_of_its_clause() -> None:
    expect_fitting_strengths(PLANTED)


def test_there_are_enough_faults_and_variants() -> None:
    kinds = [fault.expected for fault in FAULTS]
    assert len(kinds) - kinds.count(Expected.CONFORMS) >= 24
    assert kinds.count(Expected.CONFORMS) >= 5


def test_a_name_that_no_fault_has_is_wrong_use() -> None:
    with pytest.raises(UnknownFaultError, match="'no-such-fault'"):
        find_fault("no-such-fault")
