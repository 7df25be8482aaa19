"""Real share consumers end to end: librdkafka's and Kafka's own, on the served model and on a
broker, and what they send for a config.
"""

import subprocess
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import AcknowledgeType, Producer, ShareConsumer
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]

from conformance.cli.common import make_codec
from conformance.cluster import reach
from conformance.systems.embedded import Embedded
from conformance.systems.jars import tools_class_path
from conformance.systems.java import find_java
from tests.conformance.serve.listening import Heard, hearing

VERSION = "4.3.1"
CODEC = make_codec()
DEADLINE_S = 120.0
"""How long a client may take; a loaded machine is slow."""
GROUP_RESOURCE, SET = 32, 0
VALUES = [str(number) for number in range(20)]


@pytest.fixture(scope="module")
def served() -> Iterator[Heard]:
    with hearing({}, VERSION) as heard:
        yield heard


@pytest.fixture(scope="module")
def embedded() -> Iterator[str]:
    with Embedded(VERSION) as broker:
        host, port = broker.address
        yield f"{host}:{port}"


@pytest.fixture(params=["served", pytest.param("embedded", marks=pytest.mark.broker)])
def address(request: pytest.FixtureRequest) -> str:
    if request.param == "served":
        return request.getfixturevalue("served").address  # type: ignore[no-any-return]
    return request.getfixturevalue("embedded")  # type: ignore[no-any-return]


def asked(address: str, api: str, version: int, value: dict[str, Any]) -> dict[str, Any]:
    host, _, port = address.rpartition(":")
    with reach(host, int(port), CODEC).connect() as connection:
        return connection.ask(api, version, value)


def written(address: str) -> tuple[str, str]:
    """A topic of one partition that holds `VALUES`, and a group that reads it from the start."""
    name = f"shared-{uuid.uuid4().hex[:8]}"
    admin = AdminClient({"bootstrap.servers": address})
    admin.create_topics([NewTopic(name, 1, 1)])[name].result(DEADLINE_S)
    producer = Producer({"bootstrap.servers": address, "log_level": 0})
    for value in VALUES:
        producer.produce(name, value.encode())
    assert producer.flush(DEADLINE_S) == 0
    earliest = {"name": "share.auto.offset.reset", "config_operation": SET, "value": "earliest"}
    resource = {"resource_type": GROUP_RESOURCE, "resource_name": name, "configs": [earliest]}
    (answer,) = asked(
        address, "IncrementalAlterConfigs", 1, {"resources": [resource], "validate_only": False}
    )["responses"]
    assert answer["error_code"] == 0, answer
    return name, name


def start_offset(address: str, group: str, topic: str) -> int:
    """The group's start offset as it was written last, once it was written that nothing is left to
    do.
    """
    wanted = {"groups": [{"group_id": group, "topics": [{"topic_name": topic, "partitions": [0]}]}]}
    deadline = time.monotonic() + DEADLINE_S
    while True:
        (answer,) = asked(address, "DescribeShareGroupOffsets", 1, wanted)["groups"]
        part = answer["topics"][0]["partitions"][0]
        if part["lag"] == 0:
            return int(part["start_offset"])
        assert time.monotonic() < deadline, f"expected a lag of 0, found {part}"


def polled(consumer: ShareConsumer, count: int, kind: AcknowledgeType) -> list[str]:
    """Poll until so many values came, each answered in the same way."""
    values: list[str] = []
    deadline = time.monotonic() + DEADLINE_S
    while len(values) < count:
        assert time.monotonic() < deadline, f"{len(values)} of {count} values came"
        for message in consumer.poll(0.5):
            assert message.error() is None, message.error()
            values.append((message.value() or b"").decode())
            consumer.acknowledge(message, kind)
    return values


def test_librdkafka_shares_what_was_written_and_gets_again_what_it_gave_back(address: str) -> None:
    topic, group = written(address)
    settings = {
        "bootstrap.servers": address,
        "group.id": group,
        "share.acknowledgement.mode": "explicit",
        "log_level": 0,
    }
    with ShareConsumer(settings) as consumer:
        consumer.subscribe([topic])
        assert polled(consumer, len(VALUES), AcknowledgeType.RELEASE) == VALUES
        assert polled(consumer, len(VALUES), AcknowledgeType.ACCEPT) == VALUES
        assert list(consumer.commit_sync(DEADLINE_S).values()) == [None]
    assert start_offset(address, group, topic) == 0


def console(
    address: str, topic: str, group: str, properties: Path, *more: str
) -> subprocess.CompletedProcess[str]:
    """Kafka's console share consumer, which ends when all values came."""
    class_path = ":".join(str(jar) for jar in tools_class_path(VERSION))
    tool = "org.apache.kafka.tools.consumer.ConsoleShareConsumer"
    wanted = (
        "--topic",
        topic,
        "--group",
        group,
        "--max-messages",
        str(len(VALUES)),
        "--timeout-ms",
        str(int(DEADLINE_S * 500)),
    )
    command = [
        str(find_java().executable),
        "-XX:TieredStopAtLevel=1",
        "-cp",
        class_path,
        tool,
        "--bootstrap-server",
        address,
        *wanted,
    ]
    return subprocess.run(
        [*command, "--command-config", str(properties), *more],
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )


def given(folder: Path, **properties: str) -> Path:
    path = folder / "client.properties"
    path.write_text(
        "".join(f"{name.replace('_', '.')}={value}\n" for name, value in properties.items())
    )
    return path


@pytest.mark.broker
@pytest.mark.parametrize(("mode", "start"), [("batch_optimized", 0), ("record_limit", 18)])
def test_kafkas_own_share_consumer_reads_everything_in_both_acquire_modes(
    address: str, mode: str, start: int, tmp_path: Path
) -> None:
    """The start offset is written before the move that the last acknowledgement causes: of all at
    once, or of the last two of twenty.
    """
    topic, group = written(address)
    done = console(
        address, topic, group, given(tmp_path, share_acquire_mode=mode, max_poll_records="6")
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == VALUES
    assert start_offset(address, group, topic) == start


@pytest.mark.broker
@pytest.mark.parametrize(
    ("name", "mode"), [("batch_optimized", 0), ("record_limit", 1), ("Record_Limit", 1)]
)
def test_what_kafkas_share_consumer_sends_follows_its_config(
    served: Heard, name: str, mode: int, tmp_path: Path
) -> None:
    topic, group = written(served.address)
    properties = given(
        tmp_path,
        share_acquire_mode=name,
        max_poll_records="6",
        fetch_max_bytes="5000",
        fetch_max_wait_ms="123",
    )
    assert console(served.address, topic, group, properties).returncode == 0
    fetches = [
        request for request in served.of("ShareFetch") if request.body.value["group_id"] == group
    ]
    sent = {tuple(request.body.value[field] for field in SENT) for request in fetches}
    assert sent == {(6, 6, mode, 5000, 123, 1, False)}
    assert {request.version for request in fetches} == {2}
    assert [request.body.value["share_session_epoch"] for request in fetches] == list(
        range(len(fetches))
    )


SENT = (
    "max_records",
    "batch_size",
    "share_acquire_mode",
    "max_bytes",
    "max_wait_ms",
    "min_bytes",
    "is_renew_ack",
)


@pytest.mark.broker
def test_a_wrong_acquire_mode_is_an_error_that_lists_the_right_ones(
    served: Heard, tmp_path: Path
) -> None:
    done = console(served.address, "any", "any", given(tmp_path, share_acquire_mode="fastest"))
    assert done.returncode != 0
    answer = done.stdout + done.stderr
    assert "share.acquire.mode" in answer
    assert "batch_optimized" in answer.lower()
    assert "record_limit" in answer.lower()


def test_what_librdkafkas_share_consumer_sends_follows_its_config(served: Heard) -> None:
    topic, group = written(served.address)
    limits = {
        "fetch.max.bytes": 100_000,
        "message.max.bytes": 50_000,
        "fetch.wait.max.ms": 123,
        "max.poll.records": 6,
    }
    settings = {
        "bootstrap.servers": served.address,
        "group.id": group,
        "share.acknowledgement.mode": "explicit",
        "log_level": 0,
    }
    with ShareConsumer({**settings, **limits}) as consumer:
        consumer.subscribe([topic])
        polled(consumer, len(VALUES), AcknowledgeType.REJECT)
    fetches = [
        request.body.value
        for request in served.of("ShareFetch")
        if request.body.value["group_id"] == group
    ]
    sent = {
        tuple(fetch[field] for field in ("max_records", "batch_size", "max_bytes", "max_wait_ms"))
        for fetch in fetches
    }
    assert sent == {(6, 6, 100_000, 123)}
    confirmed = [
        kind
        for request in (*served.of("ShareFetch"), *served.of("ShareAcknowledge"))
        if request.body.value["group_id"] == group
        for named in request.body.value["topics"]
        for part in named["partitions"]
        for batch in part["acknowledgement_batches"]
        for kind in batch["acknowledge_types"]
        * (
            1
            if len(batch["acknowledge_types"]) > 1
            else batch["last_offset"] - batch["first_offset"] + 1
        )
    ]
    assert confirmed == [AcknowledgeType.REJECT.value] * len(VALUES)
