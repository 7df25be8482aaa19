"""How histories of groups are run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.engine.runner import Runner, Trial
from conformance.subjects.groups.broker_player import GroupBrokerPlayer
from conformance.subjects.groups.dry_run import GroupDryRun
from conformance.subjects.groups.faults import FAULTS, VARIANTS
from conformance.subjects.groups.loop import GroupLoop
from conformance.subjects.groups.own_settings import without_restart
from generators.groups.relations import all_group_relations

if TYPE_CHECKING:
    from conformance.cluster import Cluster
    from conformance.engine.player import Config
    from conformance.engine.restarts import Restarts
    from conformance.subjects.groups.faults.fault import GroupFault
    from spec.semantics import Semantics


def _player(
    cluster: Cluster,
    semantics: Semantics,
    name: str,
    restarts: Restarts | None,
    config: Config = (),
) -> GroupBrokerPlayer:
    """The first history restarts the broker, whatever it was
    started with, where it can be restarted.
    """
    del config
    return GroupBrokerPlayer(cluster, semantics, name, restarts)


def _dry_run(semantics: Semantics, fault: GroupFault | None) -> GroupDryRun:
    return GroupDryRun(semantics) if fault is None else GroupDryRun(semantics, fault.coordinator)


RUNNER: Runner[GroupFault] = Runner(
    subject="groups",
    loop=GroupLoop,
    player=_player,
    dry_run=_dry_run,
    faults=(*FAULTS, *VARIANTS),
    served_faults=False,
    trial=Trial("4.3", scenarios=1000, shrink=False),
    relations=all_group_relations,
    sets_config=True,
    without_restart=without_restart,
)
