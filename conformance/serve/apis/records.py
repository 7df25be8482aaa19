"""Locating and deleting records: ListOffsets, OffsetForLeaderEpoch, DeleteRecords."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.wire.batches import decode_records, parse_batches
from spec.kafka import Error

if TYPE_CHECKING:
    from conformance.serve.broker_state import BrokerState
    from conformance.serve.shelf import Shelf
    from conformance.wire.codec import Request

LATEST, EARLIEST, MAX_TIMESTAMP, EARLIEST_LOCAL, LATEST_TIERED, EARLIEST_PENDING = (
    -1,
    -2,
    -3,
    -4,
    -5,
    -6,
)
SPECIALS_SINCE = {
    LATEST: 0,
    EARLIEST: 0,
    MAX_TIMESTAMP: 7,
    EARLIEST_LOCAL: 8,
    LATEST_TIERED: 9,
    EARLIEST_PENDING: 11,
}
"""The ListOffsets version that each special timestamp came with."""


def delete_records(state: BrokerState, request: Request) -> dict[str, Any]:
    """DeleteRecords."""
    answers = []
    for topic in request.body.value["topics"]:
        parts = []
        for part in topic["partitions"]:
            shelf = state.shelf(topic["name"], part["partition_index"])
            if shelf is None:
                error, low = Error.UNKNOWN_TOPIC_OR_PARTITION, -1
            else:
                written = shelf.delete_records(part["offset"])
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


def list_offsets(state: BrokerState, request: Request) -> dict[str, Any]:
    """ListOffsets."""
    body = request.body.value
    isolation = body.get("isolation_level", 0)
    answers = []
    for topic in body["topics"]:
        parts = []
        for part in topic["partitions"]:
            shelf = state.shelf(topic["name"], part["partition_index"])
            found = _located(shelf, part, isolation, request.version)
            parts.append({"partition_index": part["partition_index"], **found})
        answers.append({"name": topic["name"], "partitions": parts})
    return {"topics": answers}


def _located(
    shelf: Shelf | None, wanted: dict[str, Any], isolation: int, version: int
) -> dict[str, int]:
    timestamp = wanted["timestamp"]
    if shelf is None:
        return {"error_code": Error.UNKNOWN_TOPIC_OR_PARTITION}
    if error := _epoch_error(shelf, wanted.get("current_leader_epoch", -1)):
        return {"error_code": error}
    if timestamp < 0 and version < SPECIALS_SINCE.get(timestamp, version + 1):
        return {"error_code": Error.UNSUPPORTED_VERSION}
    epoch = {"leader_epoch": shelf.leader_epoch} if version >= 4 else {}
    if timestamp == LATEST:
        return {"error_code": 0, "offset": shelf.log.bound(isolation), **epoch}
    if timestamp in {EARLIEST, EARLIEST_LOCAL}:
        return {"error_code": 0, "offset": shelf.log.start, **epoch}
    if timestamp in {LATEST_TIERED, EARLIEST_PENDING}:
        return {"error_code": 0, "offset": -1}
    found = (
        _first_at(shelf, timestamp, shelf.log.bound(isolation))
        if timestamp >= 0
        else _largest(shelf)
    )
    if found is None:
        return {"error_code": 0, "offset": -1, "timestamp": -1}
    return {"error_code": 0, "offset": found[0], "timestamp": found[1], **epoch}


def _first_at(shelf: Shelf, timestamp: int, bound: int) -> tuple[int, int] | None:
    """(offset, timestamp) of the first record at or after the log start that is so late."""
    return next(
        (
            (offset, time)
            for offset, time in _timed(shelf)
            if time >= timestamp and shelf.log.start <= offset < bound
        ),
        None,
    )


def _largest(shelf: Shelf) -> tuple[int, int] | None:
    """(offset, timestamp) of the first record with the largest timestamp (KIP-734)."""
    return max(_timed(shelf), key=lambda pair: (pair[1], -pair[0]), default=None)


def _timed(shelf: Shelf) -> list[tuple[int, int]]:
    found = []
    for stored in shelf.log.batches:
        data = shelf.batch(stored.base)
        header = parse_batches(data, check_crc=False).batches[0]
        found += [
            (stored.base + record.offset_delta, header.base_timestamp + record.timestamp_delta)
            for record in decode_records(data)
        ]
    return found


def _epoch_error(shelf: Shelf, epoch: int) -> int:
    if epoch in {-1, shelf.leader_epoch}:
        return 0
    return Error.FENCED_LEADER_EPOCH if epoch < shelf.leader_epoch else Error.UNKNOWN_LEADER_EPOCH


def offset_for_leader_epoch(state: BrokerState, request: Request) -> dict[str, Any]:
    """OffsetForLeaderEpoch: where an epoch ended; a restarted model began a new epoch for every
    partition at its end.
    """
    answers = []
    for topic in request.body.value["topics"]:
        parts = []
        for part in topic["partitions"]:
            shelf = state.shelf(topic["topic"], part["partition"])
            found: dict[str, int]
            if shelf is None:
                found = {"error_code": Error.UNKNOWN_TOPIC_OR_PARTITION}
            elif error := _epoch_error(shelf, part["current_leader_epoch"]):
                found = {"error_code": error}
            else:
                found = _epoch_end(shelf, part["leader_epoch"])
            parts.append({"partition": part["partition"], **found})
        answers.append({"topic": topic["topic"], "partitions": parts})
    return {"topics": answers}


def _epoch_end(shelf: Shelf, epoch: int) -> dict[str, int]:
    if epoch == shelf.leader_epoch:
        return {"error_code": 0, "leader_epoch": epoch, "end_offset": shelf.log.end}
    if epoch > shelf.leader_epoch or epoch < 0:
        return {"error_code": 0, "leader_epoch": -1, "end_offset": -1}
    headers = [
        (stored, parse_batches(shelf.batch(stored.base), check_crc=False).batches[0])
        for stored in shelf.log.batches
    ]
    older = [
        header.partition_leader_epoch
        for _, header in headers
        if header.partition_leader_epoch <= epoch
    ]
    later = [stored.base for stored, header in headers if header.partition_leader_epoch > epoch]
    return {
        "error_code": 0,
        "leader_epoch": max(older, default=epoch),
        "end_offset": min(later, default=shelf.log.end),
    }
