"""The adapter for confluent-kafka, which is librdkafka."""

from __future__ import annotations

import time
from typing import Any

import confluent_kafka
from confluent_kafka import (
    OFFSET_BEGINNING,
    OFFSET_END,
    OFFSET_STORED,
    KafkaError,
    KafkaException,
    TopicPartition,
)

from conformance.clients.adapters.line_loop import Command, must_have, record, serve

NAMES = {
    "auto.offset.reset": "auto.offset.reset",
    "check.crcs": "check.crcs",
    "enable.auto.commit": "enable.auto.commit",
    "fetch.max.bytes": "fetch.max.bytes",
    "fetch.max.wait.ms": "fetch.wait.max.ms",
    "fetch.min.bytes": "fetch.min.bytes",
    "group.id": "group.id",
    "group.protocol": "group.protocol",
    "heartbeat.interval.ms": "heartbeat.interval.ms",
    "isolation.level": "isolation.level",
    "max.partition.fetch.bytes": "max.partition.fetch.bytes",
    "session.timeout.ms": "session.timeout.ms",
}
"""Its name for each option."""
MAX_POLL_RECORDS = "max.poll.records"
"""It has no such option: `consume` takes a number of messages."""
MOST_RECORDS = 500
"""What a poll takes where nothing is asked, as of Kafka's Java consumer."""
LARGEST = 1_000_000
"""What `consume` takes at most."""
SMALLEST_MESSAGE = 1000
"""The least `message.max.bytes`."""
SEEK_S = 5.0
"""How long a partition may take to be fetched at all, before which it can't be sought in,
seconds."""


class Confluent:
    """One `Consumer`."""

    def __init__(self) -> None:
        self.consumer: Any = None
        self.most = MOST_RECORDS
        self.start = OFFSET_STORED
        self.failed: Any = None

    def open(self, command: Command) -> Command:
        """Make a consumer; it connects by itself."""
        options = dict(command["options"])
        must_have(options, {*NAMES, MAX_POLL_RECORDS})
        self.most = min(int(options.pop(MAX_POLL_RECORDS, MOST_RECORDS)), LARGEST)
        settings = {NAMES[name]: value for name, value in options.items()}
        self.start, self.failed = OFFSET_STORED, None
        if "group.id" not in options:
            settings |= {"group.id": "unused", "enable.auto.commit": "false"}
            earliest = options.get("auto.offset.reset") == "earliest"
            self.start = OFFSET_BEGINNING if earliest else OFFSET_END
        if "fetch.max.bytes" in settings:
            # it refuses fetches below the largest message that it would produce
            largest = min(int(settings["fetch.max.bytes"]), LARGEST)
            settings["message.max.bytes"] = str(max(largest, SMALLEST_MESSAGE))
        self.consumer = confluent_kafka.Consumer(
            {"bootstrap.servers": command["bootstrap"], "log_level": 0, **settings}
        )
        return {}

    def assign(self, command: Command) -> Command:
        """Take these partitions; one that was assigned before keeps its position."""
        before = self.consumer.position(self.consumer.assignment())
        kept = {(one.topic, one.partition): one.offset for one in before if one.offset >= 0}
        self.consumer.assign(
            [partition_at(one, kept.get(tuple(one), self.start)) for one in command["partitions"]]
        )
        return {}

    def subscribe(self, command: Command) -> Command:
        """Take what the group gives of these topics."""
        self.consumer.subscribe(command["topics"])
        return {}

    def poll(self, command: Command) -> Command:
        """Wait for one message, and take what is there besides.

        An error that comes behind records is reported by the next poll.
        """
        if self.failed is not None:
            failed, self.failed = self.failed, None
            raise KafkaException(failed)
        first = self.consumer.poll(command["timeout_ms"] / 1000)
        messages = [] if first is None else [first]
        if first is not None and self.most > 1:
            messages += self.consumer.consume(self.most - 1, 0.0)
        errors = [one.error() for one in messages if one.error() is not None]
        records = [one for one in messages if one.error() is None]
        if errors and not records:
            raise KafkaException(errors[0])
        self.failed = errors[0] if errors else None
        return {
            "records": [
                record(one.topic(), one.partition(), one.offset(), one.key(), one.value())
                for one in records
            ]
        }

    def pause(self, command: Command) -> Command:
        """Deliver nothing of these partitions."""
        self.consumer.pause([TopicPartition(*one) for one in command["partitions"]])
        return {}

    def resume(self, command: Command) -> Command:
        """Deliver again of these partitions."""
        self.consumer.resume([TopicPartition(*one) for one in command["partitions"]])
        return {}

    def seek(self, command: Command) -> Command:
        """Continue a partition at an offset, as soon as it is fetched at all."""
        until = time.monotonic() + SEEK_S
        while True:
            try:
                self.consumer.seek(partition_at(command["partition"], command["offset"]))
            except KafkaException as failed:
                # its fetcher starts in another thread, and no call awaits that
                if failed.args[0].code() != KafkaError._STATE or time.monotonic() > until:  # noqa: SLF001
                    raise
                time.sleep(0.005)
            else:
                return {}

    def position(self, command: Command) -> Command:
        """The offset after the last record that was delivered of a partition."""
        (found,) = self.consumer.position([TopicPartition(*command["partition"])])
        return {"offset": found.offset}

    def commit(self, command: Command) -> Command:
        """Commit the offsets given, or all positions."""
        offsets = [TopicPartition(*one) for one in command.get("offsets") or ()]
        self.consumer.commit(asynchronous=False, **({"offsets": offsets} if offsets else {}))
        return {}

    def close(self, _: Command) -> Command:
        """Close the consumer."""
        consumer, self.consumer = self.consumer, None
        if consumer is not None:
            consumer.close()
        return {}


def partition_at(partition: list[Any], offset: int) -> TopicPartition:
    """A partition with an offset in it."""
    topic, number = partition
    return TopicPartition(topic, number, offset)


def error_name(error: Exception) -> str:
    """The name of an error of librdkafka: `_MSG_TIMED_OUT`."""
    if isinstance(error, KafkaException) and error.args:
        return str(error.args[0].name())
    return type(error).__name__


if __name__ == "__main__":
    serve(
        "confluent-kafka",
        f"{confluent_kafka.__version__} (librdkafka {confluent_kafka.libversion()[0]})",
        Confluent(),
        {*NAMES, MAX_POLL_RECORDS},
        error_name,
    )
