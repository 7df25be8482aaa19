"""Answers that differ from Apache Kafka's and are legal are never called a violation, nor what
follows from them.
"""

from dataclasses import replace

import pytest

from spec.judge import judge
from spec.kafka import Error
from spec.layout import Batch
from spec.model import answer_all
from spec.observation import Exchange, Observation
from spec.outcomes import AppendAnswer
from spec.scenario import Scenario
from spec.semantics import Semantics
from spec.share.examples import (
    FIVES,
    confirm,
    fetch,
    fetch_again,
    history,
    plain,
    release,
)
from spec.share.outcomes import (
    Acquired,
    Done,
    ShareAcknowledgeAnswer,
    ShareAnswerPartition,
    ShareFetchAnswer,
)
from spec.share.releases import ClosedCount, RangeReport, Throttling, UnknownTopic
from spec.share.steps import (
    FINAL_EPOCH,
    RECORD_LIMIT,
    AlterShareGroupOffsets,
    DropConnection,
    ShareFetch,
    SharePartition,
)
from spec.steps import Append
from spec.verdict import Outcome as Word
from tests.spec.share.legal_answers import (
    KAFKA,
    OK,
    ROUNDS,
    answered,
    deviations,
    observed,
    otherwise,
    violations,
)
from tests.spec.share.mutants import FIRST, SECOND, THIRD


@pytest.mark.parametrize(
    ("semantics", "scenario"),
    [
        (
            otherwise(throttling=Throttling.NONE),
            history((plain(8),), fetch(0), release(0, 7), *ROUNDS),
        ),
        (
            otherwise(range_report=RangeReport.SINGLE),
            history((FIVES,), fetch(0, max_records=6), release(5, 9), fetch_again()),
        ),
        (
            otherwise(closed_count=ClosedCount.TAKEN_BACK),
            history(
                (FIVES,),
                fetch(0),
                ShareFetch(epoch=FINAL_EPOCH, version=2),
                fetch(0, actor=1),
                release(0, 4, actor=1),
                fetch(0, actor=2),
            ),
        ),
        (
            otherwise(unknown_topic=UnknownTopic.PARTITION),
            history((FIVES,), fetch(0, 5), fetch_again()),
        ),
    ],
    ids=["no throttling", "single ranges", "count taken back", "unknown topic alone"],
)
def test_a_broker_that_decides_otherwise_where_it_may_violates_nothing(
    semantics: Semantics, scenario: Scenario
) -> None:
    assert violations(scenario, answer_all(scenario, semantics)) == {}


def test_fewer_records_than_could_be_acquired_deviate_and_are_followed() -> None:
    scenario = history(
        (FIVES,), fetch(0, max_records=6), fetch_again(max_records=6), confirm(0, 4), confirm(5, 9)
    )
    found = observed(
        OK,
        answered((0, 4)),
        answered((5, 9), epoch=1),
        ShareAcknowledgeAnswer(2, 0, ((0, 0),)),
        ShareAcknowledgeAnswer(3, 0, ((0, 0),)),
    )
    assert violations(scenario, found) == {}
    assert deviations(scenario, found) == {"SHR-121"}


def test_record_limit_may_acquire_less_than_max_records() -> None:
    scenario = history(
        (FIVES,),
        fetch(0, max_records=6, mode=RECORD_LIMIT),
        fetch_again(max_records=6, mode=RECORD_LIMIT),
    )
    assert violations(scenario, observed(OK, answered((0, 4)), answered((5, 9), epoch=1))) == {}


def test_an_unknown_topic_id_is_not_laid_to_what_is_acknowledged_beside_it() -> None:
    """As Kafka 4.3.1 answers: UNKNOWN_SERVER_ERROR for the whole request, by SHR-013 alone."""
    both = ShareFetch((SharePartition(5), *confirm(0, 2).partitions), version=2)
    scenario = history((FIVES,), fetch(0, max_records=6), both)
    failed = ShareFetchAnswer(1, int(Error.UNKNOWN_SERVER_ERROR))
    assert set(violations(scenario, observed(OK, answered((0, 9, 1)), failed))) == {"SHR-013"}


def test_a_partition_may_fail_while_another_one_gives_records() -> None:
    """What ended the asking was the first partition's records, not the patience."""
    scenario = history((FIVES, FIVES), fetch(0, 1, max_records=6))
    first = answered((0, 9, 1))
    failed = ShareAnswerPartition(1, int(Error.UNKNOWN_SERVER_ERROR))
    observation = observed(OK, replace(first, partitions=(*first.partitions, failed)))
    assert violations(scenario, observation) == {}


def test_the_other_error_code_for_an_acknowledgement_deviates_at_most() -> None:
    scenario = history((FIVES,), fetch(0, max_records=6), confirm(10, 14))
    found = observed(
        OK, answered((0, 9)), ShareAcknowledgeAnswer(1, 0, ((0, int(Error.INVALID_RECORD_STATE)),))
    )
    assert violations(scenario, found) == {}
    assert deviations(scenario, found) == {"SHR-312"}


def test_partitions_may_be_served_in_any_order() -> None:
    scenario = history((FIVES, FIVES, FIVES), fetch(0, 1, 2, max_records=20))
    for order in ((0, 1), (1, 2), (2, 0)):
        parts = {
            order[0]: ShareAnswerPartition(
                order[0], acquired=(Acquired(0, 14),), batches=(FIRST, SECOND, THIRD)
            ),
            order[1]: ShareAnswerPartition(order[1], acquired=(Acquired(0, 4),), batches=(FIRST,)),
        }
        assert (
            deviations(scenario, observed(OK, ShareFetchAnswer(0, 0, tuple(parts.values()), 30000)))
            == set()
        )


def test_what_can_not_be_followed_is_not_judged() -> None:
    later = AlterShareGroupOffsets(((0, 10),))
    scenario = history((FIVES,), fetch(0, max_records=5), later, fetch_again(max_records=5))
    for taken in ((5, 9), (10, 14), (0, 4)):
        assert (
            violations(scenario, observed(OK, answered((0, 4)), OK, answered(taken, epoch=1))) == {}
        )


def test_too_much_under_way_at_once_is_inconclusive_and_never_guessed() -> None:
    parked = [
        ShareFetch(
            (SharePartition(0),),
            epoch=0,
            max_records=1,
            max_wait_ms=3000,
            version=2,
            actor=actor,
            parked=True,
        )
        for actor in range(1, 6)
    ]
    scenario = history((plain(*[1] * 9),), *parked)
    exchanges = [
        Exchange(0, OK, 0, 1),
        *[Exchange(number, ShareFetchAnswer(0), 2, 50 + number) for number in range(1, 6)],
    ]
    words = {
        v.outcome
        for v in judge(scenario, Observation(tuple(exchanges)), KAFKA).verdicts
        if v.clause == "*"
    }
    assert words == {Word.INCONCLUSIVE}


def test_a_step_that_fails_leaves_the_history_inconclusive_and_the_run_going() -> None:
    scenario = history((FIVES,), Append(0, Batch(100)), fetch(0))
    (verdict,) = judge(scenario, observed(OK, AppendAnswer(6, -1)), KAFKA).breaks
    assert (verdict.outcome, verdict.signature) == (Word.INCONCLUSIVE, "step failed")
    assert (
        "expected it to be done, found NOT_LEADER_OR_FOLLOWER; see the broker's log" in verdict.why
    )


def test_a_deviation_now_is_taken_for_true_where_a_violation_would_follow_otherwise() -> None:
    """What a lost connection held is delivered again with the same count (SHR-009), and as the one
    batch that it was cached as.

    That the share partition was loaded again would explain the first answer without a break, yet
    not the second one.
    """
    one = fetch(0, max_records=1, mode=RECORD_LIMIT, actor=1)
    scenario = history(
        (FIVES,),
        fetch(0, max_records=6),
        DropConnection(0),
        one,
        fetch_again(max_records=1, actor=1),
    )
    observation = observed(
        OK, answered((0, 9, 1)), Done(), answered((0, 0, 1)), answered((1, 9, 1), epoch=1)
    )
    assert violations(scenario, observation) == {}
    assert deviations(scenario, observation) == {"SHR-009", "SHR-115"}


def test_what_an_unknown_acquire_mode_acquired_is_held() -> None:
    """A broker that takes an unknown mode for another one has acquired the records, so that no more
    can come.
    """
    scenario = history((FIVES,), fetch(0, mode=2), fetch_again(), confirm(0, 14))
    nothing, taken = answered(epoch=1), ShareAcknowledgeAnswer(3, 0, ((0, 0),))
    first = observed(OK, answered((0, 14, 1))).exchanges
    tries = (
        Exchange(2, nothing, 2, 3),
        Exchange(2, replace(nothing, epoch=2), 5100, 5101),
        Exchange(3, taken, 5200, 5201),
    )
    observation = Observation((*first, *tries))
    assert violations(scenario, observation) == {}
    assert deviations(scenario, observation) == {"SHR-012"}
