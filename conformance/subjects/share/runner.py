"""How share groups are run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.engine.runner import Runner, Trial
from conformance.subjects.share.bench import ShareBench
from conformance.subjects.share.faults import FAULTS, VARIANTS
from conformance.subjects.share.loop import ShareLoop
from conformance.subjects.share.rehearsal import ShareRehearsal
from generators.share.relations import all_share_relations

if TYPE_CHECKING:
    from conformance.cluster import Cluster
    from conformance.engine.player import Config
    from conformance.engine.restarts import Restarts
    from conformance.subjects.share.fault import ShareFault
    from spec.semantics import Semantics


def _bench(
    cluster: Cluster,
    semantics: Semantics,
    name: str,
    restarts: Restarts | None,
    config: Config = (),
) -> ShareBench:
    return ShareBench(cluster, semantics, name, config, restarts=restarts)


def _rehearsal(semantics: Semantics, fault: ShareFault | None) -> ShareRehearsal:
    return ShareRehearsal(semantics) if fault is None else ShareRehearsal(semantics, fault.sharing)


RUNNER: Runner[ShareFault] = Runner(
    subject="share",
    loop=ShareLoop,
    bench=_bench,
    rehearsal=_rehearsal,
    faults=(*FAULTS, *VARIANTS),
    # In 4.2 share groups have the fewest defects of their own.
    trial=Trial("4.2", scenarios=320, restart=False, shrink=False),
    relations=all_share_relations,
)
