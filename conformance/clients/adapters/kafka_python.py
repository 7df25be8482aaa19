"""The adapter for kafka-python."""

from __future__ import annotations

from typing import Any

import kafka
from kafka.structs import OffsetAndMetadata, TopicPartition

from conformance.clients.adapters.line_loop import Command, record, serve
from conformance.clients.adapters.options import OF_CONSUMERS


class KafkaPython:
    """One `KafkaConsumer`."""

    def __init__(self) -> None:
        self.consumer: Any = None

    def open(self, command: Command) -> Command:
        """Connect."""
        settings = OF_CONSUMERS.settings(command["options"])
        self.consumer = kafka.KafkaConsumer(bootstrap_servers=command["bootstrap"], **settings)
        return {}

    def assign(self, command: Command) -> Command:
        """Take these partitions."""
        self.consumer.assign([TopicPartition(*one) for one in command["partitions"]])
        return {}

    def subscribe(self, command: Command) -> Command:
        """Take what the group gives of these topics."""
        self.consumer.subscribe(command["topics"])
        return {}

    def poll(self, command: Command) -> Command:
        """Poll once."""
        found = self.consumer.poll(timeout_ms=command["timeout_ms"])
        return {
            "records": [
                record(one.topic, one.partition, one.offset, one.key, one.value)
                for records in found.values()
                for one in records
            ]
        }

    def pause(self, command: Command) -> Command:
        """Deliver nothing of these partitions."""
        self.consumer.pause(*[TopicPartition(*one) for one in command["partitions"]])
        return {}

    def resume(self, command: Command) -> Command:
        """Deliver again of these partitions."""
        self.consumer.resume(*[TopicPartition(*one) for one in command["partitions"]])
        return {}

    def seek(self, command: Command) -> Command:
        """Continue a partition at an offset."""
        self.consumer.seek(TopicPartition(*command["partition"]), command["offset"])
        return {}

    def position(self, command: Command) -> Command:
        """The offset after the last record that was delivered of a partition."""
        return {"offset": self.consumer.position(TopicPartition(*command["partition"]))}

    def commit(self, command: Command) -> Command:
        """Commit the offsets given, or all positions."""
        offsets = {
            TopicPartition(topic, partition): OffsetAndMetadata(offset, "", -1)
            for topic, partition, offset in command.get("offsets") or ()
        }
        self.consumer.commit(offsets or None)
        return {}

    def close(self, _: Command) -> Command:
        """Close the consumer; commit nothing."""
        consumer, self.consumer = self.consumer, None
        if consumer is not None:
            consumer.close(autocommit=False)
        return {}


if __name__ == "__main__":
    serve("kafka-python", kafka.__version__, KafkaPython(), OF_CONSUMERS.names)
