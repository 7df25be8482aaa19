"""The measures of fairness: by hand, by their properties, and on what the model delivers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spec.fairness.dry_run import answer_all
from spec.fairness.examples import batches_of_ten
from spec.fairness.measures import (
    jain_index,
    longest_run,
    longest_wait,
    max_polls_without,
    measure_fairness,
)
from spec.fairness.outcomes import PollReturned
from spec.fairness.steps import AssignPartitions, Poll, StartClient
from spec.layout import Batch, Layout, Partition
from spec.releases import semantics_for
from spec.scenario import Scenario

BIG = (batches_of_ten(200), batches_of_ten(60), batches_of_ten(20), batches_of_ten(5))
SKEWED = (batches_of_ten(20), batches_of_ten(6), batches_of_ten(2), Partition(((Batch(1151, 5),),)))
KAFKA = semantics_for("4.3")
sequences = st.lists(st.integers(0, 3), max_size=30)


@pytest.mark.parametrize(
    ("partitions", "partition_bytes", "fetch_bytes", "window", "jain", "wait"),
    [
        (BIG, 2**20, 50 * 2**20, 2000, 0.250, 2800),
        (BIG, 3500, 50 * 2**20, 230, 0.994, 90),
        (BIG, 3500, 4700, 440, 0.793, 110),
        (BIG, 1150, 1150, 210, 0.993, 40),
        (SKEWED, 2500, 50 * 2**20, 60, 0.750, 60),
    ],
)
def test_small_limits_make_kafkas_consumer_fair(
    partitions: tuple[Partition, ...],
    partition_bytes: int,
    fetch_bytes: int,
    window: int,
    jain: float,
    wait: int,
) -> None:
    """With its defaults one partition has everything while its backlog fits in a response."""
    start = StartClient(
        max_poll_records=500, fetch_max_bytes=fetch_bytes, partition_max_bytes=partition_bytes
    )
    steps = (start, AssignPartitions((0, 1, 2, 3)), *[Poll()] * 320)
    scenario = Scenario(Layout(partitions), steps, subject="fairness")
    returned = [one.outcome for one in answer_all(scenario, KAFKA).exchanges]
    polls = [
        [record.partition for record in one.records]
        for one in returned
        if isinstance(one, PollReturned)
    ]
    found = measure_fairness(polls)
    assert (found.window, found.longest_wait) == (window, wait)
    assert found.jain == pytest.approx(jain, abs=0.0006)


def test_the_measures_of_a_sequence() -> None:
    assert longest_run([0, 0, 0, 1, 0, 1, 1, 1, 1]) == 3
    assert longest_wait([0, 0, 0, 1, 0, 1]) == 3
    assert longest_run([0, 0, 0]) == 0
    assert max_polls_without([[0], [], [0], [1], [0], [0], [0], [1]]) == 3
    assert jain_index([5, 5, 5]) == 1.0
    assert jain_index([9, 0, 0]) == pytest.approx(1 / 3)


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=8))
def test_jains_index_lies_between_one_share_and_all_and_has_no_unit(counts: list[int]) -> None:
    found = jain_index(counts)
    assert 1 / len(counts) - 1e-9 <= found <= 1 + 1e-9
    assert jain_index([7 * count for count in counts]) == pytest.approx(found)
    assert jain_index(counts[::-1]) == pytest.approx(found)


@given(sequences)
def test_a_run_is_no_longer_than_its_partition_and_a_wait_than_the_others(
    sequence: list[int],
) -> None:
    counts = [sequence.count(partition) for partition in {*sequence}]
    assert longest_run(sequence) <= max(counts, default=0)
    assert longest_wait(sequence) <= len(sequence) - min(counts, default=0)


@given(sequences)
def test_what_one_poll_returns_starves_no_partition(sequence: list[int]) -> None:
    assert max_polls_without([sequence]) == 0
    one_by_one = [[partition] for partition in sequence]
    assert max_polls_without(one_by_one) == longest_wait(sequence)
    assert measure_fairness(one_by_one).most_polls >= measure_fairness([sequence]).most_polls


@given(sequences, st.permutations([0, 1, 2, 3]))
def test_the_measures_do_not_depend_on_the_partitions_numbers(
    sequence: list[int], numbers: list[int]
) -> None:
    renamed = [numbers[partition] for partition in sequence]
    assert measure_fairness([[one] for one in renamed]) == measure_fairness(
        [[one] for one in sequence]
    )
