"""How histories are run with Fencepost's own consumer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.engine.runner import Runner, Trial
from conformance.subjects.fairness.dry_run import dry_run_of
from conformance.subjects.fairness.explain import explain
from conformance.subjects.fairness.faults import EVERY
from conformance.subjects.fairness.loop import OwnConsumerLoop
from conformance.subjects.fairness.player import ClientBrokerPlayer
from generators.fairness.relations import all_client_relations

if TYPE_CHECKING:
    from conformance.cluster import Cluster
    from conformance.engine.player import Config
    from conformance.engine.restarts import Restarts
    from conformance.subjects.fairness.client_fault import ClientFault
    from spec.semantics import Semantics


def _player(
    cluster: Cluster,
    semantics: Semantics,
    name: str,
    restarts: Restarts | None,
    config: Config = (),
) -> ClientBrokerPlayer:
    return ClientBrokerPlayer(cluster, semantics, name, config, restarts)


RUNNER: Runner[ClientFault] = Runner(
    subject="fairness",
    loop=OwnConsumerLoop,
    player=_player,
    dry_run=dry_run_of,
    faults=EVERY,
    served_faults=False,
    trial=Trial("4.3", scenarios=300, restart=False),
    relations=all_client_relations,
    explained=explain,
)
