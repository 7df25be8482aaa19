"""The real Apache Kafka, several nodes in KRaft mode, each a broker and a controller: as child
processes.
"""

from __future__ import annotations

import os
import signal
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import TYPE_CHECKING

from conformance.lifetime import StartsAndStops
from conformance.retries import tries
from conformance.systems.base import StartFailed, Unreachable
from conformance.systems.broker_config import HOST
from conformance.systems.embedded import NEWEST, Embedded, Member
from conformance.systems.probe import probe
from conformance.systems.storage import new_id
from conformance.wire.security import PLAINTEXT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

INSIDE, CONTROLLER = "PLAINTEXT", "CONTROLLER"
"""Listeners of every node: one for other brokers and for clients in plain text, and one for
controllers.
"""
BROKERS = 3
RACK_AWARE = "org.apache.kafka.common.replica.RackAwareReplicaSelector"
HEAP = "384m"
"""Java's `-Xmx` for each node: small, since there are several."""
_JOIN_S = 60.0
_INTERNAL_PARTITIONS = 6
"""Partitions of each internal topic: enough that every node leads some of them."""


class EmbeddedCluster(StartsAndStops):
    """Brokers of a locked version of Apache Kafka that are one cluster, on the loopback address.

    Topics have a replica on each of at most three nodes unless they say otherwise; node n stands in
    the rack `rack-n`, and a consumer that names a rack is sent to a follower there (KIP-392). What
    is on its disks goes with it.

    Args:
        version: one of `jars.available_versions()`.
        brokers: how many nodes; their ids begin at 1.
        config: settings of all nodes; they win over those that a node has by itself.
        listeners: further listeners of each node by name, with their security protocols.
        heap: Java's `-Xmx` for each node.
    """

    name = "embedded"
    security = PLAINTEXT

    def __init__(
        self,
        version: str = NEWEST,
        *,
        brokers: int = BROKERS,
        config: Mapping[str, str] | None = None,
        listeners: Mapping[str, str] | None = None,
        heap: str = HEAP,
    ) -> None:
        self.version = version
        self._config = dict(config or {})
        self._protocols = {INSIDE: "PLAINTEXT", **(listeners or {})}
        self._heap = heap
        self._ids = tuple(range(1, brokers + 1))
        self._nodes: dict[int, Embedded] = {}
        self._ports: dict[tuple[int, str], int] = {}

    def __repr__(self) -> str:
        return f"EmbeddedCluster({self.version!r}, brokers={len(self._ids)})"

    @property
    def brokers(self) -> int:
        """How many nodes it has."""
        return len(self._ids)

    @property
    def nodes(self) -> Mapping[int, Embedded]:
        """The nodes by id, once started."""
        return self._nodes

    @property
    def address(self) -> tuple[str, int]:
        """(host, port) of the first node that runs.

        Raises:
            Unreachable: none does.
        """
        running = [node for node in self._nodes.values() if node.alive]
        if not running:
            raise Unreachable(
                f"expected a node of the cluster, found none of {len(self._ids)} running; call "
                "start() first"
            )
        return running[0].address

    def addresses(self, listener: str = INSIDE) -> tuple[tuple[str, int], ...]:
        """The (host, port) of a listener on each node, in the order of their ids."""
        return tuple([(HOST, self._ports[node, listener]) for node in self._ids])

    def start(self) -> None:
        """Bring all nodes up; returns when each knows all of them. Takes some 10 s on two cores.

        Raises:
            SystemProblem: a node can't be started, or they do not find each other.
        """
        self._ports = _free_ports([(n, one) for n in self._ids for one in self._listeners])
        cluster_id = new_id()
        self._nodes = {
            node: Embedded(
                self.version,
                config=self._settings_of(node),
                heap=self._heap,
                ports=self._ports_of(node),
                member=Member(node, cluster_id),
            )
            for node in self._ids
        }
        try:
            self._each(Embedded.start)
            self._await_all()
        except BaseException:
            self.kill()
            raise

    def stop(self) -> None:
        """Kill all nodes, which is no controlled shutdown, and remove what they wrote."""
        for node in self._nodes.values():
            node.discard()

    def kill(self) -> None:
        """Kill all nodes; what they wrote is removed a moment later."""
        for node in self._nodes.values():
            node.kill()

    def restart(self, config: Mapping[str, str] | None = None) -> None:
        """Restart one node after the other with the same data; `config` replaces the settings given
        before, if not None.

        Raises:
            StartFailed: a node did not come up.
        """
        if config is not None:
            self._config = dict(config)
        for number, node in self._nodes.items():
            node.restart(self._settings_of(number))
            self._await_all()

    def crash(self, node: int) -> None:
        """Kill one node's process: what it wrote stays, flushed or not, as it would not in a power
        cut. `revive` starts it again on its data.
        """
        pid = self._nodes[node].pid
        if pid is not None:
            os.kill(pid, signal.SIGKILL)
            for _ in tries(_JOIN_S):
                if not self._nodes[node].alive:
                    return

    def stop_broker(self, node: int) -> None:
        """Stop one node in good order: its partitions are led by others first. `revive` starts it
        again on its data.
        """
        self._nodes[node].end()

    def revive(self, node: int) -> None:
        """Start a node again, and wait until all know it."""
        self._nodes[node].start()
        self._await_all()

    def facts(self) -> Mapping[str, str]:
        """The facts of a node, and how many there are."""
        first = next(iter(self._nodes.values()), None) or Embedded(self.version)
        return {**first.facts(), "brokers": str(len(self._ids))}

    def end_reason(self) -> str | None:
        """Say which nodes ended unasked; None while all run."""
        found = [
            (number, node.end_reason()) for number, node in self._nodes.items() if not node.alive
        ]
        return "; ".join(f"node {number}: {how}" for number, how in found if how) or None

    @property
    def _listeners(self) -> tuple[str, ...]:
        return (*self._protocols, CONTROLLER)

    def _ports_of(self, node: int) -> Callable[[], tuple[int, int]]:
        return lambda: (self._ports[node, INSIDE], self._ports[node, CONTROLLER])

    def _settings_of(self, node: int) -> dict[str, str]:
        def listening(names: tuple[str, ...]) -> str:
            return ",".join(f"{name}://{HOST}:{self._ports[node, name]}" for name in names)

        voters = [f"{one}@{HOST}:{self._ports[one, CONTROLLER]}" for one in self._ids]
        protocols = {**self._protocols, CONTROLLER: "PLAINTEXT"}
        replicas = str(min(3, len(self._ids)))
        return {
            "node.id": str(node),
            "broker.rack": f"rack-{node}",
            "replica.selector.class": RACK_AWARE,
            "listeners": listening(self._listeners),
            "advertised.listeners": listening(tuple(self._protocols)),
            "listener.security.protocol.map": ",".join(f"{k}:{v}" for k, v in protocols.items()),
            "controller.quorum.voters": ",".join(voters),
            "default.replication.factor": replicas,
            **_internal_topics(replicas),
            **self._config,
        }

    def _each(self, act: Callable[[Embedded], object]) -> None:
        """Do something with all nodes at once: none answers before most of them run."""
        with ThreadPoolExecutor(len(self._nodes)) as pool:
            futures = [pool.submit(act, node) for node in self._nodes.values()]
            for future in futures:
                future.result()

    def _await_all(self) -> None:
        """Wait until every node names all of them as live.

        Raises:
            StartFailed: they do not in time.
        """
        deadline = time.monotonic() + _JOIN_S
        for number, node in self._nodes.items():
            seen: set[int] = set()
            for _ in tries(max(0.0, deadline - time.monotonic())):
                seen = {one for one, _, _ in probe(node.address).brokers}
                if seen >= {*self._ids}:
                    break
            else:
                raise StartFailed(
                    f"a cluster of {len(self._ids)} nodes of Kafka {self.version}",
                    f"node {number} knows {sorted(seen)} of {list(self._ids)} after "
                    f"{_JOIN_S:.0f} s",
                    log=node.log,
                )


def _internal_topics(replicas: str) -> dict[str, str]:
    topics = ("offsets.topic", "transaction.state.log", "share.coordinator.state.topic")
    return {
        **{f"{topic}.num.partitions": str(_INTERNAL_PARTITIONS) for topic in topics},
        **{f"{topic}.replication.factor": replicas for topic in topics},
        **{f"{topic}.min.isr": "1" for topic in topics[1:]},
    }


def _free_ports(wanted: list[tuple[int, str]]) -> dict[tuple[int, str], int]:
    """A TCP port of the loopback address for each, that was free a moment ago."""
    with ExitStack() as stack:
        found = {}
        for key in wanted:
            one = stack.enter_context(socket.socket())
            one.bind((HOST, 0))
            found[key] = int(one.getsockname()[1])
        return found
