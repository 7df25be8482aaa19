"""Which error codes an answer may have, and what causes each."""

from spec.clause import KIP, Chapter, Code, Doc, Held, breaks, fails, holds
from spec.fence import Fence, Unit
from spec.fetch.examples import ask_of, batches, from_start, full, incremental
from spec.fetch.model.session import Mode
from spec.fetch.steps import Fetch, FetchPartition
from spec.fetch.turn import DECIDED_BY_POSITION, Turn, has_failed, names_unknown
from spec.frozen import replace
from spec.in_words import in_words
from spec.kafka import LEADER_EPOCH_SINCE, SESSIONS_SINCE, TOPIC_IDS_SINCE, Error, error_name
from spec.scenario import Scenario
from spec.verdict import ABOVE, AT, BELOW, NO_SIDE, LimitClass, Strength, side

chapter: Chapter[Turn] = Chapter()
failed, unknown = chapter.under(has_failed), chapter.under(names_unknown)
CODES = Doc("protocol guide, error codes")
UNEXPECTED, REFUSED = Error.UNKNOWN_SERVER_ERROR, Error.NOT_LEADER_OR_FOLLOWER


@chapter.clause(
    "FET-071",
    Strength.MUST,
    LimitClass.HARD,
    Doc("protocol guide, error code -1: the server did not expect the request"),
    slug="fetch/error/none-unexpected",
)
def no_unexpected_error(turn: Turn) -> Held | None:
    """No answer has UNKNOWN_SERVER_ERROR (-1), neither at the top nor in a partition, whatever the
    limits, the isolation level and the session id of the request are.

    The protocol guide has that code for what a server did not expect. A limit or an isolation level
    that is not allowed can be refused by a defined error.
    """
    if not turn.is_answered:
        return None
    if turn.answer.error == UNEXPECTED or UNEXPECTED in [
        got.error for got in turn.failed_partitions
    ]:
        return fails(f"expected data or a defined error, found {error_name(-1)}", _cause(turn))
    return holds()


def _cause(turn: Turn) -> str:
    if turn.is_refused:
        return "session id outside the shards"
    if turn.fetch.isolation not in {0, 1}:
        return "isolation level"
    if turn.has_negative_limit:
        return "negative limit"
    return "legal request"


@no_unexpected_error.example("a negative limit: Apache Kafka answers UNKNOWN_SERVER_ERROR")
def _negative() -> Scenario:
    return ask_of((batches(100),), Fetch((FetchPartition(0, 0, -1),)))


@chapter.clause(
    "FET-078",
    Strength.MUST,
    LimitClass.HARD,
    CODES,
    KIP(227),
    slug="fetch/error/has-a-cause",
)
def errors_have_a_cause(turn: Turn) -> Held | None:
    """Outside of an incremental session, a request of a version that the broker has, with isolation
    level 0 or 1 and no negative limit, has no top-level error, and no error in a partition that
    exists and whose fetch offset, leader epoch and replica id may be read.

    The top-level code came with sessions and stands for theirs alone (v7+); that of a request which
    takes the last partition out of its session is left to FET-032. A partition's
    OFFSET_OUT_OF_RANGE is left to FET-020 and FET-021.
    """
    if (
        not turn.is_answered
        or not turn.known_version
        or turn.is_refused
        or not turn.is_in_request_order
        or turn.fetch.isolation not in {0, 1}
    ):
        return None
    if turn.answer.error:
        if turn.has_negative_limit or turn.admission.mode is Mode.EMPTIED:
            return None
        return fails(
            f"expected no error for the whole request, found {error_name(turn.answer.error)}",
            "whole request",
        )
    for served in turn.served if turn.failed_partitions else ():
        readable = served.log is not None and not served.fault and not turn.has_negative_limit
        if readable and served.got is not None and served.got.error not in DECIDED_BY_POSITION:
            number, offset = served.ask.partition, served.ask.offset
            why = (
                f"partition {number} can be read at {offset}: expected no error, found "
                f"{error_name(served.got.error)}"
            )
            return fails(why, "readable partition")
    return holds()


@errors_have_a_cause.example("a partition that can be read next to one that can't")
def _one_readable() -> Scenario:
    return ask_of((batches(100), batches(100)), Fetch((FetchPartition(0, 0), FetchPartition(1, 5))))


@failed.clause(
    "FET-123",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("FetchResponse.java", "281-294"),
    Code("ReplicaManager.scala", "1854-1872,1954"),
    slug="fetch/error/no-offsets",
)
def a_failed_partition_names_no_offsets(turn: Turn) -> Held | None:
    """A partition with an error other than OFFSET_OUT_OF_RANGE (FET-121) has high watermark, last
    stable offset and log start offset -1, and 0 bytes of records.
    """
    decided = [got for got in turn.failed_partitions if got.error not in DECIDED_BY_POSITION]
    if not turn.is_answered or not decided:
        return None
    for got in decided:
        found = got.high_watermark, got.last_stable_offset, got.log_start_offset
        if found != (None, None, None):
            return fails(
                f"{error_name(got.error)}: expected -1 for all three offsets, found "
                f"{in_words(found)} (none for -1)",
                "offsets with an error",
            )
        if got.size:
            return fails(
                f"{error_name(got.error)}: expected no records, found {got.size} bytes",
                "records with an error",
            )
    return holds()


@a_failed_partition_names_no_offsets.example("a partition that does not exist beside one that does")
def _failed_example() -> Scenario:
    return ask_of((batches(100),), Fetch(from_start(0, 2)))


@unknown.clause(
    "FET-041",
    Strength.MUST,
    LimitClass.HARD,
    CODES,
    KIP(516),
    slug="fetch/error/unknown-partition",
    fence=Fence("the request's version", Unit.VERSIONS, "13, the first with topic ids"),
)
def unknown_partition_is_named_so(turn: Turn) -> Held | None:
    """A partition that does not exist is answered with UNKNOWN_TOPIC_OR_PARTITION and no records.
    From v13 on, where topics go by id, a topic id that does not exist is answered with
    UNKNOWN_TOPIC_ID instead; a partition number that an existing topic does not have, still with
    UNKNOWN_TOPIC_OR_PARTITION.

    Of a request with an isolation level other than 0 and 1 FET-044 speaks.
    """
    answered = [served for served in turn.unknown if served.got is not None]
    if not answered or turn.fetch.isolation not in {0, 1}:
        return None
    where = side(turn.fetch.version, TOPIC_IDS_SINCE)
    for served in answered:
        if served.got is not None and (served.got.error != served.fault or served.size):
            found = f"{error_name(served.got.error)} and {served.size} bytes"
            return breaks(
                where,
                f"partition that does not exist: expected {error_name(served.fault)} without "
                f"data, found {found}",
                "unknown partition",
            )
    return holds(where)


@unknown_partition_is_named_so.example(
    "a topic, and a partition of a topic, that do not exist, by v12 and by v13"
)
def _unknown() -> Scenario:
    parts = from_start(1, 2)
    return ask_of((batches(100),), Fetch(parts, version=12), Fetch(parts, version=13))


@chapter.clause(
    "FET-044",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("IsolationLevel.java", "forId"),
    slug="fetch/error/isolation-level",
    fence=Fence("the isolation level", Unit.VALUES, "the legal ones, 0 and 1"),
)
def other_isolation_levels_fail(turn: Turn) -> Held | None:
    """A request with an isolation level below 0 or above 1 fails as a whole, in one of two ways:
    with UNKNOWN_SERVER_ERROR at the top (v7+) and in each partition that is answered, as in Apache
    Kafka, and with no other code; or with a defined error, of a code above 0, at the top or in
    every partition, and with UNKNOWN_SERVER_ERROR nowhere.

    FET-071 forbids the first way. A request that its session refuses is not looked at.
    """
    if not turn.is_answered or turn.is_refused or not turn.known_version:
        return None
    level = turn.fetch.isolation
    if 0 <= level <= 1:
        return holds(AT)
    where = BELOW if level < 0 else ABOVE
    partitions = {got.error for got in turn.answer.partitions}
    codes = {turn.answer.error, *partitions}
    thrown = codes if turn.fetch.version >= SESSIONS_SINCE else partitions  # no error at the top
    if thrown == {UNEXPECTED}:
        return holds(where)
    refused = turn.answer.error > 0 or (partitions and min(partitions) > 0)
    if refused and UNEXPECTED not in codes:
        return holds(where)
    found = in_words([error_name(code) if code else "no error" for code in sorted(codes)])
    why = f"expected an error throughout, found {found}"
    return breaks(where, why, "isolation")


@other_isolation_levels_fail.example("isolation level 1, then 2")
def _isolation() -> Scenario:
    return ask_of((batches(100),), *[Fetch(from_start(0), isolation=level) for level in (1, 2)])


@other_isolation_levels_fail.example("isolation level 2 in a session, which is used again")
def _isolation_in_a_session() -> Scenario:
    wrong = replace(incremental(1, *from_start(0)), isolation=2)
    again = (incremental(1, *from_start(0)), incremental(2), incremental(3, *from_start(0)))
    return ask_of((batches(100),), full(*from_start(0)), wrong, *again)


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
    """A request with a replica id of 0 or more that is no replica of an existing partition is
    answered with NOT_LEADER_OR_FOLLOWER in that partition. One with -1, a consumer, or -2, the
    debug consumer, is not.

    A leader epoch that is not the current one is noticed before that (FET-045), and so is an
    isolation level other than 0 and 1 (FET-044).
    """
    if not turn.is_answered or turn.fetch.isolation not in {0, 1}:
        return None
    where = side(turn.fetch.replica_id, -1)
    if where is not ABOVE:
        if turn.failed_partitions and REFUSED in [got.error for _, _, got in turn.located]:
            return breaks(
                where,
                "expected a consumer to be served, found NOT_LEADER_OR_FOLLOWER",
                "consumer refused",
            )
        return holds(where) if turn.located else None
    found = [
        served.got.error
        for served in turn.served
        if served.got is not None and served.log is not None and not served.ask.leader_epoch
    ]
    for error in found:
        if error != REFUSED:
            return breaks(
                where, f"expected NOT_LEADER_OR_FOLLOWER, found {error_name(error)}", "follower"
            )
    return holds(where) if found else None


@strange_follower_is_refused.example("replica id 7, which is no replica, then -1 and -2")
def _follower() -> Scenario:
    return ask_of((batches(100),), *[Fetch(from_start(0), replica_id=node) for node in (7, -1, -2)])


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
    """A consumer's request (v9+) that names a `current_leader_epoch` below the partition's is
    answered with FENCED_LEADER_EPOCH in that partition, one above it with UNKNOWN_LEADER_EPOCH.
    With the partition's own epoch neither error comes.

    Of a request with an isolation level other than 0 and 1 FET-044 speaks.
    """
    if (
        turn.fetch.version < LEADER_EPOCH_SINCE
        or turn.fetch.replica_id >= 0
        or not turn.is_answered
        or turn.fetch.isolation not in {0, 1}
    ):
        return None
    where = NO_SIDE
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


@leader_epoch_is_checked.example("the epoch before the partition's, its own, and the one after it")
def _epochs() -> Scenario:
    asks = [(FetchPartition(0, 0, leader_epoch=epoch),) for epoch in (-1, 0, 1)]
    return ask_of((batches(100),), *[Fetch(parts) for parts in asks])
