"""Changes made by hand to an answer that a real broker gave, each with the clauses of which one
must name it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import google_crc32c

from conformance.placement.placed_partition import Placed
from conformance.wire.batch_format import AFTER_CRC
from spec.fetch.steps import Fetch
from spec.kafka import SESSIONS_SINCE, Error

Value = dict[str, Any]

LENGTH_AT, CRC_AT = 8, 17
"""Where a batch has its length (int32, of what follows it) and its checksum."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A decoded answer, what it answers and where the layout lies."""

    fetch: Fetch
    value: Value
    placed: Placed

    @property
    def parts(self) -> list[Value]:
        """Each partition's part."""
        return [part for topic in self.value["responses"] for part in topic["partitions"]]


Pick = Callable[[Answered], Iterator[Value]]
Change = Callable[[Answered, Value], None]


@dataclass(frozen=True, slots=True)
class Mutation:
    """One change.

    Attributes:
        name: what is done.
        clauses: of these one must be the primary break.
        pick: where it can be done; nowhere in many answers.
        change: does it, in place.
    """

    name: str
    clauses: frozenset[str]
    pick: Pick
    change: Change

    def apply(self, answered: Answered) -> bool:
        """Change the first place; False where there is none."""
        place = next(self.pick(answered), None)
        if place is not None:
            self.change(answered, place)
        return place is not None


MUTATIONS: list[Mutation] = []


def mutation(pick: Pick, *clauses: str) -> Callable[[Change], Change]:
    def register(change: Change) -> Change:
        MUTATIONS.append(
            Mutation(change.__name__.replace("_", " "), frozenset(clauses), pick, change)
        )
        return change

    return register


def batches(records: bytes | None) -> list[bytes]:
    """The whole batches of some records."""
    found: list[bytes] = []
    rest = records or b""
    while len(rest) >= LENGTH_AT + 4:
        size = int.from_bytes(rest[LENGTH_AT : LENGTH_AT + 4], "big") + LENGTH_AT + 4
        if size > len(rest):
            break
        found.append(rest[:size])
        rest = rest[size:]
    return found


def in_range(answered: Answered) -> Iterator[Value]:
    """Parts without an error."""
    return (part for part in answered.parts if not part["error_code"])


def with_batches(least: int) -> Pick:
    """Parts with at least so many whole batches."""
    return lambda answered: (
        part for part in answered.parts if len(batches(part["records"])) >= least
    )


def with_error(*codes: Error) -> Pick:
    return lambda answered: (part for part in answered.parts if part["error_code"] in codes)


def topics(answered: Answered) -> Iterator[Value]:
    """Topics of which some partition is answered."""
    return (topic for topic in answered.value["responses"] if topic["partitions"])


def sessionless(answered: Answered) -> Iterator[Value]:
    if answered.fetch.version >= SESSIONS_SINCE and answered.fetch.epoch == -1:
        yield answered.value


@mutation(in_range, "FET-072")
def the_high_watermark_one_too_high(_: Answered, part: Value) -> None:
    part["high_watermark"] += 1


@mutation(in_range, "FET-072")
def the_high_watermark_one_too_low(_: Answered, part: Value) -> None:
    part["high_watermark"] -= 1


@mutation(in_range, "FET-072", "FET-172")
def the_last_stable_offset_one_too_high(_: Answered, part: Value) -> None:
    part["last_stable_offset"] += 1


@mutation(
    lambda answered: in_range(answered) if answered.fetch.version >= 5 else iter(()), "FET-072"
)
def the_log_start_offset_one_too_high(_: Answered, part: Value) -> None:
    part["log_start_offset"] += 1


@mutation(with_batches(1), "FET-004", "FET-005", "FET-006", "FET-075", "FET-107")
def all_records_dropped(_: Answered, part: Value) -> None:
    """FET-006 where a later partition is served instead, FET-005 where no limit was near, FET-075
    where a tag was sent along.

    FET-107, which only deviates, where the request names that partition twice: its last mention may
    count, in its place.
    """
    part["records"] = b""


@mutation(with_batches(2), "FET-011", "FET-022", "FET-122")
def the_first_batch_dropped(_: Answered, part: Value) -> None:
    """FET-022 where the offset lies in a hole; FET-122, which only deviates, where that batch has
    no records.
    """
    part["records"] = part["records"][len(batches(part["records"])[0]) :]


@mutation(with_batches(3), "FET-070")
def a_batch_in_the_middle_dropped(_: Answered, part: Value) -> None:
    part["records"] = part["records"].replace(batches(part["records"])[1], b"", 1)


@mutation(with_batches(2), "FET-011", "FET-070")
def the_first_two_batches_swapped(_: Answered, part: Value) -> None:
    """FET-070 where the offset lies in a hole, so that no batch holds it."""
    one, other, *_rest = batches(part["records"])
    part["records"] = other + one + part["records"][len(one + other) :]


@mutation(with_batches(1), "FET-070")
def the_first_batch_sent_twice(_: Answered, part: Value) -> None:
    part["records"] = batches(part["records"])[0] + part["records"]


@mutation(with_batches(1), "FET-070")
def a_bit_of_a_record_flipped(_: Answered, part: Value) -> None:
    end = len(batches(part["records"])[0])
    records = part["records"]
    part["records"] = records[: end - 1] + bytes([records[end - 1] ^ 1]) + records[end:]


@mutation(with_batches(1), "FET-070")
def a_bit_of_a_record_flipped_and_the_checksum_mended(_: Answered, part: Value) -> None:
    first = bytearray(batches(part["records"])[0])
    first[-1] ^= 1
    first[CRC_AT:AFTER_CRC] = google_crc32c.value(bytes(first[AFTER_CRC:])).to_bytes(4, "big")
    part["records"] = bytes(first) + part["records"][len(first) :]


@mutation(with_batches(1), "FET-011", "FET-070")
def the_base_offset_of_the_first_batch_one_too_high(_: Answered, part: Value) -> None:
    """FET-070 where the offset lies in a hole, so that no batch holds it."""
    records = part["records"]
    part["records"] = (int.from_bytes(records[:8], "big") + 1).to_bytes(8, "big") + records[8:]


def limited(answered: Answered) -> Iterator[Value]:
    """The only part, where one more batch would pass the partition's limit or the request's."""
    if (
        len(answered.fetch.partitions) == 1
        and len(answered.parts) == 1
        and (found := batches(answered.parts[0]["records"]))
    ):
        limit = min(answered.fetch.max_bytes, answered.fetch.partitions[0].max_bytes)
        following = _following(answered, found)
        if following and sum(map(len, found)) + len(following) > limit:
            yield answered.parts[0]


def _following(answered: Answered, found: list[bytes]) -> bytes:
    """The batch that lies after those found, as it was sent but with its base offset; empty where
    none or a marker does.
    """
    last = int.from_bytes(found[-1][:8], "big")
    known = answered.placed.placed_partitions[answered.fetch.partitions[0].partition].known
    after = min((offset for offset in known if offset > last), default=None)
    sent = b"" if after is None else known[after].sent
    return (after or 0).to_bytes(8, "big") + sent[8:] if sent else b""


@mutation(limited, "FET-001", "FET-003")
def one_batch_more_than_the_limit_allows(answered: Answered, part: Value) -> None:
    found = batches(part["records"])
    part["records"] = b"".join(found) + _following(answered, found)


@mutation(in_range, "FET-071")
def an_unexpected_error(_: Answered, part: Value) -> None:
    part["error_code"], part["records"] = int(Error.UNKNOWN_SERVER_ERROR), b""


@mutation(in_range, "FET-021", "FET-075")
def an_offset_in_range_answered_as_out_of_range(_: Answered, part: Value) -> None:
    part["error_code"], part["records"] = int(Error.OFFSET_OUT_OF_RANGE), b""


@mutation(with_error(Error.OFFSET_OUT_OF_RANGE), "FET-020", "FET-021")
def an_offset_out_of_range_answered_as_empty(_: Answered, part: Value) -> None:
    part["error_code"] = 0


@mutation(with_error(Error.UNKNOWN_TOPIC_OR_PARTITION, Error.UNKNOWN_TOPIC_ID), "FET-041")
def an_unknown_partition_answered_as_empty(_: Answered, part: Value) -> None:
    part["error_code"] = 0


@mutation(with_error(Error.FENCED_LEADER_EPOCH, Error.UNKNOWN_LEADER_EPOCH), "FET-045")
def another_leader_epoch_let_pass(_: Answered, part: Value) -> None:
    part["error_code"] = 0


@mutation(topics, "FET-073")
def a_partition_left_out(_: Answered, topic: Value) -> None:
    del topic["partitions"][0]


@mutation(topics, "FET-073", "FET-009", "FET-003")
def a_partition_answered_twice(_: Answered, topic: Value) -> None:
    topic["partitions"].append(topic["partitions"][0])


@mutation(topics, "FET-073")
def a_partition_that_was_not_asked_for(_: Answered, topic: Value) -> None:
    topic["partitions"].append({**topic["partitions"][0], "partition_index": 4321})


def listing_aborted(answered: Answered) -> Iterator[Value]:
    return (
        part
        for part in answered.parts
        if part["aborted_transactions"] and len(batches(part["records"])) > 1
    )


@mutation(listing_aborted, "FET-052")
def the_aborted_transactions_left_out(_: Answered, part: Value) -> None:
    part["aborted_transactions"] = []


@mutation(
    lambda answered: with_batches(1)(answered) if answered.fetch.isolation == 1 else iter(()),
    "FET-051",
    "FET-052",  # where aborts were to be listed, they are lost
)
def a_null_list_of_aborted_transactions(_: Answered, part: Value) -> None:
    part["aborted_transactions"] = None


@mutation(
    lambda answered: iter([answered.value] if answered.fetch.version >= 12 else []), "FET-140"
)
def a_tagged_field_that_the_message_does_not_have(_: Answered, value: Value) -> None:
    value["_tags"] = {50: b"x"}


@mutation(sessionless, "FET-030")
def a_session_that_nobody_asked_for(_: Answered, value: Value) -> None:
    value["session_id"] = 77
