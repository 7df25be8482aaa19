"""The model acquires what running brokers were seen to acquire, history by history."""

from dataclasses import replace

import pytest

from spec.kafka import READ_COMMITTED, Error
from spec.model import answer_all
from spec.releases import semantics_for
from spec.share.examples import fetch, history, plain, transactions
from spec.share.model.partition import ShareState, Written
from spec.share.model.records import Cached, Record, RecordState
from spec.share.outcomes import ShareFetchAnswer
from spec.share.releases import EARLY_ACCESS, PREVIEW, ShareSemantics
from tests.spec.share.partition_fixture import PartitionFixture, compacted

FIVES = (5, 5, 5)


@pytest.mark.parametrize(
    ("records", "mr", "bs", "mode", "expected"),
    [
        (FIVES, 6, 2, 0, [(0, 4, 1), (5, 9, 1)]),
        (FIVES, 6, 2, 1, [(0, 5, 1)]),
        (FIVES, 6, 500, 0, [(0, 9, 1)]),
        (FIVES, 500, 6, 0, [(0, 9, 1), (10, 14, 1)]),
        (FIVES, 500, 11, 0, [(0, 14, 1)]),
        (FIVES, 500, 15, 0, [(0, 14, 1)]),
        ((3, 3, 3, 3), 500, 5, 0, [(0, 5, 1), (6, 11, 1)]),
        ((1, 7, 1, 1), 500, 2, 0, [(0, 7, 1), (8, 9, 1)]),
        (FIVES, 10, 1, 1, [(0, 9, 1)]),
        (FIVES, 0, 500, 0, []),
        (FIVES, -1, 500, 1, []),
        (FIVES, 500, 0, 0, [(0, -1, 1), (0, 4, 1), (5, 9, 1), (10, 14, 1)]),
    ],
)
def test_a_first_fetch_acquires(
    records: tuple[int, ...], mr: int, bs: int, mode: int, expected: list[tuple[int, int, int]]
) -> None:
    assert PartitionFixture(plain(*records)).fetch(mr, bs, mode) == expected


def test_record_limit_leaves_the_rest_of_a_batch_to_the_next_fetch() -> None:
    fixture = PartitionFixture(plain(*FIVES))
    assert [fixture.fetch(6, 2, 1) for _ in range(3)] == [
        [(0, 5, 1)],
        [(6, 9, 1), (10, 11, 1)],
        [(12, 14, 1)],
    ]


def test_a_start_inside_a_batch_is_where_acquiring_begins() -> None:
    fixture = PartitionFixture(plain(*FIVES), start=3)
    assert fixture.fetch(1) == [(3, 4, 1)]
    assert fixture.fetch(500, 500) == [(5, 14, 1)]


def test_a_negative_batch_size_reaches_below_the_start_offset() -> None:
    assert PartitionFixture(plain(5, 5), start=2).fetch(500, -5) == [
        (2, -1, 1),
        (0, 4, 1),
        (5, 9, 1),
    ]


def test_a_start_in_a_hole_is_skipped() -> None:
    assert PartitionFixture(compacted(), start=6).fetch(3) == [(10, 14, 1)]


def test_batch_optimized_gives_back_cached_batches_whole_and_record_limit_does_not() -> None:
    fixture = PartitionFixture(plain(*FIVES))
    assert fixture.fetch(6) == [(0, 9, 1)]
    assert fixture.release(0, 9) == 0
    assert fixture.fetch(1) == [(0, 9, 2)]
    assert fixture.release(0, 9) == 0
    assert fixture.fetch(3, mode=1) == [(0, 2, 3)]


@pytest.mark.parametrize(
    ("mode", "mr", "expected"),
    [(0, 3, [(1, 1, 2), (3, 3, 2), (5, 9, 1)]), (1, 4, [(1, 1, 2), (3, 3, 2), (5, 6, 1)])],
)
def test_released_offsets_come_before_new_ones(
    mode: int, mr: int, expected: list[tuple[int, int, int]]
) -> None:
    fixture = PartitionFixture(plain(*FIVES))
    fixture.fetch(5)
    assert fixture.ack((0, 4, (1, 2, 1, 2, 1))) == 0
    assert fixture.fetch(mr, mode=mode) == expected


def test_ranges_of_released_offsets_are_merged_or_single() -> None:
    for semantics, expected in (
        (None, [(5, 9, 2)]),
        (PREVIEW, [(offset, offset, 2) for offset in range(5, 10)]),
    ):
        fixture = PartitionFixture(plain(5, 5), semantics=semantics)
        fixture.fetch()
        fixture.release(5, 9)
        assert fixture.fetch() == expected


@pytest.mark.parametrize(
    ("mr", "mode", "expected"),
    [(6, 0, [(0, 5, 1)]), (10, 0, [(0, 9, 1)]), (500, 0, [(0, 19, 1)]), (3, 1, [(0, 2, 1)])],
)
def test_holes_count_as_offsets(mr: int, mode: int, expected: list[tuple[int, int, int]]) -> None:
    assert PartitionFixture(compacted()).fetch(mr, mode=mode) == expected


def test_holes_between_two_fetches_are_never_acquired() -> None:
    fixture = PartitionFixture(compacted())
    assert [fixture.fetch(6), fixture.fetch(6)] == [[(0, 5, 1)], [(10, 19, 1)]]
    limited = PartitionFixture(compacted())
    assert [limited.fetch(3, mode=1), limited.fetch(3, mode=1)] == [
        [(0, 2, 1)],
        [(3, 4, 1), (5, 5, 1)],
    ]


def test_the_lock_limit_is_rounded_up_to_a_batch() -> None:
    fixture = PartitionFixture(plain(*[30] * 10), max_record_locks=100)
    assert fixture.fetch(1000) == [(0, 119, 1)]
    assert fixture.fetch(1000) == []


def test_record_limit_passes_the_lock_limit_by_the_rest_of_the_batch() -> None:
    fixture = PartitionFixture(plain(*[30] * 8), max_record_locks=100)
    assert [fixture.fetch(1000, mode=1) for _ in range(3)] == [[(0, 99, 1)], [(100, 119, 1)], []]


def test_before_the_lock_budget_one_fetch_may_take_all() -> None:
    assert PartitionFixture(plain(*[100] * 6), semantics=EARLY_ACCESS).fetch(5000, 5000) == [
        (0, 599, 1)
    ]
    fixture = PartitionFixture(plain(*[30] * 10), semantics=PREVIEW, max_record_locks=100)
    assert fixture.fetch(90, member=1) == [(0, 89, 1)]
    assert fixture.fetch(90, member=2) == [(90, 179, 1)]
    assert fixture.release(0, 29, member=1) == 0
    taken = fixture.fetch(1000, member=3)
    assert (taken[0], taken[-1]) == ((0, 0, 2), (180, 299, 1))


def test_at_the_lock_limit_only_released_records_are_acquired() -> None:
    fixture = PartitionFixture(plain(*[30] * 10), max_record_locks=100)
    assert [fixture.fetch(90, member=1), fixture.fetch(90, member=2)] == [
        [(0, 89, 1)],
        [(90, 119, 1)],
    ]
    fixture.release(0, 29, member=1)
    assert fixture.fetch(1000, member=3) == [(0, 29, 2)]


def test_acknowledged_offsets_at_the_tail_do_not_free_the_lock_limit() -> None:
    fixture = PartitionFixture(plain(*[30] * 8), max_record_locks=100)
    assert fixture.fetch(500) == [(0, 119, 1)]
    fixture.ack((0, 29))
    assert fixture.fetch(500) == [(120, 149, 1)]
    fixture.ack((149, 149))
    assert fixture.fetch(500) == []


def test_records_near_their_last_delivery_come_in_halves_and_then_alone() -> None:
    fixture = PartitionFixture(plain(8))
    taken = []
    while found := fixture.fetch():
        taken.extend(found)
        for first, last, _ in found:
            fixture.release(first, last)
    whole = [
        (0, 7, 1),
        (0, 7, 2),
        (0, 7, 3),
        (0, 3, 4),
        (0, 0, 5),
        (1, 1, 5),
        (2, 2, 5),
        (3, 3, 5),
        (4, 7, 4),
    ]
    assert taken == [*whole, (4, 4, 5), (5, 5, 5), (6, 6, 5), (7, 7, 5)]
    assert fixture.state.start == 8


@pytest.mark.parametrize(("limit", "semantics"), [(2, None), (5, PREVIEW)])
def test_without_throttling_a_batch_is_delivered_whole_up_to_its_limit(
    limit: int, semantics: ShareSemantics | None
) -> None:
    fixture = PartitionFixture(plain(8), semantics=semantics, delivery_count_limit=limit)
    seen = []
    while found := fixture.fetch():
        seen.append({count for *_, count in found})
        fixture.release(0, 7)
    assert seen == [{count} for count in range(1, limit + 1)]


def test_an_expired_lock_gives_the_records_back_until_the_limit() -> None:
    fixture = PartitionFixture(plain(*FIVES), delivery_count_limit=2)
    assert fixture.fetch(5) == [(0, 4, 1)]
    fixture.expire()
    assert fixture.fetch(5) == [(0, 4, 2)]
    fixture.expire()
    assert fixture.fetch(5) == [(5, 9, 1)]
    assert fixture.state.start == 5


@pytest.mark.parametrize(("semantics", "count"), [(None, 2), (PREVIEW, 1), (EARLY_ACCESS, 2)])
def test_a_closed_session_gives_back_what_it_holds(
    semantics: ShareSemantics | None, count: int
) -> None:
    fixture = PartitionFixture(plain(*FIVES), semantics=semantics)
    fixture.fetch(6)
    fixture.ack((0, 2))
    fixture.close()
    taken = fixture.fetch(1, member=1)
    assert (taken[0][0], taken[-1][1], {one[2] for one in taken}) == (3, 9, {count})


def test_read_uncommitted_acquires_control_and_aborted_offsets() -> None:
    assert PartitionFixture(transactions()).fetch() == [(0, 18, 1)]


def test_read_committed_stops_at_the_last_stable_offset_and_drops_aborted_data() -> None:
    fixture = PartitionFixture(transactions(), isolation=READ_COMMITTED)
    assert fixture.fetch() == [(0, 5, 1), (11, 14, 1)]
    assert fixture.fetch() == []


def test_read_committed_batch_by_batch() -> None:
    fixture = PartitionFixture(transactions(), isolation=READ_COMMITTED)
    assert [fixture.fetch(1) for _ in range(5)] == [
        [(0, 4, 1)],
        [(5, 5, 1)],
        [],
        [(11, 11, 1)],
        [(12, 14, 1)],
    ]


def test_record_limit_archives_only_what_it_had_acquired_of_an_aborted_batch() -> None:
    fixture = PartitionFixture(transactions(), isolation=READ_COMMITTED)
    assert [fixture.fetch(8, mode=1), fixture.fetch(1, mode=1)] == [[(0, 5, 1)], []]


def test_the_log_start_is_noticed_by_a_failing_read() -> None:
    fixture = PartitionFixture(plain(*FIVES))
    fixture.log = fixture.log.deleted_to(7)
    assert [fixture.fetch(), fixture.fetch()] == [[], [(7, 14, 1)]]


def test_records_held_below_the_log_start_stay_with_their_member() -> None:
    fixture = PartitionFixture(plain(*FIVES))
    assert fixture.fetch() == [(0, 14, 1)]
    fixture.log = fixture.log.deleted_to(7)
    assert fixture.release(0, 14) == 0
    assert [fixture.fetch(), fixture.fetch()] == [[], [(7, 14, 2)]]


def test_deleted_offsets_come_where_an_older_cached_batch_lies_before_them() -> None:
    fixture = PartitionFixture(plain(*FIVES))
    assert fixture.fetch(5) == [(0, 4, 1)]
    fixture.log = fixture.log.deleted_to(12)
    assert [fixture.fetch(), fixture.fetch()] == [[], [(10, 14, 1)]]


def written(*spans: tuple[int, int, RecordState, int]) -> ShareState:
    return replace(PartitionFixture(plain(1)).state, written=Written(0, spans))


@pytest.mark.parametrize(
    ("spans", "mode", "mr", "expected"),
    [
        ([(6, 7, RecordState.ACKNOWLEDGED, 1)], 0, 4, [[(0, 4, 1)], [(5, 5, 1), (8, 14, 1)]]),
        (
            [(6, 7, RecordState.ACKNOWLEDGED, 1)],
            1,
            4,
            [[(0, 3, 1)], [(4, 4, 1), (5, 5, 1), (8, 9, 1)], [(10, 13, 1)], [(14, 14, 1)]],
        ),
        (
            [(3, 4, RecordState.AVAILABLE, 2), (7, 8, RecordState.ARCHIVED, 5)],
            0,
            500,
            [[(0, 2, 1), (3, 4, 3), (5, 6, 1), (9, 14, 1)]],
        ),
    ],
)
def test_offsets_that_were_never_written_are_acquired_as_new_after_a_reload(
    spans: list[tuple[int, int, RecordState, int]],
    mode: int,
    mr: int,
    expected: list[list[tuple[int, int, int]]],
) -> None:
    fixture = PartitionFixture(plain(*FIVES))
    fixture.state = written(*spans)
    fixture.reload()
    assert [fixture.fetch(mr, mode=mode) for _ in expected] == expected


def test_what_was_only_acquired_is_forgotten_by_a_reload_and_what_was_accepted_is_not() -> None:
    fixture = PartitionFixture(plain(*FIVES))
    fixture.fetch(6)
    assert fixture.ack((5, 9)) == Error.NONE
    fixture.close()
    fixture.reload()
    assert [fixture.fetch(5), fixture.fetch(5)] == [[(0, 4, 2)], [(10, 14, 1)]]


@pytest.mark.parametrize("mode", [0, 1])
def test_after_a_reload_nothing_before_the_start_offset_is_acquired(mode: int) -> None:
    fixture = PartitionFixture(plain(100))
    fixture.fetch(5, mode=mode)
    fixture.ack((0, 4))
    fixture.reload()
    expected = [[(5, 9, 1)], [(10, 14, 1)]] if mode else [[(5, 99, 1)], []]
    assert [fixture.fetch(5, mode=mode), fixture.fetch(5, mode=mode)] == expected


def test_a_byte_limit_below_the_first_batch_gives_it_whole() -> None:
    assert PartitionFixture(plain(*FIVES)).fetch(size=1) == [(0, 4, 1)]
    assert PartitionFixture(plain(*FIVES)).fetch(size=250) == [(0, 9, 1)]


def test_records_that_compaction_took_are_archived() -> None:
    fixture = PartitionFixture(compacted())
    gone = (Cached(5, 9, (Record(RecordState.AVAILABLE, 1),)),)
    fixture.state = replace(fixture.state, start=5, end=9, cached=gone)
    assert fixture.fetch() == [(10, 19, 1)]
    assert fixture.state.record(5) == Record(RecordState.ARCHIVED, 1)


def test_4_0_reads_at_records_that_compaction_took_again_and_again() -> None:
    """A hole that was acquired and released; 4.0 has no maybeArchiveStaleBatches (seen on
    4.0.2).
    """
    for release, expected in (("4.0", RecordState.AVAILABLE), ("4.3", RecordState.ARCHIVED)):
        fixture = PartitionFixture(compacted(), semantics=semantics_for(release).of(ShareSemantics))
        fixture.fetch()
        fixture.release(7, 7)
        assert fixture.fetch() == []
        assert fixture.state.record(7) == Record(expected, 1)


@pytest.mark.parametrize(("max_bytes", "expected"), [(99, [5]), (199, [5]), (200, [5, 5])])
def test_one_partition_of_an_answer_gives_a_batch_above_its_share_of_max_bytes(
    max_bytes: int, expected: list[int]
) -> None:
    """As Kafka 4.3.1 reads: a first batch above its share comes once, and takes from what the next
    partition may read.
    """
    layout = (plain(5), plain(5))
    scenario = history(layout, fetch(0, 1, max_bytes=max_bytes))
    first = answer_all(scenario, semantics_for("4.3")).exchanges[1].outcome
    assert isinstance(first, ShareFetchAnswer)
    counts = [one.last - one.first + 1 for part in first.partitions for one in part.acquired]
    assert counts == expected
