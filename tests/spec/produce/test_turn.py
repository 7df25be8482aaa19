"""What is known of a partition after batches of which nothing was answered."""

from spec.produce.steps import Outgoing
from spec.produce.turn import PartitionState, PossibleBatch


def test_each_batch_without_an_answer_may_be_stored_or_not() -> None:
    counts = (1, 4, 16)
    maybe = [
        PossibleBatch((step, 0), Outgoing(0, 100, count), 0, None, expected=True)
        for step, count in enumerate(counts)
    ]
    state = PartitionState(0, 0, 100, maybe=tuple(maybe))
    expected = {
        100 + one + four + sixteen for one in (0, 1) for four in (0, 4) for sixteen in (0, 16)
    }
    assert state.possible_ends == expected


def test_many_batches_without_an_answer_have_few_possible_ends() -> None:
    some = PossibleBatch((0, 0), Outgoing(0, 100, 2), 0, None, expected=True)
    state = PartitionState(0, 0, 0, maybe=(some,) * 200)
    assert state.possible_ends == {*range(0, 401, 2)}
