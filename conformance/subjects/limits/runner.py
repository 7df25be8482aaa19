"""How scenarios of limits are run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.engine.runner import Runner, Trial
from conformance.subjects.limits.broker_player import LimitBrokerPlayer
from conformance.subjects.limits.dry_run import LimitDryRun
from conformance.subjects.limits.faults import DRY, FAULTS, VARIANTS
from conformance.subjects.limits.loop import LimitLoop
from generators.limits.relations import all_limit_relations

if TYPE_CHECKING:
    from conformance.cluster import Cluster
    from conformance.engine.player import Config
    from conformance.engine.restarts import Restarts
    from conformance.subjects.limits.faults.fault import LimitFault
    from spec.semantics import Semantics


def _player(
    cluster: Cluster,
    semantics: Semantics,
    name: str,
    restarts: Restarts | None,
    config: Config = (),
) -> LimitBrokerPlayer:
    del name, config
    return LimitBrokerPlayer(cluster, semantics, restarts)


def _dry_run(semantics: Semantics, fault: LimitFault | None) -> LimitDryRun:
    return LimitDryRun(semantics) if fault is None else LimitDryRun(semantics, fault.controller)


RUNNER: Runner[LimitFault] = Runner(
    subject="limits",
    loop=LimitLoop,
    player=_player,
    dry_run=_dry_run,
    faults=(*FAULTS, *VARIANTS),
    dry_faults=DRY,
    trial=Trial("4.3", scenarios=1000, restart=False),
    relations=all_limit_relations,
)
