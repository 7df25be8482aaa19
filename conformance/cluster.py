"""One reachable cluster: the broker that is asked, what it can do, and connections to it."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any

from conformance.ledger import NO_LEDGER
from conformance.wire.connection import Connection
from conformance.wire.negotiation import ApiVersions, negotiate_by
from conformance.wire.outcomes import NoAnswer, NotConnected
from conformance.wire.security import PLAINTEXT
from spec.frozen import frozen, replace

if TYPE_CHECKING:
    from conformance.ledger import Ledger
    from conformance.wire.codec import Codec
    from conformance.wire.outcomes import Ticket
    from conformance.wire.security import Opened, Security
    from conformance.wire.transcript import Transcript

ADVERTISED_S = 10.0
"""How long a connection to an address that a cluster advertises may take, seconds."""
NODE_ID = 1
"""The node of every broker that Fencepost starts."""


@frozen
class Node:
    """A broker of a cluster: its id, and where clients reach it."""

    id: int
    host: str
    port: int


@frozen
class Cluster:
    """A broker to talk to, alone or one of several.

    Attributes:
        host, port: where.
        codec: Kafka's messages.
        versions: what the broker advertises.
        security: whether it speaks TLS, and how connections are authenticated.
        timeout: seconds that the set-up of a layout may take for one answer.
        ledger: takes note of what is made on it, before it is made.
        node: the broker's id.
        nodes: all brokers of the cluster, where there are several; otherwise empty.
        transcript: takes note of what is sent and answered; None for nobody.
    """

    host: str
    port: int
    codec: Codec
    versions: ApiVersions
    security: Security = PLAINTEXT
    timeout: float = 60.0
    ledger: Ledger = field(default=NO_LEDGER, compare=False)
    node: int = NODE_ID
    nodes: tuple[Node, ...] = ()
    transcript: Transcript | None = field(default=None, compare=False)

    def at(self, node: Node) -> Cluster:
        """The same cluster, asked at another of its brokers."""
        return replace(self, host=node.host, port=node.port, node=node.id)

    def connect(self, timeout: float | None = None, connected: Opened | None = None) -> Connection:
        """Open a connection, or take one over that is open already.

        Raises:
            NotConnected (of `conformance.wire.outcomes`): no connection within the timeout.
        """
        return Connection(
            self.host,
            self.port,
            self.codec,
            timeout=self.timeout if timeout is None else timeout,
            security=self.security,
            connected=connected,
            transcript=self.transcript,
        )

    def belongs(self, ticket: Ticket, step: int) -> None:
        """Have the transcript say which step of a scenario sent a request."""
        if self.transcript is not None:
            self.transcript.belongs(ticket, step)

    def version(self, api: str, newest: int, oldest: int = 0) -> int:
        """The newest version of an API, `oldest` to `newest`, that the broker and our definitions
        share.

        Raises:
            MissingApiError: there is none.
        """
        usable = self.versions.usable(self.codec, api)
        if not usable or usable.start > newest or usable.stop <= oldest:
            offered = f"v{usable.start} to v{usable.stop - 1}" if usable else "none"
            wanted = f"from version {oldest} up to" if oldest else "up to version"
            raise MissingApiError(
                f"expected a broker that has {api} {wanted} {newest}, found {offered} of the "
                "versions known here; it can't be tested"
            )
        return min(newest, usable.stop - 1)

    def offers(self, api: str, version: int = 0) -> bool:
        """Whether the broker and our definitions share this version of an API, or a newer one."""
        usable = self.versions.usable(self.codec, api)
        return bool(usable) and usable.stop > version


class MissingApiError(Exception):
    """The broker lacks an API that the suite can't do without, or that one step asks for."""


def reach(
    host: str,
    port: int,
    codec: Codec,
    security: Security = PLAINTEXT,
    timeout: float = 30.0,
    ledger: Ledger = NO_LEDGER,
) -> Cluster:
    """Connect, to learn what the broker can do; `ledger` takes note of what is made on it.
    Raises `NotConnected` or `NoAnswer` of `conformance.wire.outcomes`.
    """
    versions = negotiate_by(
        lambda: Connection(host, port, codec, timeout=timeout, security=security)
    )
    return Cluster(host, port, codec, versions, security, ledger=ledger)


def at_advertised_address(cluster: Cluster) -> Cluster:
    """The same cluster, asked at one of its brokers by the address that it advertises, where there
    are several: the one that was reached, otherwise the first that takes a connection.

    Raises:
        NotConnected: none does; with the reason of the last.
    """
    nodes = _nodes(cluster)
    if len(nodes) < 2:
        return cluster
    several = replace(cluster, nodes=nodes)
    reached = (cluster.host, cluster.port)
    for node in sorted(nodes, key=lambda node: (node.host, node.port) != reached):
        home = several.at(node)
        try:
            home.connect(timeout=ADVERTISED_S).close()
        except NotConnected as failed:
            problem = failed
        else:
            return home
    raise NotConnected(
        problem.host,
        problem.port,
        f"{problem.reason} (the cluster advertises this address, as it does {len(nodes) - 1} more)",
    )


def _nodes(cluster: Cluster) -> tuple[Node, ...]:
    """The brokers that a cluster names, in the order of their ids; empty where it does not."""
    try:
        with cluster.connect(timeout=ADVERTISED_S) as connection:
            answer = connection.ask("Metadata", cluster.version("Metadata", 12), {"topics": []})
        found = [Node(one["node_id"], one["host"], one["port"]) for one in answer["brokers"]]
    except (NoAnswer, NotConnected, MissingApiError, KeyError, TypeError):
        return ()
    return tuple(sorted(found, key=lambda node: node.id))


def error_text(error: int, message: Any) -> str:
    """An error code and its text, for a message of ours."""
    return f"error {error}" + (f" ({message})" if message else "")
