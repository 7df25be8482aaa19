"""Settings that go to a broker and log lines that come from it: plain text, no broker needed."""

from pathlib import Path

import pytest

from conformance.systems import broker_log, properties
from conformance.systems.broker_config import render, server_properties, shareable
from conformance.systems.container import environment_name, settings
from conformance.systems.storage import cluster_id, initialize, new_id

REFUSED = """\
02:30:00.001 [main] [INFO] kafka.Kafka$ - starting
02:30:00.002 [main] [ERROR] kafka.Kafka$ - Exiting Kafka due to fatal exception
org.apache.kafka.common.config.ConfigException: Invalid value x for configuration \
log.segment.bytes: Not a number of type INT
\tat org.apache.kafka.common.config.ConfigDef.parseType(ConfigDef.java:787)
""".splitlines()

CAUSED = """\
02:30:00.002 [main] [ERROR] kafka.server.KafkaRaftServer - Fatal error
java.lang.RuntimeException: outer
\tat a.B.c(B.java:1)
Caused by: java.net.BindException: Address already in use
\tat d.E.f(E.java:2)
\t... 3 more
02:30:00.003 [main] [ERROR] another.Thing - later
java.lang.IllegalStateException: a consequence
""".splitlines()


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (
            REFUSED,
            (
                "org.apache.kafka.common.config.ConfigException: Invalid value x for configuration "
                "log.segment.bytes: Not a number of type INT"
            ),
        ),
        (CAUSED, "java.net.BindException: Address already in use"),
        (
            ['Exception in thread "main" java.lang.OutOfMemoryError: Java heap space'],
            "java.lang.OutOfMemoryError: Java heap space",
        ),
        (
            ["Error: Could not find or load main class kafka.Kafka"],
            "Could not find or load main class kafka.Kafka",
        ),
        (
            ["1 [main] [ERROR] kafka.Thing - no stack trace", "1 [main] [INFO] kafka.Thing - bye"],
            "no stack trace",
        ),
        (["1 [main] [INFO] kafka.Thing - all is well"], None),
        ([], None),
    ],
)
def test_the_reason_is_the_innermost_cause_of_the_first_error(
    lines: list[str], reason: str | None
) -> None:
    assert broker_log.reason(lines) == reason


def test_a_taken_port_is_distinguished_from_other_failures() -> None:
    assert broker_log.address_in_use(CAUSED)
    assert not broker_log.address_in_use(REFUSED)


def test_the_tail_of_a_log_is_its_last_lines(tmp_path: Path) -> None:
    log = tmp_path / "broker.log"
    assert broker_log.tail(log, 3) == ()
    log.write_bytes(b"".join(b"line %d\n" % number for number in range(100_000)) + b"\xff")
    assert broker_log.tail(log, 2) == ("line 99999", "�")
    assert broker_log.tail(log, 0) == ()
    assert broker_log.since(log, log.stat().st_size - 1) == ("�",)


def test_what_is_rendered_is_read_back_the_same() -> None:
    odd = {
        "plain": "1",
        "with space": " leading",
        "a=b:c": "#x\\y\n\t",
        "umlaut": "é€😀",
        "empty": "",
    }
    text = render(odd)
    assert text.isascii()
    assert {
        key: value.encode("utf-16", "surrogatepass").decode("utf-16")
        for key, value in properties.parse(text).items()
    } == odd


def test_given_settings_go_before_the_defaults() -> None:
    made = server_properties(Path("/data"), (1, 2), {"log.retention.ms": "5"})
    assert made["log.retention.ms"] == "5"
    assert made["listeners"] == "PLAINTEXT://127.0.0.1:1,CONTROLLER://127.0.0.1:2"
    assert made["offsets.topic.replication.factor"] == "1"


def test_only_harmless_settings_are_shareable() -> None:
    shown = shareable(
        {
            "log.segment.bytes": "1048576",
            "log.dirs": "/somewhere",
            "ssl.keystore.password": "s3cret",
            "sasl.jaas.config": "s3cret",
            "listeners": "PLAINTEXT://host:1",
            "group.consumer.assignors": "uniform,range",
            "log.message.timestamp.type": "password = s3cret",
        }
    )
    assert shown == {"log.segment.bytes": "1048576", "group.consumer.assignors": "uniform,range"}


def test_a_setting_becomes_the_variable_that_the_official_image_reads() -> None:
    assert environment_name("log.segment.bytes") == "KAFKA_LOG_SEGMENT_BYTES"
    assert environment_name("a-b_c.d") == "KAFKA_A___B__C_D"
    assert (
        settings(("h", 5), {})["advertised.listeners"] == "PLAINTEXT://h:5,BROKER://localhost:9093"
    )


def test_each_new_data_folder_gets_a_cluster_id_of_its_own(tmp_path: Path) -> None:
    formatted = tmp_path / "formatted"
    formatted.mkdir()
    (formatted / "bootstrap.checkpoint").write_bytes(b"features")
    assert cluster_id(tmp_path / "a") is None
    first, second = initialize(tmp_path / "a", formatted), initialize(tmp_path / "b", formatted)
    assert first != second
    assert (cluster_id(tmp_path / "a"), cluster_id(tmp_path / "b")) == (first, second)
    assert (tmp_path / "b" / "bootstrap.checkpoint").read_bytes() == b"features"


def test_an_id_never_looks_like_an_option() -> None:
    made = {new_id() for _ in range(500)}
    assert len(made) == 500
    assert all(len(text) == 22 and not text.startswith("-") for text in made)
