"""How histories are run with a client under test."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.engine.runner import Runner, Trial
from conformance.subjects.fairness.client_loop import ClientLoop
from conformance.subjects.fairness.client_player import ClientPlayer
from conformance.subjects.fairness.dry_run import dry_run_of
from conformance.subjects.fairness.faults import EVERY
from generators.fairness.relations import all_client_relations

if TYPE_CHECKING:
    from conformance.clients.system import ClientUnderTest
    from conformance.cluster import Cluster
    from conformance.engine.player import Config
    from conformance.engine.restarts import Restarts
    from conformance.subjects.fairness.client_fault import ClientFault
    from spec.semantics import Semantics


def of_client(system: ClientUnderTest) -> Runner[ClientFault]:
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
        dry_run=dry_run_of,
        faults=EVERY,
        served_faults=False,
        trial=Trial("4.3", scenarios=1000),
        relations=all_client_relations,
    )
