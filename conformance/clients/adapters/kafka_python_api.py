"""The commands that kafka-python and aiokafka act on in the same way, since aiokafka has taken over
kafka-python's API.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.clients.adapters.line_loop import Command, record

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class KafkaPythonApi:
    """A consumer with this API; None before `open`, and after `close`.

    Attributes:
        partition_type: the library's `TopicPartition`.
    """

    partition_type: Any
    consumer: Any = None

    def subscribe(self, command: Command) -> Command:
        """Take what the group gives of these topics."""
        self.consumer.subscribe(command["topics"])
        return {}

    def pause(self, command: Command) -> Command:
        """Deliver nothing of these partitions."""
        self.consumer.pause(*self.partitions(command))
        return {}

    def resume(self, command: Command) -> Command:
        """Deliver again of these partitions."""
        self.consumer.resume(*self.partitions(command))
        return {}

    def seek(self, command: Command) -> Command:
        """Continue a partition at an offset."""
        self.consumer.seek(self.partition(command), command["offset"])
        return {}

    def partition(self, command: Command) -> Any:
        """The partition that a command names."""
        return self.partition_type(*command["partition"])

    def partitions(self, command: Command) -> list[Any]:
        """The partitions that a command names."""
        return [self.partition_type(*one) for one in command["partitions"]]


def records_of(found: Mapping[Any, Iterable[Any]]) -> Command:
    """What a poll returned, by partition, as the protocol has it."""
    return {
        "records": [
            record(one.topic, one.partition, one.offset, one.key, one.value)
            for records in found.values()
            for one in records
        ]
    }
