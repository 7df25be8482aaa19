"""Answers that differ from Apache Kafka's and are legal are never called a violation, nor what
follows from them.
"""

from dataclasses import replace
from typing import Any

import pytest

from spec.judge import judge
from spec.kafka import Error
from spec.layout import Batch, Layout, Marker, Partition
from spec.log import log_of
from spec.model import answer_all
from spec.observation import Exchange, Observation
from spec.outcomes import AppendAnswer, Outcome
from spec.releases import semantics_for
from spec.scenario import Scenario
from spec.seen import SeenBatch
from spec.semantics import Semantics
from spec.share.examples import (
    FIVES,
    acknowledging,
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
    GroupChanged,
    ShareAcknowledgeAnswer,
    ShareAnswerPartition,
    ShareFetchAnswer,
)
from spec.share.releases import ClosedCount, RangeReport, ShareSemantics, Throttling, UnknownTopic
from spec.share.steps import (
    FINAL_EPOCH,
    RECORD_LIMIT,
    AcknowledgementBatch,
    AlterGroupConfig,
    AlterShareGroupOffsets,
    DropConnection,
    Pause,
    RestartBroker,
    ShareFetch,
    SharePartition,
)
from spec.steps import Append, DeleteRecords
from spec.verdict import Outcome as Word
from tests.spec.share.mutants import FIRST, SECOND, THIRD

KAFKA = semantics_for("4.4")


def violations(
    scenario: Scenario, observation: Observation, semantics: Semantics = KAFKA
) -> dict[str, str]:
    return {
        v.clause: v.why
        for v in judge(scenario, observation, semantics).breaks
        if v.outcome is not Word.DEVIATES
    }


def deviations(scenario: Scenario, observation: Observation) -> set[str]:
    return {v.clause for v in judge(scenario, observation, KAFKA).breaks}


def otherwise(**decisions: Any) -> Semantics:
    """A broker that decides what is open in another way than Apache Kafka."""
    return KAFKA.changed(ShareSemantics, **decisions)


def observed(*outcomes: Outcome, gap_ms: float = 1.0) -> Observation:
    """Exchanges one after the other, a millisecond each."""
    return Observation(
        tuple(
            [
                Exchange(number, one, number * gap_ms, number * gap_ms + 1)
                for number, one in enumerate(outcomes)
            ]
        )
    )


def answered(
    *ranges: tuple[int, ...], epoch: int = 0, error: int = 0, **fields: Any
) -> ShareFetchAnswer:
    acquired = tuple([Acquired(*one) for one in ranges])
    batches = tuple(
        [
            one
            for one in (FIRST, SECOND, THIRD)
            if any(a.first <= one.last and a.last >= one.base for a in acquired)
        ]
    )
    return ShareFetchAnswer(
        epoch, 0, (ShareAnswerPartition(0, error, 0, acquired, batches, **fields),), 30000
    )


OK = GroupChanged()
ROUNDS = [step for _ in range(6) for step in (fetch_again(), release(0, 7))]


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


def test_batches_that_are_delivered_again_may_be_those_of_the_log() -> None:
    scenario = history(
        (FIVES,),
        fetch(0, max_records=6),
        release(0, 9),
        fetch_again(max_records=1),
        fetch_again(max_records=1),
    )
    found = observed(
        OK,
        answered((0, 9)),
        ShareAcknowledgeAnswer(1, 0, ((0, 0),)),
        answered((0, 4, 2), epoch=2),
        answered((5, 9, 2), epoch=3),
    )
    assert violations(scenario, found) == {}


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


def test_while_a_share_partition_is_being_loaded_its_acknowledgements_and_its_fetch_may_fail_alike() -> (
    None
):
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


def test_what_4_1_has_looked_through_for_aborted_records_is_delivered_again_offset_by_offset() -> (
    None
):
    preview = semantics_for("4.1")
    aborted = Partition(
        (
            (
                Batch(100, 5, txn=0),
                Marker(0, commit=True),
                Batch(100, 5, txn=1),
                Marker(1, commit=False),
            ),
        )
    )
    committed = AlterGroupConfig((("share.isolation.level", "read_committed"),))
    given_back = replace(release(0, 4), version=1)
    scenario = history(
        (aborted,),
        committed,
        fetch(0, max_records=5, version=1),
        given_back,
        fetch_again(max_records=5, version=1),
    )
    singles = tuple([Acquired(offset, offset, 2) for offset in range(5)])
    last = answer_all(scenario, preview).exchanges[-1].outcome
    assert isinstance(last, ShareFetchAnswer)
    assert last.partitions[0].acquired == singles


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


def test_records_held_below_a_start_offset_that_was_moved_take_no_locks() -> None:
    ask = ShareFetch(version=2)
    few = (("group.share.partition.max.record.locks", "100"),)
    scenario = history(
        (plain(*[30] * 5),),
        fetch(0, max_records=90),
        DeleteRecords(0, 120),
        ask,
        fetch_again(max_records=1),
        config=few,
    )
    found = {
        verdict.clause: verdict.outcome
        for verdict in judge(scenario, answer_all(scenario, KAFKA), KAFKA).verdicts
    }
    assert found["SHR-112"] is Word.CONFORMS
    assert Word.VIOLATES not in found.values()


def test_a_share_partition_may_take_seconds_to_load() -> None:
    scenario = history((FIVES,), fetch(0))
    exchanges = [
        Exchange(1, answered(epoch=epoch), 1000.0 * epoch + 2, 1000.0 * epoch + 3)
        for epoch in range(4)
    ]
    exchanges.append(Exchange(1, answered((0, 14), epoch=4), 4002, 4003))
    assert deviations(scenario, Observation((Exchange(0, OK, 0, 1), *exchanges))) == set()


def test_acknowledgements_sent_along_may_take_longer_than_max_wait() -> None:
    scenario = history((FIVES,), fetch(0), ShareFetch(confirm(0, 4).partitions, version=2))
    answer = ShareFetchAnswer(1, 0, (ShareAnswerPartition(0),), 30000)
    exchanges = (
        Exchange(0, OK, 0, 1),
        Exchange(1, answered((0, 14)), 1, 2),
        Exchange(2, answer, 3, 4000),
    )
    assert violations(scenario, Observation(exchanges)) == {}


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


def test_a_patient_fetch_is_judged_try_by_try() -> None:
    scenario = history((FIVES,), fetch(0, max_records=6))
    tries = (answered(), answered(epoch=1), answered((0, 9), epoch=2))
    exchanges = [
        Exchange(0, OK, 0, 1),
        *[Exchange(1, one, 2.0 + number, 2.5 + number) for number, one in enumerate(tries)],
    ]
    assert deviations(scenario, Observation(tuple(exchanges))) == set()


@pytest.mark.parametrize("given_back", [True, False])
def test_right_after_a_close_the_records_may_have_been_given_back_or_not(given_back: bool) -> None:
    close = ShareFetch(epoch=FINAL_EPOCH, version=2)
    scenario = history((FIVES,), fetch(0, max_records=6), close, fetch(0, max_records=1, actor=1))
    last = answered((0, 9, 2)) if given_back else answered((10, 14))
    assert (
        deviations(scenario, observed(OK, answered((0, 9)), ShareFetchAnswer(FINAL_EPOCH), last))
        == set()
    )


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


def test_ranges_that_begin_with_one_that_ends_before_it_begins_are_held_to_no_delivery_count() -> (
    None
):
    """A BatchSize below 1 names a record that was given back twice, with two counts; that it is
    broken SHR-127 says alone.
    """
    steps = (
        fetch(0, max_records=1),
        release(0, 0),
        ShareFetch(epoch=FINAL_EPOCH, version=2),
        fetch(0, batch_size=-5, actor=1),
    )
    scenario = history((plain(1, 1),), *steps)
    played = answer_all(scenario, semantics_for("4.3"))
    assert {verdict.clause for verdict in judge(scenario, played, semantics_for("4.3")).breaks} == {
        "SHR-127"
    }


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


def test_a_lost_connection_noticed_after_the_last_session_closed_loads_the_share_partition_again() -> (
    None
):
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


@pytest.mark.parametrize(("size", "expected"), [(101, set()), (100, {"SHR-142"})])
def test_a_batch_above_its_share_of_max_bytes_takes_from_what_another_partition_may_read(
    size: int, expected: set[str]
) -> None:
    """Of 200 bytes for two partitions 101 are read of one, so that 100 of the other are too many
    (seen on 4.3.1).
    """
    layout = Partition(((Batch(100, records=5), Batch(size, records=5)),)), plain(3, 3)
    scenario = history(layout, fetch(0, 1, max_bytes=200), fetch_again(max_bytes=200))
    parts = [
        ShareAnswerPartition(
            number,
            acquired=(Acquired(first, last),),
            batches=(SeenBatch(first, last, of, last - first + 1),),
        )
        for number, first, last, of in ((0, 0, 4, 100), (1, 0, 2, 100), (0, 5, 9, size))
    ]
    loaded, found = (
        ShareFetchAnswer(0, 0, tuple(parts[:2]), 30000),
        ShareFetchAnswer(1, 0, (parts[2],), 30000),
    )
    assert deviations(scenario, observed(OK, loaded, found)) == expected


def test_a_batch_across_the_start_offset_is_given_back_record_by_record() -> None:
    """Records of it that were deleted are done with; those from the start offset on are delivered
    again (seen on 4.2.2 and 4.3.1).
    """
    close = ShareFetch(epoch=FINAL_EPOCH, version=2)
    steps = (
        fetch(0, max_records=5),
        DeleteRecords(0, 8),
        ShareFetch(version=2),
        fetch_again(max_records=5),
        fetch(0, max_records=5, actor=1),
    )
    scenario = history((FIVES,), *steps, close, fetch_again(max_records=5, actor=1))
    closed, nothing = ShareFetchAnswer(FINAL_EPOCH, 0, (), 30000), ShareFetchAnswer(1, 0, (), 30000)
    observation = observed(
        OK,
        answered((0, 4, 1)),
        AppendAnswer(0, 8),
        nothing,
        answered((5, 9, 1), epoch=2),
        answered((10, 14, 1)),
        closed,
        answered((8, 9, 2), epoch=1),
    )
    assert deviations(scenario, observation) == {"SHR-128"}


def test_a_release_that_is_taken_though_it_reaches_too_far_gives_back_what_is_the_members() -> None:
    scenario = history(
        (FIVES,), fetch(0, max_records=6), release(0, 12), fetch_again(max_records=1)
    )
    taken = ShareAcknowledgeAnswer(1, 0, ((0, 0),))
    breaks = judge(
        scenario, observed(OK, answered((0, 9, 1)), taken, answered((0, 9, 2), epoch=2)), KAFKA
    ).breaks
    assert {one.clause for one in breaks} == {"SHR-312"}


def test_a_range_without_end_is_reported_and_does_not_fill_the_memory() -> None:
    scenario = history((FIVES,), fetch(0))
    assert "SHR-129" in violations(scenario, observed(OK, answered((0, 2**62, 1))))


def test_a_step_that_fails_leaves_the_history_inconclusive_and_the_run_going() -> None:
    scenario = history((FIVES,), Append(0, Batch(100)), fetch(0))
    (verdict,) = judge(scenario, observed(OK, AppendAnswer(6, -1)), KAFKA).breaks
    assert (verdict.outcome, verdict.signature) == (Word.INCONCLUSIVE, "step failed")
    assert (
        "expected it to be done, found NOT_LEADER_OR_FOLLOWER; see the broker's log" in verdict.why
    )


def test_a_range_that_ends_before_it_begins_leaves_more_of_max_records_to_the_next_partition() -> (
    None
):
    """Apache Kafka adds up the sizes of the ranges, of which this one's is -1 (seen on 4.2.2)."""
    one, other = plain(8, 5), plain(5, 2)
    begin, ask = (
        fetch(0, 1, max_records=0, patience_ms=0),
        fetch_again(max_records=2, batch_size=-5),
    )
    scenario = Scenario(
        Layout((one, other)), (AlterShareGroupOffsets(((0, 6), (1, 6))), begin, ask)
    )
    first = ShareAnswerPartition(1, 0, 0, (Acquired(6, 4), Acquired(5, 6)), seen(other, 1))
    second = ShareAnswerPartition(0, 0, 0, (Acquired(6, 7),), seen(one, 0))
    begun, got = ShareFetchAnswer(0, 0, (), 30000), ShareFetchAnswer(1, 0, (first, second), 30000)
    assert deviations(scenario, observed(OK, begun, got)) == {"SHR-127"}


def test_ranges_may_share_an_offset_below_the_start_offset() -> None:
    """Nothing is done to it, so that nothing is done twice (seen on 4.2.2)."""
    both = acknowledging((0, 4, (1,)), (4, 5, (1,)))
    scenario = history((FIVES,), fetch(0, max_records=6), confirm(0, 4), both)
    taken = ShareAcknowledgeAnswer(1, 0, ((0, 0),))
    assert (
        deviations(scenario, observed(OK, answered((0, 9, 1)), taken, replace(taken, epoch=2)))
        == set()
    )


def seen(partition: Partition, number: int) -> tuple[SeenBatch, ...]:
    """One of its batches, as an answer has it."""
    stored = log_of(partition).batches[number]
    return (SeenBatch(stored.base, stored.last, stored.size, stored.last - stored.base + 1),)


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


def test_after_a_range_that_ends_before_it_begins_below_the_start_offset_nothing_more_is_said_of_the_partition() -> (
    None
):
    """As Kafka 4.3.1 answered: the start offset lies inside the batch, and BatchSize is
    negative.
    """
    scenario = history(
        (Partition(((Batch(100, records=5),),)),),
        fetch(0, batch_size=-5, max_records=2, actor=1),
        fetch(0, max_records=2),
        fetch_again(actor=1),
        start=2,
    )
    twice = answered((2, -1, 1), (0, 4, 1))
    observation = observed(OK, twice, answered((0, 4, 1)), replace(answered((0, 4, 1)), epoch=1))
    assert set(violations(scenario, observation)) == {"SHR-127"}


def test_what_came_in_one_range_whatever_the_batch_size_may_be_delivered_again_whole() -> None:
    """A broker that never splits by BatchSize caches one batch, which the batch that crosses
    MaxRecords may be.
    """
    scenario = history((FIVES,), fetch(0, batch_size=5), release(0, 14), fetch_again(max_records=1))
    released = ShareAcknowledgeAnswer(1, 0, ((0, 0),))
    observation = observed(OK, answered((0, 14, 1)), released, answered((0, 14, 2), epoch=2))
    assert violations(scenario, observation) == {}
    assert deviations(scenario, observation) == {"SHR-122"}


def test_what_was_delivered_again_in_one_range_may_be_delivered_again_whole() -> None:
    """Two ranges were acquired, and were delivered again as one: from then on the broker holds them
    as one batch, which may cross MaxRecords.
    """
    scenario = history(
        (FIVES,),
        fetch(0, max_records=6, batch_size=5),
        release(0, 9),
        fetch_again(max_records=6),
        release(0, 9),
        fetch_again(max_records=1),
    )
    released = ShareAcknowledgeAnswer(1, 0, ((0, 0),))
    observation = observed(
        OK,
        answered((0, 4, 1), (5, 9, 1)),
        released,
        answered((0, 9, 2), epoch=2),
        replace(released, epoch=3),
        answered((0, 9, 3), epoch=4),
    )
    assert violations(scenario, observation) == {}
    assert "SHR-117" in deviations(scenario, observation)


def test_what_never_came_in_one_range_does_not_cross_max_records_as_one_batch() -> None:
    scenario = history(
        (FIVES,), fetch(0, max_records=6, batch_size=5), release(0, 9), fetch_again(max_records=1)
    )
    released = ShareAcknowledgeAnswer(1, 0, ((0, 0),))
    observation = observed(
        OK, answered((0, 4, 1), (5, 9, 1)), released, answered((0, 9, 2), epoch=2)
    )
    assert "SHR-120" in violations(scenario, observation)


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
