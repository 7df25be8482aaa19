"""Clients that others wrote can use the served model: librdkafka's and kafka-python's."""

import uuid
import warnings
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic, OffsetSpec  # type: ignore[attr-defined]

pytestmark = pytest.mark.system

with warnings.catch_warnings():
    warnings.simplefilter(
        "ignore", DeprecationWarning
    )  # kafka-python reads its definitions by an old name
    from kafka import KafkaConsumer, KafkaProducer
    from kafka import TopicPartition as PythonPartition

TIMEOUT = 30.0


@pytest.fixture
def topic(address: str) -> str:
    name = f"clients-{uuid.uuid4().hex[:8]}"
    admin = AdminClient({"bootstrap.servers": address})
    admin.create_topics([NewTopic(name, 2, 1)])[name].result(TIMEOUT)
    return name


def produced(address: str, topic: str, values: list[bytes], **settings: Any) -> None:
    producer = Producer({"bootstrap.servers": address, **settings})
    for value in values:
        producer.produce(topic, value, partition=0)
    assert producer.flush(TIMEOUT) == 0


def consumed(
    address: str, topic: str, count: int, isolation: str = "read_uncommitted"
) -> list[bytes]:
    """The first `count` values, and whatever more comes with them."""
    consumer = Consumer(
        {
            "bootstrap.servers": address,
            "group.id": "reader",
            "isolation.level": isolation,
            "enable.partition.eof": True,
        }
    )
    consumer.assign([TopicPartition(topic, 0, 0)])
    values: list[bytes] = []
    while True:
        message = consumer.poll(TIMEOUT)
        assert message is not None, f"{len(values)} of {count} values came"
        if message.error():
            break
        values.append(message.value() or b"")
    consumer.close()
    return values


@pytest.mark.parametrize("codec", ["none", "gzip", "snappy", "lz4", "zstd"])
def test_librdkafka_reads_what_it_produced_in_every_codec(
    address: str, topic: str, codec: str
) -> None:
    values = [b"x" * 500 + bytes([number]) for number in range(50)]
    produced(address, topic, values, **{"compression.type": codec})
    assert consumed(address, topic, 50) == values


def test_an_idempotent_producer_writes_in_order(address: str, topic: str) -> None:
    values = [str(number).encode() for number in range(200)]
    produced(address, topic, values, **{"enable.idempotence": True, "batch.num.messages": 7})
    assert consumed(address, topic, 200) == values


def test_read_committed_sees_what_was_committed_and_nothing_of_what_was_aborted(
    address: str, topic: str
) -> None:
    producer = Producer({"bootstrap.servers": address, "transactional.id": topic})
    producer.init_transactions(TIMEOUT)
    for value, commit in ((b"kept", True), (b"dropped", False), (b"kept too", True)):
        producer.begin_transaction()
        producer.produce(topic, value, partition=0)
        if commit:
            producer.commit_transaction(TIMEOUT)
        else:
            producer.flush(TIMEOUT)
            producer.abort_transaction(TIMEOUT)
    assert consumed(address, topic, 2, "read_committed") == [b"kept", b"kept too"]
    assert consumed(address, topic, 3) == [b"kept", b"dropped", b"kept too"]


def test_offsets_are_listed_deleted_and_committed(address: str, topic: str) -> None:
    produced(address, topic, [b"a", b"b", b"c"])
    admin = AdminClient({"bootstrap.servers": address})
    part = TopicPartition(topic, 0)
    latest, earliest = OffsetSpec.latest(), OffsetSpec.earliest()  # type: ignore[no-untyped-call]
    assert admin.list_offsets({part: latest})[part].result(TIMEOUT).offset == 3
    admin.delete_records([TopicPartition(topic, 0, 2)])[part].result(TIMEOUT)
    assert admin.list_offsets({part: earliest})[part].result(TIMEOUT).offset == 2
    consumer = Consumer(
        {"bootstrap.servers": address, "group.id": topic, "enable.auto.commit": False}
    )
    consumer.commit(offsets=[TopicPartition(topic, 0, 3)], asynchronous=False)
    assert [found.offset for found in consumer.committed([part], TIMEOUT)] == [3]
    consumer.close()


def test_a_timestamp_is_found_by_its_first_record(address: str, topic: str) -> None:
    producer = Producer({"bootstrap.servers": address})
    for time in (1000, 1020, 1010, 1015):
        producer.produce(topic, b"x", partition=0, timestamp=time)
        producer.flush(TIMEOUT)
    consumer = Consumer({"bootstrap.servers": address, "group.id": topic})
    found = {
        time: consumer.offsets_for_times([TopicPartition(topic, 0, time)], TIMEOUT)[0].offset
        for time in (1000, 1001, 1020)
    }
    consumer.close()
    assert found == {1000: 0, 1001: 1, 1020: 1}


def test_kafka_python_produces_and_consumes(address: str, topic: str) -> None:
    producer = KafkaProducer(bootstrap_servers=address)
    for number in range(20):
        producer.send(topic, str(number).encode(), partition=1)
    producer.flush(TIMEOUT)
    producer.close()
    consumer = KafkaConsumer(bootstrap_servers=address, auto_offset_reset="earliest", group_id=None)
    consumer.assign([PythonPartition(topic, 1)])
    values: list[bytes] = []
    while len(values) < 20:
        records = consumer.poll(timeout_ms=30_000)
        assert records, f"{len(values)} of 20 values came"
        values += [record.value for some in records.values() for record in some]
    consumer.close()
    assert values == [str(number).encode() for number in range(20)]
