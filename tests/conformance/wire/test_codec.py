"""What the codec takes, gives and refuses; the expected bytes were written by hand from the
protocol guide.
"""

from typing import Any

import pytest

from conformance.wire.codec import Codec, Malformed
from conformance.wire.definitions import DefinitionError
from conformance.wire.encoding import EncodeError

FETCH = {
    "max_wait_ms": 500,
    "min_bytes": 1,
    "max_bytes": 1000,
    "isolation_level": 1,
    "topics": [
        {
            "topic": "ab",
            "partitions": [{"partition": 3, "fetch_offset": 42, "partition_max_bytes": 600}],
        }
    ],
}


def test_a_fetch_request_of_version_4_has_these_bytes(codec: Codec) -> None:
    assert codec.request("Fetch", 4).encode(FETCH, 7, "me") == bytes.fromhex(
        # api key, version, correlation id, client id: header version 1
        "0001 0004 00000007 0002 6d65"
        # replica id, max wait, min bytes, max bytes, isolation level
        "ffffffff 000001f4 00000001 000003e8 01"
        "00000001 0002 6162"  # one topic, `ab`
        # one partition: its index, offset, max bytes
        "00000001 00000003 000000000000002a 00000258"
        ""
    )


def test_a_fetch_request_of_version_12_has_these_bytes(codec: Codec) -> None:
    assert codec.request("Fetch", 12).encode(FETCH, 7, "me") == bytes.fromhex(
        # header version 2: the client id's length stays two bytes, no tagged fields
        "0001 000c 00000007 0002 6d65 00"
        "ffffffff 000001f4 00000001 000003e8 01"
        "00000000 ffffffff"  # session id and epoch
        "02 03 6162"  # one topic, `ab`, in compact form
        # ... leader epoch, fetched epoch, start
        "02 00000003 ffffffff 000000000000002a ffffffff ffffffffffffffff 00000258 00"
        "00"  # no tagged fields of the topic
        "01 01 00"  # no forgotten topics, empty rack, no tagged fields
    )


def test_every_request_and_response_of_every_version_round_trips_with_its_defaults(
    codec: Codec,
) -> None:
    count = 0
    for name in sorted(codec.definitions.names):
        for version in codec.definitions.versions(name):
            message = codec.message(name, version)
            data = message.encode({})
            value, trailing = message.decode(data)
            assert trailing == 0, (name, version)
            assert message.encode(value) == data, (name, version)
            count += 1
    assert count > 600


def test_a_request_is_read_back_as_a_server_reads_it(codec: Codec) -> None:
    for version in (4, 12):
        request = codec.decode_request(codec.request("Fetch", version).encode(FETCH, 99, "me"))
        assert (request.api, request.version, request.correlation_id, request.client_id) == (
            "Fetch",
            version,
            99,
            "me",
        )
        assert request.body.value["topics"][0]["partitions"][0]["fetch_offset"] == 42
        assert request.body.trailing == 0
    assert codec.decode_request(codec.request("Fetch", 12).encode(FETCH, 1, None)).client_id is None


def test_a_request_header_that_cannot_be_read_is_malformed(codec: Codec) -> None:
    with pytest.raises(Malformed, match="request header"):
        codec.decode_request(b"\0\1\0\4")
    with pytest.raises(DefinitionError, match="api key 999"):
        codec.decode_request(bytes.fromhex("03e7 0000 00000001 ffff"))


def test_an_api_versions_response_has_header_version_0_even_where_it_is_flexible(
    codec: Codec,
) -> None:
    request = codec.request("ApiVersions", 3)
    frame = request.encode_response(
        5, {"api_keys": [{"api_key": 1, "min_version": 4, "max_version": 17}]}
    )
    assert frame == bytes.fromhex("00000005 0000 02 0001 0004 0011 00 00000000 00")
    assert request.decode_response(frame)[0] == 5


def test_an_unsupported_api_versions_request_is_answered_in_version_0(codec: Codec) -> None:
    frame = codec.request("ApiVersions", 0).encode_response(
        5, {"error_code": 35, "api_keys": [{"api_key": 18, "min_version": 0, "max_version": 3}]}
    )
    correlation_id, decoded = codec.request("ApiVersions", 4).decode_response(frame)
    assert correlation_id == 5
    assert decoded == (
        {"error_code": 35, "api_keys": [{"api_key": 18, "min_version": 0, "max_version": 3}]},
        0,
    )


def test_tagged_fields_of_a_response_header_are_stepped_over(codec: Codec) -> None:
    request = codec.request("Fetch", 12)
    plain = request.encode_response(5, {"session_id": 3})
    assert plain[4] == 0
    tagged = plain[:4] + bytes.fromhex("01 09 02 abcd") + plain[5:]
    assert request.decode_response(tagged) == request.decode_response(plain)


def test_trailing_bytes_are_counted_and_no_error(codec: Codec) -> None:
    request = codec.request("Fetch", 12)
    _, decoded = request.decode_response(request.encode_response(1, {}) + b"\1\2\3")
    assert decoded.trailing == 3


def test_unknown_tagged_fields_are_kept_and_written_again(codec: Codec) -> None:
    message = codec.message("FetchRequest", 12)
    value = {"cluster_id": "c", "_tags": {50: b"\0\0\0\1", 7: b""}}
    data = message.encode(value)
    assert data.endswith(bytes.fromhex("03 00 02 02 63 07 00 32 04 00000001"))
    decoded = message.decode(data).value
    assert decoded["_tags"] == {7: b"", 50: b"\0\0\0\1"}
    assert decoded["cluster_id"] == "c"
    assert message.encode(decoded) == data


def test_unknown_tagged_fields_are_absent_where_there_are_none(codec: Codec) -> None:
    message = codec.message("FetchRequest", 12)
    assert "_tags" not in message.decode(message.encode({})).value


def test_a_nested_struct_keeps_its_unknown_tagged_fields(codec: Codec) -> None:
    message = codec.message("ShareFetchRequest", 1)
    value = {"topics": [{"partitions": [{"partition_index": 1, "_tags": {3: b"x"}}]}]}
    decoded = message.decode(message.encode(value)).value
    assert decoded["topics"][0]["partitions"][0]["_tags"] == {3: b"x"}


def test_unknown_error_codes_are_integers(codec: Codec) -> None:
    request = codec.request("Fetch", 12)
    assert (
        request.decode_response(request.encode_response(1, {"error_code": 999}))[1].value[
            "error_code"
        ]
        == 999
    )


def test_a_null_struct_and_a_null_array_are_distinguished_from_empty_ones(codec: Codec) -> None:
    message = codec.message("DescribeTopicPartitionsRequest", 0)
    assert message.encode({"cursor": None})[-2:] == b"\xff\0"
    assert message.decode(message.encode({"cursor": None})).value["cursor"] is None
    there = message.decode(message.encode({"cursor": {"topic_name": "t"}})).value["cursor"]
    assert there == {"topic_name": "t", "partition_index": 0}
    topics = codec.message("MetadataRequest", 12)
    assert topics.decode(topics.encode({"topics": None})).value["topics"] is None
    assert topics.decode(topics.encode({"topics": []})).value["topics"] == []


def test_the_elements_of_a_nullable_array_are_no_nullable_structs(codec: Codec) -> None:
    message = codec.message("CreateTopicsResponse", 5)
    value = {
        "topics": [{"name": "t", "configs": [{"name": "k", "value": "v", "config_source": 5}]}]
    }
    data = message.encode(value)
    assert bytes.fromhex("02 02 6b 02 76 00 05 00 00") in data
    assert message.decode(data).value["topics"][0]["configs"][0]["name"] == "k"


def test_absent_keys_take_the_default_of_the_definition(codec: Codec) -> None:
    decoded = (
        codec.message("FetchRequest", 12).decode(codec.message("FetchRequest", 12).encode({})).value
    )
    assert decoded["max_bytes"] == 0x7FFFFFFF
    assert decoded["session_epoch"] == -1
    assert decoded["topics"] == []
    assert decoded["cluster_id"] is None


@pytest.mark.parametrize(
    ("version", "value", "text"),
    [
        (
            4,
            {"session_id": 3, "forgotten_topics_data": [{"topic": "t"}]},
            "FetchRequest v4: field forgotten_topics_data",
        ),
        (
            4,
            {"replica_state": {"replica_id": 1}},
            "field replica_state doesn't exist in this version",
        ),
        (
            11,
            {"topics": [{"topic": "t", "partitions": [{"last_fetched_epoch": 3}]}]},
            (
                r"FetchRequest v11: field topics\.partitions\.last_fetched_epoch doesn't exist "
                "in this version"
            ),
        ),
        (12, {"max_byts": 3}, "has no field 'max_byts' in any version"),
        (4, {"_tags": {1: b""}}, "this version has no tagged fields"),
        (12, {"max_bytes": 2**31}, r"FetchRequest v12: expected a value that fits .*max_bytes"),
        (12, {"topics": None}, "fits topics"),
        (12, {"topics": [{"topic": 3}]}, r"topics\.topic"),
        (12, {"rack_id": "x" * 32768}, "rack_id: a string of more than 32767 bytes"),
        (12, {"rack_id": "\ud800"}, "rack_id"),
        (13, {"topics": [{"topic_id": b"short"}]}, r"topics\.topic_id: expected 16 bytes, found 5"),
        (12, 3, "FetchRequest v12"),
    ],
)
def test_a_value_that_the_version_cannot_carry_is_refused_by_name(
    codec: Codec, version: int, value: Any, text: str
) -> None:
    with pytest.raises(EncodeError, match=text):
        codec.message("FetchRequest", version).encode(value)


def test_fields_of_other_versions_are_left_out_where_they_are_ignorable_or_default(
    codec: Codec,
) -> None:
    message = codec.message("FetchRequest", 4)
    ignorable = {"session_id": 3, "rack_id": "r"}
    default = {
        "forgotten_topics_data": [],
        "replica_state": {"replica_id": -1, "replica_epoch": -1},
    }
    assert message.encode(ignorable | default) == message.encode({})


def test_a_tagged_struct_with_all_defaults_is_not_written(codec: Codec) -> None:
    message = codec.message("FetchRequest", 15)
    assert message.encode({"replica_state": {"replica_id": -1}}) == message.encode({})
    assert message.encode({"replica_state": {"replica_id": 1}}) != message.encode({})


def test_versions_of_an_api_come_from_the_definitions(codec: Codec) -> None:
    assert codec.versions("Fetch") == range(4, 19)
    assert codec.versions("ShareFetch") == range(3)
    assert codec.api_names[1] == "Fetch"
