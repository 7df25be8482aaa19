"""How fetches are run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.engine.dry_run import DryRun
from conformance.engine.runner import Runner, Trial
from conformance.subjects.fetch.broker_player import FetchBrokerPlayer
from conformance.subjects.fetch.faults import FAULTS
from conformance.subjects.fetch.faults.versions import FAULTS as OF_VERSIONS
from conformance.subjects.fetch.loop import FetchLoop
from generators.fetch.fences import all_relations
from generators.fetch.histories import all_history_relations
from spec.fetch.decisions import decisions
from spec.fetch.dry_run import turns_of
from spec.kafka import error_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.cluster import Cluster
    from conformance.engine.player import Config
    from conformance.engine.restarts import Restarts
    from conformance.subjects.fetch.faults.fault import Fault
    from spec.scenario import Scenario
    from spec.semantics import Semantics


def _player(
    cluster: Cluster,
    semantics: Semantics,
    name: str,
    restarts: Restarts | None,
    config: Config = (),
) -> FetchBrokerPlayer:
    return FetchBrokerPlayer(cluster, semantics, name, config, restarts=restarts)


def _dry_run(semantics: Semantics, fault: Fault | None) -> DryRun:
    if fault is None:
        return DryRun(semantics)
    return DryRun(semantics, fault.answering, fault.rejecting, fault.taking_on)


def _explanation_lines(scenario: Scenario, semantics: Semantics) -> Iterator[str]:
    for number, turn in turns_of(scenario, semantics):
        if turn.admission.error:
            yield f"step {number}: refused with {error_name(turn.admission.error)}"
        for one in decisions(turn):
            yield (
                f"step {number}, partition {one.partition}: {one.size} bytes, by {one.clause}: "
                f"{one.because}"
            )


RUNNER: Runner[Fault] = Runner(
    subject="fetch",
    loop=FetchLoop,
    player=_player,
    dry_run=_dry_run,
    faults=FAULTS,
    dry_faults=OF_VERSIONS,
    trial=Trial("4.3", scenarios=1500),
    relations=lambda: frozenset([*all_relations(), *all_history_relations()]),
    explained=_explanation_lines,
)
