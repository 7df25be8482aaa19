"""Acknowledgements give the errors that running brokers were seen to give, and leave a share
partition as it must be.
"""

import pytest

from spec.kafka import Error
from spec.share.examples import plain
from spec.share.model.acknowledge import ShapeFault, acknowledge, shape_fault
from spec.share.model.records import Lock, Record, RecordState
from spec.share.steps import AcknowledgementBatch
from tests.spec.share.partition_fixture import PartitionFixture

STATE, REQUEST, OK = Error.INVALID_RECORD_STATE, Error.INVALID_REQUEST, Error.NONE


@pytest.mark.parametrize(
    ("batches", "fault"),
    [
        ([(4, 0)], ShapeFault.INVERTED),
        ([(0, 4), (3, 5)], ShapeFault.OVERLAPPING),
        ([(5, 9), (0, 4)], ShapeFault.OVERLAPPING),
        ([(0, 4, ())], ShapeFault.NO_TYPES),
        ([(0, 4, (1, 1, 1))], ShapeFault.WRONG_NUMBER),
        ([(0, 4, (5,))], ShapeFault.UNKNOWN_TYPE),
        ([(0, 4, (-1,))], ShapeFault.UNKNOWN_TYPE),
        ([(0, 4, (4,))], ShapeFault.RENEW_UNANNOUNCED),
        ([(0, 4), (4, 4)], None),
        ([(0, 4, (1, 2, 3, 0, 1))], None),
    ],
)
def test_the_shape_of_acknowledgements_is_looked_at_first(
    batches: list[tuple[int, ...]], fault: ShapeFault | None
) -> None:
    assert shape_fault([AcknowledgementBatch(*batch) for batch in batches], 2, renew=False) is fault  # type: ignore[arg-type]


def test_renew_is_a_type_from_version_2_and_with_the_flag() -> None:
    renewing = [AcknowledgementBatch(0, 4, (4,))]
    assert shape_fault(renewing, 1, renew=False) is ShapeFault.UNKNOWN_TYPE
    assert shape_fault(renewing, 2, renew=True) is None


@pytest.mark.parametrize(
    ("batches", "error"),
    [
        ([(0, 9)], OK),
        ([(2, 3)], OK),
        ([(10, 14)], REQUEST),
        ([(5, 12)], REQUEST),
        ([(0, 4), (4, 4)], STATE),
        ([(0, 4), (10, 14)], REQUEST),
    ],
)
def test_what_is_acknowledged_must_have_been_acquired(
    batches: list[tuple[int, int]], error: int
) -> None:
    fixture = PartitionFixture(plain(5, 5, 5))
    fixture.fetch(6)
    assert fixture.ack(*batches) == error


def test_a_failed_acknowledgement_leaves_the_records_with_their_member() -> None:
    fixture = PartitionFixture(plain(5, 5, 5))
    fixture.fetch(6)
    assert fixture.ack((0, 4), (10, 14)) == REQUEST
    assert fixture.ack((0, 9)) == OK


def test_an_offset_is_acknowledged_once() -> None:
    fixture = PartitionFixture(plain(5, 5))
    fixture.fetch()
    assert [
        fixture.ack((6, 6), kind=3),
        fixture.ack((6, 6)),
        fixture.ack((8, 8), kind=2),
        fixture.ack((8, 8)),
    ] == [OK, STATE, OK, STATE]


def test_another_members_records_are_not_acknowledged() -> None:
    fixture = PartitionFixture(plain(5, 5))
    fixture.fetch(member=1)
    assert fixture.ack((0, 4), member=2) == STATE


def test_the_rest_of_a_record_limit_batch_is_not_acquired() -> None:
    fixture = PartitionFixture(plain(10))
    fixture.fetch(6, mode=1)
    assert [fixture.ack((6, 9)), fixture.ack((0, 5))] == [STATE, OK]


def test_below_the_start_offset_nothing_is_looked_at() -> None:
    fixture = PartitionFixture(plain(5, 5), start=3)
    fixture.fetch()
    assert [fixture.ack((0, 2), member=7), fixture.ack((0, 4)), fixture.state.start] == [OK, OK, 5]


def test_before_all_that_is_cached_is_a_wrong_record_state() -> None:
    fixture = PartitionFixture(plain(5, 5), start=3)
    assert fixture.ack((3, 4)) == STATE


def test_across_the_start_offset_with_nothing_cached_the_whole_request_fails() -> None:
    fixture = PartitionFixture(plain(5, 5), start=2)
    found = acknowledge(fixture.state, Lock(0), [AcknowledgementBatch(0, 4)], fixture.settings)
    assert (found.error, found.whole_request) == (Error.UNKNOWN_SERVER_ERROR, True)


def test_each_type_leads_to_its_state() -> None:
    fixture = PartitionFixture(plain(5))
    fixture.fetch()
    assert fixture.ack((0, 4, (2, 1, 3, 0, 2))) == OK
    states = [
        record.state for offset in range(5) if (record := fixture.state.record(offset)) is not None
    ]
    kinds = RecordState
    assert states == [
        kinds.AVAILABLE,
        kinds.ACKNOWLEDGED,
        kinds.ARCHIVED,
        kinds.ARCHIVED,
        kinds.AVAILABLE,
    ]


def test_renewing_moves_the_lock_and_nothing_else() -> None:
    fixture = PartitionFixture(plain(5, 5))
    fixture.fetch(1)
    lock = Lock(0, 500.0, 510.0)
    found = acknowledge(
        fixture.state, lock, [AcknowledgementBatch(0, 4, (4, 4, 1, 2, 0))], fixture.settings
    )
    assert found.error == OK
    assert found.state.record(1) == Record(RecordState.ACQUIRED, 1, lock)


def test_renewing_where_the_group_forbids_it_is_a_wrong_record_state() -> None:
    fixture = PartitionFixture(plain(5), renew=False)
    fixture.fetch()
    assert fixture.ack((0, 4), kind=4) == STATE


def test_a_record_at_its_limit_is_archived_when_released() -> None:
    fixture = PartitionFixture(plain(5), delivery_count_limit=1)
    fixture.fetch()
    assert fixture.release(0, 4) == OK
    assert (fixture.state.start, fixture.fetch()) == (5, [])


def test_the_start_offset_moves_over_a_hole_behind_a_finished_batch() -> None:
    fixture = PartitionFixture(plain(5, 5, 5))
    fixture.fetch(5)
    fixture.fetch(5)
    fixture.ack((5, 9))
    assert fixture.state.start == 0
    fixture.ack((0, 1))
    assert fixture.state.start == 2
    fixture.ack((2, 4))
    assert (fixture.state.start, fixture.state.end, fixture.state.cached) == (10, 10, ())
