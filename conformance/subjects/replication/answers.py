"""Answers of several brokers in the terms of an observation: epochs relative, brokers by role."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.wire.batch_format import decode_records, parse_batches
from conformance.wire.single_entry import only
from spec.replication.outcomes import (
    NO_BROKER,
    UNKNOWN_BROKER,
    EpochEnd,
    LatestAnswer,
    NamedLeader,
    ReadResult,
    WriteAnswer,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.play.request import Request
    from conformance.subjects.replication.spread import SpreadPartition
    from conformance.wire.outcomes import Answer


def write_answer(request: Request, answer: Answer, where: SpreadPartition) -> WriteAnswer:
    """Read a Produce answer.

    Raises:
        NoAnswer: it has no partition, or more than one.
    """
    path = ("responses", "partition_responses")
    part = only(request.api, request.version, answer.value, *path)
    return WriteAnswer(
        part["error_code"], _known_epoch(part["base_offset"]), _leader(answer.value, part, where)
    )


def read_answer(request: Request, answer: Answer, where: SpreadPartition) -> ReadResult:
    """Read a Fetch answer; an error of the whole stands for the partition's.

    Raises:
        NoAnswer: it has no partition, or more than one, or its records can't be read.
    """
    if answer.value.get("error_code"):
        return ReadResult(answer.value["error_code"])
    part = only(request.api, request.version, answer.value, "responses", "partitions")
    preferred = part.get("preferred_read_replica", -1)
    role = where.role_of(preferred)
    return ReadResult(
        part["error_code"],
        _known_epoch(part["high_watermark"]),
        tuple(_records(part["records"] or b"", request.value["topics"][0])),
        NO_BROKER if preferred == -1 else UNKNOWN_BROKER if role is None else role,
        _leader(answer.value, part, where),
    )


def latest_answer(request: Request, answer: Answer) -> LatestAnswer:
    """Read a ListOffsets answer.

    Raises:
        NoAnswer: it has no partition, or more than one.
    """
    part = only(request.api, request.version, answer.value, "topics", "partitions")
    return LatestAnswer(part["error_code"], _known_epoch(part["offset"]))


def epoch_end_answer(request: Request, answer: Answer, where: SpreadPartition) -> EpochEnd:
    """Read an OffsetForLeaderEpoch answer.

    Raises:
        NoAnswer: it has no partition, or more than one.
    """
    part = only(request.api, request.version, answer.value, "topics", "partitions")
    epoch = _known_epoch(part["leader_epoch"])
    return EpochEnd(
        part["error_code"],
        None if epoch is None else epoch - where.epoch,
        _known_epoch(part["end_offset"]),
    )


def _leader(
    value: dict[str, Any], part: dict[str, Any], where: SpreadPartition
) -> NamedLeader | None:
    """The current leader that a partition's entry names."""
    named = part.get("current_leader") or {}
    node = named.get("leader_id", -1)
    if node < 0:
        return None
    role = where.role_of(node)
    endpoints = [
        (one["host"], one["port"])
        for one in value.get("node_endpoints") or ()
        if one["node_id"] == node
    ]
    known = [(one.host, one.port) for one in where.nodes if one.id == node]
    return NamedLeader(
        UNKNOWN_BROKER if role is None else role,
        named["leader_epoch"] - where.epoch,
        reachable=endpoints == known,
    )


def _records(data: bytes, topic: dict[str, Any]) -> Iterator[tuple[int, int]]:
    """The (offset, value) of each record from the fetch offset on."""
    asked = topic["partitions"][0]["fetch_offset"]
    position = 0
    for header in parse_batches(data).batches:
        batch = data[position : position + header.size]
        position += header.size
        for record in decode_records(batch):
            offset = header.base_offset + record.offset_delta
            if offset >= asked:
                yield offset, int.from_bytes(record.value or b"", "big")


def _known_epoch(value: int) -> int | None:
    return None if value == -1 else value
