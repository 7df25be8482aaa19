"""The behaviour of a client that joins a full group: it reports that to its application
(GRP-060), or it is reported as spinning.

Each client joins in a process of its own, which is killed at a hard deadline.
"""

from __future__ import annotations

import re
import struct
import subprocess
import threading
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from conformance.own_process import own_command, own_environment
from conformance.subjects.groups.coordinator import await_coordinator
from conformance.systems.jars import tools_class_path
from conformance.systems.java import find_java
from spec.frozen import frozen
from spec.groups.releases import CLASSIC_LIMIT, CONSUMER_LIMIT, SHARE_LIMIT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.cluster import Cluster

DEADLINE_S = 45.0
"""How long a client may take to say what it was answered, its start included."""
LIMIT = 1
FULL_AT_ONE = {CLASSIC_LIMIT: str(LIMIT), CONSUMER_LIMIT: str(LIMIT), SHARE_LIMIT: str(LIMIT)}
"""The settings of the broker: one member fills a group."""
SESSION_MS = 120_000
"""The session of the member that fills it, which outlasts every client's deadline."""
TOOLS = "4.3.1"
"""The release whose console consumers are run: they are Kafka's own Java clients."""


class ClientFate(StrEnum):
    """The fate of a client."""

    REFUSED = "refused"
    """It reported GROUP_MAX_SIZE_REACHED to its application."""
    FAILED = "failed"
    """It reported another error to its application, or ended silently."""
    JOINED = "joined"
    """It became a member all the same."""
    SPINNING = "spinning"
    """It reported nothing and was still trying when its time was over."""


@frozen
class Client:
    """A client, by a group protocol that it knows: `classic`, `consumer` or `share`."""

    name: str
    protocol: str


@frozen
class Report:
    """The fate of a client, and the line by which it reported it, or its last one."""

    client: Client
    did: ClientFate
    said: str


CLIENTS = (
    Client("java", "classic"),
    Client("java", "consumer"),
    Client("java", "share"),
    Client("librdkafka", "classic"),
    Client("librdkafka", "consumer"),
    Client("kafka-python", "classic"),
)

_REFUSED = re.compile(
    r"^error .*(GroupMaxSizeReached|GROUP_MAX_SIZE_REACHED|Consumer group has reached maximum size)"
    r"|^org\.apache\.kafka\.common\.errors\.GroupMaxSizeReachedException"
)
"""The report to the application, not what a client only logs: by the Python clients' own line,
where librdkafka's fatal errors have a text alone; by the trace of the exception that ends a console
consumer."""
_JOINED = re.compile(
    r"^joined$|Adding newly assigned partitions|Successfully joined group with generation"
)


def serve(cluster: Cluster, topic: str) -> None:
    """Get a broker with `FULL_AT_ONE` ready: its group coordinator, and a topic that clients
    subscribe to.

    Raises:
        AssertionError: the topic can't be made.
        NoAnswer, NotConnected: the broker is gone.
    """
    await_coordinator(cluster)
    with cluster.connect() as connection:
        wanted = {
            "name": topic,
            "num_partitions": 1,
            "replication_factor": 1,
            "assignments": [],
            "configs": [],
        }
        made = connection.ask(
            "CreateTopics",
            cluster.version("CreateTopics", 7),
            {"topics": [wanted], "timeout_ms": 30_000},
        )
        assert made["topics"][0]["error_code"] == 0, made


def joining(client: Client, bootstrap: str, topic: str, group: str) -> Report:
    """Let a client join a group, and return what it did by the deadline.

    Raises:
        NotAvailable: there is no Java, or the jars of Kafka's tools can't be had.
    """
    return watch(client, _command(client, bootstrap, topic, group))


def watch(client: Client, command: Sequence[str], deadline_s: float = DEADLINE_S) -> Report:
    """The output of a command that joins a group as a client, until it speaks plainly, ends or is
    killed at its deadline.
    """
    process = subprocess.Popen(  # noqa: S603
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=own_environment(),
    )
    overdue = threading.Event()

    def end() -> None:
        overdue.set()
        process.kill()

    timer = threading.Timer(deadline_s, end)
    timer.start()
    last = ""
    try:
        assert process.stdout is not None
        for line in process.stdout:
            last = line.strip() or last
            if _REFUSED.search(line) or _JOINED.search(line):
                return Report(
                    client, ClientFate.REFUSED if _REFUSED.search(line) else ClientFate.JOINED, last
                )
        return Report(client, ClientFate.SPINNING if overdue.is_set() else ClientFate.FAILED, last)
    finally:
        timer.cancel()
        process.kill()
        process.communicate()


def _command(client: Client, bootstrap: str, topic: str, group: str) -> list[str]:
    if client.name != "java":
        return own_command(
            "conformance.subjects.groups.joining_client",
            client.name,
            client.protocol,
            bootstrap,
            topic,
            group,
        )
    class_path = ":".join([str(jar) for jar in tools_class_path(TOOLS)])
    java = [str(find_java().executable), "-XX:TieredStopAtLevel=1", "-Xmx128m", "-cp", class_path]
    where = ["--bootstrap-server", bootstrap, "--topic", topic, "--group", group]
    if client.protocol == "share":
        return [*java, "org.apache.kafka.tools.consumer.ConsoleShareConsumer", *where]
    protocol = ["--command-property", f"group.protocol={client.protocol}"]
    return [*java, "org.apache.kafka.tools.consumer.ConsoleConsumer", *where, *protocol]


def fill(cluster: Cluster, protocol: str, group: str, topic: str) -> None:
    """Make one member of a group, which fills it under `FULL_AT_ONE`; it stays for `SESSION_MS`, or
    the broker's default session.

    Raises:
        AssertionError: the broker does not let the first member in.
        NoAnswer, NotConnected: it is gone.
    """
    with cluster.connect() as connection:
        if protocol == "classic":
            subscription = (
                struct.pack(">hih", 0, 1, len(topic)) + topic.encode() + struct.pack(">i", -1)
            )
            value: dict[str, Any] = {
                "group_id": group,
                "member_id": "",
                "session_timeout_ms": SESSION_MS,
                "rebalance_timeout_ms": 1000,
            }
            value |= {
                "protocol_type": "consumer",
                "protocols": [{"name": "range", "metadata": subscription}],
            }
            joined = connection.ask("JoinGroup", 3, value)
            assert joined["error_code"] == 0, joined
            synced = {
                "group_id": group,
                "generation_id": joined["generation_id"],
                "member_id": joined["member_id"],
                "assignments": [],
            }
            assert connection.ask("SyncGroup", 2, synced)["error_code"] == 0
            return
        value = {
            "group_id": group,
            "member_id": "fencepost",
            "member_epoch": 0,
            "rack_id": None,
            "subscribed_topic_names": [topic],
        }
        api = "ShareGroupHeartbeat" if protocol == "share" else "ConsumerGroupHeartbeat"
        if protocol == "consumer":
            value |= {
                "instance_id": None,
                "rebalance_timeout_ms": 30_000,
                "subscribed_topic_regex": None,
                "server_assignor": None,
            }
            value["topic_partitions"] = []
        answer = connection.ask(api, cluster.version(api, 1), value)
        assert answer["error_code"] == 0, answer
