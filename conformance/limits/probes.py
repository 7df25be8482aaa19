"""Probes that settle limits: each asks a broker around a fence and says what came back.

They make topics under names of their own, which are in the ledger, and delete them; what can be
asked by `validate_only` makes nothing.
"""

from __future__ import annotations

import ssl
import struct
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from conformance.limits.admin import BROKER, Admin, ProbeError
from conformance.wire.batches import batch_of_size
from conformance.wire.schema import Struct, schema
from conformance.wire.security import open_connection
from conformance.wire.single_entry import only
from spec.frozen import frozen
from spec.kafka import Error, error_name
from spec.limits.configs import configs, constants

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_CONNECT_S = 10.0
_SILENCE_S = 0.5


@frozen
class ProbeAnswer:
    """One question of a probe.

    Attributes:
        asked: what was asked, in words.
        expected: what Apache Kafka does.
        observed: what came back.
    """

    asked: str
    expected: str
    observed: str

    @property
    def ok(self) -> bool:
        """Whether it came back as expected."""
        return self.expected == self.observed


def _compare_codes(asked: str, expected: Error, observed: int) -> ProbeAnswer:
    return ProbeAnswer(asked, expected.name, error_name(observed))


@contextmanager
def scratch_topic(
    admin: Admin, name: str, partitions: int, given: Mapping[str, str] | None = None
) -> Iterator[str]:
    """A topic that is deleted again."""
    full = f"{admin.own}{name}"
    admin.make_topic(full, partitions, given)
    try:
        yield full
    finally:
        admin.delete_topic(full)


def create_partitions(admin: Admin) -> Iterator[ProbeAnswer]:
    """CreateTopics around 10,000 metadata records: topics, partitions and configs together."""
    most = constants(admin.version)["QuorumController#MAX_RECORDS_PER_USER_OP"]
    one = {"retention.ms": "1"}
    for partitions, given, expected in (
        (most - 1, {}, Error.NONE),
        (most, {}, Error.POLICY_VIOLATION),
        (most + 1, {}, Error.POLICY_VIOLATION),
        (most - 2, one, Error.NONE),
        (most - 1, one, Error.POLICY_VIOLATION),
    ):
        name = f"{admin.own}many"
        code = admin.create_topics({name: partitions}, given)[name]
        yield _compare_codes(f"{partitions} partitions and {len(given)} configs", expected, code)


def shrink_topic(admin: Admin) -> Iterator[ProbeAnswer]:
    """CreatePartitions to fewer, as many and more partitions than a topic has."""
    with scratch_topic(admin, "shrink", 2) as topic:
        for count, expected in (
            (1, Error.INVALID_PARTITIONS),
            (2, Error.INVALID_PARTITIONS),
            (3, Error.NONE),
        ):
            code = admin.create_partitions(topic, count)
            yield _compare_codes(f"{count} partitions of a topic of 2", expected, code)


def topic_name(admin: Admin) -> Iterator[ProbeAnswer]:
    """CreateTopics with names of 0, 249 and 250 characters."""
    longest = constants(admin.version)["Topic#MAX_NAME_LENGTH"]
    for length, expected in (
        (0, Error.INVALID_TOPIC_EXCEPTION),
        (longest, Error.NONE),
        (longest + 1, Error.INVALID_TOPIC_EXCEPTION),
    ):
        name = "n" * length
        yield _compare_codes(f"a name of {length}", expected, admin.create_topics({name: 1})[name])


def partition_pages(admin: Admin) -> Iterator[ProbeAnswer]:
    """DescribeTopicPartitions of three partitions: a page of two with a cursor, and a whole one."""
    with scratch_topic(admin, "pages", 3) as topic:
        for limit, expected in ((2, "2 partitions, cursor at 2"), (3, "3 partitions, no cursor")):
            value = {
                "topics": [{"name": topic}],
                "response_partition_limit": limit,
                "cursor": None,
            }
            answer = admin.ask("DescribeTopicPartitions", 0, value)
            found = only("DescribeTopicPartitions", 0, answer, "topics")
            cursor = answer["next_cursor"]
            where = "no cursor" if cursor is None else f"cursor at {cursor['partition_index']}"
            observed = f"{len(found['partitions'])} partitions, {where}"
            yield ProbeAnswer(f"at most {limit} partitions", expected, observed)


def long_frame(admin: Admin) -> Iterator[ProbeAnswer]:
    """A frame that is announced as long as socket.request.max.bytes, and one byte longer; only its
    length is sent.
    """
    node = node_id(admin)
    most = int(admin.describe_configs(BROKER, str(node))["socket.request.max.bytes"]["value"])
    for length, expected in ((most, "open"), (most + 1, "closed")):
        with open_connection(
            admin.cluster.host, admin.cluster.port, _CONNECT_S, admin.cluster.security
        ).socket as raw:
            raw.sendall(struct.pack(">i", length))
            raw.settimeout(_SILENCE_S if expected == "open" else 10)
            try:
                observed = "open" if raw.recv(1) else "closed"
            except TimeoutError:
                observed = "open"
            except (ConnectionError, ssl.SSLError):
                observed = "closed"
        yield ProbeAnswer(f"a frame of {length} bytes", expected, observed)


def node_id(admin: Admin) -> int:
    """The id of the broker that is asked, or of the first that it names."""
    brokers = admin.ask("Metadata", 12, {"topics": []})["brokers"]
    if not brokers:
        raise ProbeError("expected a broker in the answer to Metadata, found none")
    own = [one for one in brokers if one["port"] == admin.cluster.port]
    return int((own or brokers)[0]["node_id"])


def segment_bytes(admin: Admin) -> Iterator[ProbeAnswer]:
    """CreateTopics with segment.bytes around its floor of this release and around 2 GiB."""
    bounds = configs(admin.version)["topic/segment.bytes"].bounds
    assert bounds.least is not None
    assert bounds.greatest is not None
    least, greatest = int(bounds.least), int(bounds.greatest)
    for value, expected in (
        (least - 1, Error.INVALID_CONFIG),
        (least, Error.NONE),
        (greatest, Error.NONE),
        (greatest + 1, Error.INVALID_CONFIG),
    ):
        name = f"{admin.own}segment"
        code = admin.create_topics({name: 1}, {"segment.bytes": str(value)})[name]
        yield _compare_codes(f"segment.bytes {value}", expected, code)


def min_insync_above_replicas(admin: Admin) -> Iterator[ProbeAnswer]:
    """Produce with acks=all to one replica of which two must be in sync: it counts as one."""
    with scratch_topic(admin, "insync", 1, {"min.insync.replicas": "2"}) as topic:
        batch = batch_of_size(200, 1)
        entry = {"name": topic, "partition_data": [{"index": 0, "records": batch}]}
        body = {"acks": -1, "timeout_ms": 10_000, "topic_data": [entry]}
        answer = admin.ask("Produce", 12, body)
        found = only("Produce", 12, answer, "responses", "partition_responses")
        yield _compare_codes(
            "acks=all, 2 replicas in sync, 1 replica", Error.NONE, found["error_code"]
        )


_WIDTHS = (
    ("MetadataResponse", 12, ("topics", "partitions", "partition_index"), "int32"),
    ("FetchRequest", 12, ("topics", "partitions", "fetch_offset"), "int64"),
    ("ListOffsetsResponse", 7, ("topics", "partitions", "offset"), "int64"),
)


def field_widths(admin: Admin) -> Iterator[ProbeAnswer]:
    """The types of a partition's number and of an offset in Kafka's messages."""
    for message, version, path, expected in _WIDTHS:
        struct_: Any = schema(admin.cluster.codec.definitions, message, version).root
        kind = ""
        for key in path:
            assert isinstance(struct_, Struct)
            field = next(one for one in struct_.fields if one.key == key)
            struct_, kind = field.struct, field.kind
        yield ProbeAnswer(f"{'.'.join(path)} of {message}", expected, kind)


PROBES: Mapping[str, Callable[[Admin], Iterator[ProbeAnswer]]] = {
    "create-partitions": create_partitions,
    "shrink-topic": shrink_topic,
    "topic-name": topic_name,
    "partition-pages": partition_pages,
    "long-frame": long_frame,
    "segment-bytes": segment_bytes,
    "min-insync-above-replicas": min_insync_above_replicas,
    "field-widths": field_widths,
}
"""By the name by which a limit says what settles it."""
