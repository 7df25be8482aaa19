"""Every planted fault of produce is caught by its own clause, in the dry run by plain drawing and
in the served model on the wire; every legal variant passes.
"""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from conformance.cli.common import make_codec
from conformance.cluster import reach
from conformance.engine.detecting import detect_planted, severest
from conformance.engine.play_result import Played
from conformance.serve.broker_state import BrokerState
from conformance.serve.settings import Settings
from conformance.subjects.produce.faults import FAULTS, VARIANTS
from conformance.subjects.produce.faults.fault import ProduceFault
from conformance.subjects.produce.loop import ProduceLoop, strategies_for
from conformance.subjects.produce.player import ProduceBrokerPlayer
from conformance.subjects.produce.runner import RUNNER
from spec.catalogue import clause
from spec.produce.dry_run import answer_all
from spec.produce.model.seams import REFERENCE
from spec.produce.releases import ProduceSemantics
from spec.produce.steps import Produce
from spec.releases import semantics_for
from spec.verdict import Outcome
from tests.conformance.detection import (
    FIRST,
    SEEDS,
    TODAY,
    Batches,
    add_severest,
    expect_fitting_strengths,
)
from tests.conformance.serve.listening import serving

pytestmark = pytest.mark.usefixtures("drawn_once")

SCENARIOS = RUNNER.trial.scenarios
KAFKA = semantics_for("4.4")
STRATEGIES = strategies_for(KAFKA.of(ProduceSemantics))
VARIANT_SCENARIOS = 192
BATCHES = Batches(STRATEGIES, ProduceLoop, SCENARIOS)


def breaks(fault: ProduceFault, seed: int, scenarios: int) -> dict[str, Outcome]:
    """What the clauses say of a model with the fault, until its own one says what is expected."""
    return BATCHES.breaks(
        fault, lambda one: answer_all(one, KAFKA, fault.leader), KAFKA, seed, scenarios
    )


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_planted_fault_is_caught_by_its_clause(fault: ProduceFault, seed: int) -> None:
    found, expected = breaks(fault, seed, SCENARIOS), Outcome(fault.expected)
    assert found.get(fault.clause) is expected, found
    assert severest(found.values()) is expected, found


@pytest.mark.parametrize("fault", VARIANTS, ids=lambda fault: fault.name)
def test_a_legal_variant_passes(fault: ProduceFault) -> None:
    assert breaks(fault, FIRST, VARIANT_SCENARIOS) == {}


def test_a_run_on_a_fault_ends_with_a_small_case() -> None:
    fault = next(one for one in FAULTS if one.name == "limit-itself-refused")
    found = detect_planted(RUNNER, fault, FIRST, TODAY, shrink=True)
    assert found.as_expected
    assert found.shrunk is not None
    (produce,) = [step for step in found.shrunk.steps if isinstance(step, Produce)]
    sizes = [batch.size for batch in produce.batches]
    assert 500 in sizes
    assert len(sizes) <= 2


def test_what_is_expected_of_a_fault_fits_the_strength_of_its_clause() -> None:
    expect_fitting_strengths(FAULTS)


@pytest.fixture(scope="module")
def served() -> Iterator[BrokerState]:
    with serving(Settings("4.4.0")) as state:
        yield state


@contextmanager
def playing(served: BrokerState) -> Iterator[ProduceBrokerPlayer]:
    cluster = reach(served.host, served.port, make_codec())
    name = f"detect-{secrets.token_hex(4)}"
    found = ProduceBrokerPlayer(cluster, KAFKA, name, None)
    yield found
    found.close()


@pytest.fixture(scope="module")
def player(served: BrokerState) -> Iterator[ProduceBrokerPlayer]:
    with playing(served) as found:
        yield found


def plays(player: ProduceBrokerPlayer, fault: ProduceFault) -> Iterator[Played]:
    """The worked examples of the fault's clause, then drawn scenarios, as played on the model."""
    examples = [one.scenario for one in clause(fault.clause).examples] if fault.clause else []
    for scenarios in (
        examples,
        *[BATCHES.batch(FIRST, number) for number in range(len(STRATEGIES))],
    ):
        for _, played in player.play(scenarios):
            assert isinstance(played, Played)
            yield played


@pytest.mark.campaign
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_served_model_with_a_fault_is_caught_by_its_clause(
    served: BrokerState, player: ProduceBrokerPlayer, fault: ProduceFault
) -> None:
    fault.plant(served)
    found: dict[str, Outcome] = {}
    try:
        for played in plays(player, fault):
            add_severest(found, played.judgement.breaks)
            if found.get(fault.clause) is Outcome(fault.expected):
                break
    finally:
        served.leader = REFERENCE
    expected = Outcome(fault.expected)
    assert found.get(fault.clause, Outcome.CONFORMS) is expected
    assert severest(found.values()) is expected, found


@pytest.mark.campaign
@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.name)
def test_a_served_legal_variant_passes(variant: ProduceFault) -> None:
    """On a model of its own: faults of topic configs leave other topics as they made them."""
    found: dict[str, Outcome] = {}
    with serving(Settings("4.4.0")) as state, playing(state) as player:
        variant.plant(state)
        for played in plays(player, variant):
            add_severest(found, played.judgement.breaks)
    assert severest(found.values()) is Outcome.CONFORMS, found
