"""That each request is answered, and refused by a broker that may not serve it."""

from spec.clause import KIP, Chapter, Code, Doc, Held, fails, holds
from spec.kafka import Error, error_name
from spec.replication.examples import play_on_brokers, with_minimum
from spec.replication.model import WRITE_PUT_OFF
from spec.replication.steps import (
    ALL,
    FOLLOWER,
    LEADER,
    RACK_SINCE,
    STRANGER,
    AskEpochEnd,
    AskLatest,
    ElectLeader,
    Outage,
    Read,
    StopBroker,
    Write,
)
from spec.replication.turn import Turn
from spec.scenario import Scenario
from spec.verdict import LimitClass, Strength

chapter: Chapter[Turn] = Chapter(timing_sensitive=True)
requests = chapter.under(lambda turn: not isinstance(turn.step, ElectLeader | Outage))


@requests.clause(
    "REP-001",
    Strength.MUST,
    LimitClass.HARD,
    Doc("protocol guide, Produce, Fetch, ListOffsets and OffsetForLeaderEpoch"),
    slug="replication/answer/given",
)
def a_request_is_answered(turn: Turn) -> Held | None:
    """Each broker answers a Produce, Fetch, ListOffsets or OffsetForLeaderEpoch request of a
    version that it advertises, with a message of that version that can be decoded, whether or not
    it has a replica of the partition.
    """
    if turn.is_answered:
        return holds()
    return fails(f"expected an answer, found {turn.outcome}", "no answer")


@a_request_is_answered.example("all three brokers are asked for the end")
def _all_three() -> Scenario:
    return play_on_brokers(AskLatest(LEADER), AskLatest(FOLLOWER), AskLatest(STRANGER))


writes = chapter.under(lambda turn: turn.is_answered and isinstance(turn.step, Write))


@writes.clause(
    "REP-002",
    Strength.MUST,
    LimitClass.HARD,
    Doc("protocol guide, error codes: NOT_LEADER_OR_FOLLOWER"),
    KIP(101, "Motivation"),
    slug="replication/write/leader-only",
)
def no_other_broker_takes_records(turn: Turn) -> Held | None:
    """A Produce request with acks=all or acks=1 is answered with an error, whichever it is, by each
    broker that does not lead the partition: one that was the leader before, one that only has a
    replica, one that has none.

    The leader is the broker that the Metadata answers of all brokers named before the request.
    """
    if turn.at_leader:
        return None
    if turn.error:
        return holds()
    return fails(
        f"expected an error of broker {turn.step.actor}, which does not lead, found none",
        "taken elsewhere",
    )


@writes.clause(
    "REP-111",
    Strength.MUST,
    LimitClass.HARD,
    Doc("protocol guide, Produce"),
    Doc("protocol guide, error codes: NOT_LEADER_OR_FOLLOWER"),
    slug="replication/write/leader-takes",
)
def the_leader_takes_records(turn: Turn) -> Held | None:
    """A Produce request with acks=all is answered without an error by the partition's leader.

    The leader is the broker that the Metadata answers of all brokers named before the request. An
    error by which it refuses a write with acks=all for a while is not looked at:
    NOT_ENOUGH_REPLICAS, NOT_ENOUGH_REPLICAS_AFTER_APPEND, REQUEST_TIMED_OUT, KAFKA_STORAGE_ERROR,
    LEADER_NOT_AVAILABLE and OFFSET_NOT_AVAILABLE. REP-113 says when the first two may come, REP-116
    what a write with acks=1 is answered.
    """
    if not turn.at_leader or turn.write.acks != ALL or turn.error in WRITE_PUT_OFF:
        return None
    if not turn.error:
        return holds()
    return fails(f"expected the leader to take it, found {error_name(turn.error)}", "refused")


@no_other_broker_takes_records.example("the leader, and after it has moved the one before")
@the_leader_takes_records.example("the leader, and after it has moved the one before")
def _moved_example() -> Scenario:
    return play_on_brokers(Write(LEADER), ElectLeader(), Write(LEADER), Write(FOLLOWER))


@the_leader_takes_records.example("the one that follows its leader, which is stopped")
def _follows() -> Scenario:
    return with_minimum(1, Write(LEADER), StopBroker(LEADER), Write(FOLLOWER))


def _must_refuse(turn: Turn) -> bool:
    """Whether a read went to a broker that may not serve it: one without a replica, or below
    version 11 one that does not lead. Since then a follower may serve it (KIP-392).
    """
    step = turn.step
    return (
        turn.is_answered
        and isinstance(step, Read)
        and (step.actor == STRANGER or (not turn.at_leader and step.version < RACK_SINCE))
    )


unserved = chapter.under(_must_refuse)


@unserved.clause(
    "REP-003",
    Strength.MUST,
    LimitClass.HARD,
    KIP(392, "Compatibility, Deprecation, and Migration Plan"),
    Doc("protocol guide, error codes: NOT_LEADER_OR_FOLLOWER"),
    slug="replication/read/refused",
)
def a_broker_that_may_not_serve_refuses_a_read(turn: Turn) -> Held | None:
    """A Fetch request is answered with an error, whichever it is, by a broker without a replica of
    the partition, and below version 11 by each broker but the leader.
    """
    if turn.error:
        return holds()
    step, _ = turn.read
    return fails(
        f"expected an error of broker {step.actor} to Fetch v{step.version}, found none", "served"
    )


@a_broker_that_may_not_serve_refuses_a_read.example("v10 at the follower, v16 at a broker without")
def _refused_example() -> Scenario:
    return play_on_brokers(Write(), Read(FOLLOWER, version=10), Read(STRANGER))


elsewhere = chapter.under(
    lambda turn: (
        turn.is_answered
        and not turn.at_leader
        and isinstance(turn.step, Write | AskLatest | AskEpochEnd)
    )
)


@elsewhere.clause(
    "REP-101",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("Partition.scala", "localLogWithEpochOrThrow"),
    Code("ReplicaManager.scala", "getPartitionOrError"),
    slug="replication/answer/not-leader",
)
def another_broker_says_that_it_does_not_lead(turn: Turn) -> Held | None:
    """A broker that does not lead the partition answers Produce, ListOffsets and
    OffsetForLeaderEpoch with NOT_LEADER_OR_FOLLOWER, whether or not it has a replica.
    """
    if turn.error == Error.NOT_LEADER_OR_FOLLOWER:
        return holds()
    return fails(
        f"{turn.step.name} at broker {turn.step.actor}: expected NOT_LEADER_OR_FOLLOWER, found "
        f"{error_name(turn.error)}",
        "other answer",
    )


@another_broker_says_that_it_does_not_lead.example("a follower, and a broker without a replica")
def _elsewhere() -> Scenario:
    return play_on_brokers(AskLatest(FOLLOWER), AskEpochEnd(STRANGER), Write(STRANGER))


refused_reads = chapter.under(lambda turn: _must_refuse(turn) and bool(turn.error))


@refused_reads.clause(
    "REP-102",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("Partition.scala", "localLogWithEpochOrThrow"),
    slug="replication/read/not-leader",
)
def a_refused_read_has_the_code_for_it(turn: Turn) -> Held | None:
    """The error of a Fetch request that a broker may not serve (REP-003) is NOT_LEADER_OR_FOLLOWER,
    where the request carries no current leader epoch or the partition's own.
    """
    step, _ = turn.read
    if step.epoch:  # an older or a newer one has errors of its own
        return None
    if turn.error == Error.NOT_LEADER_OR_FOLLOWER:
        return holds()
    return fails(f"expected NOT_LEADER_OR_FOLLOWER, found {error_name(turn.error)}", "other code")


@a_refused_read_has_the_code_for_it.example("a broker without a replica")
def _stranger() -> Scenario:
    return play_on_brokers(Read(STRANGER))
