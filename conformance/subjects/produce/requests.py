"""Steps of produce as requests on the wire, and its answers as outcomes."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import time
from typing import TYPE_CHECKING, Any

from spec.produce.outcomes import BatchAnswer, EndOffsetsAnswer, ProduceAnswer, TimeFound
from spec.produce.steps import TOPIC_IDS_SINCE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from conformance.placement.placed_partition import Placed
    from spec.produce.steps import LookUpTime, Produce

LIST_OFFSETS_VERSION = 7
FETCH_VERSION = 12
LATEST, LARGEST = -1, -3
AMPLE = 2**31 - 1
WITHIN_MS = 30_000


def by_topic(
    placed: Placed,
    entries: Iterable[tuple[int, Mapping[str, Any]]],
    name: str,
    index: str,
    parts: str,
) -> list[dict[str, Any]]:
    """The topics of a request, in the order of its partitions: the number in the layout of each
    partition and its entry, under these names of fields.
    """
    topics: list[dict[str, Any]] = []
    for number, entry in entries:
        topic, partition = placed.on_the_wire(number)
        if not topics or topics[-1][name] != topic.topic:
            topics.append({name: topic.topic, "topic_id": topic.topic_id, parts: []})
        topics[-1][parts].append({index: partition, **entry})
    return topics


def produce_value(
    step: Produce, placed: Placed, batches: list[bytes], names: Mapping[int, str]
) -> dict[str, Any]:
    """The fields of a Produce request with these bytes for its batches; `names`: the transactional
    ids by their numbers.
    """
    entries = [
        (batch.partition, {"records": records})
        for batch, records in zip(step.batches, batches, strict=True)
    ]
    topics = by_topic(placed, entries, "name", "index", "partition_data")
    unused = "name" if step.version >= TOPIC_IDS_SINCE else "topic_id"
    for topic in topics:
        del topic[unused]
    return {
        "transactional_id": None if step.transactional is None else names[step.transactional],
        "acks": step.acks,
        "timeout_ms": WITHIN_MS,
        "topic_data": topics,
    }


def numbers_of(placed: Placed, step: Produce) -> dict[tuple[str | bytes, int], int]:
    """The number in the layout of each partition that a request names, by topic name or id."""
    found: dict[tuple[str | bytes, int], int] = {}
    for batch in step.batches:
        topic, partition = placed.on_the_wire(batch.partition)
        found[topic.topic, partition] = found[topic.topic_id, partition] = batch.partition
    return found


@dataclass
class AppendTimes:
    """The log append times of a play.

    Attributes:
        first: the first one, ms; None where there was none.
        last: by partition: that of the last batch.
    """

    first: int | None = None
    last: dict[int, int] = field(default_factory=dict)

    def since_first(self, partition: int, appended: int) -> int:
        """Take note of a log append time; it relative to the first one."""
        self.last[partition] = appended
        return self.relative(appended)

    def relative(self, time: int) -> int:
        """A time, ms after the first log append time, which it is itself where there is none."""
        self.first = time if self.first is None else self.first
        return time - self.first

    def asked(self, step: LookUpTime) -> int:
        """The time that a lookup asks for."""
        if step.after_ms is None:
            return LARGEST
        return self.last.get(step.partition, round(time() * 1000)) + step.after_ms


def time_found(
    part: Mapping[str, Any], step: LookUpTime, base: int, times: AppendTimes
) -> TimeFound:
    """The part of a ListOffsets answer on one partition, in the terms of an observation."""
    asked = None if step.after_ms is None else times.relative(times.asked(step))
    offset, found = part["offset"], part["timestamp"]
    return TimeFound(
        asked,
        part["error_code"],
        None if offset < 0 else offset - base,
        None if found < 0 else times.relative(found),
    )


def produce_answer(
    value: Mapping[str, Any], step: Produce, placed: Placed, clock: AppendTimes
) -> ProduceAnswer:
    """A Produce answer in the terms of an observation; its log append times are noted."""
    numbers = numbers_of(placed, step)
    answers = []
    for topic in value["responses"]:
        name = topic.get("name") or topic.get("topic_id", b"")
        for part in topic["partition_responses"]:
            number = numbers.get((name, part["index"]), -1)
            known = 0 <= number < len(placed.placed_partitions)
            base = placed.placed_partitions[number].base if known else 0
            answers.append(_batch_answer(part, number, base, clock))
    return ProduceAnswer(tuple(sorted(answers, key=lambda one: one.partition)))


def _batch_answer(
    part: Mapping[str, Any], number: int, base: int, clock: AppendTimes
) -> BatchAnswer:
    appended = part["log_append_time_ms"]
    offset, start = part["base_offset"], part.get("log_start_offset", -1)
    named = part.get("record_errors") or ()
    return BatchAnswer(
        number,
        part["error_code"],
        None if offset < 0 else offset - base,
        appended != -1,
        None if start < 0 else start - base,
        tuple([one["batch_index"] for one in named]),
        None if appended < 0 else clock.since_first(number, appended),
        bool(part.get("error_message")),
        tuple([one["batch_index"] for one in named if one["batch_index_error_message"]]),
    )


def end_offsets_value(placed: Placed) -> dict[str, Any]:
    """The fields of a ListOffsets request for the latest offset of each partition."""
    entry = {"current_leader_epoch": -1, "timestamp": LATEST}
    entries = [(number, entry) for number in range(len(placed.placed_partitions))]
    topics = by_topic(placed, entries, "name", "partition_index", "partitions")
    for topic in topics:
        del topic["topic_id"]
    return {"replica_id": -1, "isolation_level": 0, "topics": topics}


def end_offsets_answer(value: Mapping[str, Any], placed: Placed) -> EndOffsetsAnswer:
    """A ListOffsets answer in the terms of an observation."""
    found = {
        (topic["name"], part["partition_index"]): part
        for topic in value["topics"]
        for part in topic["partitions"]
    }
    ends = []
    for one in placed.placed_partitions:
        part = found[one.topic, one.partition]
        ends.append(None if part["error_code"] else part["offset"] - one.base)
    return EndOffsetsAnswer(tuple(ends))


def look_up_value(placed: Placed, partition: int, timestamp: int) -> dict[str, Any]:
    """The fields of a ListOffsets request for one time in one partition."""
    entry = {"current_leader_epoch": -1, "timestamp": timestamp}
    topics = by_topic(placed, [(partition, entry)], "name", "partition_index", "partitions")
    for topic in topics:
        del topic["topic_id"]
    return {"replica_id": -1, "isolation_level": 0, "topics": topics}


def read_value(placed: Placed, begins: Mapping[int, int]) -> dict[str, Any]:
    """The fields of a Fetch request for all that lies in the partitions, from where it `begins` by
    the partition's number, or from their base on.
    """
    entries = [
        (
            number,
            {"fetch_offset": one.base + begins.get(number, 0), "partition_max_bytes": AMPLE},
        )
        for number, one in enumerate(placed.placed_partitions)
    ]
    topics = by_topic(placed, entries, "topic", "partition", "partitions")
    return {
        "replica_id": -1,
        "max_wait_ms": 0,
        "min_bytes": 0,
        "max_bytes": AMPLE,
        "isolation_level": 0,
        "session_id": 0,
        "session_epoch": -1,
        "topics": topics,
    }
