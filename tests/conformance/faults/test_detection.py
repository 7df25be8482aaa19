"""Every planted fault is caught, by its own clause and by a small case; every legal variant
passes.
"""

from datetime import UTC, datetime

import pytest

from conformance.engine.detecting import detect_planted
from conformance.faults.planted import Expected, UnknownFaultError
from conformance.subjects.fetch.faults import FAULTS
from conformance.subjects.fetch.faults.fault import Fault
from conformance.subjects.fetch.runner import RUNNER
from conformance.subjects.registry import find_fault
from spec.catalogue import catalogue, clause
from spec.verdict import Strength

SEED = 1
MOST_PARTITIONS, MOST_BATCHES = 2, 5
MOST_RESTARTED_PARTITIONS, MOST_RESTARTED_BATCHES = 3, 8
"""The same of a case that needs a restart for each replay, of which there are few."""
VARIANT_SCENARIOS = 400


@pytest.mark.parametrize(
    "fault",
    [f for f in FAULTS if f.expected is not Expected.CONFORMS],
    ids=lambda fault: fault.name,
)
def test_a_planted_fault_is_caught_by_its_clause_and_made_small(fault: Fault) -> None:
    found = detect_planted(RUNNER, fault, SEED, datetime.now(UTC).date())
    assert found.as_expected, (
        f"expected {fault.clause} to say {fault.expected}, found {found.breaks}"
    )
    assert found.shrunk is not None
    if not fault.needs:
        partitions = found.shrunk.layout.partitions
        batches = sum(len(segment) for partition in partitions for segment in partition.segments)
        restarts = found.shrunk.layout.crafted or bool(found.shrunk.config)
        assert len(partitions) <= (MOST_RESTARTED_PARTITIONS if restarts else MOST_PARTITIONS)
        assert batches <= (MOST_RESTARTED_BATCHES if restarts else MOST_BATCHES)


@pytest.mark.parametrize(
    "fault", [f for f in FAULTS if f.expected is Expected.CONFORMS], ids=lambda fault: fault.name
)
def test_a_legal_variant_passes_both_ways(fault: Fault) -> None:
    found = detect_planted(RUNNER, fault, SEED, datetime.now(UTC).date(), VARIANT_SCENARIOS)
    assert found.as_expected, f"expected no word against it, found {found.breaks}"


def test_names_are_used_once_and_clauses_exist() -> None:
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)
    for fault in FAULTS:
        assert (fault.clause in catalogue()) == (fault.expected is not Expected.CONFORMS), (
            fault.name
        )


def test_what_is_expected_of_a_fault_fits_the_strength_of_its_clause() -> None:
    for fault in [fault for fault in FAULTS if fault.expected is not Expected.CONFORMS]:
        must = clause(fault.clause).strength is Strength.MUST
        assert fault.expected is (Expected.VIOLATES if must else Expected.DEVIATES), fault.name


def test_there_are_enough_faults_and_variants() -> None:
    kinds = [fault.expected for fault in FAULTS]
    assert len(kinds) - kinds.count(Expected.CONFORMS) >= 24
    assert kinds.count(Expected.CONFORMS) >= 5


def test_a_name_that_no_fault_has_is_wrong_use() -> None:
    with pytest.raises(UnknownFaultError, match="'no-such-fault'"):
        find_fault("no-such-fault")
