"""Kafka's own console tools, and so its Java clients, can use the served model."""

import subprocess

import pytest

from conformance.systems.jars import tools_class_path
from conformance.systems.java import find_java

pytestmark = pytest.mark.broker

VERSION = "4.3.1"
TOOLS = "org.apache.kafka.tools."
TIMEOUT_S = 300


def tool(name: str, address: str, *arguments: str, given: str = "") -> str:
    """What a tool prints."""
    class_path = ":".join(str(jar) for jar in tools_class_path(VERSION))
    command = [
        str(find_java().executable),
        "-XX:TieredStopAtLevel=1",
        "-cp",
        class_path,
        name,
        "--bootstrap-server",
        address,
        *arguments,
    ]
    done = subprocess.run(
        command, input=given, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_topic_is_made_described_written_and_read(address: str) -> None:
    assert "Created topic tools" in tool(
        f"{TOOLS}TopicCommand", address, "--create", "--topic", "tools", "--partitions", "2"
    )
    assert "PartitionCount: 2" in tool(
        f"{TOOLS}TopicCommand", address, "--describe", "--topic", "tools"
    )
    tool(f"{TOOLS}ConsoleProducer", address, "--topic", "tools", given="one\ntwo\nthree\n")
    ends = tool(f"{TOOLS}GetOffsetShell", address, "--topic", "tools").split()
    assert sum(int(line.rpartition(":")[2]) for line in ends) == 3
    (partition,) = [line.split(":")[1] for line in ends if line.endswith(":3")]
    wanted = (
        "--topic",
        "tools",
        "--partition",
        partition,
        "--offset",
        "earliest",
        "--max-messages",
        "3",
    )
    assert tool(f"{TOOLS}consumer.ConsoleConsumer", address, *wanted).split() == [
        "one",
        "two",
        "three",
    ]
