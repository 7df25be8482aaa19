"""Making another replica of a partition its leader."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.retries import async_tries
from conformance.subjects.replication.requests import latest_request
from conformance.subjects.replication.spread import metadata_version
from conformance.wire.single_entry import only
from conformance.wire.topic_names import topics_by_name
from spec.frozen import frozen
from spec.kafka import Error, error_name
from spec.outcomes import NotReady, NotSent
from spec.replication.outcomes import NO_BROKER, UNKNOWN_BROKER, Moved, NotMoved, Replicas
from spec.replication.steps import BROKERS, REPLICAS, AskLatest

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from conformance.cluster import Cluster
    from conformance.play.connection import AsyncConnection
    from conformance.subjects.replication.spread import SpreadPartition

ANSWER_S = 30.0
OUTAGE_S = 60.0
"""How long all brokers may take to know the replicas in sync once one was stopped or started.
"""
KNOWN_S = 15.0
"""How long a request may be put off, and all brokers may take to know a new leader, seconds."""
SETTLED_S = 5.0
"""How long the replicas may take to serve under it, seconds: after that they are asked as they are.
"""
PERMANENT = frozenset(
    (
        Error.CLUSTER_AUTHORIZATION_FAILED,
        Error.TOPIC_AUTHORIZATION_FAILED,
        Error.UNSUPPORTED_VERSION,
        Error.POLICY_VIOLATION,
        Error.SECURITY_DISABLED,
    )
)
"""Errors by which a cluster says that it moves no leader for this client."""
_STALE = frozenset((Error.FENCED_LEADER_EPOCH, Error.UNKNOWN_LEADER_EPOCH))


class _Unmoved(Exception):  # noqa: N818 - it ends a move, with its outcome
    """The leader is not moved."""

    def __init__(self, outcome: NotMoved | NotSent) -> None:
        super().__init__(outcome.reason)
        self.outcome = outcome


@frozen
class Mover:
    """Moves the leader of one partition.

    Attributes:
        cluster: whom it is in.
        where: the partition.
        connection: gives the connection to the broker of a role.
    """

    cluster: Cluster
    where: SpreadPartition
    connection: Callable[[int], Awaitable[AsyncConnection]]

    async def move(self, leader: int) -> Moved | NotMoved | NotSent:
        """Make the replica of a role the leader; what every broker says of it then. `NotSent` where
        the cluster refuses it for good, `NotMoved` where it is not done in time.

        Raises:
            MissingApiError: the cluster has not the APIs for it.
            NoAnswer, NotConnected: a broker is gone.
        """
        try:
            await self._reassign(leader)
            await self._elect()
            known = await self._await_known(leader)
        except _Unmoved as unmoved:
            return unmoved.outcome
        await self._await_served(known)
        return Moved(leader, known.epoch - self.where.epoch)

    async def settle(self, stopped: int) -> Replicas | NotReady:
        """Wait until all running brokers name the same leader among the replicas that run, and
        these as in sync; what they say. `stopped` is the role of the broker that does not run.

        Raises:
            MissingApiError, NoAnswer, NotConnected: as for `move`.
        """
        async for _ in async_tries(OUTAGE_S):
            known = await self._agreed(stopped)
            if known is not None:
                await self._await_served(known, stopped)
                return Replicas(known.leader, known.epoch - self.where.epoch, known.in_sync)
        return NotReady(
            f"expected all running brokers to name a leader that runs and the replicas in sync of "
            f"{self.where.topic}-{self.where.partition} within {OUTAGE_S:.0f} s, found others"
        )

    async def in_sync(self, asked: int) -> tuple[int, ...]:
        """The roles of the replicas that a broker's Metadata names as in sync, sorted."""
        described = await self._description(asked)
        return () if described is None else self._roles_in_sync(described)

    async def _agreed(self, stopped: int) -> Replicas | None:
        """What all running brokers say, with the leader epoch as it is on the wire; None where it
        is not the same, or not so yet.
        """
        running = [role for role in range(BROKERS) if role != stopped]
        described = [await self._description(role) for role in running]
        wanted = tuple([role for role in REPLICAS if role != stopped])
        found = {
            Replicas(self._role(part["leader_id"]), part["leader_epoch"], self._roles_in_sync(part))
            for part in described
            if part is not None
        }
        if None in described or len(found) != 1:
            return None
        (known,) = found
        return known if known.leader in wanted and known.in_sync == wanted else None

    def _role(self, node: int) -> int:
        role = self.where.role_of(node)
        return UNKNOWN_BROKER if role is None else role

    def _roles_in_sync(self, part: dict[str, Any]) -> tuple[int, ...]:
        return tuple(sorted([self._role(node) for node in part["isr_nodes"]]))

    async def _reassign(self, leader: int) -> None:
        """Name the new leader first among the replicas."""
        replicas = [self.where.nodes[leader].id]
        replicas += [self.where.nodes[role].id for role in REPLICAS if role != leader]
        part = {"partition_index": self.where.partition, "replicas": replicas}
        topics = [{"name": self.where.topic, "partitions": [part]}]
        version = self.cluster.version("AlterPartitionReassignments", 0)
        value = {"timeout_ms": 30_000, "topics": topics}
        path = ("responses", "partitions")
        await self._have_done("AlterPartitionReassignments", version, value, path)
        async for _ in async_tries(KNOWN_S):
            described = await self._description(0)
            if described is not None and described["replica_nodes"][:1] == replicas[:1]:
                return
        raise _Unmoved(
            NotMoved(f"expected the replicas {replicas} within {KNOWN_S:.0f} s, found others")
        )

    async def _elect(self) -> None:
        version = self.cluster.version("ElectLeaders", 2)
        named = [{"topic": self.where.topic, "partitions": [self.where.partition]}]
        value = {"election_type": 0, "topic_partitions": named, "timeout_ms": 30_000}
        path = ("replica_election_results", "partition_result")
        await self._have_done("ElectLeaders", version, value, path)

    async def _have_done(
        self, api: str, version: int, value: dict[str, Any], path: tuple[str, ...]
    ) -> None:
        """Ask for a change of the one partition until it is done."""
        connection = await self.connection(0)
        async for _ in async_tries(KNOWN_S):
            answer = await connection.ask(api, version, value, ANSWER_S)
            code = answer.get("error_code") or only(api, version, answer, *path)["error_code"]
            if code in {Error.NONE, Error.ELECTION_NOT_NEEDED}:
                return
            if code in PERMANENT:
                raise _Unmoved(NotSent(f"the cluster refuses {api}: {error_name(code)}"))
        raise _Unmoved(
            NotMoved(f"expected {api} to be done within {KNOWN_S:.0f} s, found {error_name(code)}")
        )

    async def _await_known(self, leader: int) -> Replicas:
        """Wait until all brokers name the same new leader with both replicas in sync."""
        wanted = self.where.nodes[leader].id
        in_sync = {self.where.nodes[role].id for role in REPLICAS}
        async for _ in async_tries(KNOWN_S):
            described = [await self._description(role) for role in range(BROKERS)]
            found = [part for part in described if part is not None]
            epochs = {part["leader_epoch"] for part in found}
            if (
                len(found) == BROKERS
                and len(epochs) == 1
                and all(part["leader_id"] == wanted for part in found)
                and all({*part["isr_nodes"]} == in_sync for part in found)
            ):
                return Replicas(leader, int(epochs.pop()), REPLICAS)
        seen = [(part["leader_id"], part["leader_epoch"], part["isr_nodes"]) for part in found]
        raise _Unmoved(
            NotMoved(
                f"expected all brokers to name broker {wanted} as the leader of {self.where.topic}-"
                f"{self.where.partition} within {KNOWN_S:.0f} s, with both replicas in sync, found "
                f"{seen}" + (f" of {len(found)} of them" if len(found) < BROKERS else "")
            )
        )

    async def _await_served(self, known: Replicas, stopped: int = NO_BROKER) -> None:
        """Wait until the replicas that run know the epoch, and the leader gives its end: Metadata
        may be ahead of what a broker does. Whoever does not is judged as it is.
        """
        running = [role for role in REPLICAS if role != stopped]
        allowed = {Error.NONE, *([Error.OFFSET_NOT_AVAILABLE] if stopped in REPLICAS else [])}
        async for _ in async_tries(SETTLED_S):
            codes = {role: await self._error(role, known.epoch) for role in running}
            beyond = {await self._error(role, known.epoch + 1) for role in running}
            others = {code for role, code in codes.items() if role != known.leader}
            settled = beyond == {Error.UNKNOWN_LEADER_EPOCH} and not others & _STALE
            if settled and codes[known.leader] in allowed:
                return

    async def _error(self, role: int, epoch: int) -> int:
        """The error of a lookup under a leader epoch."""
        version = self.cluster.version("ListOffsets", 7)
        request = latest_request(AskLatest(role, version), self.where, epoch)
        connection = await self.connection(role)
        answer = await connection.ask(request.api, version, request.value, ANSWER_S)
        return int(only(request.api, version, answer, "topics", "partitions")["error_code"])

    async def _description(self, role: int) -> dict[str, Any] | None:
        """What the broker of a role says of the partition; None while it does not know it."""
        version = metadata_version(self.cluster)
        asked = {"topics": topics_by_name([self.where.topic])}
        connection = await self.connection(role)
        answer = await connection.ask("Metadata", version, asked, ANSWER_S)
        parts = only("Metadata", version, answer, "topics")["partitions"]
        return next((one for one in parts if one["partition_index"] == self.where.partition), None)
