"""The served model as a broker that must survive any client, and end with whoever started it."""

import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.cli import main
from conformance.cli.common import make_codec, make_system
from conformance.cluster import Cluster, reach
from conformance.drafts import plugs
from conformance.misuse import BadConfiguration
from conformance.systems.base import StartFailed, UnknownVersion
from conformance.systems.model import Model
from conformance.wire.connection import Connection
from spec.fetch.outcomes import FetchAnswer

CODEC = make_codec()


@pytest.fixture
def cluster(model: Model) -> Cluster:
    return reach(*model.address, CODEC)


def closed_after(address: tuple[str, int], data: bytes) -> bool:
    """Whether the peer closes the connection on these bytes, without an answer."""
    with socket.create_connection(address, 10) as wire:
        wire.sendall(data)
        return wire.recv(1) == b""


@pytest.mark.system
@pytest.mark.parametrize(
    "data",
    [
        (-1).to_bytes(4, "big", signed=True),
        (0).to_bytes(4, "big"),
        (2**31 - 1).to_bytes(4, "big"),
        b"GET / HTTP/1.1\r\n\r\n",
        (3).to_bytes(4, "big") + b"abc",
        (10).to_bytes(4, "big") + (1).to_bytes(2, "big") + (99).to_bytes(2, "big") + bytes(6),
        (10).to_bytes(4, "big") + (1).to_bytes(2, "big") + (12).to_bytes(2, "big") + bytes(6),
    ],
    ids=[
        "negative length",
        "zero length",
        "huge length",
        "http",
        "short header",
        "unknown version",
        "no body",
    ],
)
def test_what_is_no_request_closes_the_connection_and_nothing_else(
    model: Model, cluster: Cluster, data: bytes
) -> None:
    assert closed_after(model.address, data)
    with cluster.connect() as connection:
        assert connection.ask("Metadata", 12, {"topics": []})["brokers"]


@pytest.mark.system
def test_an_unknown_version_of_api_versions_is_answered_with_what_there_is(model: Model) -> None:
    with Connection(*model.address, CODEC) as connection:
        request = CODEC.request("ApiVersions", 4)
        value = {"client_software_name": "x", "client_software_version": "1"}
        frame = bytearray(request.encode(value, connection.next_correlation_id, "x"))
        frame[2:4] = (99).to_bytes(2, "big")
        connection.send_frame(request, bytes(frame))
        answer = connection.receive().value  # type: ignore[union-attr]
    assert answer["error_code"] == 35
    assert {key["api_key"]: key["max_version"] for key in answer["api_keys"]}[18] == 4


@pytest.mark.system
def test_a_fetch_that_waits_is_woken_by_a_batch(cluster: Cluster) -> None:
    from conformance.placement.deployment import Deployment
    from conformance.play.background import play_alone
    from conformance.subjects.fetch.history import FetchHistory
    from spec.fetch.steps import Fetch, FetchPartition
    from spec.layout import Batch, Layout, Partition
    from spec.scenario import Scenario
    from spec.steps import Append

    wait = Fetch((FetchPartition(0, 0),), min_bytes=1, max_wait_ms=30_000)
    scenario = Scenario(
        Layout((Partition(),)), (wait, Append(0, Batch(100), actor=1, after_ms=100))
    )
    deployment = Deployment(cluster, "woken")
    placed = deployment.place([scenario.layout])
    observation = play_alone(FetchHistory(cluster, scenario, placed[0]))
    deployment.close()
    fetched = next(exchange for exchange in observation.exchanges if exchange.step == 0)
    assert isinstance(fetched.outcome, FetchAnswer)
    assert fetched.outcome.partitions[0].size == 100
    assert 100 <= fetched.answered_ms < 25_000


@pytest.mark.system
def test_a_restart_keeps_topics_and_counts_up_their_leader_epochs() -> None:
    with Model() as model:
        with reach(*model.address, CODEC).connect() as connection:
            made = {"name": "kept", "num_partitions": 1, "replication_factor": 1}
            connection.ask("CreateTopics", 7, {"topics": [made], "timeout_ms": 1000})
        model.restart({"fetch.max.bytes": "1024"})
        with reach(*model.address, CODEC).connect() as connection:
            topic = connection.ask(
                "Metadata", 12, {"topics": [{"name": "kept", "topic_id": bytes(16)}]}
            )["topics"][0]
            assert topic["partitions"][0]["leader_epoch"] == 1
            wanted = {
                "resource_type": 4,
                "resource_name": "1",
                "configuration_keys": ["fetch.max.bytes"],
            }
            result = connection.ask("DescribeConfigs", 4, {"resources": [wanted]})
            assert result["results"][0]["configs"][0]["value"] == "1024"


@pytest.mark.system
def test_it_ends_when_its_starter_does() -> None:
    given = {"kafka": "4.3.1", "host": "127.0.0.1", "port": 0, "config": {}, "fault": None}
    child = subprocess.Popen(
        [sys.executable, "-m", "conformance.serve", json.dumps(given)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    assert child.stdin is not None
    assert "port" in json.loads(child.stdout.readline())
    child.stdin.close()
    assert child.wait(30) == 0
    child.stdout.close()


@pytest.mark.system
def test_bad_input_names_the_thing_and_the_mend() -> None:
    with pytest.raises(UnknownVersion, match=r"4\.3\.1.*'3\.9'"):
        Model("3.9")
    with pytest.raises(BadConfiguration, match=r"'no-such'.*--list-faults"):
        make_system(
            "model",
            kafka="4.3.1",
            bootstrap_server=None,
            command_config=None,
            image=None,
            fault="no-such",
        )
    with pytest.raises(StartFailed, match=r"fetch\.max\.bytes.*'many'"):
        Model(config={"fetch.max.bytes": "many"}).start()


def run(tmp_path: Path, *arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(
        main, ["run", "model", "--seed", "5", "--no-report", "--out", str(tmp_path), *arguments]
    )
    return result.exit_code, result.output


@pytest.mark.system
def test_the_served_model_is_judged_like_any_broker_and_conforms(tmp_path: Path) -> None:
    code, output = run(tmp_path, "--strict", "--scenarios", "500", "--kafka", "4.0.2")
    assert code == 0, output
    assert "judged as Kafka 4.0" in output


@pytest.mark.system
def test_drawn_histories_of_classic_consumer_and_share_groups_conform(tmp_path: Path) -> None:
    code, output = run(
        tmp_path, "--strict", "--scenarios", "96", "--subject", "groups", "--no-corpus"
    )
    assert code == 0, output
    assert {"GRP-001", "GRP-030", "GRP-035"} <= set(output.split())


@pytest.mark.system
def test_a_fault_that_breaks_a_promise_fails_the_run(tmp_path: Path) -> None:
    code, output = run(
        tmp_path, "--clause", "FET-004", "--scenarios", "30", "--fault", "no-progress"
    )
    assert code == 1, output
    assert "FET-004" in output


@pytest.mark.system
def test_a_fault_that_the_documents_allow_fails_a_strict_run_alone(tmp_path: Path) -> None:
    assert run(tmp_path, "--scenarios", "100", "--fault", "no-partial-batch")[0] == 0
    code, output = run(
        tmp_path,
        *("--clause", "FET-102", "--scenarios", "30", "--fault", "no-partial-batch", "--strict"),
    )
    assert code == 1
    assert "FET-102" in output


def test_a_fault_needs_the_served_model(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["run", "--fault", "no-progress", "--out", str(tmp_path)])
    assert result.exit_code == 2
    assert "served model" in result.output


def test_the_faults_are_listed_with_what_is_expected_of_them() -> None:
    result = CliRunner().invoke(main, ["serve", "--list-faults"])
    assert result.exit_code == 0
    assert "no-progress" in result.output
    assert "conforms" in result.output
    drafted = [fault.name for plug in plugs() for fault in plug.faults]
    assert drafted
    assert [name for name in drafted if f"\n{name} " not in result.output] == []
