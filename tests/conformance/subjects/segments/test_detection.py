"""Every planted fault of segments is caught by its own clause, by plain drawing, in the dry run and
in the served model on the wire; every legal variant passes.
"""

import secrets
from collections.abc import Iterator

import pytest

from conformance.cli.common import make_codec
from conformance.cluster import reach
from conformance.engine.detecting import detect_planted, severest
from conformance.engine.play_result import Played
from conformance.faults.planted import Expected
from conformance.serve.broker_state import BrokerState
from conformance.serve.settings import Settings
from conformance.subjects.segments.faults import DRY, FAULTS, SERVED, VARIANTS, SegmentFault
from conformance.subjects.segments.loop import STRATEGIES, WITHOUT_RESTART, SegmentLoop
from conformance.subjects.segments.player import SegmentBrokerPlayer
from conformance.subjects.segments.runner import RUNNER
from spec.releases import semantics_for
from spec.segments.dry_run import answer_all
from spec.segments.model import REFERENCE
from spec.segments.steps import AppendBatch
from spec.verdict import Outcome
from tests.conformance.detection import (
    FIRST,
    SEEDS,
    TODAY,
    Batches,
    expect_fitting_strengths,
)
from tests.conformance.serve.listening import serving

pytestmark = pytest.mark.usefixtures("drawn_once")

SCENARIOS, VARIANT_SCENARIOS = 576, 192
KAFKA = semantics_for("4.3")
BATCHES = Batches(STRATEGIES, SegmentLoop, SCENARIOS)
LEGAL = [one for one in DRY if one.expected is Expected.CONFORMS]


def breaks(fault: SegmentFault, seed: int, scenarios: int) -> dict[str, Outcome]:
    """What the clauses say of a model with the fault, until its own one says what is expected."""
    return BATCHES.breaks(
        fault, lambda one: answer_all(one, KAFKA, fault.rules), KAFKA, seed, scenarios
    )


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_planted_fault_is_caught_by_its_clause(fault: SegmentFault, seed: int) -> None:
    found, expected = breaks(fault, seed, SCENARIOS), Outcome(fault.expected)
    assert found.get(fault.clause) is expected, found
    assert severest(found.values()) is expected, found


@pytest.mark.parametrize("fault", [*VARIANTS, *LEGAL], ids=lambda fault: fault.name)
def test_a_legal_variant_passes(fault: SegmentFault) -> None:
    assert breaks(fault, FIRST, VARIANT_SCENARIOS) == {}


def test_a_run_on_a_fault_ends_with_a_small_case() -> None:
    fault = next(one for one in FAULTS if one.name == "segment-over-full")
    found = detect_planted(RUNNER, fault, FIRST, TODAY, shrink=True)
    assert found.as_expected
    assert found.shrunk is not None
    sizes = [step.size for step in found.shrunk.steps if isinstance(step, AppendBatch)]
    assert len(sizes) == 2
    assert sum(sizes) in {401, 1001}


def test_what_is_expected_of_a_fault_fits_the_strength_of_its_clause() -> None:
    expect_fitting_strengths(FAULTS)


@pytest.fixture(scope="module")
def served() -> Iterator[BrokerState]:
    with serving(Settings("4.3.1")) as state:
        yield state


@pytest.fixture(scope="module")
def player(served: BrokerState) -> Iterator[SegmentBrokerPlayer]:
    cluster = reach(served.host, served.port, make_codec())
    found = SegmentBrokerPlayer(cluster, KAFKA, f"detect-{secrets.token_hex(4)}", None)
    yield found
    found.close()


UNRESTARTED = [
    number for number in range(8 * len(STRATEGIES)) if number % len(STRATEGIES) < WITHOUT_RESTART
]
"""The batches whose scenarios take no restart."""
ON_THE_WIRE = {"SEG-021": "SEG-001", "SEG-011": ""}
"""What names a fault where no files are seen, and no log lies at an edge."""


@pytest.mark.parametrize("fault", [*SERVED, *VARIANTS], ids=lambda fault: fault.name)
def test_a_served_model_with_a_fault_is_caught_by_its_clause(
    served: BrokerState, player: SegmentBrokerPlayer, fault: SegmentFault
) -> None:
    fault.plant(served)
    wanted = ON_THE_WIRE.get(fault.clause, fault.clause)
    found: set[str] = set()
    try:
        for number in UNRESTARTED if wanted else UNRESTARTED[:3]:
            for _, played in player.play(BATCHES.batch(FIRST, number)):
                assert isinstance(played, Played)
                found |= {verdict.clause for verdict in played.judgement.breaks}
            if wanted in found:
                break
    finally:
        served.segment_rules = REFERENCE
    assert wanted in found if wanted else not found
