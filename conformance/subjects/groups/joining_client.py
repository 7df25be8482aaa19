"""A process in which one Python client joins a group and says what it was answered: a line
`joined`, or `error` and its name.

`python -m conformance.subjects.groups.joining_client CLIENT PROTOCOL BOOTSTRAP TOPIC GROUP`. It
runs until it is answered or killed. The clients are no dependency of Fencepost's: each is looked
for where it is used.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def librdkafka(protocol: str, bootstrap: str, topic: str, group: str) -> str:
    """Join by confluent-kafka."""
    from confluent_kafka import Consumer  # noqa: PLC0415

    timeouts = (
        {"session.timeout.ms": 6000, "heartbeat.interval.ms": 1000} if protocol == "classic" else {}
    )
    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": group,
            "group.protocol": protocol,
            "log_level": 0,
            **timeouts,
        }
    )
    consumer.subscribe([topic])
    while not consumer.assignment():
        message = consumer.poll(0.2)
        if message is not None and (error := message.error()) is not None:
            return f"error {error.name()}: {error.str()}"
    return "joined"


def kafka_python(_: str, bootstrap: str, topic: str, group: str) -> str:
    """Join by kafka-python, which has classic groups alone."""
    from kafka import KafkaConsumer  # noqa: PLC0415
    from kafka.errors import KafkaError  # noqa: PLC0415

    consumer = KafkaConsumer(topic, bootstrap_servers=bootstrap, group_id=group)
    try:
        while not consumer.assignment():
            consumer.poll(timeout_ms=200)
    except KafkaError as error:
        return f"error {type(error).__name__}"
    return "joined"


CLIENTS: dict[str, Callable[[str, str, str, str], str]] = {
    "librdkafka": librdkafka,
    "kafka-python": kafka_python,
}


def main() -> None:
    """Join as the command line says."""
    name, *rest = sys.argv[1:]
    print(CLIENTS[name](*rest), flush=True)  # noqa: T201  it is what the other process reads


if __name__ == "__main__":
    main()
