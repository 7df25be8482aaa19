"""How histories are run with a client under test."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.engine.player import Player
from conformance.engine.runner import Runner, Trial
from conformance.subjects.fairness.client_loop import ClientLoop
from conformance.subjects.fairness.client_player import ClientPlayer
from generators.fairness.script_relations import all_client_relations
from spec.fairness.dry_run import answer_all

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.clients.system import ClientUnderTest
    from conformance.cluster import Cluster
    from conformance.engine.play_result import Played
    from conformance.engine.player import Config
    from conformance.engine.restarts import Restarts
    from conformance.faults.planted import PlantedFault
    from spec.scenario import Scenario
    from spec.semantics import Semantics


class ModelClient(Player):
    """Plays scenarios with the model of a client, without a process."""

    def play(self, scenarios: Sequence[Scenario]) -> Iterator[tuple[int, Played]]:
        """Play scenarios."""
        for number, scenario in enumerate(scenarios):
            yield number, self._judged(scenario, answer_all(scenario, self.semantics))


def _dry_run(semantics: Semantics, fault: PlantedFault | None) -> ModelClient:
    assert fault is None, "expected no fault: those of clients are planted in what drives them"
    return ModelClient(semantics)


def of_client(system: ClientUnderTest) -> Runner[PlantedFault]:
    """How the histories are run with one client."""

    def player(
        cluster: Cluster,
        semantics: Semantics,
        name: str,
        restarts: Restarts | None,
        config: Config = (),
    ) -> ClientPlayer:
        del restarts, config
        return ClientPlayer(cluster, semantics, name, system)

    return Runner(
        subject="fairness",
        loop=ClientLoop,
        player=player,
        dry_run=_dry_run,
        faults=(),
        served_faults=False,
        trial=Trial("4.3", scenarios=1000),
        relations=all_client_relations,
    )
