"""Every planted fault of share groups is found by drawn histories alone, and every legal variant
passes.
"""

import pytest

from conformance.subjects.share.faults import answers, locks, sessions, waiting
from conformance.subjects.share.faults.fault import ShareFault
from conformance.subjects.share.runner import RUNNER
from tests.conformance.detection import expect_caught, expect_fitting_strengths

pytestmark = pytest.mark.usefixtures("drawn_once")

SEED = 3
FAULTS = (*answers.FAULTS, *waiting.FAULTS, *sessions.FAULTS)
"""Faults of configs and of locks are tried with their own histories, by `test_lock_timers`."""
VARIANTS = (*answers.VARIANTS, *waiting.VARIANTS, *locks.VARIANTS)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_planted_fault_is_found_and_named_by_its_clause(fault: ShareFault) -> None:
    expect_caught(RUNNER, fault, SEED)


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda fault: fault.name)
def test_a_legal_variant_passes(variant: ShareFault) -> None:
    expect_caught(RUNNER, variant, SEED, 32)


def test_there_are_faults_enough_and_each_names_a_clause_of_its_strength() -> None:
    assert len(FAULTS) >= 28
    assert len(VARIANTS) >= 8
    assert len({fault.name for fault in (*FAULTS, *VARIANTS)}) == len(FAULTS) + len(VARIANTS)
    expect_fitting_strengths(FAULTS)
