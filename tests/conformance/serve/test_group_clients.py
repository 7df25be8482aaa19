"""Real clients in a consumer group on the served model: they share partitions, commit, and are refused by a full group."""

import time
from collections.abc import Iterator
from typing import Any

import pytest
from confluent_kafka import Consumer, KafkaError, Producer

from conformance.systems.model import Model

pytestmark = pytest.mark.filterwarnings("ignore:.*is deprecated. Use files:DeprecationWarning")

DEADLINE_S = 120.0
"""How long a client may take to say what it was told."""
TOPIC = "shared"
LIMIT = 2


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A served model with two partitions a topic, and room for two in a group."""
    config = {"group.max.size": str(LIMIT), "group.initial.rebalance.delay.ms": "0", "num.partitions": "2"}
    with Model(config=config) as served:
        host, port = served.address
        bootstrap = f"{host}:{port}"
        producer = Producer({"bootstrap.servers": bootstrap})
        for number in range(20):
            producer.produce(TOPIC, str(number).encode(), partition=number % 2)
        assert producer.flush(DEADLINE_S) == 0
        yield bootstrap


def member(address: str, group: str) -> Consumer:
    """A consumer of librdkafka that has subscribed."""
    settings: dict[str, Any] = {"bootstrap.servers": address, "group.id": group, "auto.offset.reset": "earliest"}
    consumer = Consumer({**settings, "session.timeout.ms": 45_000, "heartbeat.interval.ms": 200, "log_level": 0})
    consumer.subscribe([TOPIC])
    return consumer


def until_assigned(*consumers: Consumer) -> None:
    """Poll all of them until each has one partition of the two."""
    deadline = time.monotonic() + DEADLINE_S
    wanted = 2 // len(consumers)
    while any(len(consumer.assignment()) != wanted for consumer in consumers):
        assert time.monotonic() < deadline, f"expected {wanted} partitions for each, found {[c.assignment() for c in consumers]}"
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


def test_a_group_of_librdkafka_reads_everything_and_goes_on_from_its_commit(address: str) -> None:
    values: set[bytes] = set()
    consumer = member(address, "reads")
    deadline = time.monotonic() + DEADLINE_S
    while len(values) < 20 and time.monotonic() < deadline:
        message = consumer.poll(0.2)
        if message is not None and message.error() is None:
            values.add(message.value() or b"")
    consumer.commit(asynchronous=False)
    positions = consumer.committed(consumer.assignment(), DEADLINE_S)
    consumer.close()
    assert len(values) == 20
    assert sorted(position.offset for position in positions) == [10, 10]


def full_group(address: str, group: str) -> tuple[Consumer, Consumer]:
    """Two members that share the partitions."""
    one = member(address, group)
    until_assigned(one)
    two = member(address, group)
    until_assigned(one, two)
    return one, two


def test_two_members_share_the_partitions_and_a_third_is_refused(address: str) -> None:
    one, two = full_group(address, "full")
    three = member(address, "full")
    try:
        error = refusal(three)
        assert error is not None, "expected the third member to be told, found it silent"
        assert error.code() == KafkaError.GROUP_MAX_SIZE_REACHED
        until_assigned(one, two)
    finally:
        for consumer in (one, two, three):
            consumer.close()


def test_kafka_python_in_a_full_group_is_refused(address: str) -> None:
    from kafka import KafkaConsumer
    from kafka.errors import GroupMaxSizeReachedError

    one, two = full_group(address, "python")
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
    while len(values) < 20 and time.monotonic() < deadline:
        for records in consumer.poll(timeout_ms=200).values():
            values |= {record.value for record in records}
    return values


def test_kafka_python_reads_as_a_member_of_a_group(address: str) -> None:
    from kafka import KafkaConsumer

    consumer = KafkaConsumer(TOPIC, bootstrap_servers=address, group_id="alone", auto_offset_reset="earliest")
    assert len(polled(consumer)) == 20
    consumer.close()


@pytest.fixture(scope="module")
def consumer_protocol() -> Iterator[str]:
    """A served model with room for two in a consumer group (KIP-848)."""
    with Model(config={"group.consumer.max.size": str(LIMIT), "num.partitions": "2"}) as served:
        host, port = served.address
        bootstrap = f"{host}:{port}"
        producer = Producer({"bootstrap.servers": bootstrap})
        for number in range(20):
            producer.produce(TOPIC, str(number).encode(), partition=number % 2)
        assert producer.flush(DEADLINE_S) == 0
        yield bootstrap


def consumer_member(address: str, group: str) -> Consumer:
    """A consumer of librdkafka that joins by ConsumerGroupHeartbeat."""
    settings: dict[str, Any] = {"bootstrap.servers": address, "group.id": group, "auto.offset.reset": "earliest"}
    consumer = Consumer({**settings, "group.protocol": "consumer", "log_level": 0})
    consumer.subscribe([TOPIC])
    return consumer


def test_members_of_a_consumer_group_share_its_partitions_and_a_third_is_refused(consumer_protocol: str) -> None:
    one = consumer_member(consumer_protocol, "named")
    until_assigned(one)
    two = consumer_member(consumer_protocol, "named")
    until_assigned(one, two)
    three = consumer_member(consumer_protocol, "named")
    try:
        error = refusal(three)
        assert error is not None, "expected the third member to be told, found it silent"
        assert error.code() == KafkaError._FATAL
        assert "maximum size" in error.str()
    finally:
        for consumer in (three, two):
            consumer.close()
    until_assigned(one)
    one.close()


def test_a_member_of_a_consumer_group_reads_everything_and_goes_on_from_its_commit(consumer_protocol: str) -> None:
    consumer, values = consumer_member(consumer_protocol, "reads"), set[bytes]()
    deadline = time.monotonic() + DEADLINE_S
    while len(values) < 20 and time.monotonic() < deadline:
        message = consumer.poll(0.2)
        if message is not None and message.error() is None:
            values.add(message.value() or b"")
    consumer.commit(asynchronous=False)
    positions = consumer.committed(consumer.assignment(), DEADLINE_S)
    consumer.close()
    assert len(values) == 20
    assert sorted(position.offset for position in positions) == [10, 10]
