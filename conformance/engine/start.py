"""A system under test that was started or reached, and what is known of it."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from conformance.cluster import Cluster, at_advertised_address, reach
from conformance.engine.restarts import Restarts
from conformance.facts import NOTHING_GIVEN, Facts, Given, read_facts
from conformance.ledger import NO_LEDGER
from conformance.systems.base import (
    CanPlaceFiles,
    CanRestart,
    ShowsItsData,
    StatesLimits,
    StopsBrokers,
)
from spec.frozen import frozen, replace

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from conformance.ledger import Ledger
    from conformance.systems.base import BrokerSystem, Files
    from conformance.wire.codec import Codec


@frozen
class Started:
    """A system that runs.

    Attributes:
        system: the system.
        cluster: how it is asked.
        facts: what it says of itself.
        restarts: how it is restarted; None where it can't be.
    """

    system: BrokerSystem
    cluster: Cluster
    facts: Facts
    restarts: Restarts | None


@contextmanager
def start_and_stop(
    system: BrokerSystem,
    codec: Codec,
    given: Given = NOTHING_GIVEN,
    ledger: Ledger = NO_LEDGER,
) -> Iterator[Started]:
    """Start or reach a system and read its facts; it is stopped in the end, whatever happens.

    Args:
        system: not started yet.
        codec: what it is asked with.
        given: facts from a file, which count before what it says.
        ledger: takes note of what is made on it.

    Raises:
        SystemProblem, NotConnected, NoAnswer, MissingApiError: it can't be started, reached or
        asked. BadConfiguration: it does not say a limit that the model needs, and `given` lacks it.
    """
    try:
        system.start()
        cluster = reach_cluster(system, codec, ledger)
        yield Started(system, cluster, facts_of(cluster, given, system), restarts_of(system, codec))
    finally:
        with suppress(KeyboardInterrupt):
            system.stop()


def reach_cluster(system: BrokerSystem, codec: Codec, ledger: Ledger = NO_LEDGER) -> Cluster:
    """The cluster behind a started system; `ledger` takes note of what is made on it."""
    host, port = system.address
    return at_advertised_address(reach(host, port, codec, system.security, ledger=ledger))


def facts_of(cluster: Cluster, given: Given, system: BrokerSystem) -> Facts:
    """The facts of the broker: given ones first, then those its system knows, then those it
    reports.
    """
    known = system.facts()
    if isinstance(system, StatesLimits):
        given = replace(given, limits={**system.limits, **given.limits})
    return read_facts(
        cluster,
        given,
        kafka_version=known.get("kafka.version"),
        implementation=known.get("implementation"),
    )


def restarts_of(system: BrokerSystem, codec: Codec) -> Restarts | None:
    """How the system is restarted; None where it can't be."""
    if not isinstance(system, CanRestart):
        return None

    def restart(config: Mapping[str, str], files: Files) -> Cluster:
        if isinstance(system, CanPlaceFiles):
            system.restart_with(files, config)
        else:
            system.restart(config)
        return reach_cluster(system, codec)

    return Restarts(
        restart,
        places_files=isinstance(system, CanPlaceFiles),
        data=system.data_dir if isinstance(system, ShowsItsData) else None,
        brokers=system if isinstance(system, StopsBrokers) else None,
    )
