"""The adapter for aiokafka."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import aiokafka
from aiokafka import TopicPartition

from conformance.clients.adapters.kafka_python_api import KafkaPythonApi, records_of
from conformance.clients.adapters.line_loop import Command, serve
from conformance.clients.adapters.options import OF_CONSUMERS

if TYPE_CHECKING:
    from collections.abc import Coroutine


class AioKafka(KafkaPythonApi):
    """One `AIOKafkaConsumer`, whose loop runs while a command is under way."""

    partition_type = TopicPartition

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        """What a coroutine returns."""
        return self.loop.run_until_complete(work)

    def open(self, command: Command) -> Command:
        """Connect."""
        self.run(self._start(command["bootstrap"], OF_CONSUMERS.settings(command["options"])))
        return {}

    async def _start(self, bootstrap: str, settings: Command) -> None:
        self.consumer = aiokafka.AIOKafkaConsumer(bootstrap_servers=bootstrap, **settings)
        await self.consumer.start()

    def assign(self, command: Command) -> Command:
        """Take these partitions; one that was assigned before keeps its position."""
        self.run(self._assign(self.partitions(command)))
        return {}

    async def _assign(self, partitions: list[TopicPartition]) -> None:
        kept = {
            one: await self.consumer.position(one)
            for one in self.consumer.assignment()
            if one in partitions
        }
        self.consumer.assign(partitions)
        for one, offset in kept.items():
            self.consumer.seek(one, offset)

    def poll(self, command: Command) -> Command:
        """Poll once."""
        found = self.run(self.consumer.getmany(timeout_ms=command["timeout_ms"]))
        return records_of(found)

    def position(self, command: Command) -> Command:
        """The offset after the last record that was delivered of a partition."""
        return {"offset": self.run(self.consumer.position(self.partition(command)))}

    def commit(self, command: Command) -> Command:
        """Commit the offsets given, or all positions."""
        offsets = {
            TopicPartition(topic, partition): offset
            for topic, partition, offset in command.get("offsets") or ()
        }
        self.run(self.consumer.commit(offsets or None))
        return {}

    def close(self, _: Command) -> Command:
        """Close the consumer."""
        consumer, self.consumer = self.consumer, None
        if consumer is not None:
            self.run(consumer.stop())
        return {}


if __name__ == "__main__":
    serve("aiokafka", aiokafka.__version__, AioKafka(), OF_CONSUMERS.names)
