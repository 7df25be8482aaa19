"""librdkafka's mock cluster of one broker, which lives as long as this process; run as a module.

It writes `listens on HOST:PORT`, as `conformance.systems.implementation` expects.
"""

from __future__ import annotations

import signal


def main() -> None:
    """Hold a mock cluster until SIGTERM."""
    from confluent_kafka import Producer  # noqa: PLC0415  optional

    producer = Producer({"bootstrap.servers": "mock", "test.mock.num.brokers": 1})
    (broker,) = producer.list_topics(timeout=10).brokers.values()
    print(f"listens on {broker.host}:{broker.port}", flush=True)  # noqa: T201 - its one output
    signal.sigwait({signal.SIGTERM, signal.SIGINT})


if __name__ == "__main__":
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})
    main()
