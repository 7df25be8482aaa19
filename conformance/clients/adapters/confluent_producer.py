"""The adapter for the producer of confluent-kafka, which is librdkafka."""

from __future__ import annotations

from typing import Any

import confluent_kafka
from confluent_kafka import KafkaException

from conformance.clients.adapters.confluent import error_name
from conformance.clients.adapters.line_loop import Command, must_have, serve
from conformance.clients.protocol import PRODUCER

NAMES = {
    "acks": "acks",
    "batch.size": "batch.size",
    "compression.type": "compression.type",
    "delivery.timeout.ms": "delivery.timeout.ms",
    "enable.idempotence": "enable.idempotence",
    "linger.ms": "linger.ms",
    "max.request.size": "message.max.bytes",
}
"""Its name for each option."""


class ConfluentProducer:
    """One `Producer`."""

    def __init__(self) -> None:
        self.producer: Any = None

    def open(self, command: Command) -> Command:
        """Make a producer; it connects by itself."""
        must_have(command["options"], NAMES)
        settings = {NAMES[name]: value for name, value in command["options"].items()}
        self.producer = confluent_kafka.Producer(
            {"bootstrap.servers": command["bootstrap"], "log_level": 0, **settings}
        )
        return {}

    def produce(self, command: Command) -> Command:
        """Give it records, and flush it."""
        results: list[int | str | None] = [None] * len(command["records"])

        def done(place: int, error: Any, message: Any) -> None:
            results[place] = message.offset() if error is None else error.name()

        for place, (topic, partition, value) in enumerate(command["records"]):
            try:
                self.producer.produce(
                    topic,
                    value,
                    partition=partition,
                    on_delivery=lambda error, message, place=place: done(place, error, message),
                )
            except KafkaException as refused:
                results[place] = error_name(refused)
        self.producer.flush()
        return {"results": results}

    def close(self, _: Command) -> Command:
        """Drop the producer."""
        self.producer = None
        return {}


if __name__ == "__main__":
    serve(
        "confluent-producer",
        f"{confluent_kafka.__version__} (librdkafka {confluent_kafka.libversion()[0]})",
        ConfluentProducer(),
        NAMES,
        error_name,
        PRODUCER,
    )
