"""Which partitions an answer to a share fetch has an entry for, in which order they are served, and
what a limit cuts off: as Apache Kafka does it, played beside it by `benchmarks/served_model.py`.
"""

from spec.layout import Batch, Layout, Partition
from spec.releases import semantics_for
from spec.scenario import Scenario
from spec.share.dry_run import answer_all
from spec.share.outcomes import Acquired, ShareAnswerPartition, ShareFetchAnswer
from spec.share.steps import AlterShareGroupOffsets, Pause, ShareFetch, SharePartition
from spec.steps import Append, Step

SEMANTICS = semantics_for("4.3")
BATCH = 100


def partition(*records: int) -> Partition:
    """A partition with one segment of batches of 100 bytes with so many records each."""
    return Partition(((tuple([Batch(BATCH, count) for count in records])),))


def answers(layout: tuple[Partition, ...], *steps: Step) -> list[ShareFetchAnswer]:
    """The reference's answers to the fetches of a history that begins at offset 0."""
    begun = AlterShareGroupOffsets(tuple([(number, 0) for number in range(len(layout))]))
    scenario = Scenario(Layout(layout), (begun, *steps), subject="share")
    outcomes = [one.outcome for one in answer_all(scenario, SEMANTICS).exchanges]
    return [one for one in outcomes if isinstance(one, ShareFetchAnswer)]


def fetch(*partitions: int, **fields: int) -> ShareFetch:
    """A fetch that adds these partitions to its session."""
    named = tuple([SharePartition(number) for number in partitions])
    return ShareFetch(named, version=2, **fields)  # type: ignore[arg-type]


def named(answer: ShareFetchAnswer) -> list[int]:
    """The partitions that an answer has an entry for, in order of their numbers."""
    return sorted([part.partition for part in answer.partitions])


def test_an_opening_fetch_names_all_that_it_reads() -> None:
    (first,) = answers((partition(3), partition()), fetch(0, 1))
    assert named(first) == [0, 1]


def test_a_later_fetch_names_what_gives_something_or_is_new() -> None:
    layout = (partition(3), partition(3), partition())
    first, second, third = answers(layout, fetch(0, max_records=3), fetch(1, 2), fetch())
    assert [named(one) for one in (first, second, third)] == [[0], [1, 2], []]


def test_a_partition_that_failed_is_named_each_time() -> None:
    _, second, third = answers((partition(3),), fetch(0), fetch(1), fetch())
    assert named(second) == [1]
    assert third.partitions == (ShareAnswerPartition(1, error=3),)


def test_a_partition_that_is_added_again_is_named_again() -> None:
    _, forgot, again = answers(
        (partition(3),), fetch(0), ShareFetch(forgotten=(0,), version=2), fetch(0)
    )
    assert [named(forgot), named(again)] == [[], [0]]


def test_without_records_to_ask_for_nothing_is_named() -> None:
    (first,) = answers((partition(3),), fetch(0, max_records=0))
    assert first.partitions == ()


def test_at_its_lock_limit_a_partition_is_not_named() -> None:
    layout = (partition(1500, 500),)
    _, second = answers(layout, fetch(0, max_records=2000), fetch(0, actor=1))
    assert named(second) == []


def test_what_is_looked_up_first_is_served_last() -> None:
    """Partition 0 has been read before and its place in the log is known; so it goes first though
    the epoch's turn is partition 1's, which is read to find its place.
    """
    layout = (partition(3, 3), partition(3, 3))
    known = fetch(0, max_records=-1, actor=1)
    first = fetch(1, 0, max_records=3)
    _, answer = answers(layout, known, first)
    assert [part.partition for part in answer.partitions if part.acquired] == [0]


def test_a_partition_that_gave_records_is_last_from_then_on() -> None:
    """Fetches of no records look up the places in the log, so that the turn alone decides."""
    layout = (partition(3, 3), partition(3, 3))
    looks, takes = fetch(max_records=-1), fetch(max_records=3)
    found = answers(layout, fetch(0, 1, max_records=-1), looks, takes, looks, takes)
    served = [[part.partition for part in one.partitions if part.acquired] for one in found]
    assert served == [[], [], [0], [], [1]]


def test_a_cut_batch_follows_the_one_whole_batch() -> None:
    (first,) = answers((partition(3, 3),), fetch(0, max_bytes=BATCH + 30))
    (part,) = first.partitions
    assert part.acquired == (Acquired(0, 2),)
    assert (len(part.batches), part.tail) == (1, 30)


def test_behind_two_whole_batches_nothing_is_cut() -> None:
    (first,) = answers((partition(3, 3, 3),), fetch(0, max_bytes=2 * BATCH + 30))
    (part,) = first.partitions
    assert (len(part.batches), part.tail) == (2, 0)


def test_past_the_end_of_the_log_nothing_is_waited_for() -> None:
    start = AlterShareGroupOffsets(((0, 4),))
    parked = ShareFetch((SharePartition(0),), max_wait_ms=5000, version=2, parked=True)
    steps = (start, parked, Pause(100), Append(0, Batch(BATCH, 3)))
    scenario = Scenario(Layout((partition(3),)), steps, subject="share")
    found = {one.step: one for one in answer_all(scenario, SEMANTICS).exchanges}
    assert found[1].answered_ms < found[2].answered_ms
    assert isinstance(found[1].outcome, ShareFetchAnswer)
    assert [part.acquired for part in found[1].outcome.partitions] == [()]


def test_an_unknown_partition_takes_no_turn() -> None:
    """With epoch 2 it is the turn of the first of two partitions, whatever else is in the
    session.
    """
    layout = (partition(3, 3), partition(3, 3))
    looks = fetch(max_records=-1)
    found = answers(layout, fetch(2, 0, 1, max_records=-1), looks, fetch(max_records=3))
    assert [part.partition for part in found[-1].partitions if part.acquired] == [0]
