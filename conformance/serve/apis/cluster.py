"""Who is there: Metadata, DescribeCluster, DescribeTopicPartitions, FindCoordinator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.cluster import NODE_ID
from conformance.serve.settings import AUTO_CREATE, CLUSTER_ID
from spec.kafka import Error

if TYPE_CHECKING:
    from conformance.serve.broker_state import BrokerState, Topic
    from conformance.wire.codec import Request

SHARE_KEY = 2
STATE_TOPIC = "__share_group_state"
OPERATIONS_UNKNOWN = -(2**31)


def metadata(state: BrokerState, request: Request) -> dict[str, Any]:
    """Metadata: this one broker, and the topics that are asked for; a topic asked for by name is
    made where that is allowed.
    """
    body = request.body.value
    wanted = body["topics"]
    everything = wanted is None or (request.version == 0 and not wanted)
    create = (
        body.get("allow_auto_topic_creation", True)
        and state.settings.configs[AUTO_CREATE] == "true"
    )
    found = (
        [_topic(topic) for topic in state.topics.values()]
        if everything
        else [_topic_entry(state, each, create=create) for each in wanted]
    )
    return {
        "brokers": [{"node_id": NODE_ID, "host": state.host, "port": state.port}],
        "cluster_id": CLUSTER_ID,
        "controller_id": NODE_ID,
        "topics": found,
    }


def _topic_entry(state: BrokerState, wanted: dict[str, Any], *, create: bool) -> dict[str, Any]:
    name, topic_id = wanted["name"], wanted.get("topic_id", b"")
    topic = state.topic(name or "", topic_id)
    if topic is None and name and create:
        error = state.create(name, -1)
        if error:
            return {"error_code": error, "name": name, "partitions": []}
        topic = state.topics[name]
    if topic is None:
        error = Error.UNKNOWN_TOPIC_OR_PARTITION if name else Error.UNKNOWN_TOPIC_ID
        return {
            "error_code": error,
            "name": name,
            "topic_id": topic_id or bytes(16),
            "partitions": [],
        }
    return _topic(topic)


def _topic(topic: Topic) -> dict[str, Any]:
    return {
        "error_code": 0,
        "name": topic.name,
        "topic_id": topic.id,
        "partitions": _partitions(topic),
    }


def _partitions(topic: Topic) -> list[dict[str, Any]]:
    return [
        {
            "error_code": 0,
            "partition_index": number,
            "leader_id": NODE_ID,
            "leader_epoch": served.leader_epoch,
            "replica_nodes": [NODE_ID],
            "isr_nodes": [NODE_ID],
            "offline_replicas": [],
        }
        for number, served in enumerate(topic.partitions)
    ]


def describe_cluster(state: BrokerState, _: Request) -> dict[str, Any]:
    """DescribeCluster: this one broker."""
    broker = {"broker_id": NODE_ID, "host": state.host, "port": state.port}
    return {"cluster_id": CLUSTER_ID, "controller_id": NODE_ID, "brokers": [broker]}


def describe_topic_partitions(state: BrokerState, request: Request) -> dict[str, Any]:
    """DescribeTopicPartitions: the topics that are named, by name, page by page."""
    body = request.body.value
    asked = body["response_partition_limit"]
    room = state.controller.paging(asked, state.limit_semantics)
    cursor = body["cursor"]
    after = (cursor["topic_name"], cursor["partition_index"]) if cursor is not None else ("", 0)
    topics: list[dict[str, Any]] = []
    following = None
    for name in sorted({each["name"] for each in body["topics"]} or set(state.topics)):
        if name < after[0]:
            continue
        if not room:
            following = {"topic_name": name, "partition_index": 0}
            break
        topic = state.topics.get(name)
        if topic is None:
            topics.append(
                {"error_code": Error.UNKNOWN_TOPIC_OR_PARTITION, "name": name, "partitions": []}
            )
            continue
        start = after[1] if name == after[0] else 0
        page = [
            {**part, "eligible_leader_replicas": [], "last_known_elr": []}
            for part in _partitions(topic)[start : start + room]
        ]
        topics.append({**_topic(topic), "partitions": page})
        room -= len(page)
        after_page = state.controller.following(start, len(page), len(topic.partitions))
        if after_page is not None:
            following = {"topic_name": name, "partition_index": after_page}
            break
    return {"topics": topics, "next_cursor": following}


def find_coordinator(state: BrokerState, request: Request) -> dict[str, Any]:
    """FindCoordinator: always this broker. Asking for the coordinator of share groups makes the
    topic that it keeps them in.
    """
    if request.body.value.get("key_type") == SHARE_KEY:
        state.create(STATE_TOPIC, 1)
    here = {"node_id": NODE_ID, "host": state.host, "port": state.port, "error_code": 0}
    if request.version < 4:
        return here
    return {
        "coordinators": [{"key": key, **here} for key in request.body.value["coordinator_keys"]]
    }
