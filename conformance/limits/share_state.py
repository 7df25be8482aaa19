"""A probe of how a share coordinator keeps the state of a share partition: how many updates stand
between two snapshots in `__share_group_state` (KIP-932).
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

from conformance.cluster import error_text
from conformance.limits.admin import ProbeError
from conformance.limits.probes import ProbeAnswer, scratch_topic
from conformance.placement.coordinated import (
    SHARE_STATE_TOPIC,
    KeyType,
    coordinators,
    share_key,
)
from conformance.placement.deployment import produce_request
from conformance.retries import tries
from conformance.systems.storage import new_id
from conformance.wire.batches import batch_of_size, decode_records, parse_batches
from conformance.wire.single_entry import only
from spec.frozen import frozen
from spec.kafka import INT32_MAX

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from conformance.limits.admin import Admin

STATE_CONFIG = "share.coordinator.snapshot.update.records.per.snapshot"
MOST_UPDATES = 3
"""What the broker is started with."""
RECORDS = 4 * MOST_UPDATES
_READY_S = 60.0
_UPDATE = 1
"""The record type that the key of an update begins with; a snapshot has 0 (ShareSnapshotKey.json,
ShareUpdateKey.json of Kafka).
"""


@frozen
class _SharePartition:
    """Partition 0 of a topic, as a group reads it."""

    group: str
    topic: str
    topic_id: bytes


def updates_between_snapshots(admin: Admin) -> Iterator[ProbeAnswer]:
    """Records of a share partition are accepted one by one, each in a request of its own, and what
    its coordinator stored of that is read: where at most three updates may follow a snapshot.

    Kafka 4.1.2 has one more after the first snapshot (apache/kafka#21426); 4.2.2 and 4.3.1 do not.

    Raises:
        ProbeError: the group can't be read.
        NoAnswer, MissingApiError: there is no answer.
    """
    if not (admin.cluster.offers("ShareFetch", 1) and admin.cluster.offers("ShareAcknowledge", 1)):
        return
    with scratch_topic(admin, "shared", 1) as topic:
        group = f"{admin.own}shared-{secrets.token_hex(4)}"
        read = _SharePartition(group, topic, admin.topic(topic)["topic_id"])
        _begin_at_zero(admin, read)
        written = produce_request({(topic, 0): batch_of_size(500, RECORDS)})
        _check(
            only(
                "Produce", 12, admin.ask("Produce", 12, written), "responses", "partition_responses"
            )
        )
        _accept_one_by_one(admin, read)
        runs = tuple(update_runs(_stored_types(admin, read.group)))
    yield ProbeAnswer(
        f"updates after each snapshot, at most {MOST_UPDATES}: {', '.join(map(str, runs))}",
        f"at most {MOST_UPDATES}",
        f"at most {max(MOST_UPDATES, *runs)}",
    )


def _begin_at_zero(admin: Admin, read: _SharePartition) -> None:
    """Give the share partition its start offset, once its coordinator is there."""
    part = {"partition": 0, "state_epoch": 0, "start_offset": 0}
    value = {
        "group_id": read.group,
        "topics": [{"topic_id": read.topic_id, "partitions": [part]}],
    }
    key = share_key(read.group, read.topic_id, 0)
    found: Mapping[str, Any] = {"error_code": 0}
    for _ in tries(_READY_S):
        error, _node = coordinators(admin.cluster, admin.connection, [key], KeyType.SHARE)[key]
        if error:
            found = {"error_code": error}
            continue
        answer = admin.ask("InitializeShareGroupState", 0, value)
        found = only("InitializeShareGroupState", 0, answer, "results", "partitions")
        if not found["error_code"]:
            return
    _check(found)


def _accept_one_by_one(admin: Admin, read: _SharePartition) -> None:
    """Acquire all records, and accept each by itself.

    A share partition is loaded when it is first fetched, and a broker does not wait for that.
    """
    member, epoch, acquired = new_id(), 0, 0
    for _ in tries(_READY_S):
        answer = admin.ask("ShareFetch", 1, _request(read, member, epoch) | _LIMITS)
        _check(answer)
        epoch += 1
        for topic in answer["responses"]:
            for part in topic["partitions"]:
                _check(part)
                acquired += sum(
                    one["last_offset"] - one["first_offset"] + 1 for one in part["acquired_records"]
                )
        if acquired == RECORDS:
            break
    for offset in range(acquired):
        accepted = {"first_offset": offset, "last_offset": offset, "acknowledge_types": [1]}
        asked = _request(read, member, epoch + offset, accepted)
        answer = admin.ask("ShareAcknowledge", 1, asked)
        _check(answer)
        _check(only("ShareAcknowledge", 1, answer, "responses", "partitions"))


_LIMITS: dict[str, Any] = {
    "max_wait_ms": 500,
    "min_bytes": 1,
    "max_bytes": INT32_MAX,
    "max_records": RECORDS,
    "batch_size": RECORDS,
    "forgotten_topics_data": [],
}


def _request(
    read: _SharePartition, member: str, epoch: int, *acknowledged: Mapping[str, Any]
) -> dict[str, Any]:
    part = {"partition_index": 0, "acknowledgement_batches": list(acknowledged)}
    return {
        "group_id": read.group,
        "member_id": member,
        "share_session_epoch": epoch,
        "topics": [{"topic_id": read.topic_id, "partitions": [part]}],
    }


def _stored_types(admin: Admin, group: str) -> Iterator[int]:
    """The record types that the coordinator stored of the group's one share partition, in order."""
    for part in admin.topic(SHARE_STATE_TOPIC)["partitions"]:
        data = _log_of(admin, part["partition_index"])
        position = 0
        for header in parse_batches(data).batches:
            for record in decode_records(data[position : position + header.size]):
                if record.key is not None and group.encode() in record.key:
                    yield int.from_bytes(record.key[:2], "big")
            position += header.size


def _log_of(admin: Admin, partition: int) -> bytes:
    """The bytes of one partition of the coordinator's topic, as far as one answer has them."""
    asked = {"partition": partition, "fetch_offset": 0, "partition_max_bytes": INT32_MAX}
    value = {
        "max_wait_ms": 0,
        "min_bytes": 0,
        "max_bytes": INT32_MAX,
        "topics": [{"topic": SHARE_STATE_TOPIC, "partitions": [asked]}],
    }
    found = only("Fetch", 12, admin.ask("Fetch", 12, value), "responses", "partitions")
    _check(found)
    return found["records"] or b""


def update_runs(types: Iterable[int]) -> Iterator[int]:
    """How many updates follow each snapshot, the last of which may have more to come.

    Args:
        types: of the records as they stand in the log, a snapshot first.
    """
    updates = 0
    for number, kind in enumerate(types):
        if kind == _UPDATE:
            updates += 1
        elif number:
            yield updates
            updates = 0
    yield updates


def _check(found: Mapping[str, Any]) -> None:
    """Refuse an answer with an error."""
    if found["error_code"]:
        raise ProbeError(
            "expected to read a topic as a share group, found "
            f"{error_text(found['error_code'], found.get('error_message'))}"
        )
