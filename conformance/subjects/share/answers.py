"""The wire's answers to a share group's requests in the terms of an observation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.play.record_data import read_batches
from conformance.subjects.share.requests import Address, share_address
from conformance.wire.decoding import NULLS
from spec.share.outcomes import (
    Acquired,
    ShareAcknowledgeAnswer,
    ShareAnswerPartition,
    ShareFetchAnswer,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conformance.placement.placed_partition import Placed, PlacedPartition

ShareKeys = dict[Address, int]
STRANGERS = 4
"""Partitions past the layout's that an answer is recognised by."""


def share_keys(placed: Placed) -> ShareKeys:
    """Each partition's number by topic id and partition, those that do not exist included."""
    return {
        share_address(placed, number): number
        for number in range(len(placed.placed_partitions) + STRANGERS)
    }


def share_fetch_answer(
    value: Mapping[str, Any], trailing: int, epoch: int, placed: Placed, keys: ShareKeys
) -> ShareFetchAnswer:
    """The outcome of a decoded ShareFetch answer; `epoch` is the one that the request carried."""
    partitions = []
    for topic in value["responses"]:
        for part in topic["partitions"]:
            number = keys.get((topic["topic_id"], part["partition_index"]), -1)
            partitions.append(
                _partition(
                    part,
                    number,
                    placed.placed_partitions[number]
                    if 0 <= number < len(placed.placed_partitions)
                    else None,
                )
            )
    return ShareFetchAnswer(
        epoch,
        value["error_code"],
        tuple(partitions),
        value.get("acquisition_lock_timeout_ms"),
        value["throttle_time_ms"],
        trailing,
        tuple(sorted(value.get("_tags", ()))),
        value.get(NULLS, ()),
    )


def share_acknowledge_answer(
    value: Mapping[str, Any], trailing: int, epoch: int, keys: ShareKeys
) -> ShareAcknowledgeAnswer:
    """The outcome of a decoded ShareAcknowledge answer."""
    partitions = [
        (keys.get((topic["topic_id"], part["partition_index"]), -1), part["error_code"])
        for topic in value["responses"]
        for part in topic["partitions"]
    ]
    return ShareAcknowledgeAnswer(
        epoch,
        value["error_code"],
        tuple(partitions),
        value.get("acquisition_lock_timeout_ms"),
        value["throttle_time_ms"],
        trailing,
        tuple(sorted(value.get("_tags", ()))),
        value.get(NULLS, ()),
    )


def _partition(
    part: Mapping[str, Any], number: int, placed_partition: PlacedPartition | None
) -> ShareAnswerPartition:
    base = placed_partition.base if placed_partition is not None else 0
    records = part["records"]
    batches, tail, intact, garbled = (
        read_batches(records, placed_partition) if records else ((), 0, True, None)
    )
    acquired = [
        Acquired(one["first_offset"] - base, one["last_offset"] - base, one["delivery_count"])
        for one in part["acquired_records"]
    ]
    return ShareAnswerPartition(
        number,
        part["error_code"],
        part["acknowledge_error_code"],
        tuple(acquired),
        batches,
        tail,
        intact,
        records is None,
        garbled,
    )
