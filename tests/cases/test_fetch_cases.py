"""The field's bug reports on fetch limits, as scenarios on a real broker; Apache Kafka answers each
rightly, or by a listed finding.
"""

from collections.abc import Callable

import pytest

from conformance.engine.play_result import Played
from spec.fetch.steps import OWN, Fetch, FetchPartition
from spec.kafka import INT32_MAX
from spec.layout import Batch, Partition
from spec.scenario import Scenario
from spec.steps import Append
from tests.cases.case import answer, broken, layout, log, sizes

pytestmark = pytest.mark.broker
Play = Callable[[Scenario], Played]


def all_of(count: int, limit: int = INT32_MAX, offset: int = 0) -> tuple[FetchPartition, ...]:
    return tuple([FetchPartition(number, offset, limit) for number in range(count)])


def test_f01_a_first_batch_over_both_limits_is_returned_whole_and_at_once(play: Play) -> None:
    fetch = Fetch(all_of(1, 1000), max_bytes=1000, min_bytes=1, max_wait_ms=5000)
    played = play(Scenario(layout(log(5070)), (fetch,)))
    assert sizes(played) == {0: 5070}
    assert broken(played) == set()
    assert played.observation.exchanges[0].elapsed_ms < 5000


def test_f02_the_request_limit_holds_over_64_partitions(play: Play) -> None:
    fetch = Fetch(all_of(64, 262144), max_bytes=262144)
    played = play(Scenario(layout(*[log(*[16384] * 8)] * 64), (fetch,)))
    assert sum(sizes(played).values()) <= 262144
    assert broken(played) == set()


@pytest.mark.parametrize(("limit", "expected"), [(1999, 1999), (2000, 2000), (2001, 2000)])
def test_f04_a_batch_that_fits_exactly_is_inside_the_limit(
    play: Play, limit: int, expected: int
) -> None:
    played = play(Scenario(layout(log(1000, 1000)), (Fetch(all_of(1), max_bytes=limit),)))
    assert sizes(played) == {0: expected}
    assert broken(played) == set()


def test_f06_both_limits_hold_at_once(play: Play) -> None:
    played = play(
        Scenario(
            layout(log(*[1000] * 10), log(*[1000] * 10)), (Fetch(all_of(2, 2000), max_bytes=3000),)
        )
    )
    assert sizes(played) == {0: 2000, 1: 1000}
    assert broken(played) == set()


@pytest.mark.parametrize("limit", [INT32_MAX, 2**30, 1, 0])
def test_f07_large_limits_do_not_overflow(play: Play, limit: int) -> None:
    played = play(
        Scenario(layout(*[log(1000)] * 3), (Fetch(all_of(3, limit), max_bytes=INT32_MAX),))
    )
    assert broken(played) == set()
    if limit > 1:
        assert sizes(played) == {0: 1000, 1: 1000, 2: 1000}


def test_f09_a_partition_limit_below_min_bytes_is_answered_with_what_it_allows(play: Play) -> None:
    fetch = Fetch(all_of(2, 1000), max_bytes=2**20, min_bytes=5000, max_wait_ms=500)
    played = play(Scenario(layout(log(*[1000] * 10), log()), (fetch,)))
    assert sizes(played) == {0: 1000, 1: 0}
    assert broken(played) == set()


def test_f10_an_answer_may_end_in_a_cut_batch(play: Play) -> None:
    played = play(Scenario(layout(log(*[1000] * 5)), (Fetch(all_of(1), max_bytes=2500),)))
    got = answer(played).partitions[0]
    assert ([batch.size for batch in got.batches], got.tail) == ([1000, 1000], 500)
    assert broken(played) == set()


def test_f12_negative_limits_are_a_finding(play: Play) -> None:
    three = layout(*[log(*[1000] * 5)] * 3)
    request = play(Scenario(three, (Fetch(all_of(3), max_bytes=-1),)))
    partition = play(Scenario(three, (Fetch(all_of(3, -1)),)))
    assert [(got.error, got.size) for got in answer(request).partitions] == [
        (-1, 0),
        (0, 1000),
        (0, 0),
    ]
    assert [(got.error, got.size) for got in answer(partition).partitions] == [(-1, 0)] * 3
    assert broken(request) == broken(partition) == {("FET-071", "negative limit")}


def test_f14_an_empty_incremental_fetch_waits_for_its_session(play: Play) -> None:
    full = Fetch(all_of(1, offset=1), epoch=0)
    empty = Fetch(session=OWN, epoch=1, min_bytes=1, max_wait_ms=300)
    played = play(Scenario(layout(log(100)), (full, empty)))
    assert played.observation.exchanges[1].elapsed_ms >= 285
    assert broken(played) == set()


def test_f14_a_record_ends_the_wait_of_an_empty_incremental_fetch(play: Play) -> None:
    full = Fetch(all_of(1, offset=1), epoch=0)
    empty = Fetch(session=OWN, epoch=1, min_bytes=1, max_wait_ms=5000)
    played = play(
        Scenario(layout(log(100)), (full, empty, Append(0, Batch(100), actor=1, after_ms=300)))
    )
    assert sizes(played, 1) == {0: 100}
    assert broken(played) == set()


def test_f15_each_partition_is_answered_once_after_a_retried_wait(play: Play) -> None:
    fetch = Fetch(all_of(2), min_bytes=150, max_wait_ms=5000)
    steps = (
        fetch,
        Append(0, Batch(100), actor=1, after_ms=300),
        Append(1, Batch(100), actor=1, after_ms=600),
    )
    played = play(Scenario(layout(log(), log()), steps))
    assert sorted(sizes(played).items()) == [(0, 100), (1, 100)]
    assert broken(played) == set()


def rotation(rounds: int) -> Scenario:
    """Three partitions, one batch an answer; positions move on with what was served, as a client's
    do.
    """
    first = Fetch(all_of(3), max_bytes=1, epoch=0)
    order = [0, 0, 1, 2, 0, 1, 2, 0, 1, 2]
    positions = [0, 0, 0]
    steps = [first]
    for epoch in range(1, rounds):
        served = order[epoch - 1]
        positions[served] += 1
        steps.append(
            Fetch(
                (FetchPartition(served, positions[served]),), max_bytes=1, session=OWN, epoch=epoch
            )
        )
    return Scenario(layout(*[log(*[1000] * 5)] * 3), tuple(steps))


def test_r01_a_session_serves_each_partition_in_its_turn(play: Play) -> None:
    played = play(rotation(9))
    served = [
        next(number for number, size in sizes(played, step).items() if size) for step in range(9)
    ]
    assert served == [0, 0, 1, 2, 0, 1, 2, 0, 1]
    assert broken(played) == set()


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 2, 0), (2, 0, 1)])
def test_r04_without_a_session_the_request_order_decides(
    play: Play, order: tuple[int, ...]
) -> None:
    parts = tuple([FetchPartition(number, 0) for number in order])
    played = play(Scenario(layout(*[log(1000, 1000)] * 3), (Fetch(parts, max_bytes=1),)))
    assert [number for number, size in sizes(played).items() if size] == [order[0]]
    assert broken(played) == set()


def test_r08_a_forgotten_partition_is_not_answered_any_more(play: Play) -> None:
    full = Fetch(all_of(2), epoch=0)
    steps = (full, Fetch(session=OWN, epoch=1, forgotten=(1,)), Fetch(session=OWN, epoch=2))
    played = play(Scenario(layout(log(100), log(100)), steps))
    assert sizes(played, 1) == sizes(played, 2) == {0: 100}
    assert broken(played) == set()


def test_r09_an_omitted_partition_keeps_its_position_until_given_another(play: Play) -> None:
    batches = log(*[100] * 8)
    steps = (
        Fetch((FetchPartition(0, 2, 100),), epoch=0),
        Fetch(session=OWN, epoch=1),
        Fetch((FetchPartition(0, 6, 100),), session=OWN, epoch=2),
    )
    played = play(Scenario(layout(batches), steps))
    assert [answer(played, step).partitions[0].batches[0].base for step in range(3)] == [2, 2, 6]
    assert broken(played) == set()


def test_x05_the_same_scenario_played_twice_gives_the_same_observation(play: Play) -> None:
    scenario = Scenario(layout(log(100, 200), log(300)), (Fetch(all_of(2), max_bytes=350),))
    first, second = play(scenario), play(scenario)
    assert answer(first) == answer(second)
    assert first.judgement == second.judgement


def test_f16_a_reader_moves_on_by_each_batchs_last_offset_over_what_compaction_took_out(
    play: Play,
) -> None:
    compacted = Partition(
        ((Batch(100, 2, span=4),), (Batch(100, 2, gap=3), Batch(61, 0, span=3), Batch(100)))
    )
    offsets = (0, 4, 5, 6, 9, 12, 13)
    played = play(
        Scenario(layout(compacted), tuple([Fetch(all_of(1, 1, offset)) for offset in offsets]))
    )
    found = [answer(played, step).partitions[0].batches for step in range(len(offsets))]
    assert [[(batch.base, batch.last) for batch in batches] for batches in found] == [
        [(0, 3)],
        [(7, 8)],
        [(7, 8)],
        [(7, 8)],
        [(9, 11)],
        [(12, 12)],
        [],
    ]
    assert broken(played) == set()
