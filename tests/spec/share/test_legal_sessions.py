"""Closed sessions, lost connections, restarts and loading: at whatever moment records are given
back, a legal answer is never called a violation.
"""

from dataclasses import replace

import pytest

from spec.judge import judge
from spec.kafka import Error
from spec.layout import Batch
from spec.observation import Exchange, Observation
from spec.outcomes import AppendAnswer
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
    Acquired,
    Done,
    ShareAcknowledgeAnswer,
    ShareAnswerPartition,
    ShareFetchAnswer,
)
from spec.share.steps import (
    FINAL_EPOCH,
    RECORD_LIMIT,
    DropConnection,
    RestartBroker,
    ShareFetch,
    SharePartition,
)
from spec.steps import Append, DeleteRecords
from tests.spec.share.legal_answers import (
    KAFKA,
    OK,
    answered,
    deviations,
    observed,
    violations,
)
from tests.spec.share.mutants import FIRST, SECOND, THIRD, example


def test_a_share_partition_that_is_still_being_loaded_answers_empty_or_with_an_error() -> None:
    scenario = history((FIVES,), fetch(0), fetch_again(), fetch_again())
    early = (
        answered(error=int(Error.UNKNOWN_SERVER_ERROR)),
        answered(epoch=1),
        answered((0, 14), epoch=2),
    )
    assert deviations(scenario, observed(OK, *early)) == set()


@pytest.mark.parametrize(
    "error", [Error.NONE, Error.INVALID_RECORD_STATE, Error.UNKNOWN_TOPIC_OR_PARTITION]
)
def test_below_the_start_offset_of_a_share_partition_that_is_still_being_loaded_any_error_may_come(
    error: Error,
) -> None:
    scenario = history((plain(4),), fetch(0, patience_ms=0), confirm(0, 5), start=6)
    assert (
        deviations(
            scenario, observed(OK, answered(), ShareAcknowledgeAnswer(1, 0, ((0, int(error)),)))
        )
        == set()
    )


def test_while_a_share_partition_is_loaded_acknowledgements_and_fetches_may_fail_alike() -> None:
    scenario = history(
        (FIVES,), fetch(0, patience_ms=0), ShareFetch(confirm(0, 4).partitions, version=2)
    )
    loading = int(Error.UNKNOWN_SERVER_ERROR)
    failed = ShareFetchAnswer(1, 0, (ShareAnswerPartition(0, loading, loading),), 30000)
    assert deviations(scenario, observed(OK, answered(), failed)) == set()


@pytest.mark.parametrize("first", [0, 1])
def test_each_partition_of_a_closed_session_is_given_back_at_a_moment_of_its_own(
    first: int,
) -> None:
    close = ShareFetch(epoch=FINAL_EPOCH, version=2)
    scenario = history(
        (plain(5), plain(5)),
        fetch(0, 1),
        close,
        fetch(0, 1, actor=1),
        fetch_again(actor=1),
        fetch_again(actor=1),
    )
    both = tuple(
        [
            ShareAnswerPartition(number, acquired=(Acquired(0, 4),), batches=(FIRST,))
            for number in (0, 1)
        ]
    )
    parts = [
        ShareAnswerPartition(number, acquired=(Acquired(0, 4, 2),), batches=(FIRST,))
        for number in (first, 1 - first)
    ]
    answers = [
        ShareFetchAnswer(epoch, 0, answer, 30000)
        for epoch, answer in enumerate(((parts[0],), (), (parts[1],)))
    ]
    assert (
        deviations(
            scenario,
            observed(
                OK, ShareFetchAnswer(0, 0, both, 30000), ShareFetchAnswer(FINAL_EPOCH), *answers
            ),
        )
        == set()
    )


def test_4_0_reads_from_what_is_still_being_given_back() -> None:
    early = semantics_for("4.0")
    along = ShareFetch(
        (SharePartition(0, release(0, 9).partitions[0].acknowledgements),), version=0
    )
    scenario = history(
        (plain(5, 5),), replace(fetch(0), version=0), Append(0, Batch(100, 5)), along
    )
    found = observed(
        OK,
        replace(answered((0, 9)), lock_timeout_ms=None),
        AppendAnswer(0, 10),
        ShareFetchAnswer(
            1,
            0,
            (
                ShareAnswerPartition(
                    0, acquired=(Acquired(10, 14),), batches=(FIRST, SECOND, THIRD)
                ),
            ),
        ),
    )
    assert {v.clause for v in judge(scenario, found, early).breaks} == set()


def test_a_share_partition_may_take_seconds_to_load() -> None:
    scenario = history((FIVES,), fetch(0))
    exchanges = [
        Exchange(1, answered(epoch=epoch), 1000.0 * epoch + 2, 1000.0 * epoch + 3)
        for epoch in range(4)
    ]
    exchanges.append(Exchange(1, answered((0, 14), epoch=4), 4002, 4003))
    assert deviations(scenario, Observation((Exchange(0, OK, 0, 1), *exchanges))) == set()


def test_what_4_1_keeps_locked_after_a_closed_session_does_not_hide_what_it_gives_instead() -> None:
    preview = semantics_for("4.1")
    close = ShareFetch(epoch=FINAL_EPOCH, version=1)
    scenario = history(
        (FIVES,), fetch(0, max_records=5, version=1), close, fetch(0, actor=1, version=1)
    )
    found = observed(
        OK, answered((0, 4)), ShareFetchAnswer(FINAL_EPOCH), answered((5, 9), (10, 14)), gap_ms=3000
    )
    assert violations(scenario, found, preview) == {}
    assert {v.clause for v in judge(scenario, found, preview).breaks} == set()


@pytest.mark.parametrize("given_back", [True, False])
def test_right_after_a_close_the_records_may_have_been_given_back_or_not(given_back: bool) -> None:
    close = ShareFetch(epoch=FINAL_EPOCH, version=2)
    scenario = history((FIVES,), fetch(0, max_records=6), close, fetch(0, max_records=1, actor=1))
    last = answered((0, 9, 2)) if given_back else answered((10, 14))
    assert (
        deviations(scenario, observed(OK, answered((0, 9)), ShareFetchAnswer(FINAL_EPOCH), last))
        == set()
    )


@pytest.mark.parametrize("count", [1, 2])
def test_after_a_restart_records_that_were_held_are_delivered_again(count: int) -> None:
    scenario = history((FIVES,), fetch(0, max_records=5), RestartBroker(), fetch(0, max_records=5))
    assert (
        violations(scenario, observed(OK, answered((0, 4)), Done(), answered((0, 4, count)))) == {}
    )


def test_after_the_last_connection_is_lost_what_was_held_is_delivered_again() -> None:
    scenario = history(
        (FIVES,), fetch(0, max_records=5), DropConnection(), fetch(0, max_records=5, actor=1)
    )
    for taken in ((0, 4, 2), (5, 9)):
        assert violations(scenario, observed(OK, answered((0, 4)), Done(), answered(taken))) == {}


def test_a_member_that_returns_may_find_what_its_closed_session_held_not_yet_given_back() -> None:
    close = ShareFetch(epoch=FINAL_EPOCH, version=2)
    scenario = history(
        (FIVES,),
        fetch(0, max_records=5),
        close,
        fetch(0, max_records=5),
        release(0, 4),
        fetch(max_records=5),
        fetch_again(),
    )
    returned = answered((5, 9, 1))
    observation = observed(
        OK,
        answered((0, 4, 1)),
        ShareFetchAnswer(FINAL_EPOCH, 0, (), 30000),
        returned,
        ShareAcknowledgeAnswer(1, 0, ((0, Error.INVALID_RECORD_STATE),)),
        answered((10, 14, 1), epoch=2),
        answered((0, 4, 2), epoch=3),
    )
    assert deviations(scenario, observation) == set()


def test_of_two_pasts_the_one_is_taken_in_which_later_answers_are_the_references_own() -> None:
    """Offset 5 came since the start offset was brought back to it, or since an older batch was
    still held (DIV-04): what follows decides.
    """
    close = ShareFetch(epoch=FINAL_EPOCH, version=2)
    one = fetch(0, max_records=1, mode=RECORD_LIMIT, actor=1)
    scenario = history(
        (FIVES,),
        fetch(0, max_records=5),
        DeleteRecords(0, 8),
        ShareFetch(version=2),
        close,
        one,
        fetch_again(actor=1),
    )
    closed = ShareFetchAnswer(FINAL_EPOCH, 0, (), 30000)
    nothing = ShareFetchAnswer(1, 0, (), 30000)
    answers = observed(
        OK, answered((0, 4, 1)), AppendAnswer(0, 8), nothing, closed, answered((5, 5, 1))
    )
    stuck = (Exchange(6, nothing, 3000, 3001), Exchange(6, replace(nothing, epoch=2), 13100, 13101))
    breaks = judge(scenario, Observation((*answers.exchanges, *stuck)), KAFKA).breaks
    assert {(one.clause, one.signature) for one in breaks} == {
        ("SHR-128", "deleted offsets"),
        ("SHR-155", "behind deleted records"),
    }


def test_a_lost_connection_noticed_after_the_last_session_loads_the_share_partition_again() -> None:
    close, come = ShareFetch(epoch=FINAL_EPOCH, version=2), fetch(0, max_records=5)
    held = (fetch(0, max_records=5), fetch(0, max_records=5, actor=1))
    scenario = history((FIVES,), *held, DropConnection(1), close, come)
    observation = observed(
        OK,
        answered((0, 4, 1)),
        answered((5, 9, 1)),
        Done(),
        ShareFetchAnswer(FINAL_EPOCH, 0, (), 30000),
        answered((0, 4, 1)),
    )
    assert deviations(scenario, observation) == set()


@pytest.mark.parametrize(("before", "expected"), [((), {"SHR-117"}), ((DropConnection(0),), set())])
def test_a_lost_connection_whose_session_was_closed_before_may_load_the_share_partition_again(
    before: tuple[DropConnection, ...], expected: set[str]
) -> None:
    """What was given back comes as one range over two batches, as it was written (seen on
    4.3.1).
    """
    close, come = ShareFetch(epoch=FINAL_EPOCH, version=2), fetch(0, max_records=10, actor=1)
    scenario = history(
        (FIVES,), fetch(0, max_records=5), fetch_again(max_records=5), close, *before, come
    )
    held = answered((0, 4, 1)), answered((5, 9, 1), epoch=1)
    observation = observed(
        OK,
        *held,
        ShareFetchAnswer(FINAL_EPOCH, 0, (), 30000),
        *[Done() for _ in before],
        answered((0, 9, 2)),
    )
    assert deviations(scenario, observation) == expected


def test_what_was_acknowledged_by_a_request_that_was_to_be_refused_counts() -> None:
    """The fetch that failed was not counted, so the broker takes its epoch once more."""
    scenario = history(
        (FIVES,), fetch(0, max_records=5), fetch_again(mode=9), release(0, 4), fetch(0, actor=1)
    )
    failed = ShareFetchAnswer(1, int(Error.UNKNOWN_SERVER_ERROR))
    released = ShareAcknowledgeAnswer(1, 0, ((0, 0),))
    found = observed(OK, answered((0, 4)), failed, released, answered((0, 4, 2), (5, 14)))
    assert violations(scenario, found) == {}


def test_a_last_delivery_that_a_close_takes_back_may_be_given_again() -> None:
    closing = ShareFetch(epoch=FINAL_EPOCH, version=2)
    scenario = history(
        (plain(5, 5),),
        fetch(0, max_records=5),
        release(0, 4),
        fetch_again(max_records=5),
        closing,
        fetch(0, actor=1, max_records=5),
        config=(("group.share.delivery.count.limit", "2"),),
    )
    found = observed(
        OK,
        answered((0, 4)),
        ShareAcknowledgeAnswer(1, 0, ((0, 0),)),
        answered((0, 4, 2), epoch=2),
        ShareFetchAnswer(FINAL_EPOCH, 0),
        answered((0, 4, 2)),
    )
    assert violations(scenario, found) == {}
    assert "SHR-009" in deviations(scenario, found)


@pytest.mark.parametrize(
    "error", [Error.INVALID_SHARE_SESSION_EPOCH, Error.SHARE_SESSION_NOT_FOUND]
)
def test_an_epoch_that_is_not_next_after_a_failure_is_refused_with_any_error(error: int) -> None:
    late = ShareFetchAnswer(epoch=1, error=int(Error.UNKNOWN_SERVER_ERROR))
    refused = [ShareFetchAnswer(error=int(error), epoch=epoch) for epoch in (1, 3)]
    seen = observed(OK, answered((0, 4)), late, *refused)
    assert deviations(example("SHR-006", 1), seen) == set()
