"""What the reference answers about several brokers breaks no clause, and the state that the clauses
follow is the one that it answers from.
"""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from generators.replication.histories import outage_histories, replication_histories
from generators.replication.relations import all_replication_relations, replication_relations
from spec.judge import judge
from spec.outcomes import NotSent
from spec.releases import semantics_for
from spec.replication.dry_run import answer_all
from spec.replication.examples import play_on_brokers
from spec.replication.model import MODEL_BROKERS, State, after, answer, selected_replica
from spec.replication.outcomes import EpochEnd, Moved, NamedLeader, ReadResult, WriteAnswer
from spec.replication.steps import (
    FOLLOWER,
    LEADER,
    STRANGER,
    AskEpochEnd,
    ElectLeader,
    KillBroker,
    Read,
    StopBroker,
    Write,
)
from spec.scenario import Scenario

KAFKA = semantics_for("4.3")
REFUSED = 6

drawn = settings(
    max_examples=200, deadline=None, suppress_health_check=list(HealthCheck), database=None
)


EVERY = st.one_of(
    replication_histories(),
    outage_histories(StopBroker(LEADER)),
    outage_histories(KillBroker(FOLLOWER)),
)


@drawn
@given(EVERY)
def test_the_reference_breaks_nothing(scenario: Scenario) -> None:
    assert not judge(scenario, answer_all(scenario, KAFKA), KAFKA).breaks


@drawn
@given(EVERY)
def test_every_step_of_a_drawn_history_can_be_played(scenario: Scenario) -> None:
    outcomes = [one.outcome for one in answer_all(scenario, KAFKA).exchanges]
    assert not [one for one in outcomes if isinstance(one, NotSent)]


@drawn
@given(EVERY)
def test_what_is_tried_has_a_name(scenario: Scenario) -> None:
    assert {*replication_relations(scenario)} <= all_replication_relations()


def moved_after(*records: int) -> State:
    """A partition with so many records under each of its leader epochs, the last one current."""
    state = State(brokers=MODEL_BROKERS)
    for epoch, count in enumerate(records):
        if epoch:
            state = after(state, ElectLeader(), Moved(state.follower, epoch))
        for _ in range(count):
            state = after(state, Write(), WriteAnswer(0, state.end))
    return state


def test_an_epoch_without_records_ends_where_the_next_with_records_begins() -> None:
    state = moved_after(2, 0, 3, 0)
    ends = [answer(state, AskEpochEnd(state.leader, epoch)) for epoch in (-3, -2, -1, 0, 1)]
    assert ends == [
        EpochEnd(0, 0, 2),
        EpochEnd(0, 0, 2),
        EpochEnd(0, 2, 5),
        EpochEnd(0, 3, 5),
        EpochEnd(),
    ]


def test_an_epoch_before_all_records_is_answered_as_it_was_asked() -> None:
    state = moved_after(0, 1)
    assert answer(state, AskEpochEnd(state.leader, -1)) == EpochEnd(0, 0, 0)


def test_a_refusal_names_the_leader_from_the_versions_on_that_can() -> None:
    state = moved_after(1, 0)
    leader = NamedLeader(FOLLOWER, 1)
    assert answer(state, Write(LEADER, 10)) == WriteAnswer(REFUSED, None, leader)
    assert answer(state, Write(LEADER, 9)) == WriteAnswer(REFUSED)
    assert answer(state, Read(STRANGER)) == ReadResult(REFUSED, leader=leader)
    assert answer(state, Read(STRANGER, version=15)) == ReadResult(REFUSED)


def test_a_consumer_is_sent_to_the_replica_that_follows_now() -> None:
    first, later = moved_after(1), moved_after(1, 0)
    assert selected_replica(first, Read(LEADER, rack=FOLLOWER)) == FOLLOWER
    assert selected_replica(later, Read(FOLLOWER, rack=LEADER)) == LEADER
    assert selected_replica(later, Read(FOLLOWER, rack=FOLLOWER)) < 0
    assert selected_replica(later, Read(FOLLOWER, rack=STRANGER)) < 0


def test_values_are_those_of_the_writes_that_were_taken() -> None:
    scenario = play_on_brokers(Write(FOLLOWER), Write(LEADER), Read(LEADER))
    last = answer_all(scenario, KAFKA).exchanges[-1].outcome
    assert isinstance(last, ReadResult)
    assert last.records == ((0, 1),)
