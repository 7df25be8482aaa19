"""How scenarios of offsets are run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.engine.runner import Runner, Trial
from conformance.subjects.offsets.broker_player import OffsetBrokerPlayer
from conformance.subjects.offsets.dry_run import OffsetDryRun
from conformance.subjects.offsets.faults import FAULTS
from conformance.subjects.offsets.loop import OffsetLoop
from generators.offsets.relations import all_offset_relations

if TYPE_CHECKING:
    from conformance.cluster import Cluster
    from conformance.engine.player import Config
    from conformance.engine.restarts import Restarts
    from conformance.subjects.offsets.faults.fault import OffsetFault
    from spec.semantics import Semantics


def _player(
    cluster: Cluster,
    semantics: Semantics,
    name: str,
    restarts: Restarts | None,
    config: Config = (),
) -> OffsetBrokerPlayer:
    return OffsetBrokerPlayer(cluster, semantics, name, config, restarts)


def _dry_run(semantics: Semantics, fault: OffsetFault | None) -> OffsetDryRun:
    return OffsetDryRun(semantics) if fault is None else OffsetDryRun(semantics, fault.broker)


RUNNER: Runner[OffsetFault] = Runner(
    subject="offsets",
    loop=OffsetLoop,
    player=_player,
    dry_run=_dry_run,
    faults=FAULTS,
    served_faults=False,
    trial=Trial("4.3", scenarios=1000),
    relations=all_offset_relations,
)
