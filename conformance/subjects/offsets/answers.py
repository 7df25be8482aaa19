"""Answers in the terms of an observation: everything relative to where the layout lies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.placement.deployment import produce_results
from conformance.wire.single_entry import only
from spec.offsets.outcomes import EpochEndAnswer, Found, ListOffsetsAnswer
from spec.outcomes import AppendAnswer, Garbled, Outcome

if TYPE_CHECKING:
    from conformance.placement.placed_partition import Placed, PlacedPartition
    from conformance.play.request import Request
    from conformance.wire.outcomes import Answer


def append_answer(value: dict[str, Any], where: PlacedPartition) -> Outcome:
    """Read the answer to a batch that was produced."""
    for _, error, offset in produce_results(value):
        return AppendAnswer(error, None if offset < 0 else offset - where.base)
    return Garbled("a Produce answer without partitions")


def list_offsets_answer(value: dict[str, Any], placed: Placed) -> ListOffsetsAnswer:
    """Read a ListOffsets answer."""
    return ListOffsetsAnswer(
        tuple(
            [
                _found_offset(topic["name"], part, placed)
                for topic in value["topics"]
                for part in topic["partitions"]
            ]
        )
    )


def epoch_end_answer(request: Request, answer: Answer, where: PlacedPartition) -> EpochEndAnswer:
    """Read an OffsetForLeaderEpoch answer.

    Raises:
        NoAnswer: it has no partition, or more than one.
    """
    part = only(request.api, request.version, answer.value, "topics", "partitions")
    return EpochEndAnswer(
        part["error_code"],
        _relative(part["leader_epoch"], where.leader_epoch),
        _relative(part["end_offset"], where.base),
    )


def _found_offset(topic: str, part: dict[str, Any], placed: Placed) -> Found:
    number = placed.number(topic, part["partition_index"])
    known = 0 <= number < len(placed.placed_partitions)
    where = placed.placed_partitions[number if known else 0]
    return Found(
        number,
        part["error_code"],
        _relative(part["offset"], where.base),
        _relative(part["timestamp"], where.timestamp),
        _relative(part.get("leader_epoch", -1), where.leader_epoch),
    )


def _relative(value: int, zero: int) -> int | None:
    return None if value == -1 else value - zero
