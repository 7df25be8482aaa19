"""The adapter for the share consumer of confluent-kafka, which is librdkafka."""

from __future__ import annotations

from typing import Any

import confluent_kafka
from confluent_kafka import AcknowledgeType, KafkaException

from conformance.clients.adapters.confluent import error_name
from conformance.clients.adapters.line_loop import Command, must_have, record, serve
from conformance.clients.protocol import SHARE_CONSUMER

OPTIONS = {
    "fetch.max.bytes": "fetch.max.bytes",
    "fetch.max.wait.ms": "fetch.wait.max.ms",
    "fetch.min.bytes": "fetch.min.bytes",
    "group.id": "group.id",
    "max.poll.records": "max.poll.records",
    "share.acknowledgement.mode": "share.acknowledgement.mode",
}
"""Its name for each option."""


class ConfluentShare:
    """One `ShareConsumer`."""

    def __init__(self) -> None:
        self.consumer: Any = None

    def open(self, command: Command) -> Command:
        """Make a consumer; it connects by itself."""
        must_have(command["options"], OPTIONS)
        settings = {OPTIONS[name]: value for name, value in command["options"].items()}
        self.consumer = confluent_kafka.ShareConsumer(
            {"bootstrap.servers": command["bootstrap"], "log_level": 0, **settings}
        )
        return {}

    def subscribe(self, command: Command) -> Command:
        """Take what the share group gives of these topics."""
        self.consumer.subscribe(command["topics"])
        return {}

    def poll(self, command: Command) -> Command:
        """Poll once."""
        messages = list(self.consumer.poll(command["timeout_ms"] / 1000))
        errors = [one.error() for one in messages if one.error() is not None]
        records = [one for one in messages if one.error() is None]
        if errors and not records:
            raise KafkaException(errors[0])
        return {
            "records": [
                record(
                    one.topic(),
                    one.partition(),
                    one.offset(),
                    one.key(),
                    one.value(),
                    one.delivery_count(),
                )
                for one in records
            ]
        }

    def acknowledge(self, command: Command) -> Command:
        """Acknowledge records, and wait until that is committed."""
        way = AcknowledgeType[command["way"].upper()]
        for topic, partition, offset in command["records"]:
            self.consumer.acknowledge_offset(topic, partition, offset, way)
        return self.commit(command)

    def commit(self, _: Command) -> Command:
        """Commit what is acknowledged, and wait for the answer."""
        failed = [one for one in self.consumer.commit_sync(10.0).values() if one is not None]
        if failed:
            raise failed[0]
        return {}

    def close(self, _: Command) -> Command:
        """Close the consumer."""
        consumer, self.consumer = self.consumer, None
        if consumer is not None:
            consumer.close()
        return {}


if __name__ == "__main__":
    serve(
        "confluent-share",
        f"{confluent_kafka.__version__} (librdkafka {confluent_kafka.libversion()[0]})",
        ConfluentShare(),
        OPTIONS,
        error_name,
        SHARE_CONSUMER,
    )
