"""What is there to read after a leader has moved, and where."""

from collections.abc import Iterable

from spec.clause import KIP, Chapter, Code, Doc, Held, breaks, fails, holds
from spec.fence import Fence, Unit, UnreachableSides
from spec.in_words import in_words
from spec.kafka import Error, error_name
from spec.replication.examples import play_on_brokers, with_minimum
from spec.replication.model import PASSING, RACK_AWARE, selected_replica
from spec.replication.outcomes import NO_BROKER, EpochEnd, LatestAnswer, WriteAnswer
from spec.replication.steps import (
    FOLLOWER,
    LEADER,
    NO_RACK,
    OTHER_RACK,
    RACK_SINCE,
    REPLICAS,
    STRANGER,
    AskEpochEnd,
    AskLatest,
    ElectLeader,
    KillBroker,
    Read,
    StartBroker,
    StopBroker,
    Write,
)
from spec.replication.turn import Turn
from spec.scenario import Scenario
from spec.verdict import ABOVE, LimitClass, Side, Strength, side

chapter: Chapter[Turn] = Chapter(timing_sensitive=True)
taken = chapter.under(
    lambda turn: isinstance(turn.outcome, WriteAnswer) and not turn.error and turn.at_leader
)


@taken.clause(
    "REP-007",
    Strength.MUST,
    LimitClass.HARD,
    Doc("config acks: with all, every in-sync replica has the record"),
    KIP(101, "Motivation"),
    slug="replication/write/next-offset",
)
def a_record_follows_all_that_were_acknowledged(turn: Turn) -> Held | None:
    """A record that is produced with acks=all or acks=1 and answered without an error by the leader
    gets the offset after the last one that was acknowledged, whichever broker led the partition
    then; the first of all gets 0.

    Nothing is looked at any more where a leader that has records which it alone acknowledged is
    followed by another.
    """
    assert isinstance(turn.outcome, WriteAnswer)
    if turn.outcome.offset == turn.state.end:
        return holds()
    found = in_words(turn.outcome.offset)
    return fails(f"expected offset {turn.state.end}, found {found}", "other offset")


@a_record_follows_all_that_were_acknowledged.example("a record under each of two leaders")
def _two_leaders() -> Scenario:
    return play_on_brokers(Write(LEADER), ElectLeader(), Write(FOLLOWER))


def _is_served_read(turn: Turn) -> bool:
    return turn.is_answered and isinstance(turn.step, Read) and not turn.error


served = chapter.under(_is_served_read)


@served.clause(
    "REP-008",
    Strength.MUST,
    LimitClass.HARD,
    Doc("config acks: with all, every in-sync replica has the record"),
    KIP(392, "Proposed Changes"),
    slug="replication/read/acknowledged",
)
def what_is_served_was_acknowledged(turn: Turn) -> Held | None:
    """The records of a Fetch answer without an error are those that were acknowledged at their
    offsets, by their values, beginning with the fetch offset and without a gap: at the leader and
    at a follower. An answer without records conforms here.
    """
    step, seen = turn.read
    expected = list(enumerate(turn.state.values))[step.offset :][: len(seen.records)]
    if list(seen.records) == expected:
        return holds()
    return fails(
        f"expected the records {_pairs(expected)}, found {_pairs(seen.records)}", "other records"
    )


def _pairs(records: Iterable[tuple[int, int]]) -> str:
    """Records as messages name them."""
    return ", ".join([f"{value} at offset {offset}" for offset, value in records]) or "none"


@served.clause(
    "REP-110",
    Strength.MUST,
    LimitClass.HARD,
    KIP(392, "Proposed Changes"),
    Doc("protocol guide, Fetch: high_watermark"),
    slug="replication/read/high-watermark",
)
def the_high_watermark_is_past_what_is_served(turn: Turn) -> Held | None:
    """A Fetch answer without an error has a high watermark. It is past each record of the answer,
    and at most the end of what was acknowledged: at the leader and at a follower. How far it may be
    while too few replicas are in sync is REP-117.
    """
    step, seen = turn.read
    last = step.offset + len(seen.records)
    if seen.high_watermark is None or (seen.records and seen.high_watermark < last):
        found = in_words(seen.high_watermark)
        return fails(f"expected a high watermark of {last}, found {found}", "below")
    if seen.high_watermark > turn.state.end:
        return fails(
            f"expected a high watermark of at most {turn.state.end}, found {seen.high_watermark}",
            "past the end",
        )
    return holds()


@what_is_served_was_acknowledged.example("the leader and the follower, after a move")
@the_high_watermark_is_past_what_is_served.example("the leader and the follower, after a move")
def _both() -> Scenario:
    return play_on_brokers(Write(), ElectLeader(), Write(FOLLOWER), Read(FOLLOWER), Read(LEADER))


def _should_have(turn: Turn) -> bool:
    """Whether the leader has records for a read that no other broker is named for."""
    step, seen = turn.read
    return seen.preferred == NO_BROKER and step.offset < turn.state.shown


led = chapter.under(lambda turn: _is_served_read(turn) and turn.at_leader and _should_have(turn))


@led.clause(
    "REP-009",
    Strength.MUST,
    LimitClass.HARD,
    Doc("config acks: with all, every in-sync replica has the record"),
    slug="replication/read/not-lost",
)
def the_leader_has_every_acknowledged_record(turn: Turn) -> Held | None:
    """The leader returns records in an answer without an error to a Fetch request from an offset
    that was acknowledged with acks=all, within the wait of the request: a new leader too, and one
    that follows a stopped broker. One that names a preferred read replica is left out, and one that
    was elected while fewer replicas were in sync than `min.insync.replicas`, for as long as they
    are: its high watermark may stay behind.
    """
    step, seen = turn.read
    if seen.records:
        return holds()
    return fails(f"expected records from offset {step.offset}, found none", "lost")


@the_leader_has_every_acknowledged_record.example("a read at the new leader")
def _new_leader() -> Scenario:
    return play_on_brokers(Write(), ElectLeader(), Read(FOLLOWER))


@the_leader_has_every_acknowledged_record.example("the leader is stopped, and started again")
def _stopped_leader() -> Scenario:
    again = (StartBroker(LEADER), Read(FOLLOWER, 1), ElectLeader(), Read(LEADER))
    return with_minimum(1, Write(), Write(), StopBroker(LEADER), Read(FOLLOWER), *again)


@the_leader_has_every_acknowledged_record.example("the leader is killed")
def _killed_leader() -> Scenario:
    again = (StartBroker(LEADER), Read(FOLLOWER, 1), ElectLeader(), Read(LEADER))
    return with_minimum(1, Write(), Write(), KillBroker(LEADER), Read(FOLLOWER), *again)


@the_leader_has_every_acknowledged_record.example("the leader is stopped, where two are needed")
def _stopped_short() -> Scenario:
    again = (StartBroker(LEADER), Read(FOLLOWER), Write(FOLLOWER))
    return with_minimum(2, Write(), Write(), StopBroker(LEADER), Read(FOLLOWER), *again)


def _follower_may_serve(turn: Turn) -> bool:
    step = turn.step
    return (
        turn.is_answered
        and isinstance(step, Read)
        and step.actor in REPLICAS
        and not turn.at_leader
        and step.version >= RACK_SINCE
        and not step.epoch
        and step.offset <= turn.state.shown
    )


followed = chapter.under(_follower_may_serve)


@followed.clause(
    "REP-105",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("ReplicaManager.scala", "fetchMessages"),
    KIP(392, "Proposed Changes"),
    slug="replication/read/follower",
)
def a_follower_serves_consumers(turn: Turn) -> Held | None:
    """A follower in sync answers a Fetch request (v11+) that carries no current leader epoch or the
    partition's own, from an offset up to the end of what was acknowledged with acks=all, without an
    error; and with records where some were so from the fetch offset on, within the wait of the
    request, which is sent again for some seconds where it is answered without records before.

    An error that passes is not looked at, as in REP-010.
    """
    step, seen = turn.read
    if turn.error in PASSING:
        return None
    if turn.error:
        return fails(f"expected no error, found {error_name(turn.error)}", "refused")
    if step.offset < turn.state.shown and not seen.records:
        return fails(f"expected records from offset {step.offset}, found none", "empty")
    return holds()


@a_follower_serves_consumers.example("a record is read at the follower")
def _follower() -> Scenario:
    return play_on_brokers(Write(), Read(FOLLOWER), Read(FOLLOWER, 1))


ranged = chapter.under(
    lambda turn: (
        turn.is_answered and isinstance(turn.step, Read) and turn.at_leader and not turn.step.epoch
    )
)


@ranged.clause(
    "REP-010",
    Strength.MUST,
    LimitClass.HARD,
    Doc("protocol guide, error codes: OFFSET_OUT_OF_RANGE"),
    slug="replication/read/range",
    fence=Fence("the fetch offset", Unit.OFFSETS, "the end of what was acknowledged"),
)
def the_end_is_where_it_was(turn: Turn) -> Held | None:
    """The leader answers a Fetch request that carries no current leader epoch or the partition's
    own without an error from an offset up to the end of what was acknowledged, and with
    OFFSET_OUT_OF_RANGE from one past it: after a move too, and after the leader was stopped.

    An offset in what was acknowledged with acks=1 alone is not looked at, nor an error that passes:
    LEADER_NOT_AVAILABLE, REQUEST_TIMED_OUT, KAFKA_STORAGE_ERROR or OFFSET_NOT_AVAILABLE.
    """
    step, _ = turn.read
    if turn.error in PASSING:
        return None
    where = side(step.offset, turn.state.end)
    if where is not Side.ABOVE and step.offset > turn.state.shown:
        return None
    expected = Error.OFFSET_OUT_OF_RANGE if where is Side.ABOVE else Error.NONE
    if turn.error == expected:
        return holds(where)
    return breaks(
        where,
        f"offset {step.offset} of {turn.state.end}: expected {expected.name}, found "
        f"{error_name(turn.error)}",
        "range",
    )


@the_end_is_where_it_was.example("after a move, below, at and past the end")
def _range() -> Scenario:
    reads = [Read(FOLLOWER, offset) for offset in (0, 1, 2)]
    return play_on_brokers(Write(), ElectLeader(), *reads)


preferring = chapter.under(lambda turn: _is_served_read(turn) and turn.step.actor != STRANGER)


@preferring.clause(
    "REP-011",
    Strength.MUST,
    LimitClass.HARD,
    KIP(392, "Public Interfaces"),
    slug="replication/preferred/a-follower",
)
def a_preferred_replica_is_a_follower(turn: Turn) -> Held | None:
    """The preferred read replica that a Fetch answer without an error (v11+) names is the follower
    of the partition, and the leader alone names one: to which requests is its replica selector's.
    """
    step, seen = turn.read
    if seen.preferred == NO_BROKER:
        return holds() if step.version >= RACK_SINCE else None
    if not turn.at_leader or seen.preferred != turn.state.follower:
        asked = "no rack" if step.rack == NO_RACK else f"the rack of {step.rack}"
        return fails(
            f"broker {step.actor}, asked with {asked}: expected at most the follower "
            f"{turn.state.follower} of the leader {turn.state.leader}, found {seen.preferred}",
            "no follower",
        )
    return holds()


@a_preferred_replica_is_a_follower.example("the racks of all brokers, at the leader")
def _racks() -> Scenario:
    return play_on_brokers(Write(), *[Read(rack=rack) for rack in range(OTHER_RACK + 1)])


def _goes_by_racks(turn: Turn) -> bool:
    return (
        _is_served_read(turn)
        and turn.at_leader
        and turn.state.brokers.selector == RACK_AWARE
        and isinstance(turn.step, Read)
        and turn.step.version >= RACK_SINCE
    )


racked = chapter.under(_goes_by_racks)


@racked.clause(
    "REP-106",
    Strength.REFERENCE,
    LimitClass.SOFT,
    Code("RackAwareReplicaSelector.java", "select"),
    Code("ReplicaManager.scala", "findPreferredReadReplica"),
    slug="replication/preferred/by-rack",
)
def a_consumer_is_sent_to_its_rack(turn: Turn) -> Held | None:
    """Where `replica.selector.class` is the rack-aware one, the leader names its follower as the
    preferred read replica in an answer without an error to a Fetch request (v11+) if and only if
    the follower is in sync and stands in the rack that the request names, and the leader does not.
    """
    step, seen = turn.read
    expected = selected_replica(turn.state, step)
    if seen.preferred == expected:
        return holds()
    return fails(
        f"rack {in_words(turn.state.rack_of(step.rack))}, those of the brokers "
        f"{in_words(turn.state.brokers.racks)}: expected {expected}, found {seen.preferred}",
        "not sent" if expected != NO_BROKER else "sent",
    )


@a_consumer_is_sent_to_its_rack.example("the follower's rack, and after a move that of the other")
def _sent_example() -> Scenario:
    moved = (ElectLeader(), Read(FOLLOWER, rack=LEADER), Read(FOLLOWER, rack=FOLLOWER))
    return play_on_brokers(Write(), Read(rack=FOLLOWER), *moved)


sent_away = chapter.under(
    lambda turn: _is_served_read(turn) and turn.read[1].preferred != NO_BROKER
)


@sent_away.clause(
    "REP-107",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("ReplicaManager.scala", "readFromLog"),
    slug="replication/preferred/no-records",
)
def an_answer_that_sends_away_has_no_records(turn: Turn) -> Held | None:
    """A Fetch answer without an error that names a preferred read replica has no records."""
    _, seen = turn.read
    if not seen.records:
        return holds()
    return fails(f"expected no records, found {len(seen.records)}", "records")


@an_answer_that_sends_away_has_no_records.example("the follower's rack, at the leader")
def _empty() -> Scenario:
    return play_on_brokers(Write(), Read(rack=FOLLOWER))


ends = chapter.under(
    lambda turn: turn.is_answered and isinstance(turn.step, AskLatest) and turn.at_leader
)


@ends.clause(
    "REP-012",
    Strength.MUST,
    LimitClass.HARD,
    KIP(207, "Proposed Changes"),
    Doc("protocol guide, ListOffsets"),
    slug="replication/end/right",
)
def the_latest_offset_is_the_end(turn: Turn) -> Held | None:
    """The leader answers ListOffsets for the latest offset without an error and with the end of
    what was acknowledged. Behind what was acknowledged with acks=all, it may be any offset up to
    the furthest that the high watermark may have (REP-117).

    A new leader may answer OFFSET_NOT_AVAILABLE for a while; neither this is looked at nor another
    error that passes: LEADER_NOT_AVAILABLE, REQUEST_TIMED_OUT or KAFKA_STORAGE_ERROR.
    """
    assert isinstance(turn.outcome, LatestAnswer)
    if turn.error in PASSING:
        return None
    low, high = turn.state.shown, turn.state.ceiling
    if not turn.error and turn.outcome.offset is not None and low <= turn.outcome.offset <= high:
        return holds()
    expected = high if low == high else f"{low} to {high}"
    return fails(f"expected offset {expected}, found {turn.outcome}", "other end")


@the_latest_offset_is_the_end.example("the new leader is asked")
def _end() -> Scenario:
    return play_on_brokers(Write(), Write(), ElectLeader(), AskLatest(FOLLOWER))


epoch_ends = chapter.under(
    lambda turn: turn.is_answered and isinstance(turn.step, AskEpochEnd) and turn.at_leader
)


@epoch_ends.clause(
    "REP-013",
    Strength.MUST,
    LimitClass.HARD,
    KIP(101, "Proposed Changes"),
    KIP(279, "Proposed Changes"),
    KIP(320, "Proposed Changes"),
    slug="replication/epoch-end/right",
    fence=Fence(
        "the leader epoch that is asked for",
        Unit.EPOCHS,
        "the partition's current one",
        never=UnreachableSides(ABOVE, "a newer epoch has no end yet: REP-109"),
    ),
)
def an_epoch_ends_where_the_next_has_its_first_record(turn: Turn) -> Held | None:
    """The leader answers OffsetForLeaderEpoch without an error, with the end of the log as the end
    offset of the current leader epoch, and of an older one with the first offset of the next epoch
    that has records, or the end of the log where none has.

    An error that passes is not looked at: LEADER_NOT_AVAILABLE, REQUEST_TIMED_OUT,
    KAFKA_STORAGE_ERROR or OFFSET_NOT_AVAILABLE.
    """
    asked, seen, state = *turn.epoch_end, turn.state
    if asked > 0 or turn.error in PASSING:
        return None
    _, end = state.epoch_end(state.epoch + asked)
    if not seen.error and seen.offset == end:
        return holds(side(asked, 0))
    why = f"leader epoch {asked:+d}: expected end offset {end}, found {seen}"
    return breaks(side(asked, 0), why, "end")


@epoch_ends.clause(
    "REP-109",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("LeaderEpochFileCache.java", "endOffsetFor"),
    KIP(101, "Proposed Changes"),
    slug="replication/epoch-end/newer",
)
def a_newer_epoch_has_no_end(turn: Turn) -> Held | None:
    """The leader answers OffsetForLeaderEpoch for a leader epoch that is newer than the partition's
    current one without an error, with leader epoch -1 and end offset -1.

    KIP-101 says nothing of a newer epoch. An error that passes is not looked at, as in REP-013.
    """
    asked, seen = turn.epoch_end
    if asked <= 0 or turn.error in PASSING:
        return None
    if seen == EpochEnd():
        return holds()
    return fails(f"leader epoch {asked:+d}: expected no end, found {seen}", "end")


@an_epoch_ends_where_the_next_has_its_first_record.example("each of three epochs, and a newer one")
@a_newer_epoch_has_no_end.example("each of three epochs, and a newer one")
def _ends() -> Scenario:
    moved = (Write(LEADER), ElectLeader(), Write(FOLLOWER), ElectLeader(), Write(LEADER))
    return play_on_brokers(*moved, *[AskEpochEnd(LEADER, epoch) for epoch in (-2, -1, 0, 1)])


@epoch_ends.clause(
    "REP-108",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("LeaderEpochFileCache.java", "endOffsetFor"),
    slug="replication/epoch-end/which",
)
def the_epoch_is_the_newest_with_records(turn: Turn) -> Held | None:
    """In an answer of the leader to OffsetForLeaderEpoch without an error, beside the end offset of
    the current leader epoch stands that epoch, and beside that of an older one the newest epoch up
    to it that has records, or the epoch itself where none has.
    """
    asked, seen, state = *turn.epoch_end, turn.state
    if asked > 0 or seen.error:
        return None
    epoch, _ = state.epoch_end(state.epoch + asked)
    if seen.epoch == epoch:
        return holds()
    return fails(f"expected leader epoch {epoch}, found {in_words(seen.epoch)}", "other epoch")


@the_epoch_is_the_newest_with_records.example("an epoch without records between two")
def _without() -> Scenario:
    return play_on_brokers(
        Write(LEADER), ElectLeader(), ElectLeader(), Write(LEADER), AskEpochEnd(LEADER, -1)
    )
