"""Real clients in a consumer group on the served model: they share partitions, commit, and are
refused by a full group.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from confluent_kafka import Consumer, KafkaError, Producer

from conformance.systems.model import Model

pytestmark = [
    pytest.mark.system,
    pytest.mark.filterwarnings("ignore:.*is deprecated. Use files:DeprecationWarning"),
]

DEADLINE_S = 120.0
"""How long a client may take to say what it was answered."""
TOPIC = "shared"
LIMIT = 2
VALUES = 20
CLASSIC = {"session.timeout.ms": 45_000, "heartbeat.interval.ms": 200}
CONSUMER = {"group.protocol": "consumer"}
"""The settings by which a client of librdkafka joins by ConsumerGroupHeartbeat (KIP-848)."""


@contextmanager
def serving(config: dict[str, str]) -> Iterator[str]:
    """The address of a served model with two partitions a topic, which hold all values."""
    with Model(config={**config, "num.partitions": "2"}) as served:
        host, port = served.address
        producer = Producer({"bootstrap.servers": f"{host}:{port}"})
        for number in range(VALUES):
            producer.produce(TOPIC, str(number).encode(), partition=number % 2)
        assert producer.flush(DEADLINE_S) == 0
        yield f"{host}:{port}"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A served model with room for two in a classic group."""
    with serving(
        {"group.max.size": str(LIMIT), "group.initial.rebalance.delay.ms": "0"}
    ) as bootstrap:
        yield bootstrap


@pytest.fixture(scope="module")
def consumer_protocol() -> Iterator[str]:
    """A served model with room for two in a consumer group."""
    with serving({"group.consumer.max.size": str(LIMIT)}) as bootstrap:
        yield bootstrap


def member(address: str, group: str, protocol: dict[str, Any]) -> Consumer:
    """A consumer of librdkafka that has subscribed."""
    settings: dict[str, Any] = {
        "bootstrap.servers": address,
        "group.id": group,
        "auto.offset.reset": "earliest",
        "log_level": 0,
    }
    consumer = Consumer({**settings, **protocol})
    consumer.subscribe([TOPIC])
    return consumer


def until_assigned(*consumers: Consumer) -> None:
    """Poll all of them until each has one partition of the two."""
    deadline = time.monotonic() + DEADLINE_S
    wanted = 2 // len(consumers)
    while any(len(consumer.assignment()) != wanted for consumer in consumers):
        assert time.monotonic() < deadline, (
            f"expected {wanted} partitions for each, found {[c.assignment() for c in consumers]}"
        )
        for consumer in consumers:
            consumer.poll(0.05)


def refusal(consumer: Consumer) -> KafkaError | None:
    """The error that a client reports within the deadline."""
    deadline = time.monotonic() + DEADLINE_S
    while time.monotonic() < deadline:
        message = consumer.poll(0.1)
        if message is not None and message.error() is not None:
            return message.error()
    return None


def read_and_committed(consumer: Consumer) -> tuple[set[bytes], list[int]]:
    """All values, and the offsets that a consumer has committed once it has read them."""
    values: set[bytes] = set()
    deadline = time.monotonic() + DEADLINE_S
    while len(values) < VALUES:
        assert time.monotonic() < deadline, f"{len(values)} of {VALUES} values came"
        message = consumer.poll(0.2)
        if message is not None and message.error() is None:
            values.add(message.value() or b"")
    consumer.commit(asynchronous=False)
    positions = consumer.committed(consumer.assignment(), DEADLINE_S)
    consumer.close()
    return values, sorted(position.offset for position in positions)


def test_a_group_of_librdkafka_reads_everything_and_commits_it(address: str) -> None:
    values, offsets = read_and_committed(member(address, "reads", CLASSIC))
    assert values == {str(number).encode() for number in range(VALUES)}
    assert offsets == [VALUES // 2] * 2


def full_group(address: str, group: str, protocol: dict[str, Any]) -> tuple[Consumer, Consumer]:
    """Two members that share the partitions."""
    one = member(address, group, protocol)
    until_assigned(one)
    two = member(address, group, protocol)
    until_assigned(one, two)
    return one, two


def test_two_members_share_the_partitions_and_a_third_is_refused(address: str) -> None:
    one, two = full_group(address, "full", CLASSIC)
    three = member(address, "full", CLASSIC)
    try:
        error = refusal(three)
        assert error is not None, "expected an error for the third member, found it silent"
        assert error.code() == KafkaError.GROUP_MAX_SIZE_REACHED
        until_assigned(one, two)
    finally:
        for consumer in (one, two, three):
            consumer.close()


def test_kafka_python_in_a_full_group_is_refused(address: str) -> None:
    from kafka import KafkaConsumer
    from kafka.errors import GroupMaxSizeReachedError

    one, two = full_group(address, "python", CLASSIC)
    three = KafkaConsumer(TOPIC, bootstrap_servers=address, group_id="python")
    try:
        with pytest.raises(GroupMaxSizeReachedError):
            polled(three)
    finally:
        three.close(autocommit=False)
        one.close()
        two.close()


def polled(consumer: Any) -> set[bytes]:
    """Poll a consumer of kafka-python until it has all values, or the deadline is over."""
    values: set[bytes] = set()
    deadline = time.monotonic() + DEADLINE_S
    while len(values) < VALUES and time.monotonic() < deadline:
        for records in consumer.poll(timeout_ms=200).values():
            values |= {record.value for record in records}
    return values


def test_kafka_python_reads_as_a_member_of_a_group(address: str) -> None:
    from kafka import KafkaConsumer

    consumer = KafkaConsumer(
        TOPIC, bootstrap_servers=address, group_id="alone", auto_offset_reset="earliest"
    )
    assert len(polled(consumer)) == VALUES
    consumer.close()


def test_members_of_a_consumer_group_share_its_partitions_and_a_third_is_refused(
    consumer_protocol: str,
) -> None:
    one, two = full_group(consumer_protocol, "named", CONSUMER)
    three = member(consumer_protocol, "named", CONSUMER)
    try:
        error = refusal(three)
        assert error is not None, "expected an error for the third member, found it silent"
        assert error.code() == KafkaError._FATAL
        assert "maximum size" in error.str()
    finally:
        for consumer in (three, two):
            consumer.close()
    until_assigned(one)
    one.close()


def test_a_member_of_a_consumer_group_reads_everything_and_commits_it(
    consumer_protocol: str,
) -> None:
    values, offsets = read_and_committed(member(consumer_protocol, "reads", CONSUMER))
    assert values == {str(number).encode() for number in range(VALUES)}
    assert offsets == [VALUES // 2] * 2
