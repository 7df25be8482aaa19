"""The adapter for the producer of kafka-python."""

from __future__ import annotations

from typing import Any

import kafka

from conformance.clients.adapters.line_loop import Command, serve
from conformance.clients.adapters.options import Options, with_underscores
from conformance.clients.protocol import PRODUCER

OPTIONS = Options(
    numbers=with_underscores(
        "batch.size", "delivery.timeout.ms", "linger.ms", "max.request.size", "request.timeout.ms"
    ),
    texts=with_underscores("acks", "compression.type"),
    switches=with_underscores("enable.idempotence"),
)
LONGEST_S = 35.0
"""How long a record may take, seconds: longer than `delivery.timeout.ms`."""


class KafkaPythonProducer:
    """One `KafkaProducer`."""

    def __init__(self) -> None:
        self.producer: Any = None

    def open(self, command: Command) -> Command:
        """Make a producer, which connects."""
        settings = OPTIONS.settings(command["options"])
        self.producer = kafka.KafkaProducer(bootstrap_servers=command["bootstrap"], **settings)
        return {}

    def produce(self, command: Command) -> Command:
        """Give it records, and flush it."""
        futures: list[Any] = []
        for topic, partition, value in command["records"]:
            try:
                futures.append(self.producer.send(topic, value=value.encode(), partition=partition))
            except Exception as refused:  # noqa: BLE001 - whatever the library raises is the result
                futures.append(refused)
        self.producer.flush(LONGEST_S)
        return {"results": [result(one) for one in futures]}

    def close(self, _: Command) -> Command:
        """Close the producer."""
        producer, self.producer = self.producer, None
        if producer is not None:
            producer.close(timeout=1)
        return {}


def result(future: Any) -> int | str | None:
    """What became of a record."""
    if isinstance(future, Exception):
        return type(future).__name__
    if not future.is_done:
        return None
    if future.failed():
        return type(future.exception).__name__
    return int(future.value.offset)


if __name__ == "__main__":
    serve(
        "kafka-python-producer",
        kafka.__version__,
        KafkaPythonProducer(),
        OPTIONS.names,
        kind=PRODUCER,
    )
