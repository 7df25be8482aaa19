"""Peers that are odd and correct: each is as odd as it says, and passes."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance import exit_codes
from conformance.cli import main
from conformance.cli.common import make_codec
from conformance.cluster import Cluster, MissingApiError, reach
from conformance.faults.proxy import Proxy
from conformance.placement.coordinated import KeyType, coordinators
from conformance.serve.peers import FAR, LATE_S, PEERS, THROTTLE_MS, TRANSACTIONAL, UNKNOWN_TAG
from conformance.serve.settings import Settings
from conformance.systems.probe import probe
from conformance.wire.decoding import TAGS
from conformance.wire.outcomes import NoAnswer
from conformance.wire.topic_names import topics_by_name
from tests.conformance.serve.listening import serving

KAFKA = "4.3.1"
CODEC = make_codec()


@contextmanager
def reached(name: str, *, through_a_proxy: bool = False) -> Iterator[Cluster]:
    """The cluster that a peer is, served or in front of a served model."""
    if through_a_proxy:
        with (
            serving(Settings(KAFKA)) as state,
            Proxy((state.host, state.port), CODEC, peer=PEERS[name]) as proxy,
        ):
            yield reach(*proxy.address, CODEC)
    else:
        with serving(Settings(KAFKA), planted=PEERS[name]) as state:
            yield reach(state.host, state.port, CODEC)


def create(cluster: Cluster, name: str, version: int = 7) -> bytes:
    """Make a topic, or try to; its id."""
    topic = {
        "name": name,
        "num_partitions": 1,
        "replication_factor": 1,
        "assignments": [],
        "configs": [],
    }
    with cluster.connect() as connection:
        answer = connection.ask("CreateTopics", version, {"topics": [topic], "timeout_ms": 1000})
        return bytes(answer["topics"][0].get("topic_id", b""))


@pytest.mark.parametrize("through_a_proxy", [False, True])
def test_far_nodes_are_named_everywhere_and_answer_to_their_names(
    through_a_proxy: bool,
) -> None:
    with reached("far-nodes", through_a_proxy=through_a_proxy) as cluster:
        create(cluster, "far")
        with cluster.connect() as connection:
            found = connection.ask("Metadata", 12, {"topics": topics_by_name(["far"])})
            node = found["brokers"][0]["node_id"]
            resource = {
                "resource_type": 4,
                "resource_name": str(node),
                "configuration_keys": ["fetch.max.bytes"],
            }
            described = connection.ask("DescribeConfigs", 4, {"resources": [resource]})["results"]
    assert node > FAR
    part = found["topics"][0]["partitions"][0]
    assert (part["leader_id"], part["replica_nodes"], part["isr_nodes"]) == (node, [node], [node])
    assert found["controller_id"] == node
    assert (described[0]["error_code"], described[0]["resource_name"]) == (0, str(node))
    assert described[0]["configs"]


@pytest.mark.parametrize("through_a_proxy", [False, True])
def test_a_peer_answers_no_version_that_it_does_not_offer(
    through_a_proxy: bool,
) -> None:
    with reached("oldest-versions", through_a_proxy=through_a_proxy) as cluster:
        assert cluster.versions.usable(CODEC, "Fetch") == range(4, 5)
        assert cluster.versions.usable(CODEC, "Metadata") == range(1)
        with cluster.connect() as connection, pytest.raises(NoAnswer):
            connection.ask("Metadata", 12, {"topics": []})


def test_the_oldest_versions_are_found_by_the_first_probe_and_by_name() -> None:
    with reached("oldest-versions") as cluster:
        assert [node for node, _, _ in probe((cluster.host, cluster.port)).brokers]
        with cluster.connect() as connection:
            found = coordinators(cluster, connection, ["a", "b"], KeyType.GROUP)
            with pytest.raises(MissingApiError, match="from version 1"):
                coordinators(cluster, connection, ["a"], KeyType.TRANSACTION)
    assert {name: error for name, (error, _) in found.items()} == {"a": 0, "b": 0}


def test_what_is_not_offered_is_not_named() -> None:
    with reached("without-transactions") as cluster:
        assert not any(cluster.offers(api) for api in TRANSACTIONAL)
        assert cluster.offers("Fetch", 17)


def test_every_struct_has_the_unknown_tag() -> None:
    with reached("unknown-tags-everywhere") as cluster, cluster.connect() as connection:
        found = connection.ask("Metadata", 12, {"topics": []})
    assert UNKNOWN_TAG in found[TAGS]
    assert UNKNOWN_TAG in found["brokers"][0][TAGS]


def test_a_throttling_peer_says_so_and_is_late() -> None:
    with reached("throttling") as cluster, cluster.connect() as connection:
        began = time.monotonic()
        found = connection.ask("Metadata", 12, {"topics": []})
        assert time.monotonic() - began >= THROTTLE_MS / 1000
    assert found["throttle_time_ms"] == THROTTLE_MS


def test_a_late_peer_is_late() -> None:
    with reached("late") as cluster, cluster.connect() as connection:
        began = time.monotonic()
        connection.ask("Metadata", 12, {"topics": []})
        assert time.monotonic() - began >= min(LATE_S)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("no-messages", None),
        ("other-messages", "Nein. — 不行"),
    ],
)
def test_errors_have_other_messages(name: str, message: str | None) -> None:
    topic = {
        "name": "?",
        "num_partitions": 1,
        "replication_factor": 1,
        "assignments": [],
        "configs": [],
    }
    with reached(name) as cluster, cluster.connect() as connection:
        found = connection.ask("CreateTopics", 7, {"topics": [topic], "timeout_ms": 1000})
    assert found["topics"][0]["error_code"]
    assert found["topics"][0]["error_message"] == message


def test_topic_ids_count_up() -> None:
    with reached("numbered-topics") as cluster:
        ids = [create(cluster, name) for name in ("a", "b")]
    assert [int.from_bytes(each, "big") for each in ids] == [2, 3]


def test_brokers_are_at_another_name() -> None:
    with reached("another-name") as cluster, cluster.connect() as connection:
        found = connection.ask("Metadata", 12, {"topics": []})
    assert [broker["host"] for broker in found["brokers"]] == ["localhost"]


@pytest.mark.campaign
@pytest.mark.parametrize(
    ("name", "subject"),
    [
        ("late", "segments"),
        ("throttling", "segments"),
        ("without-transactions", "fetch"),
        ("oldest-versions", "fetch"),
        ("oldest-versions", "groups"),
        ("oldest-versions", "offsets"),
        ("oldest-versions", "segments"),
        ("unknown-tags-everywhere", "offsets"),
        ("far-nodes", "limits"),
        ("numbered-topics", "fetch"),
        ("another-name", "offsets"),
        ("no-messages", "limits"),
        ("other-messages", "produce"),
    ],
)
def test_a_run_by_its_address_passes(name: str, subject: str, tmp_path: Path) -> None:
    facts = tmp_path / "facts.toml"
    facts.write_text(f'implementation = "apache-kafka"\nkafka_version = "{KAFKA}"\n')
    with serving(Settings(KAFKA), planted=PEERS[name]) as state:
        options = f"--subject {subject} --scenarios 8 --seed 1 --no-report --no-corpus --quiet"
        address = f"{state.host}:{state.port}"
        arguments = ["run", "--bootstrap-server", address, "--facts", str(facts)]
        result = CliRunner().invoke(
            main, [*arguments, *options.split(), "--out", str(tmp_path / "runs")]
        )
    assert result.exit_code == exit_codes.OK, result.output
