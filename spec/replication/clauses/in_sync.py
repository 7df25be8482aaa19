"""How many replicas are in sync, and what follows for writes and for what consumers see."""

from spec.clause import Chapter, Code, Doc, Held, breaks, fails, holds
from spec.fence import Fence, Unit
from spec.in_words import in_words
from spec.kafka import Error, error_name
from spec.replication.examples import with_minimum
from spec.replication.model import PASSING
from spec.replication.outcomes import NO_BROKER
from spec.replication.steps import (
    ALL,
    FOLLOWER,
    LEADER,
    REPLICAS,
    AskLatest,
    ElectLeader,
    Read,
    StartBroker,
    StopBroker,
    Write,
)
from spec.replication.turn import Turn
from spec.scenario import Scenario
from spec.verdict import LimitClass, Strength, side

MINIMUM = Doc("config min.insync.replicas")
TOO_FEW = frozenset((Error.NOT_ENOUGH_REPLICAS, Error.NOT_ENOUGH_REPLICAS_AFTER_APPEND))
chapter: Chapter[Turn] = Chapter(timing_sensitive=True)


def _is_write_at_leader(turn: Turn, acks: int) -> bool:
    return (
        turn.is_answered
        and turn.at_leader
        and isinstance(turn.step, Write)
        and turn.step.acks == acks
    )


fenced = chapter.under(
    lambda turn: (
        _is_write_at_leader(turn, ALL)
        and turn.state.minimum > 0
        and (turn.state.minimum <= len(REPLICAS) or turn.state.is_short)
    )
)


@fenced.clause(
    "REP-113",
    Strength.MUST,
    LimitClass.HARD,
    MINIMUM,
    slug="replication/in-sync/fewer-refused",
    fence=Fence("the replicas in sync", Unit.REPLICAS, "`min.insync.replicas`"),
)
def fewer_in_sync_than_the_minimum_refuse(turn: Turn) -> Held | None:
    """The leader answers a Produce request with acks=all with NOT_ENOUGH_REPLICAS or
    NOT_ENOUGH_REPLICAS_AFTER_APPEND if and only if fewer replicas are in sync, itself included,
    than the topic's `min.insync.replicas`.

    How many are in sync is what the Metadata of every running broker said before. Any other error
    is not looked at, nor is a topic whose `min.insync.replicas` is more than its replicas while all
    of them are in sync: REP-118.
    """
    size, minimum = len(turn.state.in_sync), turn.state.minimum
    if turn.error and turn.error not in TOO_FEW:
        return None
    where = side(size, minimum)
    refused = turn.error in TOO_FEW
    if refused == (size < minimum):
        return holds(where)
    return breaks(
        where,
        f"{size} in sync, min.insync.replicas {minimum}: expected "
        f"{'a refusal' if size < minimum else 'no error'}, found {error_name(turn.error)}",
        "refused" if refused else "taken",
    )


@fewer_in_sync_than_the_minimum_refuse.example("two and one in sync, of at least two")
def _two_needed() -> Scenario:
    return with_minimum(2, Write(), StopBroker(FOLLOWER), Write(), StartBroker(FOLLOWER), Write())


@fewer_in_sync_than_the_minimum_refuse.example("one in sync, of at least one")
def _one_needed() -> Scenario:
    return with_minimum(1, Write(), StopBroker(FOLLOWER), Write())


refused = chapter.under(lambda turn: _is_write_at_leader(turn, ALL) and turn.state.is_short)


@refused.clause(
    "REP-114",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("Partition.scala", "appendRecordsToLeader"),
    MINIMUM,
    slug="replication/in-sync/code",
)
def a_refusal_comes_before_the_record_is_stored(turn: Turn) -> Held | None:
    """While fewer replicas are in sync than `min.insync.replicas`, the error of a Produce request
    with acks=all is NOT_ENOUGH_REPLICAS: the leader looks before it stores the record.

    The documentation allows NOT_ENOUGH_REPLICAS_AFTER_APPEND too. An answer without an error is a
    matter of REP-113, an error that passes is not looked at.
    """
    if not turn.error or turn.error in PASSING:
        return None
    if turn.error == Error.NOT_ENOUGH_REPLICAS:
        return holds()
    return fails(f"expected NOT_ENOUGH_REPLICAS, found {error_name(turn.error)}", "other code")


@a_refusal_comes_before_the_record_is_stored.example("one in sync, of at least two")
def _refusal() -> Scenario:
    return with_minimum(2, StopBroker(FOLLOWER), Write())


after_refusals = chapter.under(
    lambda turn: (
        bool(turn.state.refused)
        and turn.is_answered
        and isinstance(turn.step, Read)
        and bool(turn.read[1].records)
    )
)


@after_refusals.clause(
    "REP-115",
    Strength.MUST,
    LimitClass.HARD,
    Doc("protocol guide, error codes: NOT_ENOUGH_REPLICAS"),
    slug="replication/in-sync/refused-not-stored",
)
def a_refused_record_is_not_stored(turn: Turn) -> Held | None:
    """A record whose Produce request was answered with NOT_ENOUGH_REPLICAS is in no Fetch answer
    afterwards.
    """
    _, seen = turn.read
    found = sorted({value for _, value in seen.records} & {*turn.state.refused})
    if not found:
        return holds()
    return fails(f"expected none of the refused records, found {in_words(found)}", "stored")


@a_refused_record_is_not_stored.example("a refusal between two records, which are read later")
def _refused_between() -> Scenario:
    return with_minimum(
        2,
        Write(),
        StopBroker(FOLLOWER),
        Write(),
        StartBroker(FOLLOWER),
        Write(),
        Read(),
        Read(FOLLOWER),
    )


of_leader = chapter.under(lambda turn: _is_write_at_leader(turn, 1))


@of_leader.clause(
    "REP-116",
    Strength.MUST,
    LimitClass.HARD,
    Doc("config acks: with 1, the leader answers once it has written the record to its own log"),
    MINIMUM,
    slug="replication/in-sync/leader-alone",
)
def the_leader_alone_takes_a_record(turn: Turn) -> Held | None:
    """The leader answers a Produce request with acks=1 without an error, however many replicas are
    in sync and whatever `min.insync.replicas` is.

    An error that passes is not looked at: LEADER_NOT_AVAILABLE, REQUEST_TIMED_OUT,
    KAFKA_STORAGE_ERROR or OFFSET_NOT_AVAILABLE.
    """
    if turn.error in PASSING:
        return None
    if not turn.error:
        return holds()
    return fails(f"acks=1: expected no error, found {error_name(turn.error)}", "refused")


@the_leader_alone_takes_a_record.example("one in sync, of at least two")
def _leader_alone() -> Scenario:
    return with_minimum(2, Write(acks=1), StopBroker(FOLLOWER), Write(acks=1))


hidden = chapter.under(
    lambda turn: (
        turn.is_answered
        and isinstance(turn.step, Read)
        and not turn.error
        and turn.state.ceiling < turn.state.end
    )
)


@hidden.clause(
    "REP-117",
    Strength.MUST,
    LimitClass.HARD,
    MINIMUM,
    slug="replication/in-sync/not-visible",
)
def consumers_wait_for_the_minimum(turn: Turn) -> Held | None:
    """A record that the leader took while fewer replicas were in sync than `min.insync.replicas` is
    in no Fetch answer, and the high watermark is not past it, until as many are in sync again.
    """
    step, seen = turn.read
    ceiling = turn.state.ceiling
    last = step.offset + len(seen.records)
    if seen.records and last > ceiling:
        return fails(f"expected records below offset {ceiling}, found some up to {last}", "visible")
    if (seen.high_watermark or 0) > ceiling:
        return fails(
            f"expected a high watermark of at most {ceiling}, found {seen.high_watermark}", "past"
        )
    return holds()


@consumers_wait_for_the_minimum.example("a record of the leader alone, behind one of both")
def _behind() -> Scenario:
    reads = (Read(), Read(offset=1), AskLatest())
    return with_minimum(2, Write(), StopBroker(FOLLOWER), Write(acks=1), *reads)


whole = chapter.under(
    lambda turn: (
        _is_write_at_leader(turn, ALL)
        and turn.state.minimum > len(REPLICAS)
        and not turn.state.is_short
    )
)


@whole.clause(
    "REP-118",
    Strength.REFERENCE,
    LimitClass.SOFT,
    Code("Partition.scala", "effectiveMinIsr"),
    slug="replication/in-sync/more-than-replicas",
)
def no_more_are_needed_than_there_are(turn: Turn) -> Held | None:
    """Where `min.insync.replicas` is more than the partition's replicas, and all of them are in
    sync, the leader answers a Produce request with acks=all with neither NOT_ENOUGH_REPLICAS nor
    NOT_ENOUGH_REPLICAS_AFTER_APPEND.

    By the documentation it may. PRO-055 says so of a single replica.
    """
    if turn.error not in TOO_FEW:
        return holds()
    return fails(f"expected no such error, found {error_name(turn.error)}", "refused")


@no_more_are_needed_than_there_are.example("three are asked for, of two")
def _three_needed() -> Scenario:
    return with_minimum(3, Write(), ElectLeader(), Write(FOLLOWER))


goes_on = chapter.under(
    lambda turn: (
        turn.is_answered
        and isinstance(turn.step, Read)
        and turn.at_leader
        and not turn.error
        and turn.read[1].preferred == NO_BROKER
        and not turn.state.lags
        and 0 < turn.state.minimum <= len(turn.state.in_sync)
        and turn.state.committed <= turn.read[0].offset < turn.state.end
    )
)


@goes_on.clause(
    "REP-119",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("Partition.scala", "maybeIncrementLeaderHW"),
    slug="replication/in-sync/visible-then",
)
def a_record_is_visible_once_the_minimum_is_met(turn: Turn) -> Held | None:
    """While at least `min.insync.replicas` are in sync, the leader returns a record that it took
    with acks=1 in an answer without an error to a Fetch request from its offset, within the wait of
    the request, which is sent again for some seconds where it is answered without records before:
    one that it took while fewer were in sync, too. An answer that names a preferred read replica is
    left out.
    """
    step, seen = turn.read
    if seen.records:
        return holds()
    return fails(f"expected records from offset {step.offset}, found none", "hidden")


@a_record_is_visible_once_the_minimum_is_met.example("a record of the leader alone, and both again")
def _visible() -> Scenario:
    alone = (StopBroker(FOLLOWER), Write(acks=1), StartBroker(FOLLOWER))
    return with_minimum(2, Write(), *alone, Read(LEADER, 1))
