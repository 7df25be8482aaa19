"""Where share groups start: Alter, Delete and DescribeShareGroupOffsets, and the two
requests that set offsets on brokers before 4.2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.serve.share_groups import UNKNOWN_TOPICS, ServedShareGroup
from conformance.serve.shares import apply_step, number_of, refresh
from spec.kafka import Error
from spec.share.model.state import PartitionState
from spec.share.steps import AlterShareGroupOffsets

if TYPE_CHECKING:
    from conformance.serve.broker_state import BrokerState
    from conformance.wire.codec import Request

NO_OFFSET = -1


def _busy(state: BrokerState, group_id: str) -> int:
    """The error where a group has members, which keep its offsets from being changed."""
    return (
        Error.NON_EMPTY_GROUP
        if state.groups.served_group(group_id, state.settings.limits).group.members
        else 0
    )


def _set_starts(
    state: BrokerState, served: ServedShareGroup, topic_id: bytes, starts: list[tuple[int, int]]
) -> list[int]:
    """Set start offsets of a topic's partitions; the error code of each. What was loaded is let go
    of first.
    """
    wanted = [(number_of(state, served, topic_id, partition), start) for partition, start in starts]
    known = tuple([(number, start) for number, start in wanted if _there(number)])
    _forget(served, [number for number, _ in known])
    apply_step(state, served, AlterShareGroupOffsets(known))
    state.wake_waiting()
    return [
        0 if (number, start) in known else Error.UNKNOWN_TOPIC_OR_PARTITION
        for number, start in wanted
    ]


def _there(number: int) -> bool:
    """Whether a group's number stands for a partition that exists."""
    return 0 <= number < UNKNOWN_TOPICS


def _forget(served: ServedShareGroup, numbers: list[int]) -> None:
    """Let go of what these share partitions held, and of where they began."""
    for number in numbers:
        served.state = served.state.with_partition(number, PartitionState())


def alter(state: BrokerState, request: Request) -> dict[str, Any]:
    """AlterShareGroupOffsets: it makes the group where there is none."""
    body = request.body.value
    if error := _busy(state, body["group_id"]):
        return {
            "error_code": error,
            "error_message": "expected a group without members",
            "responses": [],
        }
    served, answers = state.shares.served_group(body["group_id"]), []
    for topic in body["topics"]:
        known = state.topic(topic["topic_name"])
        starts = [(part["partition_index"], part["start_offset"]) for part in topic["partitions"]]
        errors = (
            [Error.UNKNOWN_TOPIC_OR_PARTITION] * len(starts)
            if known is None
            else _set_starts(state, served, known.id, starts)
        )
        parts = [
            {"partition_index": number, "error_code": error}
            for (number, _), error in zip(starts, errors, strict=True)
        ]
        answers.append(
            {
                "topic_name": topic["topic_name"],
                "topic_id": known.id if known is not None else bytes(16),
                "partitions": parts,
            }
        )
    return {"error_code": 0, "responses": answers}


def initialize(state: BrokerState, request: Request) -> dict[str, Any]:
    """InitializeShareGroupState and WriteShareGroupState, as far as they set start offsets."""
    body = request.body.value
    served, answers = state.shares.served_group(body["group_id"]), []
    for topic in body["topics"]:
        starts = [(part["partition"], part["start_offset"]) for part in topic["partitions"]]
        errors = _set_starts(state, served, topic["topic_id"], starts)
        parts = [
            {"partition": number, "error_code": error}
            for (number, _), error in zip(starts, errors, strict=True)
        ]
        answers.append({"topic_id": topic["topic_id"], "partitions": parts})
    return {"results": answers}


def delete(state: BrokerState, request: Request) -> dict[str, Any]:
    """DeleteShareGroupOffsets, of whole topics; what the group has of others stays."""
    body = request.body.value
    group_id = body["group_id"]
    error = (
        Error.GROUP_ID_NOT_FOUND
        if group_id not in state.shares.served_groups
        else _busy(state, group_id)
    )
    if error:
        return {
            "error_code": error,
            "error_message": "expected a share group without members",
            "responses": [],
        }
    served, answers = state.shares.served_groups[group_id], []
    for name in [topic["topic_name"] for topic in body["topics"]]:
        topic = state.topic(name)
        if topic is not None:
            _forget(
                served,
                [
                    number
                    for number, (topic_id, _) in served.addresses.items()
                    if topic_id == topic.id and _there(number)
                ],
            )
        answer = (
            {"topic_id": topic.id, "error_code": 0}
            if topic is not None
            else {"topic_id": bytes(16), "error_code": Error.UNKNOWN_TOPIC_OR_PARTITION}
        )
        answers.append({"topic_name": name, **answer})
    state.wake_waiting()
    return {"error_code": 0, "responses": answers}


def describe(state: BrokerState, request: Request) -> dict[str, Any]:
    """DescribeShareGroupOffsets: the start offset that was written last, and the lag, of what was
    used so far; -1 for the rest.
    """
    groups = []
    for group in request.body.value["groups"]:
        served = state.shares.served_groups.get(group["group_id"])
        if served is None:
            groups.append(
                {
                    "group_id": group["group_id"],
                    "topics": [],
                    "error_code": Error.GROUP_ID_NOT_FOUND,
                }
            )
            continue
        refresh(state, served)
        wanted = group["topics"] if group["topics"] is not None else _used_topics(state, served)
        groups.append(
            {
                "group_id": group["group_id"],
                "topics": [_describe(state, served, topic) for topic in wanted],
                "error_code": 0,
            }
        )
    return {"groups": groups}


def _used_topics(state: BrokerState, served: ServedShareGroup) -> list[dict[str, Any]]:
    used = {address for number, address in served.addresses.items() if _there(number)}
    topics = [
        topic
        for topic in state.topics.values()
        if any(topic_id == topic.id for topic_id, _ in used)
    ]
    return [
        {
            "topic_name": topic.name,
            "partitions": sorted([part for topic_id, part in used if topic_id == topic.id]),
        }
        for topic in topics
    ]


def _describe(
    state: BrokerState, served: ServedShareGroup, wanted: dict[str, Any]
) -> dict[str, Any]:
    topic = state.topic(wanted["topic_name"])
    if topic is None:
        parts = [
            {"partition_index": part, "start_offset": NO_OFFSET, "leader_epoch": 0}
            for part in wanted["partitions"]
        ]
        return {
            "topic_name": wanted["topic_name"],
            "topic_id": bytes(16),
            "partitions": [
                {**one, "error_code": Error.UNKNOWN_TOPIC_OR_PARTITION} for one in parts
            ],
        }
    parts = []
    for part in wanted["partitions"]:
        number = number_of(state, served, topic.id, part)
        records = served.state.partitions[number].records if _there(number) else None
        start, lag = NO_OFFSET, NO_OFFSET
        if records is not None:
            start, lag = records.written.start, records.written.lag(served.state.logs[number].end)
        parts.append(
            {
                "partition_index": part,
                "start_offset": start,
                "lag": lag,
                "leader_epoch": 0,
                "error_code": 0,
            }
        )
    return {"topic_name": topic.name, "topic_id": topic.id, "partitions": parts}
