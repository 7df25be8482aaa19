"""Producer ids that can't be asked for: no transactional id here, or numbers that don't fit."""

from collections.abc import Iterator

import pytest
from hypothesis import find
from hypothesis.errors import NoSuchExample

from conformance.cli.common import make_codec
from conformance.cluster import MissingApiError, reach
from conformance.engine.play_result import Played
from conformance.ledger import PREFIX
from conformance.placement.problem import LayingStep, PlacementFailed, Unlaid
from conformance.serve.settings import Settings
from conformance.subjects.produce import producer_ids
from conformance.subjects.produce.player import ProduceBrokerPlayer
from conformance.subjects.produce.producer_ids import init_producer_value, unfit_fields
from generators.produce.histories import producer_id_histories
from spec.layout import Layout, Partition
from spec.produce.assigned_ids import AssignedIds
from spec.produce.steps import CarriedProducer, InitProducer
from spec.releases import semantics_for
from spec.scenario import Scenario
from tests.conformance.serve.listening import serving

LAYOUT = Layout((Partition(),))
NAMED, NAMELESS = (Scenario(LAYOUT, (InitProducer(name),)) for name in (0, None))
LAST_TIMEOUT_MS, LAST_EPOCH, LAST_ID = (1 << 31) - 1, (1 << 15) - 1, (1 << 63) - 1


@pytest.fixture(scope="module")
def player() -> Iterator[ProduceBrokerPlayer]:
    with serving(Settings("4.3.1")) as state:
        cluster = reach(state.host, state.port, make_codec())
        found = ProduceBrokerPlayer(cluster, semantics_for("4.3"), f"{PREFIX}names", None)
        yield found
        found.close()


@pytest.mark.parametrize("why", [PlacementFailed("others coordinate"), MissingApiError("no API")])
def test_a_scenario_without_a_transactional_id_here_is_left_out_alone(
    player: ProduceBrokerPlayer, monkeypatch: pytest.MonkeyPatch, why: Exception
) -> None:
    asked = []

    def fail(*of: object) -> str:
        asked.append(of)
        raise why

    monkeypatch.setattr(producer_ids, "coordinated_name", fail)
    found = dict(player.play([NAMED, NAMELESS, NAMED]))
    assert len(asked) == 1
    assert found[0] == found[2] == Unlaid(LAYOUT, LayingStep.TRANSACTION, str(why))
    played = found[1]
    assert isinstance(played, Played)
    assert played.judgement.breaks == ()
    monkeypatch.undo()
    assert isinstance(dict(player.play([NAMED]))[0], Played)


@pytest.mark.parametrize("claim", [CarriedProducer.NEWER, CarriedProducer.OTHER])
def test_a_number_after_the_last_one_is_not_asked_for(claim: CarriedProducer) -> None:
    given = AssignedIds()
    given.answered(InitProducer(0), LAST_ID, LAST_EPOCH)
    unfit = unfit_fields(init_producer_value(InitProducer(0, claim=claim), {0: "name"}, given))
    assert unfit is not None
    kept = unfit_fields(
        init_producer_value(InitProducer(0, claim=CarriedProducer.NOW), {0: "name"}, given)
    )
    assert kept is None


@pytest.mark.slow
def test_a_timeout_after_the_longest_one_is_not_drawn() -> None:
    def asks(scenario: Scenario, timeout_ms: int) -> bool:
        found = [step.timeout_ms for step in scenario.steps if isinstance(step, InitProducer)]
        return max(found) >= timeout_ms

    histories = producer_id_histories(LAST_TIMEOUT_MS)
    assert asks(find(histories, lambda one: asks(one, LAST_TIMEOUT_MS)), LAST_TIMEOUT_MS)
    with pytest.raises(NoSuchExample):
        find(histories, lambda one: asks(one, LAST_TIMEOUT_MS + 1))
