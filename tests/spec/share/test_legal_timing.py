"""Requests that wait or are under way at once: whatever moment they have their effect at, a legal
answer is never called a violation.
"""

from dataclasses import replace

import pytest

from spec.judge import judge
from spec.kafka import Error
from spec.layout import Batch, Partition
from spec.model import answer_all
from spec.observation import Exchange, Observation
from spec.releases import semantics_for
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
    Done,
    ShareAcknowledgeAnswer,
    ShareAnswerPartition,
    ShareFetchAnswer,
)
from spec.share.steps import (
    FINAL_EPOCH,
    AcknowledgementBatch,
    Pause,
    ShareFetch,
    SharePartition,
)
from spec.steps import DeleteRecords
from tests.spec.share.legal_answers import (
    OK,
    answered,
    deviations,
    observed,
    violations,
)
from tests.spec.share.mutants import FIRST


def test_acknowledgements_sent_along_may_take_longer_than_max_wait() -> None:
    scenario = history((FIVES,), fetch(0), ShareFetch(confirm(0, 4).partitions, version=2))
    answer = ShareFetchAnswer(1, 0, (ShareAnswerPartition(0),), 30000)
    exchanges = (
        Exchange(0, OK, 0, 1),
        Exchange(1, answered((0, 14)), 1, 2),
        Exchange(2, answer, 3, 4000),
    )
    assert violations(scenario, Observation(exchanges)) == {}


def test_a_patient_fetch_is_judged_try_by_try() -> None:
    scenario = history((FIVES,), fetch(0, max_records=6))
    tries = (answered(), answered(epoch=1), answered((0, 9), epoch=2))
    exchanges = [
        Exchange(0, OK, 0, 1),
        *[Exchange(1, one, 2.0 + number, 2.5 + number) for number, one in enumerate(tries)],
    ]
    assert deviations(scenario, Observation(tuple(exchanges))) == set()


@pytest.mark.parametrize("over", [True, False])
def test_about_when_a_lock_runs_out_the_records_may_come_or_not(over: bool) -> None:
    short = (
        ("group.share.min.record.lock.duration.ms", "1000"),
        ("group.share.record.lock.duration.ms", "1000"),
    )
    scenario = history(
        (FIVES,),
        fetch(0, max_records=5),
        Pause(1000),
        fetch(0, max_records=5, actor=1),
        confirm(0, 4),
        config=short,
    )
    held = replace(answered((0, 4)), lock_timeout_ms=1000)
    taken = replace(answered((0, 4, 2)) if over else answered((5, 9)), lock_timeout_ms=1000)
    late = ShareAcknowledgeAnswer(1, 0, ((0, int(Error.INVALID_RECORD_STATE) if over else 0),))
    exchanges = (
        Exchange(0, OK, 0, 1),
        Exchange(1, held, 2, 3),
        Exchange(2, Done(), 3, 1003),
        Exchange(3, taken, 1003, 1004),
    )
    assert deviations(scenario, Observation((*exchanges, Exchange(4, late, 1005, 1006)))) == set()


@pytest.mark.parametrize("first", [True, False])
def test_a_parked_fetch_may_have_its_records_before_or_after_a_request_beside_it(
    first: bool,
) -> None:
    parked = ShareFetch(
        (SharePartition(0),),
        epoch=0,
        max_records=5,
        max_wait_ms=3000,
        version=2,
        actor=1,
        parked=True,
    )
    scenario = history((FIVES,), fetch(0, max_records=5), parked, fetch_again(max_records=5))
    beside, mine = ((10, 14), (5, 9)) if first else ((5, 9), (10, 14))
    exchanges = (
        Exchange(0, OK, 0, 1),
        Exchange(1, answered((0, 4)), 2, 3),
        Exchange(2, answered(mine), 4, 40),
        Exchange(3, answered(beside, epoch=1), 5, 9),
    )
    assert deviations(scenario, Observation(exchanges)) == set()


def test_released_records_may_be_acquired_by_the_request_that_released_them() -> None:
    along = ShareFetch(release(0, 4).partitions, version=2, max_records=1)
    scenario = history((FIVES,), fetch(0, max_records=1), along)
    for taken in ((0, 4, 2), (5, 9, 1)):
        assert (
            deviations(scenario, observed(OK, answered((0, 4)), answered(taken, epoch=1))) == set()
        )


def test_a_batch_acquired_below_the_log_start_may_have_had_its_start_noticed() -> None:
    """A session closes while another's fetch finds the log start: which of them moved the start
    offset last can't be seen.
    """
    steps = (
        fetch(0, max_records=5),
        DeleteRecords(0, 9),
        ShareFetch(epoch=FINAL_EPOCH, version=2),
        fetch(0, actor=1, max_records=5, patience_ms=0),
        fetch(0, max_records=1),
        release(5, 9),
        fetch_again(max_records=1),
    )
    scenario = history((plain(5, 5),), *steps)
    played = answer_all(scenario, semantics_for("4.3"))
    last = played.exchanges[-1].outcome
    assert isinstance(last, ShareFetchAnswer)
    assert [
        (one.first, one.last, one.count) for part in last.partitions for one in part.acquired
    ] == [(9, 9, 2)]
    assert judge(scenario, played, semantics_for("4.3")).breaks == ()


def test_a_read_may_have_begun_before_what_its_own_request_gave_back_was_written() -> None:
    """It begins at offset 9, with the batch from 5 on; 5 and 6 can be acquired by the time it comes
    back (seen on 4.3.1).
    """
    confirming = AcknowledgementBatch(0, 8, (1, 1, 2, 2, 2, 2, 2, 1, 1))
    come = ShareFetch((SharePartition(0, (confirming,)),), version=2)
    scenario = history((FIVES,), fetch(0, max_records=15), release(9, 14), come)
    held = answered((0, 14, 1)), ShareAcknowledgeAnswer(1, 0, ((0, 0),))
    assert (
        deviations(scenario, observed(OK, *held, answered((5, 6, 2), (9, 14, 2), epoch=2))) == set()
    )
    assert deviations(scenario, observed(OK, *held, answered((6, 6, 2), (9, 14, 2), epoch=2))) == {
        "SHR-115"
    }


def test_4_1_reads_from_what_its_own_request_is_giving_back() -> None:
    """The read begins at offset 2, whose release is being written, so that it can't be acquired:
    the hole behind the batch is acquired alone, and the batch comes along (seen on 4.1.2).
    """
    log = Partition(((Batch(100, records=5), Batch(100, records=4, gap=1)),))
    giving_back = SharePartition(0, (AcknowledgementBatch(2, 4, (2,)),))
    come = ShareFetch((giving_back,), max_records=1, version=1)
    scenario = history((log,), replace(fetch(0, max_records=1), version=1), come)
    found = observed(OK, answered((0, 4, 1)), answered((5, 5, 1), epoch=1))
    hole = found.exchanges[2].outcome
    assert isinstance(hole, ShareFetchAnswer)
    part = replace(hole.partitions[0], batches=(FIRST,))
    last = replace(found.exchanges[2], outcome=replace(hole, partitions=(part,)))
    played = Observation((*found.exchanges[:2], last))
    assert judge(scenario, played, semantics_for("4.1")).breaks == ()
    assert {verdict.clause for verdict in judge(scenario, played, semantics_for("4.3")).breaks} == {
        "SHR-121"
    }
