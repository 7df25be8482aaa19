"""How scenarios of segments are run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.engine.runner import Runner, Trial
from conformance.subjects.segments.faults import DRY, SERVED, VARIANTS, SegmentFault
from conformance.subjects.segments.loop import SegmentLoop
from conformance.subjects.segments.player import SegmentBrokerPlayer, SegmentDryRun
from generators.segments.relations import all_segment_relations

if TYPE_CHECKING:
    from conformance.cluster import Cluster
    from conformance.engine.player import Config
    from conformance.engine.restarts import Restarts
    from spec.semantics import Semantics


def _player(
    cluster: Cluster,
    semantics: Semantics,
    name: str,
    restarts: Restarts | None,
    config: Config = (),
) -> SegmentBrokerPlayer:
    return SegmentBrokerPlayer(cluster, semantics, name, restarts, config)


def _dry_run(semantics: Semantics, fault: SegmentFault | None) -> SegmentDryRun:
    return SegmentDryRun(semantics) if fault is None else SegmentDryRun(semantics, fault.rules)


RUNNER: Runner[SegmentFault] = Runner(
    subject="segments",
    loop=SegmentLoop,
    player=_player,
    dry_run=_dry_run,
    faults=(*SERVED, *VARIANTS),
    dry_faults=DRY,
    trial=Trial("4.3", scenarios=500, restart=False, shrink=False),
    relations=all_segment_relations,
)
