"""Deleting records: DeleteRecords."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spec.kafka import Error

if TYPE_CHECKING:
    from conformance.serve.broker_state import BrokerState
    from conformance.wire.codec import Request


def delete_records(state: BrokerState, request: Request) -> dict[str, Any]:
    """DeleteRecords."""
    answers = []
    for topic in request.body.value["topics"]:
        parts = []
        for part in topic["partitions"]:
            served = state.partition(topic["name"], part["partition_index"])
            if served is None:
                error, low = Error.UNKNOWN_TOPIC_OR_PARTITION, -1
            else:
                written = served.delete_records(part["offset"], state.leader.outliving)
                error, low = written.error, written.base
            parts.append(
                {
                    "partition_index": part["partition_index"],
                    "low_watermark": low,
                    "error_code": error,
                }
            )
        answers.append({"name": topic["name"], "partitions": parts})
    return {"topics": answers}
