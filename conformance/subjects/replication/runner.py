"""How scenarios on several brokers are run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.engine.runner import Runner, Trial
from conformance.subjects.replication.broker_player import ReplicationBrokerPlayer
from conformance.subjects.replication.dry_run import ReplicationDryRun
from conformance.subjects.replication.faults import FAULTS, VARIANTS
from conformance.subjects.replication.loop import ReplicationLoop
from generators.replication.relations import all_replication_relations
from spec.replication.steps import BROKERS

if TYPE_CHECKING:
    from conformance.cluster import Cluster
    from conformance.engine.player import Config
    from conformance.engine.restarts import Restarts
    from conformance.subjects.replication.faults.fault import ReplicationFault
    from spec.semantics import Semantics


def _player(
    cluster: Cluster,
    semantics: Semantics,
    name: str,
    restarts: Restarts | None,
    config: Config = (),
) -> ReplicationBrokerPlayer:
    del config
    return ReplicationBrokerPlayer(cluster, semantics, name, restarts)


def _dry_run(semantics: Semantics, fault: ReplicationFault | None) -> ReplicationDryRun:
    return (
        ReplicationDryRun(semantics)
        if fault is None
        else ReplicationDryRun(semantics, fault.served)
    )


RUNNER: Runner[ReplicationFault] = Runner(
    subject="replication",
    loop=ReplicationLoop,
    player=_player,
    dry_run=_dry_run,
    faults=(*FAULTS, *VARIANTS),
    served_faults=False,
    trial=Trial("4.3", scenarios=1000, restart=False),
    relations=all_replication_relations,
    brokers=BROKERS,
)
