"""The adapter for kafka-python."""

from __future__ import annotations

import kafka
from kafka.structs import OffsetAndMetadata, TopicPartition

from conformance.clients.adapters.kafka_python_api import KafkaPythonApi, records_of
from conformance.clients.adapters.line_loop import Command, serve
from conformance.clients.adapters.options import OF_CONSUMERS


class KafkaPython(KafkaPythonApi):
    """One `KafkaConsumer`."""

    partition_type = TopicPartition

    def open(self, command: Command) -> Command:
        """Connect."""
        settings = OF_CONSUMERS.settings(command["options"])
        self.consumer = kafka.KafkaConsumer(bootstrap_servers=command["bootstrap"], **settings)
        return {}

    def assign(self, command: Command) -> Command:
        """Take these partitions."""
        self.consumer.assign(self.partitions(command))
        return {}

    def poll(self, command: Command) -> Command:
        """Poll once."""
        found = self.consumer.poll(timeout_ms=command["timeout_ms"])
        return records_of(found)

    def position(self, command: Command) -> Command:
        """The offset after the last record that was delivered of a partition."""
        return {"offset": self.consumer.position(self.partition(command))}

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
