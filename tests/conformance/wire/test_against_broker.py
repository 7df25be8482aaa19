"""A real broker takes what we write, in every codec, and we read what it answers."""

import time
from collections.abc import Iterator
from typing import Any

import pytest

from conformance.systems.embedded import Embedded
from conformance.wire.batches import (
    CODECS,
    CodecName,
    batch_of_size,
    decode_records,
    parse_batches,
    restamp,
)
from conformance.wire.codec import Codec
from conformance.wire.connection import Connection
from conformance.wire.negotiation import negotiate
from conformance.wire.outcomes import Answer, Closed

pytestmark = pytest.mark.broker

NOT_YET = frozenset(
    {3, 6}
)  # UNKNOWN_TOPIC_OR_PARTITION, NOT_LEADER_OR_FOLLOWER: the topic is still being made
KEPT, UNPACKED = "kept", "unpacked"


@pytest.fixture(scope="module")
def address() -> Iterator[tuple[str, int]]:
    with Embedded() as broker:
        yield broker.address


@pytest.fixture
def connection(address: tuple[str, int], codec: Codec) -> Iterator[Connection]:
    with Connection(*address, codec, timeout=30) as connected:
        yield connected


@pytest.fixture
def topics(connection: Connection) -> None:
    """One topic that keeps the producer's codec, one whose broker unpacks every batch."""
    unpacked = [{"name": "compression.type", "value": "uncompressed"}]
    asked = [
        {"name": KEPT, "num_partitions": 1, "replication_factor": 1},
        {"name": UNPACKED, "num_partitions": 1, "replication_factor": 1, "configs": unpacked},
    ]
    answer = connection.ask("CreateTopics", 7, {"topics": asked, "timeout_ms": 10_000})
    assert {each["error_code"] for each in answer["topics"]} <= {0, 36}


def produced(connection: Connection, topic: str, batch: bytes) -> dict[str, Any]:
    value = {
        "acks": -1,
        "timeout_ms": 10_000,
        "topic_data": [{"name": topic, "partition_data": [{"index": 0, "records": batch}]}],
    }
    deadline = time.monotonic() + 30
    while True:
        answer = connection.ask("Produce", 9, value)
        found: dict[str, Any] = answer["responses"][0]["partition_responses"][0]
        if found["error_code"] not in NOT_YET or time.monotonic() > deadline:
            return found


def fetched(connection: Connection, topic: str, offset: int) -> bytes:
    partition = {"partition": 0, "fetch_offset": offset, "partition_max_bytes": 1 << 20}
    value = {"max_bytes": 1 << 20, "topics": [{"topic": topic, "partitions": [partition]}]}
    records: bytes = connection.ask("Fetch", 12, value)["responses"][0]["partitions"][0]["records"]
    return records


@pytest.mark.usefixtures("topics")
@pytest.mark.parametrize("codec_name", CODECS)
@pytest.mark.parametrize(("size", "records"), [(400, 1), (700, 3), (3000, 100), (200_000, 3)])
def test_a_batch_is_stored_with_its_size_and_unpacked_to_its_records(
    connection: Connection, codec_name: CodecName, size: int, records: int
) -> None:
    batch = restamp(
        batch_of_size(size, records, codec_name), base_timestamp=int(time.time() * 1000)
    )
    kept = produced(connection, KEPT, batch)
    assert kept["error_code"] == 0
    (header,), _ = parse_batches(fetched(connection, KEPT, kept["base_offset"]))
    assert (header.size, header.codec, header.crc_ok, header.records_count) == (
        size,
        codec_name,
        True,
        records,
    )
    unpacked = produced(connection, UNPACKED, batch)
    assert unpacked["error_code"] == 0
    assert decode_records(fetched(connection, UNPACKED, unpacked["base_offset"])) == decode_records(
        batch
    )


def test_the_broker_says_what_it_supports(connection: Connection, codec: Codec) -> None:
    found = negotiate(connection)
    assert (found.error_code, found.version) == (0, 4)
    assert {12, 13, 17} <= set(found.usable(codec, "Fetch"))
    assert found.finalized["metadata.version"][0] > 0


def test_a_version_that_the_broker_does_not_have_closes_the_connection(
    connection: Connection, codec: Codec
) -> None:
    known = codec.request("Fetch", 12)
    frame = known.encode({}, connection.next_correlation_id, "fencepost")
    connection.send_frame(known, frame)
    assert isinstance(connection.receive(), Answer)
    frame = known.encode({}, connection.next_correlation_id, "fencepost")
    connection.send_frame(known, frame[:2] + b"\x7f\xff" + frame[4:])
    assert isinstance(connection.receive(), Closed)
