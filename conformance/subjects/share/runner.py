"""How share groups are run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.engine.runner import Runner, Trial
from conformance.facts import SHARE_LIMITS
from conformance.subjects.share.broker_player import ShareBrokerPlayer
from conformance.subjects.share.dry_run import ShareDryRun
from conformance.subjects.share.faults import FAULTS
from conformance.subjects.share.loop import ShareLoop
from generators.share.relations import all_share_relations

if TYPE_CHECKING:
    from conformance.cluster import Cluster
    from conformance.engine.player import Config
    from conformance.engine.restarts import Restarts
    from conformance.subjects.share.faults.fault import ShareFault
    from spec.semantics import Semantics


def _player(
    cluster: Cluster,
    semantics: Semantics,
    name: str,
    restarts: Restarts | None,
    config: Config = (),
) -> ShareBrokerPlayer:
    return ShareBrokerPlayer(cluster, semantics, name, config, restarts=restarts)


def _dry_run(semantics: Semantics, fault: ShareFault | None) -> ShareDryRun:
    return ShareDryRun(semantics) if fault is None else ShareDryRun(semantics, fault.sharing)


RUNNER: Runner[ShareFault] = Runner(
    subject="share",
    loop=ShareLoop,
    player=_player,
    dry_run=_dry_run,
    faults=FAULTS,
    # In 4.2 share groups have the fewest defects of their own.
    trial=Trial("4.2", scenarios=320, restart=False, shrink=False),
    relations=all_share_relations,
    limits=tuple(SHARE_LIMITS),
)
