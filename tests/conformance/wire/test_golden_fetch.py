"""Fetch frames written out by hand, field by field, from the protocol guide: the codec reads and
writes exactly these.
"""

from typing import Any

import pytest

from conformance.wire.codec import Codec

TOPIC_ID = bytes.fromhex("00112233 44556677 8899aabb ccddeeff")
RECORDS = bytes.fromhex("0102030405")

REQUEST_4 = """
0001 0004 00000007 0002 6d65                  api key 1, version 4, correlation id 7, client id `me`
ffffffff 000001f4 00000001 000003e8 01        replica -1, max wait 500, min bytes 1, max bytes 1000, read_committed
00000001 0002 6162                            one topic: `ab`
00000001                                      one partition of it:
00000003 000000000000002a 00000258            number 3, fetch offset 42, at most 600 bytes
"""

REQUEST_12 = """
0001 000c 00000007 0002 6d65 00               header version 2: a client id with a two-byte length still, no tagged fields
ffffffff 000001f4 00000001 000003e8 01        replica -1, max wait 500, min bytes 1, max bytes 1000, read_committed
00000005 00000006                             session id 5, session epoch 6
02 03 6162                                    one topic: `ab`
02                                            one partition of it:
00000003 00000009 000000000000002a            number 3, current leader epoch 9, fetch offset 42
00000008 ffffffffffffffff 00000258 00         last fetched epoch 8, log start -1, at most 600 bytes, no tagged fields
00                                            no tagged fields of the topic
02 03 6364 03 00000001 00000002 00            one forgotten topic: `cd`, partitions 1 and 2, no tagged fields
02 72 00                                      rack `r`, no tagged fields
"""

REQUEST_17 = """
0001 0011 00000007 0002 6d65 00               header version 2
000001f4 00000001 000003e8 01                 max wait 500, min bytes 1, max bytes 1000, read_committed; no replica id any more
00000000 ffffffff                             session id 0, session epoch -1
02 00112233445566778899aabbccddeeff           one topic, by its id
02                                            one partition of it:
00000003 ffffffff 000000000000002a            number 3, current leader epoch -1, fetch offset 42
ffffffff ffffffffffffffff 00000258            last fetched epoch -1, log start -1, at most 600 bytes
01 00 10 ffeeddccbbaa99887766554433221100     one tagged field: 0, of 16 bytes: the replica's directory id
00 01 01                                      no tagged fields of the topic, no forgotten topics, empty rack
01 01 0d 00000002 0000000000000004 00         one tagged field: 1, of 13 bytes: replica id 2, replica epoch 4, no tagged fields
"""

RESPONSE_4 = """
00000007                                      correlation id 7: header version 0
00000064                                      throttle time 100
00000001 0002 6162                            one topic: `ab`
00000002                                      two partitions of it:
00000003 0000 0000000000000030 000000000000002e   number 3, no error, high watermark 48, last stable offset 46
00000001 0000000000000011 000000000000002a    one aborted transaction: producer 17, first offset 42
00000005 0102030405                           records of 5 bytes
00000004 0001 ffffffffffffffff ffffffffffffffff   number 4, OFFSET_OUT_OF_RANGE, high watermark and last stable offset -1
ffffffff 00000000                             null list of aborted transactions, records of 0 bytes
"""

RESPONSE_12 = """
00000007 00                                   correlation id 7, no tagged fields: header version 1
00000064 0000 00000005                        throttle time 100, no error, session id 5
02 03 6162                                    one topic: `ab`
03                                            two partitions of it:
00000003 0000 0000000000000030 000000000000002e   number 3, no error, high watermark 48, last stable offset 46
0000000000000028                              log start offset 40
02 0000000000000011 000000000000002a 00       one aborted transaction: producer 17, first offset 42, no tagged fields
ffffffff 06 0102030405 00                     no preferred read replica, records of 5 bytes, no tagged fields
00000004 0000 0000000000000030 0000000000000030   number 4, no error, high watermark 48, last stable offset 48
0000000000000000 00 00000002 00               log start offset 0, null list, preferred read replica 2, null records
01 00 0d 00000003 0000000000000021 00         one tagged field: 0, of 13 bytes: diverging epoch 3, which ends at 33
00 00                                         no tagged fields of the topic, nor of the response
"""

RESPONSE_17 = """
00000007 00                                   correlation id 7, no tagged fields
00000000 0000 00000000                        throttle time 0, no error, session id 0
02 00112233445566778899aabbccddeeff           one topic, by its id
02                                            one partition of it:
00000003 0006 ffffffffffffffff ffffffffffffffff   number 3, NOT_LEADER_OR_FOLLOWER, high watermark and last stable offset -1
ffffffffffffffff 00 ffffffff 01               log start -1, null list, no preferred read replica, records of 0 bytes
01 01 09 00000002 00000009 00                 one tagged field: 1, of 9 bytes: current leader 2 in epoch 9
00                                            no tagged fields of the topic
01 00 10                                      one tagged field of the response: 0, of 16 bytes: node endpoints
02 00000002 05 686f7374 00002384 00 00        node 2, `host`, port 9092, null rack, no tagged fields
"""

ASKED = {"max_wait_ms": 500, "min_bytes": 1, "max_bytes": 1000, "isolation_level": 1}
PARTITION = {"partition": 3, "fetch_offset": 42, "partition_max_bytes": 600}
REQUESTS: dict[int, tuple[str, dict[str, Any]]] = {
    4: (
        REQUEST_4,
        {**ASKED, "replica_id": -1, "topics": [{"topic": "ab", "partitions": [PARTITION]}]},
    ),
    12: (
        REQUEST_12,
        {
            **ASKED,
            "replica_id": -1,
            "session_id": 5,
            "session_epoch": 6,
            "topics": [
                {
                    "topic": "ab",
                    "partitions": [
                        {**PARTITION, "current_leader_epoch": 9, "last_fetched_epoch": 8}
                    ],
                }
            ],
            "forgotten_topics_data": [{"topic": "cd", "partitions": [1, 2]}],
            "rack_id": "r",
        },
    ),
    17: (
        REQUEST_17,
        {
            **ASKED,
            "session_id": 0,
            "session_epoch": -1,
            "topics": [
                {
                    "topic_id": TOPIC_ID,
                    "partitions": [{**PARTITION, "replica_directory_id": TOPIC_ID[::-1]}],
                }
            ],
            "replica_state": {"replica_id": 2, "replica_epoch": 4},
        },
    ),
}

ABORTED = [{"producer_id": 17, "first_offset": 42}]
SERVED = {
    "partition_index": 3,
    "error_code": 0,
    "high_watermark": 48,
    "last_stable_offset": 46,
    "aborted_transactions": ABORTED,
}
REFUSED = {
    "high_watermark": -1,
    "last_stable_offset": -1,
    "aborted_transactions": None,
    "records": b"",
}
RESPONSES: dict[int, tuple[str, dict[str, Any]]] = {
    4: (
        RESPONSE_4,
        {
            "throttle_time_ms": 100,
            "responses": [
                {
                    "topic": "ab",
                    "partitions": [
                        {**SERVED, "records": RECORDS},
                        {**REFUSED, "partition_index": 4, "error_code": 1},
                    ],
                }
            ],
        },
    ),
    12: (
        RESPONSE_12,
        {
            "throttle_time_ms": 100,
            "error_code": 0,
            "session_id": 5,
            "responses": [
                {
                    "topic": "ab",
                    "partitions": [
                        {
                            **SERVED,
                            "log_start_offset": 40,
                            "preferred_read_replica": -1,
                            "records": RECORDS,
                        },
                        {
                            "partition_index": 4,
                            "error_code": 0,
                            "high_watermark": 48,
                            "last_stable_offset": 48,
                            "log_start_offset": 0,
                            "aborted_transactions": None,
                            "preferred_read_replica": 2,
                            "records": None,
                            "diverging_epoch": {"epoch": 3, "end_offset": 33},
                        },
                    ],
                }
            ],
        },
    ),
    17: (
        RESPONSE_17,
        {
            "throttle_time_ms": 0,
            "error_code": 0,
            "session_id": 0,
            "responses": [
                {
                    "topic_id": TOPIC_ID,
                    "partitions": [
                        {
                            **REFUSED,
                            "partition_index": 3,
                            "error_code": 6,
                            "log_start_offset": -1,
                            "preferred_read_replica": -1,
                            "current_leader": {"leader_id": 2, "leader_epoch": 9},
                        }
                    ],
                }
            ],
            "node_endpoints": [{"node_id": 2, "host": "host", "port": 9092, "rack": None}],
        },
    ),
}


def frame_of(text: str) -> bytes:
    """The bytes of such a text: in each line what stands before the first gap of two or more
    spaces.
    """
    return bytes.fromhex(" ".join(line.split("  ")[0] for line in text.strip().splitlines()))


def holds(found: Any, expected: Any) -> bool:
    """Whether a decoded value has all that is expected; what else it has are fields at their
    defaults.
    """
    if isinstance(expected, dict):
        return isinstance(found, dict) and all(
            key in found and holds(found[key], value) for key, value in expected.items()
        )
    if isinstance(expected, list):
        return len(found) == len(expected) and all(map(holds, found, expected))
    return bool(found == expected)


@pytest.mark.parametrize("version", REQUESTS)
def test_a_fetch_request_is_written_as_by_hand(codec: Codec, version: int) -> None:
    text, value = REQUESTS[version]
    assert codec.request("Fetch", version).encode(value, 7, "me").hex(" ") == frame_of(text).hex(
        " "
    )


@pytest.mark.parametrize("version", REQUESTS)
def test_a_fetch_request_written_by_hand_is_read_as_a_server_reads_it(
    codec: Codec, version: int
) -> None:
    text, value = REQUESTS[version]
    request = codec.decode_request(frame_of(text))
    assert (request.api, request.version, request.correlation_id, request.client_id) == (
        "Fetch",
        version,
        7,
        "me",
    )
    assert request.body.trailing == 0
    assert holds(request.body.value, value), request.body.value


@pytest.mark.parametrize("version", RESPONSES)
def test_a_fetch_response_written_by_hand_is_read(codec: Codec, version: int) -> None:
    text, value = RESPONSES[version]
    correlation_id, decoded = codec.request("Fetch", version).decode_response(frame_of(text))
    assert (correlation_id, decoded.trailing) == (7, 0)
    assert holds(decoded.value, value), decoded.value


@pytest.mark.parametrize("version", RESPONSES)
def test_a_fetch_response_is_written_as_by_hand(codec: Codec, version: int) -> None:
    text, value = RESPONSES[version]
    assert codec.request("Fetch", version).encode_response(7, value).hex(" ") == frame_of(text).hex(
        " "
    )
