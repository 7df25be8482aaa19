"""The wire's Fetch answer in the terms of an observation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.play.record_data import read_batches
from conformance.wire.decoding import NULLS
from spec.fetch.outcomes import FetchAnswer, PartitionAnswer

if TYPE_CHECKING:
    from conformance.placement.placed_partition import Placed, PlacedPartition
    from spec.seen_batch import SeenBatch

NOTHING_SEEN: tuple[tuple[SeenBatch, ...], int, bool, str | None] = ((), 0, True, None)


def fetch_answer(
    value: dict[str, Any], trailing: int, placed: Placed, *, own: int, asked: int
) -> FetchAnswer:
    """The outcome of a decoded answer, `own` being the scenario's session id and `asked` the one
    that the request carried.
    """
    session = value.get("session_id", 0)
    if session == 0:
        kind = 0
    elif session == own:
        kind = 1
    elif session == asked:
        kind = -1
    else:
        kind = 2
    partitions = []
    there, numbers = placed.placed_partitions, placed.numbers
    for topic in value["responses"]:
        name = topic.get("topic") or topic.get("topic_id", b"")
        for part in topic["partitions"]:
            number = numbers.get((name, part["partition_index"]), -1)
            placed_partition = there[number] if 0 <= number < len(there) else None
            partitions.append(_partition(part, number, placed_partition))
    return FetchAnswer(
        value.get("error_code", 0),
        kind,
        tuple(partitions),
        value["throttle_time_ms"],
        trailing,
        tuple(sorted(value["_tags"])) if "_tags" in value else (),
        value.get(NULLS, ()),
    )


def _partition(
    part: dict[str, Any], number: int, placed_partition: PlacedPartition | None
) -> PartitionAnswer:
    base = placed_partition.base if placed_partition is not None else 0
    high, stable = part["high_watermark"], part["last_stable_offset"]
    start = part.get("log_start_offset", -1)
    records = part["records"]
    aborted = part["aborted_transactions"]
    diverging = part.get("diverging_epoch")
    batches, tail, intact, garbled = (
        read_batches(records, placed_partition) if records else NOTHING_SEEN
    )
    return PartitionAnswer(
        number,
        part["error_code"],
        None if high == -1 else high - base,
        None if stable == -1 else stable - base,
        None if start == -1 else start - base,
        None
        if aborted is None
        else tuple([_aborted_transaction(each, placed_partition) for each in aborted]),
        batches,
        tail,
        intact,
        records is None,
        part.get("preferred_read_replica", -1),
        diverging is not None and diverging.get("epoch", -1) >= 0,
        garbled,
    )


def _aborted_transaction(
    each: dict[str, int], placed_partition: PlacedPartition | None
) -> tuple[int, int]:
    if placed_partition is None:
        return -1, each["first_offset"]
    return placed_partition.producers.get((each["producer_id"], each["first_offset"]), -1), each[
        "first_offset"
    ] - placed_partition.base
