"""The adapter for aiokafka."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import aiokafka
from aiokafka import TopicPartition

from conformance.clients.adapters.line_loop import Command, record, serve
from conformance.clients.adapters.options import OF_CONSUMERS

if TYPE_CHECKING:
    from collections.abc import Coroutine


class AioKafka:
    """One `AIOKafkaConsumer`, whose loop runs while a command is under way."""

    def __init__(self) -> None:
        self.consumer: Any = None
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
        self.run(self._assign([TopicPartition(*one) for one in command["partitions"]]))
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

    def subscribe(self, command: Command) -> Command:
        """Take what the group gives of these topics."""
        self.consumer.subscribe(command["topics"])
        return {}

    def poll(self, command: Command) -> Command:
        """Poll once."""
        found = self.run(self.consumer.getmany(timeout_ms=command["timeout_ms"]))
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
        return {"offset": self.run(self.consumer.position(TopicPartition(*command["partition"])))}

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
