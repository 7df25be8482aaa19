"""The wire's Fetch answer in the terms of an observation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import google_crc32c

from conformance.subjects.fetch.requests import address
from conformance.wire.batch_format import AFTER_CRC, CURRENT_MAGIC, HEADER, HEADER_SIZE, MAGIC_AT, PREFIX_SIZE, parse_unusual
from conformance.wire.decoding import Malformed
from spec.fetch.outcomes import FetchAnswer, PartitionAnswer
from spec.kafka import MARKER_SIZE
from spec.seen import SeenBatch

if TYPE_CHECKING:
    from conformance.placement.site import Placed, Site
    from conformance.wire.batch_format import BatchHeader

TAIL_FROM = 16
"""The byte of a batch from which on it comes back as it was sent: base offset and leader epoch, before, are the broker's."""

Keys = dict[tuple[str | bytes, int], int]


def keys_of(placed: Placed, extra: int = 16) -> Keys:
    """Each partition's number by (topic, partition) and (topic id, partition), those that do not exist included."""
    keys: Keys = {}
    for number in range(len(placed.sites) + extra):
        topic, topic_id, partition = address(placed, number)
        keys[topic, partition] = number
        keys[topic_id, partition] = number
    return keys


def fetch_answer(value: dict[str, Any], trailing: int, placed: Placed, keys: Keys, *, own: int, asked: int) -> FetchAnswer:
    """What a decoded answer says, `own` being the scenario's session id and `asked` the one that the request carried."""
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
    for topic in value["responses"]:
        name = topic.get("topic") or topic.get("topic_id", b"")
        for part in topic["partitions"]:
            number = keys.get((name, part["partition_index"]), -1)
            site = placed.sites[number] if 0 <= number < len(placed.sites) else None
            partitions.append(_partition(part, number, site))
    return FetchAnswer(
        error=value.get("error_code", 0),
        session=kind,
        partitions=tuple(partitions),
        throttle_ms=value["throttle_time_ms"],
        trailing=trailing,
        unknown_tags=tuple(sorted(value["_tags"])) if "_tags" in value else (),
    )


def _partition(part: dict[str, Any], number: int, site: Site | None) -> PartitionAnswer:
    base = site.base if site is not None else 0
    high, stable, start = part["high_watermark"], part["last_stable_offset"], part.get("log_start_offset", -1)
    records = part["records"]
    aborted = part["aborted_transactions"]
    diverging = part.get("diverging_epoch")
    batches, tail, intact, garbled = seen(records, site) if records else ((), 0, True, None)
    return PartitionAnswer(
        number,
        part["error_code"],
        None if high == -1 else high - base,
        None if stable == -1 else stable - base,
        None if start == -1 else start - base,
        None if aborted is None else tuple([_aborted(each, site) for each in aborted]),
        batches,
        tail,
        intact,
        records is None,
        part.get("preferred_read_replica", -1),
        diverging is not None and diverging.get("epoch", -1) >= 0,
        garbled,
    )


def _aborted(each: dict[str, int], site: Site | None) -> tuple[int, int]:
    if site is None:
        return -1, each["first_offset"]
    return site.producers.get((each["producer_id"], each["first_offset"]), -1), each["first_offset"] - site.base


def seen(data: bytes, site: Site | None) -> tuple[tuple[SeenBatch, ...], int, bool, str | None]:
    """The complete batches in some records, the bytes after them, whether those are right, and what could not be read."""
    base = site.base if site is not None else 0
    known = site.known if site is not None else {}
    batches: list[SeenBatch] = []
    position, end = 0, len(data)
    while position < end:
        if end - position < HEADER_SIZE or data[position + MAGIC_AT] != CURRENT_MAGIC:
            try:
                message = parse_unusual(data, position)
            except Malformed as wrong:
                return tuple(batches), end - position, False, f"{wrong} of the records"
            if message is None:
                break
            batches.append(_old(message, site))
            position += message.size
            continue
        offset, length, _, _, crc, _, delta, _, _, _, _, _, count = HEADER.unpack_from(data, position)
        size = length + PREFIX_SIZE
        if size < HEADER_SIZE:
            return tuple(batches), end - position, False, f"batch length {length} at byte {position}"
        if position + size > end:
            break
        sound = google_crc32c.value(data[position + AFTER_CRC : position + size]) == crc
        placed = known.get(offset)
        if (
            sound
            and placed is not None
            and placed.seen.size == size
            and (placed.crc == crc or placed.crc < 0)
            and placed.seen.records == count
            and placed.magic == CURRENT_MAGIC
        ):
            batches.append(placed.seen)
        else:
            batches.append(SeenBatch(offset - base, offset - base + delta, size, count, intact=False))
        position += size
    tail = end - position
    return tuple(batches), tail, not tail or _right_tail(data, position, batches, site), None


def _old(message: BatchHeader, site: Site | None) -> SeenBatch:
    """A message of format 0 or 1: one record, whole in what its checksum covers."""
    placed = site.known.get(message.base_offset) if site is not None else None
    if placed is not None and message.crc_ok and (placed.magic, placed.crc) == (message.magic, message.crc):
        return placed.seen
    offset = message.base_offset - (site.base if site is not None else 0)
    return SeenBatch(offset, offset, message.size, 1, intact=False)


def _right_tail(data: bytes, position: int, batches: list[SeenBatch], site: Site | None) -> bool:
    """Whether the bytes after the last whole batch are the head of the next batch that was placed."""
    if site is None or not batches:
        return False
    after = site.base + batches[-1].last
    following = min((offset for offset in site.known if offset > after), default=-1)
    if following < 0:
        return False
    sent = site.known[following].sent
    size = site.known[following].seen.size if sent else MARKER_SIZE
    head = following.to_bytes(8, "big") + (size - PREFIX_SIZE).to_bytes(4, "big")
    tail = data[position:]
    if tail[:12] != head[: len(tail)]:
        return False
    return not sent or tail[TAIL_FROM:] == sent[TAIL_FROM : len(tail)]
