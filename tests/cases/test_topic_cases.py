"""The field's bug reports on topics that are deleted, made again or enlarged while they are read,
and on groups that are administered: asked request by request, since no history does what they do.
"""

import secrets
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from conformance.cli.common import make_codec
from conformance.cluster import reach
from conformance.limits.admin import Admin
from conformance.placement.deployment import produce_request
from conformance.retries import tries
from conformance.subjects.share.coordinators import await_coordinators
from conformance.systems.embedded import Embedded
from conformance.systems.storage import new_id
from conformance.wire.batches import batch_of_size
from conformance.wire.single_entry import only
from spec.kafka import INT32_MAX, Error
from tests.cases.conftest import VERSION

pytestmark = pytest.mark.broker

AWAITED_S = 30.0
LONG_MS = 60_000
NEWEST = VERSION.startswith("4.4")


@pytest.fixture(scope="module")
def admin() -> Iterator[Admin]:
    with Embedded(VERSION) as broker:
        cluster = reach(*broker.address, make_codec())
        with cluster.connect() as connection:
            await_coordinators(cluster, connection)
            yield Admin(cluster, connection, VERSION)


def topic_id(admin: Admin, topic: str) -> bytes:
    found: bytes = admin.topic(topic)["topic_id"]
    return found


def produce(admin: Admin, topic: str, records: int, partition: int = 0) -> None:
    """Write one batch, once the partition takes it."""
    value = produce_request({(topic, partition): batch_of_size(300, records)})
    for _ in tries(AWAITED_S):
        answer = admin.ask("Produce", 12, value)
        code = only("Produce", 12, answer, "responses", "partition_responses")["error_code"]
        if not code:
            return
    raise AssertionError(f"expected {topic}-{partition} to take a batch, found error {code}")


class FetchSession:
    """A fetch session of topic ids, over partition 0 of topics."""

    def __init__(self, admin: Admin) -> None:
        self.admin, self.session, self.epoch = admin, 0, 0

    def fetch(self, *asked: tuple[bytes, int], wait_ms: int = 0) -> dict[bytes, tuple[int, int]]:
        """The error and the bytes of each topic that is answered."""
        answer = fetch(self.admin, self.session, self.epoch, *asked, wait_ms=wait_ms)
        assert answer["error_code"] == 0
        self.session, self.epoch = answer["session_id"], self.epoch + 1
        return parts_of(answer)


def fetch(
    admin: Admin, session: int, epoch: int, *asked: tuple[bytes, int], wait_ms: int
) -> dict[str, Any]:
    topics = [
        {
            "topic_id": one,
            "partitions": [
                {
                    "partition": 0,
                    "fetch_offset": offset,
                    "partition_max_bytes": INT32_MAX,
                }
            ],
        }
        for one, offset in asked
    ]
    value = {
        "max_wait_ms": wait_ms,
        "min_bytes": 1,
        "max_bytes": INT32_MAX,
        "session_id": session,
        "session_epoch": epoch,
        "topics": topics,
    }
    return admin.connection.ask("Fetch", 13, value, timeout=LONG_MS / 2000)


def parts_of(answer: Mapping[str, Any]) -> dict[bytes, tuple[int, int]]:
    """The error and the bytes of partition 0 of each topic."""
    return {
        topic["topic_id"]: (part["error_code"], len(part["records"] or b""))
        for topic in answer["responses"]
        for part in topic["partitions"]
    }


def test_t10_a_session_never_gives_records_of_the_topic_that_was_made_again(admin: Admin) -> None:
    names = [f"t10-{secrets.token_hex(4)}", f"t10-{secrets.token_hex(4)}"]
    for name in names:
        admin.make_topic(name, 1)
    produce(admin, names[0], 3)
    old, other = [topic_id(admin, name) for name in names]
    session = FetchSession(admin)
    assert session.fetch((old, 0), (other, 0)) == {old: (0, 300), other: (0, 0)}
    assert session.fetch((old, 3)) == {}
    admin.delete_topic(names[0])
    for _ in tries(AWAITED_S):
        if between := session.fetch():
            break
    assert between == {old: (Error.UNKNOWN_TOPIC_OR_PARTITION, 0)}
    admin.make_topic(names[0], 1)
    produce(admin, names[0], 1)
    inconsistent = {old: (Error.INCONSISTENT_TOPIC_ID, 0)}
    assert session.fetch(wait_ms=LONG_MS) == inconsistent
    produce(admin, names[1], 1)
    assert session.fetch() == inconsistent | {other: (0, 300)}
    assert parts_of(fetch(admin, 0, -1, (old, 3), wait_ms=LONG_MS)) == {
        old: (Error.UNKNOWN_TOPIC_ID, 0)
    }


class ShareMember:
    """A member of a share group that subscribes to one topic, and reads its partitions."""

    def __init__(self, admin: Admin, topic: str) -> None:
        self.admin, self.topic = admin, topic
        self.group = f"share-{secrets.token_hex(4)}"
        self.member = new_id()
        self.epoch, self.session = 0, 0

    def leave(self) -> None:
        """Leave the group; the next heartbeat joins again."""
        self.epoch = -1
        assert self.heartbeat() == []
        self.epoch = 0

    def heartbeat(self) -> list[int]:
        """The partitions that the answer assigns, if it assigns any."""
        value = {
            "group_id": self.group,
            "member_id": self.member,
            "member_epoch": self.epoch,
            "rack_id": None,
            "subscribed_topic_names": None if self.epoch else [self.topic],
        }
        answer = self.admin.ask("ShareGroupHeartbeat", 1, value)
        assert answer["error_code"] == 0
        self.epoch = answer["member_epoch"]
        given = (answer["assignment"] or {"topic_partitions": []})["topic_partitions"]
        return sorted(number for one in given for number in one["partitions"])

    def await_partitions(self, *wanted: int) -> None:
        for _ in tries(AWAITED_S):
            given = self.heartbeat()
            if given == list(wanted):
                return
        raise AssertionError(f"expected the partitions {wanted}, found {given}")

    def fetch(self, *added: int) -> dict[int, list[tuple[int, int, int]]]:
        """The (first, last, delivery count) that each partition acquires."""
        parts = [{"partition_index": one, "acknowledgement_batches": []} for one in added]
        topics = [{"topic_id": topic_id(self.admin, self.topic), "partitions": parts}]
        value = {
            "group_id": self.group,
            "member_id": self.member,
            "share_session_epoch": self.session,
            "topics": topics if added else [],
            "max_wait_ms": 0,
            "min_bytes": 1,
            "max_bytes": INT32_MAX,
            "max_records": 500,
            "batch_size": 500,
            "forgotten_topics_data": [],
        }
        answer = self.admin.ask("ShareFetch", 1, value)
        assert answer["error_code"] == 0
        self.session += 1
        return {
            part["partition_index"]: [
                (one["first_offset"], one["last_offset"], one["delivery_count"])
                for one in part["acquired_records"]
            ]
            for topic in answer["responses"]
            for part in topic["partitions"]
            if part["acquired_records"]
        }

    def await_records(self, *added: int) -> dict[int, list[tuple[int, int, int]]]:
        """What the first answer that acquires anything acquires."""
        found = self.fetch(*added)
        for _ in tries(AWAITED_S):
            if found:
                break
            found = self.fetch()
        return found


def test_t01_what_was_written_to_a_new_partition_before_it_was_assigned(admin: Admin) -> None:
    """KAFKA-20742: lost up to 4.3.1, since the partition begins at `latest`; read from 4.4 on."""
    topic = f"t01-{secrets.token_hex(4)}"
    admin.make_topic(topic, 1)
    member = ShareMember(admin, topic)
    member.await_partitions(0)
    member.fetch(0)
    assert admin.create_partitions(topic, 2, validate_only=False) == 0
    produce(admin, topic, 3, partition=1)
    member.await_partitions(0, 1)
    found = member.fetch(1)
    for _ in tries(AWAITED_S):
        if found:
            break
        if not NEWEST:
            produce(admin, topic, 1, partition=1)
        found = member.fetch()
    ((first, _, count),) = found[1]
    assert count == 1
    assert first == 0 if NEWEST else first >= 3


def describe(admin: Admin, group: str) -> tuple[str, int]:
    """The state and the epoch of a share group."""
    value = {"group_ids": [group], "include_authorized_operations": False}
    answer = admin.ask("ShareGroupDescribe", 1, value)
    found = only("ShareGroupDescribe", 1, answer, "groups")
    assert found["error_code"] == 0
    return found["group_state"], found["group_epoch"]


def start_and_lag(admin: Admin, group: str, topic: str) -> tuple[int, int]:
    """The start offset and the lag of partition 0 as DescribeShareGroupOffsets gives them."""
    value = {"groups": [{"group_id": group, "topics": [{"topic_name": topic, "partitions": [0]}]}]}
    answer = admin.ask("DescribeShareGroupOffsets", 1, value)
    found = only("DescribeShareGroupOffsets", 1, answer, "groups", "topics", "partitions")
    return found["start_offset"], found["lag"]


def alter_start(admin: Admin, group: str, topic: str, start: int) -> int:
    """The error code of setting where partition 0 begins."""
    part = {"partition_index": 0, "start_offset": start}
    value = {"group_id": group, "topics": [{"topic_name": topic, "partitions": [part]}]}
    answer = admin.ask("AlterShareGroupOffsets", 0, value)
    return int(answer["error_code"] or answer["responses"][0]["partitions"][0]["error_code"])


def test_t17_an_altered_start_offset_is_described_with_its_lag_and_read(admin: Admin) -> None:
    """KAFKA-20910: the group's epoch stays as it is, in all releases up to 4.4.0."""
    topic = f"t17-{secrets.token_hex(4)}"
    admin.make_topic(topic, 1)
    produce(admin, topic, 10)
    member = ShareMember(admin, topic)
    member.heartbeat()
    member.leave()
    before = describe(admin, member.group)
    assert before[0] == "Empty"
    for start, lag in ((9, 1), (10, 0), (11, -1), (4, 6)):
        assert alter_start(admin, member.group, topic, start) == 0
        assert start_and_lag(admin, member.group, topic) == (start, lag)
        assert describe(admin, member.group) == before
    member.await_partitions(0)
    present = describe(admin, member.group)
    assert present[0] == "Stable"
    assert alter_start(admin, member.group, topic, 5) == Error.NON_EMPTY_GROUP
    assert describe(admin, member.group) == present
    assert member.await_records(0) == {0: [(4, 9, 1)]}
