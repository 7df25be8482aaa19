"""ListOffsets and OffsetForLeaderEpoch: what the model of lookups finds in a partition as it is
kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.serve.record_times import stamps_of
from conformance.wire.batches import parse_batches
from spec.kafka import Error
from spec.offsets.model import look_up
from spec.offsets.releases import OffsetSemantics
from spec.offsets.steps import LARGEST, ListOffsets, Lookup
from spec.offsets.timeline import TimedRecord, Timeline

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.serve.broker_state import BrokerState
    from conformance.serve.served_partition import ServedPartition
    from conformance.wire.codec import Request
    from spec.offsets.outcomes import Found

Key = tuple[str, int]
"""A topic and a partition."""


def list_offsets(state: BrokerState, request: Request) -> dict[str, Any]:
    """ListOffsets: each partition has one entry, also where it is named twice."""
    body = request.body.value
    wanted = {
        (topic["name"], part["partition_index"]): part
        for topic in body["topics"]
        for part in topic["partitions"]
    }
    all_served = {key: state.partition(*key) for key in wanted}
    known = [key for key, served in all_served.items() if served is not None]
    numbers = {
        key: number
        for number, key in enumerate([*known, *[one for one in wanted if one not in known]])
    }
    asked = ListOffsets(
        tuple(
            [
                _lookup(
                    numbers[topic["name"], part["partition_index"]],
                    part,
                    all_served[topic["name"], part["partition_index"]],
                )
                for topic in body["topics"]
                for part in topic["partitions"]
            ]
        ),
        body.get("isolation_level", 0),
        request.version,
    )
    timelines = tuple(
        [
            _timeline(all_served[key], wanted[key]["timestamp"], state.leader.stamping)
            for key in known
        ]
    )
    semantics = state.settings.semantics.of(OffsetSemantics)
    topics: dict[str, list[dict[str, int]]] = {}
    for key, number in numbers.items():
        lookup = next(one for one in asked.lookups if one.partition == number)
        entry = _entry(key[1], look_up(timelines, lookup, asked, semantics), all_served[key])
        topics.setdefault(key[0], []).append(entry)
    return {"topics": [{"name": name, "partitions": parts} for name, parts in topics.items()]}


def _lookup(number: int, part: dict[str, Any], served: ServedPartition | None) -> Lookup:
    """One entry of a request; a time from 0 on is compared with the records' own."""
    epoch = part.get("current_leader_epoch", -1)
    leads = epoch - served.leader_epoch if served is not None and epoch != -1 else None
    return Lookup(number, part["timestamp"], part["timestamp"] >= 0, leads)


def _entry(partition: int, found: Found, served: ServedPartition | None) -> dict[str, int]:
    current = served.leader_epoch if served is not None else -1
    return {
        "partition_index": partition,
        "error_code": found.error,
        "offset": -1 if found.offset is None else found.offset,
        "timestamp": -1 if found.timestamp is None else found.timestamp,
        "leader_epoch": -1 if found.leader_epoch is None else current,
    }


def _timeline(
    served: ServedPartition | None, timestamp: int, stamping: Callable[[int, int], int]
) -> Timeline:
    """A partition as the model of lookups sees it: with a record for each batch, unless records are
    searched by their times.
    """
    assert served is not None
    log = served.log
    stamps = list(served.gone.values())
    for stored in log.batches:
        if timestamp >= 0 or timestamp == LARGEST:
            stamps += stamps_of(served.batch(stored.base), stored, stamping)
        else:
            stamps.append(TimedRecord(stored.last, None, stored.segment, stored.base))
    return Timeline(tuple(stamps), log.start, log.end, log.undecided)


def offset_for_leader_epoch(state: BrokerState, request: Request) -> dict[str, Any]:
    """OffsetForLeaderEpoch: where an epoch ended; a restarted model began a new epoch for every
    partition at its end.
    """
    answers = []
    for topic in request.body.value["topics"]:
        parts = []
        for part in topic["partitions"]:
            served = state.partition(topic["topic"], part["partition"])
            found: dict[str, int]
            if served is None:
                found = {"error_code": Error.UNKNOWN_TOPIC_OR_PARTITION}
            elif error := _epoch_error(served, part["current_leader_epoch"]):
                found = {"error_code": error}
            else:
                found = _epoch_end(served, part["leader_epoch"])
            parts.append({"partition": part["partition"], **found})
        answers.append({"topic": topic["topic"], "partitions": parts})
    return {"topics": answers}


def _epoch_error(served: ServedPartition, epoch: int) -> int:
    if epoch in {-1, served.leader_epoch}:
        return 0
    return Error.FENCED_LEADER_EPOCH if epoch < served.leader_epoch else Error.UNKNOWN_LEADER_EPOCH


def _epoch_end(served: ServedPartition, epoch: int) -> dict[str, int]:
    if epoch == served.leader_epoch:
        return {"error_code": 0, "leader_epoch": epoch, "end_offset": served.log.end}
    if epoch > served.leader_epoch or epoch < 0:
        return {"error_code": 0, "leader_epoch": -1, "end_offset": -1}
    headers = [
        (stored, parse_batches(served.batch(stored.base), check_crc=False).batches[0])
        for stored in served.log.batches
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
        "end_offset": max(served.log.start, min(later, default=served.log.end)),
    }
