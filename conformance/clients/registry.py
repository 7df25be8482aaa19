"""The clients that can be tested, by name, and how each is started.

A third party's client needs no entry: `--client-command` names the command of any adapter that
speaks the protocol.
"""

from __future__ import annotations

import subprocess
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.clients import cargo_build
from conformance.misuse import BadConfiguration
from conformance.own_process import own_command
from conformance.systems.base import NotAvailable
from conformance.systems.go_build import build_program, no_go
from conformance.systems.jars import available_versions, class_path
from conformance.systems.java import find_java
from spec.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable

DEFAULT_RELEASE = "4.3.1"
"""The release of a Java client where none is named."""
ADAPTERS = Path(__file__).parent / "adapters"
"""Where the adapters are that are no Python."""
JAVA_ADAPTER = ADAPTERS / "java" / "ConsumerAdapter.java"
_MODULES_S = 30.0


@frozen
class Client:
    """A client that can be tested.

    Attributes:
        name: how it is chosen.
        description: one line.
        command: makes the command line that starts it, given a release; empty for the client's own
            default.
        problem: why it can't be used here, with what to do about it; None if it can.
        has_releases: whether it has a release for each locked Kafka version.
    """

    name: str
    description: str
    command: Callable[[str], list[str]]
    problem: Callable[[], str | None]
    has_releases: bool = False


def java_command(release: str, *arguments: str) -> list[str]:
    """The command that runs the adapter of Kafka's Java consumer, of one Kafka release; with the
    argument `share` that of its share consumer, with `producer` that of its producer.

    Raises:
        NotAvailable: there is no Java that compiles, or a jar can't be had.
        UnknownVersion: no such release is locked.
    """
    if missing := _no_compiler():
        raise NotAvailable(missing)
    return [
        str(find_java().executable),
        *("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m"),
        "-Dorg.slf4j.simpleLogger.defaultLogLevel=off",
        *("-cp", ":".join([str(jar) for jar in class_path(release or DEFAULT_RELEASE)])),
        str(JAVA_ADAPTER),
        *arguments,
    ]


@cache
def _no_compiler() -> str | None:
    """Why Java's source launcher can't be used here."""
    try:
        java = find_java()
    except NotAvailable as missing:
        return str(missing)
    listed = subprocess.run(  # noqa: S603 - the Java that was found
        [java.executable, "--list-modules"],
        capture_output=True,
        text=True,
        check=False,
        timeout=_MODULES_S,
    )
    if "jdk.compiler@" in listed.stdout:
        return None
    return (
        f"expected a JDK, whose source launcher compiles the adapter, found {java.executable} "
        f"({java.source}) without the module jdk.compiler; install a JDK and set JAVA_HOME to it"
    )


def _python(module: str, package: str, wheel: str, name: str, description: str) -> Client:
    """A client that is a Python package, driven by one of our modules."""

    def problem() -> str | None:
        if find_spec(package) is not None:
            return None
        return f"expected the package {package}, found none; pip install {wheel}"

    adapter = f"conformance.clients.adapters.{module}"
    return Client(name, description, lambda _: own_command(adapter), problem)


CLIENTS = (
    Client(
        "java",
        "Kafka's own Java consumer; java:4.2.2 names its release (needs a JDK)",
        java_command,
        _no_compiler,
        has_releases=True,
    ),
    Client(
        "java-share",
        "Kafka's own share consumer, of releases from 4.1 on (needs a JDK)",
        lambda release: java_command(release, "share"),
        _no_compiler,
        has_releases=True,
    ),
    Client(
        "java-producer",
        "Kafka's own producer (needs a JDK)",
        lambda release: java_command(release, "producer"),
        _no_compiler,
        has_releases=True,
    ),
    _python(
        "confluent",
        "confluent_kafka",
        "confluent-kafka",
        "confluent",
        "confluent-kafka, which is librdkafka",
    ),
    _python(
        "confluent_share",
        "confluent_kafka",
        "confluent-kafka",
        "confluent-share",
        "the share consumer of confluent-kafka, which is librdkafka",
    ),
    _python(
        "confluent_producer",
        "confluent_kafka",
        "confluent-kafka",
        "confluent-producer",
        "the producer of confluent-kafka, which is librdkafka",
    ),
    _python("kafka_python", "kafka", "kafka-python", "kafka-python", "kafka-python"),
    _python(
        "kafka_python_producer",
        "kafka",
        "kafka-python",
        "kafka-python-producer",
        "the producer of kafka-python",
    ),
    _python("aio_kafka", "aiokafka", "aiokafka", "aiokafka", "aiokafka"),
    _python(
        "aio_kafka_producer",
        "aiokafka",
        "aiokafka",
        "aiokafka-producer",
        "the producer of aiokafka",
    ),
    Client(
        "franz-go",
        "franz-go, built when it is first used (needs Go)",
        lambda _: [str(build_program(ADAPTERS / "franz_go"))],
        no_go,
    ),
    Client(
        "franz-go-producer",
        "the producer of franz-go, built when it is first used (needs Go)",
        lambda _: [str(build_program(ADAPTERS / "franz_go")), "producer"],
        no_go,
    ),
    Client(
        "krafka",
        "krafka, built when it is first used (needs Rust 1.95)",
        lambda _: [str(cargo_build.build_program(ADAPTERS / "krafka"))],
        cargo_build.no_cargo,
    ),
)


def client_command(name: str) -> list[str]:
    """The command that starts the client of that name, `java:4.2.2` with a release.

    Raises:
        BadConfiguration: there is none.
        NotAvailable: it can't be used here.
        UnknownVersion: no such release is locked.
    """
    wanted, _, release = name.partition(":")
    for client in CLIENTS:
        if client.name == wanted and (client.has_releases or not release):
            if (problem := client.problem()) is not None:
                raise NotAvailable(problem)
            return client.command(release)
    known = ", ".join([client.name for client in CLIENTS])
    raise BadConfiguration(
        f"expected one of the clients {known} (java, java-share and java-producer also with a "
        f"release, java:{available_versions()[0]}), found {name!r}; `fencepost systems` says what "
        "each needs"
    )
