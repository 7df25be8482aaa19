"""What a cluster refuses, puts off or does not have is said of a scenario, and loses no run."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import pytest

from conformance.cli.common import make_codec
from conformance.cluster import Cluster, MissingApiError, Node
from conformance.engine.restarts import Restarts
from conformance.placement.problem import PlacementFailed, Unlaid
from conformance.play.history import Retry
from conformance.play.silence import SILENCE_S
from conformance.subjects.replication import moving
from conformance.subjects.replication.broker_player import Outages, ReplicationBrokerPlayer
from conformance.subjects.replication.history import ReplicationHistory, outage
from conformance.subjects.replication.moving import Mover
from conformance.subjects.replication.spread import SpreadPartition, SpreadPartitions
from conformance.wire.negotiation import ApiVersions
from conformance.wire.outcomes import Answer
from conformance.wire.schema import ZERO_UUID
from spec.frozen import replace
from spec.judge import judge
from spec.kafka import Error
from spec.observation import Exchange, Observation
from spec.outcomes import NotSent
from spec.releases import semantics_for
from spec.replication.examples import play_on_brokers
from spec.replication.outcomes import Brokers, Moved, NotMoved, ReadResult, WriteAnswer
from spec.replication.steps import (
    FOLLOWER,
    LEADER,
    ElectLeader,
    KillBroker,
    Read,
    StartBroker,
    StopBroker,
    Write,
)

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


def retried(
    played: ReplicationHistory, step: Read | Write, outcome: ReadResult | WriteAnswer
) -> bool:
    """Whether a step that was answered so at once is asked again."""
    request = played.request(step)
    assert request is not None
    assert not isinstance(request, NotSent)
    return played.retry(step, request, outcome, 0.0) is not None


@pytest.mark.parametrize("actor", [LEADER, FOLLOWER])
def test_an_empty_read_behind_a_high_watermark_that_lags_is_asked_again(actor: int) -> None:
    played = history()
    assert not retried(played, Write(acks=1), WriteAnswer(0, 0))
    assert retried(played, Read(actor), ReadResult(0, 0))
    assert not retried(played, Read(actor), ReadResult(0, 1, ((0, 0),)))
    assert not retried(played, Read(actor, 1), ReadResult(0, 1))


def test_a_write_that_is_refused_for_want_of_replicas_in_sync_is_asked_again() -> None:
    played, refusal = history(), WriteAnswer(Error.NOT_ENOUGH_REPLICAS)
    assert retried(played, Write(), refusal)
    played.state = replace(played.state, minimum=2, stopped=FOLLOWER)
    assert not retried(played, Write(), refusal)


def test_a_stopped_broker_is_asked_nothing() -> None:
    played = history()
    played.state = replace(played.state, stopped=FOLLOWER, outages=1)
    for step in (Read(FOLLOWER), StopBroker(LEADER), StartBroker(LEADER), ElectLeader()):
        assert not played.sends(step)
        found = played.request(step) if isinstance(step, Read) else asyncio.run(played.act(1, step))
        assert isinstance(found, NotSent)


@dataclass
class Stopped:
    """A cluster's power to stop brokers, which notes what it is asked for."""

    asked: list[str] = field(default_factory=list)

    def stop_broker(self, node: int) -> None:
        self.asked.append(f"stop {node}")

    def crash(self, node: int) -> None:
        self.asked.append(f"kill {node}")

    def revive(self, node: int) -> None:
        self.asked.append(f"start {node}")


def player(brokers: Stopped | None) -> ReplicationBrokerPlayer:
    """A player on a cluster that is not asked."""
    restarts = Restarts(lambda *_: cluster(), places_files=False, brokers=brokers)
    return ReplicationBrokerPlayer(cluster(), semantics_for("4.3"), "name", restarts)


def test_a_stopped_broker_is_started_once() -> None:
    power = Stopped()
    outages = Outages(player(power).broker, NODES[2])
    outages.end()
    assert not power.asked
    outages.change(outage(StopBroker()))
    outages.change(outage(StartBroker()))
    outages.end()
    assert power.asked == ["stop 2", "start 2"]
    outages.change(outage(StopBroker()))
    outages.end()
    assert power.asked == ["stop 2", "start 2"] * 2


def test_a_broker_that_is_killed_gets_no_time_to_stop() -> None:
    power = Stopped()
    outages = Outages(player(power).broker, NODES[2])
    outages.change(outage(KillBroker()))
    outages.change(outage(StartBroker()))
    assert power.asked == ["kill 2", "start 2"]


def test_no_broker_is_stopped_once_the_run_is_over() -> None:
    power = Stopped()
    restarts = Restarts(lambda *_: cluster(), places_files=False, brokers=power)
    restarts.end()
    with pytest.raises(PlacementFailed, match="the run is over"):
        restarts.stop_broker(1)
    with pytest.raises(PlacementFailed, match="the run is over"):
        restarts.start_broker(1)
    assert not power.asked


def test_an_outage_is_left_out_where_no_broker_can_be_stopped() -> None:
    scenario = play_on_brokers(StopBroker(), Write())
    assert not player(Stopped()).unplayable(scenario)
    [(number, found)] = player(None).play([scenario])
    assert number == 0
    assert isinstance(found, Unlaid)
    assert "stops a broker" in found.why
