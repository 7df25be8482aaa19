"""How large partitions are: DescribeLogDirs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from conformance.serve.broker_state import BrokerState
    from conformance.wire.codec import Request

LOG_DIR = "/model"
UNKNOWN_SIZE = -1


def describe_log_dirs(state: BrokerState, request: Request) -> dict[str, Any]:
    """DescribeLogDirs: one directory with the partitions that are asked for, or all."""
    wanted = request.body.value["topics"]
    asked = (
        {name: range(len(topic.partitions)) for name, topic in state.topics.items()}
        if wanted is None
        else {topic["topic"]: topic["partitions"] for topic in wanted}
    )
    topics = []
    for name, numbers in asked.items():
        parts = [
            {
                "partition_index": number,
                "partition_size": state.segment_rules.sizing(served.segments.log),
                "offset_lag": 0,
                "is_future_key": False,
            }
            for number in numbers
            if (served := state.partition(name, number)) is not None
        ]
        if parts:
            topics.append({"name": name, "partitions": parts})
    found = {
        "error_code": 0,
        "log_dir": LOG_DIR,
        "topics": topics,
        "total_bytes": UNKNOWN_SIZE,
        "usable_bytes": UNKNOWN_SIZE,
        "is_cordoned": False,
    }
    return {"error_code": 0, "results": [found]}
