"""The judge catches each kind of wrong answer, and lets legal ones pass."""

from dataclasses import replace
from typing import Any

import pytest

from spec.fetch.outcomes import FetchAnswer, PartitionAnswer
from spec.fetch.releases import FetchSemantics
from spec.fetch.steps import OWN, Fetch, FetchPartition
from spec.judge import judge
from spec.layout import Batch, Layout, Marker, Partition
from spec.log import log_of
from spec.model import answer_all
from spec.observation import Exchange, Observation
from spec.outcomes import AppendAnswer, Closed, Garbled, Silent
from spec.releases import semantics_for
from spec.scenario import Scenario
from spec.seen_batch import SeenBatch
from spec.steps import DeleteRecords
from spec.verdict import Outcome

SEMANTICS = semantics_for("4.3")
LOG = Partition(((Batch(100), Batch(200), Batch(300)),))
ALL = (SeenBatch(0, 0, 100, 1), SeenBatch(1, 1, 200, 1), SeenBatch(2, 2, 300, 1))


def scenario(
    *partitions: Partition,
    max_bytes: int = 2**31 - 1,
    limit: int = 2**31 - 1,
    offset: int = 0,
    **fields: Any,
) -> Scenario:
    asks = tuple([FetchPartition(number, offset, limit) for number in range(len(partitions))])
    return Scenario(Layout(partitions), (Fetch(asks, max_bytes=max_bytes, **fields),))


def part(
    number: int, batches: tuple[SeenBatch, ...] = (), tail: int = 0, **fields: object
) -> PartitionAnswer:
    known: dict[str, object] = {
        "high_watermark": 3,
        "last_stable_offset": 3,
        "log_start_offset": 0,
        **fields,
    }
    return PartitionAnswer(number, batches=batches, tail=tail, **known)  # type: ignore[arg-type]


def verdicts(
    asked: Scenario, *parts: PartitionAnswer, elapsed: float = 0.0, **fields: Any
) -> dict[str, Outcome]:
    observation = Observation((Exchange(0, FetchAnswer(partitions=parts, **fields), 0.0, elapsed),))
    return {
        v.clause: v.outcome
        for v in judge(asked, observation, SEMANTICS).verdicts
        if v.outcome is not Outcome.CONFORMS
    }


def primary(asked: Scenario, *parts: PartitionAnswer, **fields: Any) -> str:
    observation = Observation((Exchange(0, FetchAnswer(partitions=parts, **fields)),))
    return next(v.clause for v in judge(asked, observation, SEMANTICS).verdicts if v.primary)


def test_more_than_the_partition_limit_violates_it() -> None:
    assert primary(scenario(LOG, limit=299), part(0, ALL[:2])) == "FET-001"


def test_more_than_the_request_limit_violates_it() -> None:
    assert (
        primary(scenario(LOG, LOG, max_bytes=220), part(0, ALL[:1]), part(1, ALL[:2])) == "FET-003"
    )


def test_no_first_batch_violates_progress() -> None:
    assert primary(scenario(LOG, limit=1), part(0)) == "FET-004"


def test_whole_batches_only_deviates_and_is_legal() -> None:
    assert verdicts(scenario(LOG, limit=250), part(0, ALL[:1])) == {"FET-102": Outcome.DEVIATES}


def test_a_batch_too_few_deviates_and_is_legal() -> None:
    assert verdicts(scenario(LOG, limit=300), part(0, ALL[:1])) == {"FET-101": Outcome.DEVIATES}


def test_later_partitions_are_judged_by_what_the_earlier_ones_returned() -> None:
    assert verdicts(scenario(LOG, LOG, max_bytes=400), part(0, ALL[:1]), part(1, ALL[:2])) == {
        "FET-101": Outcome.DEVIATES
    }


@pytest.mark.parametrize(
    ("batches", "clause"),
    [
        ((ALL[0], ALL[2]), "FET-070"),
        ((replace(ALL[0], intact=False),), "FET-070"),
        ((ALL[1],), "FET-011"),
    ],
    ids=["left out", "altered", "skipped"],
)
def test_records_that_are_not_a_run_of_the_log_violate(
    batches: tuple[SeenBatch, ...], clause: str
) -> None:
    assert primary(scenario(LOG), part(0, batches)) == clause


def test_out_of_range_answered_as_empty_violates() -> None:
    assert primary(scenario(LOG, offset=4), part(0)) == "FET-020"


def test_a_wrong_high_watermark_violates() -> None:
    assert primary(scenario(LOG), part(0, ALL, high_watermark=2)) == "FET-072"


def test_a_partition_answered_twice_violates() -> None:
    assert primary(scenario(LOG), part(0, ALL), part(0, ALL)) == "FET-073"


def test_a_later_partition_served_before_the_first_violates_the_order() -> None:
    assert primary(scenario(LOG, LOG, max_bytes=50), part(0), part(1, ALL[:1])) == "FET-006"


def test_reading_past_a_segment_deviates() -> None:
    two = Partition(((Batch(100), Batch(200)), (Batch(300),)))
    assert verdicts(scenario(two), part(0, ALL))["FET-013"] is Outcome.DEVIATES


def test_unstable_data_under_read_committed_violates() -> None:
    held = Partition(((Batch(100), Batch(200, txn=0), Batch(300)),))
    asked = scenario(held, isolation=1)
    assert primary(asked, part(0, ALL, last_stable_offset=1, aborted=())) == "FET-054"


def test_an_aborted_transaction_left_out_of_the_list_violates() -> None:
    aborted = Partition(((Batch(100, txn=0), Marker(0, commit=False)),))
    seen = (SeenBatch(0, 0, 100, 1), SeenBatch(1, 1, 78, 1))
    asked = scenario(aborted, isolation=1)
    assert (
        primary(asked, part(0, seen, high_watermark=2, last_stable_offset=2, aborted=()))
        == "FET-052"
    )
    assert (
        verdicts(asked, part(0, seen, high_watermark=2, last_stable_offset=2, aborted=((0, 0),)))
        == {}
    )


def test_an_empty_answer_before_max_wait_violates_and_one_after_it_does_not() -> None:
    asked = scenario(LOG, offset=3, min_bytes=1, max_wait_ms=100)
    assert verdicts(asked, part(0), elapsed=20.0)["FET-014"] is Outcome.VIOLATES
    assert verdicts(asked, part(0), elapsed=100.0) == {}


def test_a_late_answer_is_no_break_where_max_wait_is_short() -> None:
    assert verdicts(scenario(LOG, min_bytes=1, max_wait_ms=100), part(0, ALL), elapsed=900.0) == {}


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        (Closed("reset"), ("FET-077", Outcome.VIOLATES)),
        (Garbled("short"), ("FET-076", Outcome.VIOLATES)),
        (Silent(30000, control_answered=True), ("FET-077", Outcome.VIOLATES)),
        (Silent(30000, control_answered=False), ("*", Outcome.INCONCLUSIVE)),
    ],
)
def test_what_is_no_answer_is_distinguished(
    outcome: Closed | Garbled | Silent, expected: tuple[str, Outcome]
) -> None:
    judgement = judge(scenario(LOG), Observation((Exchange(0, outcome),)), SEMANTICS)
    assert [(v.clause, v.outcome) for v in judgement.breaks] == [expected]


def test_a_null_where_a_value_is_required_violates_and_the_rest_is_judged() -> None:
    asked = scenario(LOG, LOG)
    assert primary(asked, nulls=("responses",)) == "FET-076"
    found = verdicts(asked, part(0, ALL), part(1, ALL[:1]), nulls=("responses.topic",))
    assert found == {"FET-076": Outcome.VIOLATES, "FET-103": Outcome.DEVIATES}


def test_a_dead_broker_is_inconclusive() -> None:
    judgement = judge(scenario(LOG), Observation((), broken="gone"), SEMANTICS)
    assert [v.outcome for v in judgement.verdicts] == [Outcome.INCONCLUSIVE]


def test_a_session_that_takes_a_wrong_epoch_violates() -> None:
    asked = Scenario(
        Layout((LOG,)), (Fetch((FetchPartition(0, 3),), epoch=0), Fetch(session=OWN, epoch=2))
    )
    right = answer_all(asked, SEMANTICS)
    wrong = Observation((right.exchanges[0], Exchange(1, FetchAnswer(session=1))))
    assert judge(asked, right, SEMANTICS).breaks == ()
    assert [v.clause for v in judge(asked, wrong, SEMANTICS).breaks if v.primary] == ["FET-032"]


@pytest.mark.parametrize("code", [3, 5, 6, 10, 29, 56, 60, 70, 71, 78, 100, 4711])
def test_an_error_without_a_cause_violates(code: int) -> None:
    asked = scenario(LOG, LOG)
    assert verdicts(asked, error=code)["FET-078"] is Outcome.VIOLATES
    assert verdicts(asked, part(0, ALL, error=code), part(1, ALL))["FET-078"] is Outcome.VIOLATES


def test_an_offset_wrongly_out_of_range_is_named_by_the_clause_on_offsets() -> None:
    found = verdicts(scenario(LOG, LOG), part(0, ALL, error=1), part(1, ALL))
    assert found["FET-021"] is Outcome.VIOLATES
    assert "FET-078" not in found


def test_an_error_with_a_cause_is_no_error_without_one() -> None:
    refused = PartitionAnswer(0, 1, None, None, None, None, null_records=False)
    assert "FET-078" not in verdicts(scenario(LOG, offset=99), refused)


@pytest.mark.parametrize(
    ("advertised", "broken"), [(None, True), ((4, 17), True), ((4, 18), False), ((0, 19), False)]
)
def test_a_version_past_the_releases_may_be_answered_where_it_is_advertised(
    advertised: tuple[int, int] | None, broken: bool
) -> None:
    asked = scenario(LOG, version=18)
    observation = Observation((Exchange(0, FetchAnswer(partitions=(part(0, ALL),))),))
    judged = judge(
        asked,
        observation,
        semantics_for("4.0").with_decisions(FetchSemantics, advertised=advertised),
    )
    assert ("FET-042" in {verdict.clause for verdict in judged.breaks}) is broken


OPEN = Partition(((Batch(100, txn=0), Batch(100), Batch(100)),))


@pytest.mark.parametrize("offset", [1, 2, 3])
def test_a_position_past_the_last_stable_offset_may_wait_or_not(offset: int) -> None:
    asked = scenario(OPEN, offset=offset, isolation=1, min_bytes=1, max_wait_ms=1000)
    empty = part(0, last_stable_offset=0, aborted=())
    assert verdicts(asked, empty, elapsed=1.0) == {}
    assert verdicts(asked, empty, elapsed=1001.0) == {}
    assert answer_all(asked, SEMANTICS).exchanges[0].elapsed_ms < 1


def test_a_position_at_the_last_stable_offset_waits() -> None:
    asked = scenario(OPEN, offset=0, isolation=1, min_bytes=1, max_wait_ms=1000)
    empty = part(0, last_stable_offset=0, aborted=())
    assert {"FET-014", "FET-055"} <= {
        clause
        for clause, how in verdicts(asked, empty, elapsed=1.0).items()
        if how is Outcome.VIOLATES
    }
    assert answer_all(asked, SEMANTICS).exchanges[0].elapsed_ms >= 1000


def test_a_leader_epoch_before_the_version_that_carries_it_is_not_judged() -> None:
    ask = FetchPartition(0, 0, leader_epoch=1)
    old, new = [Scenario(Layout((LOG,)), (Fetch((ask,), version=version),)) for version in (7, 9)]
    served = Observation((Exchange(0, FetchAnswer(partitions=(part(0, ALL),))),))
    assert judge(old, served, SEMANTICS).breaks == ()
    assert "FET-045" in {verdict.clause for verdict in judge(new, served, SEMANTICS).breaks}


def test_the_leader_epoch_is_looked_at_before_who_asks() -> None:
    asked = Scenario(
        Layout((LOG,)), (Fetch((FetchPartition(0, 0, leader_epoch=1),), replica_id=5),)
    )
    outcome = answer_all(asked, SEMANTICS).exchanges[0].outcome
    assert isinstance(outcome, FetchAnswer)
    assert [got.error for got in outcome.partitions] == [75]
    assert judge(asked, answer_all(asked, SEMANTICS), SEMANTICS).breaks == ()


def test_a_negative_limit_is_no_longer_one_after_a_partition_that_failed() -> None:
    asks = (FetchPartition(0, 0, leader_epoch=1), FetchPartition(1, 0))
    asked = Scenario(Layout((LOG, LOG)), (Fetch(asks, max_bytes=-1),))
    outcome = answer_all(asked, SEMANTICS).exchanges[0].outcome
    assert isinstance(outcome, FetchAnswer)
    assert [(got.error, got.size) for got in outcome.partitions] == [(75, 0), (0, 100)]


def test_a_position_inside_the_batch_at_the_last_stable_offset_waits_in_the_model() -> None:
    log = Partition(((Batch(100, txn=0), Batch(200, records=2)),), log_start=1)
    asked = scenario(log, offset=2, isolation=1, min_bytes=1, max_wait_ms=1000)
    assert answer_all(asked, SEMANTICS).exchanges[0].elapsed_ms >= 1000


def test_a_state_is_judged_alike_whether_it_was_laid_out_or_written() -> None:
    """The log start has passed the first offset of an open transaction; what lies behind it stays
    unstable.
    """
    laid = log_of(Partition(((Batch(100, txn=0), Batch(200)),), log_start=1))
    assert log_of(Partition(((Batch(100, txn=0),),), log_start=1)).with_batch(Batch(200)) == laid
    assert log_of(Partition(((Batch(100, txn=0),),))).deleted_to(1).with_batch(Batch(200)) == laid


def test_a_step_that_failed_is_named_in_words() -> None:
    asked = Scenario(Layout((LOG,)), (DeleteRecords(0, 1), Fetch((FetchPartition(0, 0),))))
    for outcome, found in (
        (AppendAnswer(error=3), "found UNKNOWN_TOPIC_OR_PARTITION"),
        (Garbled("short"), "found garbled"),
    ):
        (verdict,) = judge(asked, Observation((Exchange(0, outcome),)), SEMANTICS).breaks
        assert verdict.why == (
            f"step 0 (delete records): expected it to be done, {found}; see the broker's log"
        )
