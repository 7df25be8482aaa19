"""Every planted fault of produce is caught by its own clause, in the dry run by plain drawing and in
the served model on the wire; every legal variant passes.
"""

import secrets
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from conformance.cli.common import make_codec
from conformance.cluster import reach
from conformance.engine.detecting import detect_planted, severest
from conformance.engine.play_result import Played
from conformance.faults.planted import Expected
from conformance.serve.broker_state import BrokerState
from conformance.serve.settings import Settings
from conformance.subjects.produce.faults import FAULTS, VARIANTS, ProduceFault
from conformance.subjects.produce.player import ProduceBrokerPlayer
from conformance.subjects.produce.runner import RUNNER
from generators.drawing import collect
from generators.produce.histories import produce_histories
from spec.catalogue import clause
from spec.produce.model.seams import REFERENCE
from spec.releases import semantics_for
from spec.verdict import Outcome, Strength
from tests.conformance.serve.listening import serving

pytestmark = pytest.mark.usefixtures("drawn_once")

SEEDS = (1, 2)
SERVED_SCENARIOS = 40
TODAY = datetime.now(UTC).date()
VARIANT_SCENARIOS = 200


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_planted_fault_is_caught_by_its_clause_under_each_seed(fault: ProduceFault) -> None:
    for seed in SEEDS:
        found = detect_planted(RUNNER, fault, seed, TODAY)
        assert found.as_expected, (
            f"seed {seed}: expected {fault.clause} to say {fault.expected}, found {found.breaks}"
        )


@pytest.mark.parametrize("fault", VARIANTS, ids=lambda fault: fault.name)
def test_a_legal_variant_passes(fault: ProduceFault) -> None:
    found = detect_planted(RUNNER, fault, SEEDS[0], TODAY, VARIANT_SCENARIOS)
    assert found.as_expected, f"expected no word against it, found {found.breaks}"


def test_what_is_expected_of_a_fault_fits_the_strength_of_its_clause() -> None:
    for fault in FAULTS:
        must = clause(fault.clause).strength is Strength.MUST
        assert fault.expected is (Expected.VIOLATES if must else Expected.DEVIATES), fault.name


@pytest.fixture(scope="module")
def served() -> Iterator[BrokerState]:
    with serving(Settings("4.3.1")) as state:
        yield state


@pytest.fixture(scope="module")
def player(served: BrokerState) -> Iterator[ProduceBrokerPlayer]:
    cluster = reach(served.host, served.port, make_codec())
    name = f"detect-{secrets.token_hex(4)}"
    found = ProduceBrokerPlayer(cluster, semantics_for("4.3"), name, None)
    yield found
    found.close()


def plays(player: ProduceBrokerPlayer, fault: ProduceFault) -> Iterator[Played]:
    """The worked examples of the fault's clause, then drawn scenarios, as played on the model."""
    examples = [one.scenario for one in clause(fault.clause).examples] if fault.clause else []
    drawn = collect(produce_histories(), SEEDS[0], SERVED_SCENARIOS)
    for scenarios in (examples, drawn):
        for _, played in player.play(scenarios):
            assert isinstance(played, Played)
            yield played


@pytest.mark.parametrize("fault", [*FAULTS, *VARIANTS], ids=lambda fault: fault.name)
def test_a_served_model_with_a_fault_is_caught_by_its_clause(
    served: BrokerState, player: ProduceBrokerPlayer, fault: ProduceFault
) -> None:
    fault.plant(served)
    found: dict[str, Outcome] = {}
    try:
        for played in plays(player, fault):
            for verdict in played.judgement.breaks:
                before = found.get(verdict.clause, Outcome.CONFORMS)
                found[verdict.clause] = severest([before, verdict.outcome])
            if found.get(fault.clause) is Outcome(fault.expected):
                break
    finally:
        served.leader = REFERENCE
    expected = Outcome(fault.expected)
    assert found.get(fault.clause, Outcome.CONFORMS) is expected
    assert severest(found.values()) is expected, found
