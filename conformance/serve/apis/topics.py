"""Making, growing and deleting topics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.serve.settings import config_problem
from spec.kafka import Error

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conformance.serve.broker_state import BrokerState
    from conformance.wire.codec import Request

MOST_PARTITIONS = 10_000
"""Partitions that one CreateTopics request may make in total."""


def create_topics(state: BrokerState, request: Request) -> dict[str, Any]:
    """CreateTopics."""
    body = request.body.value
    total = sum(
        max(1, topic["num_partitions"], len(topic["assignments"])) for topic in body["topics"]
    )
    answers = []
    for topic in body["topics"]:
        count = len(topic["assignments"]) or topic["num_partitions"]
        configs = {each["name"]: each["value"] for each in topic["configs"]}
        error, message = _refused(topic, configs, total)
        if not error and not body["validate_only"]:
            error = state.create(
                topic["name"],
                count,
                {name: value for name, value in configs.items() if value is not None},
            )
        made = state.topics.get(topic["name"])
        answers.append(
            {
                "name": topic["name"],
                "topic_id": made.id if made is not None and not error else bytes(16),
                "error_code": error,
                "error_message": message or None,
                "num_partitions": len(made.shelves) if made is not None and not error else -1,
                "replication_factor": 1 if not error else -1,
                "configs": [],
            }
        )
    return {"topics": answers}


def _refused(
    topic: dict[str, Any], configs: Mapping[str, str | None], total: int
) -> tuple[int, str]:
    if total > MOST_PARTITIONS:
        return (
            Error.POLICY_VIOLATION,
            f"expected at most {MOST_PARTITIONS} partitions in one request, found {total}",
        )
    if not topic["assignments"] and topic["replication_factor"] not in {-1, 1}:
        return (
            Error.INVALID_REPLICATION_FACTOR,
            (
                f"expected replication factor 1, found {topic['replication_factor']}: there is one "
                "broker"
            ),
        )
    problem = config_problem(configs)
    return (Error.INVALID_CONFIG, problem) if problem else (0, "")


def delete_topics(state: BrokerState, request: Request) -> dict[str, Any]:
    """DeleteTopics, by names or ids."""
    body = request.body.value
    wanted = (
        body["topics"]
        if request.version >= 6
        else [{"name": name, "topic_id": bytes(16)} for name in body["topic_names"]]
    )
    answers = []
    for each in wanted:
        topic = state.topic(each["name"] or "", each["topic_id"])
        error = (
            (Error.UNKNOWN_TOPIC_OR_PARTITION if each["name"] else Error.UNKNOWN_TOPIC_ID)
            if topic is None
            else 0
        )
        if topic is not None:
            state.delete(topic)
        name, topic_id = (
            (topic.name, topic.id) if topic is not None else (each["name"], each["topic_id"])
        )
        answers.append({"name": name, "topic_id": topic_id, "error_code": error})
    return {"responses": answers}


def create_partitions(state: BrokerState, request: Request) -> dict[str, Any]:
    """CreatePartitions: a topic can only grow."""
    body = request.body.value
    answers = []
    for each in body["topics"]:
        topic = state.topics.get(each["name"])
        error = (
            Error.UNKNOWN_TOPIC_OR_PARTITION
            if topic is None
            else Error.INVALID_PARTITIONS
            if each["count"] <= len(topic.shelves)
            else 0
        )
        if topic is not None and not error and not body["validate_only"]:
            state.grow(topic, each["count"])
        answers.append({"name": each["name"], "error_code": error})
    return {"results": answers}
