"""The adapter for the producer of aiokafka."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import aiokafka

from conformance.clients.adapters.line_loop import Command, serve
from conformance.clients.adapters.options import Options, with_underscores
from conformance.clients.protocol import PRODUCER

if TYPE_CHECKING:
    from collections.abc import Coroutine

OPTIONS = Options(
    numbers=with_underscores("linger.ms", "max.request.size", "request.timeout.ms")
    | {"batch.size": "max_batch_size"},
    texts=with_underscores("acks", "compression.type"),
    switches=with_underscores("enable.idempotence"),
)


class AioKafkaProducer:
    """One `AIOKafkaProducer`, whose loop runs while a command is under way."""

    def __init__(self) -> None:
        self.producer: Any = None
        self.loop = asyncio.new_event_loop()

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        """What a coroutine returns."""
        return self.loop.run_until_complete(work)

    def open(self, command: Command) -> Command:
        """Connect."""
        self.run(self._start(command["bootstrap"], OPTIONS.settings(command["options"])))
        return {}

    async def _start(self, bootstrap: str, settings: Command) -> None:
        self.producer = aiokafka.AIOKafkaProducer(bootstrap_servers=bootstrap, **settings)
        await self.producer.start()

    def produce(self, command: Command) -> Command:
        """Give it records, and wait until each has a result."""
        return {"results": self.run(self._produce(command["records"]))}

    async def _produce(self, records: list[list[Any]]) -> list[int | str]:
        futures: list[Any] = []
        for topic, partition, value in records:
            try:
                futures.append(await self.producer.send(topic, value.encode(), partition=partition))
            except Exception as refused:  # noqa: BLE001 - whatever the library raises is the result
                futures.append(refused)
        awaited = [one for one in futures if not isinstance(one, Exception)]
        await asyncio.gather(*awaited, return_exceptions=True)
        return [result(one) for one in futures]

    def close(self, _: Command) -> Command:
        """Close the producer."""
        producer, self.producer = self.producer, None
        if producer is not None:
            self.run(producer.stop())
        return {}


def result(future: Any) -> int | str:
    """What became of a record."""
    failed = future if isinstance(future, Exception) else future.exception()
    return type(failed).__name__ if failed is not None else int(future.result().offset)


if __name__ == "__main__":
    serve(
        "aiokafka-producer",
        aiokafka.__version__,
        AioKafkaProducer(),
        OPTIONS.names,
        kind=PRODUCER,
    )
