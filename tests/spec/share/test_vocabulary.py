"""Steps and outcomes of share groups have one JSON form, and come back from it as they were."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spec.canonical import from_json, identity, read_scenario, to_json, write_scenario
from spec.fetch.steps import Fetch
from spec.kafka import INT32_MAX
from spec.layout import Batch, Layout, Partition
from spec.observation import Exchange, Observation
from spec.ranges import LONGEST_MS
from spec.scenario import Scenario
from spec.seen_batch import SeenBatch
from spec.share.outcomes import (
    Acquired,
    Done,
    GroupChanged,
    ShareAcknowledgeAnswer,
    ShareAnswerPartition,
    ShareFetchAnswer,
)
from spec.share.steps import (
    NEXT,
    RECORD_LIMIT,
    AcknowledgementBatch,
    AcknowledgeType,
    AlterGroupConfig,
    AlterShareGroupOffsets,
    DeleteShareGroupOffsets,
    DropConnection,
    Pause,
    RestartBroker,
    ShareAcknowledge,
    ShareFetch,
    SharePartition,
    ShareStep,
    acquire_mode,
    asked_again,
)
from spec.steps import Append, DeleteRecords

LAYOUT = Layout((Partition(((Batch(100, records=5),) * 3,)),))

int8, int32, offset = (
    st.integers(-128, 127),
    st.integers(-(2**31), INT32_MAX),
    st.integers(-(2**62), 2**62),
)
batches = st.builds(AcknowledgementBatch, offset, offset, st.lists(int8, max_size=3).map(tuple))
partitions = st.lists(
    st.builds(SharePartition, st.integers(0, 3), st.lists(batches, max_size=2).map(tuple), int32),
    max_size=2,
).map(tuple)
ids = st.sampled_from(("own", None, "", "x" * 37))
epochs = st.one_of(st.just(NEXT), int32)
steps: st.SearchStrategy[ShareStep] = st.one_of(
    st.builds(
        ShareFetch,
        partitions,
        epochs,
        int8,
        int32,
        int32,
        int32,
        int32,
        st.integers(-(2**31), LONGEST_MS),
        int8,
        st.booleans(),
        group=ids,
        member=ids,
        parked=st.booleans(),
    ),
    st.builds(
        ShareAcknowledge,
        partitions,
        epochs,
        int8,
        st.booleans(),
        st.integers(0, 2),
        ids,
        ids,
        st.integers(0, 2),
    ),
    st.builds(AlterShareGroupOffsets, st.just(((0, 3), (0, 10**9)))),
    st.builds(
        AlterGroupConfig,
        st.just((("share.isolation.level", "read_committed"), ("share.auto.offset.reset", None))),
    ),
    st.sampled_from((DropConnection(1), DeleteShareGroupOffsets(), RestartBroker(), Pause(1500))),
)


@given(st.lists(steps, min_size=1, max_size=4))
def test_a_history_comes_back_from_its_file(drawn: list[ShareStep]) -> None:
    scenario = Scenario(
        LAYOUT,
        (Append(0, Batch(100)), *drawn, DeleteRecords(0, 3)),
        (("group.share.delivery.count.limit", "2"),),
    )
    again = read_scenario(write_scenario(scenario))
    assert again == scenario
    assert identity(again) == identity(scenario)


@pytest.mark.parametrize(
    "outcome",
    [
        ShareFetchAnswer(
            2,
            0,
            (
                ShareAnswerPartition(
                    0, 0, 121, (Acquired(0, 4), Acquired(0, -1, 3)), (SeenBatch(0, 4, 100, 5),), 7
                ),
            ),
            lock_timeout_ms=30000,
        ),
        ShareAcknowledgeAnswer(3, -1, ((0, 42), (1, 100)), unknown_tags=(9,)),
        GroupChanged(40, "out of bounds"),
        Done(),
    ],
)
def test_an_outcome_comes_back_from_its_json(
    outcome: ShareFetchAnswer | ShareAcknowledgeAnswer | GroupChanged | Done,
) -> None:
    observation = Observation((Exchange(0, outcome, 1.5, 2.5),))
    assert from_json(Observation, to_json(observation)) == observation


def test_a_field_at_its_default_is_left_out_of_the_form() -> None:
    step = ShareFetch(
        (SharePartition(0),), max_records=6, batch_size=2, mode=RECORD_LIMIT, version=2
    )
    assert (
        to_json(step)
        == '{"kind":"share_fetch","partitions":[{"partition":0}],"max_records":6,"batch_size":2,'
        '"mode":1,"version":2}'
    )


def test_the_acknowledgement_of_a_range_is_accept_unless_said_otherwise() -> None:
    assert to_json(AcknowledgementBatch(0, 4)) == '{"first":0,"last":4}'
    assert AcknowledgementBatch(0, 4).types == (AcknowledgeType.ACCEPT,)


def test_a_scenario_belongs_to_share_groups_as_soon_as_one_step_does() -> None:
    assert Scenario(LAYOUT, (Fetch(), Append(0, Batch(100)))).subject == "fetch"
    assert Scenario(LAYOUT, (Append(0, Batch(100)), ShareFetch())).subject == "share"


def test_a_patient_fetch_is_sent_again_without_its_acknowledgements() -> None:
    first = ShareFetch(
        (SharePartition(0, (AcknowledgementBatch(0, 4),)),),
        epoch=0,
        max_records=6,
        forgotten=(1,),
        patience_ms=900,
    )
    assert asked_again(first) == ShareFetch(epoch=NEXT, max_records=6, patience_ms=900)


@pytest.mark.parametrize("name", ["record_limit", "RECORD_LIMIT", "Record_Limit"])
def test_an_acquire_mode_is_found_by_its_name_in_any_case(name: str) -> None:
    assert acquire_mode(name) == RECORD_LIMIT


def test_a_wrong_acquire_mode_is_an_error_that_lists_the_right_ones() -> None:
    with pytest.raises(
        ValueError,
        match="expected one of batch_optimized, record_limit in any case, found 'strict'",
    ):
        acquire_mode("strict")
