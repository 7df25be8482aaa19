"""Ranges and batches that differ from those of Apache Kafka and are legal are never called a
violation, nor what follows from them.
"""

from dataclasses import replace

import pytest

from spec.judge import judge
from spec.layout import Batch, Layout, Marker, Partition
from spec.model import answer_all
from spec.observation import Observation
from spec.outcomes import AppendAnswer
from spec.releases import semantics_for
from spec.scenario import Scenario
from spec.seen_batch import SeenBatch
from spec.share.examples import (
    FIVES,
    acknowledgements_of,
    confirm,
    fetch,
    fetch_again,
    history,
    plain,
    release,
)
from spec.share.outcomes import (
    Acquired,
    ShareAcknowledgeAnswer,
    ShareAnswerPartition,
    ShareFetchAnswer,
)
from spec.share.steps import (
    FINAL_EPOCH,
    AcknowledgementBatch,
    AcknowledgeType,
    AlterGroupConfig,
    AlterShareGroupOffsets,
    ShareFetch,
    SharePartition,
)
from spec.steps import DeleteRecords
from spec.verdict import Outcome as Word
from tests.spec.share.legal_answers import (
    KAFKA,
    OK,
    answered,
    deviations,
    observed,
    seen,
    violations,
)


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
    both = acknowledgements_of((0, 4, (1,)), (4, 5, (1,)))
    scenario = history((FIVES,), fetch(0, max_records=6), confirm(0, 4), both)
    taken = ShareAcknowledgeAnswer(1, 0, ((0, 0),))
    assert (
        deviations(scenario, observed(OK, answered((0, 9, 1)), taken, replace(taken, epoch=2)))
        == set()
    )


def test_after_an_inverted_range_below_the_start_offset_nothing_more_is_said_of_the_partition() -> (
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


def test_an_inverted_range_beside_others_is_one_defect() -> None:
    """As Kafka 4.1.2 answers a BatchSize below 0: 4 was held, and its batch does not come along."""
    scenario = history((FIVES,), fetch(0, max_records=6, batch_size=-5))
    (sent,) = answered((5, 9)).partitions
    acquired = (Acquired(5, 3), Acquired(4, 4), Acquired(5, 9))
    answer = ShareFetchAnswer(0, 0, (replace(sent, acquired=acquired),), 30000)
    assert violations(scenario, observed(OK, answer)).keys() == {"SHR-127"}


def test_a_release_below_the_log_start_may_be_written_after_the_log_start_was_noticed() -> None:
    """As Kafka 4.2.2 answers now and then: the start offset passes what was released, so that
    nothing older is cached when 9 is read.
    """
    released = SharePartition(0, (AcknowledgementBatch(0, 4, (AcknowledgeType.RELEASE,)),))
    giving_back = ShareFetch((released,), max_records=5, version=2)
    scenario = history(
        (plain(5, 5),),
        fetch(0, max_records=5),
        DeleteRecords(0, 9),
        giving_back,
        fetch(0, actor=1),
    )
    deleted, nothing = AppendAnswer(0, 9), replace(answered(epoch=1), partitions=())
    nine = answered((9, 9), epoch=1)
    found = observed(OK, answered((0, 4)), deleted, nothing, replace(nothing, epoch=0), nine)
    assert judge(scenario, with_a_retry(found), semantics_for("4.2")).breaks == ()


def with_a_retry(found: Observation) -> Observation:
    """The last exchange is another try of the one before it."""
    *others, last = found.exchanges
    return replace(found, exchanges=(*others, replace(last, step=others[-1].step)))
