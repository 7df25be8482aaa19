"""That there is an answer, that it can be read, and that it names what was asked for."""

from spec.clause import KIP, Chapter, Code, Doc, Held, Report, breaks, fails, holds
from spec.fence import Fence, Unit
from spec.fetch.model.session import Mode
from spec.fetch.steps import Fetch, FetchPartition
from spec.fetch.turn import Turn
from spec.kafka import (
    INT32_MAX,
    TOPIC_IDS_SINCE,
    Error,
    error_name,
)
from spec.layout import Batch, Layout, Partition
from spec.outcomes import Closed, Garbled, Silent
from spec.scenario import Scenario
from spec.verdict import LimitClass, Side, Strength, side

chapter: Chapter[Turn] = Chapter()
GUIDE = Doc("protocol guide, Fetch API and error codes")


@chapter.clause(
    "FET-042",
    Strength.MUST,
    LimitClass.HARD,
    Doc("protocol guide, API versioning"),
    Code("KafkaApis.scala", "154-163"),
    slug="fetch/version/unsupported",
    fence=Fence(
        "the request's version",
        Unit.VERSIONS,
        "the oldest and the newest version that the broker advertises",
        meaning="below is older than the oldest, above is newer than the newest",
    ),
)
def unsupported_version_is_not_answered(turn: Turn) -> Held | None:
    """A Fetch version outside the advertised range is not answered as if it were known: the
    connection is closed.

    Versions 0 to 3 left with Kafka 4.0 (KIP-896); version 18 came with 4.1.
    """
    version, (oldest, newest) = turn.fetch.version, turn.semantics.offered
    if oldest < version < newest:
        return None
    where = Side.BELOW if version < oldest else Side.ABOVE if version > newest else Side.AT
    if where is Side.AT:
        return holds(where) if turn.answered and turn.known_version else None
    if turn.answered and turn.answer.error == 0:
        return breaks(
            where,
            f"expected no data for Fetch v{version} (advertised {oldest} to {newest}), got an "
            "answer",
            "answered",
        )
    return holds(where)


@chapter.clause(
    "FET-077",
    Strength.MUST,
    LimitClass.EMERGENT,
    GUIDE,
    Report("redpanda#1115"),
    slug="fetch/answer/given",
)
def supported_request_is_answered(turn: Turn) -> Held | None:
    """A well-formed request of an advertised version is answered: not by a closed connection, and
    not by silence.
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
    return holds() if turn.answered else None


@chapter.clause(
    "FET-076",
    Strength.MUST,
    LimitClass.HARD,
    GUIDE,
    KIP(482),
    slug="fetch/answer/well-formed",
)
def answer_can_be_decoded(turn: Turn) -> Held | None:
    """An answer is exactly one message of the request's version: nothing is missing, nothing
    follows it, and no field is null that the definition has as not nullable.
    """
    if isinstance(turn.outcome, Garbled):
        return fails(
            f"expected a Fetch v{turn.fetch.version} answer, found bytes that are none: "
            f"{turn.outcome.reason}",
            "garbled",
        )
    if not turn.answered or not turn.known_version:
        return None
    if turn.answer.nulls:
        return fails(
            f"expected values in {', '.join(turn.answer.nulls)}, found null, which is not allowed "
            "there",
            "null where a value is required",
        )
    if turn.answer.trailing:
        return fails(
            f"expected the answer to end with its last field, {turn.answer.trailing} bytes follow",
            "trailing bytes",
        )
    for got in turn.answer.partitions:
        if got.garbled:
            return fails(
                f"expected record batches in partition {got.partition}, found {got.garbled}",
                "garbled records",
            )
    return holds()


@chapter.clause(
    "FET-073",
    Strength.MUST,
    LimitClass.HARD,
    GUIDE,
    Report("redpanda#82"),
    slug="fetch/answer/each-partition-once",
)
def each_partition_is_answered_once(turn: Turn) -> Held | None:
    """Each partition asked for is answered once, and no other is; an incremental answer may leave
    some out.
    """
    if not turn.answered or turn.admission.mode is Mode.REFUSED or turn.answer.error:
        return None
    numbers = [got.partition for got in turn.answer.partitions]
    asked = {served.ask.partition for served in turn.served}
    for number in numbers:
        if number not in asked:
            return fails(
                f"partition {number} was not asked for, or not any more, and is answered",
                "not asked",
            )
        if numbers.count(number) > 1:
            return fails(
                f"partition {number} is answered {numbers.count(number)} times", "repeated"
            )
    throttled = turn.answer.throttle_ms > 0 and not numbers
    if turn.ordered and not throttled and (missing := asked - set(numbers)):
        return fails(f"expected an answer for partition {min(missing)}, found none", "missing")
    return holds()


@each_partition_is_answered_once.example("two partitions, one record each")
def _two() -> Scenario:
    one = Partition(((Batch(100),),))
    return Scenario(Layout((one, one)), (Fetch((FetchPartition(0, 0), FetchPartition(1, 0))),))


@chapter.clause(
    "FET-071",
    Strength.MUST,
    LimitClass.HARD,
    Doc("protocol guide, error code -1"),
    Report("negative limits, seen on 4.0 to 4.4"),
    slug="fetch/error/none-unexpected",
)
def no_unexpected_error(turn: Turn) -> Held | None:
    """No request that decodes is answered with UNKNOWN_SERVER_ERROR, which stands for a broker that
    did not expect it.

    A limit or an isolation level that is not allowed would be refused by a defined error.
    """
    if not turn.answered:
        return None
    codes = [turn.answer.error, *[got.error for got in turn.answer.partitions]]
    if -1 in codes:
        return fails(f"expected data or a defined error, found {error_name(-1)}", _cause(turn))
    return holds()


@no_unexpected_error.example("a negative limit")
def _negative() -> Scenario:
    return Scenario(Layout((Partition(((Batch(100),),)),)), (Fetch((FetchPartition(0, 0, -1),)),))


def _cause(turn: Turn) -> str:
    if turn.admission.mode is Mode.REFUSED:
        return "session id outside the shards"
    if turn.fetch.isolation not in {0, 1}:
        return "isolation level"
    if turn.has_negative_limit:
        return "negative limit"
    return "legal request"


@chapter.clause(
    "FET-078",
    Strength.MUST,
    LimitClass.HARD,
    GUIDE,
    KIP(227),
    slug="fetch/error/has-a-cause",
)
def errors_have_a_cause(turn: Turn) -> Held | None:
    """A request that no session refuses has no error of its own, and a partition that exists and
    can be read has none either.

    A request with a negative limit, or another isolation level than 0 and 1, may be refused. The
    top-level code came with sessions and stands for theirs alone (v7+). OFFSET_OUT_OF_RANGE is
    the business of FET-020 and FET-021.
    """
    if (
        not turn.answered
        or turn.admission.mode in {Mode.REFUSED, Mode.INCREMENTAL}
        or turn.fetch.isolation not in {0, 1}
    ):
        return None
    if turn.answer.error:
        if turn.has_negative_limit:
            return None
        return fails(
            f"expected no error for the whole request, found {error_name(turn.answer.error)}",
            "whole request",
        )
    for served in turn.served:
        readable = served.log is not None and not served.fault and not turn.has_negative_limit
        if (
            readable
            and served.got is not None
            and served.got.error not in {0, Error.OFFSET_OUT_OF_RANGE}
        ):
            number, offset = served.ask.partition, served.ask.offset
            why = (
                f"partition {number} can be read at {offset}: expected no error, found "
                f"{error_name(served.got.error)}"
            )
            return fails(why, "readable partition")
    return holds()


@errors_have_a_cause.example("a partition that can be read next to one that can't")
def _one_readable() -> Scenario:
    one = Partition(((Batch(100),),))
    return Scenario(Layout((one, one)), (Fetch((FetchPartition(0, 0), FetchPartition(1, 5))),))


@chapter.clause(
    "FET-079",
    Strength.MUST,
    LimitClass.HARD,
    KIP(219),
    Doc("protocol guide, Fetch API: throttle_time_ms"),
    slug="fetch/answer/throttle-time",
)
def throttle_time_is_no_debt(turn: Turn) -> Held | None:
    """The throttle time is how long the client was, or is to be, held back: 0 or more milliseconds,
    0 where no quota was passed.
    """
    if not turn.answered or not turn.known_version:
        return None
    reported = turn.answer.throttle_ms
    return (
        holds()
        if reported >= 0
        else fails(
            f"expected a throttle time of 0 ms or more, found {reported}",
            "negative throttle time",
        )
    )


@chapter.clause(
    "FET-123",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("FetchResponse.java", "281-294"),
    Code("ReplicaManager.scala", "1854-1872,1954"),
    slug="fetch/error/no-offsets",
)
def a_failed_partition_names_no_offsets(turn: Turn) -> Held | None:
    """With an error, high watermark, last stable offset and log start offset are all -1, and there
    are no records.

    OFFSET_OUT_OF_RANGE is the business of FET-121.
    """
    failed = [
        got for got in turn.answer.partitions if got.error not in {0, Error.OFFSET_OUT_OF_RANGE}
    ]
    if not turn.answered or not failed:
        return None
    for got in failed:
        if (got.high_watermark, got.last_stable_offset, got.log_start_offset) != (None, None, None):
            found = f"{got.high_watermark}, {got.last_stable_offset}, {got.log_start_offset}"
            return fails(
                f"{error_name(got.error)}: expected -1 for all three offsets, found {found}",
                "offsets with an error",
            )
        if got.size:
            return fails(
                f"{error_name(got.error)}: expected no records, found {got.size} bytes",
                "records with an error",
            )
    return holds()


@chapter.clause(
    "FET-046",
    Strength.MUST,
    LimitClass.HARD,
    KIP(595, "Fetch"),
    slug="fetch/answer/diverging-epoch",
)
def no_divergence_unasked(turn: Turn) -> Held | None:
    """A diverging epoch is told to those alone who say the epoch of the last record that they
    fetched (v12+).
    """
    if not turn.answered or not turn.known_version:
        return None
    for got in turn.answer.partitions:
        if got.diverging:
            return fails(
                f"partition {got.partition}: expected no diverging epoch, none was asked for",
                "diverging unasked",
            )
    return holds()


@chapter.clause(
    "FET-047",
    Strength.REFERENCE,
    LimitClass.HARD,
    KIP(392),
    Code("ReplicaManager.scala", "findPreferredReadReplica"),
    slug="fetch/answer/preferred-replica",
)
def no_preferred_replica_without_a_rack(turn: Turn) -> Held | None:
    """A consumer that names no rack is told no preferred read replica.

    A replica selector of a broker's own may go by other things than the rack (KIP-392).
    """
    if not turn.answered or not turn.known_version:
        return None
    for got in turn.answer.partitions:
        if got.preferred_replica >= 0:
            why = (
                f"partition {got.partition}: expected no preferred replica, found "
                f"{got.preferred_replica}"
            )
            return fails(why, "preferred replica unasked")
    return holds()


@chapter.clause(
    "FET-041",
    Strength.MUST,
    LimitClass.HARD,
    KIP(516),
    Code("KafkaApis.scala", "600-632"),
    slug="fetch/error/unknown-partition",
    fence=Fence("the request's version", Unit.VERSIONS, "13, the first with topic ids"),
)
def unknown_partition_is_named_so(turn: Turn) -> Held | None:
    """A partition that does not exist is UNKNOWN_TOPIC_OR_PARTITION; a topic id that does not exist
    (v13+) UNKNOWN_TOPIC_ID.
    """
    unknown = [served for served in turn.served if served.log is None and served.got is not None]
    if not unknown or turn.fetch.isolation not in {0, 1}:
        return None
    where = side(turn.fetch.version, TOPIC_IDS_SINCE)
    for served in unknown:
        if served.got is not None and (served.got.error != served.fault or served.size):
            found = f"{error_name(served.got.error)} and {served.size} bytes"
            return breaks(
                where,
                f"partition that does not exist: expected {error_name(served.fault)} without "
                f"data, found {found}",
                "unknown partition",
            )
    return holds(where)


@chapter.clause(
    "FET-007",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    Code("KafkaApis.scala", "635-670"),
    Code("FetchResponse.java", "281-294"),
    slug="fetch/order/unknown-last",
)
def unknown_partitions_come_last(turn: Turn) -> Held | None:
    """Partitions are answered in service order, those that do not exist after all others."""
    if not turn.plain or not any(served.log is None for served in turn.served):
        return None
    expected = [
        served.ask.partition
        for served in turn.served
        if served.log is not None and served.got is not None
    ]
    expected += [
        served.ask.partition
        for served in turn.served
        if served.log is None and served.got is not None
    ]
    found = [got.partition for got in turn.answer.partitions]
    return (
        holds()
        if found == expected
        else fails(f"expected the order {expected}, found {found}", "order of answers")
    )


@unknown_partitions_come_last.example("a partition that does not exist is named first")
def _unknown_first() -> Scenario:
    one = Partition(((Batch(100),),))
    parts = (FetchPartition(3, 0), FetchPartition(1, 0, INT32_MAX), FetchPartition(0, 0))
    return Scenario(Layout((one, one)), (Fetch(parts),))


@chapter.clause(
    "FET-107",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    Code("KafkaApis.scala", "635-670"),
    slug="fetch/order/service",
)
def answers_come_in_service_order(turn: Turn) -> Held | None:
    """Where all partitions exist, they are answered in service order."""
    if not turn.plain or not turn.ordered or any(served.log is None for served in turn.served):
        return None
    expected = [served.ask.partition for served in turn.served if served.got is not None]
    found = [got.partition for got in turn.answer.partitions]
    return (
        holds()
        if found == expected
        else fails(f"expected the order {expected}, found {found}", "order of answers")
    )


@chapter.clause(
    "FET-040",
    Strength.MUST,
    LimitClass.HARD,
    KIP(482),
    KIP(516),
    Doc("protocol guide, Fetch API"),
    slug="fetch/version/same-bytes",
)
def every_version_is_well_formed(turn: Turn) -> Held | None:
    """The byte rules are the same in every version; what differs is which fields an answer has.

    The fields of each version come from Kafka's own message definitions: one too many or too few
    leaves bytes over.
    """
    if not turn.answered or not turn.known_version:
        return None
    if turn.answer.trailing:
        return fails(f"Fetch v{turn.fetch.version}: {turn.answer.trailing} bytes over", "fields")
    return holds()


@chapter.clause(
    "FET-140",
    Strength.REFERENCE,
    LimitClass.HARD,
    KIP(482),
    Doc("Kafka's own FetchResponse definition"),
    slug="fetch/version/no-own-tags",
)
def no_tags_of_ones_own(turn: Turn) -> Held | None:
    """An answer has no tagged fields but those of its message.

    A client skips a tag that it does not know, so another broker may add its own.
    """
    if not turn.answered or not turn.known_version:
        return None
    if turn.answer.unknown_tags:
        return fails(
            f"Fetch v{turn.fetch.version}: expected no unknown tags, found "
            f"{turn.answer.unknown_tags}",
            "unknown tag",
        )
    return holds()


@no_tags_of_ones_own.example("one batch, asked for by v17")
def _newest_of_all() -> Scenario:
    return Scenario(
        Layout((Partition(((Batch(100),),)),)), (Fetch((FetchPartition(0, 0),), version=17),)
    )


@chapter.clause(
    "FET-075",
    Strength.MUST,
    LimitClass.HARD,
    KIP(482),
    Report("KAFKA-19554 draft, compatibility"),
    slug="fetch/version/unknown-tag",
)
def unknown_tag_is_ignored(turn: Turn) -> Held | None:
    """A tagged field that the broker does not know (v12+) changes nothing."""
    if turn.fetch.unknown_tag is None or turn.fetch.version < 12 or not turn.known_version:
        return None
    first = next(iter(turn.with_data), None)
    if isinstance(turn.outcome, Closed):
        return fails("expected the tag to be ignored, the connection was closed", "closed")
    if turn.plain and first is not None and turn.ordered and not turn.total:
        return fails("expected data as without the tag, found none", "no data")
    return holds() if turn.answered else None


@chapter.clause(
    "FET-044",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("IsolationLevel.java", "forId"),
    slug="fetch/error/isolation-level",
    fence=Fence("the isolation level", Unit.VALUES, "the legal ones, 0 and 1"),
)
def other_isolation_levels_fail(turn: Turn) -> Held | None:
    """An isolation level other than 0 and 1 fails the request and each partition.

    Apache Kafka's error is UNKNOWN_SERVER_ERROR throughout, which FET-071 forbids; a defined error
    for the request, or for each partition, conforms.
    """
    level = turn.fetch.isolation
    where = Side.BELOW if level < 0 else Side.AT if level <= 1 else Side.ABOVE
    if not turn.answered or turn.admission.mode is Mode.REFUSED:
        return None
    if where is Side.AT:
        return holds(where)
    partitions = {got.error for got in turn.answer.partitions}
    codes = {turn.answer.error, *partitions}
    if codes == {-1} or (turn.fetch.version < 7 and -1 in codes):
        return holds(where)
    refused = turn.answer.error > 0 or (partitions and min(partitions) > 0)
    if refused and -1 not in codes:
        return holds(where)
    why = f"expected an error throughout, found {sorted(codes)}"
    return breaks(where, why, "isolation")


@chapter.clause(
    "FET-043",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    Code("Partition.scala", "fetchRecords"),
    Code("ReplicaManager.scala", "1854-1872"),
    slug="fetch/error/replica-id",
    fence=Fence(
        "the replica id",
        Unit.VALUES,
        "-1, a consumer",
        meaning="below is the debug consumer, above a follower",
    ),
)
def strange_follower_is_refused(turn: Turn) -> Held | None:
    """A replica id that is not an assigned replica is NOT_LEADER_OR_FOLLOWER in each partition; -2
    is served like a consumer.

    A leader epoch that is not the current one is noticed before that (FET-045).
    """
    checked = [served for served in turn.served if not served.ask.leader_epoch]
    existing = [served for served in checked if served.log is not None and served.got is not None]
    if not turn.answered or not existing or turn.fetch.isolation not in {0, 1}:
        return None
    where = side(turn.fetch.replica_id, -1)
    if turn.fetch.replica_id >= 0:
        for served in existing:
            if served.got is not None and served.got.error != Error.NOT_LEADER_OR_FOLLOWER:
                return breaks(
                    where,
                    f"expected NOT_LEADER_OR_FOLLOWER, found {error_name(served.got.error)}",
                    "follower",
                )
    elif any(
        served.got is not None and served.got.error == Error.NOT_LEADER_OR_FOLLOWER
        for served in existing
    ):
        return breaks(
            where,
            "expected a consumer to be served, found NOT_LEADER_OR_FOLLOWER",
            "consumer refused",
        )
    return holds(where)


@chapter.clause(
    "FET-045",
    Strength.MUST,
    LimitClass.EMERGENT,
    KIP(320),
    Code("Partition.scala", "1383-1413"),
    slug="fetch/error/leader-epoch",
    fence=Fence("the leader epoch that is asked with", Unit.EPOCHS, "the partition's"),
)
def leader_epoch_is_checked(turn: Turn) -> Held | None:
    """A leader epoch (v9+) older than the partition's is FENCED_LEADER_EPOCH, a newer one
    UNKNOWN_LEADER_EPOCH.
    """
    if (
        turn.fetch.version < 9
        or turn.fetch.replica_id >= 0
        or not turn.answered
        or turn.fetch.isolation not in {0, 1}
    ):
        return None
    where = Side.NONE
    for served in turn.served:
        epoch = served.ask.leader_epoch
        if epoch is None or served.log is None or served.got is None:
            continue
        where |= side(epoch, 0)
        if epoch and served.got.error != served.fault:
            return breaks(
                where,
                f"expected {error_name(served.fault)}, found {error_name(served.got.error)}",
                "leader epoch",
            )
        if not epoch and served.got.error in {
            Error.FENCED_LEADER_EPOCH,
            Error.UNKNOWN_LEADER_EPOCH,
        }:
            return breaks(
                where,
                f"expected the current epoch to pass, found {error_name(served.got.error)}",
                "current epoch refused",
            )
    return holds(where) if where else None
