"""Answers in the terms of an observation: everything relative to where the layout lies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.placement.deployment import produced
from conformance.subjects.offsets.requests import MADE_UP
from spec.offsets.outcomes import Found, ListOffsetsAnswer
from spec.outcomes import AppendAnswer, Garbled, Outcome

if TYPE_CHECKING:
    from conformance.placement.placed_partition import Placed, PlacedPartition


def append_answer(value: dict[str, Any], where: PlacedPartition) -> Outcome:
    """Read the answer to a batch that was produced."""
    for _, error, offset in produced(value):
        return AppendAnswer(error, None if offset < 0 else offset - where.base)
    return Garbled("a Produce answer without partitions")


def list_offsets_answer(value: dict[str, Any], placed: Placed) -> ListOffsetsAnswer:
    """Read a ListOffsets answer."""
    numbers = {
        (where.topic, where.partition): number
        for number, where in enumerate(placed.placed_partitions)
    }
    return ListOffsetsAnswer(
        tuple(
            [
                _found(topic["name"], part, numbers, placed)
                for topic in value["topics"]
                for part in topic["partitions"]
            ]
        )
    )


def _found(
    topic: str, part: dict[str, Any], numbers: dict[tuple[str, int], int], placed: Placed
) -> Found:
    index = part["partition_index"]
    known = numbers.get((topic, index))
    where = placed.placed_partitions[known or 0]
    number = known if known is not None else max(-1, index - MADE_UP)
    return Found(
        number,
        part["error_code"],
        _relative(part["offset"], where.base),
        _relative(part["timestamp"], where.timestamp),
        _relative(part.get("leader_epoch", -1), where.leader_epoch),
    )


def _relative(value: int, zero: int) -> int | None:
    return None if value == -1 else value - zero
