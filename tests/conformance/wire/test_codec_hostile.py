"""No bytes may do more than raise Malformed, and none may take much time or memory."""

import random
import time
import tracemalloc
from typing import Any

import pytest

from conformance.wire.codec import Codec, Malformed
from conformance.wire.decoding import MAX_ELEMENTS, NULLS
from conformance.wire.encoding import unsigned_varint

RESPONSE = {
    "responses": [
        {
            "topic": "a-topic",
            "partitions": [
                {
                    "partition_index": index,
                    "high_watermark": 100,
                    "aborted_transactions": [{"producer_id": 7, "first_offset": 3}],
                    "diverging_epoch": {"epoch": 3, "end_offset": 4},
                    "records": b"x" * 100,
                }
                for index in range(3)
            ],
        }
    ],
}


@pytest.mark.parametrize(
    ("name", "version", "value"),
    [
        ("FetchResponse", 4, RESPONSE),
        ("FetchResponse", 12, RESPONSE),
        (
            "MetadataResponse",
            12,
            {
                "topics": [
                    {"name": "t", "partitions": [{"replica_nodes": [1, 2], "isr_nodes": [1]}]}
                ]
            },
        ),
        (
            "ApiVersionsResponse",
            3,
            {"api_keys": [{"api_key": 1}], "supported_features": [{"name": "f"}]},
        ),
        (
            "DescribeTopicPartitionsResponse",
            0,
            {"topics": [{"name": "t"}], "next_cursor": {"topic_name": "t"}},
        ),
    ],
)
def test_mutated_bytes_decode_or_are_malformed(
    codec: Codec, name: str, version: int, value: Any
) -> None:
    message = codec.message(name, version)
    if version == 4:
        value = {
            "responses": [
                {"topic": "t", "partitions": [{"records": b"x" * 50, "aborted_transactions": None}]}
            ]
        }
    good = message.encode(value)
    draw = random.Random(f"{name} {version}")
    trailing, offsets = [], []
    started = time.process_time()
    for _ in range(4000):
        data = bytearray(good)
        for _ in range(draw.randint(1, 4)):
            data[draw.randrange(len(data))] = draw.choice(
                (0, 1, 127, 128, 255, draw.randrange(256))
            )
        mutant = bytes(data[: draw.randint(0, len(data))]) if draw.random() < 0.2 else bytes(data)
        try:
            decoded = message.decode(mutant)
        except Malformed as problem:
            offsets.append(problem.offset - len(mutant))
        else:
            trailing.append(decoded.trailing)
    assert len(trailing) > 50
    assert min(trailing) >= 0
    assert len(offsets) > 50
    assert max(offsets) <= 5, "a fault is said to lie beyond the data"
    assert time.process_time() - started < 10


@pytest.mark.parametrize(
    ("version", "data", "text"),
    [
        (12, "00000000 0000 00000000 ffffffff7f", "more than 32 bits"),
        (12, "00000000 0000 00000000 ffffffff0f", "responses: claims 4294967294 elements"),
        (12, "00000000 0000 00000000 00", "responses: null or negative length"),
        (12, "00000000 0000 00000000 02 05 616263", "topic: claims 4 bytes, 3 are left"),
        (12, "00000000 0000 00000000 02 03 ff fe 01 00 00", r"responses.topic: not UTF-8"),
        (12, "00000000 0000 00000000 01 01 09 05", "tag 9 claims 5 bytes, 0 are left"),
        (12, "00000000 0000 00000000 01 02 09 00 09 00", "tag 9 after tag 9"),
        (4, "00000000 7fffffff", "responses: claims 2147483647 elements"),
        (4, "00000000 fffffffe", "responses: null or negative length -2"),
        (4, "00000000 00000001 fffe 0000 00000000", "responses.topic: null or negative length -2"),
        (
            12,
            "0000",
            "throttle_time_ms, error_code, session_id, responses: the data ends inside it",
        ),
    ],
)
def test_each_kind_of_damage_is_named_with_its_field(
    codec: Codec, version: int, data: str, text: str
) -> None:
    with pytest.raises(Malformed, match=text):
        codec.message("FetchResponse", version).decode(bytes.fromhex(data))


def test_an_answer_that_is_judged_is_read_on_after_a_null_where_none_is_allowed(
    codec: Codec,
) -> None:
    header = "00000007 00"
    _, decoded = codec.request("Fetch", 12).decode_response(
        bytes.fromhex(f"{header} 00000000 0000 00000003 00 00")
    )
    assert (decoded.value["responses"], decoded.value["session_id"]) == ([], 3)
    assert decoded.value[NULLS] == ("responses",)
    partition = "00000001 0000 0000000000000000 0000000000000000 0000000000000000 01 ffffffff 01 00"
    _, decoded = codec.request("Fetch", 12).decode_response(
        bytes.fromhex(f"{header} 00000000 0000 00000003 02 00 02 {partition} 00 00")
    )
    (topic,) = decoded.value["responses"]
    assert (topic["topic"], topic["partitions"][0]["partition_index"]) == ("", 1)
    assert (decoded.value[NULLS], decoded.trailing) == (("responses.topic",), 0)
    share = codec.request("ShareFetch", 1)
    _, decoded = share.decode_response(
        bytes.fromhex(f"{header} 00000000 0000 00 00007530 00 00 00")
    )
    assert decoded.value[NULLS] == ("responses", "node_endpoints")
    with pytest.raises(Malformed, match="length -2"):
        codec.request("Fetch", 4).decode_response(bytes.fromhex("00000007 00000000 fffffffe"))
    with pytest.raises(Malformed, match="api_keys: null or negative"):
        codec.request("ApiVersions", 0).decode_response(bytes.fromhex("00000007 0000 ffffffff"))


def test_a_tagged_field_whose_value_takes_another_size_than_it_claims_is_malformed(
    codec: Codec,
) -> None:
    message = codec.message("FetchRequest", 12)
    good = message.encode({"cluster_id": "abc"})
    assert good.endswith(bytes.fromhex("01 00 04 04 616263"))
    with pytest.raises(Malformed, match="tag 0 claims 3 bytes, its value takes 4"):
        message.decode(good[:-7] + bytes.fromhex("01 00 03 04 616263"))


def test_an_element_without_content_cannot_multiply(codec: Codec) -> None:
    message = codec.message("FetchResponse", 12)
    head = bytes.fromhex("00000000 0000 00000000")
    body = unsigned_varint(3 * MAX_ELEMENTS + 1) + bytes.fromhex("01 01 00") * (3 * MAX_ELEMENTS)
    with pytest.raises(Malformed, match=f"more than {MAX_ELEMENTS} elements"):
        message.decode(head + body)


def test_memory_stays_within_a_few_hundred_bytes_for_each_element(codec: Codec) -> None:
    message = codec.message("FetchResponse", 12)
    count = 10_000
    data = (
        bytes.fromhex("00000000 0000 00000000")
        + unsigned_varint(count + 1)
        + bytes.fromhex("01 01 00") * count
        + b"\0"
    )
    tracemalloc.start()
    try:
        value = message.decode(data).value
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(value["responses"]) == count
    assert peak < count * 500


def test_many_unknown_tags_are_bounded(codec: Codec) -> None:
    message = codec.message("FetchResponse", 12)
    count = MAX_ELEMENTS + 1
    data = bytes.fromhex("00000000 0000 00000000 01") + unsigned_varint(count) + bytes(2 * count)
    with pytest.raises(Malformed, match="elements in one message"):
        message.decode(data)
