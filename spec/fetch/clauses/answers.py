"""That there is an answer, that it can be read, and that it has what was asked for."""

from spec.clause import KIP, Chapter, Code, Doc, Held, Report, fails, holds
from spec.fetch.examples import ask_of, batches, from_start, full, incremental
from spec.fetch.steps import Fetch, FetchPartition
from spec.fetch.turn import PLAIN, Turn, names_unknown
from spec.in_words import in_words
from spec.kafka import INT32_MAX
from spec.outcomes import Closed, Garbled, Silent
from spec.scenario import Scenario
from spec.verdict import LimitClass, Strength

chapter: Chapter[Turn] = Chapter()
unknown = chapter.under(names_unknown, PLAIN)
GUIDE = Doc("protocol guide, Fetch API and error codes")


@chapter.clause(
    "FET-077",
    Strength.MUST,
    LimitClass.EMERGENT,
    GUIDE,
    slug="fetch/answer/given",
)
def supported_request_is_answered(turn: Turn) -> Held | None:
    """A Fetch that decodes, of a version that the judged release has (4 to 17, from 4.1 on 18), is
    answered. The connection is not closed instead, and the answer is not still missing when
    `max_wait_ms` and the run's patience have passed while other requests are answered.
    """
    if not turn.known_version:
        return None
    if isinstance(turn.outcome, Closed):
        return fails(
            f"expected an answer to Fetch v{turn.fetch.version}, the connection was closed",
            "closed",
        )
    if isinstance(turn.outcome, Silent) and turn.outcome.control_answered:
        why = (
            f"expected an answer, got none {turn.outcome.waited_ms} ms past max_wait while other "
            "requests were answered"
        )
        return fails(why, "silent")
    return holds() if turn.is_answered else None


@supported_request_is_answered.example("a request for nothing, and one for a batch of 100 bytes")
def _anything() -> Scenario:
    return ask_of((batches(100),), Fetch(), Fetch(from_start(0)))


@chapter.clause(
    "FET-076",
    Strength.MUST,
    LimitClass.HARD,
    GUIDE,
    KIP(482),
    slug="fetch/answer/well-formed",
)
def answer_can_be_decoded(turn: Turn) -> Held | None:
    """The bytes of an answer are exactly one Fetch response of the request's version: each field
    can be read, none is null that the definition has as not nullable, and 0 bytes follow the last
    one. The records of each partition are record batches, of which only the last may be cut.
    """
    if isinstance(turn.outcome, Garbled):
        return fails(
            f"expected a Fetch v{turn.fetch.version} answer, found bytes that are none: "
            f"{turn.outcome.reason}",
            "garbled",
        )
    if not turn.is_answered or not turn.known_version:
        return None
    if turn.answer.trailing:
        return fails(
            f"expected the answer to end with its last field, {turn.answer.trailing} bytes follow",
            "trailing bytes",
        )
    if turn.answer.nulls:
        return fails(
            f"expected values in {', '.join(turn.answer.nulls)}, found null, which is not allowed "
            "there",
            "null where a value is required",
        )
    for got in turn.answer.partitions:
        if got.garbled:
            return fails(
                f"expected record batches in partition {got.partition}, found {got.garbled}",
                "garbled records",
            )
    return holds()


@answer_can_be_decoded.example("two batches, the second cut after 11 bytes")
def _cut_example() -> Scenario:
    return ask_of((batches(100, 200),), Fetch((FetchPartition(0, 0, 111),)))


@chapter.clause(
    "FET-073",
    Strength.MUST,
    LimitClass.HARD,
    GUIDE,
    KIP(227),
    Report("redpanda-data/redpanda#82"),
    slug="fetch/answer/each-partition-once",
)
def each_partition_is_answered_once(turn: Turn) -> Held | None:
    """An answer without a top-level error has an entry only for partitions that the request names
    or the session holds, and one entry for each. Outside of an incremental session no entry is
    missing, save in an answer that is throttled: `throttle_time_ms` above 0 and no entries at all.

    How often a partition is answered that the request itself names twice is FET-009.
    """
    if not turn.is_answered or turn.is_refused or turn.answer.error:
        return None
    if turn.in_service_order:
        return holds()
    numbers, wanted = turn.order, {served.ask.partition for served in turn.served}
    requested = [part.partition for part in turn.fetch.partitions]
    for number in numbers:
        if number not in wanted:
            return fails(
                f"partition {number} was not asked for, or not any more, and is answered",
                "not asked",
            )
        if numbers.count(number) > 1 and requested.count(number) < 2:
            return fails(
                f"partition {number} is answered {numbers.count(number)} times", "repeated"
            )
    missing = wanted - set(numbers)
    if turn.is_in_request_order and not turn.is_throttled and missing:
        return fails(f"expected an answer for partition {min(missing)}, found none", "missing")
    return holds()


@each_partition_is_answered_once.example(
    "two partitions, one batch each; then an incremental fetch that forgets one of them"
)
def _two() -> Scenario:
    return ask_of(
        (batches(100), batches(100)), full(*from_start(0, 1)), incremental(1, forgotten=(1,))
    )


@chapter.clause(
    "FET-079",
    Strength.MUST,
    LimitClass.HARD,
    KIP(219),
    Doc("protocol guide, Fetch API: throttle_time_ms"),
    slug="fetch/answer/throttle-time",
)
def throttle_time_is_no_debt(turn: Turn) -> Held | None:
    """`throttle_time_ms` is 0 or more: it is the time in milliseconds for which the request was, or
    the client is to be, held back.
    """
    if not turn.is_answered or not turn.known_version:
        return None
    reported = turn.answer.throttle_ms
    if reported < 0:
        return fails(
            f"expected a throttle time of 0 ms or more, found {reported}", "negative throttle time"
        )
    return holds()


@throttle_time_is_no_debt.example("a client without a quota")
def _not_throttled() -> Scenario:
    return ask_of((batches(100),), Fetch(from_start(0)))


@chapter.clause(
    "FET-046",
    Strength.MUST,
    LimitClass.HARD,
    KIP(595, "Fetch"),
    slug="fetch/answer/diverging-epoch",
)
def no_divergence_unasked(turn: Turn) -> Held | None:
    """The tagged field `diverging_epoch` of a partition answers a request that names the epoch of
    the last record fetched (`last_fetched_epoch`, v12+). A request that names none, as all do that
    are sent here, gets no such field.
    """
    if not turn.is_answered or not turn.known_version:
        return None
    for got in turn.answer.partitions:
        if got.diverging:
            return fails(
                f"partition {got.partition}: expected no diverging epoch, none was asked for",
                "diverging unasked",
            )
    return holds()


@no_divergence_unasked.example("v12, which has the field, and no last fetched epoch")
def _no_epoch() -> Scenario:
    return ask_of((batches(100),), Fetch(from_start(0), version=12))


@chapter.clause(
    "FET-047",
    Strength.REFERENCE,
    LimitClass.HARD,
    KIP(392),
    Code("ReplicaManager.scala", "findPreferredReadReplica"),
    slug="fetch/answer/preferred-replica",
)
def no_preferred_replica_without_a_rack(turn: Turn) -> Held | None:
    """A request whose `rack_id` is empty, as all are that are sent here, is answered with a
    `preferred_read_replica` below 0, Apache Kafka's is -1, in each partition.

    A replica selector of a broker's own may go by other things than the rack (KIP-392).
    """
    if not turn.is_answered or not turn.known_version:
        return None
    for got in turn.answer.partitions:
        if got.preferred_replica >= 0:
            why = (
                f"partition {got.partition}: expected no preferred replica, found "
                f"{got.preferred_replica}"
            )
            return fails(why, "preferred replica unasked")
    return holds()


@no_preferred_replica_without_a_rack.example("v11, the first that can name a replica")
def _no_rack() -> Scenario:
    return ask_of((batches(100),), Fetch(from_start(0), version=11))


def _order(turn: Turn) -> list[int]:
    """The partitions of an answer, each in the place of its first entry."""
    return list(dict.fromkeys(turn.order))


@unknown.clause(
    "FET-007",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    Code("KafkaApis.scala", "635-670"),
    Code("FetchResponse.java", "281-294"),
    slug="fetch/order/unknown-last",
)
def unknown_partitions_come_last(turn: Turn) -> Held | None:
    """Where a request names a partition that does not exist, the entries of the answer are those of
    the existing partitions in service order, and after them those of the others in service order.
    Service order is the request's order, in an incremental session the session's (FET-033).
    """
    if not turn.plain:
        return None
    answered = [served for served in turn.served if served.got is not None]
    expected = [served.ask.partition for served in answered if served.log is not None]
    expected += [served.ask.partition for served in answered if served.log is None]
    found = _order(turn)
    if found != expected:
        return fails(
            f"expected the order {in_words(expected)}, found {in_words(found)}", "order of answers"
        )
    return holds()


@unknown_partitions_come_last.example("a partition that does not exist is named first")
def _unknown_first() -> Scenario:
    parts = (FetchPartition(3, 0), FetchPartition(1, 0, INT32_MAX), FetchPartition(0, 0))
    return ask_of((batches(100), batches(100)), Fetch(parts))


@chapter.clause(
    "FET-107",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    Code("KafkaApis.scala", "635-670"),
    slug="fetch/order/service",
)
def answers_come_in_service_order(turn: Turn) -> Held | None:
    """Outside of an incremental session, where all partitions of a request exist, the entries of
    the answer are in the order of the request.

    It is looked at in the answer to a consumer (replica id -1 or -2), with an isolation level of 0
    or 1 and limits of 0 or more, that has no top-level error and is not throttled.
    """
    if not turn.plain or not turn.is_in_request_order or turn.unknown:
        return None
    if turn.in_service_order:
        return holds()
    expected = [served.ask.partition for served in turn.served if served.got is not None]
    found = _order(turn)
    if found != expected:
        return fails(
            f"expected the order {in_words(expected)}, found {in_words(found)}", "order of answers"
        )
    return holds()


@answers_come_in_service_order.example("partition 1 is named before partition 0")
def _second_first() -> Scenario:
    return ask_of((batches(100), batches(100)), Fetch(from_start(1, 0)))
