"""The requests of a scenario of limits, and their answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.wire.config_numbers import (
    BROKER_RESOURCE,
    DELETE,
    GROUP_RESOURCE,
    SET,
    TOPIC_RESOURCE,
)
from conformance.wire.single_entry import only
from spec.limits.outcomes import (
    ConfigsAltered,
    ConfigsDescribed,
    Described,
    PartitionPage,
    TopicEntry,
    TopicsAnswer,
)
from spec.limits.steps import (
    AlterConfigs,
    CreatePartitions,
    CreateTopics,
    DescribeConfigs,
    DescribeTopics,
    Name,
    Resource,
)

if TYPE_CHECKING:
    from spec.limits.steps import ConfigsStep, ListPartitions, TopicsStep
    from spec.outcomes import Outcome

TIMEOUT_MS = 30_000
TYPES = {
    Resource.TOPIC: TOPIC_RESOURCE,
    Resource.BROKERS: BROKER_RESOURCE,
    Resource.GROUP: GROUP_RESOURCE,
}
"""The resource types of IncrementalAlterConfigs."""
NO_ID = bytes(16)
NAMES_AND_IDS_SINCE = 6
"""The version of DeleteTopics that came with topic ids."""


def api_of(step: TopicsStep) -> str:
    """The name of a step's API."""
    if isinstance(step, DescribeTopics):
        return "Metadata"
    return "CreateTopics" if isinstance(step, CreateTopics) else "CreatePartitions"


def config_request(step: ConfigsStep, own: str) -> tuple[str, dict[str, Any]]:
    """The API and the request of a step about configs."""
    name = step.target.with_prefix(own)
    if isinstance(step, DescribeConfigs):
        asked: dict[str, Any] = {"resource_type": TOPIC_RESOURCE, "resource_name": name}
        keys = list(step.configs) or None
        value = {
            "resources": [{**asked, "configuration_keys": keys}],
            "include_synonyms": False,
            "include_documentation": False,
        }
        return "DescribeConfigs", value
    changes = [
        {
            "name": one.config,
            "config_operation": SET if one.value is not None else DELETE,
            "value": one.value,
        }
        for one in step.changes
    ]
    altered = {"resource_type": TYPES[step.resource], "resource_name": name, "configs": changes}
    value = {"resources": [altered], "validate_only": step.validate_only}
    return "IncrementalAlterConfigs", value


def config_answer(step: ConfigsStep, version: int, value: dict[str, Any]) -> Outcome:
    """Read the answer to a step about configs.

    Raises:
        NoAnswer: it has no resource, or more than one.
    """
    if isinstance(step, AlterConfigs):
        found = only("IncrementalAlterConfigs", version, value, "responses")
        return ConfigsAltered(found["error_code"])
    found = only("DescribeConfigs", version, value, "results")
    return ConfigsDescribed(
        found["error_code"],
        tuple(
            [Described(one["name"], one["value"], one["config_source"]) for one in found["configs"]]
        ),
    )


def page_request(step: ListPartitions, own: str) -> dict[str, Any]:
    """A DescribeTopicPartitions request."""
    name = step.target.with_prefix(own)
    cursor = None if step.start is None else {"topic_name": name, "partition_index": step.start}
    return {
        "topics": [{"name": name}],
        "response_partition_limit": step.limit,
        "cursor": cursor,
    }


def page_answer(version: int, value: dict[str, Any]) -> PartitionPage:
    """Read a DescribeTopicPartitions answer.

    Raises:
        NoAnswer: it has no topic, or more than one.
    """
    found = only("DescribeTopicPartitions", version, value, "topics")
    numbers = tuple([one["partition_index"] for one in found["partitions"]])
    cursor = value["next_cursor"]
    following = None if cursor is None else cursor["partition_index"]
    return PartitionPage(found["error_code"], numbers, following)


def names_of(step: TopicsStep, own: str) -> list[str]:
    """The names of a step's topics, as they are sent."""
    names: list[Name]
    if isinstance(step, DescribeTopics):
        names = list(step.names)
    else:
        names = [one.name for one in step.topics]
    return [name.with_prefix(own) for name in names]


def body_of(step: TopicsStep, own: str) -> dict[str, Any]:
    """A step's request; `own` is what the names of the play's topics begin with."""
    names = names_of(step, own)
    if isinstance(step, DescribeTopics):
        topics = [{"name": name, "topic_id": NO_ID} for name in names]
        return {"topics": topics, "allow_auto_topic_creation": False}
    if isinstance(step, CreatePartitions):
        grown = [
            {"name": name, "count": one.count, "assignments": None}
            for name, one in zip(names, step.topics, strict=True)
        ]
        return _admin(grown, validate_only=step.validate_only)
    made = [
        {
            "name": name,
            "num_partitions": one.partitions,
            "replication_factor": one.replication,
            "assignments": [],
            "configs": [{"name": key, "value": value} for key, value in one.configs],
        }
        for name, one in zip(names, step.topics, strict=True)
    ]
    return _admin(made, validate_only=step.validate_only)


def _admin(topics: list[dict[str, Any]], *, validate_only: bool) -> dict[str, Any]:
    return {"topics": topics, "timeout_ms": TIMEOUT_MS, "validate_only": validate_only}


def delete_body(names: list[str], version: int) -> dict[str, Any]:
    """A DeleteTopics request."""
    topics = [{"name": name, "topic_id": NO_ID} for name in names]
    asked = {"topics": topics} if version >= NAMES_AND_IDS_SINCE else {"topic_names": names}
    return {**asked, "timeout_ms": TIMEOUT_MS}


def answer_of(step: TopicsStep, value: dict[str, Any], own: str) -> TopicsAnswer:
    """Read a step's answer."""
    names = names_of(step, own)
    found = value["results" if isinstance(step, CreatePartitions) else "topics"]
    return TopicsAnswer(
        tuple(
            [
                TopicEntry(
                    names.index(one["name"]) if one["name"] in names else -1,
                    one["error_code"],
                    None if one["error_code"] else _partitions(step, one),
                )
                for one in found
            ]
        )
    )


def _partitions(step: TopicsStep, entry: dict[str, Any]) -> int | None:
    if isinstance(step, DescribeTopics):
        return len(entry["partitions"])
    count: int = entry.get("num_partitions", -1)
    return None if count < 0 else count
