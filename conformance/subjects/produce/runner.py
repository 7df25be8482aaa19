"""How scenarios of produce are run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.engine.runner import Runner, Trial
from conformance.subjects.produce.faults import FAULTS, VARIANTS
from conformance.subjects.produce.loop import ProduceLoop
from conformance.subjects.produce.player import ProduceBrokerPlayer, ProduceDryRun
from generators.produce.relations import all_produce_relations

if TYPE_CHECKING:
    from conformance.cluster import Cluster
    from conformance.engine.player import Config
    from conformance.engine.restarts import Restarts
    from conformance.subjects.produce.faults.fault import ProduceFault
    from spec.semantics import Semantics


def _player(
    cluster: Cluster,
    semantics: Semantics,
    name: str,
    restarts: Restarts | None,
    config: Config = (),
) -> ProduceBrokerPlayer:
    del config
    return ProduceBrokerPlayer(cluster, semantics, name, restarts)


def _dry_run(semantics: Semantics, fault: ProduceFault | None) -> ProduceDryRun:
    return ProduceDryRun(semantics) if fault is None else ProduceDryRun(semantics, fault.leader)


RUNNER: Runner[ProduceFault] = Runner(
    subject="produce",
    loop=ProduceLoop,
    player=_player,
    dry_run=_dry_run,
    faults=(*FAULTS, *VARIANTS),
    trial=Trial("4.4", scenarios=2000, restart=False, shrink=False),
    relations=all_produce_relations,
)
