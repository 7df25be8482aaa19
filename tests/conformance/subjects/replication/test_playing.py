"""What a cluster refuses, puts off or does not have is said of a scenario, and loses no run."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import pytest

from conformance.cli.common import make_codec
from conformance.cluster import Cluster, MissingApiError, Node
from conformance.play.history import Retry
from conformance.play.silence import SILENCE_S
from conformance.subjects.replication import moving
from conformance.subjects.replication.moving import Mover
from conformance.subjects.replication.player import ReplicationHistory
from conformance.subjects.replication.spread import SpreadPartition, SpreadPartitions
from conformance.wire.negotiation import ApiVersions
from conformance.wire.outcomes import Answer
from conformance.wire.schema import ZERO_UUID
from spec.judge import judge
from spec.kafka import Error
from spec.observation import Exchange, Observation
from spec.outcomes import NotSent
from spec.releases import semantics_for
from spec.replication.examples import play_on_brokers
from spec.replication.outcomes import Brokers, Moved, NotMoved, WriteAnswer
from spec.replication.steps import ElectLeader, Read, Write

if TYPE_CHECKING:
    from conformance.play.connection import AsyncConnection

NODES = tuple(Node(number, "127.0.0.1", 1) for number in range(3))
WHERE = SpreadPartition("spread", bytes(15) + b"\1", 0, NODES, 4)
OFFERED = {0: (3, 12), 1: (4, 17), 2: (1, 7), 3: (0, 12), 19: (2, 7), 43: (0, 2), 45: (0, 0)}


def cluster(**newest: int) -> Cluster:
    """A cluster that is not asked, which advertises Metadata up to a version."""
    offered = {**OFFERED, 3: (0, newest.get("metadata", 12))}
    return Cluster("127.0.0.1", 1, make_codec(), ApiVersions(0, 4, offered, {}, {}, -1))


@dataclass
class Connection:
    """A connection whose broker does as it is asked, once it has answered the codes that are left.

    Attributes:
        codes: what reassignments are answered first.
        leader: who leads whatever is elected; None for the replica that is put first.
        unknown: how many Metadata answers lack the partition at first.
    """

    codes: list[int] = field(default_factory=list)
    leader: int | None = None
    unknown: int = 0
    replicas: list[int] = field(default_factory=lambda: [0, 1])

    async def ask(
        self, api: str, version: int, value: dict[str, Any], within_s: float
    ) -> dict[str, Any]:
        del version, within_s
        part: dict[str, Any] = {"partition_index": 0, "error_code": 0}
        match api:
            case "AlterPartitionReassignments":
                code = self.codes.pop(0) if self.codes else 0
                if not code:
                    self.replicas = value["topics"][0]["partitions"][0]["replicas"]
                return {"error_code": code, "responses": [{"partitions": [part]}]}
            case "ElectLeaders":
                part["error_code"] = Error.ELECTION_NOT_NEEDED
                return {"error_code": 0, "replica_election_results": [{"partition_result": [part]}]}
            case "Metadata" if self.unknown:
                self.unknown -= 1
                missing = {"error_code": Error.UNKNOWN_TOPIC_OR_PARTITION, "partitions": []}
                return {"topics": [missing]}
            case "Metadata":
                led = self.replicas[0] if self.leader is None else self.leader
                known = {"leader_id": led, "leader_epoch": 5, "isr_nodes": [0, 1]}
                return {
                    "topics": [{"partitions": [{**part, **known, "replica_nodes": self.replicas}]}]
                }
            case _:
                epoch = value["topics"][0]["partitions"][0]["current_leader_epoch"]
                part["error_code"] = Error.UNKNOWN_LEADER_EPOCH if epoch > 5 else 0
                return {"topics": [{"partitions": [part]}]}


def moved_by(connection: Connection, asked: Cluster | None = None) -> Moved | NotMoved | NotSent:
    """The outcome of a move to the other replica."""

    async def connected(role: int) -> AsyncConnection:
        del role
        return cast("AsyncConnection", connection)

    return asyncio.run(Mover(asked or cluster(), WHERE, connected).move(1))


@pytest.mark.parametrize("code", [Error.NOT_CONTROLLER, Error.REQUEST_TIMED_OUT])
def test_a_reassignment_that_is_put_off_is_asked_for_again(code: Error) -> None:
    assert moved_by(Connection([code, code])) == Moved(1, 1)


@pytest.mark.parametrize("code", [Error.CLUSTER_AUTHORIZATION_FAILED, Error.UNSUPPORTED_VERSION])
def test_a_move_that_is_refused_for_good_is_not_sent(code: Error) -> None:
    found = moved_by(Connection([code]))
    assert isinstance(found, NotSent)
    assert code.name in found.reason


def test_a_move_that_is_late_makes_its_scenario_inconclusive_and_keeps_the_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(moving, "KNOWN_S", 0.01)
    unknown = moved_by(Connection(leader=0))
    refused = moved_by(Connection([Error.NOT_CONTROLLER] * 1000))
    assert isinstance(unknown, NotMoved)
    assert isinstance(refused, NotMoved)
    assert "NOT_CONTROLLER" in refused.reason
    scenario = play_on_brokers(Write(), ElectLeader())
    exchanges = [Exchange(*one) for one in enumerate((Brokers(), WriteAnswer(0, 0), refused))]
    judgement = judge(scenario, Observation(tuple(exchanges)), semantics_for("4.3"))
    assert [one.signature for one in judgement.breaks] == ["step failed"]


def test_a_partition_that_metadata_lacks_for_a_while_is_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert moved_by(Connection(unknown=4)) == Moved(1, 1)
    monkeypatch.setattr(moving, "KNOWN_S", 0.01)
    assert isinstance(moved_by(Connection(unknown=10_000)), NotMoved)


def test_a_cluster_without_leader_epochs_is_said_to_lack_them() -> None:
    with pytest.raises(MissingApiError, match="Metadata v7 or newer"):
        moved_by(Connection(), cluster(metadata=6))
    with pytest.raises(MissingApiError, match="Metadata v7 or newer"):
        SpreadPartitions(cluster(metadata=6), "name").take()


def history(topic_id: bytes = WHERE.topic_id) -> ReplicationHistory:
    """A history that is not played."""
    where = SpreadPartition("spread", topic_id, 0, NODES, 4)
    scenario = play_on_brokers(Read())
    return ReplicationHistory(
        cluster(), scenario, delay_s=lambda _: 0.0, where=where, brokers=Brokers()
    )


def test_a_read_by_topic_id_is_left_out_where_no_id_is_known() -> None:
    played = history(ZERO_UUID)
    assert isinstance(played.request(Read(version=13)), NotSent)
    assert not isinstance(played.request(Read(version=12)), NotSent)


def test_a_read_that_a_quota_puts_off_is_asked_again_after_its_time() -> None:
    played, step = history(), Read()
    request = played.request(step)
    assert request is not None
    assert not isinstance(request, NotSent)
    value = {"error_code": 0, "throttle_time_ms": 400, "responses": []}
    outcome = played.outcome(step, request, Answer(value, 0, 0, 0.0, 0.0))
    assert played.retry(step, request, outcome, 1.0) == Retry(step, 0.4, kept=False)
    assert played.retry(step, request, outcome, SILENCE_S) is None
    assert isinstance(outcome, NotSent)
    assert not played.continues(step, outcome)


@pytest.mark.parametrize("code", [Error.KAFKA_STORAGE_ERROR, Error.REQUEST_TIMED_OUT])
def test_a_write_that_may_be_stored_is_not_sent_again(code: Error) -> None:
    played, step = history(), Write()
    request = played.request(step)
    assert request is not None
    assert not isinstance(request, NotSent)
    assert played.retry(step, request, WriteAnswer(code), 0.0) is None
    assert not played.continues(step, WriteAnswer(code))
