"""Faults at requests out of the ordinary: a partition named twice or unknown, a limit below 0, a
strange level, replica or tag.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.faults.planted import Expected
from conformance.subjects.fetch.faults.fault import (
    Fault,
    change_answer,
    change_by_log,
    misread,
    misread_part,
)
from spec.fetch.outcomes import FetchAnswer, PartitionAnswer
from spec.frozen import replace
from spec.kafka import (
    CONSUMER_REPLICA,
    FLEXIBLE_SINCE,
    INT32_MAX,
    READ_COMMITTED,
    READ_UNCOMMITTED,
    SESSIONLESS_EPOCH,
    SESSIONS_SINCE,
    Error,
)

if TYPE_CHECKING:
    from spec.fetch.model.request import Ask
    from spec.fetch.steps import Fetch, FetchPartition
    from spec.log import Log


def _lowest_level(fetch: Fetch) -> Fetch:
    return (
        fetch
        if READ_UNCOMMITTED <= fetch.isolation <= READ_COMMITTED
        else replace(fetch, isolation=READ_UNCOMMITTED)
    )


def _negative_limits_as(fetch: Fetch, limit: int) -> Fetch:
    """The request with each negative limit taken for `limit` bytes."""
    parts = [
        replace(part, max_bytes=limit) if part.max_bytes < 0 else part for part in fetch.partitions
    ]
    top = limit if fetch.max_bytes < 0 else fetch.max_bytes
    return replace(fetch, max_bytes=top, partitions=tuple(parts))


def _refuse_strange_level(fetch: Fetch, answer: FetchAnswer) -> FetchAnswer:
    if fetch.isolation in {READ_UNCOMMITTED, READ_COMMITTED}:
        return answer
    named = {0: 0, Error.UNKNOWN_SERVER_ERROR: Error.INVALID_REQUEST}
    parts = [replace(got, error=named.get(got.error, got.error)) for got in answer.partitions]
    return replace(answer, error=named.get(answer.error, answer.error), partitions=tuple(parts))


def _as_consumer(fetch: Fetch) -> Fetch:
    return replace(fetch, replica_id=CONSUMER_REPLICA) if fetch.replica_id >= 0 else fetch


def _first_mentions(fetch: Fetch) -> Fetch:
    first: dict[int, FetchPartition] = {}
    for part in fetch.partitions:
        first.setdefault(part.partition, part)
    return replace(fetch, partitions=tuple(first.values()))


def _nothing_for_a_tag(fetch: Fetch, answer: FetchAnswer) -> FetchAnswer:
    if fetch.unknown_tag is None or fetch.version < FLEXIBLE_SINCE:
        return answer
    return replace(
        answer, partitions=tuple([replace(got, batches=(), tail=0) for got in answer.partitions])
    )


def _fails_at_one(ask: Ask, _: Log, got: PartitionAnswer) -> PartitionAnswer:
    return PartitionAnswer(got.partition, Error.UNKNOWN_SERVER_ERROR) if ask.max_bytes == 1 else got


def _answer_in_order_of_names(fetch: Fetch, answer: FetchAnswer) -> FetchAnswer:
    if fetch.epoch != SESSIONLESS_EPOCH:
        return answer
    order = [part.partition for part in fetch.partitions]
    return replace(
        answer,
        partitions=tuple(sorted(answer.partitions, key=lambda got: order.index(got.partition))),
    )


def _last_first(fetch: Fetch, answer: FetchAnswer) -> FetchAnswer:
    return (
        replace(answer, partitions=answer.partitions[::-1])
        if fetch.epoch == SESSIONLESS_EPOCH
        else answer
    )


def _session_for_all(fetch: Fetch, answer: FetchAnswer) -> FetchAnswer:
    given = (
        fetch.epoch == SESSIONLESS_EPOCH and fetch.version >= SESSIONS_SINCE and not answer.error
    )
    return replace(answer, session=2) if given else answer


FAULTS = (
    Fault(
        "strange-isolation-level-served",
        "FET-044",
        Expected.DEVIATES,
        "An isolation level that does not exist is taken for read_uncommitted.",
        misread(_lowest_level),
    ),
    Fault(
        "strange-follower-served",
        "FET-043",
        Expected.DEVIATES,
        "Whoever says to be a replica is served.",
        misread(_as_consumer),
    ),
    Fault(
        "negative-limit-taken-as-none",
        "FET-010",
        Expected.DEVIATES,
        "A limit below 0 is taken for no limit.",
        misread(lambda fetch: _negative_limits_as(fetch, INT32_MAX)),
    ),
    Fault(
        "first-mention-counts",
        "FET-009",
        Expected.DEVIATES,
        "Of a partition named twice, the first mention counts.",
        misread(_first_mentions),
    ),
    Fault(
        "quota-ignored",
        "FET-017",
        Expected.DEVIATES,
        "A client's consumer byte quota does not cap an answer.",
        misread(lambda fetch: replace(fetch, quota=None)),
    ),
    Fault(
        "unknown-tag-gets-nothing",
        "FET-075",
        Expected.VIOLATES,
        "A request with a tagged field that the broker does not know gets no data (KIP-482).",
        change_answer(_nothing_for_a_tag),
    ),
    Fault(
        "unexpected-error-at-limit-one",
        "FET-071",
        Expected.VIOLATES,
        "A partition limit of one byte is an UNKNOWN_SERVER_ERROR.",
        change_by_log(_fails_at_one),
    ),
    Fault(
        "unknown-partition-in-its-place",
        "FET-007",
        Expected.DEVIATES,
        "A partition that does not exist is answered in its place, not after all others.",
        change_answer(_answer_in_order_of_names),
    ),
    Fault(
        "answers-in-reverse",
        "FET-107",
        Expected.DEVIATES,
        "Partitions are answered last first.",
        change_answer(_last_first),
    ),
    Fault(
        "session-for-the-sessionless",
        "FET-030",
        Expected.VIOLATES,
        "A request that wants no session gets one.",
        change_answer(_session_for_all),
    ),
    Fault(
        "offset-inside-int32",
        "FET-021",
        Expected.VIOLATES,
        "Of a fetch offset only the low 32 bits are looked at.",
        misread_part(lambda part: replace(part, offset=part.offset & 0xFFFFFFFF)),
    ),
)

VARIANTS = (
    Fault(
        "negative-limit-taken-as-zero",
        "",
        Expected.CONFORMS,
        "A limit below 0 is taken for 0, which is legal.",
        misread(lambda fetch: _negative_limits_as(fetch, 0)),
    ),
    Fault(
        "strange-isolation-level-named",
        "",
        Expected.CONFORMS,
        "An isolation level that does not exist is INVALID_REQUEST.",
        change_answer(_refuse_strange_level),
    ),
)
