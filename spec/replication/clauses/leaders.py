"""Who the leader is: its epoch, and what an answer says of it (KIP-951)."""

from spec.clause import KIP, Chapter, Code, Held, breaks, fails, holds
from spec.fence import Fence, Unit
from spec.kafka import Error, error_name
from spec.replication.examples import play_on_brokers, with_minimum
from spec.replication.model import NAMES_THE_LEADER, PASSING
from spec.replication.outcomes import UNKNOWN_BROKER, Moved, Replicas
from spec.replication.steps import (
    FETCH_LEADER_SINCE,
    FOLLOWER,
    LEADER,
    PRODUCE_LEADER_SINCE,
    REPLICAS,
    STRANGER,
    ElectLeader,
    Read,
    StartBroker,
    StopBroker,
    Write,
)
from spec.replication.turn import Turn
from spec.scenario import Scenario
from spec.verdict import LimitClass, Strength, side

chapter: Chapter[Turn] = Chapter(timing_sensitive=True)
moves = chapter.under(lambda turn: isinstance(turn.outcome, Moved))
changes = chapter.under(lambda turn: isinstance(turn.outcome, Moved | Replicas))


@changes.clause(
    "REP-004",
    Strength.MUST,
    LimitClass.HARD,
    KIP(101, "Proposed Changes"),
    KIP(320, "Motivation"),
    slug="replication/epoch/rises",
)
def a_new_leader_has_a_higher_epoch(turn: Turn) -> Held | None:
    """Where a partition has another leader than before, its leader epoch is higher than before.

    Both are what the Metadata of every running broker names once the leader has moved, or was
    stopped.
    """
    assert isinstance(turn.outcome, Moved | Replicas)
    if turn.outcome.leader == turn.state.leader:
        return None
    if turn.outcome.epoch > turn.state.epoch:
        return holds()
    return fails(
        f"expected a leader epoch above {turn.state.epoch} of the new leader "
        f"{turn.outcome.leader}, found {turn.outcome.epoch}",
        "not raised",
    )


@a_new_leader_has_a_higher_epoch.example("the leader is stopped")
def _stop_example() -> Scenario:
    return with_minimum(1, StopBroker(LEADER), StartBroker(LEADER))


@a_new_leader_has_a_higher_epoch.example("the leader moves, and back")
def _there_and_back() -> Scenario:
    return play_on_brokers(ElectLeader(), ElectLeader())


@moves.clause(
    "REP-103",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("PartitionChangeBuilder.java", "triggerLeaderEpochBumpForReplicaReassignmentIfNeeded"),
    slug="replication/epoch/by-one",
)
def an_election_raises_the_epoch_by_one(turn: Turn) -> Held | None:
    """The election of another replica that is in sync raises the leader epoch by one. The epoch
    before is that from before the replica was put first in the list of replicas, which raises none.
    """
    assert isinstance(turn.outcome, Moved)
    if turn.outcome.leader == turn.state.leader:
        return None
    raised = turn.outcome.epoch - turn.state.epoch
    if raised == 1:
        return holds()
    return fails(f"expected the leader epoch to rise by 1, found {raised}", "other step")


@an_election_raises_the_epoch_by_one.example("the leader moves")
def _once() -> Scenario:
    return play_on_brokers(ElectLeader())


def _checks_epoch(turn: Turn) -> bool:
    step = turn.step
    return (
        turn.is_answered
        and isinstance(step, Read)
        and step.epoch is not None
        and step.actor in REPLICAS
    )


checked = chapter.under(_checks_epoch)


@checked.clause(
    "REP-005",
    Strength.MUST,
    LimitClass.HARD,
    KIP(320, "Leader Epoch Validation"),
    KIP(392, "Proposed Changes"),
    slug="replication/epoch/checked",
    fence=Fence("the leader epoch that is sent", Unit.EPOCHS, "the partition's leader epoch"),
)
def each_replica_checks_the_epoch(turn: Turn) -> Held | None:
    """A Fetch request (v9+) whose current leader epoch is below the partition's is answered with
    FENCED_LEADER_EPOCH, one above it with UNKNOWN_LEADER_EPOCH, by the leader and by a follower;
    one with the partition's own epoch with neither.

    A follower may answer a wrong epoch with NOT_LEADER_OR_FOLLOWER too: which error comes first is
    not said. An error that passes is not looked at: LEADER_NOT_AVAILABLE, REQUEST_TIMED_OUT,
    KAFKA_STORAGE_ERROR or OFFSET_NOT_AVAILABLE. FET-045 says so of a partition whose leader never
    moved.
    """
    step, _ = turn.read
    epoch = step.epoch or 0
    if turn.error in PASSING:
        return None
    if epoch and not turn.at_leader and turn.error == Error.NOT_LEADER_OR_FOLLOWER:
        return None
    where = side(epoch, 0)
    wrong = (Error.FENCED_LEADER_EPOCH, Error.UNKNOWN_LEADER_EPOCH)
    held = turn.error == wrong[epoch > 0] if epoch else turn.error not in wrong
    if held:
        return holds(where)
    return breaks(
        where,
        f"leader epoch {epoch:+d} from the partition's at broker {step.actor}: found "
        f"{error_name(turn.error)}",
        "leader epoch",
    )


@each_replica_checks_the_epoch.example("after a move, an older, the current and a newer epoch")
def _epochs() -> Scenario:
    reads = [Read(actor, epoch=epoch) for actor in REPLICAS for epoch in (-1, 0, 1)]
    return play_on_brokers(Write(), ElectLeader(), *reads)


named = chapter.under(lambda turn: turn.named is not None)


@named.clause(
    "REP-006",
    Strength.MUST,
    LimitClass.HARD,
    KIP(951, "Public Interfaces"),
    slug="replication/current-leader/right",
)
def a_named_leader_leads(turn: Turn) -> Held | None:
    """The current leader that a Produce answer (v10+) or a Fetch answer (v16+) names is the broker
    that leads the partition, with its leader epoch.

    An answer that names none is a matter of REP-104, where the leader is reached one of REP-112.
    """
    leader = turn.named
    assert leader is not None
    state = turn.state
    if (leader.broker, leader.epoch) == (state.leader, state.epoch):
        return holds()
    return fails(
        f"expected broker {state.leader} in leader epoch {state.epoch}, found broker "
        f"{leader.broker} in {leader.epoch}",
        "wrong leader",
    )


@named.clause(
    "REP-112",
    Strength.MUST,
    LimitClass.HARD,
    KIP(951, "Public Interfaces"),
    slug="replication/current-leader/endpoint",
)
def a_named_leader_has_its_endpoint(turn: Turn) -> Held | None:
    """A Produce answer (v10+) or a Fetch answer (v16+) that names a current leader has among its
    node endpoints exactly one of that broker, with the host and port that Metadata gives.
    """
    leader = turn.named
    assert leader is not None
    if leader.broker == UNKNOWN_BROKER:
        return None
    if leader.reachable:
        return holds()
    return fails("expected the leader's endpoint as in Metadata, found another or none", "end")


@a_named_leader_leads.example("a write and a read at the leader of before")
@a_named_leader_has_its_endpoint.example("a write and a read at the leader of before")
def _before() -> Scenario:
    return play_on_brokers(ElectLeader(), Write(LEADER), Read(LEADER, epoch=-1), Read(STRANGER))


def _may_name(turn: Turn) -> bool:
    since = {Write: PRODUCE_LEADER_SINCE, Read: FETCH_LEADER_SINCE}.get(type(turn.step))
    return turn.is_answered and since is not None and turn.error in NAMES_THE_LEADER


naming = chapter.under(_may_name)


@naming.clause(
    "REP-104",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("KafkaApis.scala", "handleProduceRequest"),
    KIP(951, "Proposed Changes"),
    slug="replication/current-leader/given",
    fence=Fence(
        "the version of the request",
        Unit.VERSIONS,
        "the first that can name the leader (Produce v10, Fetch v16)",
    ),
)
def an_answer_names_the_current_leader(turn: Turn) -> Held | None:
    """A Produce or Fetch answer with NOT_LEADER_OR_FOLLOWER or FENCED_LEADER_EPOCH names a current
    leader from Produce v10 and Fetch v16 on, and none before. Whether it is the right one is
    REP-006.
    """
    step = turn.step
    assert isinstance(step, Write | Read)
    since = PRODUCE_LEADER_SINCE if isinstance(step, Write) else FETCH_LEADER_SINCE
    where = side(step.version, since)
    if (turn.named is not None) == (step.version >= since):
        return holds(where)
    return breaks(
        where,
        f"{error_name(turn.error)} to {step.name} v{step.version}: expected the current leader, "
        f"found {turn.named or 'none'}",
        "not named",
    )


@an_answer_names_the_current_leader.example("the versions around the first that can name it")
def _versions() -> Scenario:
    writes = [Write(FOLLOWER, version) for version in (9, 10, 11)]
    return play_on_brokers(*writes, *[Read(STRANGER, version=version) for version in (15, 16, 17)])
