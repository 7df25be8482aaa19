"""Answers that the documents allow beside the reference's break nothing, and what an answer leaves
open is not judged.
"""

import pytest

from spec.judge import judge
from spec.judgement import Judgement
from spec.kafka import Error
from spec.observation import Exchange, Observation
from spec.outcomes import NotReady, NotSent, Outcome, Silent
from spec.releases import semantics_for
from spec.replication.dry_run import answer_all
from spec.replication.examples import with_minimum
from spec.replication.outcomes import (
    EpochEnd,
    LatestAnswer,
    NamedLeader,
    ReadResult,
    WriteAnswer,
)
from spec.replication.steps import (
    FOLLOWER,
    LEADER,
    Asked,
    AskEpochEnd,
    AskLatest,
    ElectLeader,
    Read,
    StartBroker,
    StopBroker,
    Write,
)
from spec.verdict import Outcome as Said

KAFKA = semantics_for("4.3")
PASSING = (
    "LEADER_NOT_AVAILABLE",
    "REQUEST_TIMED_OUT",
    "KAFKA_STORAGE_ERROR",
    "OFFSET_NOT_AVAILABLE",
)


def judged(*steps: Asked, instead: dict[int, Outcome], minimum: int = 0) -> Judgement:
    """The judgement of a play that the reference answers but for the steps with these places."""
    scenario = with_minimum(minimum, *steps)
    before = len(scenario.steps) - len(steps)
    exchanges = [
        Exchange(one.step, instead.get(one.step - before, one.outcome))
        for one in answer_all(scenario, KAFKA).exchanges
    ]
    return judge(scenario, Observation(tuple(exchanges)), KAFKA)


def broken(judgement: Judgement) -> list[tuple[str, Said]]:
    """The breaks, each with its clause."""
    return [(one.clause, one.outcome) for one in judgement.breaks]


@pytest.mark.parametrize(
    "name", ["REQUEST_TIMED_OUT", "NOT_ENOUGH_REPLICAS_AFTER_APPEND", "KAFKA_STORAGE_ERROR"]
)
def test_a_write_that_may_be_stored_ends_the_judgement(name: str) -> None:
    steps = (Write(), Write(), AskLatest(), Read())
    found = judged(*steps, instead={1: WriteAnswer(Error[name]), 2: LatestAnswer(0, 7)})
    assert broken(found) == [("*", Said.INCONCLUSIVE)]
    assert name in found.breaks[0].why


def test_a_write_that_is_refused_for_want_of_replicas_is_not_stored() -> None:
    refused: dict[int, Outcome] = {0: WriteAnswer(Error.NOT_ENOUGH_REPLICAS)}
    assert not broken(judged(Write(), AskLatest(), instead={**refused, 1: LatestAnswer(0, 0)}))
    stored = judged(Write(), AskLatest(), instead={**refused, 1: LatestAnswer(0, 1)})
    assert broken(stored) == [("REP-012", Said.VIOLATES)]


def test_the_leader_takes_a_write_otherwise() -> None:
    found = judged(Write(), instead={0: WriteAnswer(Error.NOT_LEADER_OR_FOLLOWER)})
    assert ("REP-111", Said.VIOLATES) in broken(found)


@pytest.mark.parametrize("epoch", [-1, 1])
def test_a_follower_may_say_first_that_it_does_not_lead(epoch: int) -> None:
    steps = (ElectLeader(), Read(LEADER, epoch=epoch), Read(FOLLOWER, epoch=epoch))
    refusal = ReadResult(Error.NOT_LEADER_OR_FOLLOWER, leader=NamedLeader(FOLLOWER, 1))
    assert not broken(judged(*steps, instead={1: refusal}))
    assert broken(judged(*steps, instead={2: refusal})) == [("REP-005", Said.VIOLATES)]
    assert ("REP-005", Said.VIOLATES) in broken(judged(*steps, instead={1: ReadResult(0, 0)}))


def test_a_dead_broker_is_inconclusive_after_other_answers_too() -> None:
    dead = Silent(1, control_answered=False)
    assert broken(judged(Write(), Read(), instead={1: dead})) == [("*", Said.INCONCLUSIVE)]


def test_what_was_judged_counts_though_a_later_step_is_not_supported() -> None:
    found = judged(Write(), Read(), instead={1: NotSent("not advertised")})
    assert {one.outcome for one in found.verdicts} == {Said.CONFORMS}


def test_a_selector_may_go_by_other_things_than_the_rack() -> None:
    steps = (Write(), Read())
    sent = broken(judged(*steps, instead={1: ReadResult(0, 1, (), FOLLOWER)}))
    assert sent == [("REP-106", Said.DEVIATES)]
    itself = broken(judged(*steps, instead={1: ReadResult(0, 1, (), LEADER)}))
    assert ("REP-011", Said.VIOLATES) in itself


@pytest.mark.parametrize("name", PASSING)
def test_a_new_leader_may_put_off_what_it_is_asked(name: str) -> None:
    steps = (
        Write(),
        ElectLeader(),
        AskLatest(FOLLOWER),
        AskEpochEnd(FOLLOWER, -1),
        Read(FOLLOWER),
        Read(FOLLOWER, epoch=-1),
    )
    code = Error[name]
    answers = (LatestAnswer(code), EpochEnd(code), ReadResult(code), ReadResult(code))
    assert not broken(judged(*steps, instead=dict(enumerate(answers, 2))))


SHORT = (Write(), StopBroker(FOLLOWER))
"""One record, and then one replica in sync."""


def test_a_refusal_after_the_record_is_stored_is_a_deviation_and_ends_the_judgement() -> None:
    stored = WriteAnswer(Error.NOT_ENOUGH_REPLICAS_AFTER_APPEND)
    steps = (*SHORT, Write(), StartBroker(FOLLOWER), Read())
    found = judged(*steps, instead={2: stored, 4: ReadResult(0, 2, ((0, 0), (1, 1)))}, minimum=2)
    assert broken(found) == [("REP-114", Said.DEVIATES)]


@pytest.mark.parametrize(("minimum", "said"), [(1, "REP-113"), (2, ""), (3, "")])
def test_a_refusal_counts_where_as_many_as_are_needed_are_in_sync(minimum: int, said: str) -> None:
    refused: dict[int, Outcome] = {2: WriteAnswer(Error.NOT_ENOUGH_REPLICAS)}
    found = judged(*SHORT, Write(), instead=refused, minimum=minimum)
    assert broken(found) == ([(said, Said.VIOLATES)] if said else [])


def test_more_than_there_are_may_be_needed_by_the_documentation() -> None:
    refused: dict[int, Outcome] = {0: WriteAnswer(Error.NOT_ENOUGH_REPLICAS)}
    assert broken(judged(Write(), instead=refused, minimum=3)) == [("REP-118", Said.DEVIATES)]


def test_nothing_is_known_of_records_whose_leader_alone_acknowledged_them() -> None:
    steps = (Write(acks=1), StopBroker(LEADER), Read(FOLLOWER))
    lost: dict[int, Outcome] = {2: ReadResult(0, 0)}
    assert not broken(judged(*steps, instead=lost, minimum=1))
    sure = (Write(acks=1), Write(), *steps[1:])
    found = judged(*sure, instead={3: ReadResult(0, 0)}, minimum=1)
    assert broken(found) == [("REP-009", Said.VIOLATES)]


def test_what_a_consumer_has_seen_is_not_lost() -> None:
    steps = (Write(acks=1), Read(), StopBroker(LEADER), Read(FOLLOWER))
    found = judged(*steps, instead={3: ReadResult(0, 0)}, minimum=1)
    assert broken(found) == [("REP-009", Said.VIOLATES)]


def test_a_leader_elected_with_too_few_in_sync_may_show_less_until_enough_are() -> None:
    steps = (Write(), StopBroker(LEADER), Read(FOLLOWER), AskLatest(FOLLOWER))
    behind: dict[int, Outcome] = {2: ReadResult(0, 0), 3: LatestAnswer(0, 0)}
    assert not broken(judged(*steps, instead=behind, minimum=2))
    found = judged(
        *steps, StartBroker(LEADER), Read(FOLLOWER), instead={5: ReadResult(0, 0)}, minimum=2
    )
    assert broken(found) == [("REP-009", Said.VIOLATES)]


@pytest.mark.parametrize("step", [ElectLeader(), StopBroker(FOLLOWER), StartBroker(FOLLOWER)])
def test_a_change_that_is_not_done_is_inconclusive(step: Asked) -> None:
    before = (StopBroker(FOLLOWER),) if isinstance(step, StartBroker) else ()
    late: dict[int, Outcome] = {len(before): NotReady("not in time")}
    assert broken(judged(*before, step, instead=late)) == [("*", Said.INCONCLUSIVE)]
